"""Tables as HTML, for notebooks and reports."""

from collections.abc import Sequence
from html import escape

_CELL = "padding:2px 10px;white-space:nowrap"


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    caption: str = "",
    bold: Sequence[int] = (),
) -> str:
    """A table whose colours are those of the page around it.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences
        The cells. Numbers stand to the right, with four digits after the point; a text is escaped.
    caption : str
        What stands above.
    bold : sequence of int
        Rows to set off.

    Examples
    --------
    >>> table(["a"], [["<"]]).count("&lt;")
    1
    """
    lines = ['<table class="bosco-table" style="border-collapse:collapse;text-align:left">']
    if caption:
        above = "caption-side:top;text-align:left;padding:2px 10px"
        lines.append(f'<caption style="{above}">{escape(caption)}</caption>')
    line = "border-bottom:1px solid currentColor"
    names = (f'<th scope="col" style="{_CELL}">{escape(name)}</th>' for name in header)
    lines.append(f'<thead><tr style="{line}">{"".join(names)}</tr></thead><tbody>')
    for at, row in enumerate(rows):
        weight = ' style="font-weight:600"' if at in bold else ""
        lines.append(f"<tr{weight}>{''.join(map(_cell, row))}</tr>")
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        text = str(value)
        if isinstance(value, float):
            usual = value == 0 or 0.001 <= abs(value) < 10_000
            text = "–" if value != value else f"{value:.4f}" if usual else f"{value:.4g}"
        right = "text-align:right;font-variant-numeric:tabular-nums"
        return f'<td style="{_CELL};{right}">{escape(text)}</td>'
    return f'<td style="{_CELL}">{escape(str(value))}</td>'
