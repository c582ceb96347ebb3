"""A tree that grows, as one part of the rows sees it: its own rows, kept together node by node."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.columns import Coded
from bosco.scale.finish import Bundle
from bosco.scale.narrow import in_four, narrow
from bosco.scale.zoom import Pieces, pieces

__all__ = ["Draw", "Growing"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draw:
    """The sample of one tree: a rule by which whoever has some rows draws for those alone."""

    seed: int
    tree: int
    n_rows: int  # of all parts
    size: int
    replace: bool

    def times(self, begin: int, end: int) -> NDArray[np.uint32]:
        """How often it has each of the rows [begin, end)."""
        return _core.sample_times(
            self.seed, self.tree, self.n_rows, self.size, self.replace, begin, end
        )


class Growing:
    """The rows of a part in one tree, and what has been told of the tree so far."""

    def __init__(self, part: Any):
        self.part = part
        self.told = 0  # steps
        self.times: NDArray[np.uint32] | None = None  # how often each row is drawn; None: once
        self.factors: NDArray[np.int64] | None = None  # what weights of classes are multiplied with
        self.native: Any = None
        self._kept: dict[tuple[int, int], tuple[set[int], Any]] = {}  # bins that were cut last

    def follow(self, steps: Sequence[tuple[Any, ...]]) -> Self:
        """Follow the steps that are new; somebody who is behind begins anew."""
        if self.told > len(steps):
            return type(self)(self.part).follow(steps)
        for name, *words in steps[self.told :]:
            getattr(self, f"_{name}")(*words)
            self.told += 1
        return self

    # Steps -------------------------------------------------------------------------------------

    def _begin(
        self, unit: int, draw: Draw | None = None, factors: NDArray[np.int64] | None = None
    ) -> None:
        """A tree begins: its root has all rows or those drawn; classes count so much."""
        self.times = None if draw is None else self.part.times(draw)
        self.factors = factors
        self.native = self.part.rows(unit, self.times, factors)

    def _split(self, splits: list[tuple[int, Any, list[Any], int, list[int]]]) -> None:
        """Nodes got tests: (node, test, surrogates, first branch, known weights of branches)."""
        self._kept = {}
        for split in splits:
            self.native.split(*split)

    # Requests ----------------------------------------------------------------------------------

    def count(
        self, nodes: list[int], held: list[int]
    ) -> tuple[NDArray[Any], Floats, list[tuple[NDArray[np.int64], int]]]:
        """The histograms of some nodes, and what others hold."""
        cells, squares = self.native.tabulate(nodes)
        return narrow(cells), squares, [self.native.hold(node) for node in held]

    def look(
        self, fine: list[Any], near: list[tuple[int, int, int, int]]
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The values of marked bins, or what of them lies in ranges, and the values at edges.

        `fine` has (node, column, codes, least values of ranges, largest), None: all values.
        """
        found = []
        for (*_, low, high), (values, bins, cells) in zip(fine, self._fine(fine), strict=True):
            if low is not None:
                here = _inside(values, low, high)
                values, bins, cells = values[here], bins[here], cells[here]
            found.append((in_four(values), bins.astype(np.uint8), narrow(cells)))
        return found, [self.native.near(*asked) for asked in near]

    def zoom(self, asked: list[tuple[int, int, int, float, float]]) -> Pieces:
        """What the pieces hold into which spans of bins are cut: (node, column, code, ends)."""
        bins: dict[tuple[int, int], set[int]] = {}
        for node, j, code, _, _ in asked:
            bins.setdefault((node, j), set()).add(code)
        made = self._fine([(*place, sorted(codes), "ranges") for place, codes in bins.items()])
        tables = dict(zip(bins, made, strict=True))
        for place, table in tables.items():
            if self._kept.get(place, (None, None))[1] is not table:
                self._kept[place] = bins[place], table
        spans = [(tables[node, j], low, high) for node, j, _, low, high in asked]
        return pieces([(values, cells, low, high) for (values, _, cells), low, high in spans])

    def _fine(self, asked: list[Any]) -> list[Any]:
        """The fine tables of bins: (node, column, codes, ranges ...); one pass for each node.

        Where ranges are asked for (not None), the table may have more than those: bins that were
        cut last are kept.
        """
        found: list[Any] = [None] * len(asked)
        places: dict[int, list[int]] = {}
        for k, (node, j, codes, ranges, *_) in enumerate(asked):
            kept, table = self._kept.get((node, j), (set(), None))
            if ranges is not None and kept.issuperset(codes):
                found[k] = table
            else:
                places.setdefault(node, []).append(k)
        for node, at in places.items():
            made = self.native.refine(node, [asked[k][1] for k in at], [asked[k][2] for k in at])
            for k, table in zip(at, made, strict=True):
                found[k] = table
        return found

    def extremes(self, asked: list[tuple[int, list[tuple[int, int, int]]]]) -> list[Floats]:
        """For columns of nodes the least value with one code, and the largest with another."""
        return [self.native.ends(node, columns) for node, columns in asked]

    def up_to(
        self, asked: list[tuple[int, list[tuple[int, int, float]]]]
    ) -> list[NDArray[np.int64]]:
        """For columns of nodes what has a code and lies not above a threshold."""
        return [self.native.up_to(node, cuts) for node, cuts in asked]

    def known(self, asked: list[tuple[int, Any]]) -> NDArray[np.int64]:
        """The weights that tests send to their branches by a value of their own, end to end."""
        return np.array(
            [w for node, test in asked for w in self.native.known(node, test)], np.int64
        )

    def branches_by(self, asked: list[tuple[int, Any]]) -> list[list[Any]]:
        """For tests of nodes, the tables of all other columns against their branches."""
        return [
            [
                None if j == test.column else self.native.branches_by(node, test, j)
                for j in range(self.part.n_columns)
            ]
            for node, test in asked
        ]

    def bundles(self, nodes: list[int]) -> list[Bundle]:
        """All rows of some nodes."""
        return [self._bundle(*self.native.numbers(node)) for node in nodes]

    def _bundle(self, rows: NDArray[np.uint32], share: NDArray[np.uint32]) -> Bundle:
        frame, target = self.part.frame, self.part.target
        cells = [frame.table.column(j) for j in range(self.part.n_columns)]
        columns = [(c.codes if isinstance(c, Coded) else c.values)[rows] for c in cells]
        weight, count = self.part.weights(self.factors)
        if self.times is not None:  # a row that is drawn twice weighs twice as much
            weight = self.times if weight is None else weight * self.times
            count = None if count is None else count * self.times
        return Bundle(
            columns,
            (target.codes if target.n_classes else target.numbers)[rows],
            None if weight is None else weight[rows].astype(np.int64),
            None if count is None else count[rows].astype(np.int64),
            share if self.native.shares else None,
        )


def _inside(values: Floats, low: Floats, high: Floats) -> NDArray[np.int64]:
    """The places of values (ascending) that lie in one of some ranges, which ascend."""
    begin, end = np.searchsorted(values, low), np.searchsorted(values, high, "right")
    n = end - begin
    return np.repeat(begin - np.cumsum(n) + n, n) + np.arange(int(n.sum()))
