"""The rules of a tree: one for each way through it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import Schema
from bosco.errors import ModelError
from bosco.rules.rule import Rule
from bosco.rules.space import Space
from bosco.rules.walk import Walk, Way, conditions_of
from bosco.tree.census import Census
from bosco.tree.conditions import BY_SHARE, Condition
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree

MAX_RULES = 50_000
"""More rules than this are not written down: nobody reads them, and they fill the memory."""

_WAYS = (
    "Missing values go several ways in this tree, and with all their combinations it has more "
    f"than {MAX_RULES:,} rules, or takes too many steps to write them down."
)
_MAX_STEPS = 60_000  # through a tree in which missing values go several ways


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
) -> tuple[Rule, ...]:
    """Read the rules of a tree off its leaves.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    classes : sequence or None
        Its class labels; None for a real target.
    census : Census or None, default=None
        The training rows of its nodes, if they are known.
    missing : bool, default=True
        Whether to say where missing values go.
    values : bool, default=False
        Whether rules must also agree with the tree in class shares, not in the class only.
    never_missing : collection of int, default=()
        Columns that are known to have had a value in every training row.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_
    >>> rules = extract(model.tree, model.schema, ["a", "b"], model.census)
    >>> [(rule.answer, rule.support) for rule in rules]
    [('a', 1.0), ('b', 1.0)]
    """
    if reason := too_many_leaves(tree):
        raise TooManyRulesError(
            f"{reason} Hint: prune the tree, or read it by to_text(max_nodes=…)."
        )
    space = Space(schema, conditions_of(tree), missing=missing)
    leaves = _Leaves(tree, classes, census, never_missing)
    if not (missing and parts_missing(tree)):
        return tuple(leaves.rule((leaf,), asked) for leaf, asked in _paths(tree, space))
    walk = Walk(tree, space, by_class=not values)
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
    return f"The tree has {tree.n_leaves:,} leaves, and at most {MAX_RULES:,} rules are written."


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
    ) -> None:
        native = tree.native
        self._classes = classes
        values: NDArray[np.float64] = native.value + 0.0  # as the core sums them: no -0.0
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
        if classes is not None:
            best = heaviest(values)
            self._answers = [classes[k] for k in best.tolist()]
            if census is not None:
                self._right = census.by_class[np.arange(len(values)), best].tolist()

    def rule(self, leaves: tuple[int, ...], asked: tuple[Condition, ...]) -> Rule:
        """The rule of one leaf."""
        (leaf,) = leaves
        value = tuple(self._values[leaf])
        answer = self._answers[leaf]
        if self._rows is None or self._parted[leaf]:
            return Rule(answer, asked, leaves, value=value)
        rows, confidence = self._rows[leaf], None
        if self._right is not None and rows > 0:
            confidence = self._right[leaf] / rows
        return Rule(answer, asked, leaves, rows, confidence, self._weight[leaf], value)

    def mixed(self, walk: Walk, way: Way, asked: tuple[Condition, ...]) -> Rule:
        """The rule of a way, which may end in several leaves at once, or before all are reached."""
        leaves = tuple(sorted(leaf for leaf, _ in way.leaves))
        if not way.open and len(leaves) == 1:
            return self.rule(leaves, asked)
        value = None if way.open else tuple(walk.value(way).tolist())
        if self._classes is not None:
            return Rule(self._classes[walk.answer(way)], asked, leaves, value=value)
        assert value is not None  # of numbers, nothing is certain before the end
        return Rule(value[0], asked, leaves, value=value)
