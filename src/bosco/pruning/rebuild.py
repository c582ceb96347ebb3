"""One function that rebuilds a tree by a verdict, and writes down why."""

from operator import index

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.errors import ModelError, ParameterError, did_you_mean
from bosco.pruning.complexity import CostComplexity
from bosco.pruning.critical import CriticalValue
from bosco.pruning.description import MinimumDescriptionLength
from bosco.pruning.errors import GeneralizationError, ReducedError, SameAnswer
from bosco.pruning.log import Step
from bosco.pruning.pessimistic import Pessimistic
from bosco.pruning.policy import Policy, Verdict
from bosco.pruning.subject import Subject
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


def prune(subject: Subject, policy: Policy) -> tuple[Tree, Step]:
    """Prune a tree by a policy: a new tree, and what was done to it."""
    return rebuild(subject, policy.judge(subject), repr(policy))


def collapse(subject: Subject, node: int) -> tuple[Tree, Step]:
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


def rebuild(subject: Subject, verdict: Verdict, policy: str) -> tuple[Tree, Step]:
    """The tree that a verdict leaves, and one entry per node that it changed."""
    before = subject.native
    cut = np.ascontiguousarray(verdict.cut, dtype=bool)
    number = _core.survivors(before, cut, verdict.stand_in)
    stand_in = np.arange(before.n_nodes) if verdict.stand_in is None else verdict.stand_in
    moved = (stand_in != np.arange(before.n_nodes)) & ~cut
    node = np.flatnonzero(((cut & subject.inner) | moved) & (number >= 0))
    tree = subject.tree
    if len(node):
        native = _core.prune(before, cut, verdict.stand_in)
        if moved[node].any():  # rows have come to other nodes
            assert subject.training is not None
            rows = subject.training
            changed = np.zeros(native.n_nodes, dtype=bool)
            changed[number[node[moved[node]]]] = True
            growth = subject.growth.to_dict()
            native = _core.retally(native, changed, rows.frame, rows.target, growth, rows.n_threads)
        tree = Tree(native, tree.n_features)
    return tree, Step(
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


def _leaves(tree: _core.Tree) -> NDArray[np.int64]:
    """Number of leaves below every node."""
    counted: NDArray[np.float64] = _core.fold(tree, (tree.test < 0).astype(np.float64), "sum")
    return counted.astype(np.int64)
