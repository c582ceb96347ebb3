"""``bosco select``: choose settings on validation rows, report on test rows looked at once."""

import shlex
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit, warnings_as_notes
from bosco.cli.groups import Learner, Parts, TableOptions, Together
from bosco.cli.options import Answer, File, Jobs, Target
from bosco.errors import ParameterError

EXAMPLE = (
    "bosco select loans.csv --target safe --grid max_depth=1,2,3 --grid criterion=gini,entropy"
)


def run(
    file: File,
    target: Target,
    grid: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=A,B,…",
            help="Values to try of one parameter; may be repeated. By default what fit tries.",
        ),
    ] = None,
    jobs: Jobs = -1,
    *,
    learner: Learner,
    parts: Parts,
    together: Together,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Try settings; tell the best, and how it does on test rows.

    The test rows are looked at once, after the choice.
    """
    from bosco.cli.choosing import grid_of, select, shares_of, with_limits
    from bosco.lessons.lesson import read_lesson, setting_words
    from bosco.lessons.literals import told, write_literal

    settings, tried = learner.settings(), _grid(grid or [])
    shares_of(parts)
    lesson = read_lesson(file, target, table, learner.task, parted=together)
    grid_tried = [tried] if tried else grid_of(lesson, settings)
    settings = with_limits(lesson, settings)
    with warnings_as_notes():
        chosen = select(lesson, settings, grid_tried, parts, n_jobs=jobs)
    best = {name: write_literal(value) for name, value in chosen.best.parameters.items()}
    data = {
        "metric": chosen.metric,
        "inner": chosen.inner,
        "sizes": list(chosen.sizes),
        "parted": chosen.parted,
        "candidates": told(chosen.to_dict()),
        "chosen": best,
        "standard_error": chosen.standard_error,
        "test_scores": chosen.test_scores,
    }
    fit = ["bosco", "fit", *lesson.words(), *setting_words(settings | chosen.best.parameters)]
    again = shlex.join([*fit, "--no-choose", "--split", parts.split, "--seed", str(parts.seed)])
    emit(answer, f"{chosen}\n\n{tr('fit it')}: {again}", data | {"command": again})


def _grid(given: list[str]) -> dict[str, list[Any]]:
    """Read NAME=A,B,… ; policies of pruning by their names."""
    from bosco.lessons.literals import literal, parts_of, read_policy, unquoted

    grid = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals:
            raise ParameterError(f"--grid takes NAME=A,B,…. Got {text!r}.")
        name = name.strip().replace("-", "_")
        read = read_policy if name == "pruning" else literal
        grid[name] = [read(unquoted(value)) for value in parts_of(values, ",")]
    return grid
