"""Where to set the bar: the curves of a class on one page, and a slider along them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.figures.curved import Curves, figures_table, point_table, point_words, say_cheapest
from bosco.figures.curves import ClassCurves
from bosco.figures.residuals import Residuals
from bosco.figures.segmented import Segments
from bosco.render.html import Table
from bosco.reporting.charts import calibration
from bosco.reporting.frames import RADIUS, Drawing, Frame
from bosco.reporting.parts import Part, Screen, fill, fold, lines, paragraph, show
from bosco.reporting.scores import Point

MOST_BARS = 200
"""Bars on a page; of more, so many evenly along the rows."""

MOST_LINES = 8
"""Classes whose lines are drawn in one frame."""


def bars(found: Curves) -> tuple[Part, dict[str, Any]]:
    """The section, and what its script must know; nothing where there is no slider."""
    head, rows = figures_table(found)
    parts: list[Part] = [paragraph(found.doubt, "note")] if found.doubt else []
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
    charts = charts_of(one, kept, miss, alarm)
    words = tr("Confusion matrix in rows, on {rows}", rows=found.whose)
    told = Table(head, cells, f"{words}. {point_words(one)}")
    on_paper = lines([show(told), *(chart.on_paper() for chart in charts)])
    html = fill(
        "bar",
        name=one.name,
        most=len(kept) - 1,
        at=own,
        miss=show_figure(miss),
        alarm=show_figure(alarm),
        table=table,
        charts=[fill("curve", **chart.values()) for chart in charts],
    )
    parts.append(Screen(html, on_paper))
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


def charts_of(one: ClassCurves, kept: Any, miss: float = 1.0, alarm: float = 1.0) -> list[Frame]:
    """Five frames, each with one line and the point."""
    p, name = one.point, one.name
    above, whole = one.scored.above, one.scored.weight.sum(axis=0)
    cost = ((whole[1] - above[:, 1]) * miss + above[:, 0] * alarm) / whole.sum()
    here = (p.weight[1, 0] * miss + p.weight[0, 1] * alarm) / whole.sum()
    lift = one.lift[1]
    looked = tr("rows looked at, the highest scores first")
    diagonal: Drawing = ("diagonal", [0.0, 1.0], [0.0, 1.0])
    bar = one.scored.thresholds[kept]
    bar = np.where(np.isinf(bar), 1.0, bar)
    mean, top = tr("mean cost of a row"), round_top(float(cost.max()))
    recall, false = tr("recall"), tr("false alarms")
    level: Drawing = ("diagonal", [0.0, 1.0], [1.0, 1.0])
    share: Drawing = ("diagonal", [0.0, 1.0], [one.share] * 2)
    along, paid = np.append(bar, 0.0), np.append(cost[kept], cost[-1])  # below all scores, too
    costs: Drawing = ("first after", along, paid)
    precision = one.pr[1]
    lifts: Drawing = ("first", one.answered[kept][1:], lift[kept][1:])
    shown: list[tuple[str, tuple[str, str], list[Drawing], float, float, str, float]] = [
        ("roc", (false, recall), [diagonal, ("first", one.false_alarms[kept], one.recall[kept])],
         p.false_alarms, p.recall, tr("ROC of {name}", name=name), 1.0),
        ("pr", (recall, tr("precision")), [
            share, ("first steps", one.recall[kept], precision[kept])],
         p.recall, p.precision, tr("Precision and recall of {name}", name=name), 1.0),
        ("gain", (looked, recall), [diagonal, ("first", one.answered[kept], one.recall[kept])],
         p.answered, p.recall, tr("Gain: how much of {name} is found", name=name), 1.0),
        ("lift", (looked, tr("lift")), [level, lifts], p.answered, p.precision / one.share,
         tr("Lift: how much oftener {name} is there than among all", name=name),
         round_top(float(np.nanmax(lift)))),
        ("cost", (tr("the bar"), mean), [costs], _at(p.threshold, bar[_nearest(one, kept)]), here,
         tr("Cost over the bar"), top),
    ]  # fmt: skip
    return [
        Frame(axes, drawn, [(x, y, RADIUS)], label, kind, highest)
        for kind, axes, drawn, x, y, label, highest in shown
    ]


def round_top(most: float) -> float:
    """The end of an axis that reaches so far, its quarters short numbers; in curves.js, too.

    Examples
    --------
    >>> [round_top(x) for x in (1.54, 0.31, 7.4, 1.0, 23.5, 0.0)]
    [1.6, 0.32, 8.0, 1.0, 24.0, 1.0]
    """
    if not most > 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(most))
    return next(float(unit * n / 10) for n in _TOPS if unit * n / 10 >= most)


_TOPS = (10, 12, 16, 20, 24, 32, 40, 60, 80, 100)


def _at(threshold: float, nearest: float) -> float:
    """Where a bar is drawn; what the model answers by itself has none."""
    return float(nearest) if np.isnan(threshold) else min(max(threshold, 0.0), 1.0)


def _several(found: Curves) -> Part:
    """ROC, and precision and recall, of several classes."""
    shown = found.curves[:MOST_LINES]
    roc = [(f"line-{k}", *one.roc) for k, one in enumerate(shown)]
    pr = [(f"line-{k} steps", *one.pr) for k, one in enumerate(shown)]

    def thin(of: Sequence[Drawing]) -> list[Drawing]:
        return [
            (kind, x[one.thinned(MOST_BARS)], y[one.thinned(MOST_BARS)])
            for (kind, x, y), one in zip(of, shown, strict=True)
        ]

    names, recall = [one.name for one in shown], tr("recall")
    frames = [
        Frame((tr("false alarms"), recall), thin(roc), [], tr("ROC"), names=names),
        Frame((recall, tr("precision")), thin(pr), [], tr("Precision and recall"), names=names),
    ]
    charts = [fill("curve", **one.values()) for one in frames]
    html = fill("several", charts=charts, names=names)
    return Screen(html, lines([one.on_paper() for one in frames]))


def remaining(found: Residuals) -> Part:
    """What a regression leaves over: a picture, and the tables."""
    parts: list[Part] = [paragraph(found.doubt, "note")] if found.doubt else []
    at = np.array([one.predicted for one in found.bins])
    ends = np.array([one.spread for one in found.bins])
    if np.isfinite(at).all() and np.isfinite(ends).all() and at.max() > at.min():
        pad = 0.05 * (at.max() - at.min())
        low, high = float(ends.min()), float(ends.max())
        drawn: list[Drawing] = [("diagonal", [at.min() - pad, at.max() + pad], [0.0, 0.0])]
        for x, quantiles in zip(at, ends, strict=True):
            drawn.append(("range thin", [x, x], quantiles[[0, 4]]))
            drawn.append(("range", [x, x], quantiles[[1, 3]]))
        words = tr("Residuals: true less predicted, by what is predicted")
        legend = tr(
            "{words}. A dot is the mean of a group of rows, the thick line its middle half, the "
            "thin one 5 to 95 %; the dashed line is 0.",
            words=words,
        )
        dots = [(one.predicted, one.residual, RADIUS) for one in found.bins]
        axes = (tr("predicted"), tr("true less predicted"))
        corner, right = (float(at.min() - pad), min(low, 0.0)), float(at.max() + pad)
        parts.append(
            Frame(
                axes,
                drawn,
                dots,
                words,
                top=max(high, 1e-300),
                low=corner,
                right=right,
                legend=legend,
            ).part()
        )
    return lines([*parts, show(*found.tables())])


def parted(found: Segments) -> Part:
    """The segments, and what their figures mean."""
    notes = [paragraph(note, "note") for note in found.notes]
    return lines([*notes[:1], show(*found.tables()), *notes[1:]])
