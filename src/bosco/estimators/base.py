"""What all tree estimators share: parameters, reading the data, growing, predicting.

`fit` is one road: check the parameters, read X and y at the border, resolve the settings, grow,
prune, and keep a `Model`. Everything else is asked of the model.
"""

import inspect
import warnings
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import check_is_fitted

from bosco import _core
from bosco.errors import DataError, IdentifierWarning, ParameterError, did_you_mean
from bosco.frame import Frame
from bosco.growth import (
    MISSING,
    NOMINAL_TESTS,
    NUMERIC_TESTS,
    ORDERS,
    PRESETS,
    SCORES,
    SPLITTERS,
    THRESHOLDS,
    Growth,
    Task,
    resolve,
    setting,
)
from bosco.model import Model, threads
from bosco.readers import Table, read_table
from bosco.schema import Schema
from bosco.tree import Tree

RECORD_CELLS = 4_000_000
"""With record="auto", tables of at most so many cells keep the candidates of every node."""

_GIVEN = (
    "criterion",
    "splitter",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "numeric_test",
    "nominal_test",
    "max_branches",
    "threshold",
    "missing",
    "order",
)


def _among(options: tuple[str, ...]) -> list[Any]:
    return [StrOptions(set(options)), None]


class TreeEstimator(BaseEstimator):  # type: ignore[misc]
    """A learner of one tree. Subclasses say what the target is."""

    _task: ClassVar[Task]
    _score: str | None  # the setting; see `MethodAndSetting`

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "algorithm": [StrOptions(set(PRESETS))],
        "splitter": _among(SPLITTERS),
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [
            Interval(Integral, 2, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            None,
        ],
        "min_samples_leaf": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
            None,
        ],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both"), None],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "random_state": ["random_state"],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left"), None],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "monotonic_cst": ["array-like", dict, None],
        "score": _among(SCORES),
        "numeric_test": _among(NUMERIC_TESTS),
        "nominal_test": _among(NOMINAL_TESTS),
        "max_branches": [Interval(Integral, 2, 255, closed="both"), None],
        "threshold": _among(THRESHOLDS),
        "missing": _among(MISSING),
        "order": _among(ORDERS),
        "domains": [dict, None],
        "n_jobs": [Integral, None],
        "record": ["boolean", StrOptions({"auto"})],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # `categorical` and `string` stay off: they make scikit-learn's checks round X to whole
        # numbers and expect any object at all to be a level, neither of which is meant here.
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    # Fitting ----------------------------------------------------------------------------------

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        missing = setting(self.algorithm, "missing", self.missing)
        table = read_table(X)
        target = self._encode(y, sample_weight, missing == "fractional")
        table = with_rows_of(table, target)
        schema = Schema.infer(table, self.categorical_features, self.domains)
        frame = Frame.read(table, schema, missing=missing, owner=type(self).__name__)
        n_columns = len(frame.schema.columns)
        growth = resolve(
            self.algorithm,
            self._task,
            samples=target.samples,
            columns=n_columns,
            weight=target.weight,
            seed=self._seed(),
            record=self._records(frame.n_rows * n_columns),
            monotonic=signs(self.monotonic_cst, frame.schema),
            n_classes=0 if self._task == "regression" else len(target.classes),
            score=self._score,
            **{name: getattr(self, name) for name in _GIVEN},
        )
        n_threads = threads(self.n_jobs, frame)
        frame.native.encode(n_threads)
        warn_of_identifiers(frame)
        native = _core.grow(frame.native, target.native, growth.to_dict(), n_threads)
        tree = Tree(native, n_columns)
        if self.ccp_alpha > 0:
            tree = Tree(_core.prune(native, cost_complexity(tree)[2] <= self.ccp_alpha), n_columns)
        self._keep(tree, frame, growth)
        return self

    def _encode(self, y: Any, sample_weight: Any, fractional: bool) -> Any:
        """y and the weights as the core sees them."""
        raise NotImplementedError

    def _keep(self, tree: Tree, frame: Frame, growth: Growth) -> None:
        schema = frame.schema
        self.n_features_in_ = len(schema.columns)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_outputs_ = 1
        self.max_features_ = self.n_features_in_ if growth.max_features < 0 else growth.max_features
        self.tree_ = tree
        self.model_ = Model(
            tree=tree,
            schema=schema,
            classes=getattr(self, "classes_", None),
            growth=growth,
            provenance={"algorithm": self.algorithm, "rows": frame.n_rows},
        )

    def _check_parameters(self) -> None:
        """Refuse parameters of wrong type or value, in scikit-learn's words.

        Only what differs from the defaults is looked at, which costs microseconds.
        """
        given = {
            name: value
            for name, default in _defaults(type(self)).items()
            if (value := self._score if name == "score" else getattr(self, name)) is not default
        }
        try:
            validate_parameter_constraints(
                self._parameter_constraints, given, caller_name=type(self).__name__
            )
        except InvalidParameterError as error:
            hints = (did_you_mean(v, _options(self, n)) for n, v in given.items() if _text(v))
            raise ParameterError(str(error) + next(filter(None, hints), "")) from None

    def _seed(self) -> int:
        """Key of all random choices; 0 if there are none, so that settings do not differ."""
        if self.splitter != "random" and self.max_features is None:
            return 0
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _records(self, cells: int) -> bool:
        return cells <= RECORD_CELLS if self.record == "auto" else bool(self.record)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        params: dict[str, Any] = super().get_params(deep)
        return params | {"score": self._score}  # as an attribute, score is the method

    # What was learned -------------------------------------------------------------------------

    def _frame(self, X: Any) -> Frame:
        check_is_fitted(self, "model_")
        return self.model_.read(X, owner=type(self).__name__)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Number of the leaf that each row reaches.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Node numbers, as `tree_` and the text of `model_` use them. Where missing values go down
            all branches (``missing="fractional"``), the end of the heaviest ones.
        """
        frame = self._frame(X)
        return self.model_.apply_frame(frame, self.n_jobs)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_rows, n_nodes)
            1 where a row passes a node.
        """
        from scipy.sparse import csr_matrix

        leaves = self.apply(X)
        depth, parent = self.tree_.depth, self.tree_.native.parent
        lengths = depth[leaves] + 1
        ends = np.cumsum(lengths, dtype=np.int64)
        indices = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
        nodes, places = leaves, ends - 1
        while nodes.size:  # one step up per turn, all rows together
            indices[places] = nodes
            climbing = parent[nodes] >= 0
            nodes, places = parent[nodes[climbing]], places[climbing] - 1
        pointers = np.concatenate(([0], ends))
        shape = (len(leaves), self.tree_.node_count)
        return csr_matrix((np.ones(len(indices), dtype=np.intp), indices, pointers), shape=shape)

    def get_depth(self) -> int:
        """Length of the longest path from the root to a leaf."""
        check_is_fitted(self, "model_")
        return int(self.tree_.max_depth)

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self, "model_")
        return int(self.tree_.n_leaves)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the total decrease of impurity that each column brought."""
        check_is_fitted(self, "model_")
        importances: NDArray[np.float64] = self.tree_.compute_feature_importances()
        return importances

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The subtrees that minimal cost-complexity pruning goes through.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        Bunch
            ``ccp_alphas``: the values of `ccp_alpha` at which the tree shrinks, ascending;
            ``impurities``: the total impurity of the leaves from there on.
        """
        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        alphas, impurities, _ = cost_complexity(full.tree_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)


