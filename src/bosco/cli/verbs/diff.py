"""``bosco diff``: where two models decide differently."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_tree
from bosco.cli.options import Answer, ModelFile, Table
from bosco.rules.work import WORK

EXAMPLE = "bosco diff loans.json smaller.json --table loans.csv"


def run(
    model: ModelFile,
    other: Annotated[Path, Argument(metavar="OTHER", help="Another model.")],
    rows: Table = None,
    work: Annotated[
        float,
        Option(help="Steps for comparing; what is found by then is told.", metavar="STEPS", min=1),
    ] = WORK,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Tell where two models decide differently.

    Rows of --table are counted in each region.
    """
    import bosco

    first, second = (load_tree(path, "differences are told") for path in (model, other))
    X = None if rows is None else _rows(rows, first, second, layout)
    found = bosco.diff(first, second, X, work=work)
    emit(answer, str(found), found.to_dict())


def _rows(place: str, first: Any, second: Any, layout: Layout) -> Any:
    """The columns of both models."""
    from bosco.cli.rows import rows_of

    X = rows_of(place, first, layout, first.schema.without_derived().names)
    for name in second.schema.without_derived().names:
        if name not in X.column_names:
            more = rows_of(place, second, layout, second.schema.without_derived().names)
            X = X.append_column(name, more.column(name))
    return X
