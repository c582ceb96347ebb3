"""One case as people give it, as a model reads it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bosco.data.columns import Cells, Coded
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.errors import DataError
from bosco.rules.align import raw_value
from bosco.tree.family import AnyModel


def by_name(schema: Schema, row: Any) -> dict[str, Any]:
    """One case as values by column name."""
    if isinstance(row, Mapping) or hasattr(row, "items"):  # a dict, or a pandas Series
        return {str(name): _unboxed(value) for name, value in row.items()}
    if isinstance(row, np.ndarray):
        row = list(row)
    n = len(schema.given)
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != n:
        raise DataError(
            f"One case is wanted: a mapping of column names to values, or {n} "
            f"values in the order of the columns. Got {row!r:.60}."
        )
    return dict(zip(schema.names, map(_unboxed, row), strict=False))


def _unboxed(value: Any) -> Any:
    """A numpy number or text as Python's own, which reads better."""
    return value.item() if isinstance(value, np.number | np.bool_ | np.str_) else value


def frame_of(model: AnyModel, values: Mapping[str, Any]) -> Frame:
    """One case as a frame of a model."""
    taken = {column.name for column in model.schema.derived}
    given = {name: value for name, value in values.items() if name not in taken}
    frame: Frame = model.read([given] if model.schema.named else [list(given.values())])
    return frame


def derived_values(frame: Frame) -> dict[str, Any]:
    """What is derived from the values of one case, by name; None: it has no value."""
    first = len(frame.schema.given)
    return {
        column.name: raw_value(column, value_of(frame.table.column(j)))
        for j, column in enumerate(frame.schema.derived, first)
    }


def value_of(cells: Cells) -> float | None:
    """The value of a one-row column as the core has it."""
    if isinstance(cells, Coded):
        return float(cells.codes[0]) - 1 if cells.codes[0] else None
    x = float(cells.values[0])
    return None if math.isnan(x) else x
