"""Quantiles from a forest: the training rows of each leaf, weighed as the trees weigh them.

A forest's mean is a weighted mean of training targets; the same weights give their distribution
(Meinshausen, 2006). What is kept is one sparse matrix: leaves by training rows in the order of y.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bosco import _core
from bosco.data.frame import Frame
from bosco.errors import ParameterError
from bosco.estimators.bagging import Draws
from bosco.models.forest import ForestModel

_CELLS = 2**23  # of a dense part of the matrix rows × training rows, at a time


@dataclass(frozen=True, slots=True, eq=False)
class LeafRows:
    """Training targets in order, and each leaf's shares of them."""

    y: NDArray[np.float64]
    shares: Any  # csr_matrix: nodes of all trees × targets in order

    @classmethod
    def collect(
        cls,
        model: ForestModel,
        draws: Draws,
        frame: Frame,
        y: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
    ) -> "LeafRows":
        """Send the training rows down all trees and note where they end."""
        from scipy.sparse import csr_matrix

        order = np.argsort(y, kind="stable")
        place = np.empty(len(y), np.int32)
        place[order] = np.arange(len(y), dtype=np.int32)
        nodes, places, shares = [], [], []
        for t in range(model.n_trees):
            tree, times = model.native.tree(t), draws.times(t)
            rows = np.flatnonzero(times)
            leaf = _core.route(tree, frame.native)[rows]
            heavy = times[rows] * (1.0 if weight is None else weight[rows])
            total = np.bincount(leaf, heavy, tree.n_nodes).astype(np.float64)
            for node, who in _tenants(tree, leaf, total):
                own = heavy if who is None else heavy[who]
                at = leaf if who is None else np.full(len(own), node)
                nodes.append(at + int(model.native.begin[t]))
                places.append(place[rows if who is None else rows[who]])
                shares.append(own / (total[leaf] if who is None else own.sum()))
        entries = (np.concatenate(nodes), np.concatenate(places))
        shape = (int(model.native.n_nodes), len(y))
        return cls(y[order], csr_matrix((np.concatenate(shares), entries), shape=shape))

    def quantiles(
        self, model: ForestModel, leaves: NDArray[np.int32], quantiles: Any
    ) -> NDArray[np.float64]:
        """The targets below which the given shares of the weight lie: (n_rows, n_quantiles)."""
        from scipy.sparse import csr_matrix

        wanted = np.atleast_1d(np.asarray(quantiles, np.float64))
        if wanted.ndim != 1 or not ((wanted >= 0) & (wanted <= 1)).all():
            raise ParameterError(f"quantiles must be numbers from 0 to 1. Got {quantiles!r}.")
        n, n_trees = leaves.shape
        at = leaves + model.native.begin[:-1]
        pointers = np.arange(n + 1) * n_trees
        weights = np.tile(model.tree_weights, n)
        votes = csr_matrix((weights, at.ravel(), pointers), shape=(n, self.shares.shape[0]))
        answer = np.empty((n, len(wanted)))
        step = max(1, _CELLS // max(1, len(self.y)))
        for begin in range(0, n, step):
            below = np.cumsum((votes[begin : begin + step] @ self.shares).toarray(), axis=1)
            below /= below[:, -1:]
            for q, share in enumerate(wanted):
                reached = below >= share - 1e-12  # sums of doubles
                first = np.argmax(reached & (below > 0), axis=1)
                answer[begin : begin + step, q] = self.y[first]
        return answer


def _tenants(
    tree: Any, leaf: NDArray[np.int32], total: NDArray[np.float64]
) -> Iterator[tuple[int, NDArray[np.bool_] | None]]:
    """All rows at their own leaves (None), then those that an empty leaf speaks for."""
    yield -1, None
    empty = np.flatnonzero((tree.first_child < 0) & (total == 0))
    for node in empty.tolist():
        above, rows = node, np.zeros(len(leaf), bool)
        while not rows.any():  # it says what the nearest node above says that has rows
            above = int(tree.parent[above])
            at = leaf
            while (at >= 0).any():
                rows |= at == above
                at = np.where(at >= 0, tree.parent[at], -1)
        yield node, rows


class Quantiles:
    """Quantiles and intervals from the training rows in the leaves."""

    def predict_quantiles(self: Any, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> NDArray[Any]:
        """Numbers below which the target lies with given probabilities, as the leaves have it.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`.
        quantiles : float or sequence of float, default=(0.05, 0.5, 0.95)
            Probabilities from 0 to 1.

        Returns
        -------
        ndarray of shape (n_rows, n_quantiles)
            Of each row, the smallest training targets that reach the probabilities.
        """
        check_is_fitted(self, "model_")
        if self._leaf_rows is None:
            raise ParameterError(
                "Quantiles need the training rows of the leaves, which this forest did not keep. "
                "Hint: fit with leaf_rows=True."
            )
        frame = self._frame(X)
        leaves = self.model_.apply_frame(frame, self.n_jobs)
        answer: NDArray[np.float64] = self._leaf_rows.quantiles(self.model_, leaves, quantiles)
        return answer

    def predict_interval(self: Any, X: Any, coverage: float = 0.9) -> NDArray[Any]:
        """Interval that holds the target with a given probability, as the leaves have it.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`.
        coverage : float, default=0.9
            The probability; as much is left out below as above.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Lower and upper end.
        """
        if not 0 < coverage < 1:
            raise ParameterError(f"coverage must lie between 0 and 1. Got {coverage!r}.")
        ends: NDArray[Any] = self.predict_quantiles(X, ((1 - coverage) / 2, (1 + coverage) / 2))
        return ends
