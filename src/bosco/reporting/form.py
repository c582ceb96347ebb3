"""The form that a case is typed into: one field for each column that is asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bosco.data.schema import show_level
from bosco.reporting.page import fill, paragraph
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_OPTIONS = 60
"""Columns of more levels are typed, with suggestions."""

MAX_SUGGESTIONS = 1000

_INPUTS = {
    "date": {"type": "date"},
    "datetime": {"type": "datetime-local", "step": "0.001"},
    "instant": {"type": "datetime-local", "step": "0.001"},
    "time": {"type": "time", "step": "0.001"},
}
_HINTS = {"instant": "UTC", "duration": "seconds"}


def form(
    model: AnyModel,
    used: Sequence[int],
    act: str = "Show in the tree",
    who: str = "the tree asks",
) -> "Markup":
    """The form for the columns of the model that are used, and the place of the answer."""
    if not used:
        return paragraph(f"There is nothing to type: {who} nothing.")
    columns = model.schema.columns
    return fill(
        "form",
        columns=[columns[j] for j in used],
        rest=len(columns) - len(used),
        strict=model.growth.missing == "error",
        act=act,
        who=who,
        inputs=_INPUTS,
        hints=_HINTS,
        most=MAX_OPTIONS,
        suggested=MAX_SUGGESTIONS,
        show_level=show_level,
    )
