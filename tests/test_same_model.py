"""The same data give the same model, bit for bit: any threads, any order of rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bosco import AdaBoostClassifier, DecisionTreeClassifier, DecisionTreeRegressor


def mixed(n: int, seed: int = 0, missing: float = 0.05) -> pd.DataFrame:
    """Numbers with many and few values, levels, and holes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 8)), columns=[f"c{j}" for j in range(8)])
    for j in range(6):
        X[f"d{j}"] = rng.integers(0, 3 + 40 * j, n)
    for j in range(6):
        X[f"n{j}"] = pd.Categorical(rng.choice(list("abcdefgh")[: 2 + j], n))
    return X.mask(rng.random(X.shape) < missing) if missing else X


def labels(X: pd.DataFrame, seed: int = 0, classes: int = 2) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed + 1)
    signal = X["c0"].fillna(0) + X["c1"].fillna(0) ** 2 + (X["n3"] == "b") + rng.normal(size=len(X))
    return np.searchsorted(np.quantile(signal, np.arange(1, classes) / classes), signal)


LEARNERS: dict[str, Callable[..., Any]] = {
    "cart": lambda **more: DecisionTreeClassifier(max_depth=7, **more),
    "entropy, full": lambda **more: DecisionTreeClassifier(criterion="entropy", **more),
    "c45": lambda **more: DecisionTreeClassifier(algorithm="c45", max_depth=5, **more),
    "surrogate": lambda **more: DecisionTreeClassifier(missing="surrogate", max_depth=4, **more),
    "best_first": lambda **more: DecisionTreeClassifier(max_leaf_nodes=40, **more),
    "random": lambda **more: DecisionTreeClassifier(
        splitter="random", max_features="sqrt", random_state=3, max_depth=8, **more
    ),
    "regression": lambda **more: DecisionTreeRegressor(max_depth=7, **more),
    "regression, full": lambda **more: DecisionTreeRegressor(**more),
}


def target(name: str, X: pd.DataFrame) -> np.ndarray[Any, Any]:
    if name.startswith("regression"):
        return (X["c0"].fillna(0) * 3 + X["d1"].fillna(0)).to_numpy()
    return labels(X, classes=4 if "full" in name else 2)


@pytest.mark.parametrize("name", LEARNERS)
def test_any_number_of_threads(name: str) -> None:
    X = mixed(24_000)
    y = target(name, X)
    trees = [LEARNERS[name](n_jobs=n).fit(X, y).tree_.digest() for n in (1, 2, 4)]
    assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize("name", LEARNERS)
def test_any_order_of_rows(name: str) -> None:
    X = mixed(3_000)
    y = target(name, X)
    order = np.random.default_rng(5).permutation(len(X))
    plain = LEARNERS[name]().fit(X, y)
    shuffled = LEARNERS[name]().fit(X.iloc[order], y[order])
    assert plain.tree_ == shuffled.tree_
    assert (plain.predict(X) == shuffled.predict(X)).all()


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1 / 3, 1: 2.7, 2: 0.1, 3: 5}])
@pytest.mark.parametrize("name", [name for name in LEARNERS if "regression" not in name])
def test_rows_twice_are_weight_two_with_class_weights(name: str, class_weight: Any) -> None:
    X = mixed(600)
    y = target(name, X)
    if not isinstance(class_weight, str):
        class_weight = {label: class_weight[label] for label in np.unique(y).tolist()}
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    learner = LEARNERS[name](class_weight=class_weight)
    weighted = clone(learner).fit(X, y, sample_weight=weight).tree_
    assert weighted == clone(learner).fit(X.iloc[repeated], y[repeated]).tree_


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_twice_are_weight_two(name: str) -> None:
    X = mixed(1_500)
    y = target(name, X)
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    weighted = LEARNERS[name]().fit(X, y, sample_weight=weight).tree_
    assert weighted == LEARNERS[name]().fit(X.iloc[repeated], y[repeated]).tree_


