"""Contributions against Shapley's formula, summed over all subsets of columns."""

import io
import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bosco
from bosco import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Model,
    ModelError,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import golf
from bosco.tree.conditions import Condition, Members
from tests.fuzz.grammar import chain
from tests.fuzz.use import any_hash


def expectation(model: Model, row: list[float], known: frozenset[int], node: int = 0) -> np.ndarray:
    """The answer where only some columns are known: the others by the share of training rows."""
    tree, native = model.tree, model.tree.native
    test = tree.test(node)
    if test is None:
        return native.value[node]
    children = list(tree.children(node))
    if test.column in known:
        value = row[test.column]
        branch = next(b for b, c in enumerate(test.branches) if goes(c, value))
        return expectation(model, row, known, children[branch])
    weights = native.known[children] / native.known[node]
    parts = [expectation(model, row, known, c) for c in children]
    return sum(w * p for w, p in zip(weights, parts, strict=True))


def goes(condition: Condition, value: float) -> bool:
    if isinstance(condition, Members):  # the branch of missing numbers
        return math.isnan(value)
    return condition.holds(value)


def shapley(model: Model, row: list[float]) -> np.ndarray:
    columns = range(len(model.schema.columns))
    d = len(columns)
    found = []
    for i in columns:
        others = [j for j in columns if j != i]
        total = 0.0
        for size in range(d):
            share = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for subset in itertools.combinations(others, size):
                known = frozenset(subset)
                total = total + share * (
                    expectation(model, row, known | {i}) - expectation(model, row, known)
                )
        found.append(total)
    return np.array(found)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["learn", "majority", "branch"]), st.booleans())
def test_they_are_shapleys(seed: int, missing: str, real: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(60, 4)).astype(float)
    y = X[:, 0] * X[:, 1] + 2 * X[:, 2] + rng.normal(size=60)
    X[rng.random(X.shape) < 0.1] = np.nan
    learner = (
        DecisionTreeRegressor(max_depth=4, missing=missing)
        if real
        else DecisionTreeClassifier(max_depth=4, missing=missing)
    )
    model = learner.fit(X, y if real else np.digitize(y, [5, 15])).model_
    found = model.contributions(X[:5])
    for i, row in enumerate(X[:5].tolist()):
        want = shapley(model, row)
        got = found.values[i][:, None] if real else found.values[i]
        assert np.allclose(got, want, atol=1e-12)
    whole = found.base + found.values.sum(axis=1)
    said = model.predict(X[:5]) if real else model.predict_proba(X[:5])
    assert np.allclose(whole, said, atol=1e-12)


def test_levels_many_columns_and_threads() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(nominal_test="multiway").fit(X, y).model_
    found = model.contributions(X)
    assert np.allclose(found.base + found.values.sum(axis=1), model.predict_proba(X))
    assert set(found.to_dict(3)) == {"column", "contribution"}
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(4000, 30))
    deep = DecisionTreeRegressor(max_depth=14).fit(wide, wide @ np.arange(30)).model_
    one, two = (deep.contributions(wide, n_jobs=n) for n in (1, 2))
    assert np.array_equal(one.values, two.values)
    assert np.allclose(one.base + one.values.sum(axis=1), deep.predict(wide))


def test_where_rows_go_several_ways() -> None:
    model = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_
    with pytest.raises(ModelError, match="one way"):
        model.contributions(golf()[0])


@pytest.mark.parametrize("real", [False, True])
def test_of_many_trees(real: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0] - X[:, 1] * X[:, 2])
    learner = RandomForestRegressor if real else RandomForestClassifier
    forest = learner(10, max_depth=6, random_state=0).fit(X, y if real else y > 0)
    found = forest.model_.contributions(X)
    said = forest.predict(X) if real else forest.predict_proba(X)
    assert np.allclose(found.base + found.values.sum(axis=1), said)
    one = [forest.model_.tree(t).contributions(X).values for t in range(10)]
    assert np.allclose(found.values, np.mean(one, axis=0))


def test_votes_add_up() -> None:
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(9, vote="mode", max_depth=2, random_state=0).fit(X, y).model_
    found = forest.contributions(X)
    total = found.base + found.values.sum(axis=1)
    np.testing.assert_allclose(total, forest.predict_proba(X), atol=1e-12)
    assert np.ptp(forest.predict_proba(X)) == 1


