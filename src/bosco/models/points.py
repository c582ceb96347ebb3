"""Points: votes of boosted trees as whole numbers, and the shares that they stand for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNIT", "points_of", "shares_of"]

UNIT = float(2**40)
"""One point; parts of it are whole numbers, of which sums are exact."""


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
