"""A picture on an axis of matplotlib."""

from typing import Any

from bosco.errors import ParameterError
from bosco.render.color import DARK, LIGHT, STYLES, Theme, check_theme
from bosco.render.marks import Curve, Line, Mark, Picture, Rect, Text

PIXELS_PER_INCH = 96.0


def need_matplotlib() -> None:
    """Say how to install matplotlib if it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            "This picture is drawn with matplotlib, which is not installed. "
            "Hint: pip install 'bosco[plot]'. model.svg() needs nothing."
        ) from None


def new_axes(width: float, height: float, **keywords: Any) -> Any:
    """An axis in a new figure of so many inches."""
    need_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained", **keywords)[1]


def figure_of(picture: Picture) -> Any:
    """A picture as a figure of its size, which no window knows of."""
    from matplotlib.figure import Figure

    found = Figure(figsize=(picture.width / PIXELS_PER_INCH, picture.height / PIXELS_PER_INCH))
    paint(picture, found.add_axes((0.0, 0.0, 1.0, 1.0)))
    return found


def paint(picture: Picture, ax: Any = None, theme: Theme = "light") -> Any:
    """Draw a picture; its texts are sized to the axis as it is now."""
    check_theme(theme)
    if theme == "auto":
        raise ParameterError("theme must be 'light' or 'dark' here: matplotlib asks no system.")
    if ax is None:
        width, height = picture.width / PIXELS_PER_INCH, picture.height / PIXELS_PER_INCH
        ax = new_axes(width, height)
        ax.figure.set_layout_engine("none")
        ax.set_position((0.0, 0.0, 1.0, 1.0))
    colors = DARK if theme == "dark" else LIGHT
    ax.set_axis_off()
    ax.set_xlim(0, picture.width)
    ax.set_ylim(picture.height, 0)
    ax.set_aspect("equal")
    room = ax.get_window_extent()
    points = min(room.width / picture.width, room.height / picture.height) * 72 / ax.figure.dpi
    marks = [mark for group in picture.groups for mark in group.marks]
    for order, mark in enumerate(marks):
        _draw(ax, mark, colors, points, 1 + order / len(marks))
    return ax


def _draw(ax: Any, mark: Mark, colors: dict[str, str], points: float, order: float) -> None:
    """One mark; `points` is the size of a pixel on paper."""
    from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
    from matplotlib.path import Path

    style = STYLES[mark.style]
    stroke = colors.get(style.stroke, "none")
    dash = (0, tuple(d / style.width for d in style.dash)) if style.dash else "-"
    if isinstance(mark, Text):
        ax.text(
            mark.x,
            mark.y,
            mark.text,
            color=colors[style.fill],
            fontsize=style.size * points,
            fontweight="bold" if style.bold else "normal",
            ha={"start": "left", "middle": "center", "end": "right"}[mark.anchor],
            va="baseline",
            zorder=order,
            clip_on=True,
            parse_math=False,
        )
        return
    look: dict[str, Any] = {"edgecolor": stroke, "linestyle": dash, "zorder": order}
    if isinstance(mark, Rect):
        look["facecolor"] = mark.fill or colors.get(style.fill, "none")
        look["linewidth"] = style.width * points
        place = ((mark.x, mark.y), mark.width, mark.height)
        if mark.radius:
            shape = f"round,pad=0,rounding_size={mark.radius}"
            ax.add_patch(FancyBboxPatch(*place, boxstyle=shape, mutation_aspect=1, **look))
        else:
            ax.add_patch(Rectangle(*place, **look))
        return
    if isinstance(mark, Line):
        corners, width = [(mark.x1, mark.y1), (mark.x2, mark.y2)], style.width
        codes = [Path.MOVETO, Path.LINETO]
    else:
        assert isinstance(mark, Curve)
        p = mark.points
        corners, width = [(p[0], p[1]), (p[2], p[3]), (p[4], p[5]), (p[6], p[7])], mark.width
        codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    look |= {"facecolor": "none", "linewidth": width * points, "capstyle": "butt"}
    ax.add_patch(PathPatch(Path(corners, codes), **look))
