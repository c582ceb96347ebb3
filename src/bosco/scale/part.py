"""One part of the rows, as a worker holds it: what it says is a pure function of what it was told.

A part is told *steps* (what the columns and the target are, by which edges values are coded, which
tests the tree has so far) and asked *requests*. What it keeps between requests is a cache: another
worker that is told the same steps of the same part answers the same, to the bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.columns import Coded
from bosco.data.fingerprint import Fingerprint
from bosco.data.fixedpoint import Spread
from bosco.data.frame import Frame
from bosco.data.readers import Table
from bosco.data.recipe import Outcome, Recipe, Scaling
from bosco.data.schema import Schema
from bosco.data.target import class_codes, encoded, real_numbers
from bosco.data.weights import read_weights
from bosco.scale.border import Glance, glance
from bosco.tree.census import Counted, count_rows
from bosco.tree.tree import Tree

Edges = list[tuple[NDArray[np.float64], bool]]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows as they are given: columns (None: there is no row), the target, and weights or None."""

    table: Table | None
    y: Any
    weight: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Whole rows on their way to where a subtree is grown: columns, and the target in integers."""

    columns: list[NDArray[Any]]
    target: NDArray[Any]
    weight: NDArray[np.int64] | None
    count: NDArray[np.int64] | None


class Follower:
    """Follows the steps that it is told, and answers requests by the methods of their names."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.told = 0  # steps

    def answer(self, steps: Sequence[tuple[Any, ...]], request: str, *args: Any) -> Any:
        """Follow the steps that are new, and answer."""
        if self.told > len(steps):  # asked by somebody who is behind: from the beginning
            self._forget()
        for name, *words in steps[self.told :]:
            getattr(self, f"_{name}")(*words)
            self.told += 1
        return getattr(self, request)(*args)


