"""The one door: any estimator, fitted to rows that lie in parts."""

from typing import Any

from bosco.estimators.boost import AdaBoostClassifier
from bosco.estimators.ensemble import ForestEstimator
from bosco.estimators.parameters import check_parameters
from bosco.scale.boosting import boost
from bosco.scale.forests import refuse_rows_here
from bosco.scale.levels import levels
from bosco.scale.parts import Parts, policy_over_parts
from bosco.scale.source import Engine

__all__ = ["fit_parts"]


def fit_parts(estimator: Any, engine: Engine) -> Any:
    """Fit an estimator of one tree, of many or of boosted ones to the rows of an engine's parts.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, RandomForestClassifier, AdaBoostClassifier, ...
        Unfitted, or to be fitted again.
    engine : Engine
        Whose parts have rows.

    Returns
    -------
    estimator
        The same, fitted.
    """
    given = check_parameters(estimator)
    if isinstance(estimator, AdaBoostClassifier):
        return boost(estimator, engine)
    if isinstance(estimator, ForestEstimator):
        refuse_rows_here(estimator)
        rows = Parts(estimator, engine, estimator._spare())
        return estimator._learn_from(rows, estimator._growth(given, rows))
    policy = policy_over_parts(estimator)
    with levels(getattr(estimator, "verbose", 0)) as tell:
        rows = Parts(estimator, engine, tell=tell)
        return estimator._learn_from(rows, estimator._growth(given, rows), policy)
