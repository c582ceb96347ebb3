"""The form that a case is typed into: one field for each column that is asked for."""

from collections.abc import Sequence
from html import escape

from bosco.data.schema import Column, show_level
from bosco.reporting.page import paragraph
from bosco.tree.family import AnyModel

MAX_OPTIONS = 60
"""Columns of more levels are typed, with suggestions."""

MAX_SUGGESTIONS = 1000

_MOMENTS = {
    "date": 'type="date"',
    "datetime": 'type="datetime-local" step="0.001"',
    "instant": 'type="datetime-local" step="0.001"',
    "time": 'type="time" step="0.001"',
}
_HINTS = {"instant": "UTC", "duration": "seconds"}


def form(
    model: AnyModel,
    used: Sequence[int],
    act: str = "Show in the tree",
    who: str = "the tree asks",
) -> str:
    """The form for the columns of the model that are used, and the place of the answer."""
    if not used:
        return paragraph(f"There is nothing to type: {who} nothing.")
    columns = model.schema.columns
    fields = "\n".join(_field(at, columns[j]) for at, j in enumerate(used))
    rest = len(columns) - len(used)
    unasked = f" The other {rest} do not matter." if rest > 1 else ""
    unasked = " The other one does not matter." if rest == 1 else unasked
    empty = (
        "Every field must be filled: this model refuses missing values."
        if model.growth.on_missing.refused
        else "An empty field is a missing value."
    )
    return (
        paragraph(f"These are the columns that {who} for.{unasked} {empty}")
        + '\n<form id="case" autocomplete="off" novalidate>\n<div class="fields">'
        f"\n{fields}\n</div>"
        f'\n<p><button type="submit">{act}</button> <button type="reset">Clear</button></p>'
        '\n<div id="answer" role="status" aria-live="polite"></div>\n</form>'
        "\n<noscript><p>Following a case needs JavaScript.</p></noscript>"
    )


def _field(at: int, column: Column) -> str:
    key = f"field-{at}"
    hint = _HINTS.get(column.unit, "")
    label = escape(column.name) + (f" <small>({hint})</small>" if hint else "")
    return f'<div class="field"><label for="{key}">{label}</label>{_input(key, column)}</div>'


def _input(key: str, column: Column) -> str:
    if column.levels is not None and len(column.levels) <= MAX_OPTIONS:
        options = "".join(
            f'<option value="{place}">{escape(show_level(level))}</option>'
            for place, level in enumerate(column.levels)
        )
        return f'<select id="{key}"><option value="">missing, or another</option>{options}</select>'
    if column.levels is not None:
        known = "".join(
            f'<option value="{escape(show_level(level))}"></option>'
            for level in column.levels[:MAX_SUGGESTIONS]
        )
        return f'<input id="{key}" list="{key}-list"><datalist id="{key}-list">{known}</datalist>'
    kind = _MOMENTS.get(column.unit, 'inputmode="decimal"')
    fault = f'<span id="{key}-fault" class="fault"></span>'
    return f'<input id="{key}" {kind} aria-describedby="{key}-fault">{fault}'
