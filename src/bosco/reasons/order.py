"""In which order the nodes of a tree were grown, and what leads to each."""

import heapq
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bosco.render.card import say

if TYPE_CHECKING:
    from bosco.models.model import Model


def as_grown(model: "Model") -> Iterator[int]:
    """The nodes as they were grown: `key` says which of those at hand is next."""
    tree, order = model.tree, model.growth.order
    worth = tree.native.gain * tree.node_weight
    waiting: list[tuple[Any, int]] = [((), 0)]
    while waiting:
        key, node = heapq.heappop(waiting)
        yield node
        for branch, child in enumerate(tree.children(node)):
            by = {"depth": (*key, branch), "best": (-worth[child],)}.get(order, (child,))
            heapq.heappush(waiting, (by, child))


def led_by(model: "Model", node: int) -> tuple[str, ...]:
    """The conditions on the way to a node, in words."""
    said = []
    for above, below in pairwise(model.tree.path(node)):
        test = model.tree.test(above)
        assert test is not None
        branch = test.branches[below - model.tree.children(above)[0]]
        said.append(say(model.schema, branch, missing=False))
    return tuple(said)
