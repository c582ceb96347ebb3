"""Random forests, in scikit-learn's names."""

from typing import Unpack

from bosco.estimators.ensemble import ForestEstimator
from bosco.estimators.parameters import assign, with_settings
from bosco.estimators.quantiles import Quantiles
from bosco.estimators.roles import Classifier, Regressor
from bosco.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.settings.settings import AS_SCIKIT_LEARN, ClassForest, NumberForest, Trees


@with_settings(**AS_SCIKIT_LEARN, criterion="gini", max_features="sqrt", bootstrap=True)
class RandomForestClassifier(Classifier, ForestEstimator):
    """Many trees, each on its own draw of rows, that vote on a class.

    A drop-in for scikit-learn's class of the same name: its parameters, methods and attributes are
    here, and columns may also be text, categories, booleans, dates or missing. The same data and
    `random_state` give the same forest, bit for bit, for any `n_jobs`.

    Parameters
    ----------
    @parameters

    Attributes
    ----------
    @forest_classes
    @forest_attributes

    Examples
    --------
    >>> from bosco import RandomForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.93
    True
    """

    _single = DecisionTreeClassifier

    def __init__(self, n_estimators: Trees = 100, **given: Unpack[ClassForest]) -> None:
        assign(self, given | {"n_estimators": n_estimators})


@with_settings(**AS_SCIKIT_LEARN, criterion="squared_error", max_features=1.0, bootstrap=True)
class RandomForestRegressor(Quantiles, Regressor, ForestEstimator):
    """Many trees, each on its own draw of rows, whose means are averaged.

    A drop-in for scikit-learn's class of the same name, for one target and squared error; columns
    may also be text, categories, booleans, dates or missing.

    Parameters
    ----------
    @parameters

    Attributes
    ----------
    @forest_attributes
    oob_prediction_ : ndarray of shape (n_rows,)
        Mean of the trees that have not seen the row; NaN where all have.

    Examples
    --------
    >>> import numpy as np
    >>> from bosco import RandomForestRegressor
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> forest = RandomForestRegressor(random_state=0, leaf_rows=True).fit(X, X[:, 0] ** 2)
    >>> low, high = forest.predict_interval([[100.0]], coverage=0.9)[0]
    >>> bool(low <= 100.0**2 <= high)
    True
    """

    _single = DecisionTreeRegressor

    def __init__(self, n_estimators: Trees = 100, **given: Unpack[NumberForest]) -> None:
        assign(self, given | {"n_estimators": n_estimators})
