"""A case in the middle of given rows, which is none of them."""

from typing import Any

import numpy as np

from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.rules.align import raw_value


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
        middle: Any = raw_value(column, float(x[(len(x) - 1) // 2])) if len(x) else None
        whole = isinstance(middle, float) and middle.is_integer()
        case[column.name] = int(middle) if whole else middle
    return case
