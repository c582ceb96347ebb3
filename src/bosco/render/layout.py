"""Where the nodes of a tree go: a tidy layout for nodes of any size.

Subtrees are set side by side as close as their outlines allow, once from the left and once from the
right, and the two answers are averaged (Kennedy, "Drawing Trees", 1996, after Reingold and
Tilford). What holds for both, no overlap and the order of siblings, holds for the average, which is
symmetric as well. Loops run over node numbers, children after parents, so no tree is too deep.

Levels are as long as their inner nodes. A longer leaf reaches into the levels below, and its
outline with it, so that one long leaf does not push a whole level away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Orientation = Literal["vertical", "horizontal"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Left and top edge of every node, and the size of the whole."""

    x: Floats
    y: Floats
    width: float
    height: float


def place(
    parents: Sequence[int],
    widths: Sequence[float],
    heights: Sequence[float],
    *,
    orientation: Orientation = "vertical",
    gap: float = 16.0,
    level_gap: float = 40.0,
) -> Layout:
    """Place the nodes of a tree in levels, the root at the top ("vertical") or at the left.

    A parent comes before its children; that of the root, node 0, is not read. There is a `gap`
    between neighbours of a level, and another between levels.
    """
    across, along = np.asarray(widths, float), np.asarray(heights, float)
    if orientation == "horizontal":
        across, along = along, across
    depth = np.zeros(len(parents), dtype=np.intp)
    for node in range(1, len(parents)):
        depth[node] = depth[parents[node]] + 1
    inner = np.zeros(len(along), dtype=bool)
    inner[np.asarray(parents[1:], dtype=np.intp)] = True
    level = np.zeros(int(depth.max()) + 1)
    np.maximum.at(level, depth[inner], along[inner])
    start = np.concatenate(([0.0], np.cumsum(level[:-1] + level_gap)))
    second = start[depth]
    reach = np.searchsorted(start - level_gap, second + along, side="left") - depth
    first = _spread(parents, across, np.where(inner, 1, reach), gap) - across / 2
    breadth, length = float((first + across).max()), float((second + along).max())
    if orientation == "horizontal":
        return Layout(second, first, length, breadth)
    return Layout(first, second, breadth, length)


def _spread(parents: Sequence[int], size: Floats, reach: NDArray[np.intp], gap: float) -> Floats:
    """Centre of every node across the tree; the leftmost edge is 0."""
    children: list[list[int]] = [[] for _ in parents]
    for node in range(1, len(parents)):
        children[parents[node]].append(node)
    offset = np.zeros(len(parents))  # of a node from its parent
    outlines: dict[int, tuple[Floats, Floats]] = {}  # left and right edges, level by level
    for node in reversed(range(len(parents))):
        own = np.array([size[node] / 2])
        below = [outlines.pop(child) for child in children[node]]
        if not below:
            edge = np.repeat(own, reach[node])
            outlines[node] = (-edge, edge)
            continue
        shifts = _fit(below, gap)
        offset[children[node]] = shifts
        left, right = _union(below, shifts)
        outlines[node] = (np.concatenate((-own, left)), np.concatenate((own, right)))
    centre = np.zeros(len(parents))
    for node in range(1, len(parents)):
        centre[node] = centre[parents[node]] + offset[node]
    return centre - float((centre - size / 2).min())


def _fit(below: list[tuple[Floats, Floats]], gap: float) -> Floats:
    """Where siblings go, centred on their parent: the mean of two ways of packing them."""
    from_left = _pack(below, gap)
    mirrored = [(-right, -left) for left, right in reversed(below)]
    from_right = -_pack(mirrored, gap)[::-1]
    from_left -= (from_left[0] + from_left[-1]) / 2
    from_right -= (from_right[0] + from_right[-1]) / 2
    mean: Floats = (from_left + from_right) / 2
    return mean


def _pack(below: list[tuple[Floats, Floats]], gap: float) -> Floats:
    """Set outlines side by side, each as far left as it goes."""
    shifts = np.zeros(len(below))
    edge = below[0][1].copy()
    for at, (left, right) in enumerate(below[1:], 1):
        common = min(len(edge), len(left))
        shift = float((edge[:common] - left[:common]).max()) + gap
        shifts[at] = shift
        # It lies beyond all before it; below its end, its taller neighbours are still the edge.
        moved = right + shift
        edge = moved if len(moved) >= len(edge) else np.concatenate((moved, edge[len(moved) :]))
    return shifts


def _union(below: list[tuple[Floats, Floats]], shifts: Floats) -> tuple[Floats, Floats]:
    """The outline around several."""
    levels = max(len(left) for left, _ in below)
    left, right = np.full(levels, np.inf), np.full(levels, -np.inf)
    for (one_left, one_right), shift in zip(below, shifts, strict=True):
        n = len(one_left)
        np.minimum(left[:n], one_left + shift, out=left[:n])
        np.maximum(right[:n], one_right + shift, out=right[:n])
    return left, right
