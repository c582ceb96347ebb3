"""DecisionTreeClassifier and DecisionTreeRegressor."""

from typing import Any, Unpack

from bosco.estimators.base import TreeEstimator
from bosco.estimators.parameters import assign, with_settings
from bosco.estimators.roles import Classifier, Regressor
from bosco.settings.settings import ClassTree, NumberTree


@with_settings()
class DecisionTreeClassifier(Classifier, TreeEstimator):
    """A decision tree that predicts classes.

    A drop-in for scikit-learn's class of the same name: its parameters, methods and attributes are
    here, the trees are the same where the data have no ties, and columns may also be text,
    categories, booleans, dates or missing. What was learned is in ``model_``; print it.

    @parameters

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted. Of equally heavy classes a leaf predicts the first,
        of two the second. Where y has several columns, a list: of each.
    n_classes_ : int
        Number of classes; a list, too.
    @attributes

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> X, y = golf()
    >>> clf = DecisionTreeClassifier(algorithm="c45").fit(X, y)
    >>> clf.score(X, y)
    1.0
    >>> clf.predict({"outlook": ["sunny"], "temperature": [70], "humidity": [90], "windy": [False]})
    array(["Don't Play"], dtype='<U10')
    """

    def __init__(self, **given: Unpack[ClassTree]) -> None:
        assign(self, given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.algorithm == "stump"  # one test is not much
        return tags


@with_settings()
class DecisionTreeRegressor(Regressor, TreeEstimator):
    """A decision tree that predicts numbers.

    A drop-in for scikit-learn's class of the same name, by squared error, Poisson's deviance,
    absolute error or a quantile's loss. Columns may also be text, categories, booleans, dates or
    missing. What was learned is in ``model_``.

    @parameters

    Attributes
    ----------
    @attributes

    Examples
    --------
    >>> from bosco import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3], [4]], [0.0, 0.0, 2.0, 4.0])
    >>> tree.predict([[1.5], [10]])
    array([0., 3.])
    """

    def __init__(self, **given: Unpack[NumberTree]) -> None:
        assign(self, given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.algorithm == "stump"  # one test is not much
        return tags
