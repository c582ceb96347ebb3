"""What all tree estimators share: parameters, reading the data, growing, predicting.

`fit` is one road: check the parameters, read X and y at the border, resolve the settings, grow,
prune, and keep a `Model`. Everything else is asked of the model.
"""

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from bosco.data.deriving import derived
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.readers import given_to_fit, read_table
from bosco.data.schema import Schema
from bosco.data.sparse import refuse_nan
from bosco.errors import ParameterError
from bosco.estimators.about import about_rows, keep_names, warn_of_identifiers
from bosco.estimators.deciding import decision_of
from bosco.estimators.farther import grow_farther
from bosco.estimators.ground import Ground, InMemory
from bosco.estimators.optimal import search
from bosco.estimators.pairs import with_pairs
from bosco.estimators.parameters import check_parameters, prices, signs
from bosco.estimators.pruned import Rows, policy_of, prune_grown, set_apart
from bosco.estimators.several import (
    can_learn_several,
    policy_for,
    tree_of_several,
    tree_told,
)
from bosco.growth import MISSING, Growth, recorded_from, resolve, setting
from bosco.models.model import Model
from bosco.models.several import SeveralModel
from bosco.pruning import ReducedError, Subject, cost_complexity
from bosco.settings.settings import GROWTH, RECORD_CELLS, Task
from bosco.tree.family import AnyModel, threads
from bosco.tree.searching import PASSES
from bosco.tree.tree import Tree


