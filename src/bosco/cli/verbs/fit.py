"""``bosco fit``: a table in, a tree out, and every choice said.

The steps are functions in the order in which they happen: read, settle, grow, tell, keep.
"""

import shlex
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bosco.cli.console import Format, can_draw, emit, warnings_as_notes
from bosco.cli.options import (
    Answer,
    Decimal,
    Delimiter,
    Domains,
    Drop,
    Encoding,
    File,
    Header,
    Missing,
    Query,
    Sheet,
    Types,
    Weight,
    as_arguments,
    reading_options,
)

if TYPE_CHECKING:
    from bosco.tables import Reading

__all__ = ["EXAMPLE", "run"]

EXAMPLE = "bosco fit loans.csv --target safe --algorithm c45 --out loans.json"

_CLASSES = 10  # whole numbers with at most so many values are classes


class Task(StrEnum):
    """What is learned: classes or numbers."""

    classification = "classification"
    regression = "regression"


def run(
    file: File,
    target: Annotated[
        str,
        typer.Option(
            "--target", "-t", metavar="NAME", help="The column to learn.", show_default=False
        ),
    ],
    task: Annotated[
        Task | None,
        typer.Option(
            help="Learn classes or numbers; by default the target says.", show_default=False
        ),
    ] = None,
    algorithm: Annotated[
        str, typer.Option(help="cart, c45, id3, hunt, best_first or stump.")
    ] = "cart",
    max_depth: Annotated[
        int | None, typer.Option(help="Depth of the tree at most.", show_default=False)
    ] = None,
    max_leaf_nodes: Annotated[
        int | None, typer.Option(help="Leaves at most.", show_default=False)
    ] = None,
    min_samples_leaf: Annotated[
        int | None, typer.Option(help="Rows in a leaf at least.", show_default=False)
    ] = None,
    criterion: Annotated[
        str | None, typer.Option(help="gini, entropy, squared_error, …", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to save the model, such as loans.json.",
            show_default=False,
        ),
    ] = None,
    types: Types = None,
    missing_values: Missing = None,
    drop: Drop = None,
    weight: Weight = None,
    domains: Domains = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    header: Header = None,
    query: Query = None,
    sheet: Sheet = None,
    answer: Answer = Format.text,
) -> None:
    """Learn a tree from a table: say what was understood, grow, show and save it."""
    from bosco.tables import read_file

    options = reading_options(
        types=types,
        missing_values=missing_values,
        drop=drop,
        domains=domains,
        delimiter=delimiter,
        target=target,
        weight=weight,
        decimal=decimal,
        encoding=encoding,
        header=header,
        query=query,
        sheet=sheet,
    )
    reading = read_file(file, options)
    if answer is Format.text:
        emit(answer, f"{reading.understanding}\n", None)
    settings = {
        "algorithm": algorithm,
        "max_depth": max_depth,
        "max_leaf_nodes": max_leaf_nodes,
        "min_samples_leaf": min_samples_leaf,
        "criterion": criterion,
    }
    choice = settle(reading, task, settings)
    model = grow(reading, choice)
    again = repeat(file, reading, domains, choice, out)
    if out is not None:
        model.save(out)
    tell(reading, choice, model, out, again, answer)


@dataclass(frozen=True, slots=True)
class Choice:
    """What will be learned, and with which settings."""

    task: Task
    settings: dict[str, Any]


def settle(reading: "Reading", task: Task | None, settings: dict[str, Any]) -> Choice:
    """Decide what the command line left open."""
    given = {name: value for name, value in settings.items() if value is not None}
    return Choice(task or _task_of(reading.y), given)


def _task_of(y: Any) -> Task:
    """Numbers are learned as numbers, unless they are few whole ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(y.type):
        return Task.regression
    many = pa.types.is_integer(y.type) and pc.count_distinct(y).as_py() > _CLASSES
    return Task.regression if many else Task.classification


def grow(reading: "Reading", choice: Choice) -> Any:
    """Learn the tree from all rows."""
    import bosco

    learners = {
        Task.classification: bosco.DecisionTreeClassifier,
        Task.regression: bosco.DecisionTreeRegressor,
    }
    learner = learners[choice.task](**choice.settings)
    with warnings_as_notes():
        return learner.fit(reading.X, reading.y, sample_weight=reading.sample_weight).model_


def repeat(
    file: str, reading: "Reading", domains: Path | None, choice: Choice, out: Path | None
) -> str:
    """Write the command that makes the same choices without looking."""
    words = ["bosco", "fit", file, *as_arguments(reading.options, domains)]
    words += ["--task", choice.task.value]
    for name, value in choice.settings.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words if out is None else [*words, "--out", str(out)])


def tell(
    reading: "Reading", choice: Choice, model: Any, out: Path | None, again: str, answer: Format
) -> None:
    """Print the tree, where it was saved, and how to get it again."""
    lines = [model.to_text(ascii=not can_draw()), ""]
    if out is not None:
        lines.append(f"saved: {out}")
    lines.append(f"again: {again}")
    data = {
        "understanding": reading.understanding.to_dict(),
        "task": choice.task.value,
        "settings": choice.settings,
        "leaves": model.n_leaves,
        "depth": model.depth,
        "text": model.to_text(max_nodes=None),
        "model": None if out is None else str(out),
        "command": again,
    }
    emit(answer, "\n".join(lines), data)
