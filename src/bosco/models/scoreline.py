"""A line of a score table: a question, or a deeper tree of them, and the points of its answers.

Points are votes of boosted trees as whole numbers; they stand for shares.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.frame import Frame
from bosco.store.arrays import Pool
from bosco.store.states import questions
from bosco.tree.conditions import Test
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree

UNIT = float(2**40)
"""One point; parts of it are whole numbers, of which sums are exact."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreLine:
    """One question, or one deeper tree of them, and the points of its answers.

    Parameters
    ----------
    tree : Tree
        What is asked; no rows are counted in it. A single leaf asks nothing.
    points : ndarray of int64, shape (n_leaves, n_classes)
        What each leaf, by number, gives to each class, over 2**40.
    rounds : int
        How many rounds asked it.
    """

    tree: Tree
    points: NDArray[np.int64]
    rounds: int

    @property
    def test(self) -> Test | None:
        """The first question; None: the points are given whatever the row is."""
        return self.tree.test(0)

    @property
    def weight(self) -> int:
        """How much the answer can matter: the widest gap between the points of two answers."""
        return int(np.ptp(self.points, axis=0).max())

    def answers(self, frame: Frame, n_threads: int = 1) -> NDArray[np.intp]:
        """The number of the answer, among the leaves, of rows that are read already."""
        native = self.tree.native
        place = np.cumsum(native.first_child < 0) - 1
        found: NDArray[np.intp] = place[_core.route(native, frame.native, n_threads)]
        return found

    def given(self, frame: Frame, n_threads: int = 1) -> NDArray[np.int64]:
        """Points of rows that are read already."""
        return self.points[self.answers(frame, n_threads)]


def bare(tree: Tree, n_classes: int) -> Tree:
    """The questions of a tree without what was counted: rounds count with weights of their own."""
    asked = questions(tree.native.first_child, Pool.of(tree.native.tests), n_classes)
    return Tree(asked, tree.n_features)


def votes_of(tree: Tree, n_classes: int) -> NDArray[np.int64]:
    """One vote of each leaf for the class that it predicts."""
    says = heaviest(tree.native.value)[tree.native.first_child < 0]
    return np.eye(n_classes, dtype=np.int64)[says]


def points_of(coefficients: Any) -> NDArray[np.int64]:
    """Coefficients as whole points over 2**40, of which sums are exact.

    Examples
    --------
    >>> points_of([0.5]) / 2**40
    array([0.5])
    """
    points: NDArray[np.int64] = np.rint(np.asarray(coefficients) * UNIT).astype(np.int64)
    return points


def shares_of(points: NDArray[np.int64], boosting: str) -> NDArray[np.float64]:
    """Probabilities that points stand for, if boosting fits an additive logistic model.

    Points are over 2**40, by row and class. Of two classes the coefficients of "samme" are twice as
    large as those of "discrete".

    Examples
    --------
    >>> shares_of(np.array([[0, 2**40]]), "samme").round(3)
    array([[0.269, 0.731]])
    """
    from scipy.special import expit, softmax

    n_classes = points.shape[1]
    if n_classes == 2:
        margin = (points[:, 1] - points[:, 0]) / UNIT
        of_second = expit(margin if boosting == "samme" else 2 * margin)
        return np.column_stack([1 - of_second, of_second])
    shares: NDArray[np.float64] = softmax(points / UNIT / max(1, n_classes - 1), axis=1)
    return shares
