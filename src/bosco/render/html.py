"""Tables as HTML, for notebooks and reports, and the templates that HTML is written by."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Real
from typing import TYPE_CHECKING

from bosco.base.language import spoken, tr, trn
from bosco.base.numerals import show_figure

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_FIGURES = re.compile(r"[-−+]?[\d.,]+(e[+-]?\d+)?( %)?|[–-]?")


def fill(name: str, values: dict[str, object], room: str = "render") -> "Markup":
    """A template of a room, filled: every value is escaped, unless it is HTML of `fill`."""
    from markupsafe import Markup

    return Markup(_templates(room).get_template(f"{name}.html").render(values))


@cache
def _templates(room: str) -> "Environment":
    # here: most who import bosco want no HTML
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader(f"bosco.{room}"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"tr": tr, "trn": trn, "spoken": spoken}  # text like any other: escaped
    return made


@dataclass(frozen=True, slots=True)
class Table:
    """What a table says, before anybody decides how it looks.

    Examples
    --------
    >>> print(Table(["a"], [["<"]]).to_html(inline=False))
    <table class="bosco-table">
    <thead><tr><th scope="col">a</th></tr></thead><tbody>
    <tr><td>&lt;</td></tr>
    </tbody></table>
    """

    header: Sequence[str]
    rows: Sequence[Sequence[object]]  # numbers to the right, with four digits after the point
    caption: str = ""  # what stands above
    bold: Sequence[int] = ()  # rows to set off

    def to_html(self, *, inline: bool = True) -> "Markup":
        """The table, in the colours of the page around it.

        Parameters
        ----------
        inline : bool, default=True
            Every cell carries its own style, as notebooks want it. If not, a style sheet is to say
            how tables look, with the class ``number`` for what stands to the right.
        """
        values = {
            "inline": inline,
            "caption": self.caption,
            "header": self.header,
            "rows": self.shown,
            "bold": self.bold,
            "right": self.right,
        }
        return fill("table", values)

    @property
    def shown(self) -> list[list[object]]:
        """The cells as they are shown."""
        return [[_said(value) for value in row] for row in self.rows]

    @property
    def right(self) -> list[bool]:
        """Of each column, whether it holds numbers, which stand to the right."""
        found = [_figures(column) for column in zip(*self.rows, strict=True)]
        return found or [False] * len(self.header)


class Shown:
    """What ``print`` shows as text, and a notebook as tables, one below the other."""

    __slots__ = ()
    to_text: Callable[..., str]
    tables: Callable[..., tuple[Table, ...]]

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return "\n".join(one.to_html() for one in self.tables())


def _figures(column: Iterable[object]) -> bool:
    """Whether a column holds numbers, or text that reads as such."""
    return all(
        _FIGURES.fullmatch(v) if isinstance(v, str) else type(v) is not bool and isinstance(v, Real)
        for v in column
    )


def _said(value: object) -> object:
    if not isinstance(value, float):
        return value
    usual = 0.001 <= abs(value) < 1000 and not value.is_integer()
    return f"{value:.4f}" if usual else show_figure(value)
