"""How a model does on given rows: figures, confusion matrix, whether it keeps its word."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import DataError
from bosco.intervals import mean_interval, wilson
from bosco.leaves import Leaves
from bosco.target import encode_among, encode_values

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
        For each leaf, what the training rows promise and what these rows say; of many trees, by
        how sure they are.
    ahead : tuple of Point
        Of points to add up: how far the prediction is ahead of the next, and how often it is right.
    """

    rows: int
    figures: tuple[tuple[str, float, float, float], ...]
    confusion: NDArray[np.int64] | None
    points: tuple[Point, ...]
    ahead: tuple[Point, ...] = ()


def score(model: "Model", X: Any, y: Any, leaves: Leaves, predicted: Any = None) -> Scores:
    """Predict the rows and compare; `leaves` are those of `Model.recount` with the same rows."""
    said = _said(model, lambda: model.read(X), predicted, len(y))
    points = tuple(
        Point(_promised(model, leaf.node), leaf.share, leaf.share_low, leaf.share_high, rows)
        for leaf in leaves
        if (rows := leaf.samples) > 0
    )
    if model.classes is None:
        return Scores(len(said), _errors(np.asarray(y, np.float64), said), None, points)
    confusion = _confusion(_codes(np.asarray(y), model), _codes(said, model), len(model.classes))
    return Scores(len(said), _right(confusion), confusion, points)


def _said(model: Any, read: Callable[[], Any], predicted: Any, n: int) -> NDArray[Any]:
    """What the model predicts for rows, unless that is known already."""
    if predicted is None:
        return np.asarray(model.predict_frame(read()))
    said = np.asarray(predicted)
    if said.shape != (n,):
        raise DataError(f"X has {n} rows, but predicted has the shape {said.shape}.")
    return said


def truth_of(model: Any, frame: Any, y: Any) -> NDArray[Any]:
    """What is true of rows: numbers, or places among the classes of the model; checked."""
    if model.classes is None:
        truth: NDArray[Any] = encode_values(y, None, False).numbers
    else:
        truth = encode_among(y, model.classes, None, False).codes
    if frame.n_rows != len(truth):
        raise DataError(
            f"X has {frame.n_rows} rows and y {len(truth)}; they must have equally many."
        )
    return truth


def score_many(model: Any, frame: Any, truth: NDArray[Any], predicted: Any = None) -> Scores:
    """The same of many trees, for rows that are read already; `truth` is from `truth_of`."""
    said = _said(model, lambda: frame, predicted, frame.n_rows)
    if model.classes is None:
        return Scores(frame.n_rows, _errors(truth, said), None, _gathered(said, truth, real=True))
    guess = _codes(said, model)
    confusion = _confusion(truth, guess, len(model.classes))
    right = np.asarray(truth == guess, np.float64)
    if hasattr(model, "points_frame"):
        best = np.sort(model.points_frame(frame) / 2.0**40, axis=1)
        ahead = _gathered(best[:, -1] - best[:, -2], right, edges=4)
        return Scores(frame.n_rows, _right(confusion), confusion, (), ahead)
    sure = model.values_frame(frame).max(axis=1)
    return Scores(frame.n_rows, _right(confusion), confusion, _gathered(sure, right))


def _gathered(
    said: NDArray[np.float64], seen: NDArray[np.float64], *, real: bool = False, edges: int = 0
) -> tuple[Point, ...]:
    """Rows of like predictions together: by tenths of a share, else by as many quantiles."""
    cuts = np.linspace(0.1, 0.9, 9)
    if real or edges:
        cuts = np.unique(np.quantile(said, np.linspace(0, 1, (edges or 10) + 1)[1:-1]))
    place = np.searchsorted(cuts, said)
    found = []
    for at in np.unique(place).tolist():
        these = seen[place == at]
        mean, n = float(these.mean()), len(these)
        spread = float(these.std(ddof=1)) if n > 1 else 0.0
        low, high = mean_interval(mean, spread, n) if real else wilson(mean, n)
        found.append(Point(float(said[place == at].mean()), mean, float(low), float(high), n))
    return tuple(found)


def _confusion(truth: NDArray[Any], guess: NDArray[Any], n: int) -> NDArray[np.int64]:
    counts = np.zeros((n, n), np.int64)
    np.add.at(counts, (truth, guess), 1)
    return counts


def _right(confusion: NDArray[np.int64]) -> tuple[tuple[str, float, float, float], ...]:
    """The shares of right and wrong rows."""
    n = int(confusion.sum())
    right = float(np.trace(confusion) / n)
    low, high = (float(bound) for bound in wilson(right, n))
    return ("accuracy", right, low, high), ("error", 1 - right, 1 - high, 1 - low)


def _promised(model: "Model", node: int) -> float:
    """What the training rows of a leaf say of its prediction."""
    at = 0 if model.classes is None else int(model.node_class[node])
    return float(model.tree.native.value[node, at])


def _codes(labels: NDArray[Any], model: Any) -> NDArray[np.intp]:
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
