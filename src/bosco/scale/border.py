"""What the columns of parts are together, without looking at any row again.

Every part says at a glance what its columns are. Together they are what one table of all rows
would have been: levels that a column merely has are the sorted union, and a part in which a column
has no value at all may be of any kind there.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.readers import Table
from bosco.data.schema import Schema, are_bounds
from bosco.errors import DataError

__all__ = ["among", "glance", "levelled", "together"]


def glance(table: Table, categorical: Any, domains: Any) -> Table:
    """Give the columns of a part without their rows; the user may have said something of them."""
    if domains:
        Schema.infer(table, categorical, domains)  # which knows the rows that are not in them
    by_value = levelled(categorical, domains, table.names)
    columns = tuple(
        _domain(table.column(j), name in by_value) for j, name in enumerate(table.names)
    )
    return Table(table.names, table.named, 0, columns)


def levelled(categorical: Any, domains: Any, names: Sequence[str]) -> set[str]:
    """Columns whose values are levels because the user says so."""
    found = {
        names[key] if isinstance(key, int) else str(key)
        for key, domain in (domains or {}).items()
        if not are_bounds(domain)
    }
    if categorical is not None and not isinstance(categorical, str):
        for place, item in enumerate(categorical):
            if isinstance(item, bool | np.bool_):
                found |= {names[place]} if item and place < len(names) else set()
            elif isinstance(item, int | np.integer):
                found |= {names[int(item)]} if -len(names) <= item < len(names) else set()
            else:
                found.add(str(item))
    return found


def _domain(cells: Cells, by_value: bool) -> Cells:
    """A column without its rows; of numbers that are all missing, one; or all different ones."""
    if isinstance(cells, Coded):
        return replace(cells, codes=np.zeros(0, cells.codes.dtype))
    if cells.all_missing():
        return replace(cells, values=np.full(1, np.nan))
    known = np.unique(cells.values[~np.isnan(cells.values)]) if by_value else cells.values[:0]
    return replace(cells, values=known)


def together(glances: Sequence[Table], names: Sequence[str]) -> Table:
    """The columns that parts have together; `names` are those of the parts, for messages."""
    first = glances[0]
    columns = []
    for said, part in zip(glances, names, strict=True):
        if set(said.names) != set(first.names):
            odd = sorted(set(said.names) ^ set(first.names))
            raise DataError(
                f"{part} has other columns than {names[0]}: {odd[:5]}. All parts of a table have "
                f"the same columns."
            )
    for name in first.names:
        cells = first.column(first.names.index(name))
        for said, part in zip(glances[1:], names[1:], strict=True):
            here = said.column(said.names.index(name))
            cells = _joined(cells, here, name, part)
        columns.append(cells)
    return Table(first.names, first.named, 0, tuple(columns))


def among(table: Table, all_: Table) -> Table:
    """The rows of a part, their columns and levels as those of all parts together."""
    columns = []
    for name, cells in zip(all_.names, all_.columns, strict=True):
        own = table.column(table.names.index(name))
        if isinstance(cells, Coded):  # where own are numbers, all are missing
            none = np.zeros(table.n_rows, np.uint8)
            codes = own.recode(cells.levels) if isinstance(own, Coded) else none
            own = replace(cells, codes=codes)
        columns.append(own)
    return Table(all_.names, all_.named, table.n_rows, tuple(columns))


def _joined(a: Cells, b: Cells, name: str, part: str) -> Cells:
    """What two parts of a column are together."""
    if _no_value(a) or _no_value(b):
        return b if _no_value(a) else a
    if isinstance(a, Numbers) and isinstance(b, Numbers) and a.unit == b.unit:
        return replace(a, values=np.union1d(a.values, b.values)) if len(a.values) else a
    if isinstance(a, Coded) and isinstance(b, Coded) and a.unit == b.unit:
        if a.levels == b.levels and a.ordered == b.ordered:
            return a
        if not (a.ordered or b.ordered):
            return replace(a, levels=tuple(sorted({*a.levels, *b.levels})), declared=False)
    raise DataError(
        f"{part}, column {name!r}: it holds {_said(b)}, but {_said(a)} in the parts before."
    )


def _no_value(cells: Cells) -> bool:
    return isinstance(cells, Numbers) and len(cells.values) > 0 and cells.all_missing()


def _said(cells: Cells) -> str:
    if isinstance(cells, Numbers):
        return f"{cells.unit}s"
    return f"{'ordered ' * cells.ordered}levels ({cells.unit})"
