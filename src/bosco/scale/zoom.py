"""Marked bins that hold very many rows: cut again, and counted, before their values are asked for.

A bin that may hold a better cut is cut into 253 once more, by the bits of its ends, and only those
pieces of it are looked into (or cut again) that may hold one still. Of the others their least and
their largest value stand for all: no cut between those can win. So what parts answer is bounded,
however many rows there are.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pieces", "Span", "cut", "in_order", "joined", "pieces"]

_PIECES = 253  # with what is less and what is more, a table of 255 codes


@dataclass(slots=True)
class Span:
    """Values [low, high] of one bin of a node's column that may hold a better cut than `floor`."""

    node: Any  # native
    number: int
    table: Any  # of the column, and the squares of its bins
    column: int
    code: int
    low: float
    high: float
    left: NDArray[np.int64]  # the tally of all that is less
    floor: float
    inside: list[Any] = field(default_factory=list)  # in order: spans, and entries of a table

    @property
    def asked(self) -> tuple[int, int, int, float, float]:
        """What parts are asked."""
        return self.number, self.column, self.code, self.low, self.high

    def open(self, pieces: "Pieces", crowd: int, rows: Any) -> list["Span"]:
        """Take what the pieces hold; returns the spans that are to be cut again."""
        todo = []
        before = self.left + np.cumsum(pieces.cells, axis=0) - pieces.cells
        marked = self._marked(pieces.cells)
        for k, (low, high) in enumerate(zip(pieces.low, pieces.high, strict=True)):
            cell = pieces.cells[k]
            if low == high or not marked[k]:
                self.inside.append(_ends(pieces, k, self.code))
                continue
            span = Span(
                self.node,
                self.number,
                self.table,
                self.column,
                self.code,
                float(low),
                float(high),
                before[k],
                self.floor,
            )
            self.inside.append(span)
            if rows(cell) > crowd:
                todo.append(span)
        return todo

    def _marked(self, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pieces may hold a cut that reaches the floor: bounds of a table of them."""
        (codes, bins, missing, _, _), squares = self.table
        right = bins.sum(axis=0) - self.left - cells.sum(axis=0)
        outer = [tally[np.newaxis] for tally in (self.left, right) if tally.any()]
        first = int(self.left.any())
        entries = np.concatenate([*outer[:first], cells, *outer[first:]])
        if len(entries) < 2:
            return np.zeros(len(cells), bool)
        own = float(squares[np.searchsorted(codes, self.code)]) if len(squares) else 0.0
        made = (np.arange(1, len(entries) + 1, dtype=np.uint32), entries, missing, None)
        bounds = np.full(len(entries), own) if len(squares) else squares
        look = self.node.look(self.column, (*made, len(entries)), bounds)
        found = np.zeros(len(entries) + 1, bool)
        found[look.mark(self.floor, True)] = True
        return found[1 + first : 1 + first + len(cells)]

    def flat(self) -> Iterator[Any]:
        """What is inside, in order: entries of a table, and spans whose values are asked for."""
        for one in self.inside or [self]:
            if isinstance(one, Span) and one is not self:
                yield from one.flat()
            else:
                yield one


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Of a span: which pieces hold rows, their ends, the tallies of those and of all."""

    place: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    at_low: NDArray[Any]
    at_high: NDArray[Any]
    cells: NDArray[Any]


def pieces(values: NDArray[np.float64], cells: NDArray[Any], low: float, high: float) -> Pieces:
    """Cut a fine table (values ascend) of all that lies in [low, high]."""
    place = np.searchsorted(_between(low, high), values).astype(np.int64)
    first = np.flatnonzero(np.diff(place, prepend=-1)) if len(place) else np.zeros(0, np.int64)
    last = np.append(first[1:], len(place)) - 1 if len(first) else first
    total = np.add.reduceat(cells, first, axis=0) if len(first) else cells[:0]
    return Pieces(place[first], values[first], values[last], cells[first], cells[last], total)


def joined(parts: Sequence[Pieces]) -> Pieces:
    """The pieces of all parts."""
    place, at = np.unique(np.concatenate([p.place for p in parts]), return_inverse=True)
    low, high = np.full(len(place), np.inf), np.full(len(place), -np.inf)
    np.minimum.at(low, at, np.concatenate([p.low for p in parts]))
    np.maximum.at(high, at, np.concatenate([p.high for p in parts]))
    tallies = []
    for name, end in (("at_low", low), ("at_high", high), ("cells", None)):
        own = np.concatenate([getattr(p, name) for p in parts]).astype(np.int64)
        if end is not None:
            own *= (np.concatenate([getattr(p, name[3:]) for p in parts]) == end[at])[:, np.newaxis]
        added = np.zeros((len(place), own.shape[1]), np.int64)
        np.add.at(added, at, own)
        tallies.append(added)
    return Pieces(place, low, high, *tallies)


def cut(
    source: Any, spans: Sequence[Span], crowd: int, rows: Any
) -> Generator[tuple[str, tuple[Any, ...]], Any, None]:
    """Cut spans until what is left of them holds few rows."""
    todo = list(spans)
    while todo:
        made = yield from source.zoom([span.asked for span in todo])
        todo = [
            inner
            for span, found in zip(todo, made, strict=True)
            for inner in span.open(found, crowd, rows)
        ]


def in_order(tables: Sequence[Any]) -> Any:
    """Fine tables, of which no two have bins in common unless they follow each other, as one."""
    if len(tables) == 1:
        return tables[0]
    values, bins, cells = (np.concatenate(some) for some in zip(*tables, strict=True))
    order = np.argsort(bins, kind="stable")
    return values[order], bins[order], cells[order]


def _ends(pieces: Pieces, k: int, code: int) -> Any:
    """A piece in which no cut wins as a fine table: its ends, and what lies between them."""
    low, high, cell = pieces.low[k], pieces.high[k], pieces.cells[k]
    values, cells = [low], [cell]
    if low != high:
        between = cell - pieces.at_low[k] - pieces.at_high[k]
        some = [between] if between.any() else []
        values, cells = (
            [low, *[low] * len(some), high],
            [pieces.at_low[k], *some, pieces.at_high[k]],
        )
    return np.array(values), np.full(len(values), code, np.uint32), np.stack(cells)


def _between(low: float, high: float) -> NDArray[np.float64]:
    """Values that cut [low, high] into pieces, evenly by their bits."""
    ends = np.array([low, high]).view(np.int64).tolist()
    first, last = (bits if bits >= 0 else -(bits + 2**63) for bits in ends)
    keys = sorted({first + (last - first) * k // _PIECES for k in range(1, _PIECES)} - {last})
    bits = [key if key >= 0 else 2**63 - key for key in keys]
    return np.array(bits, np.uint64).view(np.float64)
