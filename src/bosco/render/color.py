"""The colours of all pictures: classes that every eye can tell apart, and two themes.

Class colours are those of Okabe and Ito ("Color Universal Design", 2008), which differ for people
with any of the common kinds of colour blindness; beyond eight classes the same hues come darker,
then lighter. No picture relies on colour alone: leaves name their class.
"""

from dataclasses import dataclass
from typing import Literal

from bosco.errors import ParameterError, did_you_mean

Theme = Literal["auto", "light", "dark"]
THEMES = ("auto", "light", "dark")

OKABE_ITO = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # green
    "#cc79a7",  # purple
    "#56b4e9",  # sky
    "#d55e00",  # vermilion
    "#f0e442",  # yellow
    "#606060",  # grey, where black would be lost in the dark
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Shapes of points, in the order of the colours."""

_COLORS = {
    "surface": ("#ffffff", "#0d1117"),
    "box": ("#f6f8fa", "#171d26"),
    "line": ("#8c959f", "#6e7681"),
    "ink": ("#1f2328", "#e6edf3"),
    "muted": ("#57606a", "#a4aeb9"),
    "edge": ("#c8cfd6", "#3b434d"),
    "bar": ("#6a8caf", "#7f9fbf"),
}
LIGHT, DARK = ({name: both[at] for name, both in _COLORS.items()} for at in (0, 1))


@dataclass(frozen=True, slots=True)
class Style:
    """How a mark looks, in names of colours of a theme."""

    fill: str = "none"
    stroke: str = "none"
    width: float = 1.0
    dash: tuple[float, ...] = ()
    size: float = 0.0
    bold: bool = False


STYLES = {
    "page": Style(fill="surface"),
    "box": Style(fill="box", stroke="line"),
    "fold": Style(fill="surface", stroke="line", dash=(4.0, 3.0)),
    "onpath": Style(fill="box", stroke="ink", width=2.5),
    "edge": Style(stroke="edge"),
    "missing": Style(stroke="edge", dash=(5.0, 4.0)),
    "path": Style(stroke="ink", width=2.5),
    "frame": Style(stroke="line", width=0.75),
    "bar": Style(fill="bar"),
    "unknown": Style(fill="muted"),
    "cut": Style(stroke="ink", width=1.5),
    "range": Style(fill="bar"),
    "mean": Style(fill="ink"),
    "question": Style(fill="ink", size=13, bold=True),
    "answer": Style(fill="ink", size=13, bold=True),
    "label": Style(fill="ink", size=12),
    "case": Style(fill="ink", size=12, bold=True),
    "caption": Style(fill="muted", size=11),
    "tick": Style(fill="muted", size=10),
    "title": Style(fill="muted", size=12),
}
"""Every kind of mark. Text has a size, the rest has none."""


def class_colors(n: int) -> tuple[str, ...]:
    """Colours of n classes."""
    shades = (0.0, -0.38, 0.5)  # past 24 classes colours repeat
    return tuple(_shade(OKABE_ITO[k % 8], shades[k // 8 % 3]) for k in range(n))


def _shade(color: str, by: float) -> str:
    """Nearer to black (by < 0) or to white (by > 0)."""
    end = 255 if by > 0 else 0
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(p + (end - p) * abs(by)):02x}" for p in parts)


def check_theme(theme: object) -> None:
    """Refuse a theme that there is not."""
    if theme not in THEMES:
        raise ParameterError(
            f"theme must be one of {', '.join(map(repr, THEMES))}. Got {theme!r}."
            + did_you_mean(theme, THEMES)
        )
