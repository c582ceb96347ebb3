"""Small pictures of the report: an interval on a line, a bar to either side, calibration."""

from collections.abc import Sequence

import numpy as np

from bosco.base.language import tr
from bosco.reporting.frames import Drawing, Frame
from bosco.reporting.parts import Cell, Part, fill
from bosco.reporting.scores import Point


def interval(share: float, low: float, high: float) -> Cell | str:
    """A share from 0 to 1 with its interval, as a line with a dot."""
    if np.isnan(share):
        return ""
    ends = {"share": share, "low": low, "high": high}
    return Cell(fill("interval", **{name: f"{100 * x:.1f}" for name, x in ends.items()}))


def signed(part: float) -> Cell:
    """A bar from the middle, to the right of what adds and to the left of what takes away."""
    width = 50 * min(abs(part), 1.0)
    begin, kind = (50 - width, "takes") if part < 0 else (50.0, "adds")
    return Cell(fill("signed", begin=f"{begin:.1f}", width=f"{width:.1f}", kind=kind))


def calibration(points: Sequence[Point], title: str, legend: str, real: bool) -> Part:
    """Predicted against seen; on the diagonal, predictions mean what they say."""
    low, high = 0.0, 1.0
    if real:  # both axes show all means
        means = [value for p in points for value in (p.predicted, p.observed)]
        low, high = min(means), max(means)
        low, high = (low, high) if high > low else (low - 1.0, high + 1.0)
    drawn: list[Drawing] = [("diagonal", [low, high], [low, high])]
    for p in points:
        if np.isfinite([p.low, p.high]).all():
            ends = [min(max(end, low), high) for end in (p.low, p.high)]
            drawn.append(("range", [p.predicted] * 2, ends))
    most = max(point.rows for point in points)
    dots = [(p.predicted, p.observed, float(3 + 6 * np.sqrt(p.rows / most))) for p in points]
    axes = (tr("predicted"), tr("seen"))
    corner = (low, low)
    frame = Frame(axes, drawn, dots, title, top=high, low=corner, right=high, legend=legend)
    return frame.part()
