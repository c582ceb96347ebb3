"""Small pictures of a round of boosting: the bound and the training error, and the margins."""

from collections.abc import Sequence

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.reasons.boosting import Round
from bosco.reasons.tried import digits
from bosco.reporting.parts import Part, Screen, fill

LEFT, TOP, WIDE, HIGH = 44.0, 10.0, 360.0, 140.0
"""The frame of the first chart of rounds.html."""

BINS = 20
BASE, TALL = 100.0, 86.0
"""Of the histogram of margins, from -1 to 1."""


def chart(rounds: Sequence[Round], now: Round) -> Part:
    """The bound and the training error over all rounds, and the margins after this one."""
    n = len(rounds)
    finite = [r.bound for r in rounds if np.isfinite(r.bound)]
    most = max([r.training_error for r in rounds] + finite + [0.01])

    def x(number: int) -> float:
        return LEFT + WIDE * (number - 0.5) / n

    def y(value: float) -> float:
        return TOP + HIGH * (1 - value / most)

    def path(values: Sequence[float]) -> str:
        points = [f"{x(i):.1f} {y(v):.1f}" for i, v in enumerate(values, 1)]
        if len(points) == 1:
            points = [f"{LEFT:.1f} {y(values[0]):.1f}", f"{LEFT + WIDE:.1f} {y(values[0]):.1f}"]
        return "M" + "L".join(points)

    error = tr("training error {error}", error=digits(now.training_error))
    legend = tr("Dashed: {error}, of all rounds up to this one together.", error=error)
    if finite:
        bound = tr("Solid: the bound ∏ Z, {bound}.", bound=digits(now.bound))
        legend = f"{bound} {legend}"
    counts, _ = np.histogram(now.margins, BINS, (-1 - 1e-9, 1 + 1e-9))
    tallest = max(int(counts.max()), 1)
    width = WIDE / BINS
    step = max(1, n // 10)
    html = fill(
        "rounds",
        label=legend,
        legend=legend,
        ticks=[(f"{y(v) + 4:.1f}", show_figure(v, 2)) for v in (0.0, most / 2, most)],
        rounds=[(f"{x(i):.1f}", str(i)) for i in range(1, n + 1, step)],
        here=f"{x(now.number):.1f}",
        bound=path([r.bound for r in rounds]) if finite and len(finite) == n else "",
        error=path([r.training_error for r in rounds]),
        spread=tr("Margins: {spread}", spread=now.spread()),
        bars=[
            (
                f"{LEFT + i * width + 1:.1f}",
                f"{BASE - TALL * k / tallest:.1f}",
                f"{width - 2:.1f}",
                f"{TALL * k / tallest:.1f}",
            )
            for i, k in enumerate(counts.tolist())
            if k
        ],
        ends=[(f"{LEFT + WIDE * (v + 1) / 2:.1f}", show_figure(v)) for v in (-1.0, 0.0, 1.0)],
    )
    return Screen(html)
