"""The two roles of an estimator: predicting classes, and predicting numbers."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from bosco.data.recipe import LOSSES
from bosco.data.target import Labels, Values, encode_labels, encode_values
from bosco.estimators.base import Learner
from bosco.estimators.parameters import MethodAndSetting
from bosco.settings.settings import Task


class Classifier(ClassifierMixin, Learner):  # type: ignore[misc]
    """Predicts classes by asking the model."""

    _task: ClassVar[Task] = "classification"
    score = MethodAndSetting(ClassifierMixin.score)

    def _encode(self, y: Any, sample_weight: Any, fractional: bool, spare: int) -> Labels:
        by_sample = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        class_weight = None if by_sample else self.class_weight  # the core balances each sample
        copies = self.weights == "copies"
        return encode_labels(y, sample_weight, class_weight, fractional, spare, copies)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`; named columns may come in any order.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        return self._predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class among the training rows of the leaf that each row reaches.

        Rows count by their weight, where they have one. Of many trees, the weighted mean of what
        they say.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Shares, in the order of `classes_`.
        """
        frame = self._frame(X)  # which asks whether it is fitted
        return self.model_.values_frame(frame, self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Natural logarithm of `predict_proba`; -inf for a share of 0.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Logarithms of the shares.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class Regressor(RegressorMixin, Learner):  # type: ignore[misc]
    """Predicts numbers by asking the model."""

    _task: ClassVar[Task] = "regression"
    score = MethodAndSetting(RegressorMixin.score)

    def _encode(self, y: Any, sample_weight: Any, fractional: bool, spare: int) -> Values:
        copies, loss = self.weights == "copies", LOSSES.get(self.criterion, "squared")
        return encode_values(y, sample_weight, fractional, spare, copies, loss)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row: the mean of its leaf; of many trees, the mean of those.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`; named columns may come in any order.

        Returns
        -------
        ndarray of shape (n_rows,)
            Means.
        """
        return self._predict(X)
