"""What several estimators share: attributes described once, and a setting named as a method."""

from collections.abc import Callable
from typing import Any

ATTRIBUTES = {
    "@forest_classes": """
classes_ : ndarray
    The class labels, sorted. Of classes with equal votes the first is predicted, of two the second.
n_classes_ : int
    Number of classes.
oob_decision_function_ : ndarray of shape (n_rows, n_classes)
    Mean vote of the trees that have not seen the row; NaN where all have.
""",
    "@forest_attributes": """
model_ : ForestModel
    What was learned: print it, ask it, apply it to raw rows.
estimators_ : sequence
    The trees as fitted estimators of one tree, made when asked for.
n_features_in_ : int
    Number of columns.
feature_names_in_ : ndarray of str
    Names of the columns, if X had names.
n_outputs_ : int
    Number of targets: 1.
feature_importances_ : ndarray
    Mean over the trees of each column's share of the decrease of impurity. Favours columns with
    many values; see `permutation_importances_oob`.
oob_score_ : float
    Accuracy, or R², out of the bag, with `oob_score`.
oob_curve_ : ndarray of shape (n_trees,)
    Out-of-bag error by number of trees: share of wrong classes, or mean squared error.
estimators_samples_ : list of ndarray
    The rows that each tree drew.
""",
    "@attributes": """
model_ : Model
    What was learned: print it, ask it, apply it to raw rows.
tree_ : Tree
    The tree as arrays.
n_features_in_ : int
    Number of columns.
feature_names_in_ : ndarray of str
    Names of the columns, if X had names.
n_outputs_ : int
    Number of targets: 1.
max_features_ : int
    Number of columns that each node looks at.
feature_importances_ : ndarray
    Share of the total decrease of impurity that each column brought.
""",
}


class MethodAndSetting:
    """An attribute that reads as a method and is set as a parameter.

    ``score`` is both what scikit-learn calls the quality of a fitted estimator and the name of a
    setting of growth. Reading gives the method; what is assigned is kept beside it.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.place = f"_{name}"

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., Any]:
        bound: Callable[..., Any] = self.method
        return bound if instance is None else bound.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.place] = value
