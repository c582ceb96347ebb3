"""What a picture is made of: a few plain shapes, in pixels, y growing downwards.

Painters know these and nothing of trees. A style is a name of `bosco.render.color.STYLES`; `fill`,
where given, is a colour of its own.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle, its corners rounded by `radius`."""

    x: float
    y: float
    width: float
    height: float
    style: str
    fill: str = ""
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; x is its start, middle or end, y its baseline."""

    x: float
    y: float
    text: str
    style: str
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic Bézier curve, `width` wide."""

    points: tuple[float, float, float, float, float, float, float, float]
    width: float
    style: str


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together: a node or a branch, with a title to hover over.

    `node` is the number of the tree's node, -1 for none.
    """

    kind: str
    node: int
    title: str
    marks: "tuple[Mark, ...]"


Mark = Rect | Text | Line | Curve


@dataclass(frozen=True, slots=True)
class Picture:
    """All marks of a picture, its size, and what it says to those who do not see it.

    `legend` and `notes` are the words above and below it (with a colour, or none, before each of
    the legend), for those who set them outside of the picture.
    """

    groups: tuple[Group, ...]
    width: float
    height: float
    title: str
    description: str
    legend: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
