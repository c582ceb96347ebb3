"""The picture of a tree: cards in boxes, boxes in a layout, branches between them.

Painters turn it into SVG or draw it with matplotlib. All numbers are the model's; only histograms
are counted, from rows that are given for it. Which rows each is of is said in the picture.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.data.schema import show_label
from bosco.errors import ParameterError, did_you_mean
from bosco.render.card import count
from bosco.render.color import STYLES
from bosco.render.compose import Composer
from bosco.render.edited import edit_notes, mark_notes
from bosco.render.histogram import Given, given_rows
from bosco.render.layout import Layout, Orientation, place
from bosco.render.marks import Curve, Group, Mark, Picture, Rect, Text
from bosco.render.measure import shorten, text_width, wrap
from bosco.render.sketch import MAX_BRANCHES, Box, sketch
from bosco.render.text import general_notes, headline, opened_nodes, to_text

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_NODES = 100
COMFORT = 1280.0
"""A tree wider than this is turned on its side, if its orientation is left open."""

ORIENTATIONS = ("auto", "vertical", "horizontal")
MARGIN = 14.0
FLOW = 14.0  # width of a branch that all rows take
MAX_LEVELS = 30  # of a set, in what is said on hovering
MAX_LEGEND = 24


@dataclass(frozen=True)
class Options:
    """What a picture is asked to show; see `Model.svg`."""

    max_depth: int | None = None
    max_nodes: int | None = MAX_NODES
    orientation: Literal["auto", "vertical", "horizontal"] = "auto"
    width: float | None = None
    case: Mapping[int, str] | None = None
    X: Any = None
    y: Any = None
    bare: bool = False  # without the words above and below
    folded: Collection[int] = ()  # nodes whose branches are not shown
    kept: Collection[int] = ()  # nodes that are shown, however light they are

    def __post_init__(self) -> None:
        if self.orientation not in ORIENTATIONS:
            raise ParameterError(
                f"orientation must be one of {', '.join(map(repr, ORIENTATIONS))}. Got "
                f"{self.orientation!r}." + did_you_mean(self.orientation, ORIENTATIONS)
            )
        for name, least in (("max_depth", 0), ("max_nodes", 1), ("width", 1)):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if value is not None and not (number and value >= least):
                raise ParameterError(
                    f"{name} must be None or a number of at least {least}. Got {value!r}."
                )
        if self.y is not None and self.X is None:
            raise ParameterError("y is given without X: histograms need the rows as well.")


@dataclass(frozen=True)
class _Draft:
    """One attempt: which boxes there are, and where they would go."""

    boxes: list[Box]
    composer: Composer
    sizes: list[tuple[float, float]]
    layout: Layout

    @property
    def width(self) -> float:
        """Width of the picture."""
        return self.layout.width + 2 * MARGIN


def _draft(
    model: "Model",
    opened: NDArray[np.bool_],
    given: Given | None,
    case: dict[int, str],
    orientation: Orientation,
    most: int | None = None,
) -> _Draft:
    """Lay out the tree; with `most`, only so many nodes (upright) or levels are opened."""
    upright = orientation == "vertical"
    if most is not None and upright:
        inner = np.flatnonzero(opened)
        heaviest = np.argsort(-model.tree.node_weight[inner], kind="stable")[:most]
        opened = np.zeros_like(opened)
        opened[inner[heaviest]] = True
    elif most is not None:
        opened = opened & (model.tree.depth < most)
    boxes = sketch(model, opened, MAX_LEVELS)
    composer = Composer(model, orientation, boxes, given, case)
    sizes = list(map(composer.measure, boxes))
    parents, (widths, heights) = [box.parent for box in boxes], zip(*sizes, strict=True)
    gap, level_gap = (18.0, 38.0) if upright else (10.0, 52.0)
    layout = place(parents, widths, heights, orientation=orientation, gap=gap, level_gap=level_gap)
    return _Draft(boxes, composer, sizes, layout)


def draw(model: "Model", options: Options) -> Picture:
    """The picture of a model."""
    case = dict(options.case or {})
    keep = {above for node in options.kept for above in model.tree.path(node)[:-1]} | case.keys()
    opened = opened_nodes(
        model, options.max_depth, options.max_nodes, max_branches=MAX_BRANCHES, keep=keep
    )
    opened[list(options.folded)] = False
    given = None
    if options.X is not None:
        given = given_rows(model, options.X, options.y, np.flatnonzero(opened).tolist())
    draft = _fitting(model, partial(_draft, model, opened, given, case), options)
    header, footer = _header(model, draft), _notes(model, draft, options.bare)
    legend = tuple((color, text) for line in header[1:] for color, text, _ in line)
    below_it = tuple(text for line in footer for _, text, _ in line)
    header, footer = ([], []) if options.bare else (header, footer)
    layout, boxes = draft.layout, draft.boxes
    room = (options.width or COMFORT) - 2 * MARGIN
    natural = max((sum(_word_width(*word) for word in line) for line in header + footer), default=0)
    width = max(layout.width, min(room, natural))
    above, lines = _flow_text(header, width, MARGIN)
    shift = MARGIN + (width - layout.width) / 2 if _upright(draft) else MARGIN
    x, y = layout.x + shift, layout.y + MARGIN + above + (16 if above else 0)
    below = float(y.min() + layout.height) + (14 if footer else 0)
    under, notes = _flow_text(footer, width, below)
    groups = [Group("header", -1, "", tuple(lines)), *_branches(draft, x, y)]
    for at, box in enumerate(boxes):
        width_of_box = draft.sizes[at][0]
        marks = draft.composer.paint(box, float(x[at]), float(y[at]), width_of_box)
        title = "\n".join(filter(None, [box.title, draft.composer.passing(box)]))
        groups.append(Group(f"node {box.kind}", box.node, title, tuple(marks)))
    if notes:
        groups.append(Group("notes", -1, "", tuple(notes)))
    total = (width + 2 * MARGIN, below + under + MARGIN)
    page = Group("background", -1, "", (Rect(0, 0, *total, "page"),))
    said = to_text(model, max_depth=options.max_depth, max_nodes=min(len(boxes), 200))
    return Picture((page, *groups), *total, headline(model), said, legend, below_it)


def _upright(draft: _Draft) -> bool:
    return draft.composer.orientation == "vertical"


# As much of the tree as fits ----------------------------------------------------------------------


def _fitting(model: "Model", draft_of: Callable[..., _Draft], options: Options) -> _Draft:
    """The largest draft that keeps to the limits, upright if that is left open and it fits."""
    limit = COMFORT if options.width is None else options.width
    orientation: Orientation = "horizontal" if options.orientation == "horizontal" else "vertical"
    draft = draft_of(orientation)
    if options.orientation == "auto" and draft.width > limit:
        turned = draft_of("horizontal")
        if options.width is not None or turned.width < draft.width:
            draft, orientation = turned, "horizontal"
    if options.width is None or draft.width <= limit:
        return draft
    # Fold by weight in an upright tree, which is as wide as it has leaves; by depth in the other.
    inner = [box.node for box in draft.boxes if box.kind == "inner"]
    depth = model.tree.depth[inner].max(initial=-1)
    low, high = 0, len(inner) if orientation == "vertical" else int(depth) + 1
    best = draft_of(orientation, 0)
    while high - low > 1:
        middle = (low + high) // 2
        attempt = draft_of(orientation, middle)
        if attempt.width <= limit:
            low, best = middle, attempt
        else:
            high = middle
    return best


# Branches -----------------------------------------------------------------------------------------


def _branches(draft: _Draft, x: NDArray[np.float64], y: NDArray[np.float64]) -> list[Group]:
    """A band from each box to each below it, as wide as its part of the rows; like a river."""
    boxes, composer = draft.boxes, draft.composer
    sizes = draft.sizes
    bands = [max(1.0, FLOW * box.part) for box in boxes]
    total = np.zeros(len(boxes))
    for box, band in zip(boxes[1:], bands[1:], strict=True):
        total[box.parent] += band
    used = -total / 2
    groups, upright = [], _upright(draft)
    for at, box in enumerate(boxes[1:], 1):
        above, band = box.parent, bands[at]
        offset = float(used[above]) + band / 2
        used[above] += band
        tab = composer.label_height(boxes[above])
        if upright:
            x0 = float(x[above]) + sizes[above][0] / 2 + offset
            y0 = float(y[above]) + sizes[above][1]
            x1, y1 = float(x[at]) + sizes[at][0] / 2, float(y[at])
            middle = y1 - 19.0
            points = (x0, y0, x0, middle, x1, (y0 + y1) / 2, x1, y1)
        else:
            x0 = float(x[above]) + composer.box_size(boxes[above])[0]
            y0 = float(y[above]) + (tab + sizes[above][1]) / 2 + offset
            x1 = float(x[at])
            y1 = float(y[at]) + (composer.label_height(box) + sizes[at][1]) / 2
            bend = (max(x0, x1 - 52.0) + x1) / 2
            points = (x0, y0, bend, y0, bend, y1, x1, y1)
        marks: list[Mark] = [Curve(points, band, "missing" if box.only_missing else "edge")]
        if box.node in composer.case and boxes[above].node in composer.case:
            marks.append(Curve(points, STYLES["path"].width, "path"))
        groups.append(Group("branch", box.node, box.title, tuple(marks)))
    return sorted(groups, key=lambda group: len(group.marks))  # the path over the others


# What stands above and below ----------------------------------------------------------------------

Words = list[tuple[str, str, str]]  # (colour or nothing, text, style)


def _header(model: "Model", draft: _Draft) -> list[Words]:
    """Lines of words: what it is, and which colour is which class."""
    lines: list[Words] = [[("", headline(model), "title")]]
    colors = draft.composer.colors
    if colors and model.classes is not None:
        legend: Words = [
            (color, shorten(" ".join(show_label(label).split()), 160, 12), "label")
            for color, label in zip(colors[:MAX_LEGEND], model.classes, strict=False)
        ]
        if len(colors) > MAX_LEGEND:
            legend.append(("", tr("… {n} more classes", n=len(colors) - MAX_LEGEND), "caption"))
        lines.append(legend)
    if draft.composer.given is not None:
        lines.append([("", str(draft.composer.given), "caption")])
    return lines


def _notes(model: "Model", draft: _Draft, bare: bool) -> list[Words]:
    notes = [*general_notes(model), *(mark_notes(model) if bare else edit_notes(model))]
    folded = sum(box.leaves for box in draft.boxes if box.kind in ("folded", "gathered"))
    if folded and not bare:
        notes.append(
            tr(
                "… is folded: {n} of {leaves}. Larger max_depth, max_nodes or width show more.",
                n=folded,
                leaves=count(model.n_leaves, "leaf"),
            )
        )
    with_stand_ins = [box for box in draft.boxes if box.kind == "inner" and box.card.stand_ins]
    for box in with_stand_ins[:8]:
        name = model.schema.columns[box.column].shown
        notes.append(
            tr(
                "If {column} is missing at [{node}]: {tests}.",
                column=name,
                node=box.node,
                tests="; ".join(box.card.stand_ins),
            )
        )
    if len(with_stand_ins) > 8:
        notes.append(
            tr("… where values are missing at other nodes, print(model) says what decides.")
        )
    return [[("", note, "caption")] for note in notes]


def _word_width(color: str, text: str, style: str) -> float:
    return text_width(text, STYLES[style].size) + (15 if color else 0) + 18


def _flow_text(lines: list[Words], width: float, top: float) -> tuple[float, list[Mark]]:
    """Set words in lines no wider than `width`; the height used, and the marks."""
    marks: list[Mark] = []
    y = top
    for words in _broken(lines, width):
        x = MARGIN
        y += 16
        for color, text, style in words:
            needed = _word_width(color, text, style)
            if x > MARGIN and x + needed - 18 > width + MARGIN:
                x, y = MARGIN, y + 16
            if color:
                marks.append(Rect(x, y - 9, 10, 10, "frame", color, radius=2))
            marks.append(Text(x + (15 if color else 0), y, text, style))
            x += needed
    return y - top, marks


def _broken(lines: list[Words], width: float) -> Iterator[Words]:
    """Lines with those of one long text broken into several."""
    for words in lines:
        if len(words) > 1 or words[0][0]:
            yield words
            continue
        _, text, style = words[0]
        for part in wrap(text, width, STYLES[style].size, max_lines=8):
            yield [("", part, style)]
