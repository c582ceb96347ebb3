"""What is measured: scikit-learn's scorers by name, or the user's own."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names, make_scorer

from bosco.errors import ParameterError, did_you_mean
from bosco.growth import Task

__all__ = ["DEFAULTS", "Metrics"]

DEFAULTS: dict[str, tuple[str, ...]] = {
    "classification": ("accuracy", "balanced_accuracy", "f1_macro"),
    "regression": ("r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"),
}


_SAID = "predictions, not a metric"


class Metrics:
    """Several scorers that share predictions. Larger is better, as scikit-learn has it.

    Parameters
    ----------
    given : str, callable, sequence of both, mapping of names to both, or None
        Names of scikit-learn's scorers, or callables ``(estimator, X, y) -> float``.
    task : {"classification", "regression"}
        What the defaults are for.

    Examples
    --------
    >>> Metrics("accuracy", "classification").names
    ('accuracy',)
    >>> Metrics("acuracy", "classification")
    Traceback (most recent call last):
    bosco.errors.ParameterError: Unknown metric 'acuracy'. Did you mean 'accuracy'? ...
    """

    def __init__(self, given: Any, task: Task) -> None:
        self.scorers = _scorers(DEFAULTS[task] if given is None else given)
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
        """Score a fitted estimator by every metric.

        Parameters
        ----------
        estimator : fitted estimator
        X, y, weights
            The rows to score on; weights None: all 1.
        where : str
            What is being scored, for messages.
        partial : bool, default=False
            Some part lacks a class: a metric that then fails is undefined, NaN.
        said : list, optional
            Gets the predictions, so that nobody has to look at the rows again.
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


def _scorers(given: Any) -> dict[str, Any]:
    if isinstance(given, str) or callable(given):
        given = [given]
    if isinstance(given, Mapping):
        named = dict(given)
    else:
        try:
            named = {m if isinstance(m, str) else getattr(m, "__name__", "score"): m for m in given}
        except TypeError:
            named = {}
    if not named:
        raise ParameterError(
            "metrics must be a name of scikit-learn's, a callable (estimator, X, y) -> number, "
            f"a non-empty sequence of them, or a mapping of names to them. Got {given!r:.60}."
        )
    return {str(name): _scorer(metric) for name, metric in named.items()}


def _scorer(metric: Any) -> Any:
    if callable(metric):
        return metric
    known = get_scorer_names()
    if metric not in known:
        raise ParameterError(
            f"Unknown metric {metric!r}.{did_you_mean(metric, known)} "
            "sklearn.metrics.get_scorer_names() lists all; a callable (estimator, X, y) -> number "
            "will do too."
        )
    return get_scorer(metric)
