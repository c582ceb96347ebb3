"""X, y, groups and weights whose rows can be taken, in whatever form they came."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from bosco.data.columns import Coded
from bosco.data.parting import Parting, read_parting
from bosco.data.readers import Table, given_to_fit
from bosco.data.target import encode_labels, encode_values
from bosco.data.weights import read_weights
from bosco.errors import DataError, ParameterError
from bosco.figures.intervals import Floats
from bosco.settings.settings import Task
from bosco.tree.family import AnyModel

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """What estimators are judged on. `classes` is None for a real target.

    `groups` numbers the group of each row, `when` its place in time; `by` says which column it is.
    """

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    codes: NDArray[np.intp] | None
    groups: NDArray[np.intp] | None
    weights: Floats | None
    when: Floats | None = None
    by: Parting | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    def take(self, rows: Rows) -> tuple[Any, NDArray[Any], Floats | None]:
        """Give some rows of X, in X's own form, of y, and of the weights."""
        weights = None if self.weights is None else self.weights[rows]
        return take_rows(self.X, rows), self.y[rows], weights

    def part(self, rows: Rows) -> "Data":
        """Give some rows as data of their own."""
        X, y, weights = self.take(rows)
        codes, groups = (None if x is None else x[rows] for x in (self.codes, self.groups))
        when = None if self.when is None else self.when[rows]
        by = None if self.by is None else self.by.take(rows)
        return Data(X, y, self.classes, codes, groups, weights, when, by)


def task_of(estimator: Any) -> Task:
    """Tell a classifier from a regressor, and refuse what is neither."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        hint = " Hint: give an instance, Class()." if isinstance(estimator, type) else ""
        if isinstance(estimator, AnyModel):
            hint = " Hint: a finished model is judged by model.judge(X, y) or model.report(X, y)."
        raise ParameterError(
            f"estimator must be a classifier or regressor of scikit-learn's kind. "
            f"Got {estimator!r:.60}.{hint}"
        )
    if is_classifier(estimator):
        return "classification"
    if is_regressor(estimator):
        return "regression"
    raise ParameterError(
        f"estimator must be a classifier or a regressor; {type(estimator).__name__} is neither."
    )


def read_data(
    X: Any,
    y: Any,
    task: Task,
    *,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
) -> Data:
    """Check y, weights and what parts the rows against X, whose rows stay as they are.

    A column of X that is named to part the rows is left out of X.
    """
    classes = codes = None
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    target = y.labels() if isinstance(y, Coded) else _array(y)
    if task == "classification":
        encode_labels(y, None, None, False)  # for its checks and their messages
        classes, codes = np.unique(target, return_inverse=True)
        if len(classes) < 2:
            raise DataError(
                f"y has one class only, {classes.tolist()[0]!r}: there is nothing to tell apart."
            )
    else:
        encode_values(y, None, False)
    n_rows = count_rows(X)
    if n_rows != len(target):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {len(target)}]"
            f". X and y must have as many rows as each other."
        )
    if groups is not None and time is not None:
        raise ParameterError(
            "groups and time are two ways to part the rows. Give one. Hint: time where the model "
            "will meet rows that come later, groups where it will meet groups it has not seen."
        )
    by = when = None
    if time is not None:
        X, by = read_parting(X, time, "time", n_rows)
        when = by.moments("time")
        if when.min() == when.max():
            raise DataError(
                f"time: all rows are of one moment, {by.show(when[0])}, so that none follows "
                f"another."
            )
    if groups is not None:
        X, by = read_parting(X, groups, "groups", n_rows)
        groups = by.groups("groups")
        if not groups.any():
            raise DataError("groups names one group only; parts cannot be kept apart by it.")
    weights = None
    if any(part is not None for part in read_weights(sample_weight, n_rows)):  # not all are 1
        weights = np.broadcast_to(np.asarray(sample_weight, np.float64), (n_rows,))
    return Data(X, target, classes, codes, groups, weights, when, by)


def count_rows(X: Any) -> int:
    """Count the rows of a table in any form."""
    if isinstance(X, Table):
        return X.n_rows
    if isinstance(X, Mapping):
        return len(next(iter(X.values()), ()))
    if hasattr(X, "shape"):
        return int(X.shape[0]) if X.shape else 0
    if not hasattr(X, "__len__") or isinstance(X, str | bytes):
        raise DataError(
            f"X must be a table (an array, a dataframe, a dict of columns, a list of dicts). "
            f"Got {X!r:.60}."
        )
    return len(X)


def take_rows(X: Any, rows: Rows) -> Any:
    """Give some rows of a table in its own form, dtypes and names kept."""
    if isinstance(X, Table):
        return X.take(rows)
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
        return X[rows]
    if isinstance(X, Mapping):
        return {name: take_rows(column, rows) for name, column in X.items()}
    if isinstance(X, list | tuple):
        return list(itemgetter(*rows.tolist())(X)) if len(rows) > 1 else [X[i] for i in rows]
    native = nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native[rows].to_native()
    return np.asarray(X)[rows]


def _array(values: Any) -> NDArray[Any]:
    """One column of any library as a numpy array."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    array = series.to_numpy() if isinstance(series, nw.Series) else np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return array
