"""A frame with two axes, lines and dots: as values, as SVG on a page, as a figure in a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bosco.base.numerals import show_figure
from bosco.figures.intervals import Floats
from bosco.render.color import LIGHT, OKABE_ITO
from bosco.reporting.parts import Drawn, Part, Screen, fill

LEFT, BOTTOM, WIDE, HIGH = 58.0, 252.0, 260.0, 240.0
"""The frame of curve.html."""

RADIUS = 5.0
"""Of a dot, in pixels."""

Drawing = tuple[str, Any, Any]
"""A line: how it looks, and the numbers across and up."""

_STEPS = {"steps": "steps-pre", "after": "steps-post"}


@dataclass(frozen=True, slots=True)
class Frame:
    """Lines, and dots with their radius, in a frame from `low` to (`right`, `top`)."""

    axes: tuple[str, str]
    drawn: Sequence[Drawing]
    dots: Sequence[tuple[float, float, float]]
    label: str
    kind: str = ""  # what a page's script knows it by
    top: float = 1.0
    low: tuple[float, float] = (0.0, 0.0)
    right: float = 1.0
    legend: str | None = None
    names: Sequence[str] = ()  # of the lines, where there are several

    @property
    def words(self) -> str:
        """What stands below."""
        return self.label if self.legend is None else self.legend

    def _ticks(self) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
        """Numbers across and up, and how they are said."""
        (x0, y0), x1, y1 = self.low, self.right, self.top

        def five(low: float, high: float, share: bool) -> list[tuple[float, str]]:
            at: list[float] = np.linspace(low, high, 5).tolist()
            return [(t, f"{100 * t:.0f} %" if share else show_figure(t, 3)) for t in at]

        cost = self.kind == "cost"
        shares = ((x0, x1) == (0.0, 1.0) and not cost, (y0, y1) == (0.0, 1.0) and not cost)
        return five(x0, x1, shares[0]), five(y0, y1, shares[1])

    def _kept(self) -> list[tuple[float, float, float]]:
        return [dot for dot in self.dots if not np.isnan(dot[:2]).any()]

    def values(self) -> dict[str, Any]:
        """What curve.html takes: everything in pixels."""
        (x0, y0), x1, y1 = self.low, self.right, self.top

        def x(value: float) -> float:
            return LEFT + WIDE * (value - x0) / (x1 - x0)

        def y(value: float) -> float:
            return BOTTOM - HIGH * (min(value, y1) - y0) / (y1 - y0)

        def path(kind: str, xs: Floats, ys: Floats) -> str:
            pairs = [(x(a), y(b)) for a, b in _numbers(xs, ys)]
            words = [f"M{pairs[0][0]:.1f} {pairs[0][1]:.1f}"] if pairs else []
            for a, b in pairs[1:]:
                between = {"steps": f"V{b:.1f}H{a:.1f}", "after": f"H{a:.1f}V{b:.1f}"}
                words.append(between.get(kind.split()[-1], f"L{a:.1f} {b:.1f}"))
            return "".join(words)

        across, up = self._ticks()
        return {
            "kind": self.kind,
            "frame": f"{LEFT:g} {BOTTOM:g} {WIDE:g} {HIGH:g} {x1:.17g} {y1:.17g}",
            "label": self.label,
            "legend": self.words,
            "across": [(f"{x(t):.1f}", said) for t, said in across],
            "up": [(f"{y(t) + 4:.1f}", said) for t, said in up],
            "lines": [(kind, path(kind, xs, ys)) for kind, xs, ys in self.drawn],
            "dots": [(f"{x(a):.1f}", f"{y(b):.1f}", f"{r:.1f}") for a, b, r in self._kept()],
            "x_axis": self.axes[0],
            "y_axis": self.axes[1],
        }

    def figure(self) -> Any:
        """The same by matplotlib."""
        from matplotlib.figure import Figure

        found = Figure(figsize=(3.3, 2.9), layout="constrained")
        ax = found.add_subplot()
        ax.set_xlim(self.low[0], self.right)
        ax.set_ylim(self.low[1], self.top)
        ax.tick_params(labelsize=7, colors=LIGHT["muted"])
        for (said, labelled), axis in zip(
            zip(self._ticks(), self.axes, strict=True), (ax.xaxis, ax.yaxis), strict=True
        ):
            axis.set_ticks([t for t, _ in said], [words for _, words in said])
            axis.set_label_text(labelled, fontsize=8, color=LIGHT["muted"], parse_math=False)
        for kind, xs, ys in self.drawn:
            points = np.array(_numbers(xs, ys)).reshape(-1, 2)
            how = _STEPS.get(kind.split()[-1], "default")
            ax.plot(*points.T, drawstyle=how, clip_on=False, **_look(kind))
        for a, b, r in self._kept():
            ax.plot([a], [b], "o", ms=1.5 * r, c=OKABE_ITO[0], mec="white", clip_on=False)
        if self.names:
            drawn = [line for line in ax.lines if line.get_linestyle() == "-"]
            legend = ax.legend(drawn, list(self.names), fontsize=7)
            for text in legend.get_texts():
                text.set_parse_math(False)
        return found

    def on_paper(self) -> Part:
        """The frame in a document."""
        return Drawn(self.figure, self.words)

    def part(self) -> Part:
        """The frame as a part of a report."""
        return Screen(fill("curve", **self.values()), self.on_paper())


def _numbers(xs: Floats, ys: Floats) -> list[tuple[float, float]]:
    return [(a, b) for a, b in zip(xs, ys, strict=True) if not np.isnan([a, b]).any()]


def _look(kind: str) -> dict[str, Any]:
    """How matplotlib draws a line of the style sheet."""
    first = kind.split()[0]
    if first == "diagonal":
        return {"color": LIGHT["line"], "linestyle": "--", "linewidth": 1.0}
    color = OKABE_ITO[int(first[5:]) % len(OKABE_ITO)] if first.startswith("line-") else "#0072b2"
    return {"color": color, "linestyle": "-", "linewidth": 0.8 if "thin" in kind else 1.6}
