"""What is asked of many trees at once."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from bosco.data.readers import read_table
from bosco.errors import DataError, ParameterError
from bosco.estimators.bagging import BOOTSTRAP_BITS, Draws, permutation_drops
from bosco.estimators.base import Learner, TreeEstimator
from bosco.estimators.parameters import alone_seed
from bosco.models.forest import ForestModel
from bosco.models.several import SeveralModel


class ManyTrees(Learner):
    """A fitted forest: its trees one by one, and what they say together."""

    _single: ClassVar[type[TreeEstimator]]  # one tree of this forest, as an estimator
    _draws: Draws
    model_: ForestModel | SeveralModel

    def _refuse_pairs(self) -> None:
        raise ParameterError(
            "numeric_test='pairs' is for single trees, which people read: a forest would look at "
            "every pair of columns at every node of every tree. Use numeric_test='threshold'."
        )

    @property
    def estimators_(self) -> "Trees":
        """The trees, each as a fitted estimator of one tree, made when asked for."""
        check_is_fitted(self, "model_")
        return Trees(self)

    @property
    def estimator_(self) -> TreeEstimator:
        """One tree of this forest, not fitted."""
        names = set(self._single._get_param_names()) & set(self._get_param_names())
        given = {name: value for name, value in self.get_params(False).items() if name in names}
        given |= {"splitter": self.splitter, "record": False, "random_state": None}
        if given.get("class_weight") == "balanced_subsample":
            given["class_weight"] = "balanced"
        return self._single(**given)

    @property
    def estimator(self) -> TreeEstimator:
        """The same, as scikit-learn also calls it."""
        return self.estimator_

    def __len__(self) -> int:
        """Number of trees."""
        return len(self.estimators_)

    def __bool__(self) -> bool:
        """An estimator is there, whether it has trees or not."""
        return True

    def __iter__(self) -> Iterator[TreeEstimator]:
        return iter(self.estimators_)

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeEstimator]: ...
    def __getitem__(self, index: int | slice) -> TreeEstimator | list[TreeEstimator]:
        """One tree, as a fitted estimator; or several."""
        return self.estimators_[index]

    @property
    def estimators_samples_(self) -> list[NDArray[Any]]:
        """The rows that each tree drew, as often as it drew them."""
        check_is_fitted(self, "model_")
        n_rows = self._draws.n_rows
        rows = np.arange(n_rows, dtype=np.int32 if n_rows < 2**31 else np.int64)
        return [np.repeat(rows, self._draws.times(t)) for t in range(self.model_.n_trees)]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of each column's share of the decrease of impurity.

        Favours columns with many values; `permutation_importances_oob` does not.
        """
        check_is_fitted(self, "model_")
        return self.model_.worth

    def permutation_importances_oob(
        self, X: Any, y: Any, sample_weight: Any = None, n_repeats: int = 5, random_state: Any = 0
    ) -> Bunch:
        """By how much shuffling each column lowers the out-of-bag score.

        Parameters
        ----------
        X, y, sample_weight
            The training data, as they were given to `fit`.
        n_repeats : int, default=5
            How often each column is shuffled.
        random_state : int, RandomState instance or None, default=0
            Seed of the shuffling.

        Returns
        -------
        Bunch
            ``importances`` of shape (n_columns, n_repeats), ``importances_mean`` and
            ``importances_std``, as `sklearn.inspection.permutation_importance` has them: the drop
            of accuracy, or of R², where each row is judged by the trees that have not seen it.
        """
        check_is_fitted(self, "model_")
        if not isinstance(self.model_, ForestModel):
            raise ParameterError(
                "permutation_importances_oob judges one output. Hint: "
                "sklearn.inspection.permutation_importance, on other rows."
            )
        if self._draws.sample is None:
            raise ParameterError("Every tree has seen every row: nothing is out of the bag.")
        table = read_table(X)
        target = self._encode(y, sample_weight, False, BOOTSTRAP_BITS)
        rows, name = target.rows_of(table), type(self).__name__
        frame = self.model_.read(rows, owner=name, all_columns=True)
        if frame.n_rows != self._draws.n_rows:
            raise DataError(
                f"permutation_importances_oob needs the training data: {self._draws.n_rows} rows "
                f"(with a weight), got {frame.n_rows}."
            )
        if self._task == "regression":
            truth = target.numbers
        else:
            truth = np.searchsorted(self.classes_, target.classes)[target.codes]
        drops = permutation_drops(self.model_, self._draws, frame, truth, n_repeats, random_state)
        return Bunch(
            importances=drops,
            importances_mean=drops.mean(axis=1),
            importances_std=drops.std(axis=1),
        )

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Number of the leaf that each row reaches in each tree.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            Node numbers, as the trees of `estimators_` use them.
        """
        frame = self._frame(X)  # which asks whether it is fitted
        return self.model_.apply_frame(frame, self.n_jobs)

    def decision_path(self, X: Any) -> tuple[Any, NDArray[np.int64]]:
        """The nodes that each row passes in all trees.

        @rows

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n_rows, n_nodes)
            1 where a row passes a node.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            Tree t has the columns from ``n_nodes_ptr[t]`` to ``n_nodes_ptr[t + 1]``.
        """
        from scipy.sparse import hstack

        table = self._frame(X).given
        paths = [tree.decision_path(table) for tree in self.estimators_]
        return hstack(paths, format="csr"), self.model_.begin

    def proximity(self, X: Any) -> NDArray[np.float64]:
        """How near rows are to each other: the weighted share of trees that send both to one leaf.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_rows)
            From 0 to 1; 1 for a row and itself.
        """
        from scipy.sparse import csr_matrix

        leaves = self.apply(X)
        n, n_trees = leaves.shape
        at = (leaves + self.model_.begin[:-1]).ravel()
        pointers = np.arange(n + 1) * n_trees
        shape = (n, int(self.model_.begin[-1]))
        ends = csr_matrix((np.ones(n * n_trees), at, pointers), shape=shape)
        votes = csr_matrix((np.tile(self.model_.tree_weights, n), at, pointers), shape=shape)
        near: NDArray[np.float64] = (votes @ ends.T).toarray()
        return np.minimum(near, 1.0)


class Trees(Sequence[TreeEstimator]):
    """The trees of a forest as fitted estimators, made one by one when they are asked for."""

    def __init__(self, forest: ManyTrees) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return int(self._forest.model_.n_trees)

    def __repr__(self) -> str:
        return f"<{len(self)} fitted trees>"

    def __iter__(self) -> Iterator[TreeEstimator]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> TreeEstimator: ...
    @overload
    def __getitem__(self, index: slice) -> list[TreeEstimator]: ...
    def __getitem__(self, index: int | slice) -> TreeEstimator | list[TreeEstimator]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        tree = self._forest.estimator_
        growth, at = self._forest.model_.growth, range(len(self))[index]
        tree.random_state = alone_seed(growth.seed, growth.tree + at)
        tree._keep(self._forest.model_.alone(index))
        return tree
