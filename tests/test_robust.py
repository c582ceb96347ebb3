"""Odd, hostile and broken input: a right answer or a clear error, never a crash."""

import ctypes
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bosco import (
    BoscoError,
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    IdentifierWarning,
)
from bosco.growth import PRESETS

ALGORITHMS = list(PRESETS)


def learn(X: Any, y: Any, **settings: Any) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(**settings).fit(X, y)


# Too little --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X", [np.empty((0, 3)), [], {}, {"a": []}, pd.DataFrame(), pd.DataFrame({"a": []})], ids=repr
)
def test_no_rows(X: Any) -> None:
    with pytest.raises(DataError):
        learn(X, [])


def test_no_columns() -> None:
    with pytest.raises(DataError, match=r"0 feature\(s\)"):
        learn(np.empty((3, 0)), [0, 1, 0])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_row(algorithm: str) -> None:
    clf = learn([[1.0, 2.0]], ["only"], algorithm=algorithm)
    assert clf.predict([[5.0, np.nan]]).tolist() == ["only"]
    assert clf.predict_proba([[0.0, 0.0]]).tolist() == [[1.0]]
    assert clf.get_n_leaves() == 1
    assert clf.feature_importances_.tolist() == [0.0, 0.0]
    assert clf.cost_complexity_pruning_path([[1.0, 2.0]], ["only"]).ccp_alphas.tolist() == [0.0]
    assert clf.decision_path([[1.0, 2.0]]).toarray().tolist() == [[1]]
    assert "→ only" in str(clf.model_)
    assert str(clf.model_.explain([1.0, 2.0])) == "so only: 100 % of 1 training row"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_class(algorithm: str) -> None:
    clf = learn(np.arange(20.0).reshape(10, 2), [7] * 10, algorithm=algorithm)
    assert clf.get_n_leaves() == 1
    assert clf.predict([[0, 0]]).tolist() == [7]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_constant_columns(algorithm: str) -> None:
    X = {"number": [1.5] * 6, "level": ["a"] * 6, "flag": [True] * 6}
    clf = learn(X, [0, 1, 0, 1, 1, 1], algorithm=algorithm)
    assert clf.get_n_leaves() == 1
    assert clf.predict_proba(X)[0] == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_missing_columns(algorithm: str) -> None:
    X = {"none": [None] * 8, "nan": [np.nan] * 8, "x": [1, 2, 3, 4, 5, 6, 7, 8]}
    clf = learn(X, [0, 0, 0, 0, 1, 1, 1, 1], algorithm=algorithm)
    assert clf.predict(X).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    alone = learn({"none": [None] * 4}, [0, 1, 1, 1], algorithm=algorithm)
    assert alone.get_n_leaves() == 1


def test_constant_target() -> None:
    reg = DecisionTreeRegressor().fit([[1], [2]], [3.25, 3.25])
    assert reg.get_n_leaves() == 1
    assert reg.predict([[9]]).tolist() == [3.25]


# Too much ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["cart", "id3", "c45", "hunt", "stump"])
def test_ten_thousand_levels(algorithm: str) -> None:
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(10_000), rng.integers(0, 10_000, 30_000)])
    X = {"zip": np.array([f"z{c:05}" for c in codes]).astype(object)}
    y = codes % 3
    clf = learn(X, y, algorithm=algorithm, max_depth=3)
    assert clf.score(X, y) > 0.3
    if algorithm in ("id3", "c45"):
        assert clf.score(X, y) == 1.0
    start = time.perf_counter()
    assert len(str(clf.model_)) < 100_000
    assert str(clf.model_.why(0))
    assert time.perf_counter() - start < 5


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 300)), rng.integers(0, 2, 50)
    assert learn(X, y).score(X, y) == 1.0
    reg = DecisionTreeRegressor().fit(X, X[:, 7])
    assert reg.predict(X) == pytest.approx(X[:, 7])


def test_extreme_values() -> None:
    x = [-np.inf, -1.7e308, -1e308, -5e-324, -0.0, 0.0, 5e-324, 1e308, 1.7e308, np.inf]
    X, y = [[v] for v in x], [0, 1, 0, 1, 0, 0, 1, 0, 1, 0]
    clf = learn(X, y)
    assert clf.predict(X).tolist() == y
    assert np.isfinite(clf.tree_.threshold).sum() >= clf.get_n_leaves() - 2
    assert (learn([[-0.0], [0.0], [1.0]], [0, 0, 1]).predict([[0.0], [-0.0]]) == 0).all()


def test_extreme_targets() -> None:
    for y in ([1e308, -1e308, 1e308], [5e-324, 0.0, 1e-300], [1e300, 1.0, -1e300]):
        reg = DecisionTreeRegressor().fit([[0], [1], [2]], y)
        assert reg.predict([[0], [1], [2]]) == pytest.approx(y, rel=1e-9, abs=1e-300 + max(y) / 1e9)
        assert np.isfinite(reg.tree_.impurity).all() or max(y) > 1e150


