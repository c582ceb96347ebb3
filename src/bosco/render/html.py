"""Tables as HTML, for notebooks and reports."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bosco.base.numerals import show_figure

_CELL = "padding:2px 10px;white-space:nowrap"
_FIGURES = re.compile(r"[-−+]?[\d.,]+(e[+-]?\d+)?( %)?|[–-]?")


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
        The cells. Columns of numbers stand to the right, with four digits after the point; a text
        is escaped, unless it is `Markup`.
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
        right = [_figures(column) for column in zip(*self.rows, strict=True)] if self.rows else []
        right += [False] * (len(self.header) - len(right))
        names = (_head(name, at, inline) for name, at in zip(self.header, right, strict=True))
        lines.append(f"<thead><tr{_style(_LINE, inline)}>{''.join(names)}</tr></thead><tbody>")
        for at, row in enumerate(self.rows):
            weight = ' style="font-weight:600"' if inline else ' class="bold"'
            cells = "".join(_cell(value, to, inline) for value, to in zip(row, right, strict=True))
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


def _figures(column: Iterable[object]) -> bool:
    """Whether a column holds numbers, or text that reads as such."""
    return all(_is_number(v) or (isinstance(v, str) and _FIGURES.fullmatch(v)) for v in column)


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _look(right: bool, inline: bool) -> str:
    if inline:
        return _style(_NUMBER if right else _CELL, True)
    return ' class="number"' if right else ""


def _head(name: str, right: bool, inline: bool) -> str:
    look = _look(right, inline)
    return f'<th scope="col"{look}>{escape(name)}</th>' if name else f"<td{look}></td>"


def _cell(value: object, right: bool, inline: bool) -> str:
    said = value if isinstance(value, Markup) else escape(_said(value))
    return f"<td{_look(right, inline)}>{said}</td>"


def _said(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    usual = 0.001 <= abs(value) < 1000 and not value.is_integer()
    return f"{value:.4f}" if usual else show_figure(value)
