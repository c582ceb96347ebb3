"""``bosco explain``: the path of one case."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from bosco.cli.console import Format, emit
from bosco.cli.models import load_model
from bosco.cli.options import Answer, ModelFile, pairs
from bosco.errors import ParameterError

__all__ = ["EXAMPLE", "run"]

EXAMPLE = "bosco explain loans.json reputation=poor term=3 income=high"


def run(
    model: ModelFile,
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=VALUE]...",
            help="The case; a column that is not given is missing.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--table", metavar="FILE", help="Take the case from a table.", show_default=False
        ),
    ] = None,
    row: Annotated[int, typer.Option("--row", help="Its row, from 1.", min=1)] = 1,
    answer: Answer = Format.text,
) -> None:
    """Tell how one case comes to its prediction."""
    loaded = load_model(model)
    if (table is None) == (not values):
        raise ParameterError("One case is wanted: either NAME=VALUE …, or --table FILE --row N.")
    case = _given(values or [], loaded) if table is None else _from_table(table, row, loaded)
    told = loaded.explain(case)
    emit(answer, str(told), asdict(told))


def _given(values: list[str], model: Any) -> dict[str, Any]:
    from bosco.tables import read_case

    # A value may hold a comma: each argument is one pair.
    quoted = ['"' + value.replace('"', '""') + '"' for value in values]
    return read_case(pairs(quoted, "explain"), model.schema)


def _from_table(place: str, row: int, model: Any) -> dict[str, Any]:
    from bosco.tables import read_chunks

    for chunk in read_chunks(place, model.schema):
        if row - 1 < chunk.start + chunk.X.num_rows:
            found: dict[str, Any] = chunk.X.slice(row - 1 - chunk.start, 1).to_pylist()[0]
            return found
    raise ParameterError(f"{place} has no row {row}.")
