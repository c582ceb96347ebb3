"""A case in the report: the form that it is typed into, and one in the middle of given rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bosco.base.language import phrase, tr
from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.data.schema import show_level
from bosco.reporting.parts import Part, Screen, fill, paragraph
from bosco.rules.align import raw_value
from bosco.tree.family import AnyModel

MAX_OPTIONS = 60
"""Columns of more levels are typed, with suggestions."""

MAX_SUGGESTIONS = 1000

_INPUTS = {
    "date": {"type": "date"},
    "datetime": {"type": "datetime-local", "step": "0.001"},
    "instant": {"type": "datetime-local", "step": "0.001"},
    "time": {"type": "time", "step": "0.001"},
}
_HINTS = {"instant": phrase("UTC"), "duration": phrase("seconds")}


def form(
    model: AnyModel,
    used: Sequence[int],
    many: bool = False,
) -> Part:
    """The form for the given columns that are needed, and the place of the answer."""
    if not used:
        return paragraph(
            tr("There is nothing to type: the trees ask nothing.")
            if many
            else tr("There is nothing to type: the tree asks nothing.")
        )
    columns = model.schema.given
    html = fill(
        "form",
        columns=[columns[j] for j in used],
        rest=len(columns) - len(used),
        meanings=model.meanings,
        strict=model.growth.on_missing.refused,
        many=many,
        inputs=_INPUTS,
        hints={unit: hint() for unit, hint in _HINTS.items()},
        most=MAX_OPTIONS,
        suggested=MAX_SUGGESTIONS,
        show_level=show_level,
    )
    return Screen(html)


def typical_case(frame: Frame) -> dict[str, Any]:
    """The middle number (of two the lower), or the most frequent level, of every column."""
    case = {}
    for j, column in enumerate(frame.schema.given):
        cells = frame.table.column(j)
        if isinstance(cells, Coded):
            seen = np.bincount(cells.codes, minlength=2)[1:]
            case[column.name] = cells.levels[int(np.argmax(seen))] if seen.any() else None
            continue
        x = np.asarray(cells.values).astype(np.float64)
        x = np.sort(x[~np.isnan(x)])
        value = raw_value(column, float(x[(len(x) - 1) // 2]) if len(x) else None)
        whole = isinstance(value, float) and value.is_integer()
        case[column.name] = int(value) if whole else value
    return case
