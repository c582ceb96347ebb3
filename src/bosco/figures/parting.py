"""Where in a tree groups of rows part: how much each question tells of the group a row is in."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.figures.grouping import Grouping
from bosco.figures.intervals import Floats
from bosco.render.card import card, say_test

if TYPE_CHECKING:
    from bosco.models.model import Model

MOST = 3
"""Nodes that are named, those that tell most."""


@dataclass(frozen=True, eq=False)
class Parting:
    """One question, and the groups of the rows that go each way.

    Attributes
    ----------
    node : int
        The node, as the text of the model numbers it.
    question : str
        What it asks.
    tells : float
        How much of all there is to know of the groups (their entropy over all rows) the question
        tells, from 0 to 1. Shares of several nodes add up to at most 1.
    branches : tuple of str
        The ways out.
    rows : ndarray of int64, shape (branches, groups)
        Rows that go each way, by group.
    """

    node: int
    question: str
    tells: float
    branches: tuple[str, ...]
    rows: NDArray[np.int64]


def partings(
    model: "Model", leaves: NDArray[Any], groups: Grouping, most: int = MOST
) -> tuple[Parting, ...]:
    """The nodes whose questions part the groups most, from rows counted by leaf and group."""
    native, n = model.tree.native, len(groups.names)
    nodes = model.tree.node_count
    cells = np.bincount(leaves.astype(np.intp) * n + groups.place, minlength=nodes * n)
    counts = cells.reshape(nodes, n)
    first, children = native.first_child, native.n_children
    for node in range(nodes - 1, -1, -1):  # children come after their parent
        if first[node] >= 0:
            begin = first[node]
            counts[node] += counts[begin : begin + children[node]].sum(axis=0)
    bits = _bits(counts)
    if not bits[0]:
        return ()
    told = np.zeros(nodes)
    for node in np.flatnonzero(first >= 0).tolist():
        begin = first[node]
        told[node] = bits[node] - bits[begin : begin + children[node]].sum()
    order = [node for node in np.argsort(-told, kind="stable").tolist() if told[node] > 0]
    return tuple(_parting(model, node, told[node] / bits[0], counts) for node in order[:most])


def _parting(model: "Model", node: int, tells: float, counts: NDArray[np.int64]) -> Parting:
    said, test = card(model, node), model.tree.test(node)
    assert test is not None
    rows = np.stack([counts[list(branch.children)].sum(axis=0) for branch in said.branches])
    words = tuple(branch.words for branch in said.branches)
    return Parting(node, say_test(model.schema, test), float(tells), words, rows)


def _bits(counts: NDArray[np.int64]) -> Floats:
    """Rows times the entropy of their groups, of every node."""
    whole = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, np.log2(counts / whole), 0.0)
    return np.asarray(-(counts * logs).sum(axis=1), np.float64)
