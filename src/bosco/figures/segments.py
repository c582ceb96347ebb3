"""Figures of a model by segment, each against all other rows: pure functions of counts.

A share has Wilson's interval, a mean Student's; weighted rows count as (Σw)² / Σw² rows. Whether a
segment differs is tested against all rows that are not in it: shares by the pooled z test of two
shares, means by Welch's t. Who looks at many segments and figures finds something by chance, so
every p is adjusted by Holm for all that was compared.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.figures.grouping import Grouping
from bosco.figures.intervals import Floats, holm, mean_interval, wilson

Key = Literal[
    "error", "answered", "recall", "alarms", "precision", "promised", "absolute", "residual"
]

ALPHA = 0.05
"""A segment differs where Holm's p is below."""

LEAST = 30.0
"""Rows that a figure must rest on, in the segment and outside, before anything is said."""

_EXPECTED = 5.0  # rows of a cell; with fewer, the normal distribution is not to be trusted


@dataclass(frozen=True, slots=True)
class SegmentFigure:
    """One figure of one segment.

    Attributes
    ----------
    key : str
        What it is. "error": the share of wrong answers. "answered": the share that is said to be
        the class. "recall": of the rows of the class, the share that is said to be it; "alarms":
        the same of all other rows. "precision": of what is said to be it, the share that is.
        "promised": the mean score of the class less its share. Of numbers "absolute", the mean
        absolute error, and "residual", the mean of what is true less what is said.
    label : object
        The class that it is of; None: of all.
    segment : int
        Place of the segment among those of its column.
    value, low, high : float
        The figure and its 95 % interval; NaN where no row counts.
    rows : int
        Rows that it rests on.
    others : float
        The same of all rows outside the segment.
    p, p_holm : float
        That both are the same: alone, and adjusted by Holm; NaN: too few rows to tell.
    """

    key: Key
    label: Any
    segment: int
    value: float
    low: float
    high: float
    rows: int
    others: float
    p: float
    p_holm: float = float("nan")

    @property
    def few(self) -> bool:
        """Whether there are too few rows to tell."""
        return bool(np.isnan(self.p))

    @property
    def differs(self) -> bool:
        """Whether the segment differs from all others."""
        return bool(self.p_holm < ALPHA)


@dataclass(frozen=True, eq=False)
class Ground:
    """What figures by segment are counted from: a row each.

    `truth` and `said` are places of classes, or numbers; `score` what was said of the class
    `positive`, if there is one; `weight` None: all 1.
    """

    truth: NDArray[Any]
    said: NDArray[Any]
    classes: list[Any] | None
    positive: int | None
    score: Floats | None
    weight: Floats | None


@dataclass(frozen=True, eq=False)
class Counted:
    """One figure of all segments: rows it rests on, their weight, and sums over them."""

    key: Key
    label: Any
    rows: NDArray[np.int64]
    weight: Floats
    squares: Floats  # of weights
    total: Floats  # of weight times what is averaged
    square_total: Floats  # of weight times its square

    @property
    def share(self) -> bool:
        """Whether it is a share of rows."""
        return self.key in ("error", "answered", "recall", "alarms", "precision")


def counted(ground: Ground, groups: Grouping) -> list[Counted]:
    """Every figure of every segment, as sums."""
    truth, said, n = ground.truth, ground.said, len(groups.names)
    w = np.ones(len(truth)) if ground.weight is None else ground.weight

    def of(key: Key, label: Any, rows: Any, value: Any) -> Counted:
        at, v, x = groups.place[rows], w[rows], np.asarray(value, np.float64)[rows]

        def added(what: Any) -> Floats:
            return np.asarray(np.bincount(at, what, n), np.float64)

        sums = (added(v), added(v * v), added(v * x), added(v * x * x))
        return Counted(key, label, np.bincount(at[v > 0], minlength=n), *sums)

    every = np.ones(len(truth), bool)
    if ground.classes is None:
        off = np.asarray(truth - said, np.float64)
        return [of("absolute", None, every, np.abs(off)), of("residual", None, every, off)]
    found = [of("error", None, every, truth != said)]
    all_ = list(range(len(ground.classes)))
    places = all_ if ground.positive is None else [ground.positive]
    found += [of("answered", ground.classes[k], every, said == k) for k in places]
    both = all_ if len(all_) == 2 else places
    found += [of("recall", ground.classes[k], truth == k, said == k) for k in both]
    if ground.positive is not None:
        k = ground.positive
        if len(ground.classes) != 2:  # of two, it is what the recall of the other lacks
            found.append(of("alarms", ground.classes[k], truth != k, said == k))
        found.append(of("precision", ground.classes[k], said == k, truth == k))
        if ground.score is not None:
            found.append(of("promised", ground.classes[k], every, ground.score - (truth == k)))
    return found


