"""`compare`: the same splits, paired differences, corrected tests."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier as Peer

from bosco import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    compare,
    evaluate,
)
from bosco.figures.intervals import holm

WINE = load_wine(return_X_y=True, as_frame=True)
DEEP, FLAT = DecisionTreeClassifier(), DecisionTreeClassifier(algorithm="stump")


def test_by_hand() -> None:
    found = compare({"deep": DEEP, "flat": FLAT}, *WINE, repeats=8, metrics="accuracy")
    deep = evaluate(DEEP, *WINE, repeats=8, metrics="accuracy").scores["accuracy"]
    flat = evaluate(FLAT, *WINE, repeats=8, metrics="accuracy").scores["accuracy"]
    assert found["deep"].scores["accuracy"].tolist() == deep.tolist()
    (d,) = found.differences
    gap = deep - flat
    assert (d.better, d.other) == ("deep", "flat")
    assert d.mean == pytest.approx(gap.mean())
    assert d.sd == pytest.approx(gap.std(ddof=1))
    error = gap.std(ddof=1) * np.sqrt(1 / 8 + 54 / 124)
    assert d.p == d.p_holm == pytest.approx(2 * stats.t.sf(gap.mean() / error, 7))
    reach = stats.t.ppf(0.975, 7) * error
    assert d.interval == pytest.approx((gap.mean() - reach, gap.mean() + reach))


def test_the_same_estimator_does_not_differ_from_itself() -> None:
    (d,) = compare(DEEP, DEEP, *WINE, repeats=5, metrics="accuracy").differences
    assert (d.mean, d.p) == (0.0, 1.0)
    assert d.better != d.other


def test_several() -> None:
    found = compare(DEEP, Peer(), FLAT, *WINE, repeats=6)
    assert list(found.evaluations) == [
        "bosco DecisionTreeClassifier()",
        "sklearn DecisionTreeClassifier()",
        "DecisionTreeClassifier(algorithm='stump')",
    ]
    assert len(found.differences) == 3 * 3
    table = pd.DataFrame(found.to_dict())
    assert (table.p_holm >= table.p).all()
    assert (table["mean"] >= 0).all()
    text = str(found)
    assert "p (Holm)" in text
    assert "does not say that they are equal" in text


def test_holm_by_hand() -> None:
    assert holm(np.array([0.02, 0.01, 0.5])).tolist() == [0.04, 0.03, 0.5]
    assert holm(np.array([0.4, 0.4])).tolist() == [0.8, 0.8]
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]


def test_regressors() -> None:
    X, y = load_diabetes(return_X_y=True)
    found = compare([DecisionTreeRegressor(), LinearRegression()], X, y, repeats=5)
    assert found.differences[0].better == "LinearRegression()"


def test_one_split_tests_nothing() -> None:
    found = compare(DEEP, FLAT, *WINE, method="holdout")
    assert np.isnan(found.differences[0].p)
    assert "nothing is tested" in str(found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((DEEP, *WINE), "two estimators or more"),
        ((DEEP, FLAT), "compare wants the estimators, then X, then y"),
        ((DEEP, FLAT, WINE[0]), "compare wants the estimators, then X, then y"),
        ((), "compare wants the estimators, then X, then y"),
        ((DEEP, DecisionTreeRegressor(), *WINE), "all classifiers or all regressors"),
        (({"a": DEEP, "b": "tree"}, *WINE), "estimator must be a classifier"),
    ],
)
def test_bad_input(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        compare(*given)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_whole_rounds(n_jobs: int) -> None:
    calls = []

    def scorer(*_: Any) -> float:
        calls.append(1)
        if len(calls) > 7:
            raise KeyboardInterrupt
        return 1.0

    found = compare(DEEP, FLAT, *WINE, repeats=50, metrics=scorer, n_jobs=n_jobs)
    repeats = {e.repeats for e in found.evaluations.values()}
    assert len(repeats) == 1
    assert 0 < repeats.pop() <= 3
    assert "INTERRUPTED" in str(found)
