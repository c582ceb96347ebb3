"""Marked bins that hold very many rows: cut again, and counted, before their values are asked for.

A bin that may hold a better cut is cut into 253 once more, by the bits of its ends. The cuts
between these pieces raise the floor that a better cut must reach; only those pieces are looked into
(or cut again) that may hold one still. Of the others their least and their largest value stand for
all: no cut between those can win. So what parts answer is bounded, however many rows there are.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.scale.narrow import in_four, narrow

__all__ = ["ALL", "Bin", "Floor", "Mark", "Pieces", "Span", "cut", "in_order", "joined", "pieces"]

_PIECES = 253  # with what is less and what is more, a table of 255 codes
ALL = (None, None)  # values

_STEP = 256  # between the places of two spans

Floats = NDArray[np.float64]
Entries = tuple[Floats, NDArray[np.uint32], NDArray[np.int64]]  # of a fine table


@dataclass(slots=True)
class Floor:
    """The best decrease known of a node, or of one of its columns: what a cut must reach.

    Or, where it is enough, what is near the best.
    """

    decrease: float
    enough: Callable[[float], float] = float

    def reach(self, decrease: float) -> None:
        """Somebody has found a cut."""
        self.decrease = max(self.decrease, self.enough(decrease))


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Of spans: which pieces hold rows, their ends, the tallies of the least value and of all."""

    place: NDArray[Any]  # ascending: 256 times the number of the span, and that of the piece
    low: NDArray[Any]
    high: NDArray[Any]
    at_low: NDArray[Any]
    cells: NDArray[Any]

    def sent(self) -> "Pieces":
        """The same in as few bytes as it needs."""
        ends = in_four(np.concatenate([self.low, self.high]))
        low, high = ends[: len(self.low)], ends[len(self.low) :]
        return Pieces(narrow(self.place), low, high, narrow(self.at_low), narrow(self.cells))

    def wide(self) -> "Pieces":
        """The same as the core takes it."""
        return Pieces(
            self.place.astype(np.int64),
            self.low.astype(np.float64),
            self.high.astype(np.float64),
            self.at_low.astype(np.int64),
            self.cells.astype(np.int64),
        )

    def within(self, here: Any) -> "Pieces":
        """Some of them."""
        return Pieces(
            self.place[here], self.low[here], self.high[here], self.at_low[here], self.cells[here]
        )

    def ends(self, code: int) -> Entries:
        """Pieces in which no cut wins, as a fine table: the least value of each, and the largest.

        The largest holds all that is more than the least. What lies left of a cut between the two
        is what lies left of a true one, which does not win either.
        """
        two = self.low != self.high
        last = np.cumsum(1 + two) - 1
        values = np.empty(len(self.low) + int(two.sum()))
        cells = np.empty((len(values), self.cells.shape[1]), np.int64)
        values[last], cells[last] = self.high, self.cells
        first = last[two] - 1
        values[first], cells[first] = self.low[two], self.at_low[two]
        cells[last[two]] -= self.at_low[two]
        return values, np.full(len(values), code, np.uint32), cells


@dataclass(slots=True, eq=False)
class Bin:
    """A crowded bin of a node's column: what is known of it, and what is still to be asked."""

    code: int
    known: list[Entries] = field(default_factory=list)
    low: list[Floats] = field(default_factory=list)  # ends of what is to be looked into
    high: list[Floats] = field(default_factory=list)

    def asked(self) -> tuple[Floats, Floats]:
        """The ranges of values to look into, ascending."""
        low, high = np.concatenate(self.low), np.concatenate(self.high)
        order = np.argsort(low)
        return low[order], high[order]


@dataclass(slots=True, eq=False)
class Span:
    """Values [low, high] of a crowded bin that may hold a better cut than the floor."""

    node: Any  # native
    number: int
    table: Any  # of the column, and the squares of its bins
    column: int
    bin: Bin
    low: float
    high: float
    left: NDArray[np.int64]  # the tally of all that is less
    floor: Floor

    @property
    def asked(self) -> tuple[int, int, int, float, float]:
        """What parts are asked."""
        return self.number, self.column, self.bin.code, self.low, self.high

    def look(self, cells: NDArray[np.int64]) -> Any:
        """A native look at a table of the pieces, between what is less and what is more."""
        (codes, bins, missing, _, _), squares = self.table
        right = bins.sum(axis=0) - self.left - cells.sum(axis=0)
        outer = [tally[np.newaxis] for tally in (self.left, right) if tally.any()]
        first = int(self.left.any())
        entries = np.concatenate([*outer[:first], cells, *outer[first:]])
        n = len(entries)
        own = float(squares[np.searchsorted(codes, self.bin.code)]) if len(squares) else 0.0
        bounds = np.full(n, own) if len(squares) else squares
        made = (np.arange(1, n + 1, dtype=np.uint32), entries, missing, None, n)
        return self.node.look(self.column, made, bounds)

    def open(self, made: Pieces, look: Any, crowd: int, rows: Callable[..., Any]) -> list["Span"]:
        """Take what the pieces hold; returns the spans that are to be cut again."""
        marked = np.zeros(_STEP, bool)
        marked[look.mark(self.floor.decrease, True)] = True
        first = 1 + int(self.left.any())
        wanted = marked[first : first + len(made.low)] & (made.low != made.high)
        again = wanted & (rows(made.cells) > crowd)
        self.bin.known.append(made.within(~wanted).ends(self.bin.code))
        self.bin.low.append(made.low[wanted & ~again])
        self.bin.high.append(made.high[wanted & ~again])
        if not again.any():
            return []
        before = self.left + np.cumsum(made.cells, axis=0) - made.cells
        return [
            Span(
                self.node,
                self.number,
                self.table,
                self.column,
                self.bin,
                float(made.low[k]),
                float(made.high[k]),
                before[k],
                self.floor,
            )
            for k in np.flatnonzero(again)
        ]


