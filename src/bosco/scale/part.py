"""One part of the rows, as a worker holds it: what it says is a pure function of what it was told.

A part is told *steps* (what the columns and the target are, by which edges values are coded, which
tests the tree has so far) and asked *requests*. What it keeps between requests is a cache: another
worker that is told the same steps of the same part answers the same, to the bit.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from bosco.errors import DataError
from bosco.scale.border import Glance, glance
from bosco.scale.finish import Bundle, bundled
from bosco.scale.zoom import Pieces, joined, pieces
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


class Part:
    """A part of the rows, and what it has been told so far."""

    def __init__(self, read: Callable[[], Rows]):
        self.read = read
        self._forget()

    def _forget(self) -> None:
        self.told = 0  # steps
        self._given: Rows | None = None
        self.frame: Any = None
        self.outcome: Any = None
        self.target: Any = None
        self.native: Any = None  # the rows, kept together node by node

    def answer(self, steps: Sequence[tuple[Any, ...]], request: str, *args: Any) -> Any:
        """Follow the steps that are new, and answer."""
        if self.told > len(steps):  # asked by somebody who is behind: from the beginning
            self._forget()
        try:
            for name, *words in steps[self.told :]:
                getattr(self, f"_{name}")(*words)
                self.told += 1
        except BaseException:  # a step may be half done
            self._forget()
            raise
        return getattr(self, request)(*args)

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
        self,
        fine: list[tuple[int, int, list[int], float, float]],
        near: list[tuple[int, int, int, int]],
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The values of marked bins, or of spans of them, and the values next to edges."""
        found = []
        for asked in fine:
            values, bins, cells = self._fine(*asked)
            found.append((_in_four(values), bins.astype(np.uint8), _narrow(cells)))
        return found, [self.native.near(*asked) for asked in near]

    def zoom(self, asked: list[tuple[int, int, int, float, float]]) -> list[Pieces]:
        """What the pieces hold into which spans of bins are cut: (node, column, code, ends)."""
        found = []
        for node, column, code, low, high in asked:
            values, _, cells = self._fine(node, column, [code], low, high)
            found.append(pieces(values, cells, low, high))
        return found

    def _fine(self, node: int, column: int, codes: list[int], low: float, high: float) -> Any:
        """The fine table of bins, as far as values lie in [low, high]."""
        made = self.native.refine(node, column, codes)
        if (low, high) == (-np.inf, np.inf):
            return made
        here = slice(np.searchsorted(made[0], low), np.searchsorted(made[0], high, "right"))
        return tuple(array[here] for array in made)

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
        return [self._bundle(*self.native.numbers(node)) for node in nodes]

    def _bundle(self, rows: NDArray[np.uint32], share: NDArray[np.uint32]) -> Bundle:
        cells = [self.frame.table.column(j) for j in range(self.n_columns)]
        columns = [(c.codes if isinstance(c, Coded) else c.values)[rows] for c in cells]
        weights, target = self.target.weights, self.target
        return Bundle(
            columns,
            (target.codes if target.n_classes else target.numbers)[rows],
            None if weights.weight is None else weights.weight[rows],
            None if weights.count is None else weights.count[rows],
            share if self.native.shares else None,
        )

    def census(self, state: dict[str, Any], shared: bool) -> Counted:
        """The rows of every node of a tree."""
        tree = Tree(_core.tree_from_state(state), self.n_columns)
        return count_rows(tree, self.frame, self.target, shared=shared)


@contextmanager
def named(part: str) -> Iterator[None]:
    """Say in what is wrong with the data in which part it is."""
    try:
        yield
    except DataError as error:
        raise type(error)(f"{part}: {error}") from error


def adds_up(request: str) -> bool:
    """Whether the answers of many parts are no larger than that of one."""
    return request in _ADDED and request != "bundles"


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
    values = np.concatenate([p[0] for p in parts])
    order = np.argsort(values, kind="stable")  # which is quick: each part is in order
    values = values[order]
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    first = np.flatnonzero(new)
    cells = np.concatenate([p[2] for p in parts])[order]
    if len(first) < len(values):
        cells = np.add.reduceat(cells, first, axis=0, dtype=np.int64)
    bins = np.concatenate([p[1] for p in parts])[order]
    return values[first], bins[first], _narrow(cells)


_ADDED: dict[str, Callable[[list[Any]], Any]] = {
    "count": _add_counts,
    "look": _add_looks,
    "zoom": lambda answers: [joined(of_span) for of_span in zip(*answers, strict=True)],
    "bundles": lambda answers: [bundled(of_node) for of_node in zip(*answers, strict=True)],
    "known": lambda answers: np.sum(answers, axis=0),
    "totals": lambda answers: np.sum(answers, axis=0),
    "levels": lambda answers: np.sum(answers, axis=0),
    "census": Counted.joined,
    "size": sum,
    "offsets_size": sum,
}


def _narrow(cells: NDArray[Any]) -> NDArray[Any]:
    """Counts in as few bytes as they need, for the way."""
    if not cells.size or int(cells.min()) < 0:
        return cells
    most = int(cells.max())
    for narrow in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(narrow).max:
            return cells.astype(narrow, copy=False)
    return cells


def _in_four(values: Floats) -> NDArray[Any]:
    """Numbers in four bytes where that loses nothing, for the way."""
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values
