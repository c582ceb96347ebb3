"""Training rows kept together node by node, so that the tables of any node can be asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.errors import ParameterError
from bosco.tree.conditions import Condition, Members, Test, parts_of
from bosco.tree.tree import Tree

if TYPE_CHECKING:
    from bosco.growth import Growth

Table = tuple[Any, ...]
"""A column at a node: codes, tallies, missing tally, values (or None), number of codes."""


class Held:
    """The rows of a growth. Node 0 has all of them; splitting a node gives them to its branches.

    Parameters
    ----------
    frame : Frame
        The rows.
    target : Labels or Values
        What is to be learned of them.
    growth : Growth
        The settings.
    times : ndarray of int64 or None
        How often each row was drawn; None: nothing was drawn, each row is there.
    rows : ndarray of uint32 or None
        Which of the rows of the frame, ascending; None: all.
    weight : int or None
        Of all rows of the tree, in fixed point, where these are some; None: theirs.
    """

    def __init__(
        self,
        frame: Frame,
        target: Any,
        growth: "Growth",
        times: NDArray[np.int64] | None = None,
        rows: NDArray[np.uint32] | None = None,
        weight: int | None = None,
    ):
        if growth.medians:
            raise ParameterError(
                f"Nodes of criterion={growth.criterion!r} are not made again from rows: what a "
                "branch costs is no sum that a table has. Hint: model.why(node) has the candidates "
                "that were recorded; criterion='squared_error' is traced and drafted."
            )
        self.frame, self.target, self.on_missing = frame, target, growth.on_missing
        native = frame.native
        native.encode(1)
        n = native.n_columns
        shared = growth.on_missing.shared and any(native.has_missing(j) for j in range(n))
        unit = 2**_core.share_bits if shared else 1
        self.scale = target.weights.scale * unit  # of weights in tallies
        self.times = times
        drawn: tuple[Any, ...] = (rows,)
        if times is not None:
            places = np.flatnonzero(times).astype(np.uint32)
            drawn = (places, times[places].astype(np.uint32))
        self.rows = _core.Rows(native, target.native, unit, *drawn)
        self.n_weights = max(1, target.n_classes)
        whole = self.weight(0) if weight is None else weight
        self.task = _core.Task(growth.for_core(), target.native, unit, whole)
        self.begin = np.cumsum([0, *(native.n_codes(j) + 1 for j in range(n))])

    def node(
        self,
        number: int,
        path: Sequence[int],
        bounds: tuple[float, float],
        asked: Sequence[tuple[int, int]] = (),
    ) -> Any:
        """All that choosing the test of a node must know."""
        return _core.Node(self.task, *self.rows.hold(number), list(path), bounds, list(asked))

    def tables(
        self,
        number: int,
        columns: Sequence[int] | None = None,
        cuts: Sequence[float] | None = None,
    ) -> list[Table]:
        """The tables of a node's columns, every value by itself.

        If only `cuts` are to be weighed, values between them that share a bin stay together.
        """
        native = self.frame.native
        cells, _ = self.rows.tabulate([number])
        found = []
        for j in range(native.n_columns) if columns is None else columns:
            here = cells[self.begin[j] : self.begin[j + 1]]
            codes = np.flatnonzero(here[1:, : self.n_weights].any(axis=1)).astype(np.uint32) + 1
            table: Table = (codes, here[codes], here[0].copy())
            values = native.values(j)
            if native.is_coarse(j):
                wanted = codes if cuts is None else np.intersect1d(codes, _bins(values, cuts))
                ((exact, _, counts),) = self.rows.refine(number, [j], [wanted.tolist()])
                if len(wanted) < len(codes):
                    exact, counts = _with_bins(exact, counts, codes, wanted, here, values)
                n = len(exact)
                table = (np.arange(1, n + 1, dtype=np.uint32), counts, table[2], exact, n)
            else:
                table += (values[codes - 1] if len(values) else None, native.n_codes(j))
            found.append(table)
        return found

    def weight(self, number: int) -> int:
        """The weight of the rows of a node, in fixed point."""
        tally, _ = self.rows.hold(number)
        return int(tally[: self.n_weights].sum())

    def impurities(self, number: int, test: Test, branches: NDArray[np.int64]) -> list[float]:
        """The impurity of the rows of some branches together, and of each, given their tallies."""
        if self.target.n_classes:
            whole = branches.sum(axis=0)
            return [_core.Node(self.task, t, 0, []).impurity for t in (whole, *branches)]
        rows, numbers, weight = self._numbers(number)
        cells = self.frame.table.column(test.column)
        given = cells.codes if isinstance(cells, Coded) else cells.values
        values, place = np.unique(given[rows], return_inverse=True)
        missing = values == 0 if isinstance(cells, Coded) else np.isnan(values)
        counted = not (self.on_missing.shared or self.on_missing.stand_ins)  # are missing ones?
        ways = []
        for branch in test.branches:
            known = np.array([_takes(branch, v) for v in values.tolist()], bool) & ~missing
            ways.append((known | (missing & branch.missing & counted))[place])
        return [self._off(numbers[way], weight[way]) for way in (np.any(ways, axis=0), *ways)]

    def impurity(self, number: int) -> float:
        """The impurity of the rows of a node, which are numbers to learn."""
        _, numbers, weight = self._numbers(number)
        return self._off(numbers, weight)

    def _off(self, numbers: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
        """How far numbers are from their mean: the mean of squares, or of half the deviance."""
        counted = numbers[weight > 0]
        if not counted.size or (counted == counted[0]).all():
            return 0.0
        mean = np.average(numbers, weights=weight)
        if self.target.loss == "poisson":
            off = _core.half_deviance(numbers, np.full(len(numbers), mean))
        else:
            off = (numbers - mean) ** 2
        return float(np.average(off, weights=weight))

    def _numbers(self, number: int) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
        """The rows of a node, their numbers to learn, and their weights."""
        rows, shares = self.rows.numbers(number)
        weights = self.target.weights.weight
        weight = np.ones(len(rows)) if weights is None else weights[rows].astype(float)
        weight = weight * shares if len(shares) else weight
        weight = weight if self.times is None else weight * self.times[rows]
        return rows, self.target.numbers[rows], weight

    def split(self, tree: Tree, node: int) -> None:
        """Send the rows of a node of a tree to its branches, as the tree has it."""
        native = tree.native
        begin, end = native.surrogate_begin[node : node + 2].tolist()
        others = [test_of(native.surrogates, i) for i in range(begin, end)]
        test = test_of(native.tests, int(native.test[node]))
        self.rows.split(node, test, others, int(native.first_child[node]), [])


def _bins(edges: NDArray[np.float64], cuts: Sequence[float]) -> NDArray[np.int64]:
    """The codes of the coarse bins in which cuts lie; the edges are the upper ends of bins."""
    return np.searchsorted(edges, np.asarray(cuts, np.float64)).astype(np.int64) + 1


def _with_bins(
    exact: NDArray[np.float64],
    counts: NDArray[np.int64],
    codes: NDArray[np.uint32],
    wanted: NDArray[Any],
    cells: NDArray[np.int64],
    edges: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Values of some bins, and the other bins whole, each at its upper end."""
    whole = codes[~np.isin(codes, wanted)]
    ends = np.append(edges, np.inf)[whole - 1]
    values, tallies = np.concatenate((exact, ends)), np.concatenate((counts, cells[whole]))
    order = np.argsort(values, kind="stable")
    return values[order], np.ascontiguousarray(tallies[order])


def _takes(branch: Condition, value: Any) -> bool:
    """Whether a known value takes a branch, which may be of missing ones alone."""
    return branch != Members(branch.column, (), True) and bool(branch.holds(value))


def test_of(pool: Any, index: int) -> Any:
    """A test of a pool, as the verbs take it."""
    *parts, jumps = parts_of(pool, index)
    made = _core.Test.__new__(_core.Test)
    made.__setstate__((*parts, jumps.tolist()))
    return made


def same(a: Any, b: Any) -> bool:
    """Whether two tests send every value the same way."""
    return bool(a.__getstate__() == b.__getstate__())