@pytest.mark.parametrize("name", ["cart", "regression"])
def test_any_dtype_that_holds_the_numbers(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, size=(2_000, 5))
    y = (X[:, 0] > 40).astype(int) + X[:, 1] // 30
    tree = LEARNERS[name]().fit(X, y).tree_
    for dtype in (np.int8, np.uint16, np.int32, np.float32, np.float64, np.float16):
        assert LEARNERS[name]().fit(X.astype(dtype), y).tree_ == tree
    assert LEARNERS[name]().fit(np.asfortranarray(X), y).tree_ == tree
    assert LEARNERS[name]().fit(np.repeat(X, 2, axis=1)[:, ::2], y).tree_ == tree
    assert LEARNERS[name]().fit(X.tolist(), y).tree_ == tree


@pytest.mark.parametrize("settings", [{}, {"splitter": "random"}, {"threshold": "observed"}])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeros_have_no_sign(settings: dict[str, Any], dtype: type) -> None:
    """Which of 0.0 and -0.0 comes first depends on the order of rows; the tree does not."""
    rng = np.random.default_rng(0)
    for far in (np.inf, 5e-324 if dtype is np.float64 else 1e-45):
        for _ in range(20):
            X = rng.choice(np.array([0.0, -0.0, far, 2 * far]), (40, 2)).astype(dtype)
            y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
            order = rng.permutation(40)
            trees = [
                DecisionTreeClassifier(random_state=0, **settings).fit(rows, classes).tree_
                for rows, classes in ((X, y), (X[order], y[order]), (X.astype(float) + 0.0, y))
            ]
            assert len({tree.digest() for tree in trees}) == 1
            assert not np.signbit(trees[0].threshold[trees[0].feature >= 0]).any()


def test_a_refit_is_the_same() -> None:
    X = mixed(2_000)
    y = labels(X)
    clf = DecisionTreeClassifier().fit(X, y)
    first = clf.tree_.digest()
    assert clf.fit(X, y).tree_.digest() == first


@pytest.mark.parametrize("seed", [2, 3, 7])
def test_heavy_weights_do_not_hide_the_better_of_two_cuts(seed: int) -> None:
    # Either side of the middle value weighs nearly the same: the last digits of large sums decide.
    rng = np.random.default_rng(seed)
    left = rng.integers(1, 200_000, 2500)
    right = rng.permutation(left)
    right[0] += rng.integers(1, 4)
    pairs = np.concatenate([left, [rng.integers(1, 200_000)], right])
    weight = np.repeat(pairs, 2).astype(float)
    weight[2 * len(left)] += 1
    x, y = np.repeat(np.arange(len(pairs)) * 1.0, 2)[:, None], np.tile([0.0, 1.0], len(pairs))
    first, second = (
        DecisionTreeRegressor(max_depth=1, record=record).fit(x, y, sample_weight=weight).tree_
        for record in (True, False)
    )
    assert first.threshold.tolist() == second.threshold.tolist()
    assert first.impurity.tolist() == second.impurity.tolist()


BY_PARTS: dict[str, Callable[[], Any]] = {
    "reduced error": lambda: DecisionTreeClassifier(pruning="reduced_error", random_state=1),
    "cost-complexity": lambda: DecisionTreeClassifier(pruning="cost_complexity", random_state=1),
    "early stopping": lambda: AdaBoostClassifier(
        n_estimators=20, early_stopping=True, random_state=1
    ),
}


@pytest.mark.parametrize("name", BY_PARTS)
def test_parts_do_not_follow_the_order_of_levels(name: str) -> None:
    """Dictionaries list their levels as they come, so that these follow the order of the rows."""
    differ = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        level, x = rng.choice(list("qwertyuiop"), 150), rng.integers(0, 6, 150)
        y = ((x > 2) ^ (rng.random(150) < 0.3)).astype(int) + (level < "p")
        said = []
        for order in (np.arange(150), rng.permutation(150)):
            here = level[order]
            column = pd.Categorical(here, categories=pd.unique(here))
            rows = pd.DataFrame({"level": column, "x": x[order]})
            answer = BY_PARTS[name]().fit(rows, y[order]).predict(rows)
            said.append(answer[np.argsort(order)])
        differ.append((said[0] != said[1]).any())
    assert not any(differ)
