"""One part of the rows, as a worker holds it: what it says is a pure function of what it was told.

A part is told *steps* (what the columns and the target are, by which edges values are coded, which
tests the tree has so far) and asked *requests*. What it keeps between requests is a cache: another
worker that is told the same steps of the same part answers the same, to the bit.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ldexp
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
from bosco.scale.border import glance
from bosco.scale.finish import Bundle
from bosco.scale.growing import Draw, Growing
from bosco.scale.introduction import Introduction, sampled
from bosco.scale.refitted import Refitted
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


class Follower:
    """Follows the steps that it is told, and answers requests by the methods of their names."""

    number = 0  # among the parts that are asked

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.told = 0  # steps
        self.trees: dict[int, Growing] = {}

    def answer(self, steps: Sequence[tuple[Any, ...]], request: str, *args: Any) -> Any:
        """Follow the steps that are new, and answer. Trees that no step names are forgotten.

        So are those that began after other steps: a question may come late, when nobody waits for
        it any longer, and the next one may be about another tree of the same number.
        """
        common = [step for step in steps if step[0] != "tree"]
        if self.told > len(common):  # asked by somebody who is behind: from the beginning
            self._forget()
        if self.told < len(common):
            self.trees = {}
        try:
            for name, *words in common[self.told :]:
                getattr(self, f"_{name}")(*words)
                self.told += 1
            own = {step[1]: step[2] for step in steps if step[0] == "tree"}
            self.trees = {
                tree: self.trees.get(tree, self._new_tree()).follow(told)
                for tree, told in own.items()
            }
        except BaseException:  # a step may be half done
            self._forget()
            raise
        return getattr(self, request)(*args)

    def each(self, asked: list[tuple[int, str, tuple[Any, ...]]]) -> list[tuple[str, Any]]:
        """Answer requests to several trees: (tree, request, what it asks for)."""
        return [(name, getattr(self.trees[tree], name)(*args)) for tree, name, args in asked]

    def several(self, asked: list[tuple[Any, ...]]) -> list[Any]:
        """Answer requests that no tree is needed for: (request, what it asks for ...)."""
        return [getattr(self, name)(*args) for name, *args in asked]

    def _new_tree(self) -> Growing:
        return Growing(self)


class Part(Refitted, Follower):
    """A part of the rows, and what it has been told so far."""

    def __init__(self, read: Callable[[], Rows], number: int = 0):
        self.read, self.number = read, number
        super().__init__()

    def _forget(self) -> None:
        super()._forget()
        self._given: Rows | None = None
        self.frame: Any = None
        self._own: tuple[NDArray[Any], Outcome] | None = None
        self.outcome: Any = None
        self.target: Any = None
        self.first = 0  # row of this part, among those of all
        self._forget_rounds()

    @property
    def given(self) -> Rows:
        """The rows as they are given, read when they are needed."""
        if self._given is None:
            self._given = self.read()
        return self._given

    # Steps -------------------------------------------------------------------------------------

    def _outcome(self, classes: NDArray[Any] | None, dropped: Sequence[int]) -> None:
        """What the classes are; rows without a weight are left out from here on."""
        own, rows = self._own_outcome(classes is not None)
        self._own = None
        if classes is not None:
            place = {label: code for code, label in enumerate(classes.tolist())}
            codes = np.array([place[label] for label in own.tolist()], np.uint32)
            rows = replace(rows, codes=codes[rows.codes])
        self.outcome = rows.without(dropped)

    def _own_outcome(self, classes: bool) -> tuple[NDArray[Any], Outcome]:
        """The labels that rows with a weight have here, and the outcome by these alone."""
        if self._own is None:
            given = self.given
            n_rows = given.table.n_rows  # type: ignore[union-attr]
            sample, keep = read_weights(given.weight, n_rows)
            labels, codes, numbers = np.zeros(0), np.zeros(0, np.uint32), np.zeros(0)
            if classes:
                labels, codes = class_codes(given.y, keep)
            else:
                numbers = real_numbers(given.y, keep)
                codes = np.zeros(len(numbers), np.uint32)
            self._own = labels, Outcome(n_rows, keep, sample, codes, numbers)
        return self._own

    def _columns(self, schema: Schema, refuse_missing: bool, owner: str) -> None:
        """What the columns are."""
        table = self._kept_table(self.outcome)
        self.frame = Frame.read(table, schema, refuse_missing=refuse_missing, owner=owner)

    def _kept_table(self, rows: Outcome) -> Table:
        keep, table = rows.keep, self.given.table
        return table if keep is None else table.take(keep)  # type: ignore[return-value, union-attr]

    def _target(self, recipe: Recipe) -> None:
        """How the target is encoded."""
        self.target = encoded(recipe, self.outcome)

    def _edges(self, edges: Edges) -> None:
        """The values between which codes change, the same for all parts."""
        self.frame.native.encode(1, 255, edges)

    def _places(self, firsts: Sequence[int]) -> None:
        """Which row of all is the first of each part."""
        self.first = firsts[self.number]

    def _passed(self) -> None:
        """Nothing depends any more on what was told here."""

    # Requests: before there is a tree -----------------------------------------------------------

    def introduction(
        self, classes: bool, categorical: Any, domains: Any, most: int
    ) -> Introduction:
        """All that may be wanted before a tree grows; a part without rows is not asked again."""
        labels, rows = None, self.outcome
        if rows is None:
            if not self._weighs():
                return Introduction(0)
            labels, rows = self._own_outcome(classes)
        table = self._kept_table(rows)
        plain = rows.sample is None
        return Introduction(
            n_rows=rows.n_kept,
            labels=labels if classes else None,
            plain=plain,
            glance=glance(table, categorical, domains),
            weights=rows.spread().sent(),
            ends=None if classes else rows.ends(),
            numbers=rows.offsets(0.0, Scaling()).sent() if plain and not classes else None,
            sample=sampled(table, most),
        )

    def _weighs(self) -> bool:
        """Whether there is a row with a weight, or with one that is none and will be refused."""
        given = self.given
        if given.table is None or given.weight is None:
            return given.table is not None and given.table.n_rows > 0
        return bool(np.asarray(given.weight, np.float64).any())

    def glance(self, categorical: Any, domains: Any) -> Table:
        """What the columns of rows with a weight are."""
        return glance(self._kept_table(self.outcome), categorical, domains)

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
        return weights.samples, weight, self.lacking(), target.by_class

    def lacking(self) -> list[bool]:
        """Which columns miss a value."""
        return [self.frame.native.has_missing(j) for j in range(self.n_columns)]

    def sample(self, most: int) -> dict[str, Floats]:
        """Some values of each column of numbers, by its name."""
        return sampled(self.frame.table, most)

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

    # Requests: trees ---------------------------------------------------------------------------

    def bundles(self, tree: int, nodes: list[int]) -> list[Bundle]:
        """All rows of some nodes of a tree."""
        return self.trees[tree].bundles(nodes)

    def times(self, draw: Draw) -> NDArray[np.uint32]:
        """How often each row is drawn."""
        return draw.times(self.first, self.first + self.frame.n_rows)

    def rows(
        self, unit: int, times: NDArray[np.uint32] | None, factors: NDArray[np.int64] | None
    ) -> Any:
        """The rows of a tree that begins, as often as they are drawn (None: all once)."""
        target, codes = self.target.native, self.target.codes
        if factors is not None:
            scale = ldexp(self.target.weights.scale, _core.balance_bits)
            target = _core.Target.classes(
                codes, self.target.n_classes, *self.weights(factors), scale
            )
        if times is None:
            return _core.Rows(self.frame.native, target, unit)
        drawn = np.flatnonzero(times).astype(np.uint32)
        return _core.Rows(self.frame.native, target, unit, drawn, times[drawn])

    def weights(self, factors: NDArray[np.int64] | None) -> tuple[Any, Any]:
        """Integer weights and counts of the rows, classes multiplied; None: 1, and the weight."""
        weights = self.target.weights
        if factors is None:
            return weights.weight, weights.count
        count = self._weight() if weights.count is None else weights.count
        return self._weight() * factors[self.target.codes], count

    def _weight(self) -> NDArray[np.int64]:
        weights = self.target.weights
        return np.ones(weights.n_rows, np.int64) if weights.weight is None else weights.weight

    def drawn(self, draws: list[Draw | None]) -> NDArray[np.int64]:
        """The weight of each class in each of some samples."""
        codes, n, weight = self.target.codes, self.target.n_classes, self._weight()
        sums = [
            np.bincount(codes, weight if d is None else weight * self.times(d), n) for d in draws
        ]
        return np.array(sums).astype(np.int64)  # below 2**WEIGHT_BITS, so that floats hold them

    def bag(self, forest: dict[str, Any], reach: int, draw: Draw, mode: bool) -> Any:
        """What trees say of the rows that they have not seen; `draw` is that of any of them."""
        return _core.bag_part(
            _core.forest_from_state(forest),
            self.frame.native,
            self.target.native,
            reach,
            draw.seed,
            draw.n_rows,
            self.first,
            draw.size,
            draw.replace,
            mode,
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
