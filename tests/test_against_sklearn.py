"""The same tree as scikit-learn's, node by node; where not, a tie or its float32 is why.

scikit-learn narrows X to float32 and does not split values closer than 1e-7. So both learners are
given numbers that float32 holds and that lie further apart; thresholds must then agree to the last
bit. Where the two choose different tests, both are scored in exact arithmetic (entropy: to 1e-12)
on the rows of that node, and the decreases must be equal: a tie.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import datasets
from sklearn import tree as peers

from bosco import DecisionTreeClassifier, DecisionTreeRegressor

Array = NDArray[Any]
REGRESSION = ("squared_error", "poisson")


def decrease(left: Array, y: Array, weight: Array, criterion: str) -> Fraction | float:
    """How much a split of a node's rows (`left`: a mask) lowers the criterion, times weight."""

    def purity(rows: Array) -> Fraction | float:
        w = [Fraction(v) for v in weight[rows].tolist()]
        total = sum(w)
        if criterion in REGRESSION:
            moment = sum(a * Fraction(b) for a, b in zip(w, y[rows].tolist(), strict=True))
            if criterion == "squared_error":
                return Fraction(moment * moment, total)
            return float(moment) * float(np.log(float(moment / total)))
        if criterion == "absolute_error":
            numbers = list(map(Fraction, y[rows].tolist()))
            return -min(
                sum(a * abs(b - said) for a, b in zip(w, numbers, strict=True)) for said in numbers
            )
        by_class: dict[Any, Fraction] = {}
        for label, a in zip(y[rows].tolist(), w, strict=True):
            by_class[label] = by_class.get(label, Fraction(0)) + a
        if criterion == "gini":
            return Fraction(sum(c * c for c in by_class.values()), total)
        return float(sum(float(c) * np.log2(float(c / total)) for c in by_class.values()))

    return purity(left) + purity(~left) - purity(np.ones(len(y), bool))


def compare(
    ours: Any, theirs: Any, X: Array, y: Array, criterion: str, weight: Array | None = None
) -> tuple[int, int]:
    """Walk both trees down together; return how many nodes agreed and at how many they tied.

    Where a tie puts the rows apart in the same way, the walk goes on below it.
    """
    w = np.ones(len(y)) if weight is None else weight
    agreed = ties = 0
    pairs = [(0, 0, np.arange(len(X)))]
    while pairs:
        a, b, rows = pairs.pop()
        assert ours.n_node_samples[a] == theirs.n_node_samples[b] == len(rows)
        assert ours.impurity[a] == pytest.approx(theirs.impurity[b], rel=1e-9, abs=1e-9)
        assert ours.value[a, 0] == pytest.approx(theirs.value[b, 0], rel=1e-12, abs=1e-12)
        test = ours.feature[a], ours.threshold[a]
        other = theirs.feature[b], theirs.threshold[b]
        if test[0] < 0 or other[0] < 0:
            assert test[0] == other[0], f"node {a}: a leaf in one tree only"
            agreed += 1
            continue
        left, there = X[rows, test[0]] <= test[1], X[rows, other[0]] <= other[1]
        if test == other:
            agreed += 1
        else:
            ties += 1
            gains = [decrease(side, y[rows], w[rows], criterion) for side in (left, there)]
            spread = abs(float(gains[0] - gains[1]))
            assert spread <= 1e-12 * max(1.0, float(gains[0])), f"node {a}: {test}, not {other}"
        if (left == there).all():
            pairs.append((ours.children_left[a], theirs.children_left[b], rows[left]))
            pairs.append((ours.children_right[a], theirs.children_right[b], rows[~left]))
    return agreed, ties


def pair(criterion: str, **settings: Any) -> tuple[Any, Any]:
    if criterion in (*REGRESSION, "absolute_error"):
        theirs: Any = peers.DecisionTreeRegressor(criterion=criterion, random_state=0, **settings)
        return DecisionTreeRegressor(criterion=criterion, **settings), theirs
    theirs = peers.DecisionTreeClassifier(criterion=criterion, random_state=0, **settings)
    return DecisionTreeClassifier(criterion=criterion, **settings), theirs


def narrow(X: Array) -> Array:
    """Numbers that float32 holds, at least 1e-6 apart where they differ."""
    scaled = np.round(X / np.abs(X).max(axis=0).clip(1e-300) * 2**16) / 2**16
    return scaled.astype(np.float32).astype(np.float64)


SETS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "iris": (datasets.load_iris, ("gini", "entropy")),
    "wine": (datasets.load_wine, ("gini", "entropy")),
    "breast_cancer": (datasets.load_breast_cancer, ("gini", "entropy")),
    "digits": (datasets.load_digits, ("gini", "entropy")),
    "diabetes": (datasets.load_diabetes, (*REGRESSION, "absolute_error")),
}


