"""What the forests share: fit as one road."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from bosco import _core
from bosco.base.progress import progress
from bosco.data.fingerprint import Fingerprint
from bosco.data.readers import given_to_fit
from bosco.data.weights import read_weights
from bosco.errors import DataError, DataWarning, ParameterError
from bosco.estimators.about import about_rows, warn_of_identifiers
from bosco.estimators.bagging import (
    BOOTSTRAP_BITS,
    Draws,
    Plan,
    order_of,
    sample_size,
    warn_of_few,
)
from bosco.estimators.deciding import decision_of
from bosco.estimators.ground import Ground, InMemory
from bosco.estimators.many import ManyTrees
from bosco.estimators.quantiles import LeafRows
from bosco.estimators.retold import retell_tree
from bosco.estimators.several_forest import learn_forest
from bosco.growth import Growth
from bosco.models.forest import ForestModel
from bosco.models.several import SeveralModel
from bosco.reasons.trace import Trace
from bosco.tree.family import threads


class ForestEstimator(ManyTrees):
    """A learner of many trees. Subclasses say what the target is and how trees differ."""

    _bag: dict[str, Any] | None
    _leaf_rows: LeafRows | None
    class_weight: Any = None
    vote = "mean"
    leaf_rows = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None, row_keys: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table
            A 2-D array, a dataframe (pandas, polars, pyarrow, …), a dict of columns or a list of
            dicts. None, NaN, NA and NaT are missing values.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The class, or the number, of each row; or several, all of one kind.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows; 0 is as if the row were absent. A sample draws rows, whatever they
            weigh; without sampling, whole numbers count as repeated rows.
        row_keys : array-like of shape (n_rows,) or None, default=None
            What the draws go by: numbers or text, all different. The trees draw places in the order
            of the keys, so rows in another order, with their keys, give the same forest. None: the
            number of the row.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._learn(X, y, sample_weight, row_keys)

    def trace(self, X: Any, y: Any, sample_weight: Any = None, *, tree: int = 0) -> Trace:
        """The making of one tree, from the rows that it drew.

        Parameters
        ----------
        X, y, sample_weight
            The training rows, as they were given to `fit`.
        tree : int, default=0
            Number of the tree.

        Returns
        -------
        Trace
            One step per node, with the columns that it drew; ``drawn`` says how often the tree
            drew each row.
        """
        check_is_fitted(self, "model_")
        return retell_tree(self, X, y, sample_weight, tree)

    def _learn(self, X: Any, y: Any, sample_weight: Any, row_keys: Any) -> Self:
        before = self.model_ if self.warm_start and hasattr(self, "model_") else None
        X, y, sample_weight = given_to_fit(X, y, sample_weight)
        frame, target, growth = self._prepare(
            X,
            y,
            sample_weight,
            spare=self._spare(),
            known=None if before is None else before.schema,
        )
        order = order_of(row_keys, target.n_rows, target.keep)
        rows = InMemory(frame, target, threads(self.n_jobs, frame, self.n_estimators))
        return self._learn_from(rows, growth, before, order, sample_weight)

    def _learn_from(
        self,
        rows: Ground,
        growth: Growth,
        before: ForestModel | SeveralModel | None = None,
        order: NDArray[np.uint32] | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Grow the trees, and keep them."""
        if not growth.on_missing.one_way:
            raise ParameterError(
                f"missing={growth.missing!r} is not for forests: their compact trees keep one "
                f"place per row and no stand-in tests. Use missing='learn', 'branch' or 'majority'."
            )
        if growth.psi is not None:
            raise ParameterError(
                f"criterion={growth.psi.name} is a function of your own, for single trees only: "
                "every split of every tree would wait for Python, one thread at a time. Use one of "
                "the criteria that are words, or DecisionTreeClassifier."
            )
        if before is not None:
            growth = replace(growth, seed=before.growth.seed)
        sample = sample_size(self.max_samples, self.bootstrap, rows.n_rows)
        if sample is not None:  # a fraction of what a tree draws, at the mean weight of a row
            least = growth.min_weight_leaf * (sample / rows.n_rows)
            growth = replace(growth, min_weight_leaf=least)
        draws = Draws(growth, rows.n_rows, sample, self.bootstrap != "once", order)
        bagged = self._oob_wanted()
        if bagged and sample is None:
            raise ParameterError(
                "Out of bag estimation only available if bootstrap=True (or 'once', with "
                "max_samples): here every tree sees every row."
            )
        done = 0 if before is None else before.n_trees
        if self.n_estimators < done:
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={done} when warm_start==True"
            )
        if self.n_estimators == done:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                UserWarning,
                stacklevel=4,
            )
            if not bagged or self._bag is not None:
                return self
        if before is not None:
            self._refuse_other(before, rows)
        warn_of_identifiers(rows.identifiers())
        if rows.outputs is not None:
            several = before if isinstance(before, SeveralModel) else None
            learn_forest(self, rows, draws, several, bagged)
            return self
        assert not isinstance(before, SeveralModel)
        remembered = self._fingerprint(rows)
        if remembered is not None and before is not None:  # both fits, if the first knows its rows
            said = before.provenance.get("fingerprint")
            remembered = None if said is None else remembered.joined(Fingerprint.read(said))
        plan = Plan(
            draws=draws,
            n_trees=self.n_estimators,
            balanced=self._balances_samples(),
            ccp_alpha=float(self.ccp_alpha),
            mode=self.vote == "mode",
            bagged=bagged,
            keep=bool(self.keep_on_interrupt),
            before=before,
            bag=None if before is None else self._bag,
        )
        with progress(self.n_estimators, "trees", bool(self.verbose)) as tell:
            forest, bag = rows.grow_forest(plan, tell)
        if forest.n_trees < self.n_estimators:
            warnings.warn(
                f"Interrupted: {forest.n_trees} of {self.n_estimators} trees were grown, and kept.",
                DataWarning,
                stacklevel=4,
            )
        about = about_rows(type(self).__name__, rows, remembered)
        about["missing"] = rows.missing
        if draws.sample is not None:
            about["drawn"] = draws.sample
        self._finish(forest, bag, rows, draws, sample_weight, about)
        return self

    def _forget_bag(self) -> None:
        """Forget what an earlier fit said out of its bags."""
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_", "oob_curve_"):
            self.__dict__.pop(name, None)

    def _balances_samples(self) -> bool:
        """Whether in every sample the classes are to weigh the same."""
        return isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _spare(self) -> int:
        """Bits to leave free in the sums: rows may come several times, classes weigh more."""
        small = isinstance(self.max_samples, float) and self.max_samples <= 1
        drawn = BOOTSTRAP_BITS * (1 if small or self.max_samples is None else 2)
        return drawn + self._balances_samples() * int(_core.balance_bits)

    def _is_random(self) -> bool:
        return bool(self.bootstrap) or super()._is_random()

    def _oob_wanted(self) -> bool:
        by_accuracy = isinstance(self.tree_weights, str) and self.tree_weights == "oob_accuracy"
        return bool(self.oob_score) or by_accuracy

    def _refuse_other(self, before: ForestModel | SeveralModel, rows: Ground) -> None:
        """Refuse to add trees to a forest of other classes."""
        if isinstance(before, SeveralModel) != (rows.outputs is not None):
            raise DataError(
                "warm_start adds trees to a forest of as many outputs as y has. "
                "Hint: fit with warm_start=False."
            )
        had, classes = before.classes, rows.classes
        if had is not None and classes is not None and not np.array_equal(had, classes):
            raise DataError(
                f"warm_start adds trees to a forest of the classes {had.tolist()}, but y now has "
                f"{classes.tolist()}. Hint: fit with warm_start=False."
            )

    def _finish(
        self,
        forest: _core.Forest,
        bag: dict[str, Any] | None,
        rows: Any,
        draws: Draws,
        sample_weight: Any,
        about: dict[str, Any],
    ) -> None:
        """Keep the model and what was learned about it."""
        model = ForestModel(
            forest,
            rows.schema,
            rows.classes,
            draws.growth,
            self._weigh(forest.n_trees, bag),
            self.vote,
            about,
            decision_of(self, rows.classes),
        )
        leaf_rows = None
        if self.leaf_rows:
            weight, _ = read_weights(sample_weight, rows.target.n_rows)
            leaf_rows = LeafRows.collect(model, draws, rows.frame, rows.target.numbers, weight)
        self._keep(model)
        self._draws, self._bag, self._leaf_rows = draws, bag, leaf_rows
        self._forget_bag()
        if bag is not None and self.oob_score:
            self._keep_bag(bag, rows, sample_weight)

    def _weigh(self, n_trees: int, bag: dict[str, Any] | None) -> NDArray[np.float64]:
        """What each tree's vote counts; the sum is 1."""
        given = self.tree_weights
        if isinstance(given, str):
            weights = np.ones(n_trees) if given == "uniform" or bag is None else bag["tree_score"]
        else:
            weights = np.asarray(given, np.float64)
            if weights.shape != (n_trees,) or not np.isfinite(weights).all() or (weights < 0).any():
                raise ParameterError(
                    f"tree_weights must be 'uniform', 'oob_accuracy' or one number, not negative, "
                    f"for each of the {n_trees} trees."
                )
        total = float(weights.sum())
        if total <= 0:
            if not isinstance(given, str):
                raise ParameterError("tree_weights must not all be 0.")
            weights, total = np.ones(n_trees), float(n_trees)
        return weights / total

    def _keep_bag(self, bag: dict[str, Any], rows: Any, sample_weight: Any) -> None:
        """Out-of-bag figures. Every tree counts once, and so does every sample."""
        classes = self._task == "classification"
        self.oob_curve_ = 1 - bag["curve"] if classes else bag["curve"]
        if bag["without"]:
            warn_of_few(stacklevel=7)
        if "sum" not in bag:  # what is said of each row stays where it is
            self.oob_score_ = bag["score"]
            return
        target, count = rows.target, bag["trees"]
        with np.errstate(invalid="ignore"):
            said = bag["sum"] / count[:, None]
        seen = count > 0
        weight, _ = read_weights(sample_weight, target.n_rows)
        samples = weight[seen] if weight is not None and (weight == np.rint(weight)).all() else None
        if classes:
            self.oob_decision_function_ = said
            true, guess = (
                target.classes[target.codes],
                target.classes[self.model_.decision.answers(said)],
            )
            default = accuracy_score
        else:
            self.oob_prediction_ = guess = said[:, 0]
            true, default = target.numbers, r2_score
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(true[seen], guess[seen])
        elif seen.any():
            self.oob_score_ = float(default(true[seen], guess[seen], sample_weight=samples))
