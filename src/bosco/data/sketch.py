"""What a model remembers of the columns of its training rows: how many rows, in a few bins.

Of a column of numbers there are at most twenty bins of about equally many rows, whose bounds are
rounded to three digits of the spread, and the range, rounded outwards; of levels the rows of each
that is not rare, and of all others together; of both the missing values. No row can be read out of
it, nor the value of one: the smallest bin is of several rows.

Rows that come later are counted in the same bins. Counts add up, chunk by chunk.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded
from bosco.data.ondisk import counted
from bosco.errors import ModelError

if TYPE_CHECKING:
    from bosco.data.frame import Frame
    from bosco.data.schema import Schema

MOST = 20
"""Bins of a column of numbers, at most."""

FEW = 10
"""Rows of a bin, at least, where there are enough."""

RARE = 25
"""Levels of fewer rows, or of fewer than one in fifty, are counted together: which levels have few
rows is chance, and would look like a shift."""

_BLOCK = 1_000_000  # rows that are looked at together
_NAMED = 1000  # unknown levels whose names are kept while rows are counted


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The rows of one column.

    Attributes
    ----------
    rows : ndarray of int64
        Rows of each bin: of numbers up to each edge and beyond the last; of levels those of each
        level named, then of all others, unknown ones included.
    missing : int
        Rows without a value.
    edges : ndarray of float64
        Of numbers: the upper bounds of the bins, all but the last.
    low, high : float
        Of numbers: no training row was outside.
    levels : tuple of int or None
        Of levels: the places of those that have a bin of their own; None for numbers.
    once : int
        Of levels: how many of them had one row.
    """

    rows: NDArray[np.int64]
    missing: int
    edges: NDArray[np.float64]
    low: float = -math.inf
    high: float = math.inf
    levels: tuple[int, ...] | None = None
    once: int = 0

    @classmethod
    def of(cls, cells: Cells) -> "Bins":
        """Sketch a column.

        Examples
        --------
        >>> from bosco.data.columns import Numbers
        >>> bins = Bins.of(Numbers(np.arange(40.0)))
        >>> bins.edges.tolist(), bins.rows.tolist(), (bins.low, bins.high)
        ([9.0, 19.0, 29.0], [10, 10, 10, 10], (0.0, 39.0))
        """
        if isinstance(cells, Coded):
            found = counted(cells.codes, len(cells.levels) + 1)
            few = max(RARE, len(cells) // 50)
            levels = tuple(np.flatnonzero(found[1:] >= few).tolist())
            once = int(np.count_nonzero(found[1:] == 1))
            bare = cls(np.zeros(0, np.int64), 0, np.zeros(0), levels=levels, once=once)
        else:
            bare = cls(np.zeros(0, np.int64), 0, *_ranges(cells.values))
        counts = bare.counted(cells)
        return cls(
            counts.rows, counts.missing, bare.edges, bare.low, bare.high, bare.levels, bare.once
        )

    def counted(self, cells: Cells, was: Cells | None = None) -> "Count":
        """Count rows in the same bins; `was` is the column as it came, with unknown levels."""
        parts = [_part(cells, begin) for begin in range(0, len(cells), _BLOCK)] or [cells]
        raw = (
            [None] * len(parts)
            if was is None
            else [_part(was, k * _BLOCK) for k in range(len(parts))]
        )
        found = [self._counted(part, own) for part, own in zip(parts, raw, strict=True)]
        total = found[0]
        for count in found[1:]:
            total = total + count
        return total

    def _counted(self, cells: Cells, was: Cells | None) -> "Count":
        empty = cells.missing()
        if isinstance(cells, Coded):
            place = np.full(len(cells.levels) + 1, len(self.levels or ()))
            place[[k + 1 for k in self.levels or ()]] = np.arange(len(self.levels or ()))
            at = place[cells.codes[~empty]]
            unknown = Counter[str]()
            if isinstance(was, Coded):
                lost = empty & ~was.missing()
                told = np.bincount(was.codes[lost], minlength=len(was.levels) + 1)[1:]
                unknown.update({str(was.levels[k]): int(told[k]) for k in np.flatnonzero(told)})
                empty = empty & ~lost
            rows = np.bincount(at, minlength=len(self.levels or ()) + 1)
            lost_rows = sum(unknown.values())
            rows[-1] += lost_rows
            return Count(
                rows, int(np.count_nonzero(empty)), unknown=lost_rows, names=_most(unknown)
            )
        x = np.asarray(cells.values, np.float64)[~empty]
        rows = np.bincount(np.searchsorted(self.edges, x), minlength=len(self.edges) + 1)
        outside = [int(np.count_nonzero(side)) for side in (x < self.low, x > self.high)]
        return Count(rows, int(np.count_nonzero(empty)), outside[0], outside[1])

    def to_plain(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        said: dict[str, Any] = {"rows": self.rows.tolist(), "missing": self.missing}
        if self.levels is not None:
            return said | {"levels": list(self.levels), "once": self.once}
        ends = [x if math.isfinite(x) else None for x in (self.low, self.high)]
        return said | {"edges": self.edges.tolist(), "range": ends}

    @classmethod
    def read(cls, said: Any, n_levels: int | None) -> "Bins":
        """Read what `to_plain` gave, trusting nothing in it; `n_levels` is None for numbers."""
        _require(isinstance(said, Mapping), "a column is not a mapping")
        rows, missing = _whole(said.get("rows")), said.get("missing")
        _require(_is_count(missing), "'missing' is not a number of rows")
        if n_levels is not None:
            levels, once = _whole(said.get("levels")).tolist(), said.get("once")
            _require(levels == sorted(set(levels)), "'levels' do not ascend")
            _require(all(k < n_levels for k in levels), "there is no such level")
            _require(len(rows) == len(levels) + 1, "'rows' do not fit 'levels'")
            _require(_is_count(once), "'once' is not a number of levels")
            return cls(rows, missing, np.zeros(0), levels=tuple(levels), once=once)
        edges, ends = said.get("edges"), said.get("range")
        _require(isinstance(edges, list) and all(map(_is_number, edges)), "'edges' are no numbers")
        cuts = np.array(edges, np.float64)
        _require(len(rows) == len(cuts) + 1 <= MOST + 1, "'rows' do not fit 'edges'")
        _require(bool((cuts[1:] > cuts[:-1]).all()), "'edges' do not ascend")
        two = isinstance(ends, list) and len(ends) == 2
        _require(two and all(e is None or _is_number(e) for e in ends), "'range' is not one")
        low = -math.inf if ends[0] is None else float(ends[0])
        high = math.inf if ends[1] is None else float(ends[1])
        return cls(rows, missing, cuts, low, high)


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """Rows counted in the bins of a column; counts of several tables add up."""

    rows: NDArray[np.int64]
    missing: int
    below: int = 0  # rows under the range of the training rows
    above: int = 0
    unknown: int = 0  # rows of levels that are not known
    names: Counter[str] = field(default_factory=Counter)  # these levels, those of most rows

    def __add__(self, other: "Count") -> "Count":
        return Count(
            self.rows + other.rows,
            self.missing + other.missing,
            self.below + other.below,
            self.above + other.above,
            self.unknown + other.unknown,
            _most(self.names + other.names),
        )

    @property
    def outside(self) -> int:
        """Rows outside the range."""
        return self.below + self.above


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """The training rows of a model: how many, in the bins of every given column."""

    n_rows: int
    columns: tuple[Bins, ...]

    @classmethod
    def of(cls, frame: "Frame") -> "Sketch":
        """Sketch rows."""
        given = range(len(frame.schema.given))
        return cls(frame.n_rows, tuple(Bins.of(frame.table.column(j)) for j in given))

    def counted(self, frame: "Frame") -> dict[int, "Count"]:
        """Count the rows of a table in the same bins, by column; of those columns that it has."""
        place = {name: at for at, name in enumerate(frame.given.names)}
        named = frame.given.named and frame.schema.named
        found = {}
        for j, column in enumerate(frame.schema.given):
            at = place.get(column.name) if named else j
            if at is not None:
                found[j] = self.columns[j].counted(frame.table.column(j), frame.given.column(at))
        return found

    def to_plain(self) -> dict[str, Any]:
        """Give plain values that a model's provenance can hold."""
        return {
            "rows": self.n_rows,
            "columns": [bins.to_plain() for bins in self.columns],
        }

    @classmethod
    def read(cls, said: Any, schema: "Schema") -> "Sketch":
        """Read what `to_plain` gave, trusting nothing in it."""
        _require(isinstance(said, Mapping), "it is not a mapping")
        columns, n_rows = said.get("columns"), said.get("rows")
        _require(_is_count(n_rows) and n_rows > 0, "'rows' is not a number of rows")
        levels = [None if c.levels is None else len(c.levels) for c in schema.given]
        fits = isinstance(columns, list) and len(columns) == len(levels)
        _require(fits, "'columns' are not those of the model")
        return cls(n_rows, tuple(Bins.read(one, n) for one, n in zip(columns, levels, strict=True)))


def _part(cells: Cells, begin: int) -> Cells:
    """Some rows of a column, which may lie in a file."""
    if isinstance(cells, Coded):
        return replace(cells, codes=cells.codes[begin : begin + _BLOCK])
    return replace(cells, values=cells.values[begin : begin + _BLOCK])


def _most(names: Counter[str]) -> Counter[str]:
    """The levels of most rows, of equals the first by name."""
    order = sorted(names.items(), key=lambda one: (-one[1], one[0]))
    return Counter(dict(order[:_NAMED]))


def _ranges(values: NDArray[Any]) -> tuple[NDArray[np.float64], float, float]:
    """The edges of bins, and a range that holds all values, rounded; of many rows, by some."""
    some = np.asarray(values[:: 1 + len(values) // _BLOCK], np.float64)
    known = np.sort(some[np.isfinite(some)])
    if not len(known):
        return np.zeros(0), -math.inf, math.inf
    low, high = math.inf, -math.inf
    for begin in range(0, len(values), _BLOCK):
        x = np.asarray(values[begin : begin + _BLOCK], np.float64)
        x = x[np.isfinite(x)]
        low, high = min(low, float(x.min(initial=low))), max(high, float(x.max(initial=high)))
    n_bins = min(MOST, max(1, len(known) // FEW))
    places = (np.arange(1, n_bins) * len(known)) // n_bins - 1
    spread = float(known[(len(known) * 19) // 20] - known[len(known) // 20])
    spread = spread or float(known[-1] - known[0])
    digits = _digits(spread) + 2
    cuts = np.unique([round(float(q), digits) + 0.0 for q in known[places]])
    # A bin that rounding left empty, or nearly so, is none.
    kept: list[float] = []
    before = 0
    for cut in cuts.tolist():
        upto = int(np.searchsorted(known, cut, side="right"))
        if min(upto - before, len(known) - upto) >= FEW // 2:
            kept.append(cut)
            before = upto
    return np.array(kept), _outwards(low, digits, math.floor), _outwards(high, digits, math.ceil)


def _digits(size: float) -> int:
    """Decimals at which a number of some size has one digit: 0 for 5, 2 for 0.05, -2 for 500."""
    return -math.floor(math.log10(size)) if 0 < size < math.inf else 0


def _outwards(end: float, digits: int, way: Any) -> float:
    """The end of a range, rounded so that nothing falls out, to two digits of its own at most."""
    digits = max(-300, min(300, digits, _digits(abs(end)) + 1 if end else digits))
    unit = 10.0 ** abs(digits)
    scaled = end * unit if digits >= 0 else end / unit
    if not math.isfinite(scaled):
        return end
    moved = way(round(scaled, 6))
    found = moved / unit if digits >= 0 else moved * unit
    # What was rounded away may not fall out.
    return found if (found >= end) == (way is math.ceil) or found == end else end


def _whole(said: Any) -> NDArray[np.int64]:
    _require(isinstance(said, list) and all(map(_is_count, said)), "there are no whole numbers")
    return np.array(said, np.int64)


def _is_count(x: Any) -> bool:
    return type(x) is int and 0 <= x < 2**53


def _is_number(x: Any) -> bool:
    return type(x) in (int, float) and math.isfinite(x)


def _require(truth: bool, what: str) -> None:
    if not truth:
        raise ModelError(f"This is not a sound model: provenance.sketch: {what}.")