def cost_complexity(
    tree: Tree,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Alphas and total impurities of the path, and the alpha at which each node becomes a leaf."""
    risk = tree.impurity * tree.node_weight / tree.node_weight[0]
    alphas, risks, _, cut_at = _core.weakest_links(tree.native, risk)
    return alphas, risks, cut_at


def signs(constraints: Any, schema: Schema) -> tuple[int, ...]:
    """Monotone constraints as -1, 0 or 1 per column, from a sequence or by name; empty: none."""
    if constraints is None:
        return ()
    n_columns = len(schema.columns)
    if isinstance(constraints, dict):
        unknown = [name for name in constraints if name not in schema.names]
        if unknown:
            raise ParameterError(
                f"monotonic_cst names a column that X does not have: {unknown[0]!r}."
                + did_you_mean(unknown[0], schema.names)
            )
        constraints = [constraints.get(name, 0) for name in schema.names]
    values = np.asarray(constraints)
    if values.shape != (n_columns,):
        raise ParameterError(
            f"monotonic_cst has shape {len(values)} but the input data X has {n_columns} features."
        )
    if not np.isin(values, (-1, 0, 1)).all():
        raise ParameterError(
            "monotonic_cst must be None or an array-like of -1, 0 or 1, but got "
            f"{np.unique(values)}"
        )
    for column, value in zip(schema.columns, values, strict=True):
        if value and column.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst constrains column {column.name!r}, which is nominal: its levels "
                f"have no order. Give it as an ordered category, or constrain it with 0."
            )
    return tuple(int(value) for value in values) if values.any() else ()


def with_rows_of(table: Table, target: Any) -> Table:
    """The rows of a table that have a weight, if it has as many rows as the target."""
    if table.n_rows != target.n_rows:
        raise DataError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{table.n_rows}, {target.n_rows}]. X and y must have as many rows as each other."
        )
    return table if target.keep is None else table.take(target.keep)


def warn_of_identifiers(frame: Frame) -> None:
    """Warn of nominal columns that tell (nearly) every row from every other."""
    for name in frame.identifier_columns():
        warnings.warn(
            f"Column {name!r} looks like an identifier: (nearly) every row has a value of its own. "
            f"Such a column separates the training rows and says nothing of new ones. It is used "
            f"all the same; drop it if it is one.",
            IdentifierWarning,
            stacklevel=4,
        )


@cache
def _defaults(cls: type) -> dict[str, Any]:
    parameters = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
    return {name: p.default for name, p in parameters.items() if name != "self"}


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _options(estimator: TreeEstimator, name: str) -> set[Any]:
    """The words that a parameter may be."""
    constraints = estimator._parameter_constraints.get(name, [])
    return {o for c in constraints if isinstance(c, StrOptions) for o in c.options}
