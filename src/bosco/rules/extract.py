"""The rules of a tree: one for each way through it. Every case is in the box of exactly one.

Where a missing value has one branch, each leaf has one box. Where surrogates decide, it has one for
each way to it. Where missing values go down all branches, a box may lead to several leaves at once,
in shares, and its answer is that of the mixture, summed in the order in which the core sums it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.data.schema import Schema
from bosco.errors import ModelError
from bosco.rules.rule import Rule
from bosco.rules.space import Box, Space
from bosco.tree.census import Census
from bosco.tree.conditions import BY_SHARE, Condition, Interval, Test
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.tree import Tree

MAX_RULES = 50_000
"""More rules than this are not written down: nobody reads them, and they fill the memory."""

_WAYS = (
    "Missing values go several ways in this tree, and with all their combinations it has more "
    f"than {MAX_RULES:,} rules, or takes too many steps to write them down."
)
_MAX_STEPS = 60_000  # through a tree in which missing values go several ways

_SURE = 1e-9
"""A lead that no rounding of a sum of shares can turn round."""

_MAX_LEADS = 20_000_000  # of all nodes, classes and other classes


@dataclass(frozen=True, slots=True)
class Way:
    """Where the cases of a box have come to."""

    box: Box
    open: tuple[tuple[int, float], ...]  # nodes to be asked, the next one last, and their shares
    leaves: tuple[tuple[int, float], ...] = ()  # those reached, and their shares
    # For each class the least lead it can have over every other at the end, where that is asked.
    lead: NDArray[np.float64] | None = None


class Walk:
    """The ways of one tree through a space made of at least the conditions of its tests.

    Where only the class of a mixture matters (`by_class`), a way ends once it is certain. `votes`
    are what answers go by, where that is not what the rows of nodes say (see `Model.decided`); the
    `decision` makes answers of them.
    """

    def __init__(
        self,
        tree: Tree,
        space: Space,
        *,
        by_class: bool = True,
        votes: NDArray[np.float64] | None = None,
        shares: NDArray[np.float64] | None = None,
        decision: Decision = HEAVIEST,
    ) -> None:
        self.tree = tree
        self.space = space
        mixes = space.missing and bool((tree.native.tests.missing == BY_SHARE).any())
        n = tree.native.n_classes
        # Without the leads, ways are followed to their ends: more of them, and the same answers.
        few = tree.node_count * n * n <= _MAX_LEADS
        self._by_class = by_class and n > 1 and mixes and few
        self._values = tree.native.value if shares is None else shares
        self._votes = self._values if votes is None else votes
        self._decision = decision
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
                shares = self.tree.shares(node) if child < 0 else [(child, 1.0)]
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
        return self._sum(way, self._values if self.tree.native.n_classes else self._votes)

    def _sum(self, way: Way, said: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.zeros(said.shape[1])
        for leaf, share in way.leaves:
            total += share * said[leaf]
        return total

    def answer(self, way: Way) -> int:
        """The class, by index, that a way leads to."""
        if way.open:
            assert way.lead is not None
            return int(np.argmax(way.lead.min(axis=1)))
        return int(self._decision.answers(self._sum(way, self._votes)[None])[0])

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

    # Certain before the end -------------------------------------------------------------------

    @cached_property
    def _leads(self) -> NDArray[np.float64]:
        """For nodes, classes and other classes: the least lead over the other in a leaf below."""
        native = self.tree.native
        votes = self._decision.compared(self._votes)  # shares of a way are 1 in all
        leads = votes[:, :, None] - votes[:, None, :]
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


# Rules --------------------------------------------------------------------------------------------


class TooManyRulesError(ModelError):
    """A tree whose rules are more than are written down."""


def extract(
    tree: Tree,
    schema: Schema,
    classes: Sequence[Any] | None,
    census: Census | None = None,
    *,
    missing: bool = True,
    values: bool = False,
    never_missing: Collection[int] = (),
    votes: NDArray[np.float64] | None = None,
    ordered: Collection[int] = (),
    decision: Decision = HEAVIEST,
    shares: NDArray[np.float64] | None = None,
) -> tuple[Rule, ...]:
    """Read the rules of a tree off its leaves.

    With `missing`, they say where missing values go; with `values`, they agree with the tree in
    class shares too. The columns `never_missing` had a value in every training row. The leaves
    `ordered` answer by order; answers go by `votes` (see `Model.decided`) and the `decision`;
    `shares` are what is said of nodes, where that is not their rows' own.
    """
    if reason := too_many_leaves(tree):
        raise TooManyRulesError(
            f"{reason} Hint: prune the tree, or read it by to_text(max_nodes=…)."
        )
    space = Space(schema, conditions_of(tree), missing=missing)
    leaves = _Leaves(tree, classes, census, never_missing, votes, ordered, decision, shares)
    if not (missing and parts_missing(tree)):
        return tuple(leaves.rule((leaf,), asked) for leaf, asked in _paths(tree, space))
    walk = Walk(tree, space, by_class=not values, votes=votes, shares=shares, decision=decision)
    found = ways(walk)
    if found is None:
        raise TooManyRulesError(
            f"{_WAYS} Hint: rules(missing=False) are the rules for rows without a missing value."
        )
    return tuple(leaves.mixed(walk, way, space.conditions(way.box)) for way in found)


def too_many_leaves(tree: Tree) -> str:
    """Why a tree has too many rules whatever becomes of missing values; empty if it has not."""
    if tree.n_leaves <= MAX_RULES:
        return ""
    return tr(
        "The tree has {n:,} leaves, and at most {most:,} rules are written.",
        n=tree.n_leaves,
        most=MAX_RULES,
    )


def parts_missing(tree: Tree) -> bool:
    """Whether a missing value may go several ways, so that a leaf may have several rules."""
    native = tree.native
    return bool(native.surrogates.column.size or (native.tests.missing == BY_SHARE).any())


def ways(walk: Walk, most: int = MAX_RULES, steps: int = _MAX_STEPS) -> list[Way] | None:
    """Every way through a tree to its end, in branch order; None if that is too much."""
    found: list[Way] = []
    stack = [walk.start(walk.space.full)]
    while stack:
        way = stack.pop()
        if walk.ended(way):
            found.append(way)
        else:
            steps -= 1
            stack.extend(reversed(walk.steps(way)))
        if steps < 0 or len(found) > most:
            return None
    return found


def _paths(tree: Tree, space: Space) -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """Every leaf that can be reached with what is asked on the way to it, in branch order.

    A path is kept as the atoms of each column asked: a box of the whole space is as wide as the
    tree has thresholds, and that for every node.
    """
    said: dict[tuple[int, int], Condition] = {}
    stack: list[tuple[int, dict[int, int]]] = [(0, {})]
    while stack:
        node, path = stack.pop()
        test = tree.test(node)
        if test is None:
            yield node, tuple(said[at] for at in sorted(path.items()))
            continue
        field = space.field(test.column)
        now = path.get(test.column, field.full)
        steps = []
        for branch, child in zip(test.branches, tree.children(node), strict=True):
            atoms = now & space.atoms(branch)
            if not atoms:
                continue
            at = (test.column, atoms)
            if atoms != field.full and at not in said:
                said[at] = space.condition(field, atoms)
            steps.append((child, path | {test.column: atoms} if atoms != field.full else path))
        stack.extend(reversed(steps))


def _parted(tree: Tree, never_missing: Collection[int]) -> list[bool]:
    """To which nodes rows may have come in shares, some value on the way being missing."""
    native = tree.native
    shares = native.tests.missing == BY_SHARE
    shares &= ~np.isin(native.tests.column, list(never_missing))
    parted = [False] * native.n_nodes
    if not shares.any():
        return parted
    for node in np.flatnonzero(native.test >= 0).tolist():  # parents come first
        below = parted[node] or bool(shares[native.test[node]])
        for child in tree.children(node):
            parted[child] = below
    return parted


class _Leaves:
    """What the leaves of a tree answer, and what stands behind them."""

    def __init__(
        self,
        tree: Tree,
        classes: Sequence[Any] | None,
        census: Census | None,
        never_missing: Collection[int],
        votes: NDArray[np.float64] | None,
        ordered: Collection[int],
        decision: Decision,
        shares: NDArray[np.float64] | None,
    ) -> None:
        native = tree.native
        self._classes, self._ordered = classes, ordered
        own = native.value if shares is None else shares
        said = own if votes is None else votes
        # as the core sums them: no -0.0
        values: NDArray[np.float64] = (said if classes is None else own) + 0.0
        self._values = values.tolist()
        self._weight = tree.node_weight.tolist()
        # With stand-ins, a leaf's rows are not known rule by rule; nor where shares of rows came,
        # for which its rule does not hold.
        self._rows: list[float] | None = None
        if census is not None and not native.surrogates.column.size:
            self._rows = census.total.tolist()
        self._parted = _parted(tree, never_missing)
        self._answers = [value[0] for value in self._values]
        self._right: list[float] | None = None
        self._turned: frozenset[int] = frozenset()
        if classes is not None:
            best = decision.answers(said)
            turned = np.flatnonzero(decision.turned(own, native.value)).tolist()
            self._turned = frozenset(turned).difference(ordered)
            self._answers = [classes[k] for k in best.tolist()]
            if census is not None:
                self._right = census.by_class[np.arange(len(values)), best].tolist()

    def rule(self, leaves: tuple[int, ...], asked: tuple[Condition, ...]) -> Rule:
        """The rule of one leaf."""
        (leaf,) = leaves
        value = tuple(self._values[leaf])
        answer = self._answers[leaf]
        if self._rows is None or self._parted[leaf]:
            return self._by(Rule(answer, asked, leaves, value=value))
        rows, confidence = self._rows[leaf], None
        if self._right is not None and rows > 0:
            confidence = self._right[leaf] / rows
        counted = (rows, confidence, self._weight[leaf])
        return self._by(Rule(answer, asked, leaves, *counted, value))

    def _by(self, rule: Rule) -> Rule:
        """The rule with those of its leaves that answer otherwise than by their heaviest class."""
        return replace(
            rule,
            by_order=tuple(leaf for leaf in rule.leaves if leaf in self._ordered),
            turned=tuple(leaf for leaf in rule.leaves if leaf in self._turned),
        )

    def mixed(self, walk: Walk, way: Way, asked: tuple[Condition, ...]) -> Rule:
        """The rule of a way, which may end in several leaves at once, or before all are reached."""
        leaves = tuple(sorted(leaf for leaf, _ in way.leaves))
        if not way.open and len(leaves) == 1:
            return self.rule(leaves, asked)
        value = None if way.open else tuple(walk.value(way).tolist())
        if self._classes is not None:
            answer = self._classes[walk.answer(way)]
            return self._by(Rule(answer, asked, leaves, value=value))
        assert value is not None  # of numbers, nothing is certain before the end
        return self._by(Rule(value[0], asked, leaves, value=value))
