"""A case in the middle of given rows, which is none of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from bosco.data.columns import Coded
from bosco.data.frame import Frame


def typical_case(frame: Frame) -> dict[str, Any]:
    """The middle number (of two the lower), or the most frequent level, of every column.

    Examples
    --------
    >>> from bosco.data.schema import Schema
    >>> X = {"age": [20.0, 30.0, 70.0, None], "sex": ["f", "m", "f", None]}
    >>> typical_case(Frame.read(X, Schema.infer(X)))
    {'age': 30, 'sex': 'f'}
    """
    case = {}
    for j, column in enumerate(frame.schema.columns):
        cells = frame.table.column(j)
        if isinstance(cells, Coded):
            seen = np.bincount(cells.codes, minlength=2)[1:]
            case[column.name] = cells.levels[int(np.argmax(seen))] if seen.any() else None
            continue
        x = np.asarray(cells.values).astype(np.float64)
        x = np.sort(x[~np.isnan(x)])
        case[column.name] = _value(float(x[(len(x) - 1) // 2]), column.unit) if len(x) else None
    return case


def _value(x: float, unit: str) -> Any:
    """A number of a column as the kind of value that was read."""
    if unit == "date":
        return np.datetime64(int(x), "D")
    if unit == "datetime":
        return np.datetime64(int(x), "us")
    if unit == "instant":
        return datetime.fromtimestamp(x / 1e6, UTC)
    if unit == "time":
        return (datetime.min + timedelta(microseconds=x)).time()
    return np.timedelta64(int(x), "us") if unit == "duration" else int(x) if x.is_integer() else x
