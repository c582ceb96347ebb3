"""What boosted learners say together: votes, scores, and for stumps a table of points."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from bosco.data.frame import Frame
from bosco.estimators.foreign import taking
from bosco.estimators.rounds import why_foreign
from bosco.models.scoreline import UNIT, points_of, shares_of
from bosco.models.scoretable import ScoreTable
from bosco.tree.ties import heaviest


class Voting(BaseEstimator):  # type: ignore[misc]
    """Fitted learners with coefficients."""

    _about: dict[str, Any]  # where the model comes from

    @property
    def model_(self) -> ScoreTable:
        """Boosted trees as a table of points."""
        check_is_fitted(self, "estimators_")
        if why := next(filter(None, map(why_foreign, self.estimators_)), ""):
            raise AttributeError(
                "model_ is a table of points, which only trees of bosco have, unpruned and without "
                f"weights of classes, whose rows each end in one leaf. Here {why}."
            )
        first = self.estimators_[0].model_
        return ScoreTable.of_trees(
            [learner.tree_ for learner in self.estimators_],
            self.estimator_weights_,
            first.schema,
            self.classes_,
            replace(first.growth, tree=0),
            {**first.provenance, **self._about, "boosting": self.algorithm},
        )

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of the learners' importances, weighted by their coefficients."""
        check_is_fitted(self, "estimators_")
        shares = [learner.feature_importances_ for learner in self.estimators_]
        mean: NDArray[np.float64] = np.average(shares, axis=0, weights=self.estimator_weights_)
        return mean / mean.sum() if mean.sum() > 0 else mean

    def _votes(self, X: Any) -> Iterator[NDArray[np.int64]]:
        """Points over 2**40 of every class, after each learner."""
        check_is_fitted(self, "estimators_")
        says = self._reader(X)
        total: NDArray[np.int64] | None = None
        for learner, points in zip(
            self.estimators_, points_of(self.estimator_weights_).tolist(), strict=True
        ):
            said = says(learner)
            if total is None:
                total = np.zeros((len(said), self.n_classes_), np.int64)
            total[np.arange(len(said)), said] += points
            yield total

    def _reader(self, X: Any) -> Callable[[Any], NDArray[Any]]:
        """How learners are asked for codes of classes; X is read once where it can be."""
        if any(map(why_foreign, self.estimators_)):

            def ask(learner: Any) -> NDArray[Any]:
                with taking(learner, X, "predict"):
                    said = learner.predict(X)
                codes: NDArray[Any] = np.searchsorted(self.classes_, said)
                return codes

            return ask
        frame: Frame = self.estimators_[0]._frame(X)
        return lambda learner: learner.model_.node_class[
            learner.model_.apply_frame(frame, self.n_jobs)
        ]

    def _all_votes(self, X: Any) -> NDArray[np.int64]:
        *_, last = self._votes(X)
        return last

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row: the one with the most votes.

        @rows

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        votes = self._all_votes(X)
        labels: NDArray[Any] = self.classes_[heaviest(votes)]
        return labels

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict with the first learner, the first two, and so on."""
        for votes in self._votes(X):
            yield self.classes_[heaviest(votes)]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy of the first learner, of the first two, and so on."""
        for said in self.staged_predict(X):
            yield float(accuracy_score(y, said, sample_weight=sample_weight))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How far the learners are for each class, by their coefficients.

        @rows

        Returns
        -------
        ndarray of shape (n_rows,) for two classes, else (n_rows, n_classes)
            For two classes, the sum of the coefficients for the second less those for the first:
            of coefficient times answer, with answers -1 and +1. For more, as scikit-learn has it:
            1 where all learners vote for a class, -1/(n_classes - 1) where none does.
        """
        return self._score(self._all_votes(X))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`decision_function` of the first learner, of the first two, and so on."""
        for votes in self._votes(X):
            yield self._score(votes)

    def _score(self, votes: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.n_classes_ == 2:
            margin: NDArray[np.float64] = (votes[:, 1] - votes[:, 0]) / UNIT
            return margin
        whole = votes.sum(axis=1, keepdims=True)
        most = np.maximum(whole, 1) * float(max(1, self.n_classes_ - 1))
        apart: NDArray[np.float64] = (votes * float(self.n_classes_) - whole) / most
        return apart

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities that the votes stand for, if boosting fits an additive logistic model.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            In the order of `classes_`. They tend to be too sure of themselves.
        """
        return shares_of(self._all_votes(X), self.algorithm)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` of the first learner, of the first two, and so on."""
        for votes in self._votes(X):
            yield shares_of(votes, self.algorithm)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
