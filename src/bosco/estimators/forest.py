"""Random forests and extra-trees, in scikit-learn's names."""

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

    @parameters

    @forest_of_classes

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
    """Many trees, each on its own draw of rows, whose answers are averaged.

    A drop-in for scikit-learn's class of the same name, by squared error, Poisson's deviance,
    absolute error or a quantile's loss. Whatever the leaves say, means or medians, the forest says
    the mean of it over the trees. Columns may also be text, categories, booleans, dates or missing.

    @parameters

    @forest_of_numbers

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


@with_settings(**AS_SCIKIT_LEARN, criterion="gini", max_features="sqrt", bootstrap=False)
class ExtraTreesClassifier(Classifier, ForestEstimator):
    """Many trees that draw their cuts, and vote on a class.

    A drop-in for scikit-learn's class of the same name. Each node draws one cut per column at
    random and takes the best of those; every tree sees all rows, unless `bootstrap` says
    otherwise.

    @parameters

    @forest_of_classes

    Examples
    --------
    >>> from bosco import ExtraTreesClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _single = DecisionTreeClassifier
    splitter = "random"

    def __init__(self, n_estimators: Trees = 100, **given: Unpack[ClassForest]) -> None:
        assign(self, given | {"n_estimators": n_estimators})


@with_settings(**AS_SCIKIT_LEARN, criterion="squared_error", max_features=1.0, bootstrap=False)
class ExtraTreesRegressor(Quantiles, Regressor, ForestEstimator):
    """Many trees that draw their cuts, whose answers are averaged.

    A drop-in for scikit-learn's class of the same name, by squared error, Poisson's deviance,
    absolute error or a quantile's loss. Each node draws one cut per column at random and takes the
    best of those.

    @parameters

    @forest_of_numbers

    Examples
    --------
    >>> from bosco import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(n_estimators=10, random_state=0)
    >>> forest.fit([[1], [2], [3], [4]], [0.0, 0.0, 2.0, 4.0]).predict([[1], [4]])
    array([0., 4.])
    """

    _single = DecisionTreeRegressor
    splitter = "random"

    def __init__(self, n_estimators: Trees = 100, **given: Unpack[NumberForest]) -> None:
        assign(self, given | {"n_estimators": n_estimators})
