"""How wrong a model is on rows that it has not seen, and between which bounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.intervals import mean_interval, wilson
from bosco.majority import heaviest
from bosco.render.card import show_share
from bosco.visible import visible

__all__ = ["Figure", "by_folds", "judged"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One error with its interval.

    Attributes
    ----------
    metric : str
        error (the share of wrong rows), or mean absolute error.
    value, low, high : float
        The figure, and its 95 % interval.
    rows : int
        How many rows it was taken on.
    baseline : float
        The same figure of whoever always says what most rows are, or their mean.
    says : str
        What that would be.
    how : str
        How it was taken.
    """

    metric: str
    value: float
    low: float
    high: float
    rows: int
    baseline: float
    says: str
    how: str = ""

    def __str__(self) -> str:
        show = show_share if self.metric == "error" else "{:.4g}".format
        bounds = f"95 % interval {show(self.low)} to {show(self.high)}"
        said = f"test {self.metric}: {show(self.value)}, {bounds} ({self.rows:,} rows{self.how})"
        return f"{said}; always saying {self.says}: {show(self.baseline)}"

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "how"}


def judged(model: Any, X: Any, y: NDArray[Any], weight: Any = None, how: str = "") -> Figure:
    """Judge a model by rows that it was not grown on.

    Shares of wrong rows have Wilson's interval, mean absolute errors Student's; weighted rows count
    as (Σw)² / Σw² rows, which is an approximation.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]).model_
    >>> print(judged(model, [[0.0], [5.0], [6.0], [7.0]], np.array(["a", "b", "b", "a"])))
    test error: 25.0 %, 95 % interval 4.6 % to 69.9 % (4 rows); always saying b: 50.0 %
    """
    w = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
    n = float(w.sum() ** 2 / (w @ w))
    wrong = _wrong(model, model.predict(X), y)
    value = float(np.average(wrong, weights=w))
    if model.classes is None:
        spread = float(np.sqrt(np.average((wrong - value) ** 2, weights=w) * n / max(n - 1, 1)))
        low, high = mean_interval(value, spread, n)
        low = np.maximum(low, 0.0)
    else:
        low, high = wilson(value, n)
    how = how if weight is None else f"{how}, weighted: an approximate interval"
    bounds = float(low), float(high)
    return Figure(_metric(model), value, *bounds, len(y), *_idle(model, y, w), how=how)


def by_folds(evaluation: Any, model: Any, y: NDArray[Any]) -> Figure:
    """The error of an evaluation by accuracy, or by the negative mean absolute error."""
    top = 0.0 if model.classes is None else 1.0
    low, high = (max(top - end, 0.0) for end in reversed(evaluation.interval))
    high = high if model.classes is None else min(high, 1.0)
    return Figure(
        _metric(model),
        top - evaluation.mean,
        low,
        high,
        len(y),
        *_idle(model, y, np.ones(len(y))),
        how=f", by {evaluation.plan}",
    )


def _metric(model: Any) -> str:
    return "mean absolute error" if model.classes is None else "error"


def _wrong(model: Any, predicted: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    """How wrong each row is."""
    apart = np.abs(predicted - y) if model.classes is None else predicted != y
    return np.asarray(apart, np.float64)


def _idle(model: Any, y: NDArray[Any], w: NDArray[np.float64]) -> tuple[float, str]:
    """What it costs to say always what most rows are, or their mean, and what that is."""
    root = _root(model)
    if model.classes is None:
        says = f"{root[0]:.4g}"
        return float(np.average(_wrong(model, float(root[0]), y), weights=w)), says
    if root is None:  # points count no rows; what most of these are is the hardest to beat
        labels, at = np.unique(y, return_inverse=True)
        usual = labels[heaviest(np.bincount(at.reshape(-1), w)[None])[0]]
    else:
        usual = model.classes[heaviest(root[None])[0]]
    return float(np.average(_wrong(model, usual, y), weights=w)), visible(str(usual))


def _root(model: Any) -> Any:
    """Shares of the classes, or the mean, of all rows that a model was grown on; None: not kept."""
    if hasattr(model, "native"):  # a forest
        roots = [model.native.tree(t).value[0] for t in range(model.n_trees)]
        return np.average(roots, axis=0, weights=model.tree_weights)
    return model.tree.native.value[0] if hasattr(model, "tree") else None
