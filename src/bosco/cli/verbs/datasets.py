"""``bosco datasets``: the small teaching tables, as files."""

from typing import Annotated, Any

from typer import Argument

from bosco.cli.console import Format, emit
from bosco.cli.options import Answer, out_to
from bosco.errors import ParameterError, did_you_mean

EXAMPLE = "bosco datasets loans --out loans.csv"

_TABLES = {"play_tennis": "play", "golf": "play", "loans": "safe"}  # and the name of the target


def run(
    name: Annotated[str | None, Argument(help="Which table; without it, list them.")] = None,
    out: Annotated[str, out_to("Where to write it: .csv or .parquet; - is here.")] = "-",
    answer: Answer = Format.text,
) -> None:
    """List the tables that bosco brings along, or write one."""
    if name is None:
        listed = [_about(table) for table in _TABLES]
        lines = [f"{d['name']:<12} {d['rows']:>3} rows  {d['about']}" for d in listed]
        emit(answer, "\n".join(lines), listed)
        return
    if name not in _TABLES:
        known = ", ".join(_TABLES)
        raise ParameterError(
            f"no dataset {name!r}. There are: {known}.{did_you_mean(name, _TABLES)}"
        )
    import pyarrow as pa

    import bosco
    from bosco.tables import write_chunks

    X, y = getattr(bosco.datasets, name)()
    rows = write_chunks(out, [pa.table({**X, _TABLES[name]: y})])
    if out != "-":
        emit(answer, f"{out}: {rows} rows, target {_TABLES[name]!r}", _about(name) | {"file": out})


def _about(name: str) -> dict[str, Any]:
    import bosco

    make = getattr(bosco.datasets, name)
    X, y = make()
    about = (make.__doc__ or "").partition("\n")[0]
    said = {"name": name, "rows": len(y), "columns": list(X)}
    return said | {"target": _TABLES[name], "about": about}
