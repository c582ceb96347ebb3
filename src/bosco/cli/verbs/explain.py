"""``bosco explain``: the path of one case."""

from dataclasses import asdict
from typing import Annotated

from typer import Option

from bosco.cli.console import Format, emit
from bosco.cli.models import load_model
from bosco.cli.options import Answer, Case, ModelFile, OneTree
from bosco.errors import ParameterError

EXAMPLE = "bosco explain loans.json reputation=poor term=3 income=high"


def run(
    model: ModelFile,
    values: Case = None,
    table: Annotated[str | None, Option(metavar="FILE", help="Take the case from a table.")] = None,
    row: Annotated[int, Option(help="Its row, from 1.", min=1)] = 1,
    tree: OneTree = None,
    answer: Answer = Format.text,
) -> None:
    """Tell how one case comes to its prediction."""
    from bosco.cli.rows import case_asked

    loaded = load_model(model, tree)
    if (table is None) == (not values):
        raise ParameterError("One case is wanted: either NAME=VALUE …, or --table FILE --row N.")
    case = case_asked(loaded, values, table, row)
    if loaded.kind == "tree" and values and case is not None:  # what is left out is not known yet
        given = {value.rpartition("=")[0].strip() for value in values}
        case = {name: case[name] for name in case if name in given}
    told = loaded.explain(case)
    emit(answer, str(told), asdict(told))
