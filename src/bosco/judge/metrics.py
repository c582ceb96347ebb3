"""What is measured: scikit-learn's scorers by name, a few of one class, or the user's own."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    check_scoring,
    f1_score,
    get_scorer,
    get_scorer_names,
    make_scorer,
    precision_score,
    recall_score,
)

from bosco.errors import ParameterError, did_you_mean
from bosco.settings.settings import Task

DEFAULTS: dict[str, tuple[str, ...]] = {
    "classification": ("accuracy", "balanced_accuracy", "f1_macro"),
    "regression": ("r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"),
}

SHORT = {
    "auc": "roc_auc",
    "log_loss": "neg_log_loss",
    "mae": "neg_mean_absolute_error",
    "mse": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
}
"""Names that people use, and scikit-learn's."""

OF_A_CLASS = {"f1": f1_score, "precision": precision_score, "recall": recall_score}
"""Of one class: ``recall:bad``."""


_SAID = "predictions, not a metric"


class Metrics:
    """Several scorers that share predictions. Larger is better, as scikit-learn has it.

    They are given as `bosco.evaluate` takes them. The `classes` are those that y has, if any.
    """

    def __init__(self, given: Any, task: Task, classes: Any = None) -> None:
        labels = None if classes is None else np.asarray(classes)
        self.scorers = _scorers(DEFAULTS[task] if given is None else given, labels)
        self.names = tuple(self.scorers)

    def score(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        weights: Any,
        where: str,
        *,
        partial: bool = False,
        said: list[Any] | None = None,
    ) -> dict[str, float]:
        """Score a fitted estimator by every metric; `where` tells in messages what is scored.

        `partial`: some part lacks a class, and a metric that then fails is undefined, NaN. `said`
        gets the predictions, so that nobody has to look at the rows again.
        """
        scorers = self.scorers
        if said is not None:  # predictions are shared by all of scikit-learn's scorers

            def keep(_: Any, predicted: Any, **__: Any) -> float:
                said.append(np.asarray(predicted))
                return 0.0

            scorers = {**scorers, _SAID: make_scorer(keep)}
        scorer = check_scoring(estimator, scoring=scorers, raise_exc=False)
        extra = {} if weights is None else {"sample_weight": weights}
        scores = {}
        for name, value in scorer(estimator, X, y, **extra).items():
            if name == _SAID:
                continue
            if isinstance(value, str):  # the traceback of what went wrong
                if partial:
                    scores[name] = float("nan")
                    continue
                why = value.strip().splitlines()[-1]
                raise ParameterError(f"The metric {name!r} failed on {where}. {why}")
            try:
                scores[name] = float(value)
            except (TypeError, ValueError):
                raise ParameterError(
                    f"The metric {name!r} must give one number. Got {value!r:.60}."
                ) from None
        return scores


def _scorers(given: Any, classes: NDArray[Any] | None) -> dict[str, Any]:
    if isinstance(given, str) or callable(given):
        given = [given]
    if isinstance(given, Mapping):
        named = {str(name): _scorer(metric, classes)[1] for name, metric in given.items()}
    else:
        try:
            named = dict(_scorer(metric, classes) for metric in given)
        except TypeError:
            named = {}
    if not named:
        raise ParameterError(
            "metrics must be a name of scikit-learn's, a callable (estimator, X, y) -> number, "
            f"a non-empty sequence of them, or a mapping of names to them. Got {given!r:.60}."
        )
    return named


def _scorer(metric: Any, classes: NDArray[Any] | None) -> tuple[str, Any]:
    """A metric's full name, and what takes it."""
    if callable(metric):
        return getattr(metric, "__name__", "score"), metric
    name, colon, rest = str(metric).partition(":")
    short = name.strip().lower().replace(" ", "_").replace("-", "_")
    if colon and short in OF_A_CLASS:
        only: dict[str, Any] = {"labels": [_label(rest, classes, metric)], "pos_label": None}
        only |= {"average": "macro", "zero_division": np.nan}
        return f"{short}:{rest}", make_scorer(OF_A_CLASS[short], **only)
    if short in OF_A_CLASS and classes is not None and not set(classes.tolist()) <= {0, 1}:
        raise ParameterError(
            f"{metric!r} is of one class: say which, such as {short}:{classes.tolist()[0]}."
        )
    if short == "cost":
        return f"neg_cost:{rest}", _cost(rest, classes, metric)
    full = SHORT.get(short, short)
    if short == "auc" and classes is not None and len(classes) > 2:
        full = "roc_auc_ovr"  # the mean over the classes, each against the rest
    known = get_scorer_names()
    if full not in known:
        names = [*known, *SHORT, *(f"{one}:CLASS" for one in OF_A_CLASS), "cost:CLASS=5"]
        raise ParameterError(
            f"Unknown metric {metric!r}.{did_you_mean(metric, names)} There are "
            "accuracy, balanced_accuracy, auc, log_loss, f1:CLASS, cost:CLASS=5, r2, rmse, mae, …: "
            "sklearn.metrics.get_scorer_names() lists all others; a callable (estimator, X, y) -> "
            "number will do too."
        )
    return full, get_scorer(full)


def _label(text: str, classes: NDArray[Any] | None, metric: Any) -> Any:
    """The label that a name speaks of, as y has it."""
    if classes is None:
        raise ParameterError(f"The metric {metric!r} is of a class, and the target is a number.")
    known = {str(label): label for label in classes.tolist()}
    if text.strip() not in known:
        raise ParameterError(
            f"The metric {metric!r} speaks of the class {text.strip()!r}, and there are "
            f"{', '.join(map(repr, known))}.{did_you_mean(text, known)}"
        )
    return known[text.strip()]


def _cost(prices: str, classes: NDArray[Any] | None, metric: Any) -> Any:
    """The mean cost of a row: nothing if it is right, 1 or its class's price if it is wrong."""
    priced = {}
    for item in filter(None, prices.split(",")):
        label, _, price = item.rpartition("=")
        try:
            priced[_label(label, classes, metric)] = cost = float(price)
        except ValueError as error:
            if isinstance(error, ParameterError):
                raise
            cost = float("nan")
        if not 0 <= cost < np.inf:
            raise ParameterError(f"{metric!r}: what a wrong row costs is a number, 0 or more.")
    if not priced:
        raise ParameterError(
            f"{metric!r} must say what a wrong row of a class costs, such as cost:CLASS=5."
        )

    def mean_cost(y: Any, predicted: Any, sample_weight: Any = None) -> float:
        truth = np.asarray(y)
        cost = np.ones(len(truth))
        for label, price in priced.items():
            cost[truth == label] = price
        return float(np.average(cost * (truth != np.asarray(predicted)), weights=sample_weight))

    return make_scorer(mean_cost, greater_is_better=False)
