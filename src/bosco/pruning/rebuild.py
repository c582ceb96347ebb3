"""One function that rebuilds a tree by a verdict, and writes down why."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import ENGLISH, speaking
from bosco.errors import ModelError
from bosco.pruning.log import Step
from bosco.pruning.policy import Policy, Verdict
from bosco.pruning.subject import Subject, Training
from bosco.tree.census import Census, census_of, take_census
from bosco.tree.tree import Tree, node_of

LISTED = 100_000
"""Up to so many comparisons a log lists them all; of more, those of the nodes that are left."""


class Rebuilt(NamedTuple):
    """A tree after a pruning, what was compared, and every node's number from now on (-1: gone).

    `training` has the rows, where some went to other nodes.
    """

    tree: Tree
    step: Step
    number: NDArray[np.int64]
    training: Training | None

    def census(self, before: Census) -> Census | None:
        """The rows of the nodes that are left."""
        rows = self.training
        if rows is not None:
            shared, n_threads = before.scale != 1, rows.n_threads
            return take_census(
                self.tree, rows.frame, rows.target, shared=shared, n_threads=n_threads
            )
        left = np.flatnonzero(self.number >= 0)
        return census_of(before, left[np.argsort(self.number[left])])


def prune(subject: Subject, policy: Policy) -> Rebuilt:
    """Prune a tree by a policy: a new tree, and what was compared."""
    with speaking(ENGLISH):  # a log goes into the file of the model
        verdict = policy.judge(subject)
    weighed = subject.inner & ~(np.isnan(verdict.kept) & np.isnan(verdict.pruned))
    return rebuild(subject, verdict, weighed, policy.words)


def collapse(subject: Subject, node: int) -> Rebuilt:
    """Make one inner node a leaf: a new tree, and what was done to it."""
    native, node = subject.native, node_of(subject.tree, node)
    if native.test[node] < 0:
        raise ModelError(f"Node {node} is a leaf already: there is nothing to collapse.")
    cut = np.zeros(native.n_nodes, dtype=bool)
    cut[node] = True
    errors = subject.errors
    with speaking(ENGLISH):
        measure = f"{subject.wrong} in training"
    verdict = Verdict(cut, subject.of_leaves(errors), errors, measure)
    return rebuild(subject, verdict, cut, "by hand")


def rebuild(subject: Subject, verdict: Verdict, weighed: NDArray[np.bool_], policy: str) -> Rebuilt:
    """The tree that a verdict leaves, and one entry per node that was weighed."""
    before = subject.native
    cut = np.ascontiguousarray(verdict.cut, dtype=bool)
    number = _core.survivors(before, cut, verdict.stand_in).astype(np.int64)
    stand_in = np.arange(before.n_nodes) if verdict.stand_in is None else verdict.stand_in
    moved = (stand_in != np.arange(before.n_nodes)) & ~cut
    changed = (cut & subject.inner) | moved
    tree, rows = subject.tree, None
    if (changed & (number >= 0)).any():
        native = _core.prune(before, cut, verdict.stand_in)
        raised = moved & (number >= 0)
        if raised.any():  # rows have come to other nodes
            rows = subject.training
            assert rows is not None
            anew = np.zeros(native.n_nodes, dtype=bool)
            anew[number[raised]] = True
            growth, data = subject.growth.for_core(), (rows.frame.native, rows.target.native)
            native = _core.recount(native, *data, growth, anew, rows.n_threads)
        tree = Tree(native, tree.n_features)
    weighed = weighed | changed
    node = np.flatnonzero(weighed)
    compared = len(node)
    if compared > LISTED:
        node = np.flatnonzero(weighed & (number >= 0))
    step = Step(
        policy=policy,
        measure=verdict.measure,
        leaves=(subject.tree.n_leaves, tree.n_leaves),
        node=node,
        now=number[node],
        raised=np.where(moved, stand_in, -1)[node].astype(np.int64),
        weight=subject.tree.node_weight[node],
        kept=verdict.kept[node],
        pruned=verdict.pruned[node],
        leaves_before=subject.tree.leaves_below[node],
        leaves_after=np.where(number >= 0, tree.leaves_below[number], 0)[node],
        changed=changed[node],
        compared=compared,
    )
    return Rebuilt(tree, step, number, rows)
