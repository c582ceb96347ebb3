"""What the nodes of a draft hold of the rows of a part, counted as rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.drafts.ground import Ground
from bosco.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """The rows of a part at every node of a tree.

    Attributes
    ----------
    rows : ndarray of float64
        How many; parts of rows where missing values share them out.
    by_class : ndarray of float64 or None
        The same by class, the last column those whose class no training row has; None of a real
        target.
    mean, spread : ndarray of float64 or None
        Of a real target: the mean and the standard deviation (divided by n), NaN where there is no
        row. Rows that missing values would share out go one way, as `predict` would not.
    """

    rows: NDArray[np.float64]
    by_class: NDArray[np.float64] | None
    mean: NDArray[np.float64] | None = None
    spread: NDArray[np.float64] | None = None


def holding_of(ground: Ground, tree: Tree, part: str) -> Holding:
    """Count the rows of a part, "training" or "validation", at every node."""
    rows: NDArray[np.uint32] = getattr(ground.parts, part)
    if ground.classes is None:
        return _numbers(ground, tree, rows)
    n, shared = ground.table.n_rows, ground.growth.on_missing.shared
    times = np.zeros(n, np.int64)
    times[rows] = 1
    classes = np.where(ground.truth < 0, ground.n_classes, ground.truth).astype(np.uint32)
    counted, _, _ = _core.census(
        tree.native,
        ground.frame.native,
        classes,
        ground.n_classes + 1,
        times,
        None,
        shared,
        ground.n_threads,
    )
    by_class = counted / (tree.native.count_scale if shared else 1)
    return Holding(by_class.sum(axis=1), by_class)


def _numbers(ground: Ground, tree: Tree, rows: NDArray[np.uint32]) -> Holding:
    training = rows is ground.parts.training
    leaves = ground.training_leaves(tree) if training else ground.leaves(tree, rows)
    y = ground.truth[rows]
    n = tree.node_count
    center = float(y.mean()) if len(y) else 0.0  # sums of squares stay small
    off = y - center

    def added(values: Any) -> NDArray[np.float64]:
        own = np.bincount(leaves, weights=values, minlength=n).astype(np.float64)
        return np.asarray(_core.fold(tree.native, own, "sum"), np.float64)

    counts, sums, squares = added(None), added(off), added(off * off)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums / counts
        spread = np.sqrt(np.maximum(squares / counts - mean**2, 0.0))
    return Holding(counts, None, mean + center, spread)


def rows_at(ground: Ground, tree: Tree, node: int, part: str) -> NDArray[np.uint32]:
    """The rows of a part that come to a node; of shared ones, by their heaviest way."""
    rows: NDArray[np.uint32] = getattr(ground.parts, part)
    if node == 0:
        return rows
    leaves = ground.training_leaves(tree) if part == "training" else ground.leaves(tree, rows)
    below = _core.fold(tree.native, (np.arange(tree.node_count) == node) + 0.0, "most", True) > 0
    found: NDArray[np.uint32] = rows[below[leaves]]
    return found
