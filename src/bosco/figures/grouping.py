"""Rows in segments by any column: its levels, or its numbers cut into intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.dates import MOMENTS, show_moment
from bosco.base.language import tr
from bosco.base.numerals import shortest, show_number
from bosco.base.visible import visible
from bosco.data.columns import Coded
from bosco.data.readers import Table, read_table
from bosco.data.schema import Column, show_level
from bosco.data.typed import number_of
from bosco.errors import DataError, ParameterError, did_you_mean

PARTS = 4
"""Intervals that numbers are cut into, each of about as many rows."""

MOST = 20
"""Of more levels, the commonest are segments, and the rest are one."""

FEWEST = 5
"""Rows that the commonest of so many levels has at least: else they are those of an identifier."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """A column, its segments in words, and the segment of every row."""

    column: str
    names: tuple[str, ...]
    place: NDArray[np.intp]

    def take(self, rows: Any) -> "Grouping":
        """The same of some rows."""
        return Grouping(self.column, self.names, self.place[rows])


def groupings(X: Any, by: Any, cuts: Any = None, parts: int = PARTS) -> tuple[Grouping, ...]:
    """The segments that are asked for: columns of X by name, or values of a column of one's own.

    `by` is a name, a sequence of names, or a mapping of names to values, one for each row of X.
    """
    if isinstance(parts, bool) or not isinstance(parts, int) or parts < 2:
        raise ParameterError(f"parts must be a whole number, 2 or more. Got {parts!r}.")
    table = read_table(X)
    if isinstance(by, Mapping):
        own = read_table({str(name): values for name, values in by.items()})
        if own.n_rows != table.n_rows:
            raise DataError(
                f"by has {own.n_rows} values and X {table.n_rows} rows; there must be equally many."
            )
        table, names = own, own.names
    else:
        names = _names(by)
    if not names:
        raise ParameterError("by names no column.")
    cuts = _cuts(cuts, names)
    return tuple(_grouping(table, name, cuts.get(name), parts) for name in names)


def _names(by: Any) -> tuple[str, ...]:
    given = [by] if isinstance(by, str | int | np.integer) else by
    if not isinstance(given, Sequence) or not all(
        isinstance(name, str | int | np.integer) for name in given
    ):
        raise ParameterError(
            f"by must name columns of X, or map a name to a value for each row. Got {by!r:.60}."
        )
    return tuple(dict.fromkeys(map(str, given)))


def _cuts(cuts: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Where numbers are cut, by column; a bare sequence is that of the only one."""
    if cuts is None:
        return {}
    if isinstance(cuts, Mapping):
        unknown = [str(name) for name in cuts if str(name) not in names]
        if unknown:
            raise ParameterError(f"cuts speaks of {unknown[0]!r}, which is not among by.")
        return {str(name): values for name, values in cuts.items()}
    if len(names) != 1:
        raise ParameterError("cuts must map columns to numbers where by names several.")
    return {names[0]: cuts}


def _grouping(table: Table, name: str, cuts: Any, parts: int) -> Grouping:
    if name not in table.names:
        raise ParameterError(
            f"There is no column {name!r} to make segments of.{did_you_mean(name, table.names)} "
            f"There are {', '.join(table.names[:20])}."
        )
    cells = table.column(table.names.index(name))
    if isinstance(cells, Coded):
        if cuts is not None:
            raise ParameterError(f"cuts are for numbers, and {name!r} holds levels.")
        shown = [_say_level(level) for level in cells.levels]
        return _of_levels(name, cells.codes.astype(np.intp), shown)
    x = np.asarray(cells.values, np.float64)
    known = x[~np.isnan(x)]

    def say(value: float) -> str:
        return show_moment(cells.unit, value) if cells.unit in MOMENTS else show_number(value)

    levels = np.unique(known)
    if cuts is None and len(levels) <= parts:
        codes = np.where(np.isnan(x), 0, np.searchsorted(levels, x) + 1)
        return _of_levels(name, codes, list(map(say, levels.tolist())))
    if cuts is None:
        edges = _quantiles(levels, known, parts, readable=cells.unit == "number")
    else:
        edges = _given(name, cells.unit, cuts)
    ends = list(map(say, edges.tolist()))
    names = [f"≤ {ends[0]}"]
    names += [tr("above {low} to {high}", low=a, high=b) for a, b in pairwise(ends)]
    names.append(f"> {ends[-1]}")
    codes = np.where(np.isnan(x), 0, np.searchsorted(edges, x, side="left") + 1)
    return _of_levels(name, codes, names)


def _say_level(level: Any) -> str:
    """A level that is seen, and that nobody takes for what is missing."""
    shown = visible(show_level(level))
    plain = shown == shown.strip() and shown not in ("", tr("missing", "values"))
    return shown if plain else f'"{shown}"'


def _quantiles(
    levels: NDArray[np.float64], known: NDArray[np.float64], parts: int, *, readable: bool
) -> NDArray[np.float64]:
    """Cuts into about as many rows each, at the shortest numbers that part them so."""
    edges = np.unique(np.quantile(known, np.linspace(0, 1, parts + 1)[1:-1], method="lower"))
    edges = edges[edges < levels[-1]] if (edges < levels[-1]).any() else levels[:1]
    after = levels[np.searchsorted(levels, edges, side="right")]
    pairs = zip(edges.tolist(), after.tolist(), strict=True)
    cuts = [shortest(low, high, low) if readable else low for low, high in pairs]
    return np.array(cuts, np.float64)


def _given(name: str, unit: str, cuts: Any) -> NDArray[np.float64]:
    """Numbers, or moments as people write them, in order."""
    column = Column(name, unit=unit)
    try:
        given = np.unique([number_of(column, cut) for cut in np.atleast_1d(np.asarray(cuts))])
    except ParameterError:
        given = np.zeros(0)
    if not len(given):
        wanted = f"a {unit} each, such as 2024-03-31" if unit in MOMENTS else "numbers"
        raise ParameterError(f"cuts of {name!r} must be {wanted}. Got {cuts!r:.60}.")
    return given


def _of_levels(name: str, codes: NDArray[np.intp], shown: list[str]) -> Grouping:
    """Levels that rows have, in order; of many the commonest; and those without a value."""
    rows = np.bincount(codes, minlength=len(shown) + 1)
    there = np.flatnonzero(rows[1:]) + 1
    rest = np.zeros(0, np.intp)
    if len(there) > MOST:
        if (most := int(rows[there].max())) < FEWEST:
            raise DataError(
                f"{name!r} has {len(there):,} values, of which none stands in more than {most} "
                f"{'row' if most == 1 else 'rows'}: segments of so few rows tell nothing. "
                f"Hint: a coarser column."
            )
        by_rows = there[np.argsort(-rows[there], kind="stable")]
        there, rest = np.sort(by_rows[: MOST - 1]), by_rows[MOST - 1 :]
    names = [shown[k - 1] for k in there.tolist()]
    to = np.zeros(len(shown) + 1, np.intp)
    to[there] = np.arange(len(there))
    if len(rest):
        to[rest] = len(names)
        names.append(tr("{n} other levels", n=len(rest)))
    if rows[0]:
        to[0] = len(names)
        names.append(tr("missing", "values"))
    return Grouping(name, tuple(names), to[codes])