class Learner(BaseEstimator):  # type: ignore[misc]
    """What every estimator shares: reading X and y, resolving the settings, keeping a model."""

    _task: ClassVar[Task]
    _several: ClassVar[bool] = False  # can it learn several targets at once?
    _score: str | None  # the setting; see `MethodAndSetting`
    algorithm: Any = "cart"  # these, unless they are parameters
    alpha: Any = None
    quantile: Any = None
    lookahead: Any = None
    polish: Any = None
    work_limit: Any = None
    time_limit: Any = None
    order: Any = None
    splitter: Any = None
    record: Any = False
    weights: Any = "importance"
    fingerprint: Any
    n_classes_: Any  # a number; of several outputs, a list of them
    model_: AnyModel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # `categorical` and `string` stay off: they make scikit-learn's checks round X to whole
        # numbers and expect any object at all to be a level, neither of which is meant here.
        tags.input_tags.allow_nan = self.missing not in MISSING or not MISSING[self.missing].refused
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = self._several and can_learn_several(self)
        return tags

    # Fitting ----------------------------------------------------------------------------------

    def _prepare(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        given: dict[str, Any] | None = None,
        spare: int = 0,
        known: Schema | None = None,
    ) -> tuple[Frame, Any, Growth]:
        """X and y as the core sees them, and the settings that are to grow trees from them.

        `given` are the parameters, if they are checked already; `spare` bits are left free in the
        sums; `known` is the schema to read X by, if there is one.
        """
        given = check_parameters(self) if given is None else given
        policy = MISSING[setting(self.algorithm, "missing", self.missing)]
        table = read_table(X)
        if table.sparse is not None and self.missing is None:
            refuse_nan(table.sparse)
        target = self._encode(y, sample_weight, policy.shared, spare)
        table = target.rows_of(table)
        schema = known or derived(
            Schema.infer(table, self.categorical_features, self.domains), self.derive
        )
        frame = Frame.read(table, schema, refuse_missing=policy.refused, owner=type(self).__name__)
        growth = self._growth(given, InMemory(frame, target))
        if growth.numeric_test == "pairs" and known is None:
            self._refuse_pairs()
            schema = with_pairs(schema, table, target, growth, threads(self.n_jobs, frame))
            frame = Frame.read(table, schema)
            growth = self._growth(given, InMemory(frame, target))
        return frame, target, growth

    def _refuse_pairs(self) -> None:
        """Raise `ParameterError` unless this learner can look for tests on two columns."""

    def _growth(self, given: dict[str, Any], rows: Ground) -> Growth:
        """The settings that are to grow trees from some rows."""
        n_columns = len(rows.schema.columns)
        said = {
            name: value
            for name in GROWTH
            if (value := given[name] if name in given else getattr(self, name)) is not None
        }
        if said.get("criterion") == "friedman_mse":
            warnings.warn(
                "criterion='friedman_mse' is deprecated in scikit-learn and means the same as "
                "'squared_error' there and here. Hint: criterion='squared_error'.",
                FutureWarning,
                stacklevel=5,
            )
            said["criterion"] = "squared_error"
        return resolve(
            self.algorithm,
            self._task,
            samples=rows.samples,
            columns=n_columns,
            weight=rows.weight,
            seed=self._seed(),
            record=self.record,
            monotonic=signs(self.monotonic_cst, rows.schema),
            asking=prices(self, rows.schema),
            n_classes=0 if rows.classes is None else len(rows.classes),
            **said,
        )

    def _encode(self, y: Any, sample_weight: Any, fractional: bool, spare: int) -> Any:
        """y and the weights as the core sees them."""
        raise NotImplementedError

    def _keep(self, model: Any) -> None:
        """Set every attribute, all at once: a fit that fails leaves what was there."""
        schema, growth = model.schema, model.growth
        if model.n_outputs > 1 and model.outputs.of_classes:
            self.classes_ = model.outputs.classes
            self.n_classes_ = [len(labels) for labels in self.classes_]
        if model.classes is not None:
            self.classes_ = model.classes
            self.n_classes_ = len(model.classes)
        keep_names(self, schema)
        self.n_outputs_ = model.n_outputs
        all_columns = len(schema.columns)
        self.max_features_ = all_columns if growth.max_features < 0 else growth.max_features
        self.model_ = model

    def _seed(self) -> int:
        """Key of all random choices; 0 if there are none, so that settings do not differ."""
        if not self._is_random():
            return 0
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _is_random(self) -> bool:
        return self.splitter == "random" or self.max_features is not None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        params: dict[str, Any] = super().get_params(deep)
        return params | {"score": self._score}  # as an attribute, score is the method

    def _fingerprint(self, rows: Ground) -> Fingerprint | None:
        """What is remembered of the rows, if anything is to be."""
        return rows.fingerprint() if _wanted(self.fingerprint, rows) else None

    def _predict(self, X: Any) -> NDArray[Any]:
        model = self.__dict__.get("model_")
        if model is not None and not model.schema.named:
            few: NDArray[Any] | None = model.predict_few(X)
            if few is not None:
                return few
        frame = self._frame(X)  # which asks whether it is fitted
        return self.model_.predict_frame(frame, self.n_jobs)

    def _frame(self, X: Any) -> Frame:
        check_is_fitted(self, "model_")
        table, name = read_table(X), type(self).__name__
        if table.named != self.model_.schema.named:
            has, with_ = ("has", "without") if table.named else ("does not have valid", "with")
            warnings.warn(
                f"X {has} feature names, but {name} was fitted {with_} feature names",
                UserWarning,
                stacklevel=3,
            )
        # As scikit-learn has it: an estimator is given the columns that it was fitted with.
        files = hasattr(X, "as_table")  # which have the target, too
        return self.model_.read(table, owner=name, all_columns=not files)


