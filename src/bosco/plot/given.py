"""What is drawn, read: plain data by name, with a clear word if something is not there."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import show_label
from bosco.errors import DataError, did_you_mean


def named(data: Any, what: str) -> dict[str, Any]:
    """The columns of a mapping, or of an object that gives one by ``to_dict()``."""
    if hasattr(data, "to_dict") and not isinstance(data, Mapping):
        data = data.to_dict(orient="list") if hasattr(data, "iloc") else data.to_dict()
    if not isinstance(data, Mapping):
        raise DataError(
            f"{what} is drawn from a mapping of names to values, or from an object whose to_dict() "
            f"gives one. Got {type(data).__name__}."
        )
    return {str(name): values for name, values in data.items()}


def numbers(data: Mapping[str, Any], name: str, length: int | None = None) -> NDArray[np.float64]:
    """One column of numbers, of a length if one is given."""
    if name not in data:
        raise DataError(
            f"{name!r} is not among the data; there are {', '.join(map(repr, data))}."
            + did_you_mean(name, data)
        )
    return as_numbers(data[name], name, length)


def as_numbers(values: Any, name: str, length: int | None = None) -> NDArray[np.float64]:
    """One sequence of numbers."""
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name!r} must hold numbers. Got {values!r:.60}.") from None
    if column.ndim != 1 or (length is not None and len(column) != length):
        wanted = "one sequence" if length is None else f"{length} numbers, one for each size"
        raise DataError(f"{name!r} must be {wanted}. Got an array of shape {column.shape}.")
    return column


def labels_of(labels: Sequence[Any] | None, n: int, what: str) -> list[str]:
    """n names as text; made up if none are given."""
    if labels is None:
        return [str(k) for k in range(n)]
    if len(labels) != n:
        raise DataError(f"{what}: {n} names are needed. Got {len(labels)}.")
    return [show_label(label) for label in labels]
