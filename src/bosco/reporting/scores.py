"""How a model does on given rows: figures, confusion matrix, whether leaves keep their word."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.intervals import wilson
from bosco.leaves import Leaves

if TYPE_CHECKING:
    from bosco.model import Model


@dataclass(frozen=True, slots=True)
class Point:
    """What was predicted somewhere, and what was seen there, with an interval (or NaN)."""

    predicted: float
    observed: float
    low: float
    high: float
    rows: float


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """A model on given rows.

    Attributes
    ----------
    rows : int
        How many rows.
    figures : tuple of (str, float, float, float)
        Name, value, and its 95 % interval; NaN where there is none.
    confusion : ndarray or None
        True classes × predicted classes; None for a real target.
    points : tuple of Point
        For each leaf, what the training rows promise and what these rows say.
    """

    rows: int
    figures: tuple[tuple[str, float, float, float], ...]
    confusion: NDArray[np.int64] | None
    points: tuple[Point, ...]


def score(model: "Model", X: Any, y: Any, leaves: Leaves) -> Scores:
    """Predict the rows and compare; `leaves` are those of `Model.recount` with the same rows."""
    frame = model.read(X)
    said = model.predict_frame(frame)
    points = tuple(
        Point(_promised(model, leaf.node), leaf.share, leaf.share_low, leaf.share_high, rows)
        for leaf in leaves
        if (rows := leaf.samples) > 0
    )
    if model.classes is None:
        return Scores(frame.n_rows, _errors(np.asarray(y, np.float64), said), None, points)
    n = len(model.classes)
    confusion = np.zeros((n, n), np.int64)
    np.add.at(confusion, (_codes(np.asarray(y), model), _codes(said, model)), 1)
    right = float(np.trace(confusion) / frame.n_rows)
    low, high = (float(bound) for bound in wilson(right, frame.n_rows))
    figures = (("accuracy", right, low, high), ("error", 1 - right, 1 - high, 1 - low))
    return Scores(frame.n_rows, figures, confusion, points)


def _promised(model: "Model", node: int) -> float:
    """What the training rows of a leaf say of its prediction."""
    at = 0 if model.classes is None else int(model.node_class[node])
    return float(model.tree.native.value[node, at])


def _codes(labels: NDArray[Any], model: "Model") -> NDArray[np.intp]:
    """The place of each label among the classes; that it is one was checked by the recount."""
    assert model.classes is not None
    place = {label: k for k, label in enumerate(model.classes.tolist())}
    found, codes = np.unique(labels, return_inverse=True)
    at: NDArray[np.intp] = np.array([place[label] for label in found.tolist()])[codes]
    return at


def _errors(
    truth: NDArray[np.float64], said: NDArray[np.float64]
) -> tuple[tuple[str, float, float, float], ...]:
    nan = float("nan")
    off = said - truth
    spread = float(np.sum((truth - truth.mean()) ** 2))
    r2 = 1 - float(np.sum(off**2)) / spread if spread else nan
    return (
        ("R²", r2, nan, nan),
        ("mean absolute error", float(np.abs(off).mean()), nan, nan),
        ("root of the mean squared error", float(np.sqrt(np.mean(off**2))), nan, nan),
    )
