"""A regression on given rows: what is left over, by what was predicted, and how far one may err."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import lay_out, show_figure
from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.frame import Frame
from bosco.errors import ParameterError
from bosco.figures.constant import mean_of
from bosco.figures.intervals import Floats, wilson
from bosco.figures.onrows import whose_rows, why_no_test
from bosco.render.card import show_share
from bosco.render.html import Shown, Table
from bosco.tree.family import AnyModel

BINS = 10
"""Groups of rows by what is predicted of them, each of about as many; equal ones stay together."""

SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of what is left over in each group."""

REACH = (0.5, 0.8, 0.9, 0.95, 0.99)
"""Shares of the rows that err by no more than is told."""

LEVELS = {0.5: 0.6744897501960817, 0.8: 1.2815515655446004, 0.95: 1.959963984540054}
"""Shares of a normal distribution that lie within so many standard deviations."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of like predictions.

    Attributes
    ----------
    rows : int
        How many.
    predicted, truth : float
        Their means.
    residual, low, high : float
        The mean of what is true less what is predicted, and Student's 95 % interval.
    absolute : float
        The mean absolute error.
    spread : tuple of float
        Quantiles of what is left over: 5, 25, 50, 75 and 95 %, of the rows, whatever they weigh.
    """

    rows: int
    predicted: float
    truth: float
    residual: float
    low: float
    high: float
    absolute: float
    spread: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many rows lie in an interval that was said to hold a share of them.

    `promised` is that share; `share`, `low` and `high` what was seen, with Wilson's 95 % interval;
    `width` the mean width of the interval.
    """

    promised: float
    share: float
    low: float
    high: float
    width: float


@dataclass(frozen=True, eq=False)
class Residuals(Shown):
    """What `bosco.residuals` found; ``print`` it, or tabulate ``to_dict()``.

    Attributes
    ----------
    n_rows : int
        How many rows all is of.
    absolute, residual : tuple of float
        The mean absolute error, and the mean of what is true less what is predicted, each with
        Student's 95 % interval.
    bins : tuple of Bin
        By what is predicted, the lowest first.
    reach : dict of float to float
        For a share of the rows, by how much these err at most.
    coverage : tuple of Coverage
        Whether intervals hold what they promise; none where nothing promises any.
    interval : str
        What those intervals are, in words.
    weighted : bool
        Whether rows carry weights; means and shares go by them.
    seen, apart, untouched
        As in `bosco.segments`.

    Examples
    --------
    >>> import bosco
    >>> X = [[x] for x in range(40)]
    >>> tree = bosco.DecisionTreeRegressor(max_depth=1).fit(X, [x // 20 for x in range(40)])
    >>> found = bosco.residuals(tree, [[3.5], [30.5]], [0.0, 2.0])
    >>> [one.residual for one in found.bins], found.reach[0.5]
    ([0.0, 1.0], 0.0)
    """

    n_rows: int
    absolute: tuple[float, float, float]
    residual: tuple[float, float, float]
    bins: tuple[Bin, ...]
    reach: dict[float, float]
    coverage: tuple[Coverage, ...]
    interval: str
    weighted: bool
    seen: Seen
    apart: bool
    untouched: bool

    @property
    def whose(self) -> str:
        """Whose rows they are, in words."""
        return whose_rows(self.n_rows, self.seen, apart=self.apart, untouched=self.untouched)

    @property
    def doubt(self) -> str:
        """Why this may be no test, in a sentence; else nothing."""
        return why_no_test(self.seen, untouched=self.untouched)

    def to_dict(self) -> dict[str, list[Any]]:
        """The groups as columns."""
        names = ("rows", "predicted", "truth", "residual", "low", "high", "absolute")
        table = {name: [getattr(one, name) for one in self.bins] for name in names}
        for k, share in enumerate(SPREAD):
            table[f"residual_{share:g}"] = [one.spread[k] for one in self.bins]
        return table

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        found = [Table(*_bins(self), tr("By what is predicted, {rows}", rows=self.whose))]
        found.append(Table(*_reach(self), tr("How far one may err")))
        if self.coverage:
            found.append(Table(*_coverage(self), self.interval))
        return tuple(found)

    def to_text(self) -> str:
        """The tables as text; ``print`` shows it."""
        lines = [tr("On {rows}", rows=self.whose) + ".", *filter(None, [self.doubt])]
        if self.weighted:
            lines.append(tr("All but numbers of rows go by weight; intervals are about right."))
        for words, (value, low, high) in (
            (tr("mean absolute error"), self.absolute),
            (tr("true less predicted, mean"), self.residual),
        ):
            bounds = {"low": show_figure(low), "high": show_figure(high)}
            ends = tr("95 % interval {low} to {high}", **bounds)
            lines.append(f"{words}: {show_figure(value)}, {ends}")
        for head, rows in (_bins(self), _reach(self), _coverage(self)):
            if rows:
                lines += ["", *lay_out([head, *rows], ">")]
        if self.coverage:
            lines.append(self.interval)
        return "\n".join(lines)


def _bins(found: Residuals) -> tuple[list[str], list[list[str]]]:
    head = [tr("predicted"), tr("rows"), tr("true, mean"), tr("true less predicted")]
    head += [tr("95 % interval"), tr("mean absolute error"), tr("5 to 95 % of the rows")]
    rows = []
    for one in found.bins:
        row = [show_figure(one.predicted), f"{one.rows:,}", show_figure(one.truth)]
        finite = np.isfinite([one.low, one.high]).all()
        row += [show_figure(one.residual), _between(one.low, one.high) if finite else "–"]
        row += [show_figure(one.absolute), _between(one.spread[0], one.spread[-1])]
        rows.append(row)
    return head, rows


def _between(low: float, high: float) -> str:
    return tr("{low} to {high}", low=show_figure(low), high=show_figure(high))


def _reach(found: Residuals) -> tuple[list[str], list[list[str]]]:
    head = [tr("so many of the rows"), tr("err at most by")]
    return head, [[show_share(k), show_figure(x)] for k, x in found.reach.items()]


def _coverage(found: Residuals) -> tuple[list[str], list[list[str]]]:
    head = [tr("promised"), tr("seen"), tr("95 % interval"), tr("mean width")]
    rows = []
    for one in found.coverage:
        low = show_share(one.low).removesuffix(" %")
        ends = f"{low} – {show_share(one.high)}"
        rows.append([show_share(one.promised), show_share(one.share), ends, show_figure(one.width)])
    return head, rows


Intervals = dict[float, tuple[Floats, Floats]]
"""For a share of the rows that they should hold, the ends of an interval for each row."""


def residuals_on(
    model: AnyModel,
    frame: Frame,
    truth: Floats,
    weight: Floats | None = None,
    *,
    untouched: bool = False,
    intervals: Intervals | None = None,
) -> Residuals:
    """What a model leaves over of rows that are read already.

    `intervals` are those that a forest gives; of one tree it is asked how many rows lie as near to
    the mean of their leaf as its training rows did.
    """
    if model.classes is not None:
        raise ParameterError("Residuals are of numbers, and this model has classes.")
    seen = seen_rows(model, frame, truth)
    apart = seen.mixed and not untouched
    rows: Any = seen.parts()[1] if apart else slice(None)
    said: Floats = np.asarray(model.predict_frame(frame), np.float64)
    words = tr("Intervals between quantiles that the forest gives.")
    if intervals is None:
        intervals, words = _by_leaf(model, frame, said), tr(
            "Intervals of as many standard deviations around the mean of a leaf as would hold so "
            "many of normally distributed rows; the deviation is that of its training rows."
        )  # fmt: skip
    y, p = truth[rows], said[rows]
    w = np.ones(len(y)) if weight is None else weight[rows]
    off = y - p
    absolute, residual = mean_of(np.abs(off), w), mean_of(off, w)
    order = np.argsort(np.abs(off), kind="stable")
    below = np.cumsum(w[order]) / w.sum()
    at = np.minimum(np.searchsorted(below, REACH), len(off) - 1)
    reach = dict(zip(REACH, np.abs(off)[order][at].tolist(), strict=True))
    held = tuple(
        _held(share, low[rows], high[rows], y, w) for share, (low, high) in intervals.items()
    )
    return Residuals(
        len(y),
        (absolute[0], max(absolute[1], 0.0), absolute[2]),
        residual,
        _grouped(p, y, off, w),
        reach,
        held,
        words,
        weight is not None,
        seen,
        apart,
        untouched,
    )


def _grouped(p: Floats, y: Floats, off: Floats, w: Floats) -> tuple[Bin, ...]:
    """Rows of like predictions, the lowest first."""
    levels, place = np.unique(p, return_inverse=True)
    place = place.reshape(-1)
    whole = np.bincount(place, w, len(levels))
    middle = (np.cumsum(whole) - whole / 2) / whole.sum()
    group = np.minimum((middle * BINS).astype(np.intp), BINS - 1)[place]
    found = []
    for g in np.unique(group).tolist():
        here: NDArray[np.bool_] = group == g
        v = w[here]
        spread = np.quantile(off[here], SPREAD).tolist()
        means = [float(np.average(x[here], weights=v)) for x in (p, y, np.abs(off))]
        found.append(
            Bin(len(v), means[0], means[1], *mean_of(off[here], v), means[2], tuple(spread))
        )
    return tuple(found)


def _held(share: float, low: Floats, high: Floats, y: Floats, w: Floats) -> Coverage:
    held = (low <= y) & (y <= high)
    seen = float(np.average(held, weights=w))
    ends = wilson(seen, w.sum() ** 2 / (w @ w))
    width = float(np.average(high - low, weights=w))
    return Coverage(share, seen, float(ends[0]), float(ends[1]), width)


def _by_leaf(model: AnyModel, frame: Frame, said: Floats) -> Intervals:
    """Around the mean of each leaf, by the spread of its training rows; none of many trees."""
    if model.kind != "tree" or model.growth.on_missing.shared or not model.growth.spreads:
        return {}
    leaves = model.apply_frame(frame)  # type: ignore[attr-defined]
    spread = np.sqrt(np.maximum(model.tree.native.impurity[leaves], 0.0))  # type: ignore[attr-defined]
    return {share: (said - z * spread, said + z * spread) for share, z in LEVELS.items()}
