"""Real numbers as exact integers over a power of two, so that sums of them are exact.

A value v becomes the integer round(v · scale). Of all powers of two, the scale is the smallest
(from 1 up) that makes every value whole, so that whole numbers stay what they are; where the sums
would then not fit, it is the largest that lets them fit, and the values are rounded. It depends
neither on the order of the rows nor on how a computer adds floats.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FINEST = 1020  # 2**1020: the largest scale, still a float64; finer digits of y are dropped


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """All that the scale of numbers follows from, so that they may lie anywhere, in any parts.

    Attributes
    ----------
    n : int
        How many there are.
    low, high : float
        The least and the largest.
    exact : int or None
        The smallest e from 0 up with all numbers · 2**e whole; None if it is above 61.
    total : int
        The sum of their weights.
    size : callable
        Given e, the sum of weight · abs(round(number · 2**e)).

    Examples
    --------
    >>> spread = Spread.of(np.array([0.5, 1.25]))
    >>> spread.exact, spread.size(2)
    (2, 7)
    """

    n: int
    low: float
    high: float
    exact: int | None
    total: int
    size: Callable[[int], int]

    @classmethod
    def of(cls, values: Floats, weights: Integers | None = None) -> "Spread":
        """That of numbers that are here, with their weights (None: all 1)."""
        n = len(values)
        if not n:
            return cls(0, np.inf, -np.inf, 0, 0, lambda _: 0)
        total = n if weights is None else int(weights.sum())

        def size(exponent: int) -> int:
            sizes = np.abs(scaled(values, exponent))
            return int((sizes if weights is None else sizes * weights).sum())

        low, high = float(values.min()), float(values.max())
        return cls(n, low, high, _exact_exponent(values), total, size)

    @classmethod
    def joined(cls, parts: "Sequence[Spread]", size: Callable[[int], int]) -> "Spread":
        """That of the numbers of all parts; `size` is asked of them together."""
        exact = [part.exact for part in parts]
        return cls(
            sum(part.n for part in parts),
            min(part.low for part in parts),
            max(part.high for part in parts),
            None if None in exact else max(e for e in exact if e is not None),
            sum(part.total for part in parts),
            size,
        )

    def sent(self) -> "Spread":
        """The same without its numbers, which are asked for their size where they are."""
        return replace(self, size=int)

    @property
    def ceil_log2(self) -> int:
        """The smallest e such that every number lies within ±2**e."""
        return frexp(max(self.high, -self.low))[1]


def weight_exponent(weights: Spread, limit: int, rounded_limit: int | None = None) -> int:
    """Choose the scale of positive, finite weights, as a power of two.

    Rounded, and at least 1, they sum to less than `limit`; where rounding changes them, to less
    than `rounded_limit`.
    """
    exact = weights.exact
    if exact is not None and weights.ceil_log2 + exact < limit.bit_length() - 1:
        most = int(np.rint(weights.high * ldexp(1.0, exact)))
        if most * weights.n < 2**62 and weights.size(exact) < limit:
            return exact
    return _fitting_exponent(weights, rounded_limit or limit)


def factor_exponent(factors: Floats, totals: Floats, limit: int) -> int:
    """Choose the scale of positive factors, each rounded once, as a power of two.

    The sum of factor times total, in such integers, is less than `limit`.
    """
    spread = Spread.of(factors)
    whole = frexp(float(totals.sum()))[1] + spread.ceil_log2
    room = min(limit.bit_length() - 2 - whole, _FINEST)
    return room if spread.exact is None else min(spread.exact, room)


def value_exponent(offsets: Spread, limit: int) -> int:
    """Choose the scale of targets, less their center, as a power of two.

    The sum of weight times size of integer is less than `limit`.
    """
    if offsets.low == offsets.high == 0:
        return 0
    exact, bits = offsets.exact, offsets.total.bit_length()
    if exact is not None and offsets.ceil_log2 + exact + bits < limit.bit_length():
        return exact
    fitting = _fitting_exponent(offsets, limit)
    return fitting if exact is None else min(exact, fitting)


def center_of(low: float, high: float) -> float:
    """0, or a number of few digits amid values that are far from 0 and near to each other."""
    middle, spread = high / 2 + low / 2, high / 2 - low / 2
    if spread == 0:
        return low
    if abs(middle) <= 8 * spread:
        return 0.0
    step = np.ldexp(1.0, max(int(np.frexp(spread)[1]) - 2, -_FINEST))
    if low.is_integer() and high.is_integer():
        step = max(step, 1.0)
    return float(np.rint(middle / step) * step)


def scaled(values: Floats, exponent: int) -> Integers:
    """Round numbers times a power of two to integers."""
    large = values * ldexp(1.0, exponent)
    return np.rint(large, out=large).astype(np.int64)


def exact_sum(values: Floats) -> Fraction:
    """Add up finite numbers without any rounding.

    Examples
    --------
    >>> exact_sum(np.array([1e300, 0.5, -1e300]))
    Fraction(1, 2)
    """
    mantissa, exponent = np.frexp(values)
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    exponents, place = np.unique(exponent, return_inverse=True)
    halves = np.zeros((2, len(exponents)), np.int64)  # of digits: no sum of either overflows
    np.add.at(halves[0], place, digits & 0xFFFFFFFF)
    np.add.at(halves[1], place, digits >> 32)
    return sum(
        (
            ((high << 32) + low) * Fraction(2) ** (e - 53)
            for low, high, e in zip(*halves.tolist(), exponents.tolist(), strict=True)
        ),
        Fraction(0),
    )


def _exact_exponent(values: Floats) -> int | None:
    """The smallest e from 0 up with all values · 2**e whole, or None if it is above 61."""
    for part in (values[:16], values):  # most columns show their digits at once
        if (part == np.rint(part)).all():
            needed = 0
            continue
        mantissa, exponent = np.frexp(part)
        digits = np.ldexp(mantissa, 53).astype(np.int64)
        lowest = np.frexp((digits & -digits).astype(np.float64))[1] - 1
        needed = int(np.max(np.where(digits == 0, 0, 53 - lowest - exponent)))
        if needed > 61:
            return None
    return max(needed, 0)


def _fitting_exponent(values: Spread, limit: int) -> int:
    """The largest e for which Σ weight · |round(value · 2**e)| stays below limit."""
    total = values.total
    first = 61 - total.bit_length() - values.ceil_log2  # fits for sure
    first = min(first, _FINEST)
    size = values.size(first) + total  # with all rounding
    more = limit.bit_length() - size.bit_length() + 1
    while (size << more if more >= 0 else size >> -more) + 2 * total >= limit and more > -61:
        more -= 1
    return min(first + more, _FINEST)