class TreeEstimator(Learner):
    """A learner of one tree. Subclasses say what the target is."""

    model_: Model
    tree_: Tree

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : table
            A 2-D array, a dataframe (pandas, polars, pyarrow, …), a dict of columns or a list of
            dicts. None, NaN, NA and NaT are missing values.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The class (any labels) or the number of each row; or several, all of one kind.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows. Whole numbers count as repeated rows, 0 as absent ones.

        Returns
        -------
        self
            The fitted estimator.
        """
        if hasattr(X, "fit_there"):  # rows that stay where they are: see `bosco.in_database`
            return X.fit_there(self, y, sample_weight)  # type: ignore[no-any-return]
        return self._learn(X, y, sample_weight)

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> Self:
        given = check_parameters(self)
        X, y, sample_weight = given_to_fit(X, y, sample_weight)
        table, policy = read_table(X), policy_of(self)
        policy = policy_for(policy, self.pruning, y)
        if isinstance(policy, ReducedError) and policy.share is not None:
            parts = set_apart(policy, Rows.read(self, table, y, sample_weight), self.random_state)
            (table, y, sample_weight), policy = parts
        frame, target, growth = self._prepare(table, y, sample_weight, given=given)
        passes = PASSES if growth.search == "optimal" else 1
        rows = InMemory(frame, target, threads(self.n_jobs, frame, passes))
        return self._learn_from(
            rows, growth, policy, lambda: Rows.read(self, table, y, sample_weight)
        )

    def _learn_from(self, rows: Ground, growth: Growth, policy: Any, parted: Any = None) -> Self:
        """Grow, prune and keep; `parted` gives rows that can be parted, for policies with folds."""
        if growth.numeric_test == "pairs" and rows.training is None:
            raise ParameterError(
                "numeric_test='pairs' looks at the rows of every node again and again: they must "
                "be in memory. Use numeric_test='threshold'."
            )
        if growth.psi is not None and rows.training is None:
            raise ParameterError(
                f"criterion={growth.psi.name} is a function of your own, which is asked where the "
                f"tree grows: the rows must be in memory. Use one of the criteria that are words."
            )
        decision = decision_of(self, rows.classes)
        warn_of_identifiers(rows.identifiers())
        if rows.outputs is not None:
            about = about_rows(self.algorithm, rows, None) | {"missing": rows.missing}
            self._keep(tree_of_several(self, rows, growth, policy, about))
            return self
        remembered = self._fingerprint(rows)
        settings = growth.for_core()
        if self.record == "auto":
            settings["record_samples"] = recorded_from(rows.samples)
        about = {}
        if growth.search == "optimal":
            grown, certificate = search(
                rows, growth, decision.costs, self.work_limit, self.time_limit
            )
            about["certificate"] = certificate
        elif not growth.alone:
            grown, about = grow_farther(rows, growth, settings, decision.costs)
        else:
            grown = rows.grow(settings)
        subject = Subject(
            tree=Tree(grown, len(rows.schema.columns)),
            schema=rows.schema,
            classes=rows.classes,
            growth=growth,
            training=rows.training,
            weighted=rows.weighted,
            decision=decision,
        )
        if remembered is not None and isinstance(policy, ReducedError):
            remembered = remembered.joined(subject.fingerprint(*policy.validation))
        tree, log = prune_grown(self, subject, policy, parted)
        self._keep(
            Model(
                tree=tree,
                schema=rows.schema,
                classes=rows.classes,
                growth=growth,
                provenance={
                    **about_rows(self.algorithm, rows, remembered),
                    "missing": rows.missing,
                    **about,
                },
                log=log,
                counted=rows.census(tree, growth.on_missing.shared),
                decision=decision,
            )
        )
        return self

    def _keep(self, model: Model | SeveralModel) -> None:
        super()._keep(model)
        self.tree_ = tree_told(model) if isinstance(model, SeveralModel) else model.tree

    # What was learned -------------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Number of the leaf that each row reaches.

        @rows

        Returns
        -------
        ndarray of shape (n_rows,)
            Node numbers, as `tree_` and the text of `model_` use them. Where missing values go down
            all branches (``missing="fractional"``), the end of the heaviest ones.
        """
        frame = self._frame(X)  # which asks whether it is fitted
        return self.model_.apply_frame(frame, self.n_jobs)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes.

        @rows

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_rows, n_nodes)
            1 where a row passes a node.
        """
        leaves = self.apply(X)  # which asks whether it is fitted
        return self.tree_.paths_to(leaves)

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
        return self.tree_.compute_feature_importances()

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
        plain = clone(self).set_params(ccp_alpha=0.0, pruning="none")
        full = plain.fit(X, y, sample_weight=sample_weight)
        alphas, impurities, _ = cost_complexity(full.tree_)
        return Bunch(ccp_alphas=alphas, impurities=impurities)


def _wanted(setting: Any, rows: Ground) -> bool:
    """Whether something is kept of a fit; "auto": unless it has many cells."""
    cells = rows.n_rows * len(rows.schema.columns)
    return cells <= RECORD_CELLS if setting == "auto" else bool(setting)
