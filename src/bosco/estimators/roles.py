"""The two roles of an estimator: predicting classes, and predicting numbers."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from bosco.data.outputs import columns_of
from bosco.data.recipe import LOSSES
from bosco.data.several import Several, encode_several_labels, encode_several_values
from bosco.data.target import Labels, Values, encode_labels, encode_values
from bosco.estimators.base import Learner
from bosco.estimators.parameters import MethodAndSetting
from bosco.settings.settings import Task


class Classifier(ClassifierMixin, Learner):  # type: ignore[misc]
    """Predicts classes by asking the model."""

    _task: ClassVar[Task] = "classification"
    _several = True
    score = MethodAndSetting(ClassifierMixin.score)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        return tags

    def _encode(self, y: Any, sample_weight: Any, fractional: bool, spare: int) -> Labels | Several:
        by_sample = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
        class_weight = None if by_sample else self.class_weight  # the core balances each sample
        copies = self.weights == "copies"
        if self._several and (several := columns_of(y)) is not None:
            return encode_several_labels(
                several, sample_weight, class_weight, fractional, spare, copies
            )
        return encode_labels(y, sample_weight, class_weight, fractional, spare, copies)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`; named columns may come in any order.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_outputs)
            Class labels.
        """
        return self._predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Share of each class among the training rows of the leaf that each row reaches.

        Rows count by their weight, where they have one. Of many trees, the weighted mean of what
        they say.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Shares, in the order of `classes_`. Where y has several columns, a list of such arrays.
        """
        frame = self._frame(X)  # which asks whether it is fitted
        return self.model_.proba_frame(frame, self.n_jobs)

    def predict_log_proba(self, X: Any) -> Any:
        """Natural logarithm of `predict_proba`; -inf for a share of 0.

        @rows

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Logarithms of the shares.
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(shares, list):
                return [np.log(own) for own in shares]
            return np.log(shares)


class Regressor(RegressorMixin, Learner):  # type: ignore[misc]
    """Predicts numbers by asking the model."""

    _task: ClassVar[Task] = "regression"
    _several = True
    score = MethodAndSetting(RegressorMixin.score)

    def _encode(self, y: Any, sample_weight: Any, fractional: bool, spare: int) -> Values | Several:
        copies, loss = self.weights == "copies", LOSSES.get(self.criterion, "squared")
        if self._several and (several := columns_of(y)) is not None:
            asked = (fractional, spare, copies, loss)
            return encode_several_values(several, sample_weight, *asked)
        return encode_values(y, sample_weight, fractional, spare, copies, loss)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row: the mean of its leaf; of many trees, the mean of those.

        Parameters
        ----------
        X : table
            The rows, with the columns of `fit`; named columns may come in any order.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_outputs)
            Means.
        """
        return self._predict(X)
