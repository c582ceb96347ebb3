"""Intervals, against hand computations, known values and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bosco.errors import ParameterError
from bosco.figures.intervals import (
    check_confidence,
    corrected_interval,
    corrected_p,
    mean_interval,
    wilson,
)


def test_wilson_by_hand() -> None:
    # 8 of 10: z = 1.95996, centre (0.8 + z²/20)/(1 + z²/10), as in the textbooks: 0.490 to 0.943
    low, high = wilson(0.8, 10)
    assert (float(low), float(high)) == pytest.approx((0.4901625, 0.9433178), abs=1e-7)


@given(st.integers(1, 1000), st.integers(0, 1000), st.floats(0.5, 0.999))
def test_wilson_is_scipys(n: int, hits: int, confidence: float) -> None:
    hits = min(hits, n)
    wanted = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    low, high = wilson(hits / n, n, confidence)
    assert (float(low), float(high)) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert 0 <= low <= hits / n <= high <= 1


def test_no_rows_say_nothing() -> None:
    low, high = wilson([math.nan, 0.5], [0, 0])
    assert low.tolist() == [0, 0]
    assert high.tolist() == [1, 1]
    low, high = mean_interval([1.0, math.nan], [0.0, math.nan], [1, 0])
    assert low[0] == -math.inf
    assert high[0] == math.inf


def test_mean_interval_is_students() -> None:
    x = np.array([3.0, 5.0, 8.0, 1.0])
    wanted = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    low, high = mean_interval(x.mean(), x.std(ddof=1), len(x), 0.9)
    assert (float(low), float(high)) == pytest.approx((wanted.low, wanted.high))


def test_corrected_interval_by_hand() -> None:
    scores = [0.90, 0.94, 0.86, 0.90, 0.95]
    mean, ratio = sum(scores) / 5, 30 / 70
    variance = sum((s - mean) ** 2 for s in scores) / 4
    reach = 2.7764451051977987 * math.sqrt((1 / 5 + ratio) * variance)  # t of 4 degrees, 97.5 %
    assert corrected_interval(scores, ratio) == pytest.approx((mean - reach, mean + reach))


def test_corrected_p_by_hand() -> None:
    differences = [0.02, 0.05, -0.01, 0.04, 0.03]
    mean = sum(differences) / 5
    variance = sum((d - mean) ** 2 for d in differences) / 4
    t = mean / math.sqrt((1 / 5 + 0.25) * variance)
    assert corrected_p(differences, 0.25) == pytest.approx(2 * stats.t.sf(t, 4))
    assert corrected_p([-d for d in differences], 0.25) == pytest.approx(2 * stats.t.sf(t, 4))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.floats(0.01, 2))
def test_interval_and_test_agree(differences: list[float], ratio: float) -> None:
    """0 is in the 95 % interval exactly where p is 5 % or more."""
    p = corrected_p(differences, ratio)
    low, high = corrected_interval(differences, ratio)
    if abs(p - 0.05) > 1e-9:
        assert (low <= 0 <= high) == (p > 0.05)


def test_without_spread() -> None:
    assert corrected_p([0.0, 0.0], 1) == 1
    assert corrected_p([0.5, 0.5], 1) == 0
    assert corrected_interval([0.5, 0.5], 1) == (0.5, 0.5)
    assert math.isnan(corrected_p([0.1], 1))
    assert all(map(math.isnan, corrected_interval([0.1], 1)))


def test_coverage_by_simulation() -> None:
    """The mean predicts, squared error judges: the true mean score is 1 + 1/n1, so count hits.

    The plain t interval is far too short under overlapping training sets; the corrected one holds
    what it says, roughly (it is known to be a little off either way).
    """
    rng = np.random.default_rng(0)
    n, n_train, repeats, tables = 60, 42, 15, 400
    truth = 1 + 1 / n_train
    plain = corrected = 0
    for _ in range(tables):
        x = rng.normal(size=n)
        drawn = rng.permuted(np.tile(x, (repeats, 1)), axis=1)
        train, test = drawn[:, :n_train], drawn[:, n_train:]
        scores = ((test - train.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
        low, high = corrected_interval(scores, (n - n_train) / n_train)
        corrected += low <= truth <= high
        low, high = corrected_interval(scores, 0.0)
        plain += low <= truth <= high
    assert plain / tables < 0.8
    assert 0.9 < corrected / tables < 0.995


@pytest.mark.parametrize("wrong", [0, 1, 95, -0.5, "high", True, None])
def test_confidence_is_checked(wrong: object) -> None:
    with pytest.raises(ParameterError, match="confidence must"):
        check_confidence(wrong)
