"""Extra-trees, in scikit-learn's names."""

from typing import Any, ClassVar

from bosco.estimators.ensemble import ForestEstimator
from bosco.estimators.parameters import (
    FOREST_CLASSIFIER_CONSTRAINTS,
    FOREST_REGRESSOR_CONSTRAINTS,
)
from bosco.estimators.quantiles import Quantiles
from bosco.estimators.roles import Classifier, Regressor
from bosco.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.estimators.words import assign, documented


@documented
class ExtraTreesClassifier(Classifier, ForestEstimator):
    """Many trees that draw their cuts, and vote on a class.

    A drop-in for scikit-learn's class of the same name. Each node draws one cut per column at
    random and takes the best of those; every tree sees all rows, unless `bootstrap` or
    `max_samples` says otherwise.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss", "error", "scaled_entropy", "sqrt"}, default="gini"
        The impurity that tests are to decrease.
    @forest_growth
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        How many columns, drawn at random, each node looks at. None: all.
    @sampling
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes; "balanced_subsample": balanced anew in the sample of each tree.
    @forest_rest
    vote : {"mean", "mode"}, default="mean"
        A tree gives the class shares of the leaf, or its whole vote to the heaviest class.
    tree_weights : "uniform", "oob_accuracy" or array-like, default="uniform"
        What each tree's vote counts: the same, its accuracy out of the bag, or as given.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted. Of classes with equal votes the first is
        predicted, of two the second.
    n_classes_ : int
        Number of classes.
    @forest_attributes
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Mean vote of the trees that have not seen the row; NaN where all have.

    Examples
    --------
    >>> from bosco import ExtraTreesClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = FOREST_CLASSIFIER_CONSTRAINTS
    _single = DecisionTreeClassifier
    splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        min_gain: float | None = None,
        score: str | None = None,
        numeric_test: str | None = None,
        nominal_test: str | None = None,
        max_branches: int | None = None,
        threshold: str | None = None,
        missing: str | None = None,
        domains: dict[Any, Any] | None = None,
        categorical_features: Any = "from_dtype",
        vote: str = "mean",
        tree_weights: Any = "uniform",
        keep_on_interrupt: bool = False,
        fingerprint: bool = True,
    ) -> None:
        assign(self, locals())


@documented
class ExtraTreesRegressor(Quantiles, Regressor, ForestEstimator):
    """Many trees that draw their cuts, whose means are averaged.

    A drop-in for scikit-learn's class of the same name, for one target and squared error. Each node
    draws one cut per column at random and takes the best of those.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error"}, default="squared_error"
        The impurity that tests are to decrease.
    @forest_growth
    max_features : int, float, "sqrt", "log2" or None, default=1.0
        How many columns, drawn at random, each node looks at; 1.0 and None: all.
    @sampling
    @forest_rest
    tree_weights : "uniform" or array-like, default="uniform"
        What each tree's mean counts.
    leaf_rows : bool, default=False
        Keep which training rows each leaf holds: needed by `predict_quantiles` and
        `predict_interval`. Takes about eight bytes per tree and row.

    Attributes
    ----------
    @forest_attributes
    oob_prediction_ : ndarray of shape (n_rows,)
        Mean of the trees that have not seen the row; NaN where all have.

    Examples
    --------
    >>> from bosco import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(n_estimators=10, random_state=0)
    >>> forest.fit([[1], [2], [3], [4]], [0.0, 0.0, 2.0, 4.0]).predict([[1], [4]])
    array([0., 4.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = FOREST_REGRESSOR_CONSTRAINTS
    _single = DecisionTreeRegressor
    splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        min_gain: float | None = None,
        score: str | None = None,
        numeric_test: str | None = None,
        nominal_test: str | None = None,
        max_branches: int | None = None,
        threshold: str | None = None,
        missing: str | None = None,
        domains: dict[Any, Any] | None = None,
        categorical_features: Any = "from_dtype",
        tree_weights: Any = "uniform",
        leaf_rows: bool = False,
        keep_on_interrupt: bool = False,
        fingerprint: bool = True,
    ) -> None:
        assign(self, locals())