@pytest.mark.parametrize("m", [3, 8, 9, 12, 16, 17, 20])
def test_paths_of_many_columns(m: int) -> None:
    """A chain: column j parts its rows at 0, left is a leaf, right goes on to column j + 1."""
    step = np.tril(np.ones((m + 1, m)), -1)  # row j passes the first j columns
    y = np.arange(m + 1) ** 3.0
    weight = 2.0 ** np.arange(m + 1)
    model = DecisionTreeRegressor().fit(step, y, sample_weight=weight).model_
    assert max(len({*path}) for path in paths(model)) > min(m - 2, 8)
    row = np.ones(m)
    got = model.contributions(row[None, :]).values[0]
    known_value = {}  # Shapley's formula, where the subsets are not too many
    for bits in range(2**m) if m <= 12 else []:
        known = frozenset(j for j in range(m) if bits >> j & 1)
        known_value[known] = float(expectation(model, row.tolist(), known)[0])
    if known_value:
        share = [
            math.factorial(k) * math.factorial(m - k - 1) / math.factorial(m) for k in range(m)
        ]
        want = np.zeros(m)
        for known, value in known_value.items():
            for j in range(m):
                if j not in known:
                    want[j] += share[len(known)] * (known_value[known | {j}] - value)
        assert np.allclose(got, want, rtol=1e-10, atol=1e-9)
    said = model.predict(row[None, :])[0]
    assert np.isclose(model.contributions(row[None, :]).base + got.sum(), said, rtol=1e-12)


def paths(model: Model) -> list[list[int]]:
    """The columns on the way to each leaf."""
    tree = model.tree
    found, todo = [], [(0, [])]
    while todo:
        node, above = todo.pop()
        test = tree.test(node)
        if test is None:
            found.append(above)
            continue
        todo += [(child, [*above, test.column]) for child in tree.children(node)]
    return found


@pytest.mark.parametrize("n", [17, 63, 64, 80])
def test_paths_of_any_number_of_columns(n: int) -> None:
    """Against the formula over sets by their size, leaf by leaf."""
    model = deep(n)
    assert max(len({*path}) for path in paths(model)) == n
    row = [j % 3 - 1.0 for j in range(n)]  # some are passed, some are not
    got = model.contributions([row])
    want = np.zeros(n)
    for leaf in np.flatnonzero(model.tree.native.first_child < 0).tolist():
        for column, weight in weights_by_size(model, leaf, row).items():
            want[column] += weight * model.tree.native.value[leaf, 0]
    assert np.allclose(got.values[0], want, rtol=1e-9, atol=1e-12)
    assert np.isclose(got.base + got.values.sum(), model.predict([row])[0], rtol=1e-12)


def test_a_tree_that_is_too_deep_for_them_says_so() -> None:
    with pytest.raises(ModelError, match="too many leaves lie too deep"):
        deep(2_500).contributions([[0.0] * 2_500])


def test_long_paths_are_made_ready_in_no_time() -> None:
    """Paths of many lengths share what is worked out beforehand: rows cost, not the tree."""
    model, rows = deep(250), np.zeros((129, 250))

    def work(n: int) -> float:
        start = time.thread_time()
        model.contributions(rows[:n])
        return time.thread_time() - start

    work(1)
    assert min(min(work(1) for _ in range(3)) / work(129) for _ in range(3)) < 0.35


def test_more_work_than_anybody_waits_for_is_refused() -> None:
    with pytest.raises(ModelError, match=r"too long for 20000 rows at once; at most \d+ rows"):
        deep(1_000).contributions(np.zeros((20_000, 1_000), np.float32))


def deep(n: int) -> Model:
    """Each of n columns is asked once, one after the other: x ≤ 0 is a leaf, the rest goes on."""
    with any_hash(True):
        found = bosco.load(io.BytesIO(chain(n, columns=n)))
    assert isinstance(found, Model)
    return found


def weights_by_size(model: Model, leaf: int, row: list[float]) -> dict[int, float]:
    """What each column on the way to a leaf adds of the leaf's value, by Shapley's formula."""
    passed: dict[int, bool] = {}
    share: dict[int, float] = {}
    known = model.tree.native.known.tolist()
    for node, child in itertools.pairwise(model.tree.path(leaf)):
        test = model.tree.test(node)
        assert test is not None
        j, branch = test.column, child - model.tree.children(node)[0]
        passed[j] = passed.get(j, True) and goes(test.branches[branch], row[j])
        share[j] = share.get(j, 1.0) * known[child] / known[node]
    m, found = len(passed), {}
    each = np.array([1 / (m * math.comb(m - 1, k)) for k in range(m)])
    for i in passed:
        sums = np.ones(1)  # over sets of k others: whether those in it pass, the shares of the rest
        for j in passed.keys() - {i}:
            sums = np.convolve(sums, [share[j], passed[j]])
        found[i] = float(sums @ each) * (passed[i] - share[i])
    return found
