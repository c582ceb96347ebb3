"""Which nodes of a tree are opened when not all can be shown: the heaviest first."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bosco.models.model import Model


def opened_nodes(
    model: "Model",
    max_depth: int | None,
    max_nodes: int | None,
    *,
    max_branches: int | None = None,
    keep: Iterable[int] = (),
) -> NDArray[np.bool_]:
    """Which inner nodes to open: not too deep, the heaviest first, while `max_nodes` lasts.

    A node of more than `max_branches` is shown with so many. Those to `keep`, such as the path of a
    case, are opened before all others, with their ancestors.
    """
    tree, native = model.tree, model.tree.native
    opened = native.first_child >= 0
    if max_depth is not None:
        opened &= tree.depth < max_depth
    if max_nodes is not None and tree.node_count > max_nodes:
        wanted = np.zeros(tree.node_count, dtype=bool)
        wanted[list(keep)] = True
        inner = np.flatnonzero(opened)
        # A parent weighs no less than its child and has a lower number, so it is opened before it.
        order = inner[np.lexsort((-tree.node_weight[inner], ~wanted[inner]))]
        width = native.n_children[order]
        if max_branches is not None:
            width = np.minimum(width, max_branches)
        fits = (1 + np.cumsum(width) <= max_nodes) | wanted[order]
        opened = np.zeros_like(opened)
        opened[order[fits]] = True
    return opened
