"""One function that rebuilds a tree by a verdict, and writes down why."""

from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.census import Census, take_census
from bosco.errors import ModelError, ParameterError, did_you_mean
from bosco.pruning.complexity import CostComplexity
from bosco.pruning.critical import CriticalValue
from bosco.pruning.description import MinimumDescriptionLength
from bosco.pruning.errors import GeneralizationError, ReducedError, SameAnswer
from bosco.pruning.log import Step
from bosco.pruning.pessimistic import Pessimistic
from bosco.pruning.policy import Policy, Verdict
from bosco.pruning.subject import Subject, Training
from bosco.tree import Tree

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        GeneralizationError,
        ReducedError,
        CostComplexity,
        Pessimistic,
        MinimumDescriptionLength,
        CriticalValue,
        SameAnswer,
    )
}
"""The policies by name."""


def policy_named(policy: Policy | str) -> Policy:
    """A policy, or the one of that name with its defaults.

    Examples
    --------
    >>> policy_named("pessimistic")
    Pessimistic(confidence=0.25, raising=True)
    """
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, str) and policy in POLICIES:
        return POLICIES[policy]()
    raise ParameterError(
        f"Pruning needs a policy of bosco.pruning, or the name of one: "
        f"{', '.join(map(repr, POLICIES))}. Got {policy!r}."
        + did_you_mean(policy, [*POLICIES, *(p.__name__ for p in POLICIES.values())])
    )


class Pruned(NamedTuple):
    """A pruned tree, what was done, and where its nodes come from.

    `origin` has the old number of each node; `training` the rows, where some went to other nodes.
    """

    tree: Tree
    step: Step
    origin: NDArray[np.int64]
    training: Training | None

    def census(self, before: Census) -> Census | None:
        """The rows of the nodes that are left."""
        if self.training is None:
            return before.at(self.origin)
        frame, target, n_threads = (
            self.training.frame,
            self.training.target,
            self.training.n_threads,
        )
        shared = before.scale != 1
        return take_census(self.tree, frame, target, shared=shared, n_threads=n_threads)


def prune(subject: Subject, policy: Policy) -> Pruned:
    """Prune a tree by a policy: a new tree, and what was done to it."""
    return rebuild(subject, policy.judge(subject), repr(policy))


def collapse(subject: Subject, node: int) -> Pruned:
    """Make one inner node a leaf: a new tree, and what was done to it."""
    native = subject.native
    try:
        node = index(node)
    except TypeError:
        message = f"A node is asked for by its number, as the text shows it. Got {node!r}."
        raise ModelError(message) from None
    if not 0 <= node < native.n_nodes:
        raise ModelError(f"There is no node {node}: the tree has nodes 0 to {native.n_nodes - 1}.")
    if native.test[node] < 0:
        raise ModelError(f"Node {node} is a leaf already: there is nothing to collapse.")
    cut = np.zeros(native.n_nodes, dtype=bool)
    cut[node] = True
    what = "wrong rows" if subject.classes is not None else "squared error"
    errors = subject.errors
    verdict = Verdict(cut, subject.of_leaves(errors), errors, f"{what} in training")
    return rebuild(subject, verdict, "by hand")


def rebuild(subject: Subject, verdict: Verdict, policy: str) -> Pruned:
    """The tree that a verdict leaves, and one entry per node that it changed."""
    before = subject.native
    cut = np.ascontiguousarray(verdict.cut, dtype=bool)
    number = _core.survivors(before, cut, verdict.stand_in)
    stand_in = np.arange(before.n_nodes) if verdict.stand_in is None else verdict.stand_in
    moved = (stand_in != np.arange(before.n_nodes)) & ~cut
    node = np.flatnonzero(((cut & subject.inner) | moved) & (number >= 0))
    tree, moved_rows = subject.tree, None
    if len(node):
        native = _core.prune(before, cut, verdict.stand_in)
        if moved[node].any():  # rows have come to other nodes
            moved_rows = rows = subject.training
            assert rows is not None
            changed = np.zeros(native.n_nodes, dtype=bool)
            changed[number[node[moved[node]]]] = True
            growth = subject.growth.to_dict()
            data = (rows.frame.native, rows.target.native)
            native = _core.retally(native, changed, *data, growth, rows.n_threads)
        tree = Tree(native, tree.n_features)
    step = Step(
        policy=policy,
        measure=verdict.measure,
        leaves=(subject.tree.n_leaves, tree.n_leaves),
        node=node,
        now=number[node].astype(np.int64),
        raised=np.where(moved, stand_in, -1)[node].astype(np.int64),
        weight=subject.tree.node_weight[node],
        kept=verdict.kept[node],
        pruned=verdict.pruned[node],
        leaves_before=_leaves(before)[node],
        leaves_after=_leaves(tree.native)[number[node]],
    )
    left = np.flatnonzero(number >= 0)
    return Pruned(tree, step, left[np.argsort(number[left])], moved_rows)


def _leaves(tree: _core.Tree) -> NDArray[np.int64]:
    """Number of leaves below every node."""
    counted: NDArray[np.float64] = _core.fold(tree, (tree.test < 0).astype(np.float64), "sum")
    return counted.astype(np.int64)
