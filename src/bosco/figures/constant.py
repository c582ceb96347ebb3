"""The constant answer, what every figure is to be read beside, and whether a model beats it.

It is the class of most training rows, or their mean. A model is better than that if the 95 %
interval of the difference, taken row by row on the same rows, lies above 0: for classes by
McNemar's exact test (`intervals.paired_interval`), for numbers by Student's t of absolute errors.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.figures.intervals import Floats, mean_interval, paired_interval
from bosco.tree.family import AnyModel
from bosco.tree.ties import heaviest


def constant_answer(model: AnyModel, truth: NDArray[Any]) -> tuple[Any, str]:
    """What most training rows are (the place of their class), or their mean; and in words.

    A file that does not say how many rows of each class there were answers by the weights of its
    trees, or, if it has none, by the rows given: what most of these are is the hardest to beat.
    """
    if model.classes is None:
        assert model.root_value is not None  # what has none is of classes
        mean = float(model.root_value[0])
        return mean, show_figure(mean)
    counts, n = model.provenance.get("class_rows"), len(model.classes)
    known = isinstance(counts, list) and len(counts) == n and all(type(x) is int for x in counts)
    counts = counts if known else model.root_value
    if counts is None:
        counts = np.bincount(truth, minlength=n)
    place = int(heaviest(np.asarray(counts)[None])[0])
    return place, show_label(model.classes[place])


def paired_wrongs(
    wrong: NDArray[np.bool_], other: NDArray[np.bool_], w: Floats, times: Floats | None = None
) -> tuple[float, float, float]:
    """How much less often one is wrong than another on the same rows, and the interval of that.

    Each row may stand for several of one weight: `times`, by default 1.
    """
    v = w if times is None else w * times  # what they weigh together
    better, worse = (float(v[x].sum()) for x in (other & ~wrong, wrong & ~other))
    whole, squares = float(v.sum()), float(v[wrong != other] @ w[wrong != other])
    effective = (better + worse) ** 2 / squares if squares else None
    return (better - worse) / whole, *paired_interval(better, worse, whole, effective)


def mean_of(x: Floats, w: Floats) -> tuple[float, float, float]:
    """A weighted mean, such as that of the differences of two losses, and Student's interval."""
    n = float(w.sum() ** 2 / (w @ w))
    mean = float(np.average(x, weights=w))
    with np.errstate(over="ignore", invalid="ignore"):  # squares may pass a float64
        spread = float(np.sqrt(np.average((x - mean) ** 2, weights=w) * n / max(n - 1, 1)))
    low, high = mean_interval(mean, spread, n)
    return mean, float(low), float(high)


def verdict_of(low: float, high: float) -> str:
    """Say how the interval of a gain over the constant answer lies to 0; NaN: there is none."""
    if np.isnan(low):
        return "unknown"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "no better"


def say_verdict(
    verdict: str, what: str, gain: float, low: float, high: float, unit: str = ""
) -> str:
    """A sentence where something is not better than the constant answer; nothing where it is."""
    if verdict in ("better", "unknown"):
        return ""
    worse = verdict == "worse"
    said = tr("Worse than {what}", what=what) if worse else tr("No better than {what}", what=what)
    if not (np.isfinite(low) and np.isfinite(high)):
        return f"{said}: {tr('too few rows to tell.')}"
    if gain == low == high == 0:
        return f"{said}: {tr('it does the same on these rows.')}"
    by = f"{show_figure(abs(gain), 3)}{unit}"
    ends = {"low": show_figure(low, 3), "high": show_figure(high, 3)}
    between = f"{tr('95 % interval {low} to {high}', **ends)}."
    if gain >= 0:
        how = tr(
            ", for all one can tell: better by {by} on the same rows, which may be chance", by=by
        )
        return f"{said}{how}, {between}"
    return f"{said}: {tr('worse by {by} on the same rows', by=by)}, {between}"
