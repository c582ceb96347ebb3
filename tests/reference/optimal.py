"""The best small tree (docs/optimal.md), by looking at every tree there is.

Written to be read: no bounds, no sorting, nothing kept. Only for a handful of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

Column = Sequence[Any]
"""The values of a column by row: numbers, or texts, which are levels; None is missing."""

MOST_LEVELS = 7
"""Of columns with at most so many levels every subset is a test."""


@dataclass(frozen=True)
class Wanted:
    """Which trees are compared, and by what."""

    depth: int
    alpha: Fraction = Fraction(0)
    leaves: int = 1 << 30
    least: int = 1
    subsets: bool = True
    numbers: bool = False  # the squared error of numbers, in place of wrong classes
    costs: tuple[tuple[int, int, Fraction], ...] = ()  # true, answered, cost; others cost 1

    def cost(self, true: int, answer: int) -> Fraction:
        """What it costs to answer so."""
        said = {(t, a): cost for t, a, cost in self.costs}
        return said.get((true, answer), Fraction(int(true != answer)))


def best(
    columns: Sequence[Column],
    classes: Sequence[int],
    weights: Sequence[int],
    wanted: Wanted,
) -> tuple[Fraction, int]:
    """The least errors + alpha * leaves, and the fewest leaves of a tree that has it."""
    table = _Table(columns, classes, weights, wanted)
    return table.best(frozenset(range(len(classes))), wanted.depth, wanted.leaves)


@dataclass(frozen=True)
class _Table:
    columns: Sequence[Column]
    classes: Sequence[int]
    weights: Sequence[int]
    wanted: Wanted

    def best(self, rows: frozenset[int], depth: int, leaves: int) -> tuple[Fraction, int]:
        """The least objective of a subtree on some rows, then its leaves."""
        found = (self.leaf(rows), 1)
        if depth == 0 or leaves < 2:
            return found
        for left in self.partings(rows):
            right = rows - left
            if min(len(left), len(right)) < max(1, self.wanted.least):
                continue
            most = 1 << (depth - 1)
            for share in range(1, min(most, leaves - 1) + 1):
                a = self.best(left, depth - 1, share)
                b = self.best(right, depth - 1, leaves - share)
                found = min(found, (a[0] + b[0], a[1] + b[1]))
                if leaves >= 2 * most:  # any share of them is enough for either side
                    a = self.best(left, depth - 1, most)
                    b = self.best(right, depth - 1, most)
                    found = min(found, (a[0] + b[0], a[1] + b[1]))
                    break
        return found

    def leaf(self, rows: frozenset[int]) -> Fraction:
        """What rows cost as a leaf."""
        return self.wrong(rows) + self.wanted.alpha

    def wrong(self, rows: frozenset[int]) -> Fraction:
        """What a leaf gets wrong."""
        if self.wanted.numbers:
            weight = sum(self.weights[row] for row in rows)
            mean = Fraction(sum(self.weights[row] * self.classes[row] for row in rows), weight)
            return sum((self.weights[r] * (self.classes[r] - mean) ** 2 for r in rows), Fraction(0))
        return min(self.prices(rows).values())

    def prices(self, rows: frozenset[int]) -> dict[int, Fraction]:
        """What rows cost by the answer that is given of them."""
        tally = self.tally(rows)
        return {
            answer: sum((w * self.wanted.cost(t, answer) for t, w in tally.items()), Fraction(0))
            for answer in sorted(set(self.classes))
        }

    def tally(self, rows: frozenset[int]) -> dict[int, int]:
        """The weight of each class."""
        tally: dict[int, int] = {}
        for row in rows:
            tally[self.classes[row]] = tally.get(self.classes[row], 0) + self.weights[row]
        return tally

    def says(self, rows: frozenset[int]) -> int:
        """The answer of a leaf: of two classes a tie goes to the second, of more to the first."""
        prices = self.prices(rows)
        tied = [c for c, cost in prices.items() if cost == min(prices.values())]
        return tied[-1] if len(set(self.classes)) == 2 else tied[0]

    def ways(self, rows: frozenset[int]) -> set[Way]:
        """How the tests of the family part rows, each once."""
        found = set()
        for j, column in enumerate(self.columns):
            alone = _Table([column], self.classes, self.weights, self.wanted)
            for left in alone.partings(rows):
                if left and left != rows:
                    found.add((j, left if min(rows) in left else rows - left))
        return found

    def partings(self, rows: frozenset[int]) -> Iterator[frozenset[int]]:
        """What the tests of the family send left, of some rows."""
        for column in self.columns:
            missing = frozenset(row for row in rows if column[row] is None)
            known = {column[row] for row in rows} - {None}
            level = any(isinstance(value, str) for value in column)
            sets = self.levels(column, known) if level else self.cuts(known)
            for values in sets:
                left = frozenset(row for row in rows if column[row] in values)
                yield left
                yield left | missing

    def cuts(self, known: set[Any]) -> Iterator[set[Any]]:
        """``x <= t``, also with all values on the left: known against missing."""
        for t in sorted(known):
            yield {value for value in known if value <= t}

    def levels(self, column: Column, known: set[Any]) -> Iterator[set[Any]]:
        """Every subset; of many levels one against the rest, and prefixes of an order."""
        yield set()  # missing against known
        every = sorted({value for value in column if value is not None})
        if self.wanted.subsets and len(every) <= MOST_LEVELS:
            for size in range(1, len(known) + 1):
                yield from map(set, combinations(sorted(known), size))
            return
        for value in known:
            yield {value}
        if self.wanted.subsets:
            labels = [0, 1] if self.wanted.numbers else sorted(set(self.classes))
            for one in labels[1:] if len(labels) == 2 else labels:
                order = sorted(every, key=lambda value: (self.share(column, value, one), value))
                for size in range(1, len(order)):
                    yield known & set(order[:size])

    def share(self, column: Column, value: Any, one: int) -> Fraction:
        """The share of a class among all rows with a level; their mean."""
        rows = [row for row in range(len(column)) if column[row] == value]
        if self.wanted.numbers:
            whole = sum(self.weights[row] * self.classes[row] for row in rows)
            return Fraction(whole, sum(self.weights[row] for row in rows))
        own = sum(self.weights[row] for row in rows if self.classes[row] == one)
        return Fraction(own, sum(self.weights[row] for row in rows))


# All good trees ----------------------------------------------------------------------------------

Way = tuple[int, frozenset[int]]
"""How a question parts rows: its column, and the side that the first of the rows goes to."""

Listed = tuple[Any, ...]
"""A tree: its way, the left and the right side; or nothing, a leaf."""


def all_trees(
    columns: Sequence[Column], classes: Sequence[int], weights: Sequence[int], wanted: Wanted
) -> dict[Listed, tuple[Fraction, int]]:
    """Every tree of the family with its objective and leaves, each once.

    Trees are the same where every question parts the rows that reach it alike, by the same column.
    One in which two sister leaves say the same is not among them.
    """
    table = _Table(columns, classes, weights, wanted)
    found = _every(table, frozenset(range(len(classes))), wanted.depth)
    return {tree: cost for tree, cost in found.items() if cost[1] <= wanted.leaves}


def asked(tree: Listed) -> set[int]:
    """The columns that a tree asks."""
    if not tree:
        return set()
    (column, _), left, right = tree
    return {column} | asked(left) | asked(right)


def _every(table: _Table, rows: frozenset[int], depth: int) -> dict[Listed, tuple[Fraction, int]]:
    wanted = table.wanted
    found: dict[Listed, tuple[Fraction, int]] = {(): (table.leaf(rows), 1)}
    if depth == 0:
        return found
    for way in table.ways(rows):
        left, right = way[1], rows - way[1]
        if min(len(left), len(right)) < max(1, wanted.least):
            continue
        below = _every(table, left, depth - 1), _every(table, right, depth - 1)
        for a, first in below[0].items():
            for b, second in below[1].items():
                if a == b == () and table.says(left) == table.says(right):
                    continue
                found[(way, a, b)] = (first[0] + second[0], first[1] + second[1])
    return found
