"""Scores of tests (§2): exact rationals where possible, else a fixed order of operations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .data import Cell
from .medians import MEDIANS, best, prices

_SQRT_HALF = 0.70710678118654752440
_LOG2_E = 1.4426950408889634
_LN2 = 0.69314718055994530942


def log2(x: float) -> float:
    """The binary logarithm by the core's sequence of IEEE operations."""
    m, e = math.frexp(x)
    if m < _SQRT_HALF:
        m *= 2.0
        e -= 1
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 1.0 / 23.0
    for k in range(10, -1, -1):
        p = p * z + 1.0 / (2 * k + 1)
    return e + ((2.0 * s) * p) * _LOG2_E


@lru_cache(maxsize=100_000)
def xlog2x(x: int) -> float:
    return float(x) * log2(float(x)) if x else 0.0


def log_excess(x: float) -> float:
    """(1 + x) ln(1 + x) - x by the core's sequence of IEEE operations; x >= -1."""
    if x <= -1.0:
        return 1.0
    if x > 0.41 or x < -0.29:
        return (1.0 + x) * (log2(1.0 + x) * _LN2) - x
    s = x / (2.0 + x)
    z = s * s
    r = 1.0 / 25.0
    for odd in range(23, 2, -2):
        r = r * z + 1.0 / odd
    r *= z
    return x * (s + r * (1.0 + s))


def apart(cell: Cell, of: Cell) -> float:
    """By how much less counts deviate from their own mean than from that of other rows."""
    return deviance_apart((cell.weight, cell.tally[1]), (of.weight, of.tally[1]))


def deviance_apart(own: tuple[int, int], of: tuple[int, int]) -> float:
    """The same of weights and sums."""
    (w, s), (whole, all_) = own, of
    if all_ <= 0:
        return 0.0
    d = s * whole - all_ * w
    x = float(d) / (float(w) * float(all_))
    return float(w) * log_excess(x) * (float(all_) / float(whole))


def half_deviance(weights: Sequence[int], y: Sequence[int]) -> float:
    """ψ of a node of counts, in fixed-point units of y."""
    w, s = sum(weights), sum(a * b for a, b in zip(weights, y, strict=True))
    mean = s / w if w else 0.0
    rows = zip(weights, y, strict=True)
    return math.fsum(a * (b * math.log(b / mean) if b else 0.0) for a, b in rows) / w if s else 0.0


def purity(cell: Cell, criterion: str, of: Cell) -> float:
    """P of a tally that is not empty; of counts, as against the rows `of` a node."""
    if criterion == "poisson":
        return apart(cell, of)
    tally, weight = cell.tally, cell.weight
    if criterion == "gini":
        return float(sum(c * c for c in tally)) / float(weight)
    if criterion.startswith("mean of"):
        return mean_purity(cell, criterion, of)
    if criterion in ("entropy", "log_loss", "scaled_entropy"):
        acc = 0.0
        for c in tally:
            acc += xlog2x(c)
        acc -= xlog2x(weight)
        return 0.5 * acc if criterion == "scaled_entropy" else acc
    if criterion == "error":
        return float(max(tally))
    if criterion == "sqrt":
        acc = 0.0
        for c in tally:
            acc += math.sqrt(float(c) * float(weight - c))
        return -0.5 * acc
    assert criterion == "squared_error"
    return float(tally[1]) * float(tally[1]) / float(weight)


def of_several(criterion: str, outputs: int) -> str:
    """The mean of a criterion over several outputs: ``mean of 2 entropy``, poisson or squares."""
    what = {"entropy": "entropy", "log_loss": "entropy", "poisson": "poisson"}
    return f"mean of {outputs} {what.get(criterion, 'squares')}"


