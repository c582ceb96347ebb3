"""What each column added to a prediction: exact, and it adds up."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.frame import Frame
from bosco.errors import ModelError
from bosco.figures.intervals import Floats

if TYPE_CHECKING:
    from bosco.models.model import Model


@dataclass(frozen=True, eq=False)
class Contributions:
    """Shapley values of a tree's columns, row by row.

    What a column is given is its mean effect over all orders in which the columns could become
    known, where the columns not yet known are averaged over the training rows along the tree's own
    paths (path-dependent TreeSHAP). ``base + values.sum(axis=1)`` is the prediction, exactly up to
    rounding.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns, n_classes), or (n_rows, n_columns)
        Added to the share of each class, or to the number.
    base : ndarray of shape (n_classes,), or float
        What is predicted before any column is known: the mean over the training rows.
    columns : tuple of str
        Names of the columns.
    classes : tuple or None
        The classes, in the order of the last axis.

    Examples
    --------
    >>> from bosco import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 2, 3]).model_
    >>> found = model.contributions([[1, 1]])
    >>> found.base, found.values.tolist()
    (1.5, [[1.0, 0.5]])
    """

    values: Floats
    base: Any
    columns: tuple[str, ...]
    classes: tuple[Any, ...] | None

    def to_dict(self, row: int = 0, label: Any = None) -> dict[str, list[Any]]:
        """One row as columns, the largest first: for a class, by default the last one."""
        of_row = self.values[row]
        if self.classes is not None:
            k = len(self.classes) - 1 if label is None else self.classes.index(label)
            of_row = of_row[:, k]
        order = np.argsort(-np.abs(of_row), kind="stable")
        return {
            "column": [self.columns[j] for j in order],
            "contribution": of_row[order].tolist(),
        }


def contributions(model: "Model", frame: Frame, n_threads: int) -> Contributions:
    """Work out what each column of read rows added to the model's answer."""
    if not model.growth.on_missing.one_way:
        raise ModelError(
            f"Contributions need every row to go one way, by its own values; with missing="
            f"{model.growth.missing!r} a missing value goes several ways or by other columns. "
            "Hint: missing='learn'."
        )
    native = model.tree.native
    with refused_as_model():
        flat, base = _core.contributions(native, frame.native, model.node_value, n_threads)
    return shaped(flat, base, frame, model.classes)


@contextmanager
def refused_as_model() -> Iterator[None]:
    """Say of the model what the core says of its tree."""
    try:
        yield
    except _core.CoreError as error:
        raise ModelError(f"Contributions cannot be worked out: {error}.") from None


def shaped(flat: Floats, base: Floats, frame: Frame, classes: NDArray[Any] | None) -> Contributions:
    """What the core gave, by row and column."""
    names = tuple(frame.schema.names)
    values = flat.reshape(frame.n_rows, len(names), -1)
    if classes is None:
        return Contributions(values[:, :, 0], float(base[0]), names, None)
    return Contributions(values, base, names, tuple(classes.tolist()))
