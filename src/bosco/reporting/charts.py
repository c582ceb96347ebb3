"""Small pictures of the report: an interval on a line, a bar to either side, calibration."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from bosco.base.numerals import show_figure
from bosco.reporting.page import fill
from bosco.reporting.scores import Point

SIDE, LEFT, BOTTOM = 300.0, 64.0, 332.0
"""The frame of calibration.html."""


def interval(share: float, low: float, high: float) -> str:
    """A share from 0 to 1 with its interval, as a line with a dot."""
    if np.isnan(share):
        return ""
    ends = {"share": share, "low": low, "high": high}
    return fill("interval", **{name: f"{100 * x:.1f}" for name, x in ends.items()})


def signed(part: float) -> Markup:
    """A bar from the middle, to the right of what adds and to the left of what takes away."""
    width = 50 * min(abs(part), 1.0)
    begin, kind = (50 - width, "takes") if part < 0 else (50.0, "adds")
    return fill("signed", begin=f"{begin:.1f}", width=f"{width:.1f}", kind=kind)


def calibration(points: Sequence[Point], title: str, legend: str, real: bool) -> Markup:
    """Predicted against seen; on the diagonal, predictions mean what they say."""
    low, high = 0.0, 1.0
    if real:  # both axes show all means
        means = [value for p in points for value in (p.predicted, p.observed)]
        low, high = min(means), max(means)
        low, high = (low, high) if high > low else (low - 1.0, high + 1.0)
    scale = SIDE / (high - low)

    def x(value: float) -> str:
        return f"{LEFT + (value - low) * scale:.1f}"

    def y(value: float) -> str:
        return f"{BOTTOM - (value - low) * scale:.1f}"

    def ends(p: Point) -> list[str]:
        bounds = (p.low, p.high) if np.isfinite([p.low, p.high]).all() else ()
        return [y(min(max(end, low), high)) for end in bounds]

    most = max(point.rows for point in points)
    return fill(
        "calibration",
        title=title,
        legend=legend,
        ticks=[
            (x(t), f"{float(y(t)) + 4:.1f}", show_figure(t) if real else f"{100 * t:.0f} %")
            for t in np.linspace(low, high, 5).tolist()
        ],
        dots=[
            (x(p.predicted), y(p.observed), f"{3 + 6 * np.sqrt(p.rows / most):.1f}", ends(p))
            for p in points
        ],
    )
