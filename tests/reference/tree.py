"""Tests and the finished tree, as plain lists with the names of the native tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from .data import RefColumn

CUT, MAP = 1, 2


@dataclass(frozen=True)
class Test:
    """A test on one column.

    A cut sends x to the number of its thresholds below x; ``flip`` (surrogates only) swaps the
    two branches. A map sends code i to ``jumps[i]``. ``missing`` is the branch of missing
    values, -1 for all of them by share.
    """

    __test__: ClassVar[bool] = False  # not a test case, whatever pytest thinks of the name

    kind: int
    column: int
    branches: int
    missing: int
    thresholds: tuple[float, ...] = ()
    jumps: tuple[int, ...] = ()
    flip: bool = False

    def branch(self, column: RefColumn, row: int) -> int | None:
        """The branch of a row, None where its value is missing."""
        code = column.codes[row]
        if code == 0:
            return None
        if self.kind == MAP:
            return self.jumps[code]
        below = sum(t < column.values[code - 1] for t in self.thresholds)
        return 1 - below if self.flip else below


@dataclass(frozen=True)
class Candidate:
    """The best test of one column at a node."""

    test: Test
    gain: float
    split_info: float
    penalty: float = 0.0


@dataclass
class RefTree:
    """A tree: one entry per node in every list; children contiguous, after their parent."""

    n_classes: int
    weight_scale: float
    count_scale: float
    center: float
    scale: float
    test: list[Test | None] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    n_children: list[int] = field(default_factory=list)
    tally: list[tuple[int, ...]] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)  # weight of the rows that came by their value
    value: list[list[float]] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    surrogates: list[list[Test]] = field(default_factory=list)
    candidates: list[list[Candidate]] = field(default_factory=list)

    @property
    def n_nodes(self) -> int:
        return len(self.test)

    @property
    def leaves(self) -> list[int]:
        return [i for i, test in enumerate(self.test) if test is None]

    def children(self, node: int) -> range:
        return range(self.first_child[node], self.first_child[node] + self.n_children[node])

    def path(self, node: int) -> str:
        """How to reach a node: the branches from the root."""
        steps = []
        while self.parent[node] >= 0:
            steps.append(node - self.first_child[self.parent[node]])
            node = self.parent[node]
        return "root" + "".join(f"/{step}" for step in reversed(steps))

    def weight(self, node: int) -> int:
        return sum(self.tally[node]) if self.n_classes else self.tally[node][0]

    def label(self, node: int) -> int:
        """The class a node predicts: the heaviest (an empty leaf: its parent's).

        A tie goes to the second of two classes, to the first of more.
        """
        while not self.weight(node):
            node = self.parent[node]
        tally = self.tally[node]
        order = [1, 0] if self.n_classes == 2 else range(self.n_classes)
        return max(order, key=lambda c: tally[c])


def route(tree: RefTree, columns: Sequence[RefColumn]) -> list[int]:
    """The leaf each row reaches; by shares, a missing value takes the heaviest branch."""
    columns = [column.plain() for column in columns]
    reached = []
    for row in range(len(columns[0].codes)):
        node = 0
        while (test := tree.test[node]) is not None:
            branch = test.branch(columns[test.column], row)
            for stand_in in tree.surrogates[node]:
                if branch is None:
                    branch = stand_in.branch(columns[stand_in.column], row)
            if branch is None and test.missing >= 0:
                branch = test.missing
            if branch is None:
                children = tree.children(node)
                branch = max(children, key=lambda v: (tree.known[v], -v)) - children.start
            node = tree.first_child[node] + branch
        reached.append(node)
    return reached