def cut(
    source: Any, spans: Sequence[Span], crowd: int, rows: Callable[..., Any]
) -> Generator[tuple[str, tuple[Any, ...]], Any, None]:
    """Cut spans until what is left of them holds few rows."""
    todo = list(spans)
    while todo:
        found = (yield from source.zoom([span.asked for span in todo])).wide()
        begin = np.searchsorted(found.place, _STEP * np.arange(len(todo) + 1)).tolist()
        made = [found.within(slice(a, b)) for a, b in pairwise(begin)]
        looks = [span.look(own.cells) for span, own in zip(todo, made, strict=True)]
        for span, look in zip(todo, looks, strict=True):
            span.floor.reach(look.decrease)
        todo = [
            inner
            for span, own, look in zip(todo, made, looks, strict=True)
            for inner in span.open(own, look, crowd, rows)
        ]


def in_order(tables: Sequence[Entries]) -> Entries:
    """Fine tables of one column as one; those that have a value in common keep their order."""
    if len(tables) == 1:
        return tables[0]
    values, bins, cells = (np.concatenate(some) for some in zip(*tables, strict=True))
    order = np.argsort(values, kind="stable")
    return values[order], bins[order], cells[order]


@dataclass(slots=True)
class Mark:
    """A column of a node some bins of which may hold a better cut than is known."""

    one: Any  # the node, with its looks
    column: int
    floor: Floor
    spans: list[Span]  # the bins of many rows
    bins: list[Bin] = field(default_factory=list)

    def asked(self) -> list[Any]:
        """What parts are asked for, when bins of many rows have been cut: few of them may stay."""
        number, j = self.one.number, self.column
        codes = self.one.looks[j].mark(self.floor.decrease, True)  # the floor may have risen
        crowded = {span.bin.code for span in self.spans}
        self.bins = [span.bin for span in self.spans if span.bin.code in codes]
        few = [code for code in codes if code not in crowded]
        asked: list[Any] = [(number, j, few, *ALL)] if few else []
        if self.bins:
            low, high = (
                np.concatenate(some) for some in zip(*map(Bin.asked, self.bins), strict=True)
            )
            if len(low):
                asked.append((number, j, [one.code for one in self.bins], low, high))
        return asked

    def take(self, tables: list[Any]) -> None:
        """Look into the bins, given what was asked for."""
        known = [table for one in self.bins for table in one.known]
        if tables or known:
            self.one.looks[self.column].into(*in_order([*tables, *known]))


# What parts say -----------------------------------------------------------------------------------


def pieces(spans: Sequence[tuple[Floats, NDArray[Any], float, float]]) -> Pieces:
    """Cut spans of fine tables: (values, which ascend, their cells, least and largest value)."""
    place, values, cells = [], [], []
    for k, (all_, tallies, low, high) in enumerate(spans):
        here = slice(np.searchsorted(all_, low), np.searchsorted(all_, high, "right"))
        place.append(np.searchsorted(_between(low, high), all_[here]) + _STEP * k)
        values.append(all_[here])
        cells.append(tallies[here])
    at, value, cell = np.concatenate(place), np.concatenate(values), np.concatenate(cells)
    if not len(at):
        return Pieces(at, value, value, cell, cell)
    first = np.flatnonzero(np.diff(at, prepend=-1))
    last = np.append(first[1:], len(at)) - 1
    total = np.add.reduceat(cell, first, axis=0)
    return Pieces(at[first], value[first], value[last], cell[first], total).sent()


def joined(parts: Sequence[Pieces]) -> Pieces:
    """The pieces of all parts."""
    parts = [part.wide() for part in parts]
    n = 1 + max((int(part.place[-1]) for part in parts if len(part.place)), default=-1)
    slots = parts[0].cells.shape[1]
    met = np.zeros(n, bool)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    at_low, cells = np.zeros((n, slots), np.int64), np.zeros((n, slots), np.int64)
    for part in parts:
        at = part.place  # each once
        less, same = part.low < low[at], part.low == low[at]
        at_low[at] = at_low[at] * ~less[:, None] + part.at_low * (less | same)[:, None]
        low[at] = np.minimum(low[at], part.low)
        high[at] = np.maximum(high[at], part.high)
        cells[at] += part.cells
        met[at] = True
    return Pieces(np.arange(n), low, high, at_low, cells).within(met).sent()


def _between(low: float, high: float) -> Floats:
    """Values that cut [low, high] into pieces, evenly by their bits."""
    first, last = _key(low), _key(high)
    step, rest = divmod(last - first, _PIECES)
    k = np.arange(1, _PIECES, dtype=np.uint64)
    with np.errstate(over="ignore"):  # whole numbers of 64 bits, around
        keys = np.uint64(first % 2**64) + k * np.uint64(step) + k * np.uint64(rest) // _PIECES
    keys = np.unique(keys.view(np.int64))
    keys = keys[keys < last]
    bits = np.where(keys >= 0, keys, np.int64(-(2**63)) - keys)
    return bits.view(np.float64)


def _key(value: float) -> int:
    """A whole number that grows with the value."""
    bits = int(np.float64(value).view(np.int64))
    return bits if bits >= 0 else -(bits + 2**63)
