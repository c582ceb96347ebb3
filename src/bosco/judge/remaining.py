"""`residuals`: a regression on given rows, and what it leaves over."""

from typing import Any

import numpy as np

from bosco.data.readers import given_to_fit
from bosco.data.weights import read_weights
from bosco.figures.figure import truth_of
from bosco.figures.residuals import LEVELS, Intervals, Residuals, residuals_on
from bosco.judge.data import take_rows
from bosco.tree.family import model_of


def residuals(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Residuals:
    """What a model of numbers leaves over on given rows, and how far it may err.

    Parameters
    ----------
    model : Model, ForestModel, or a fitted estimator that has one
        What is judged. A forest that gives quantiles (``leaf_rows=True``) has its intervals
        judged, too.
    X, y, sample_weight
        Rows, best ones that it was not grown on. Those that equal training rows are left out, if
        there are others.

    Returns
    -------
    Residuals
        What is true less what is predicted, by what is predicted; how far so many of the rows are
        off at most; whether intervals hold what they promise. ``print`` it.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = bosco.DecisionTreeRegressor(max_depth=3).fit(X[:300], y[:300])
    >>> found = bosco.residuals(tree, X[300:], y[300:])
    >>> [round(one.predicted) for one in found.bins]
    [91, 129, 160, 174, 234, 275]
    """
    own = model_of(model, "residuals wants a model of bosco's, or a fitted estimator that has one.")
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    frame = own.read(X)
    truth = truth_of(own, frame, y)
    weight, keep = read_weights(sample_weight, frame.n_rows)
    if keep is not None:  # a row of weight 0 is absent
        X = take_rows(X, np.flatnonzero(keep))
        frame, truth = own.read(frame.given.take(keep)), truth[keep]
    return residuals_on(own, frame, truth, weight, intervals=_intervals(model, X))


def _intervals(model: Any, X: Any) -> Intervals | None:
    """Those that a forest gives, if it keeps the rows of its leaves."""
    if getattr(model, "_leaf_rows", None) is None:
        return None
    ends = {share: model.predict_interval(X, coverage=share) for share in LEVELS}
    return {share: (both[:, 0], both[:, 1]) for share, both in ends.items()}
