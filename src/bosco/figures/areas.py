"""A whole curve in one number, with its interval: pure functions of counted scores.

Weighted rows count as (Σw)² / Σw² rows in every interval, which is an approximation.
"""

from dataclasses import dataclass

import numpy as np

from bosco.figures.intervals import Floats, mean_interval, wilson
from bosco.figures.scored import Scored

_Z = 1.959963984540054  # of the normal distribution, 97.5 % lie below

_FEW = 10  # rows of the rarer kind; of fewer, their spread tells too little

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Area:
    """A number with its 95 % interval; NaN where the rows do not tell.

    Attributes
    ----------
    value, low, high : float
        The number and its interval.
    idle : float
        The same number of a score that tells nothing: equal for all rows.
    """

    value: float
    low: float
    high: float
    idle: float


def roc_area(scored: Scored) -> Area:
    """The area under the ROC curve: how often a row of the class scores above one of the others.

    A tie counts half. The interval is that of DeLong, DeLong and Clarke-Pearson (1988), on the
    scale of log(a / (1 − a)), so that it stays between 0 and 1. Where they have no spread, since
    all rows of the class lie above all others (or below), or one kind has fewer than 10 rows, it
    is Wilson's of as many rows as the rarer kind has: so many pairs share no row.
    """
    others, own = scored.weight.T
    n, p = others.sum(), own.sum()
    if not (n and p):
        return Area(_NAN, _NAN, _NAN, 0.5)
    before = scored.above[:-1]  # weight above each score
    beaten = (n - before[:, 0] - others / 2) / n  # by a row of the class that has the score
    beating = (before[:, 1] + own / 2) / p
    area = float(own @ beaten / p)
    if len(scored.scores) == 1:
        return Area(0.5, 0.5, 0.5, 0.5)
    n_rows, p_rows = scored.effective.tolist()
    few = min(n_rows, p_rows)
    variance = 0.0
    if few >= _FEW:
        spread = own @ (beaten - area) ** 2 / p, others @ (beating - area) ** 2 / n
        variance = float(spread[0] / (p_rows - 1) + spread[1] / (n_rows - 1))
    return Area(area, *_on_odds(area, variance**0.5, few), 0.5)


def average_precision(scored: Scored) -> Area:
    """The area under the precision-recall curve, step by step as scikit-learn takes it.

    The interval is that of a share of as many rows as the class has, on the scale of
    log(a / (1 − a)) (Boyd, Eng and Page, 2013).
    """
    whole = scored.weight.sum(axis=0)
    if not whole[1]:
        return Area(_NAN, _NAN, _NAN, _NAN)
    above = scored.above[1:]
    precision = above[:, 1] / above.sum(axis=1)
    area = float(scored.weight[:, 1] @ precision / whole[1])
    n = float(scored.effective[1])
    error = max(area * (1 - area) / n, 0.0) ** 0.5
    return Area(area, *_on_odds(area, error, n), float(whole[1] / whole.sum()))


def brier(scored: Scored) -> Area:
    """The mean squared distance of a share from what was true, 0 or 1; smaller is better.

    The interval is Student's; beside it, whoever always says the share of the class in these rows.
    A score that is no share has none.
    """
    s = scored.scores
    if not len(s) or s[0] > 1 or s[-1] < 0:
        return Area(_NAN, _NAN, _NAN, _NAN)
    value, low, high = mean_of_counts(np.stack([s**2, (1 - s) ** 2], axis=1), scored)
    share = float(scored.weight[:, 1].sum() / scored.weight.sum())
    return Area(value, max(low, 0.0), min(high, 1.0), share * (1 - share))


def mean_of_counts(loss: Floats, scored: Scored) -> tuple[float, float, float]:
    """The mean of what a row costs by its score and its kind, and Student's interval."""
    w = scored.weight
    n = float(w.sum() ** 2 / scored.squares.sum())
    mean = float((w * loss).sum() / w.sum())
    spread = float((w * (loss - mean) ** 2).sum() / w.sum() * n / max(n - 1, 1)) ** 0.5
    low, high = mean_interval(mean, spread, n)
    return mean, float(low), float(high)


def _on_odds(area: float, error: float, few: float) -> tuple[float, float]:
    """An interval between 0 and 1; `few` rows where the area has no standard error."""
    if error == 0 or not 0 < area < 1:
        low, high = wilson(area, few)
        return float(low), float(high)
    middle, reach = np.log(area / (1 - area)), _Z * error / (area * (1 - area))
    ends = 1 / (1 + np.exp(-(middle + np.array([-reach, reach]))))
    return float(ends[0]), float(ends[1])
