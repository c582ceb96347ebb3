"""DecisionTreeClassifier and DecisionTreeRegressor."""

from typing import Any, ClassVar, Self

from bosco.estimators.base import TreeEstimator
from bosco.estimators.parameters import CLASSIFIER_CONSTRAINTS, REGRESSOR_CONSTRAINTS
from bosco.estimators.roles import Classifier, Regressor
from bosco.estimators.words import documented
from bosco.pruning import Policy


@documented
class DecisionTreeClassifier(Classifier, TreeEstimator):
    """A decision tree that predicts classes.

    A drop-in for scikit-learn's class of the same name: its parameters, methods and attributes are
    here, the trees are the same where the data have no ties, and columns may also be text,
    categories, booleans, dates or missing. What was learned is in ``model_``; print it.

    Parameters
    ----------
    @algorithm
    criterion : {"gini", "entropy", "log_loss", "error", "scaled_entropy", "sqrt"}, default=None
        The impurity that tests are to decrease.
    @growth
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    @rest

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted. Of equally heavy classes a leaf predicts the first,
        of two the second.
    n_classes_ : int
        Number of classes.
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

    _parameter_constraints: ClassVar[dict[str, Any]] = CLASSIFIER_CONSTRAINTS

    def __init__(
        self,
        *,
        algorithm: str = "cart",
        criterion: str | None = None,
        splitter: str | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float | None = None,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float | None = None,
        min_gain: float | None = None,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        pruning: Policy | str | None = None,
        monotonic_cst: Any = None,
        score: str | None = None,
        numeric_test: str | None = None,
        nominal_test: str | None = None,
        max_branches: int | None = None,
        threshold: str | None = None,
        missing: str | None = None,
        order: str | None = None,
        domains: dict[Any, Any] | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        record: bool | str = "auto",
        weights: str = "importance",
        fingerprint: bool | str = "auto",
    ) -> None:
        self.algorithm = algorithm
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.pruning = pruning
        self.monotonic_cst = monotonic_cst
        self.score = score
        self.numeric_test = numeric_test
        self.nominal_test = nominal_test
        self.max_branches = max_branches
        self.threshold = threshold
        self.missing = missing
        self.order = order
        self.domains = domains
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.record = record
        self.weights = weights
        self.fingerprint = fingerprint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.algorithm == "stump"  # one test is not much
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : table
            A 2-D array, a dataframe (pandas, polars, pyarrow, …), a dict of columns or a list of
            dicts. None, NaN, NA and NaT are missing values.
        y : array-like of shape (n_rows,)
            The class of each row; any labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows. Whole numbers count as repeated rows, 0 as absent ones.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._learn(X, y, sample_weight)


@documented
class DecisionTreeRegressor(Regressor, TreeEstimator):
    """A decision tree that predicts numbers.

    A drop-in for scikit-learn's class of the same name, for one target and squared error. Columns
    may also be text, categories, booleans, dates or missing. What was learned is in ``model_``.

    Parameters
    ----------
    @algorithm
    criterion : {"squared_error"}, default=None
        The impurity that tests are to decrease. Algorithms that learn classes (id3, c45, hunt) need
        it said.
    @growth
    @rest

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

    _parameter_constraints: ClassVar[dict[str, Any]] = REGRESSOR_CONSTRAINTS

    def __init__(
        self,
        *,
        algorithm: str = "cart",
        criterion: str | None = None,
        splitter: str | None = None,
        max_depth: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float | None = None,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float | None = None,
        min_gain: float | None = None,
        ccp_alpha: float = 0.0,
        pruning: Policy | str | None = None,
        monotonic_cst: Any = None,
        score: str | None = None,
        numeric_test: str | None = None,
        nominal_test: str | None = None,
        max_branches: int | None = None,
        threshold: str | None = None,
        missing: str | None = None,
        order: str | None = None,
        domains: dict[Any, Any] | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        record: bool | str = "auto",
        weights: str = "importance",
        fingerprint: bool | str = "auto",
    ) -> None:
        self.algorithm = algorithm
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.ccp_alpha = ccp_alpha
        self.pruning = pruning
        self.monotonic_cst = monotonic_cst
        self.score = score
        self.numeric_test = numeric_test
        self.nominal_test = nominal_test
        self.max_branches = max_branches
        self.threshold = threshold
        self.missing = missing
        self.order = order
        self.domains = domains
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.record = record
        self.weights = weights
        self.fingerprint = fingerprint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.algorithm == "stump"  # one test is not much
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : table
            A 2-D array, a dataframe (pandas, polars, pyarrow, …), a dict of columns or a list of
            dicts. None, NaN, NA and NaT are missing values.
        y : array-like of shape (n_rows,)
            The number to predict for each row.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows. Whole numbers count as repeated rows, 0 as absent ones.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._learn(X, y, sample_weight)
