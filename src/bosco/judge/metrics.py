"""What is measured: scikit-learn's scorers by name, a few of one class, or the user's own."""

import csv
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
from bosco.judge.constant import AlwaysTheMean, AlwaysTheSame
from bosco.settings.settings import Task
from bosco.tree.costs import cost_table, read_costs

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

    They are given as `bosco.evaluate` takes them. The `classes` are those that y has, if any; where
    an estimator has `costs`, and nothing is asked for, the mean cost of a row decides.
    """

    def __init__(self, given: Any, task: Task, classes: Any = None, costs: Any = None) -> None:
        labels = None if classes is None else np.asarray(classes)
        if given is None and costs is not None and labels is not None:
            given = {"neg_cost": cost_scorer(costs, labels)}
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
    if short == "price":
        return "neg_price", neg_price
    if short == "cost":
        return f"neg_cost:{rest}", _cost(rest, classes, metric)
    full = SHORT.get(short, short)
    if short == "auc" and classes is not None and len(classes) > 2:
        full = "roc_auc_ovr"  # the mean over the classes, each against the rest
    known = get_scorer_names()
    if full not in known:
        names = [*known, *SHORT, *(f"{one}:CLASS" for one in OF_A_CLASS)]
        names += ["cost:CLASS=5", "price"]
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
    """The mean cost of a row: nothing if it is right, else as `read_costs` has it."""
    if classes is None:
        raise ParameterError(f"The metric {metric!r} is of classes, and the target is a number.")
    told = read_costs(_items(prices), repr(metric), free=True)
    if not told:
        raise ParameterError(
            f"{metric!r} must say what a wrong row of a class costs, such as cost:CLASS=5."
        )
    return cost_scorer(told, classes)


def _items(text: str) -> list[str]:
    return [item for row in csv.reader([text]) for item in row if item.strip()]


def neg_price(estimator: Any, X: Any, _: Any, sample_weight: Any = None) -> float:
    """What the answers that a tree asks for cost a row, on average; negative, as errors are."""
    if isinstance(estimator, AlwaysTheSame | AlwaysTheMean):
        return 0.0  # who asks nothing
    model = getattr(estimator, "model_", None)
    if getattr(model, "prices", None) is None:
        raise ParameterError("nothing has a price: it is of an estimator of one tree, ask_costs=…")
    return -float(np.average(model.price(X), weights=sample_weight))  # type: ignore[union-attr]


def cost_of_rows(costs: Any) -> Any:
    """The same of costs alone: the classes are those of the rows that are scored, and fitted to."""

    def neg_cost(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        scorer = cost_scorer(costs, np.asarray(estimator.classes_))
        return float(scorer(estimator, X, y, sample_weight=sample_weight))

    return neg_cost


def cost_scorer(costs: Any, classes: NDArray[Any]) -> Any:
    """A scorer of the mean cost of a row, given costs as estimators take them."""
    labels = classes.tolist()
    table = np.array(cost_table(costs, labels, free=True))
    place = {label: k for k, label in enumerate(labels)}

    def places(y: Any) -> NDArray[np.intp]:
        return np.array([place[label] for label in np.asarray(y).tolist()], np.intp)

    def mean_cost(y: Any, predicted: Any, sample_weight: Any = None) -> float:
        cost = table[places(y), places(predicted)]
        return float(np.average(cost, weights=sample_weight))

    return make_scorer(mean_cost, greater_is_better=False)
