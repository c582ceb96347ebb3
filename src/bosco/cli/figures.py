"""How wrong a model is on rows that it has not seen, and between which bounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.intervals import mean_interval, wilson
from bosco.render.card import show_share

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
    baseline : float or None
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
    baseline: float | None = None
    says: str = ""
    how: str = ""

    def __str__(self) -> str:
        show = show_share if self.metric == "error" else "{:.4g}".format
        bounds = f"95 % interval {show(self.low)} to {show(self.high)}"
        said = f"test {self.metric}: {show(self.value)}, {bounds} ({self.rows:,} rows{self.how})"
        if self.baseline is None:
            return said
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
    predicted = model.predict(X)
    if model.classes is None:
        root = float(model.tree.native.value[0, 0])
        wrong, idle = np.abs(predicted - y), np.abs(root - y)
        value = float(np.average(wrong, weights=w))
        spread = float(np.sqrt(np.average((wrong - value) ** 2, weights=w) * n / max(n - 1, 1)))
        low, high = mean_interval(value, spread, n)
        metric, says = "mean absolute error", f"{root:.4g}"
        low = np.maximum(low, 0.0)
    else:
        root = model.classes[model.node_class[0]]
        wrong, idle = predicted != y, root != y
        value = float(np.average(wrong, weights=w))
        low, high = wilson(value, n)
        metric, says = "error", str(root)
    how = how if weight is None else f"{how}, weighted: an approximate interval"
    baseline = float(np.average(idle, weights=w))
    return Figure(metric, value, float(low), float(high), len(y), baseline, says, how)


def by_folds(evaluation: Any) -> Figure:
    """The error of an evaluation by accuracy or by the negative mean absolute error."""
    classes = evaluation.classes is not None
    low, high = evaluation.interval
    top = 1.0 if classes else 0.0
    bounds = (top - high, top - low)
    if classes:
        bounds = (max(bounds[0], 0.0), min(bounds[1], 1.0))
    metric = "error" if classes else "mean absolute error"
    how = f", by {evaluation.plan}"
    return Figure(metric, top - evaluation.mean, *bounds, evaluation.n_rows, how=how)
