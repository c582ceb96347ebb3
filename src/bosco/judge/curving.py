"""`curves`: a classifier on given rows, bar by bar."""

from typing import Any

import numpy as np

from bosco.data.fingerprint import Seen
from bosco.data.readers import given_to_fit
from bosco.data.target import encode_among
from bosco.data.weights import read_weights
from bosco.errors import DataError, ParameterError
from bosco.figures.curved import Curves, curves_of_scores, curves_on
from bosco.figures.figure import codes_of, truth_of
from bosco.figures.scored import Scored
from bosco.judge.data import count_rows, take_rows
from bosco.tree.family import AnyModel


def curves(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    positive: Any = None,
    threshold: float | None = None,
    costs: Any = None,
) -> Curves:
    """ROC, precision and recall, gain, lift, cost and calibration of a classifier on given rows.

    Parameters
    ----------
    model : Model, ForestModel, ScoreTable, or any fitted classifier with ``predict_proba``
        What is judged. A model of bosco's, or an estimator that has one, tells rows that equal its
        training rows apart.
    X, y, sample_weight
        Rows, best ones that it was not grown on; every label one of its classes.
    positive : label, optional
        The class that is looked for, by itself or by its name. If it is not said, of two classes
        the second, as in scikit-learn; of several each against all others.
    threshold : float, optional
        The bar: a row whose score is so high or higher is said to be of the class. The confusion
        is counted there; if it is not said, as the model answers by itself.
    costs : mapping or matrix, optional
        Of two classes, what a wrong answer costs, as the estimators take it: ``{"bad": {"good":
        5}}`` for a bad one that is said to be good. What is not named costs 1. If it is not said,
        what the model itself goes by.

    Returns
    -------
    Curves
        ``print`` it; ``to_dict()`` has a row for each bar, `bosco.plot` draws it.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = bosco.DecisionTreeClassifier(max_depth=3).fit(X[:300], y[:300])
    >>> found = bosco.curves(tree, X[300:], y[300:], positive=0, costs={0: {1: 10}})
    >>> round(found[0].cheapest, 2)
    0.99
    """
    asked = {"positive": positive, "threshold": threshold, "costs": costs}
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    own = getattr(model, "model_", model)
    if isinstance(own, AnyModel):
        frame = own.read(X)
        truth = truth_of(own, frame, y)
        weight, keep = read_weights(sample_weight, frame.n_rows)
        if keep is not None:  # a row of weight 0 is absent
            frame, truth = own.read(frame.given.take(keep)), truth[keep]
        return curves_on(own, frame, truth, weight, **asked)
    if not (hasattr(model, "predict_proba") and hasattr(model, "classes_")):
        raise ParameterError(
            f"curves wants a model of bosco's, or a fitted classifier with predict_proba. "
            f"Got {type(model).__name__}. Hint: fit it first."
        )
    n, classes = count_rows(X), np.asarray(model.classes_)
    truth = encode_among(y, classes, None, False).codes
    if n != len(truth):
        raise DataError(f"X has {n} rows and y {len(truth)}; they must have equally many.")
    weight, keep = read_weights(sample_weight, n)
    if keep is not None:
        X, truth = take_rows(X, np.flatnonzero(keep)), truth[keep]
    shares = np.asarray(model.predict_proba(X), np.float64)
    said = codes_of(np.asarray(model.predict(X)), classes)

    def count(k: int, rows: Any, own: Any, w: Any) -> Scored:
        return Scored.of_rows(shares[rows, k], own, w)

    nothing = Seen(len(truth), None, None)
    return curves_of_scores(count, classes, truth, said, weight, nothing, **asked)
