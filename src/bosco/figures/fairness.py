"""The usual figures of fairness between groups: how far the groups are apart that differ most.

They exclude each other: unless the groups have equal shares of the class, or no answer is wrong,
equal odds and equal precision cannot both hold (Chouldechova 2017; Kleinberg, Mullainathan and
Raghavan 2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bosco.figures.intervals import wilson
from bosco.figures.segments import LEAST, Counted, effective, mean

Parity = Literal["demographic parity", "equal opportunity", "equalised odds", "predictive parity"]


@dataclass(frozen=True, slots=True)
class Fairness:
    """How far the two groups are apart that differ most, by one figure.

    Attributes
    ----------
    name : {"demographic parity", "equal opportunity", "equalised odds", "predictive parity"}
        What would be equal: the share that is said to be the class; the recall of the class; the
        recall and the false alarms; the precision.
    gap, low, high : float
        The largest difference between two groups, 0 where all are equal, and its 95 % interval
        (Newcombe's, adjusted by Bonferroni for all pairs of groups). NaN: too few rows to tell.
    ratio : float
        The smaller of the two shares over the larger.
    most, least : int
        Places of the two groups among the segments, -1 where there are none.
    most_value, least_value : float
        Their shares.
    """

    name: Parity
    gap: float
    low: float
    high: float
    ratio: float
    most: int
    least: int
    most_value: float
    least_value: float


def fairness(found: Sequence[Counted], positive: object) -> list[Fairness]:
    """Compare the groups of one column by what was counted of a class."""
    by = {(one.key, one.label): one for one in found}
    others = [one for (key, label), one in by.items() if key == "recall" and label != positive]
    alarms = [by["alarms", positive]] if ("alarms", positive) in by else others[:1]
    recall = by["recall", positive]
    asked: list[tuple[Parity, list[Counted]]] = [
        ("demographic parity", [by["answered", positive]]),
        ("equal opportunity", [recall]),
        ("equalised odds", [recall, *alarms]),
        ("predictive parity", [by["precision", positive]]),
    ]
    return [max((_apart(name, one) for one in sums), key=_width) for name, sums in asked]


def _width(one: Fairness) -> float:
    return -1.0 if np.isnan(one.gap) else one.gap


def _apart(name: Parity, one: Counted) -> Fairness:
    """The two groups furthest apart, of those with rows enough."""
    share, number = mean(one), effective(one)
    told = np.flatnonzero(number >= LEAST)
    nan = float("nan")
    if len(told) < 2:
        return Fairness(name, nan, nan, nan, nan, -1, -1, nan, nan)
    most, least = (int(told[f(share[told])]) for f in (np.argmax, np.argmin))
    if most == least:
        least = int(told[told != most][0])
    pairs = len(told) * (len(told) - 1) / 2
    ends = wilson(share[[most, least]], number[[most, least]], 1 - 0.05 / pairs)
    (low_a, low_b), (high_a, high_b) = (end.tolist() for end in ends)
    a, b = float(share[most]), float(share[least])
    low = a - b - ((a - low_a) ** 2 + (high_b - b) ** 2) ** 0.5
    high = a - b + ((high_a - a) ** 2 + (b - low_b) ** 2) ** 0.5
    ratio = b / a if a > 0 else nan
    return Fairness(name, a - b, low, min(high, 1.0), ratio, most, least, a, b)
