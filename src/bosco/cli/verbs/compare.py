"""``bosco compare``: several learners on the same splits, and whether they differ."""

from dataclasses import replace
from typing import Annotated, Any

from typer import Option

from bosco.cli.console import Format, emit, interrupted_at_last, warnings_as_notes
from bosco.cli.groups import Learner, Splits, TableOptions, Together
from bosco.cli.options import Answer, File, Target
from bosco.errors import ParameterError

EXAMPLE = (
    "bosco compare loans.csv --target safe --learner cart --learner forest "
    "--learner 'c45: max_depth=2'"
)


def run(
    file: File,
    target: Target,
    learners: Annotated[
        list[str],
        Option(
            "--learner",
            metavar="NAME[: SETTING=VALUE,…]",
            help="What to compare, twice or more: an algorithm, with settings of its own; all "
            "other options hold for every learner.",
        ),
    ],
    *,
    splits: Splits,
    together: Together,
    learner: Learner,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Tell which of several learners does better, on the same splits.

    Every two are compared split by split (corrected resampled t test; Holm's p for all pairs).
    """
    import bosco
    from bosco.lessons.learners import learner as made
    from bosco.lessons.lesson import read_lesson

    every = settings_of(learners, learner)
    lesson = read_lesson(file, target, table, learner.task, parted=together)
    named = {name: made(lesson.task, one, splits.seed) for name, one in every.items()}
    with warnings_as_notes():
        found = bosco.compare(named, lesson.X, lesson.y, **splits.how(lesson))
    first = next(iter(found.evaluations.values()))
    data = {
        "plan": first.plan,
        "parted": first.parted,
        "rows": first.n_rows,
        "interrupted": first.interrupted,
        "learners": {name: e.summary() for name, e in found.evaluations.items()},
        "splits": {name: e.to_dict() for name, e in found.evaluations.items()},
        "differences": found.to_dict(),
        "says": found.says,
    }
    emit(answer, str(found), data)
    interrupted_at_last(first)


def settings_of(learners: list[str], common: Learner) -> dict[str, dict[str, Any]]:
    """The settings of each learner, by the words that name it.

    Examples
    --------
    >>> list(settings_of(["cart", "c45: max_depth=2"], Learner()))
    ['cart', 'c45: max_depth=2']
    """
    if common.algorithm != "cart":
        raise ParameterError(
            f"--algorithm is of one learner. Hint: --learner {common.algorithm}, and others."
        )
    found: dict[str, dict[str, Any]] = {}
    for said in learners:
        name, _, own = said.partition(":")
        words = f"{name.strip()}: {own.strip()}" if own.strip() else name.strip()
        if words in found:
            raise ParameterError(f"--learner {words!r} is given twice.")
        also = [*(common.also or ()), *([own.strip()] if own.strip() else [])]
        found[words] = replace(common, algorithm=name.strip(), also=also).settings()
    if len(found) < 2:
        raise ParameterError(
            "compare wants two learners or more. Hint: --learner cart --learner forest; "
            "bosco evaluate judges one."
        )
    return found
