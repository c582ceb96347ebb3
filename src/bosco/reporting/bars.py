"""Where to set the bar: the curves of a class on one page, and a slider along them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.figures.curved import Curves, figures_table, point_table, point_words, say_cheapest
from bosco.figures.curves import ClassCurves
from bosco.figures.intervals import Floats
from bosco.figures.residuals import Residuals
from bosco.figures.segmented import Segments
from bosco.render.html import Table
from bosco.reporting.charts import calibration
from bosco.reporting.page import fill, fold, lines, paragraph, show
from bosco.reporting.scores import Point

MOST_BARS = 200
"""Bars on a page; of more, so many evenly along the rows."""

MOST_LINES = 8
"""Classes whose lines are drawn in one frame."""

LEFT, BOTTOM, WIDE, HIGH = 58.0, 252.0, 260.0, 240.0
"""The frame of curve.html."""

Line = tuple[str, Any, Any]


def bars(found: Curves) -> tuple[Markup, dict[str, Any]]:
    """The section, and what its script must know; nothing where there is no slider."""
    head, rows = figures_table(found)
    parts = [paragraph(found.doubt, "note")] if found.doubt else []
    if found.weighted:
        parts.append(
            paragraph(
                tr("All but numbers of rows go by weight; intervals are about right."), "note"
            )
        )
    parts.append(show(Table(head, rows, tr("On {rows}", rows=found.whose))))
    if len(found.curves) > 1:
        parts.append(_several(found))
        return lines(parts), {}
    (one,) = found.curves
    if not one.scored.rows.any(axis=0).all():
        parts.append(paragraph(tr("All rows are of one kind: there is no curve."), "note"))
        return lines(parts), {}
    every = np.arange(len(one.scored.thresholds))
    kept = np.union1d(one.thinned(MOST_BARS), _nearest(one, every))
    own = _nearest(one, kept)
    miss, alarm = (1.0, 1.0) if one.costs is None else (one.costs.miss, one.costs.alarm)
    head, cells = point_table(one)
    table = fill("cells", head=head, rows=cells, caption=point_words(one), whose=found.whose)
    parts.append(
        fill(
            "bar",
            name=one.name,
            most=len(kept) - 1,
            at=own,
            miss=show_figure(miss),
            alarm=show_figure(alarm),
            table=table,
            charts=[fill("curve", **one) for one in charts_of(one, kept, miss, alarm)],
        )
    )
    if one.costs is not None:
        parts.append(paragraph(say_cheapest(one)))
    points = one.calibration()
    columns = (points.predicted, points.observed, points.low, points.high, points.rows)
    shown = [Point(*map(float, row)) for row in zip(*columns, strict=True)]
    legend = tr(
        "Scores of {name} and its share among rows of like scores; on the line, a score is what it "
        "says. A dot is as large as its rows are many, a bar is its 95 % interval.",
        name=one.name,
    )
    title = tr("Calibration of {name}", name=one.name)
    parts.append(fold(title, calibration(shown, title, legend, real=False), open=True))
    bars_ = one.scored.thresholds[kept]
    facts = {
        "name": one.name,
        "bars": [None if np.isinf(x) else float(x) for x in bars_],
        "above": one.scored.above[kept].tolist(),
        "rows": one.scored.rows_above[kept].tolist(),
        "own": own,
    }
    return lines(parts), {"curves": facts}


def _nearest(one: ClassCurves, kept: Any) -> int:
    """Which of the bars on the page answers most like the point that was asked for."""
    wanted = one.point.weight[:, 1]
    return int(np.argmin(np.abs(one.scored.above[kept] - wanted).sum(axis=1)))


def charts_of(
    one: ClassCurves, kept: Any, miss: float = 1.0, alarm: float = 1.0
) -> list[dict[str, Any]]:
    """Five frames, each with one line and the point."""
    p, name = one.point, one.name
    above, whole = one.scored.above, one.scored.weight.sum(axis=0)
    cost = ((whole[1] - above[:, 1]) * miss + above[:, 0] * alarm) / whole.sum()
    here = (p.weight[1, 0] * miss + p.weight[0, 1] * alarm) / whole.sum()
    lift = one.lift[1]
    looked = tr("rows looked at, the highest scores first")
    diagonal: Line = ("diagonal", [0.0, 1.0], [0.0, 1.0])
    bar = one.scored.thresholds[kept]
    bar = np.where(np.isinf(bar), 1.0, bar)
    mean, top = tr("mean cost of a row"), float(cost.max()) or 1.0
    return [
        marks("roc", (tr("false alarms"), tr("recall")), [
            diagonal, ("first", one.false_alarms[kept], one.recall[kept])],
            [(p.false_alarms, p.recall)], tr("ROC of {name}", name=name)),
        marks("pr", (tr("recall"), tr("precision")), [
            ("diagonal", [0.0, 1.0], [one.share] * 2),
            ("first steps", one.recall[kept], one.precision[kept])],
            [(p.recall, p.precision)], tr("Precision and recall of {name}", name=name)),
        marks("gain", (looked, tr("recall")), [
            diagonal, ("first", one.answered[kept], one.recall[kept])],
            [(p.answered, p.recall)], tr("Gain: how much of {name} is found", name=name)),
        marks("lift", (looked, tr("lift")), [
            ("diagonal", [0.0, 1.0], [1.0, 1.0]),
            ("first", one.answered[kept][1:], lift[kept][1:])],
            [(p.answered, p.precision / one.share)],
            tr("Lift: how much oftener {name} is there than among all", name=name),
            top=float(np.nanmax(lift))),
        marks("cost", (tr("the bar"), mean), [("first after", bar, cost[kept])],
            [(_at(p.threshold, bar[_nearest(one, kept)]), here)],
            tr("Cost over the bar"), top=top),
    ]  # fmt: skip


def _at(threshold: float, nearest: float) -> float:
    """Where a bar is drawn; what the model answers by itself has none."""
    return float(nearest) if np.isnan(threshold) else min(max(threshold, 0.0), 1.0)


def _several(found: Curves) -> Markup:
    """ROC, and precision and recall, of several classes."""
    shown = found.curves[:MOST_LINES]
    roc = [(f"line-{k}", *one.roc) for k, one in enumerate(shown)]
    pr = [(f"line-{k} steps", *one.pr) for k, one in enumerate(shown)]

    def thin(of: Sequence[Line]) -> list[Line]:
        return [
            (kind, x[one.thinned(MOST_BARS)], y[one.thinned(MOST_BARS)])
            for (kind, x, y), one in zip(of, shown, strict=True)
        ]

    charts = [
        frame("", (tr("false alarms"), tr("recall")), thin(roc), [], tr("ROC")),
        frame("", (tr("recall"), tr("precision")), thin(pr), [], tr("Precision and recall")),
    ]
    return fill("several", charts=charts, names=[one.name for one in shown])


def marks(
    kind: str,
    axes: tuple[str, str],
    drawn: Sequence[Line],
    dots: Sequence[tuple[float, float]],
    label: str,
    *,
    top: float = 1.0,
    low: tuple[float, float] = (0.0, 0.0),
    right: float = 1.0,
    legend: str | None = None,
) -> dict[str, Any]:
    """Where lines and dots lie in a frame from `low` to (`right`, `top`)."""
    x0, y0 = low

    def x(value: float) -> float:
        return LEFT + WIDE * (value - x0) / (right - x0)

    def y(value: float) -> float:
        return BOTTOM - HIGH * (min(value, top) - y0) / (top - y0)

    def path(kind: str, xs: Floats, ys: Floats) -> str:
        pairs = [(x(a), y(b)) for a, b in zip(xs, ys, strict=True) if not np.isnan([a, b]).any()]
        words = [f"M{pairs[0][0]:.1f} {pairs[0][1]:.1f}"] if pairs else []
        for a, b in pairs[1:]:
            between = {"steps": f"V{b:.1f}H{a:.1f}", "after": f"H{a:.1f}V{b:.1f}"}
            words.append(between.get(kind.split()[-1], f"L{a:.1f} {b:.1f}"))
        return "".join(words)

    shares_x, shares_y = (x0, right) == (0.0, 1.0), (y0, top) == (0.0, 1.0)

    def said(value: float, share: bool) -> str:
        return f"{100 * value:.0f} %" if share and kind != "cost" else show_figure(value, 3)

    return {
        "kind": kind,
        "frame": f"{LEFT:g} {BOTTOM:g} {WIDE:g} {HIGH:g} {right:.17g} {top:.17g}",
        "label": label,
        "legend": label if legend is None else legend,
        "across": [(f"{x(t):.1f}", said(t, shares_x)) for t in np.linspace(x0, right, 5).tolist()],
        "up": [(f"{y(t) + 4:.1f}", said(t, shares_y)) for t in np.linspace(y0, top, 5).tolist()],
        "lines": [(kind, path(kind, xs, ys)) for kind, xs, ys in drawn],
        "dots": [(f"{x(a):.1f}", f"{y(b):.1f}") for a, b in dots if not np.isnan([a, b]).any()],
        "x_axis": axes[0],
        "y_axis": axes[1],
    }


def frame(*drawn: Any, **how: Any) -> Markup:
    """A picture of what `marks` takes."""
    return fill("curve", **marks(*drawn, **how))


def remaining(found: Residuals) -> Markup:
    """What a regression leaves over: a picture, and the tables."""
    parts = [paragraph(found.doubt, "note")] if found.doubt else []
    at = np.array([one.predicted for one in found.bins])
    ends = np.array([one.spread for one in found.bins])
    if np.isfinite(at).all() and np.isfinite(ends).all() and at.max() > at.min():
        pad = 0.05 * (at.max() - at.min())
        low, high = float(ends.min()), float(ends.max())
        drawn: list[Line] = [("diagonal", [at.min() - pad, at.max() + pad], [0.0, 0.0])]
        for x, quantiles in zip(at, ends, strict=True):
            drawn.append(("range thin", [x, x], quantiles[[0, 4]]))
            drawn.append(("range", [x, x], quantiles[[1, 3]]))
        words = tr("Residuals: true less predicted, by what is predicted")
        legend = tr(
            "{words}. A dot is the mean of a group of rows, the thick line its middle half, the "
            "thin one 5 to 95 %; the dashed line is 0.",
            words=words,
        )
        dots = [(one.predicted, one.residual) for one in found.bins]
        axes = (tr("predicted"), tr("true less predicted"))
        corner, right = (float(at.min() - pad), min(low, 0.0)), float(at.max() + pad)
        parts.append(frame("", axes, drawn, dots, words, top=max(high, 1e-300), low=corner,
                           right=right, legend=legend))  # fmt: skip
    return lines([*parts, show(*found.tables())])


def parted(found: Segments) -> Markup:
    """The segments, and what their figures mean."""
    notes = [paragraph(note, "note") for note in found.notes]
    return lines([*notes[:1], show(*found.tables()), *notes[1:]])
