"""How far a validation score may be off by chance: its standard error."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.judge.metrics import Metrics
from bosco.judge.runs import Run, fit
from bosco.judge.splits import Plan, key

__all__ = ["standard_error"]

_BLOCKS = 20


def standard_error(estimator: Any, plan: Plan, metrics: Metrics, runs: list[Run]) -> float:
    """The standard error of an estimator's score by the first metric.

    Of several splits, that of their mean. Of one, the jackknife's, which serves any metric: the
    score is taken again without each twentieth of the validation rows, and how much it moves tells
    how much it would have moved with other rows. Groups stay together.

    The estimator is not fitted; `runs` is what it did on each split. NaN where there is no telling.
    """
    scores = np.array([run.scores[metrics.names[0]] for run in runs])
    if len(runs) > 1:
        scores = scores[~np.isnan(scores)]
        return float(scores.std(ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else float("nan")
    without = _without_each_block(estimator, plan, metrics)
    without = without[~np.isnan(without)]
    n = len(without)
    return float(np.sqrt((n - 1) * without.var())) if n > 1 else float("nan")


def _without_each_block(estimator: Any, plan: Plan, metrics: Metrics) -> NDArray[np.float64]:
    data, split = plan.data, next(iter(plan))
    X, y = data.take(split.train)
    weights = None if data.weights is None else data.weights[split.train]
    fitted = fit(estimator, X, y, weights, key(plan.seed, split.repeat))
    test = data.part(split.test)
    units = np.arange(test.n_rows)
    if test.groups is not None:
        units = np.unique(test.groups.astype(str), return_inverse=True)[1].reshape(-1)
    n_units = int(units.max()) + 1
    dealt = np.random.default_rng(key(plan.seed, split.repeat)).permutation(n_units)
    block = dealt[units] % min(_BLOCKS, n_units)
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whatever there is to say was said of all rows
        for left_out in range(int(block.max()) + 1):
            rest = test.part(np.flatnonzero(block != left_out))
            if rest.n_rows:
                score = metrics.score(
                    fitted, rest.X, rest.y, rest.weights, "the validation part", partial=True
                )
                scores.append(score[metrics.names[0]])
    return np.array(scores)
