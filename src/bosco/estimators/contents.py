"""Rows in an order of their own: by what they hold, wherever they stand in the table.

What is drawn or dealt out from rows in this order (folds, a part set apart) is the same for every
order in which the rows are given. Rows that hold the same are interchangeable.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded
from bosco.data.readers import Table

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # splitmix64's


def content_order(table: Table, *more: NDArray[Any] | None) -> NDArray[np.intp]:
    """The numbers of a table's rows, by a hash of their cells and of more columns of numbers."""
    return np.argsort(content_keys(table, *more), kind="stable")


def content_keys(table: Table, *more: NDArray[Any] | None) -> NDArray[np.uint64]:
    """A hash of the cells of each row of a table, and of more columns of numbers."""
    key = np.zeros(table.n_rows, np.uint64)
    for j in range(len(table.names)):
        _stir(key, _numbers(table.column(j)))
    for values in more:
        if values is not None:
            _stir(key, values)
    return key


def _numbers(cells: Cells) -> NDArray[Any]:
    if not isinstance(cells, Coded):
        return cells.values
    if cells.ordered:
        return cells.codes
    # Declared levels may stand as their rows do, as those of a dictionary: sorted, they do not.
    levels = sorted(cells.levels, key=lambda level: (isinstance(level, str), level))
    return cells.recode(tuple(levels))


def _stir(key: NDArray[np.uint64], values: NDArray[Any]) -> None:
    """Let the key of every row depend on one more number."""
    number = values.astype(np.float64) + 0.0  # no negative zero
    number[np.isnan(number)] = np.nan  # of all that are NaN, one
    key ^= number.view(np.uint64)
    for shift, factor in zip((30, 27), _MIX, strict=True):
        key ^= key >> np.uint64(shift)
        key *= factor
    key ^= key >> np.uint64(31)