class Part(Follower):
    """A part of the rows, and what it has been told so far."""

    def __init__(self, read: Callable[[], Rows]):
        self.read = read
        super().__init__()

    def _forget(self) -> None:
        super()._forget()
        self._given: Rows | None = None
        self.frame: Any = None
        self.outcome: Any = None
        self.target: Any = None
        self.native: Any = None  # the rows, kept together node by node

    @property
    def given(self) -> Rows:
        """The rows as they are given, read when they are needed."""
        if self._given is None:
            self._given = self.read()
        return self._given

    # Steps -------------------------------------------------------------------------------------

    def _outcome(self, classes: NDArray[Any] | None, dropped: Sequence[int]) -> None:
        """What the classes are; rows without a weight are left out from here on."""
        given = self.given
        n_rows = given.table.n_rows  # type: ignore[union-attr]
        sample, keep = read_weights(given.weight, n_rows)
        if classes is None:
            numbers = real_numbers(given.y, keep)
            codes = np.zeros(len(numbers), np.uint32)
        else:
            own, codes = class_codes(given.y, keep)
            place = {label: code for code, label in enumerate(classes.tolist())}
            codes = np.array([place[label] for label in own.tolist()], np.uint32)[codes]
            numbers = np.zeros(0)
        rows = Outcome(n_rows, keep, sample, codes, numbers)
        self.outcome = rows.without(dropped)

    def _columns(self, schema: Schema, refuse_missing: bool, owner: str) -> None:
        """What the columns are."""
        table = self._kept_table()
        self.frame = Frame.read(table, schema, refuse_missing=refuse_missing, owner=owner)

    def _kept_table(self) -> Table:
        keep, table = self.outcome.keep, self.given.table
        return table if keep is None else table.take(keep)  # type: ignore[return-value, union-attr]

    def _target(self, recipe: Recipe) -> None:
        """How the target is encoded."""
        self.target = encoded(recipe, self.outcome)

    def _edges(self, edges: Edges) -> None:
        """The values between which codes change, the same for all parts."""
        self.frame.native.encode(1, 255, edges)

    def _tree(self, unit: int) -> None:
        """A tree begins: its root has all rows."""
        self.native = _core.Rows(self.frame.native, self.target.native, unit)

    def _split(self, splits: list[tuple[int, Any, list[Any], int, list[int]]]) -> None:
        """Nodes got tests: (node, test, surrogates, first branch, known weights of branches)."""
        for split in splits:
            self.native.split(*split)

    # Requests: before there is a tree -----------------------------------------------------------

    def weighty(self) -> int:
        """How many rows have a weight; a part without any is not asked again."""
        given = self.given
        if given.table is None or given.weight is None:
            return 0 if given.table is None else given.table.n_rows
        weight = np.asarray(given.weight, np.float64)
        return int(np.count_nonzero(weight)) if (weight >= 0).all() else given.table.n_rows

    def labels(self) -> NDArray[Any]:
        """The different labels of rows with a weight."""
        _, keep = read_weights(self.given.weight, self.given.table.n_rows)  # type: ignore[union-attr]
        return class_codes(self.given.y, keep)[0]

    def glance(self) -> Glance:
        """What the columns of rows with a weight are."""
        return glance(self._kept_table())

    def kept(self) -> tuple[int, bool]:
        """How many rows have a weight, and whether all of those weigh 1."""
        return len(self.outcome.codes), self.outcome.sample is None

    def spread(self, factor: Floats | None) -> Spread:
        """The spread of the weights, whose size is asked apart."""
        return self.outcome.spread(factor).sent()  # type: ignore[no-any-return]

    def size(self, factor: Floats | None, exponent: int) -> int:
        """The size of the weights."""
        return int(self.outcome.spread(factor).size(exponent))

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, in fixed point."""
        return self.outcome.totals(exponent, n_classes)  # type: ignore[no-any-return]

    def ends(self) -> tuple[float, float]:
        """The least and the largest number to learn."""
        return self.outcome.ends()  # type: ignore[no-any-return]

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """The spread of the numbers to learn."""
        return self.outcome.offsets(center, scaling).sent()  # type: ignore[no-any-return]

    def offsets_size(self, center: float, scaling: Scaling, exponent: int) -> int:
        """The size of the numbers to learn."""
        return int(self.outcome.offsets(center, scaling).size(exponent))

    def sums(self) -> tuple[int, int, list[bool], NDArray[np.int64]]:
        """Samples, weight in fixed point, which columns miss a value, and rows by class."""
        weights, target = self.target.weights, self.target
        weight = weights.n_rows if weights.weight is None else int(weights.weight.sum())
        missing = [self.frame.native.has_missing(j) for j in range(self.n_columns)]
        return weights.samples, weight, missing, target.by_class

    def sample(self, most: int) -> list[Floats]:
        """Some values of each column of numbers, evenly spread over the rows; none of others."""
        rows = np.unique(np.linspace(0, max(0, self.frame.n_rows - 1), most).astype(np.int64))
        return [self._numbers(j, rows) for j in range(self.n_columns)]

    def distinct(self, columns: Sequence[int], most: int) -> list[Floats | None]:
        """The different values of columns of numbers, None where there are more."""
        found = []
        for j in columns:
            values = np.unique(self._numbers(j, slice(None)))
            found.append(values if len(values) <= most else None)
        return found

    def _numbers(self, j: int, rows: Any) -> Floats:
        cells = self.frame.table.column(j)
        if isinstance(cells, Coded):
            return np.zeros(0)
        values = np.asarray(cells.values[rows], np.float64)
        return values[~np.isnan(values)]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.frame.native.n_columns)

    def levels(self, column: int) -> NDArray[np.int64]:
        """How many rows each level of a column has, from code 0 on."""
        n = len(self.frame.schema.columns[column].levels)
        return np.bincount(self.frame.table.column(column).codes, minlength=n + 1)

    def fingerprint(self) -> Fingerprint:
        """What is remembered of the rows."""
        target = self.target
        return Fingerprint.of(self.frame, target.codes if target.n_classes else target.numbers)

    # Requests: tables --------------------------------------------------------------------------

    def count(
        self, nodes: list[int], held: list[int]
    ) -> tuple[NDArray[Any], Floats, list[tuple[NDArray[np.int64], int]]]:
        """The histograms of some nodes, and what others hold."""
        cells, squares = self.native.tabulate(nodes)
        return _narrow(cells), squares, [self.native.hold(node) for node in held]

    def look(
        self, fine: list[tuple[int, int, list[int]]], near: list[tuple[int, int, int, int]]
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The values of marked bins with their tallies, and the values next to edges."""
        found = []
        for asked in fine:
            values, bins, cells = self.native.refine(*asked)
            found.append((values, bins.astype(np.uint8), _narrow(cells)))
        return found, [self.native.near(*asked) for asked in near]

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
                for j in range(self.n_columns)
            ]
            for node, test in asked
        ]

    def bundles(self, nodes: list[int]) -> list[Bundle]:
        """All rows of some nodes."""
        return [self._bundle(self.native.numbers(node)[0]) for node in nodes]

    def _bundle(self, rows: NDArray[np.uint32]) -> Bundle:
        cells = [self.frame.table.column(j) for j in range(self.n_columns)]
        columns = [(c.codes if isinstance(c, Coded) else c.values)[rows] for c in cells]
        weights, target = self.target.weights, self.target
        return Bundle(
            columns,
            (target.codes if target.n_classes else target.numbers)[rows],
            None if weights.weight is None else weights.weight[rows],
            None if weights.count is None else weights.count[rows],
        )

    def census(self, state: dict[str, Any], shared: bool) -> Counted:
        """The rows of every node of a tree."""
        tree = Tree(_core.tree_from_state(state), self.n_columns)
        return count_rows(tree, self.frame, self.target, shared=shared)


