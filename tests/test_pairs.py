"""Tests on two columns: found where they pay, exact, and like any derived column afterwards."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
)
from bosco.errors import ParameterError
from bosco.estimators.pairs import WORTH, _spread


def slope(n: int = 400, seed: int = 0, noise: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    flip = rng.random(n) < noise
    return X, np.where(flip, 1 - y, y)


def test_a_sum_is_two_leaves() -> None:
    X, y = slope()
    plain = DecisionTreeClassifier().fit(X, y)
    tree = DecisionTreeClassifier(numeric_test="pairs", threshold="round").fit(X, y)
    assert plain.get_n_leaves() > 10
    assert tree.get_n_leaves() == 2
    assert "x0 + x1 ≤ 0" in str(tree.model_)
    assert tree.score(X, y) == 1.0


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda a, b: a - b > 0, "a - b"),
        (lambda a, b: a / b > 1.5, "a / b"),
        (lambda a, b: a - 30 * b > np.quantile(a - 30 * b, 0.3), "a - 30 * b"),
        (lambda a, b: a + 30 * b > np.median(a + 30 * b), "a + 30 * b"),
    ],
)
def test_the_forms(make: Any, text: str) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.5, 2, 1000), rng.uniform(0.5, 2, 1000)
    if "30" in text:  # so that the spreads differ by 30, to two digits
        a = a / np.std(a) * 30 * np.std(b)
    X, y = pd.DataFrame({"a": a, "b": b, "c": rng.normal(size=1000)}), make(a, b)
    model = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=3).fit(X, y).model_
    first = model.schema.columns[int(model.tree.native.tests.column[0])]
    assert first.name == text
    assert first.formula is not None
    assert first.formula.text == text


def test_noise_does_not_pay() -> None:
    """Columns that say nothing, or each for itself, get no pair."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 8))
    for y in (rng.integers(0, 2, 300), (X[:, 3] > 0.2).astype(int)):
        model = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=4).fit(X, y).model_
        plain = DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y).model_
        assert not model.schema.derived
        assert str(model).splitlines()[1:] == str(plain).splitlines()[1:]


def gain_of(values: Any, y: Any) -> float:
    """The best gain of a threshold by Gini, cut by cut."""

    def gini(labels: Any) -> float:
        return 1 - float(((np.bincount(labels) / len(labels)) ** 2).sum())

    order = np.argsort(values, kind="stable")
    values, y = values[order], y[order]
    cuts = np.flatnonzero(np.diff(values) > 0) + 1
    return max(gini(y) - k / len(y) * gini(y[:k]) - (1 - k / len(y)) * gini(y[k:]) for k in cuts)


def test_the_root_pays_what_is_said() -> None:
    """The gain shown is that of the rows, and at least 1.1 times the best single column's."""
    X, y = slope(200, seed=5, noise=0.1)
    model = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=4).fit(X, y).model_
    (first, *_) = model.why(0).candidates
    assert first.column == "x0 + x1"
    assert first.gain == pytest.approx(gain_of(X[:, 0] + X[:, 1], y), abs=1e-12)
    singles = [gain_of(X[:, j], y) for j in range(4)]
    price = 2 * model.tree.native.impurity[0] * np.log(1 + 5 * 3 / 2) / 200
    assert first.gain - price >= WORTH * max(singles)


def test_rows_in_any_order_copies_and_threads_make_no_difference() -> None:
    X, y = slope(300, seed=3, noise=0.1)
    X[:, 1] *= 7.3
    learner = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=6)
    first = learner.fit(X, y).model_
    assert first.schema.derived
    order = np.random.default_rng(0).permutation(300)
    threaded = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=6, n_jobs=2)
    assert str(threaded.fit(X[order], y[order]).model_) == str(first)
    times = np.random.default_rng(1).integers(1, 4, 300)
    weighed = learner.fit(X, y, sample_weight=times).model_
    copied = learner.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).model_
    assert weighed.schema == copied.schema
    assert weighed.tree.digest() == copied.tree.digest()


def test_spreads_have_no_order() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, w = rng.normal(100, 1, 777), rng.integers(1, 9, 777)
        order = rng.permutation(777)
        assert _spread(x, w) == _spread(x[order], w[order]) == _spread(np.repeat(x, w), None)
        assert _spread(x, None) == pytest.approx(np.std(x), rel=1e-12)


def test_it_is_a_model_like_any_other(tmp_path: Path) -> None:
    X, y = slope(300, noise=0.05)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "the d"])
    model = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=5).fit(frame, y).model_
    assert model.growth.numeric_test == "pairs"
    model.save(tmp_path / "m.json")
    for back in (bosco.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert str(back) == str(model)
        assert list(back.predict(frame)) == list(model.predict(frame))
    assert len(model.trace(frame, y)) == model.tree.node_count


def test_missing_values_and_numbers() -> None:
    X, y = slope(400, noise=0.05)
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    for missing in ("learn", "majority", "branch", "fractional", "surrogate"):
        told = {"numeric_test": "pairs", "max_leaf_nodes": 4, "missing": missing}
        model = DecisionTreeClassifier(**told).fit(X, y).model_
        assert "x0 + x1" in model.schema.names
    real, target = slope(300)[0], slope(300)[0][:, :2] @ [1.0, -1.0]
    tree = DecisionTreeRegressor(numeric_test="pairs", max_leaf_nodes=6).fit(real, target)
    assert [c.name for c in tree.model_.schema.derived] == ["x0 - x1"]


def test_a_pair_is_no_column_of_its_own_name() -> None:
    """A column that is called as a pair would be is that column."""
    X, y = slope(200)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "a + b"])
    model = DecisionTreeClassifier(numeric_test="pairs", max_leaf_nodes=3).fit(frame, y).model_
    assert len(set(model.schema.names)) == len(model.schema.names)


def test_who_takes_none() -> None:
    X, y = slope(50)
    with pytest.raises(ParameterError, match="for single trees"):
        RandomForestClassifier(numeric_test="pairs", max_features=None).fit(X, y)
    for told in ({"splitter": "random"}, {"max_features": 2}):
        with pytest.raises(ParameterError, match="among all of them"):
            DecisionTreeClassifier(numeric_test="pairs", **told).fit(X, y)
    with pytest.raises(ParameterError, match="may rise with one and fall with another"):
        DecisionTreeClassifier(numeric_test="pairs", monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(ParameterError, match="fixed when it is opened"):
        bosco.draft(DecisionTreeClassifier(numeric_test="pairs"), X, y)
    stump = DecisionTreeClassifier(numeric_test="pairs", max_depth=1)
    assert AdaBoostClassifier(stump, n_estimators=3).fit(X, y).score(X, y) == 1.0


def test_tiny_numbers_and_long_names() -> None:
    x, z = np.r_[np.zeros(20), np.full(20, 5e-324)], np.arange(40.0)
    y = np.where((np.arange(40) // 5) % 2 == 0, "a", "b")
    DecisionTreeClassifier(numeric_test="pairs").fit({"x": x, "z": z}, y)
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 120))
    tree = DecisionTreeClassifier(numeric_test="pairs")
    tree.fit({"a" * 1500: a, "b" * 1500: b}, np.where(a > b, "p", "q"))
    assert not tree.model_.schema.derived
