"""Small pictures of the report: an interval on a line, a bar to either side, calibration."""

from collections.abc import Sequence

import numpy as np

from bosco.base.numerals import show_figure
from bosco.render.html import Markup
from bosco.reporting.scores import Point

SIDE, MARGIN = 300.0, 64.0


def interval(share: float, low: float, high: float) -> Markup:
    """A share from 0 to 1 with its interval, as a line with a dot.

    Examples
    --------
    >>> interval(0.5, 0.25, 0.75)[:21]
    '<svg class="interval"'
    """
    if np.isnan(share):
        return Markup("")
    begin, end, at = (f"{100 * x:.1f}" for x in (low, high, share))
    return Markup(
        '<svg class="interval" viewBox="-4 0 108 12" width="108" height="12" aria-hidden="true">'
        f'<path class="axis" d="M0 6H100"/><path class="range" d="M{begin} 6H{end}"/>'
        f'<circle class="dot" cx="{at}" cy="6" r="3.5"/></svg>'
    )


def signed(part: float) -> Markup:
    """A bar from the middle, to the right of what adds and to the left of what takes away.

    Examples
    --------
    >>> signed(-0.5)[-29:]
    'x="25.0" width="25.0"/></svg>'
    """
    width = 50 * min(abs(part), 1.0)
    begin = 50 - width if part < 0 else 50.0
    return Markup(
        '<svg class="bar" viewBox="-4 0 108 12" width="108" height="12" aria-hidden="true">'
        '<path class="axis" d="M50 0V12"/>'
        f'<rect class="{"takes" if part < 0 else "adds"}" y="2" height="8" x="{begin:.1f}" '
        f'width="{width:.1f}"/></svg>'
    )


def calibration(points: Sequence[Point], title: str, real: bool) -> Markup:
    """Predicted against seen; on the diagonal, predictions mean what they say."""
    low, high = _span(points, real)
    scale = SIDE / (high - low)

    def x(value: float) -> str:
        return f"{MARGIN + (value - low) * scale:.1f}"

    def y(value: float) -> str:
        return f"{MARGIN / 2 + SIDE - (value - low) * scale:.1f}"

    most = max(point.rows for point in points)
    width, height = SIDE + 1.5 * MARGIN, SIDE + 1.5 * MARGIN
    marks = [
        f'<rect class="axis" x="{MARGIN:g}" y="{MARGIN / 2:g}" width="{SIDE:g}" height="{SIDE:g}"/>'
        f'<path class="diagonal" d="M{x(low)} {y(low)}L{x(high)} {y(high)}"/>'
    ]
    for tick in np.linspace(low, high, 5).tolist():
        said = show_figure(tick) if real else f"{100 * tick:.0f} %"
        marks.append(
            f'<text x="{x(tick)}" y="{SIDE + MARGIN / 2 + 16:g}" text-anchor="middle">{said}</text>'
            f'<text x="{MARGIN - 6:g}" y="{float(y(tick)) + 4:.1f}" text-anchor="end">{said}</text>'
        )
    for p in points:
        radius = 3 + 6 * np.sqrt(p.rows / most)
        if np.isfinite([p.low, p.high]).all():
            ends = (y(min(max(end, low), high)) for end in (p.low, p.high))
            marks.append(f'<path class="range" d="M{x(p.predicted)} {"V".join(ends)}"/>')
        marks.append(
            f'<circle class="dot" cx="{x(p.predicted)}" cy="{y(p.observed)}" r="{radius:.1f}"/>'
        )
    middle = MARGIN + SIDE / 2
    marks.append(
        f'<text x="{middle:g}" y="{height - 4:g}" text-anchor="middle">predicted</text>'
        f'<text transform="translate(11 {MARGIN / 2 + SIDE / 2:g}) rotate(-90)" '
        'text-anchor="middle">seen</text>'
    )
    return Markup(
        f'<svg class="chart" role="img" aria-label="{title}" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}">{"".join(marks)}</svg>'
    )


def _span(points: Sequence[Point], real: bool) -> tuple[float, float]:
    """What both axes show: 0 to 1 for shares, all means for numbers."""
    if not real:
        return 0.0, 1.0
    ends = [value for p in points for value in (p.predicted, p.observed)]
    low, high = min(ends), max(ends)
    return (low, high) if high > low else (low - 1.0, high + 1.0)
