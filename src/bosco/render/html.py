"""Tables as HTML, for notebooks and reports."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_CELL = "padding:2px 10px;white-space:nowrap"


class Markup(str):
    """Text that is HTML already and goes into a table as it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Table:
    """What a table says, before anybody decides how it looks.

    Attributes
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences
        The cells. Numbers stand to the right, with four digits after the point; a text is escaped,
        unless it is `Markup`.
    caption : str
        What stands above.
    bold : sequence of int
        Rows to set off.

    Examples
    --------
    >>> print(Table(["a"], [["<"]]).to_html(inline=False))
    <table class="bosco-table">
    <thead><tr><th scope="col">a</th></tr></thead><tbody>
    <tr><td>&lt;</td></tr>
    </tbody></table>
    """

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    bold: Sequence[int] = ()

    def to_html(self, *, inline: bool = True) -> str:
        """The table, in the colours of the page around it.

        Parameters
        ----------
        inline : bool, default=True
            Every cell carries its own style, as notebooks want it. If not, a style sheet is to say
            how tables look, with the class ``number`` for what stands to the right.
        """
        lines = [f'<table class="bosco-table"{_style(_TABLE, inline)}>']
        if self.caption:
            lines.append(f"<caption{_style(_ABOVE, inline)}>{escape(self.caption)}</caption>")
        names = (_head(name, inline) for name in self.header)
        lines.append(f"<thead><tr{_style(_LINE, inline)}>{''.join(names)}</tr></thead><tbody>")
        for at, row in enumerate(self.rows):
            weight = ' style="font-weight:600"' if inline else ' class="bold"'
            cells = "".join(_cell(value, inline) for value in row)
            lines.append(f"<tr{weight if at in self.bold else ''}>{cells}</tr>")
        lines.append("</tbody></table>")
        return "\n".join(lines)


_TABLE = "border-collapse:collapse;text-align:left"
_ABOVE = "caption-side:top;text-align:left;padding:2px 10px"
_LINE = "border-bottom:1px solid currentColor"
_NUMBER = f"{_CELL};text-align:right;font-variant-numeric:tabular-nums"


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    caption: str = "",
    bold: Sequence[int] = (),
) -> str:
    """A `Table` as a notebook shows it.

    Examples
    --------
    >>> table(["a"], [["<"]]).count("&lt;")
    1
    """
    return Table(header, rows, caption, bold).to_html()


def notebook(tables: Iterable[Table]) -> str:
    """Several tables as a notebook shows them, one below the other."""
    return "\n".join(one.to_html() for one in tables)


def _style(text: str, inline: bool) -> str:
    return f' style="{text}"' if inline else ""


def _head(name: str, inline: bool) -> str:
    look = _style(_CELL, inline)
    return f'<th scope="col"{look}>{escape(name)}</th>' if name else f"<td{look}></td>"


def _cell(value: object, inline: bool) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        text = str(value)
        if isinstance(value, float):
            usual = value == 0 or 0.001 <= abs(value) < 10_000
            text = "–" if value != value else f"{value:.4f}" if usual else f"{value:.4g}"
        right = _style(_NUMBER, True) if inline else ' class="number"'
        return f"<td{right}>{escape(text)}</td>"
    said = value if isinstance(value, Markup) else escape(str(value))
    return f"<td{_style(_CELL, inline)}>{said}</td>"