def test_integers_beyond_float64() -> None:
    big = 2**53
    exact = np.array([[big], [big + 2], [big + 4]])
    assert learn(exact, [0, 1, 0]).predict(exact).tolist() == [0, 1, 0]
    with pytest.raises(DataError, match=r"beyond 2\*\*53"):
        learn(np.array([[big], [big + 1]]), [0, 1])
    clf = learn(pd.DataFrame({"id": pd.Categorical([big, big + 1, big])}), [0, 1, 0])
    assert clf.predict(pd.DataFrame({"id": pd.Categorical([big + 1])})).tolist() == [1]


# Names -------------------------------------------------------------------------------------------


def test_duplicate_names() -> None:
    X = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(DataError, match=r"must be unique.*'a'"):
        learn(X, [0, 1])


def test_unicode_names() -> None:
    X = {"température ≤": [1, 2, 3], "色": ["赤", "青", "赤"], "a, {b}": [1, 1, 2]}
    clf = learn(X, ["да", "нет", "да"])
    assert clf.predict(X).tolist() == ["да", "нет", "да"]
    assert "нет" in str(clf.model_)
    assert clf.model_.to_text(ascii=True).isascii()


# Targets and weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("y", [[0.0, np.nan, 1.0], [None, "a", "b"], ["a", np.nan, "b"]], ids=str)
def test_a_missing_label(y: Any) -> None:
    with pytest.raises(DataError):
        learn([[1], [2], [3]], y)


@pytest.mark.parametrize("y", [[0.0, np.nan, 1.0], [0.0, np.inf, 1.0], ["a", "b", "c"]], ids=str)
def test_a_broken_real_target(y: Any) -> None:
    with pytest.raises(DataError):
        DecisionTreeRegressor().fit([[1], [2], [3]], y)


@pytest.mark.parametrize(
    "weight",
    [[1, -1, 1], [1, np.inf, 1], [1, np.nan, 1], [0, 0, 0], [1, 1], ["a", "b", "c"]],
    ids=str,
)
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_broken_weights(kind: Any, weight: Any) -> None:
    with pytest.raises((BoscoError, ValueError, TypeError)) as error:
        kind().fit([[1], [2], [3]], [0, 1, 0], sample_weight=weight)
    assert str(error.value)


def test_weights_of_very_different_size() -> None:
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    clf = DecisionTreeClassifier().fit(X, y, sample_weight=[1e-12, 1.0, 1e12, 3.3])
    assert clf.predict(X).tolist() == y
    reg = DecisionTreeRegressor().fit(X, y, sample_weight=[1e-12, 1.0, 1e12, 3.3])
    assert reg.predict(X) == pytest.approx(y)


def test_rows_of_weight_zero_are_absent() -> None:
    X = [[0.0, "p"], [1.0, "q"], [2.0, "r"], [3.0, "q"]]
    clf = DecisionTreeClassifier().fit(X, ["a", "b", "gone", "a"], sample_weight=[1, 2, 0, 1])
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.model_.schema.columns[1].levels == ("p", "q")


# Kinds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        [["a", 1], [2, "b"]],
        [[{"x": 1}], [{"y": 2}]],
        [[1 + 2j], [3]],
        "text",
        [1, 2],
        np.zeros((2, 2, 2)),
        [[1, 2], [3]],
    ],
    ids=repr,
)
def test_kinds_that_are_not_read(X: Any) -> None:
    with pytest.raises(DataError):
        learn(X, [0, 1])


def test_a_changed_kind_at_prediction() -> None:
    clf = learn({"a": [1.0, 2.0], "b": ["x", "y"]}, [0, 1])
    with pytest.raises(DataError, match="'a'"):
        clf.predict({"a": ["one"], "b": ["x"]})
    with pytest.raises(DataError, match="'b'"):
        clf.predict({"a": [1.0], "b": [3.0]})


def test_missing_values_refused_by_place() -> None:
    with pytest.raises(DataError, match=r"column 'b'.*row 1"):
        learn({"a": [1, 2, 3], "b": [1.0, np.nan, 2.0]}, [0, 1, 0], missing="error")
    clf = learn({"a": [1, 2, 3]}, [0, 1, 0], missing="error")
    with pytest.raises(DataError, match=r"column 'a'.*row 0"):
        clf.predict({"a": [None]})


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch", "majority"])
def test_missing_at_prediction_only(missing: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    clf = learn(X, X[:, 0] > 0, missing=missing)
    shares = clf.predict_proba(np.full((3, 3), np.nan))
    assert shares.sum(axis=1) == pytest.approx(1.0)


def test_an_identifier_is_named() -> None:
    X = {"id": [f"k{i}" for i in range(40)], "x": list(range(40))}
    with pytest.warns(IdentifierWarning, match="'id' looks like an identifier"):
        learn(X, [0, 1] * 20)


# Ctrl-C ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_long_fit(n_jobs: int) -> None:
    """The signal arrives while the core works without the interpreter."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400_000, 20)), rng.integers(0, 2, 400_000)
    clf = DecisionTreeClassifier(n_jobs=n_jobs, record=False)
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.perf_counter())
        ctypes.pythonapi.PyErr_SetInterrupt()

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, y)
        stopped = time.perf_counter()
    finally:
        timer.cancel()
    assert stopped - sent[0] < 1.0
    assert not hasattr(clf, "tree_")
    assert learn(X[:100], y[:100]).score(X[:100], y[:100]) == 1.0