@pytest.mark.parametrize(
    ("name", "criterion"), [(name, c) for name, (_, criteria) in SETS.items() for c in criteria]
)
def test_known_sets(name: str, criterion: str) -> None:
    X, y = SETS[name][0](return_X_y=True)
    X = narrow(X)
    ours, theirs = pair(criterion)
    agreed, ties = compare(ours.fit(X, y).tree_, theirs.fit(X, y).tree_, X, y, criterion)
    assert agreed > ties
    assert agreed >= 8


@pytest.mark.parametrize("name", SETS)
def test_float32_is_why_raw_sets_may_differ(name: str) -> None:
    """As they come, the sets agree once our side is given scikit-learn's float32 too."""
    load, criteria = SETS[name]
    X, y = load(return_X_y=True)
    ours, theirs = pair(criteria[0], max_depth=4)
    cast = X.astype(np.float32)
    theirs.fit(X, y)
    compare(ours.fit(cast, y).tree_, theirs.tree_, cast.astype(np.float64), y, criteria[0])


def generated(seed: int) -> tuple[Array, Array, str]:
    """One of many sets: sizes, numbers of values, classes and noise all vary."""
    rng = np.random.default_rng(seed)
    criterion = ("gini", "entropy", *REGRESSION)[seed % 4]
    n, d = int(rng.integers(20, 400)), int(rng.integers(1, 9))
    values = int(rng.choice([4, 30, 1000, 2**20]))
    X = rng.integers(-values, values, size=(n, d)) / 64.0
    signal = X @ rng.normal(size=d) / values + rng.normal(scale=0.2, size=n)
    if criterion == "squared_error":
        return X, np.round(signal * 256), criterion
    if criterion == "poisson":
        return X, np.maximum(np.round(signal * 8), 0) + (rng.random(n) < 0.1), criterion
    cuts = np.quantile(signal, np.linspace(0, 1, int(rng.integers(2, 6)) + 1)[1:-1])
    return X, np.searchsorted(cuts, signal), criterion


@pytest.mark.parametrize("block", range(10))
def test_generated_sets(block: int) -> None:
    agreed = ties = 0
    for seed in range(20 * block, 20 * block + 20):
        X, y, criterion = generated(seed)
        ours, theirs = pair(criterion)
        found = compare(ours.fit(X, y).tree_, theirs.fit(X, y).tree_, X, y, criterion)
        agreed, ties = agreed + found[0], ties + found[1]
    assert agreed > 2 * ties
    assert agreed > 500


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 7},
        {"min_samples_split": 0.1},
        {"min_impurity_decrease": 0.01},
        {"min_weight_fraction_leaf": 0.05},
        {"max_leaf_nodes": 9},
    ],
    ids=str,
)
def test_limits_are_scikit_learns(settings: dict[str, Any]) -> None:
    for seed in range(60, 90):
        X, y, criterion = generated(seed)
        if "min_impurity_decrease" in settings:
            settings = {"min_impurity_decrease": 20.0 if criterion == "squared_error" else 0.01}
        ours, theirs = pair(criterion, **settings)
        ours.fit(X, y)
        theirs.fit(X, y)
        found = compare(ours.tree_, theirs.tree_, X, y, criterion)
        if not found[1]:
            assert ours.get_n_leaves() == theirs.get_n_leaves()


@pytest.mark.parametrize("criterion", ["gini", "entropy", *REGRESSION, "absolute_error"])
def test_weights_are_scikit_learns(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2**20, size=(200, 4)) / 1024
    y = rng.integers(0, 3, 200)
    weight = rng.integers(1, 2**20, 200) / 2**16
    ours, theirs = pair(criterion)
    ours.fit(X, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    assert ours.tree_.weighted_n_node_samples[0] == theirs.tree_.weighted_n_node_samples[0]
    agreed, ties = compare(ours.tree_, theirs.tree_, X, y, criterion, weight)
    assert agreed > 3 * ties


@pytest.mark.parametrize("block", range(4))
def test_medians(block: int) -> None:
    """Middle values, where there are two, are averaged by both; ties of exact costs are rare."""
    agreed = ties = 0
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 200)), int(rng.integers(1, 5))
        X = rng.integers(-(2**20), 2**20, size=(n, d)) / 2**20
        y = np.round(X[:, 0] * 4096 + rng.normal(size=n) * 2048 * (seed % 3))
        ours, theirs = pair("absolute_error", min_samples_leaf=int(rng.integers(1, 6)))
        found = compare(ours.fit(X, y).tree_, theirs.fit(X, y).tree_, X, y, "absolute_error")
        agreed, ties = agreed + found[0], ties + found[1]
    assert agreed > 3 * ties
    assert agreed > 200


def test_predictions_follow_float64() -> None:
    """A value that float32 cannot tell from the threshold still goes the right way."""
    X = np.array([[1.0], [1.0 + 2**-40]])
    clf = DecisionTreeClassifier().fit(X, [0, 1])
    assert clf.predict(X).tolist() == [0, 1]
    assert peers.DecisionTreeClassifier().fit(X, [0, 1]).get_n_leaves() == 1
