"""The constant answer: what every score is to be read beside."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.figures.constant import mean_of, paired_wrongs
from bosco.figures.intervals import Floats
from bosco.judge.data import count_rows
from bosco.settings.settings import Task
from bosco.tree.ties import heaviest

_SQUARED = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")


class AlwaysTheSame(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Say the class of most training rows, whatever the row."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Count the classes."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        weights = np.bincount(codes.reshape(-1), sample_weight, len(self.classes_))
        self.shares_: Floats = weights / weights.sum()
        self.answer_ = self.classes_[heaviest(weights[None])[0]]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the same class for every row."""
        return np.full(count_rows(X), self.answer_, self.classes_.dtype)

    def predict_proba(self, X: Any) -> Floats:
        """Give the shares of the classes in training for every row."""
        return np.tile(self.shares_, (count_rows(X), 1))


class AlwaysTheMean(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Say the mean of the training rows, whatever the row."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Take the mean."""
        self.answer_ = float(np.average(np.asarray(y, np.float64), weights=sample_weight))
        return self

    def predict(self, X: Any) -> Floats:
        """Give the same number for every row."""
        return np.full(count_rows(X), self.answer_)


def constant(task: Task) -> Any:
    """An estimator that does not look at its rows."""
    return AlwaysTheSame() if task == "classification" else AlwaysTheMean()


def says(fitted: Any) -> str:
    """What it always says, in words."""
    if isinstance(fitted, AlwaysTheMean):
        return show_figure(fitted.answer_)
    return show_label(fitted.answer_)


def gain_on_rows(
    metric: str, said: NDArray[Any], answer: Any, y: NDArray[Any], weight: Any
) -> tuple[float, float, float] | None:
    """By how much predictions are better than one answer, row by row, and the interval of that.

    In shares of wrong rows (for balanced accuracy, rows count so that all classes weigh the same),
    absolute errors, or squared errors; None for metrics that are no mean over rows.
    """
    w = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
    if metric in ("accuracy", "balanced_accuracy"):
        if metric == "balanced_accuracy":
            _, codes = np.unique(y, return_inverse=True)
            w = w / np.bincount(codes.reshape(-1), w)[codes.reshape(-1)]
        return paired_wrongs(said != y, y != answer, w)
    if metric == "neg_mean_absolute_error":
        return mean_of(np.abs(answer - y) - np.abs(said - y), w)
    if metric in _SQUARED:
        return mean_of((answer - y) ** 2 - (said - y) ** 2, w)
    return None


def unit_of_gain(metric: str) -> str:
    """What such a gain is counted in, after the number, where it is not what the metric counts."""
    return tr(" in mean squared error") if metric in _SQUARED else ""