def mean_purity(cell: Cell, criterion: str, of: Cell) -> float:
    """P of sums: of classes each is a weight, of numbers it is squared, or a count."""
    outputs, weight = int(criterion.split()[2]), cell.weight
    acc = 0.0
    if criterion.endswith("poisson"):
        for s, all_ in zip(cell.tally[1:], of.tally[1:], strict=True):
            acc += deviance_apart((weight, s), (of.weight, all_))
        return acc / outputs
    if criterion.endswith("entropy"):
        for s in cell.tally[1:]:
            acc += xlog2x(s)
        return acc / outputs - xlog2x(weight)
    for s in cell.tally[1:]:
        acc += float(s) * float(s)
    return acc / float(weight) / outputs


def impurity(cell: Cell, criterion: str) -> float:
    """ψ of a classification tally; 0 of an empty one."""
    if cell.weight == 0:
        return 0.0
    share = purity(cell, criterion, cell) / float(cell.weight)
    return 1.0 - share if criterion in ("gini", "error") else -share


def mean_square_deviation(weights: Sequence[int], y: Sequence[int]) -> float:
    """ψ of a regression node in fixed-point units, from its rows and exact until the division."""
    w = sum(weights)
    s = sum(a * b for a, b in zip(weights, y, strict=True))
    q = sum(a * b * b for a, b in zip(weights, y, strict=True))
    return (q * w - s * s) / (w * w) if w else 0.0


@dataclass(frozen=True, slots=True)
class Decrease:
    """D as an IEEE double and, where it is a ratio of integers, exactly."""

    value: float
    exact: tuple[int, int] | None = None  # numerator, positive denominator

    def exceeds(self, other: Decrease) -> bool:
        if self.exact is None or other.exact is None:
            return self.value > other.value
        return self.exact[0] * other.exact[1] > other.exact[0] * self.exact[1]


def ascending_sum(terms: Iterable[float]) -> float:
    acc = 0.0
    for term in sorted(terms):
        acc += term
    return acc


def decrease(
    branches: Sequence[Cell], whole: Cell, criterion: str, quantile: float = 0.5
) -> Decrease:
    """D of a test that parts ``whole`` into ``branches``, some of which may be empty."""
    filled = [b for b in branches if b.weight]
    if criterion in MEDIANS:
        above, below, unit = prices(criterion, quantile)
        lost = best(whole, above, below)[0] - sum(best(b, above, below)[0] for b in filled)
        return Decrease(float(lost) / unit, (lost, unit))
    if criterion == "error":
        d = sum(max(b.tally) for b in filled) - max(whole.tally)
        return Decrease(float(d), (d, 1))
    if len(filled) == 2 and criterion == "gini":
        left, right, w = filled[0], filled[1], whole.weight
        pairs = zip(left.tally, whole.tally, strict=True)
        d2 = sum((a * w - n * left.weight) ** 2 for a, n in pairs)
        sides = left.weight * right.weight
        return Decrease(d2 / sides / float(w), (d2, w * sides))
    if len(filled) == 2 and criterion == "squared_error":
        left, right, w = filled[0], filled[1], whole.weight
        d = left.tally[1] * w - whole.tally[1] * left.weight
        value = (float(d) * float(d)) / (float(left.weight) * float(right.weight)) / float(w)
        return Decrease(value, (d * d, w * left.weight * right.weight))
    if len(filled) == 2 and criterion.endswith("squares"):
        left, w, outputs = filled[0], whole.weight, int(criterion.split()[2])
        pairs = zip(left.tally[1:], whole.tally[1:], strict=True)
        acc = 0.0
        for a, n in pairs:
            apart = float(a * w - n * left.weight)
            acc += apart * apart
        sides = float(left.weight) * float(filled[1].weight)
        return Decrease(acc / sides / float(w) / outputs)
    summed = ascending_sum(purity(b, criterion, whole) for b in filled)
    return Decrease(summed - purity(whole, criterion, whole))


def split_info(weights: Iterable[int]) -> float:
    """SI of branches of the given weights."""
    filled = [w for w in weights if w]
    whole = sum(filled)
    return (xlog2x(whole) - ascending_sum(xlog2x(w) for w in filled)) / float(whole)
