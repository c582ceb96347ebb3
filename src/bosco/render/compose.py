"""What one box looks like inside: its rows of text, its bar, strip or histogram, in pixels.

A box is measured first, so that the layout can place it, and painted after, at its place.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.render.card import BY_ORDER, MARK, count, say_empty, say_own, show_share
from bosco.render.color import STYLES, class_colors
from bosco.render.edited import said_below
from bosco.render.histogram import Given, Histogram
from bosco.render.layout import Orientation
from bosco.render.marks import Line, Mark, Rect, Text
from bosco.render.measure import shorten, text_width, wrap
from bosco.render.sketch import Box

if TYPE_CHECKING:
    from bosco.models.model import Model

PAD = 9.0
STRIPE = 5.0  # the class of a leaf, at its left
MAX_TEXT = 210.0
MIN_INSIDE = 104.0
LABEL_LINE = 15.0
HEAD_LINE = 16.0
BAR = 9.0
HISTOGRAM = 48.0
TICKS = 13.0
COMPACT_BAR = 64.0
COLUMN_GAP = 9.0


@dataclass(frozen=True)
class Composer:
    """Measures and paints the boxes of one model."""

    model: "Model"
    orientation: Orientation  # leaves of a horizontal tree are one row high
    boxes: list[Box]  # all that will be shown: leaves of one row stand in columns, as in a table
    given: Given | None  # rows for histograms; a node that has none shows a bar or a strip
    case: dict[int, str]  # what the highlighted case has, by node of its path

    @cached_property
    def histograms(self) -> dict[int, Histogram]:
        """By node."""
        return {} if self.given is None else self.given.histograms

    @cached_property
    def colors(self) -> tuple[str, ...]:
        """One for each class."""
        return () if self.model.classes is None else class_colors(len(self.model.classes))

    @cached_property
    def _range(self) -> tuple[float, float]:
        """From the lowest mean less its spread to the highest mean and its spread."""
        mean, spread = self.model.tree.native.value[:, 0], self._spread
        return float((mean - spread).min()), float((mean + spread).max())

    @cached_property
    def _spread(self) -> NDArray[np.float64]:
        """Standard deviation of a real target in every node; 0 where nodes do not know it."""
        if not self.model.growth.spreads:
            return np.zeros(self.model.tree.node_count)
        return np.sqrt(np.maximum(self.model.tree.native.impurity, 0.0))

    # Words ------------------------------------------------------------------------------------

    def label(self, box: Box) -> list[str]:
        """The condition that leads to a box, in lines; where missing values go is never cut off."""
        if box.parent < 0:
            return []
        label = _clean(box.label) + f" {MARK}" * box.marked
        size = STYLES["label"].size
        if not box.missing:
            return wrap(label, MAX_TEXT, size)
        whole = wrap(f"{label} {tr('or missing')}", MAX_TEXT, size)
        if whole[-1].endswith(tr("or missing")):
            return whole
        return [*wrap(label, MAX_TEXT, size, max_lines=2), tr("or missing")]

    def _head(self, box: Box) -> tuple[list[str], str]:
        """The question or the answer, in lines, and what stands at its right."""
        size, side = STYLES["question"].size, ""
        if box.kind == "inner":
            text = f"{_clean(self.model.schema.columns[box.column].shown)}?"
        elif box.kind == "gathered":
            text = "…"
        elif box.card.order is not None:
            real = box.card.mean is not None
            answer = show_figure(float(box.card.order.answer)) if real else box.card.prediction
            text, side = _clean(answer), BY_ORDER()
        elif box.card.turned and box.kind != "folded":
            text, side = _clean(box.card.prediction), box.card.by
        elif box.card.mean is not None:
            text, side = show_figure(box.card.mean), self._plus_minus(box)
        else:
            # of what the bar shows: rows, or weight if only that is known
            share = box.card.share if box.card.row_share is None else box.card.row_share
            text, side = _clean(box.card.prediction), show_share(share or 0.0)
        side = "" if box.kind == "empty" and not box.card.by else side
        if self._compact(box):
            return [shorten(text, MAX_TEXT, size, bold=True)], side
        return wrap(text, MAX_TEXT, size, bold=True, max_lines=2), side

    def _plus_minus(self, box: Box) -> str:
        """The spread of a real target, where it is known; nothing of one row, which has none."""
        unknown = box.card.rows == 1 or not self.model.growth.spreads
        return "" if unknown else f"± {show_figure(float(self._spread[box.node]), 3)}"

    def _captions(self, box: Box) -> list[str]:
        """What stands below the bar or the histogram, whose rows it is of first."""
        first, *more = self._model_says(box)
        given = self.passing(box)
        if not given:
            return [first, *more]
        if box.kind == "inner" and box.node in self.histograms:
            return [tr("histogram: {rows}", rows=given), first, *more]
        return [f"{first} · {given}"] if self._compact(box) else [first, given, *more]

    def passing(self, box: Box) -> str:
        """How many of the rows given come to a box, if they are others than the model's own."""
        if self.given is None or self.given.same or box.kind in ("empty", "gathered"):
            return ""
        here = int(self.given.passing[box.node])
        if not here:
            return tr("none of the {n} rows given", n=self.given.seen.rows)
        return tr("{part} of the {n} rows given", part=here, n=self.given.seen.rows)

    def _model_says(self, box: Box) -> list[str]:
        said = self._rows_of(box)
        by_people = [tr("test by hand")] * (box.kind == "inner" and box.card.by_hand is not None)
        by_people += [tr("locked")] * (box.card.locked and box.kind != "gathered")
        if self._compact(box):
            return [" · ".join([*said, *by_people])]
        return [*said, *([" · ".join(by_people)] if by_people else [])]

    def _rows_of(self, box: Box) -> list[str]:
        if box.kind == "empty":
            return [f"[{box.node}] {say_empty(box.card)}"]
        others = self.given is not None and not self.given.same
        rows = box.trained if others else box.rows
        rows += "" if box.parent < 0 else f" · {tr('{share} of all', share=box.share)}"
        rows = rows if box.kind == "gathered" else f"[{box.node}] {rows}"
        weighted = box.card.weighted
        if box.card.by and box.kind == "leaf":
            return [rows, self._own(box)]
        if box.kind == "inner" and box.card.mean is not None:
            mean = f"{box.card.statistic} {show_figure(box.card.mean)}"
            return [rows, f"{mean} {self._plus_minus(box)}".rstrip()]
        if weighted and box.kind == "leaf" and box.card.share not in (None, 1.0):
            return [rows, f"{tr('by weight')} {show_share(box.card.share or 0.0)}"]
        if box.kind == "folded":
            below = said_below(self.model, box.node)
            return [rows, tr("… {leaves} folded", leaves=count(box.leaves, "leaf")) + below]
        return [rows]

    def _own(self, box: Box) -> str:
        """What the rows of a leaf say that answers by order."""
        if box.card.mean is None:
            return say_own(box.card)
        mean = f"{show_figure(box.card.mean)} {self._plus_minus(box)}".rstrip()
        return tr("its rows say {answer}", answer=mean)

    def _compact(self, box: Box) -> bool:
        return self.orientation == "horizontal" and box.kind in ("leaf", "empty", "gathered")

    def _has_bar(self, box: Box) -> bool:
        return box.kind not in ("empty", "gathered")

    # Sizes ------------------------------------------------------------------------------------

    def label_height(self, box: Box) -> float:
        """Height of the lines above a box."""
        lines = self.label(box)
        return len(lines) * LABEL_LINE + 3 if lines else 0.0

    def measure(self, box: Box) -> tuple[float, float]:
        """Width and height of a box with its label."""
        width, height = self.box_size(box)
        size = STYLES["label"].size
        labels = [text_width(text, size) for text in self.label(box)]
        return max([width, *labels]), height + self.label_height(box)

    def box_size(self, box: Box) -> tuple[float, float]:
        """Width and height of a box without its label."""
        if self._compact(box):
            return 2 * PAD + STRIPE + sum(self._columns) + COMPACT_BAR + 3 * COLUMN_GAP, 26.0
        head, side = self._head(box)
        big, small = STYLES["question"].size, STYLES["caption"].size
        first = max(text_width(text, big, bold=True) for text in head)
        first += 10 + text_width(side, small) if side else 0.0
        captions = [text_width(text, small) for text in self._captions(box)]
        rows = [first, *captions, MIN_INSIDE]
        height = 2 * PAD + HEAD_LINE * len(head) - 2 + 14.0 * len(captions)
        if box.node in self.case and box.kind == "inner":
            rows.append(text_width(self._case(box), STYLES["case"].size, bold=True))
            height += 16.0
        if self._has_bar(box):
            height += self._bar_height(box) + 7.0
        if box.node in self.histograms and box.kind == "inner":
            rows.append(150.0)
        return 2 * PAD + STRIPE + max(rows), height

    @cached_property
    def _columns(self) -> tuple[float, float, float]:
        """Widths of the answers, their shares and the captions of leaves in one row."""
        big, small = STYLES["answer"].size, STYLES["caption"].size
        rows = [(*self._head(b), self._captions(b)[0]) for b in self.boxes if self._compact(b)]
        return (
            max(text_width(head[0], big, bold=True) for head, _, _ in rows),
            max(text_width(side, small) for _, side, _ in rows),
            max(text_width(caption, small) for _, _, caption in rows),
        )

    def _bar_height(self, box: Box) -> float:
        if box.kind == "inner" and box.node in self.histograms:
            return HISTOGRAM + TICKS
        return BAR

    def _case(self, box: Box) -> str:
        return shorten(tr("is ") + _clean(self.case[box.node]), MAX_TEXT, STYLES["case"].size)

    # Marks ------------------------------------------------------------------------------------

    def paint(self, box: Box, x: float, y: float, width: float) -> list[Mark]:
        """The marks of a box whose label begins at (x, y), in a column `width` wide."""
        own, height = self.box_size(box)
        marks: list[Mark] = []
        across = x + width / 2 if self.orientation == "vertical" else x
        anchor = "middle" if self.orientation == "vertical" else "start"
        for at, text in enumerate(self.label(box)):
            marks.append(Text(across, y + 12 + at * LABEL_LINE, text, "label", anchor))
        top = y + self.label_height(box)
        left = x + (width - own) / 2 if self.orientation == "vertical" else x
        style = "fold" if box.kind in ("folded", "gathered") else "box"
        style = "onpath" if box.node in self.case else style
        marks.append(Rect(left, top, own, height, style, radius=3))
        if self.colors and box.kind in ("leaf", "folded", "empty"):
            color = self.colors[int(self.model.node_class[box.node])]
            marks.append(Rect(left, top, STRIPE, height, "frame", color))
        paint = self._paint_row if self._compact(box) else self._paint_rows
        return marks + paint(box, left + STRIPE + PAD, top, own - STRIPE - 2 * PAD)

    def _paint_row(self, box: Box, x: float, top: float, width: float) -> list[Mark]:
        """Everything in one row: the answer, its share, the bar, the rows."""
        head, side = self._head(box)
        answers, shares, captions = self._columns
        bar = x + answers + shares + 2 * COLUMN_GAP
        rows = self._captions(box)[0]
        marks: list[Mark] = [
            Text(x, top + 17.5, head[0], "answer"),
            Text(x + width - captions, top + 17.5, rows, "caption"),
        ]
        if not self._has_bar(box):
            return marks
        marks.append(Text(bar - COLUMN_GAP, top + 17.5, side, "caption", "end"))
        return marks + self._bar(box, bar, top + 8.5, COMPACT_BAR)

    def _paint_rows(self, box: Box, x: float, top: float, width: float) -> list[Mark]:
        """One below the other: question or answer, the case, the bar, the captions."""
        head, side = self._head(box)
        at = top + PAD + 11
        style = "question" if box.kind == "inner" else "answer"
        marks: list[Mark] = [
            Text(x, at + line * HEAD_LINE, text, style) for line, text in enumerate(head)
        ]
        if side:
            marks.append(Text(x + width, at, side, "caption", "end"))
        at += HEAD_LINE * (len(head) - 1)
        if box.node in self.case and box.kind == "inner":
            at += 16
            marks.append(Text(x, at, self._case(box), "case"))
        at += 7
        if self._has_bar(box):
            if box.kind == "inner" and box.node in self.histograms:
                marks += self._histogram(self.histograms[box.node], x, at, width)
            else:
                marks += self._bar(box, x, at, width)
            at += self._bar_height(box) + 3
        for caption in self._captions(box):
            at += 12
            marks.append(Text(x, at, caption, "caption"))
            at += 2
        return marks

    def _bar(self, box: Box, x: float, y: float, width: float) -> list[Mark]:
        """The classes of a node side by side, or its mean and spread on a line."""
        if self.colors:
            marks: list[Mark] = []
            amount = self.model.amounts[box.node]
            ends = np.concatenate(([0.0], np.cumsum(amount) / (amount.sum() or 1.0))) * width
            for k in np.flatnonzero(amount).tolist():
                begin, size = float(ends[k]), float(ends[k + 1] - ends[k])
                marks.append(Rect(x + begin, y, size, BAR, "bar", self.colors[k]))
            return [*marks, Rect(x, y, width, BAR, "frame")]
        low, high = self._range
        scale = width / (high - low) if high > low else 0.0
        mean, spread = box.card.mean or 0.0, float(self._spread[box.node])
        place = x + (mean - low) * scale if scale else x + width / 2
        middle = y + BAR / 2
        return [
            Line(x, middle, x + width, middle, "frame"),
            Rect(place - spread * scale, y + 1.5, 2 * spread * scale, BAR - 3, "range"),
            Rect(place - 1.5, y - 1, 3, BAR + 2, "mean"),
        ]

    def _histogram(self, histogram: Histogram, x: float, y: float, width: float) -> list[Mark]:
        """Stacked bars with the cut through them; missing values apart, at the right."""
        marks: list[Mark] = []
        absent = int(histogram.missing.sum())
        said = f"? {absent}" if absent else ""
        size = STYLES["tick"].size
        span = width - (max(10.0, text_width(said, size)) + 7 if absent else 0.0)
        tallest = max(int(histogram.counts.sum(axis=1).max(initial=0)), 1)
        base, unit = y + HISTOGRAM, (HISTOGRAM - 6) / tallest
        bars = zip(histogram.left, histogram.right, histogram.counts, strict=True)
        for left, right, counts in bars:
            at, wide = x + float(left) * span, float(right - left) * span
            marks += self._stack(counts, at, wide, base, unit)
        if absent:  # many may be missing: their bar ends at the top, their number says how many
            short = min(unit, (HISTOGRAM - 2) / absent)
            marks += self._stack(histogram.missing, x + width - 12, 10.0, base, short)
            marks.append(Text(x + width, base + 11, said, "tick", "end"))
        marks.append(Line(x, base, x + span, base, "frame"))
        for cut in histogram.cuts:
            marks.append(Line(x + cut * span, y, x + cut * span, base + 3, "cut"))
        first, last = (shorten(end, span / 2 - 4, size) for end in histogram.ends)
        marks.append(Text(x, base + 11, first, "tick"))
        marks.append(Text(x + span, base + 11, last, "tick", "end"))
        return marks

    def _stack(
        self, counts: NDArray[np.int64], x: float, width: float, base: float, unit: float
    ) -> list[Mark]:
        marks: list[Mark] = []
        for k in np.flatnonzero(counts).tolist():
            height = float(counts[k]) * unit
            base -= height
            fill = self.colors[k] if len(counts) > 1 else ""
            marks.append(Rect(x, base, width, height, "bar", fill))
        return marks


def _clean(text: str) -> str:
    """A name in one line."""
    return " ".join(text.split()) or "''"