def figures_of(one: Counted) -> list[SegmentFigure]:
    """One figure of every segment, with its interval, and the test against all others."""
    rest = _rest(one)
    value, other = (mean(x) for x in (one, rest))
    number, others = (effective(x) for x in (one, rest))
    if one.share:
        low, high = wilson(np.nan_to_num(value), number)
        p = _same_share(value, number, other, others)
    else:
        spread, other_spread = _spread(one, number), _spread(rest, others)
        low, high = mean_interval(np.nan_to_num(value), spread, number)
        p = _same_mean(value, spread, number, other, other_spread, others)
    few = (np.minimum(number, others) < LEAST) | np.isnan(p)
    p = np.where(few, np.nan, p)
    bounds = (np.where(np.isnan(value), np.nan, end) for end in (low, high))
    columns = zip(*(x.tolist() for x in (value, *bounds, one.rows, other, p)), strict=True)
    return [SegmentFigure(one.key, one.label, g, *row) for g, row in enumerate(columns)]


def adjusted(found: list[list[SegmentFigure]]) -> list[list[SegmentFigure]]:
    """Holm's p over all segments and figures; of two segments, one test counts once.

    A list holds one figure of all segments of a column.
    """
    tests: list[tuple[int, int]] = []
    for at, figures in enumerate(found):
        told = [k for k, one in enumerate(figures) if not one.few]
        tests += [(at, k) for k in (told[:1] if len(figures) == 2 else told)]
    steps = holm(np.array([found[at][k].p for at, k in tests], np.float64))
    known = {test: float(p) for test, p in zip(tests, steps, strict=True)}

    def holms(at: int, k: int, one: SegmentFigure) -> float:
        if one.few:
            return float("nan")
        return known.get((at, k), known.get((at, 1 - k), float("nan")))

    return [
        [replace(one, p_holm=holms(at, k, one)) for k, one in enumerate(figures)]
        for at, figures in enumerate(found)
    ]


def compared(found: list[list[SegmentFigure]]) -> int:
    """How many tests Holm's p is adjusted for."""
    told = ([one for one in figures if not one.few] for figures in found)
    sizes = [(len(figures), len(t)) for figures, t in zip(found, told, strict=True)]
    return sum(min(n, 1) if of == 2 else n for of, n in sizes)


def _rest(one: Counted) -> Counted:
    """The sums of all rows outside each segment."""

    def others(x: Any) -> Any:
        return np.maximum(x.sum() - x, 0)

    names = ("rows", "weight", "squares", "square_total")
    total = one.total.sum() - one.total
    return replace(one, total=total, **{name: others(getattr(one, name)) for name in names})


def mean(one: Counted) -> Floats:
    """The weighted mean of every segment; NaN where no row counts."""
    return _divided(np.where(one.rows > 0, one.total, 0.0), np.where(one.rows > 0, one.weight, 0.0))


def effective(one: Counted) -> Floats:
    """How many rows of equal weight would say as much, (Σw)² / Σw², in every segment."""
    return np.nan_to_num(_divided(one.weight**2, one.squares)) * (one.rows > 0)


def _spread(one: Counted, number: Floats) -> Floats:
    """The standard deviation of single rows."""
    variance = _divided(one.square_total, one.weight) - mean(one) ** 2
    grown = number / np.maximum(number - 1, 1e-9)
    return np.asarray(np.sqrt(np.maximum(np.nan_to_num(variance), 0.0) * grown))


def _same_share(p: Floats, n: Floats, q: Floats, m: Floats) -> Floats:
    """The two-sided p that two shares are the same; NaN where too few rows are to be expected."""
    from scipy.special import ndtr

    with np.errstate(invalid="ignore", divide="ignore"):
        both = (p * n + q * m) / (n + m)
        z = np.abs(p - q) / np.sqrt(both * (1 - both) * (1 / n + 1 / m))
        few = np.minimum(n, m) * np.minimum(both, 1 - both) < _EXPECTED
    none = (both == 0) | (both == 1)  # nobody differs in anything
    return np.where(none, 1.0, np.where(few, np.nan, 2 * ndtr(-z)))


def _same_mean(a: Floats, sa: Floats, n: Floats, b: Floats, sb: Floats, m: Floats) -> Floats:
    """The two-sided p of Welch's t that two means are the same."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        va, vb = sa**2 / n, sb**2 / m
        both = va + vb
        df = both**2 / (va**2 / (n - 1) + vb**2 / (m - 1))
        p = 2 * stdtr(df, -np.abs(a - b) / np.sqrt(both))
    return np.asarray(np.where(both == 0, np.where(a == b, 1.0, 0.0), p))


def _divided(a: Floats, b: Floats) -> Floats:
    quotient: Floats = np.full(a.shape, np.nan)
    np.divide(a, b, out=quotient, where=b > 0)
    return quotient
