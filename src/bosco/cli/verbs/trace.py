"""``bosco trace``: the making of a tree, step by step, and a page to step through."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit, warnings_as_notes
from bosco.cli.groups import Learner, TableOptions
from bosco.cli.options import Answer, KnownTarget, OneTree, Table
from bosco.errors import ParameterError

EXAMPLE = "bosco trace tennis.csv --target play --algorithm id3 --page tennis.html"

_MODELS = (".json", ".bosco")


def run(
    file: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="A table, from which trees are grown on all rows; or a model saved by fit.",
        ),
    ],
    target: KnownTarget = None,
    rows: Table = None,
    page: Annotated[
        Path | None,
        Option("--page", metavar="FILE", help="Write a page to step through, .html, too."),
    ] = None,
    steps: Annotated[int, Option(help="Print so many steps of each part.", min=0)] = 20,
    tree: OneTree = None,
    seed: Annotated[int, Option(help="Of what trees draw.", min=0)] = 0,
    *,
    learner: Learner,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Tell how a tree is made: each node, every test tried, the arithmetic, who wins and why.

    Then what pruning compares; of --algorithm adaboost every round, of a forest one tree. A model
    is told by the rows of --table, the ones that it was grown on, or by what it recorded.
    """
    if Path(file).suffix in _MODELS:
        told = _of_model(Path(file), rows, target, table)
    else:
        if target is None:
            raise ParameterError("A table needs --target NAME: the column to learn.")
        told = _of_table(file, target, learner, table, tree or 0, seed)
    saved = ""
    if page is not None:
        import bosco

        bosco.trace_page(*told, title=None).save(page)
        saved = tr("saved: {file}", file=page)
    said = [_said(trace, steps) for trace in told]
    parts = [trace.to_dict() for trace in told] if answer is Format.json else []
    data = {"parts": parts, "page": page}
    emit(answer, "\n\n".join([*said, *[saved] * bool(saved)]), data)


def _said(trace: Any, most: int) -> str:
    """The first steps of a trace, and how many more there are."""
    if len(trace) <= most:
        return str(trace)
    blocks = [str(step) for step in trace[:most]]
    more = tr("… {n} more steps: --steps {all} prints all", n=len(trace) - most, all=len(trace))
    return "\n\n".join([*blocks, more])


def _of_model(path: Path, rows: str | None, target: str | None, table: TableOptions) -> list[Any]:
    """The trace of a saved tree."""
    from bosco.cli.models import load_model
    from bosco.cli.rows import labelled_rows

    model = load_model(path)
    if model.kind != "tree":
        raise ParameterError(
            f"{path} holds many trees ({model!r:.80}), and neither what they drew nor what rows "
            "weighed. Hint: bosco trace TABLE --target NAME --algorithm adaboost, or forest."
        )
    given: tuple[Any, ...] = ()
    if rows is not None:
        given = labelled_rows(rows, model, target, table, table.weight)
    told = [model.trace(*given)]
    return [*told, model.trace_pruning()] if model.log.steps else told


def _of_table(
    file: str, target: str, learner: Learner, table: TableOptions, tree: int, seed: int
) -> list[Any]:
    """The trace of trees that are grown now, on all rows."""
    from bosco.growth import setting
    from bosco.lessons.learners import BOOSTED, MANY
    from bosco.lessons.learners import learner as made
    from bosco.lessons.lesson import read_lesson
    from bosco.pruning.policies import policy_named

    settings = learner.settings()
    lesson = read_lesson(file, target, table, learner.task)
    data = (lesson.X, lesson.y, lesson.weight)
    algorithm = settings["algorithm"]
    estimator = made(lesson.task, settings, seed)
    with warnings_as_notes():
        if algorithm in BOOSTED:
            return [estimator.fit(*data).trace(*data)]
        if algorithm in MANY:
            return [estimator.fit(*data).trace(*data, tree=tree)]
        pruning = setting(algorithm, "pruning", estimator.pruning)
        policy = None if pruning == "none" else policy_named(pruning)
        if policy is not None and not _by_rows(policy):
            model = estimator.fit(*data).model_
            return [model.trace(), model.trace_pruning()]
        grown = estimator.set_params(pruning="none").fit(*data).model_
        told = [grown.trace(*data)]
        return told if policy is None else [*told, grown.trace_pruning(policy, *data)]


def _by_rows(policy: Any) -> bool:
    """Whether a policy prunes a grown tree; others set rows apart, or choose by folds."""
    return (
        not (hasattr(policy, "share") and policy.share) and getattr(policy, "alpha", 0) is not None
    )
