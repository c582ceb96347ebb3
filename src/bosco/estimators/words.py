"""What several estimators share: descriptions written once, and a setting named as a method."""

from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_PARTS = {
    "@algorithm": """
algorithm : {"cart", "id3", "c45", "hunt", "best_first", "stump"}, default="cart"
    The row of settings to start from. Every setting below that is None is as this row says; see
    `bosco.growth.PRESETS`.
""",
    "@growth": """
splitter : {"best", "random"}, default=None
    "random" draws one test per column and takes the best of those.
max_depth : int, default=None
    No path is longer than this. None, as everywhere here, is what the algorithm's row says: no
    limit, but 1 for "stump", which stays a stump unless a number is given.
min_samples_split : int or float, default=None
    A node with fewer samples stays a leaf; a float is a fraction of all samples.
min_samples_leaf : int or float, default=None
    Every branch of a test has at least so many samples (of a test with a branch per value, at
    least two of them have).
min_weight_fraction_leaf : float, default=None
    The same as a fraction of the total weight.
max_features : int, float, "sqrt" or "log2", default=None
    How many columns, drawn at random, each node looks at. None: all.
random_state : int, RandomState instance or None, default=None
    Seed of the random choices, where there are any.
max_leaf_nodes : int, default=None
    Grow no more leaves than this; nodes are then opened best first, unless `order` says otherwise.
min_impurity_decrease : float, default=None
    A test's gain times the node's share of the total weight must be at least this: what the test
    brings the whole tree. The smaller a node, the more its test must gain.
min_gain : float, default=None
    A test's gain, penalties taken off, must be at least this: what it brings the node alone.
""",
    "@rest": """
ccp_alpha : float, default=0.0
    Prune the grown tree where a leaf does not lower the total impurity by at least this; the same
    as ``pruning=CostComplexity(alpha=ccp_alpha)``.
pruning : Policy or str, default=None
    How the grown tree is pruned: a policy of `bosco.pruning`, or the name of one, such as
    "pessimistic" or "cost_complexity". "none": not at all. What was pruned and why is in
    ``model_.pruning_log()``.
monotonic_cst : array-like of {-1, 0, 1}, dict or None, default=None
    For each column, or by name: the prediction must not increase (-1) or not decrease (1) with it.
score : {"gain", "gain_ratio", "gain_ratio_above_average"}, default=None
    What the best tests of the columns are compared by. As an attribute, ``score`` is the method;
    ``get_params()["score"]`` is the setting.
numeric_test : {"threshold", "intervals"}, default=None
    Tests of numeric and ordinal columns: ``x <= t``, or up to `max_branches` intervals.
nominal_test : {"multiway", "subset", "one_vs_rest", "group"}, default=None
    Tests of nominal columns: a branch per value, a set of values against the others, one value
    against the others, or up to `max_branches` groups.
max_branches : int, default=None
    Most branches of an "intervals" or "group" test.
threshold : {"midpoint", "observed", "round"}, default=None
    Where a cut lies between two values: halfway, at the lower one, or at the shortest decimal.
missing : {"learn", "fractional", "surrogate", "branch", "majority", "error"}, default=None
    Where missing values go: the branch that scores better, all branches in shares, where a similar
    test says, a branch of their own, the heaviest branch; or refuse them.
order : {"depth", "breadth", "best"}, default=None
    Which node is opened next. It matters only up to a limit of leaves.
domains : dict, default=None
    Declared values of nominal columns, by name or index, seen in training or not.
categorical_features : "from_dtype", array-like of str, int or bool, or None, default="from_dtype"
    Which columns are nominal; by default those that are text, categorical or boolean.
n_jobs : int, default=None
    Threads; None is 1, -1 is all cores. The tree does not depend on it.
record : bool or "auto", default="auto"
    Keep the tests compared at every node, for ``model_.why``. "auto": for up to 4,000,000 cells, of
    nodes that hold at least one in 5000 samples (of all, where there are at most 10,000).
weights : {"importance", "copies"}, default="importance"
    What `sample_weight` means to whoever reads the model. "importance": how much a row matters; it
    is one row all the same, and intervals go by the effective number of rows, (Σw)² / Σw².
    "copies": how many rows it stands for; they count as rows. The tree is the same.
fingerprint : bool or "auto", default="auto"
    Remember a fingerprint of the training rows in ``model_``, so that whoever judges the model by
    rows it was grown on is told. Nothing can be read out of it; see `bosco.fingerprint`. "auto":
    for up to 4,000,000 cells, beyond which it would cost more than a few hundredths of the fit.
""",
    "@forest_growth": """
max_depth : int, default=None
    No path is longer than this.
min_samples_split, min_samples_leaf : int or float, default=2 and 1
    A node with fewer samples stays a leaf; every branch has at least so many. A float is a
    fraction of all samples.
min_weight_fraction_leaf : float, default=0.0
    The least weight of a branch, as a fraction of the total weight.
""",
    "@forest_rest": """
max_leaf_nodes : int, default=None
    Grow no more leaves per tree than this, best first.
min_impurity_decrease : float, default=0.0
    A test's gain times the node's share of the total weight must be at least this: what the test
    brings the whole tree.
n_jobs : int, default=None
    Threads; None is 1, -1 is all cores. The forest does not depend on it.
random_state : int, RandomState instance or None, default=None
    Seed of the draws of rows, columns and cuts. They are keyed by it, the tree and the node.
verbose : int, default=0
    Show how far the growing is: a bar with rich, else a line.
warm_start : bool, default=False
    Keep the trees of the last fit and add to them up to `n_estimators`. The result is that of
    growing them all at once.
ccp_alpha : float, default=0.0
    Prune each tree where a leaf does not lower the total impurity by at least this.
monotonic_cst : array-like of {-1, 0, 1}, dict or None, default=None
    For each column, or by name: the prediction must not increase (-1) or not decrease (1) with it.
min_gain : float, default=None
    A test's gain, penalties taken off, must be at least this: what it brings the node alone.
score : {"gain", "gain_ratio", "gain_ratio_above_average"}, default=None
    What the best tests of the columns are compared by. As an attribute, ``score`` is the method.
numeric_test : {"threshold", "intervals"}, default=None
    Tests of numeric and ordinal columns: ``x <= t``, or up to `max_branches` intervals.
nominal_test : {"multiway", "subset", "one_vs_rest", "group"}, default=None
    Tests of nominal columns: a branch per value, a set of values against the others (the default),
    one value against the others, or up to `max_branches` groups.
max_branches : int, default=None
    Most branches of an "intervals" or "group" test.
threshold : {"midpoint", "observed", "round"}, default=None
    Where a cut lies between two values: halfway, at the lower one, or at the shortest decimal.
missing : {"learn", "branch", "majority", "error"}, default=None
    Where missing values go: the branch that scores better, a branch of their own, the heaviest
    branch; or refuse them.
domains : dict, default=None
    Declared values of nominal columns, by name or index, seen in training or not.
categorical_features : "from_dtype", array-like of str, int or bool, or None, default="from_dtype"
    Which columns are nominal; by default those that are text, categorical or boolean.
keep_on_interrupt : bool, default=False
    After Ctrl-C keep the trees grown so far, with a warning, instead of nothing.
fingerprint : bool, default=True
    Remember a fingerprint of the training rows in ``model_``, so that whoever judges the model by
    rows it was grown on is told. Nothing can be read out of it; see `bosco.fingerprint`.
""",
    "@sampling": """
bootstrap : bool, default=True for random forests, False for extra-trees
    Whether each tree draws its rows with replacement. If not, it takes all rows, or draws
    `max_samples` of them without replacement.
oob_score : bool or callable, default=False
    Judge every row by the trees that have not seen it. A callable is ``f(y_true, y_pred)``.
max_samples : int or float, default=None
    Rows that each tree draws; a float is a fraction. None: as many as there are.
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


def documented(cls: Class) -> Class:
    """Put the shared descriptions in place of their names in a class's docstring."""
    if cls.__doc__:  # none under python -OO
        for name, text in _PARTS.items():
            cls.__doc__ = cls.__doc__.replace(name, text.strip().replace("\n", "\n    "))
    return cls


def assign(estimator: Any, given: dict[str, Any]) -> None:
    """Keep what ``__init__`` was given, each under its own name."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


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
