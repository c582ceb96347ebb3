"""Real numbers as exact integers."""

from fractions import Fraction
from math import ldexp
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco.data.fixedpoint import (
    Spread,
    center_of,
    exact_sum,
    scaled,
    value_exponent,
    weight_exponent,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.lists(FINITE, min_size=1, max_size=20)
POSITIVE = st.floats(min_value=1e-200, max_value=1e200)


class Fixed(NamedTuple):
    """Integers, and what they mean: value = center + integer / scale."""

    integers: Any
    scale: float
    center: float = 0.0


def fix_weights(weights: Any, limit: int, rounded_limit: int | None = None) -> Fixed:
    """Weights as integers."""
    exponent = weight_exponent(Spread.of(weights), limit, rounded_limit)
    return Fixed(np.maximum(scaled(weights, exponent), 1), ldexp(1.0, exponent))


def fix_values(values: Any, weights: Any, limit: int) -> Fixed:
    """Targets as integers, as the recipe of all rows makes them."""
    center = center_of(float(values.min()), float(values.max()))
    offsets = values - center if center else values
    exponent = value_exponent(Spread.of(offsets, weights), limit)
    return Fixed(scaled(offsets, exponent), ldexp(1.0, exponent), center)


def is_power_of_two(x: float) -> bool:
    return np.frexp(x)[0] == 0.5


@given(VALUES, st.sampled_from([38, 62]), st.integers(1, 100))
def test_values_fit_and_are_close(values: list[float], bits: int, weight: int) -> None:
    y = np.array(values)
    weights = np.full(len(y), weight)
    fixed = fix_values(y, weights, 2**bits)
    integers = fixed.integers.tolist()
    assert sum(weight * abs(i) for i in integers) < 2**bits
    assert is_power_of_two(fixed.scale)
    largest = max(abs(Fraction(v) - Fraction(fixed.center)) for v in values)
    unit = max(largest * len(y) * weight / 2 ** (bits - 4), Fraction(2) ** -1020)
    unit += largest / 2**52  # of the subtraction
    for value, integer in zip(values, integers, strict=True):
        back = Fraction(fixed.center) + Fraction(integer) / Fraction(fixed.scale)
        assert abs(back - Fraction(value)) <= unit


@given(VALUES)
def test_order_and_repetition_change_nothing(values: list[float]) -> None:
    y = np.array(values)
    fixed = fix_values(y, None, 2**62)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = fix_values(y[order], None, 2**62)
    assert (shuffled.scale, shuffled.center) == (fixed.scale, fixed.center)
    assert (shuffled.integers == fixed.integers[order]).all()
    twice = fix_values(np.repeat(y, 2), None, 2**62)
    weighted = fix_values(y, np.full(len(y), 2), 2**62)
    assert (twice.scale, twice.center) == (weighted.scale, weighted.center)
    assert (twice.integers[::2] == weighted.integers).all()


@given(st.lists(st.integers(-(2**30), 2**30), min_size=1, max_size=20))
def test_whole_numbers_are_exact(values: list[int]) -> None:
    fixed = fix_values(np.array(values, np.float64), None, 2**62)
    assert fixed.scale == 1.0
    assert fixed.center.is_integer()
    assert (fixed.integers + int(fixed.center)).tolist() == values


@pytest.mark.parametrize(
    ("values", "scale", "center"),
    [
        ([0.0, 1.0], 1.0, 0.0),
        ([0.5, 0.25], 4.0, 0.0),
        ([7.5, 7.5], 1.0, 7.5),
        ([2000.0, 2020.0], 1.0, 2008.0),
    ],
)
def test_scales(values: list[float], scale: float, center: float) -> None:
    fixed = fix_values(np.array(values), None, 2**62)
    assert (fixed.scale, fixed.center) == (scale, center)


def test_extremes() -> None:
    huge = fix_values(np.array([1e308, -1e308, 0.0]), None, 2**38)
    assert huge.scale < 1
    assert huge.integers[0] == -huge.integers[1] > 2**30
    small = fix_values(np.array([1e-300, 2e-300]), None, 2**62)
    assert small.integers[1] - small.integers[0] > 2**20
    denormal = fix_values(np.array([5e-324, 0.0]), None, 2**62)
    assert denormal.integers.tolist() == [0, 0]  # 5e-324 is not told from 0
    apart = fix_values(np.array([1e16, 1e16 + 2]), None, 2**62)
    assert apart.integers[1] - apart.integers[0] == 2 * apart.scale


@given(st.lists(POSITIVE, min_size=1, max_size=20), st.sampled_from([2**38, 2**52]))
def test_weights_fit_and_stay_positive(weights: list[float], limit: int) -> None:
    w = np.array(weights)
    fixed = fix_weights(w, limit)
    assert is_power_of_two(fixed.scale)
    assert fixed.integers.min() >= 1
    assert sum(fixed.integers.tolist()) < limit
    assert np.abs(fixed.integers / fixed.scale - w).max() <= w.max() * len(w) * 32 / limit
    order = np.random.default_rng(0).permutation(len(w))
    assert fix_weights(w[order], limit).scale == fixed.scale


@given(st.lists(st.integers(1, 2**20), min_size=1))
def test_whole_weights_are_themselves(weights: list[int]) -> None:
    fixed = fix_weights(np.array(weights, np.float64), 2**52)
    assert (fixed.integers.tolist(), fixed.scale) == (weights, 1.0)


def test_weights_too_large_are_rounded() -> None:
    fixed = fix_weights(np.array([2.0**60, 2.0**59]), 2**38)
    assert fixed.scale < 1
    assert fixed.integers[0] == 2 * fixed.integers[1]
    assert fix_weights(np.array([0.1, 0.2]), 2**52, 2**20).integers.sum() < 2**20


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_sums_without_rounding(values: list[float]) -> None:
    assert exact_sum(np.array(values, np.float64)) == sum(map(Fraction, values))
