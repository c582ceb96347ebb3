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
        found = (self.wrong(rows) + self.wanted.alpha, 1)
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

    def wrong(self, rows: frozenset[int]) -> Fraction:
        """What a leaf gets wrong."""
        if self.wanted.numbers:
            weight = sum(self.weights[row] for row in rows)
            mean = Fraction(sum(self.weights[row] * self.classes[row] for row in rows), weight)
            return sum((self.weights[r] * (self.classes[r] - mean) ** 2 for r in rows), Fraction(0))
        tally: dict[int, int] = {}
        for row in rows:
            tally[self.classes[row]] = tally.get(self.classes[row], 0) + self.weights[row]
        return Fraction(sum(tally.values()) - max(tally.values()))

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
