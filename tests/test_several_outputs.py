"""Trees that learn several outputs: the reference's, scikit-learn's, and the same in any order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn import tree as peers

from bosco import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from tests.reference import grow, same_tree
from tests.strategies import NOMINAL_TESTS, Problem, examples, in_order, problems

core = pytest.importorskip("bosco._core")

Array = NDArray[Any]
SOME = examples(60)
KINDS = ("classes", "numbers", "counts")
# The ways of counting that the core chooses between by size, each forced on every table.
WAYS: dict[str, dict[str, Any]] = {
    "bins": {"small_rows": 0},
    "each node sorted": {"presort": False},
    "sorted once": {},
    "bins above, sorted below": {"small_rows": 7},
}


def native(problem: Problem, max_bins: int | None = None, n_threads: int = 1, **way: Any) -> Any:
    frame = problem.native_frame(core, max_bins)
    return core.grow(frame, problem.native_target(core), problem.growth | way, n_threads)


def hold_to_reference(problem: Problem) -> None:
    expected = grow(problem.reference_columns(), problem.target, problem.growth)
    for name, way in WAYS.items():
        difference = same_tree(native(problem, **way), expected)
        assert not difference, f"{name}: {difference}"


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@SOME
def test_the_reference_grows_the_same_trees(kind: str, data: st.DataObject) -> None:
    hold_to_reference(data.draw(problems(several=kind)))


@pytest.mark.parametrize("nominal_test", NOMINAL_TESTS)
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@examples(20)
def test_levels(kind: str, nominal_test: str, data: st.DataObject) -> None:
    kinds = ("nominal", "nominal", "numeric")
    drawn = problems(several=kind, kinds=kinds, nominal_test=nominal_test, splitter="best")
    hold_to_reference(data.draw(drawn))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@SOME
def test_order_and_threads_and_copies(kind: str, data: st.DataObject) -> None:
    problem = data.draw(problems(several=kind))
    n = len(problem.target.weight)
    whole = native(problem)
    shuffled = in_order(problem, data.draw(st.permutations(range(n))))
    for other in (native(shuffled), native(problem, n_threads=3, parallel_rows=1, small_rows=0)):
        assert_same(whole, other)
    if problem.target.count is None:  # a whole weight is so many rows
        times = [i for i in range(n) for _ in range(problem.target.weight[i])]
        assert_same(whole, native(in_order(alone(problem), times)))


def alone(problem: Problem) -> Problem:
    """The same with rows that weigh 1."""
    target = replace(problem.target, weight=[1] * len(problem.target.weight))
    return replace(problem, target=target)


def assert_same(a: Any, b: Any) -> None:
    one, other = a.state(), b.state()
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, other[key], key)


# Against scikit-learn ----------------------------------------------------------------------------


def decrease(left: Array, Y: Array, weight: Array, criterion: str) -> Fraction | float:
    """How much a split lowers the mean criterion of all outputs, exactly, times weight."""

    def purity(rows: Array, y: Array) -> Fraction | float:
        w = [Fraction(v) for v in weight[rows].tolist()]
        total, labels = sum(w), y[rows].tolist()
        if criterion in ("squared_error", "poisson"):
            moment = sum(a * Fraction(b) for a, b in zip(w, labels, strict=True))
            if criterion == "poisson":
                return float(moment) * float(np.log(float(moment / total))) if moment else 0.0
            return Fraction(moment * moment, total)
        by_class: dict[Any, Fraction] = {}
        for label, a in zip(labels, w, strict=True):
            by_class[label] = by_class.get(label, Fraction(0)) + a
        if criterion == "gini":
            return Fraction(sum(c * c for c in by_class.values()), total)
        return float(sum(float(c) * np.log2(float(c / total)) for c in by_class.values()))

    every = np.ones(len(Y), bool)
    return sum(purity(left, y) + purity(~left, y) - purity(every, y) for y in Y.T) / Y.shape[1]


def walk(ours: Any, theirs: Any, X: Array, Y: Array, criterion: str, weight: Array) -> int:
    """Walk both trees down together; where they differ, it is a tie. How many nodes agree?"""
    agreed, pairs = 0, [(0, 0, np.arange(len(X)))]
    while pairs:
        a, b, rows = pairs.pop()
        assert ours.n_node_samples[a] == theirs.n_node_samples[b] == len(rows)
        assert ours.impurity[a] == pytest.approx(theirs.impurity[b], rel=1e-8, abs=1e-9)
        assert ours.value[a] == pytest.approx(theirs.value[b], rel=1e-12, abs=1e-12)
        test, other = (ours.feature[a], ours.threshold[a]), (theirs.feature[b], theirs.threshold[b])
        if test[0] < 0 or other[0] < 0:
            assert test[0] == other[0], f"node {a}: a leaf in one tree only"
            agreed += 1
            continue
        left, there = X[rows, test[0]] <= test[1], X[rows, other[0]] <= other[1]
        if test != other:
            gains = [decrease(side, Y[rows], weight[rows], criterion) for side in (left, there)]
            spread = abs(float(gains[0] - gains[1]))
            assert spread <= 1e-12 * max(1.0, float(gains[0])), f"node {a}: {test}, not {other}"
        agreed += test == other
        if (left == there).all():
            pairs.append((ours.children_left[a], theirs.children_left[b], rows[left]))
            pairs.append((ours.children_right[a], theirs.children_right[b], rows[~left]))
    return agreed


def table(seed: int) -> tuple[Array, Array, str, Array]:
    rng = np.random.default_rng(seed)
    criterion = ("gini", "entropy", "squared_error", "poisson")[seed % 4]
    n, d, k = int(rng.integers(20, 300)), int(rng.integers(1, 6)), int(rng.integers(2, 5))
    values = int(rng.choice([4, 30, 1000, 2**20]))
    X = rng.integers(-values, values, size=(n, d)) / 64.0
    signal = X @ rng.normal(size=(d, k)) / values + rng.normal(scale=0.2, size=(n, k))
    weight = rng.integers(1, 40, n) / 8.0 if seed % 2 else np.ones(n)
    if criterion == "squared_error":
        return X, np.round(signal * 256), criterion, weight
    if criterion == "poisson":
        return X, rng.poisson(np.exp(signal)), criterion, weight
    return X, np.floor(signal * rng.uniform(1, 3, k)).astype(int), criterion, weight


@pytest.mark.parametrize("seed", range(24))
def test_scikit_learn_grows_the_same_trees(seed: int) -> None:
    X, Y, criterion, weight = table(seed)
    classes = criterion not in ("squared_error", "poisson")
    ours: Any = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(criterion=criterion)
    theirs: Any = (peers.DecisionTreeClassifier if classes else peers.DecisionTreeRegressor)(
        criterion=criterion, random_state=0
    )
    ours.fit(X, Y, weight)
    theirs.fit(X, Y, weight)
    assert walk(ours.tree_, theirs.tree_, X, Y, criterion, weight) >= 1
    assert ours.n_outputs_ == theirs.n_outputs_ == Y.shape[1]
    if classes:
        assert ours.n_classes_ == [len(labels) for labels in theirs.classes_]
        for mine, its in zip(ours.classes_, theirs.classes_, strict=True):
            np.testing.assert_array_equal(mine, its)
        for mine, labels in zip(ours.predict_proba(X), ours.classes_, strict=True):
            assert mine.shape == (len(X), len(labels))


def test_missing_values_go_where_scikit_learn_sends_them() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 400, (300, 3)) / 8.0
    X[rng.random(X.shape) < 0.2] = np.nan
    Y = np.column_stack([np.isnan(X[:, 0]) + rng.integers(0, 2, 300), X[:, 1] > 20])
    ours = DecisionTreeClassifier(max_depth=4).fit(X, Y)
    theirs = peers.DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)
    assert ours.tree_.impurity[:3] == pytest.approx(
        theirs.tree_.impurity[[0, theirs.tree_.children_left[0], theirs.tree_.children_right[0]]]
    )
    for mine, its in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        assert (mine == its).all(axis=1).mean() > 0.95  # but for ties


# What estimators say -----------------------------------------------------------------------------


CLASSIFIERS = (DecisionTreeClassifier, RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (DecisionTreeRegressor, RandomForestRegressor, ExtraTreesRegressor)


def names() -> tuple[dict[str, Any], Array]:
    rng = np.random.default_rng(0)
    X = {"size": rng.normal(size=150), "kind": rng.choice(["a", "b", "c", "d"], 150)}
    Y = np.column_stack([X["kind"] > "b", X["size"] + rng.normal(size=150) > 0]).astype(int)
    return X, Y


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_leaves_say_what_their_rows_say(make: Callable[..., Any]) -> None:
    """Shares of every output are those of the training rows, counted here."""
    X, Y = names()
    single = make is DecisionTreeClassifier
    plain = {"max_depth": 3} if single else {"max_depth": 3, "n_estimators": 5, "bootstrap": False}
    model = make(random_state=0, **plain).fit(X, Y)
    said, trees = model.predict_proba(X), [model] if single else list(model.estimators_)
    for j, shares in enumerate(said):
        told = np.zeros_like(shares)
        for tree in trees:
            leaves = tree.apply(X)
            for leaf in np.unique(leaves):
                rows = leaves == leaf
                counted = np.bincount(Y[rows, j], minlength=2) / rows.sum()
                told[rows] += counted / len(trees)
        np.testing.assert_allclose(shares, told, rtol=1e-12)


@pytest.mark.parametrize("make", REGRESSORS)
def test_means_of_leaves(make: Callable[..., Any]) -> None:
    X, Y = names()
    Y = Y * 3.0 + np.array([1e6, -2.0]) + np.arange(150)[:, None] / 7
    single = make is DecisionTreeRegressor
    plain = {"max_depth": 3} if single else {"max_depth": 3, "n_estimators": 5, "bootstrap": False}
    model = make(random_state=0, **plain).fit(X, Y)
    told = np.zeros(Y.shape)
    trees = [model] if single else list(model.estimators_)
    for tree in trees:
        leaves = tree.apply(X)
        for leaf in np.unique(leaves):
            told[leaves == leaf] += Y[leaves == leaf].mean(axis=0) / len(trees)
    np.testing.assert_allclose(model.predict(X), told, rtol=1e-9)


@pytest.mark.parametrize("make", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_forest_is_the_same_for_any_threads(make: Callable[..., Any]) -> None:
    X, Y = names()
    one, two = (make(8, random_state=1, n_jobs=n).fit(X, Y) for n in (1, 2))
    assert [t.digest() for t in one.model_.trees] == [t.digest() for t in two.model_.trees]
    more = make(3, random_state=1, warm_start=True).fit(X, Y)
    more.set_params(n_estimators=8).fit(X, Y)
    assert [t.digest() for t in one.model_.trees] == [t.digest() for t in more.model_.trees]


def test_out_of_bag_is_what_other_trees_say() -> None:
    X, Y = names()
    forest = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, Y)
    n, said = len(Y), np.zeros((len(Y), 2, 2))
    unseen = np.zeros(n)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        left = np.setdiff1d(np.arange(n), rows)
        unseen[left] += 1
        for j, shares in enumerate(tree.predict_proba(X)):
            said[left, :, j] += shares[left]
    said /= unseen[:, None, None]
    np.testing.assert_allclose(forest.oob_decision_function_, said, rtol=1e-12)
    guess = (said[:, 1] >= said[:, 0]).astype(int)
    assert forest.oob_score_ == (guess == Y).all(axis=1).mean()
    peer = ensemble.RandomForestRegressor(100, oob_score=True, random_state=0)
    numbers = np.column_stack([X["size"], X["size"] ** 2])
    own = RandomForestRegressor(100, oob_score=True, random_state=0)
    column = X["size"].reshape(-1, 1)
    assert own.fit(column, numbers).oob_score_ == pytest.approx(
        peer.fit(column, numbers).oob_score_, abs=0.02
    )
