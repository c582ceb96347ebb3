"""All ways through a tree, as boxes: every case is in exactly one of them.

Where a missing value has one branch, each leaf has one box. Where surrogates decide, it has one for
each way to it. Where missing values go down all branches, a box may lead to several leaves at once,
in shares, and its answer is that of the mixture, summed in the order in which the core sums it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bosco.rules.space import Box, Space
from bosco.tree.conditions import BY_SHARE, Condition, Interval, Test
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree

_SURE = 1e-9
"""A lead that no rounding of a sum of shares can turn round."""

_MAX_LEADS = 20_000_000  # of all nodes, classes and other classes


@dataclass(frozen=True, slots=True)
class Way:
    """Where the cases of a box have come to.

    Attributes
    ----------
    box : int
        The cases.
    open : tuple of (int, float)
        Nodes still to be asked, the next one last, each with the share that came there.
    leaves : tuple of (int, float)
        Leaves reached, each with its share.
    lead : ndarray or None
        For each class the least lead it can have over every other at the end, where that is asked.
    """

    box: Box
    open: tuple[tuple[int, float], ...]
    leaves: tuple[tuple[int, float], ...] = ()
    lead: NDArray[np.float64] | None = None


class Walk:
    """The ways of one tree through a space.

    Parameters
    ----------
    tree : Tree
        The tree.
    space : Space
        Made of at least the conditions of the tree's tests.
    by_class : bool, default=True
        Whether only the class of a mixture matters: a way ends once it is certain.
    """

    def __init__(self, tree: Tree, space: Space, *, by_class: bool = True) -> None:
        self.tree = tree
        self.space = space
        mixes = space.missing and bool((tree.native.tests.missing == BY_SHARE).any())
        n = tree.native.n_classes
        # Without the leads, ways are followed to their ends: more of them, and the same answers.
        few = tree.node_count * n * n <= _MAX_LEADS
        self._by_class = by_class and n > 1 and mixes and few
        self._values = tree.native.value
        self._branches: dict[int, list[tuple[Box, int]]] = {}

    def start(self, region: Box) -> Way:
        """All cases of a region, at the root."""
        return Way(region, ((0, 1.0),), lead=self._leads[0] if self._by_class else None)

    def ended(self, way: Way) -> bool:
        """Whether a way needs no further question."""
        if not way.open:
            return True
        mixed = bool(way.leaves) or len(way.open) > 1
        return mixed and way.lead is not None and bool(way.lead.min(axis=1).max() > _SURE)

    def steps(self, way: Way) -> list[Way]:
        """The ways that a way parts into at its next node."""
        node, share = way.open[-1]
        rest = way.open[:-1]
        if node not in self._branches:
            self._branches[node] = self._ask(node)
        if not self._branches[node]:
            return [Way(way.box, rest, (*way.leaves, (node, share)), way.lead)]
        found = []
        for box, child in self._branches[node]:
            inside = way.box & box
            if self.space.holds_any(inside):
                shares = self._shares(node) if child < 0 else [(child, 1.0)]
                opened = tuple((c, share * part) for c, part in reversed(shares))
                lead = way.lead
                if lead is not None:
                    lead = lead - share * self._leads[node]
                    for c, part in opened:
                        lead += part * self._leads[c]
                found.append(Way(inside, rest + opened, way.leaves, lead))
        return found

    def value(self, way: Way) -> NDArray[np.float64]:
        """Class shares, or the mean, at the end of a way: the core's sum, bit for bit."""
        total = np.zeros(self._values.shape[1])
        for leaf, share in way.leaves:
            total += share * self._values[leaf]
        return total

    def answer(self, way: Way) -> int:
        """The class, by index, that a way leads to: the heaviest."""
        if way.open:
            assert way.lead is not None
            return int(np.argmax(way.lead.min(axis=1)))
        return int(heaviest(self.value(way)[None])[0])

    def _ask(self, node: int) -> list[tuple[Box, int]]:
        """The boxes that a node's test makes, with the child of each; -1: all children."""
        test = self.tree.test(node)
        if test is None:
            return []
        children = self.tree.children(node)
        surrogates = self.tree.surrogates(node)
        pairs = list(zip(test.branches, children, strict=True))
        if not surrogates and not test.by_share:
            found = [(self.space.box([branch]), child) for branch, child in pairs]
        else:
            value = self.space.known_only([test.column])
            known = [(self.space.box([b]) & value, child) for b, child in pairs]
            gap = self._gap(test.column)
            found = known + (self._stand_in(test, surrogates, children, gap) if gap else [])
        return [(box, child) for box, child in found if self.space.holds_any(box)]

    def _gap(self, column: int) -> Box:
        """The cases in which a column is missing; 0 if there are none."""
        gap = self.space.full ^ self.space.known_only([column])
        if not gap:
            return 0
        field = self.space.field_of(gap)
        return (self.space.full & ~field.mask) | gap

    def _stand_in(
        self, test: Test, surrogates: list[Test], children: range, region: Box
    ) -> list[tuple[Box, int]]:
        """Where the cases go in which the value tested is missing."""
        if test.by_share:
            return [(region, -1)]
        found = []
        for surrogate in surrogates:
            known = self.space.known_only([surrogate.column])
            for branch, child in zip(surrogate.branches, children, strict=False):
                found.append((region & known & self.space.box([branch]), child))
            gap = self._gap(surrogate.column)
            if not gap:
                return found
            region &= gap
        return [*found, (region, children[test.missing])]

    def _shares(self, node: int) -> list[tuple[int, float]]:
        """The children of a node with the share of a missing value that each gets."""
        weights = [
            (child, int(self.tree.native.known[child])) for child in self.tree.children(node)
        ]
        total = float(sum(weight for _, weight in weights))
        return [(child, weight / total) for child, weight in weights if weight > 0]

    # Certain before the end -------------------------------------------------------------------

    @cached_property
    def _leads(self) -> NDArray[np.float64]:
        """For nodes, classes and other classes: the least lead over the other in a leaf below."""
        native = self.tree.native
        leads = native.value[:, :, None] - native.value[:, None, :]
        for node in range(native.n_nodes - 1, -1, -1):
            if children := self.tree.children(node):
                leads[node] = leads[children.start : children.stop].min(axis=0)
        n = leads.shape[1]
        others = ~np.eye(n, dtype=bool)
        return np.ascontiguousarray(leads[:, others].reshape(len(leads), n, n - 1))


def conditions_of(tree: Tree) -> Iterator[Condition]:
    """Every condition of every test and surrogate of a tree."""
    for node in np.flatnonzero(tree.native.test >= 0).tolist():
        test = tree.test(node)
        assert test is not None
        for asked in (test, *tree.surrogates(node)):
            # One is enough of a map, whose levels are cells already.
            few = asked.branches if isinstance(asked.branches[0], Interval) else asked.branches[:1]
            yield from few
