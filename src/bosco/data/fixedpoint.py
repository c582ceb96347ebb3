"""Real numbers as exact integers over a power of two, so that sums of them are exact.

A value v becomes the integer round(v · scale). Of all powers of two, the scale is the smallest
(from 1 up) that makes every value whole, so that whole numbers stay what they are; where the sums
would then not fit, it is the largest that lets them fit, and the values are rounded. It depends
neither on the order of the rows nor on how a computer adds floats.
"""

from dataclasses import dataclass
from math import ldexp

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FINEST = 1020  # 2**1020: the largest scale, still a float64; finer digits of y are dropped


@dataclass(frozen=True, slots=True)
class Fixed:
    """Integers, and what they mean: value = center + integer / scale.

    Examples
    --------
    >>> fix_weights(np.array([0.5, 1.25]), 2**52)
    Fixed(integers=array([2, 5]), scale=4.0, center=0.0)
    """

    integers: Integers
    scale: float
    center: float = 0.0


def fix_weights(weights: Floats, limit: int, rounded_limit: int | None = None) -> Fixed:
    """Turn positive, finite weights into positive integers that sum to less than `limit`.

    Where they have to be rounded, they sum to less than `rounded_limit`.
    """
    exact = _exact_exponent(weights)
    if exact is not None and _ceil_log2(weights) + exact < limit.bit_length() - 1:
        integers = _scaled(weights, exact)
        if int(integers.max()) * len(integers) < 2**62 and int(integers.sum()) < limit:
            return Fixed(integers, ldexp(1.0, exact))
    exponent = _fitting_exponent(weights, None, rounded_limit or limit)
    return Fixed(np.maximum(_scaled(weights, exponent), 1), ldexp(1.0, exponent))


def fix_factors(factors: Floats, totals: Floats, limit: int) -> Fixed:
    """Turn positive, finite factors into positive integers, each rounded once.

    Multiplied with `totals`, which are not negative, they sum to less than `limit`.

    Examples
    --------
    >>> fix_factors(np.array([0.75, 1.5]), np.array([2.0, 1.0]), 2**52)
    Fixed(integers=array([3, 6]), scale=4.0, center=0.0)
    """
    exact = _exact_exponent(factors)
    whole = int(np.frexp(totals.sum())[1]) + _ceil_log2(factors)
    room = min(limit.bit_length() - 2 - whole, _FINEST)
    exponent = room if exact is None else min(exact, room)
    return Fixed(np.maximum(_scaled(factors, exponent), 1), ldexp(1.0, exponent))


def fix_values(values: Floats, weights: Integers | None, limit: int) -> Fixed:
    """Turn finite real targets into integers, around a center if they lie far from 0.

    The sum of weight (None: 1) times size of integer is less than `limit`.

    Examples
    --------
    >>> fix_values(np.array([1.0, 3.0]), None, 2**62)
    Fixed(integers=array([1, 3]), scale=1.0, center=0.0)
    >>> fix_values(np.array([1e9, 1e9 + 0.5]), None, 2**62)
    Fixed(integers=array([-1,  1]), scale=4.0, center=1000000000.25)
    """
    center = _center(float(values.min()), float(values.max()))
    offsets = values - center if center else values
    if not offsets.any():
        return Fixed(np.zeros(len(values), np.int64), 1.0, center)
    total = len(values) if weights is None else int(weights.sum())
    exact = _exact_exponent(offsets)
    if exact is not None and _ceil_log2(offsets) + exact + total.bit_length() < limit.bit_length():
        return Fixed(_scaled(offsets, exact), ldexp(1.0, exact), center)
    fitting = _fitting_exponent(offsets, weights, limit)
    exponent = fitting if exact is None else min(exact, fitting)
    return Fixed(_scaled(offsets, exponent), ldexp(1.0, exponent), center)


def _center(low: float, high: float) -> float:
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


def _scaled(values: Floats, exponent: int) -> Integers:
    scaled = values * ldexp(1.0, exponent)
    return np.rint(scaled, out=scaled).astype(np.int64)


def _ceil_log2(values: Floats) -> int:
    """The smallest e such that every value lies within ±2**e."""
    return int(np.frexp(max(float(values.max()), -float(values.min())))[1])


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


def _fitting_exponent(values: Floats, weights: Integers | None, limit: int) -> int:
    """The largest e for which Σ weight · |round(value · 2**e)| stays below limit."""
    total = len(values) if weights is None else int(weights.sum())
    first = 61 - total.bit_length() - _ceil_log2(values)  # fits for sure
    first = min(first, _FINEST)
    sizes = np.abs(_scaled(values, first))
    size = int((sizes if weights is None else sizes * weights).sum()) + total  # with all rounding
    more = limit.bit_length() - size.bit_length() + 1
    while (size << more if more >= 0 else size >> -more) + 2 * total >= limit and more > -61:
        more -= 1
    return min(first + more, _FINEST)
