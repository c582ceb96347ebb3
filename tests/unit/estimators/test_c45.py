"""Rules of C4.5 that decide between columns where the figures nearly do not."""

import math

import numpy as np
import pytest

from bosco import DecisionTreeClassifier
from bosco.models.model import Model


def grown(X: dict[str, list[object]], y: list[str]) -> Model:
    return DecisionTreeClassifier(algorithm="c45", pruning="none").fit(X, y).model_


@pytest.mark.parametrize("swapped", [False, True])
def test_equal_ratios_go_to_the_lower_column_whatever_rounding_says(swapped: bool) -> None:
    """No class is parted by either test, so gain and split information are one number."""
    y = ["h"] + 3 * ["v"] + 2 * ["y"]
    one: list[object] = [2, 2, 2, 2, 1, 1]  # {y} against {h, v}
    other: list[object] = [1, 2, 2, 2, 1, 1]  # {h, y} against {v}
    weak: list[object] = list("ppqqpq")  # so that both gain more than the average
    first, second = (other, one) if swapped else (one, other)
    why = grown({"a": first, "b": second, "c": weak}, y).why(0)
    found = {c.column: c for c in why}
    assert [found[name].gain_ratio for name in "ab"] == pytest.approx([1.0, 1.0], abs=1e-12)
    assert why.chosen.column == "a"
    assert found["b"].margin >= 0.0
    assert found["b"].near_tie


def test_the_average_counts_tests_that_gain_nothing() -> None:
    """Gains 0.1281, 0.1891 and 0; only without the last is their average above the first."""
    X: dict[str, list[object]] = {
        "a": list("nnnyyynnyynynn"),
        "b": list("zzxwzxwwwxwzxw"),
        "c": list("ynnyynnynynyny"),
    }
    y = list("01111100000100")
    why = grown(X, y).why(0)
    gains = {c.column: c.gain for c in why}
    assert gains["c"] == pytest.approx(0.0, abs=1e-12)
    assert gains["b"] > gains["a"] > np.mean(list(gains.values()))
    assert gains["a"] < (gains["a"] + gains["b"]) / 2 - 1e-3
    assert why.chosen.column == "a"
    scores = {c.column: c.score for c in why}
    assert math.isnan(scores["c"])
    assert not math.isnan(scores["b"])