def merged(request: str, answers: list[Any]) -> list[Any]:
    """Answers of parts as few: one for all, where they can be added up."""
    add = _ADDED.get(request)
    return answers if add is None or len(answers) < 2 else [add(answers)]


def _add_counts(answers: list[Any]) -> Any:
    cells = answers[0][0].astype(np.int64)
    for other in answers[1:]:
        cells += other[0]
    squares = np.sum([a[1] for a in answers], axis=0)
    holds = [
        (sum(a[2][k][0] for a in answers), sum(a[2][k][1] for a in answers))
        for k in range(len(answers[0][2]))
    ]
    return _narrow(cells), squares, holds


def _add_looks(answers: list[Any]) -> Any:
    fine = [_add_fine([a[0][k] for a in answers]) for k in range(len(answers[0][0]))]
    near = [
        (max(a[1][k][0] for a in answers), min(a[1][k][1] for a in answers))
        for k in range(len(answers[0][1]))
    ]
    return fine, near


def _add_fine(parts: list[Any]) -> tuple[Any, Any, Any]:
    """The fine table of all parts: values, their codes, cells."""
    values, place = np.unique(np.concatenate([p[0] for p in parts]), return_inverse=True)
    cells = np.zeros((len(values), parts[0][2].shape[1]), np.int64)
    bins = np.zeros(len(values), np.uint8)
    at = 0
    for some, codes, counts in parts:  # values of a part differ from each other
        here = place[at : at + len(some)]
        cells[here] += counts
        bins[here] = codes
        at += len(some)
    return values, bins, _narrow(cells)


_ADDED: dict[str, Callable[[list[Any]], Any]] = {
    "count": _add_counts,
    "look": _add_looks,
    "known": lambda answers: np.sum(answers, axis=0),
    "totals": lambda answers: np.sum(answers, axis=0),
    "levels": lambda answers: np.sum(answers, axis=0),
    "census": Counted.joined,
    "size": sum,
    "offsets_size": sum,
}


def _narrow(cells: NDArray[np.int64]) -> NDArray[Any]:
    """Counts in four bytes where they fit, for the way."""
    fits = not len(cells) or (int(cells.min()) >= 0 and int(cells.max()) < 2**32)
    return cells.astype(np.uint32) if fits else np.asarray(cells)
