"""What holds for every table: splits never hurt, coarse codes change nothing."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, _core
from bosco.data.frame import Frame
from bosco.data.recipe import LOSSES
from bosco.data.schema import Schema
from bosco.data.target import encode_labels, encode_values
from bosco.growth import resolve
from bosco.settings.settings import CRITERIA
from bosco.tree.tree import Tree
from tests.strategies import REGRESSION, examples

CLASSIFICATION = CRITERIA["classification"]
SEEDS = st.integers(0, 2**32 - 1)


def table(seed: int, rows: int, holes: bool) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """A mixed table with noise in its labels."""
    rng = np.random.default_rng(seed)
    X: dict[str, Any] = {
        "few": rng.integers(0, 4, rows).astype(float),
        "many": rng.normal(size=rows),
        "skewed": np.exp(rng.normal(size=rows) * 3),
        "level": rng.choice(list("abcde"), rows).astype(object),
        "flag": rng.random(rows) < 0.3,
    }
    if holes:
        X["few"][rng.random(rows) < 0.1] = np.nan
        X["many"][rng.random(rows) < 0.2] = np.nan
        X["level"][rng.random(rows) < 0.1] = None
    score = np.nan_to_num(X["few"]) + np.nan_to_num(X["many"]) + 2 * (X["level"] == "b")
    score = score + rng.normal(size=rows)
    return X, np.searchsorted(np.quantile(score, [0.4, 0.8]), score)


def split_errors(tree: Tree) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The rows each inner node gets wrong as a leaf, and its children together."""
    native = tree.native
    inner = np.flatnonzero(native.first_child >= 0)
    wrong = native.tally.sum(axis=1) - native.tally.max(axis=1)
    return wrong[inner], np.array([wrong[list(tree.children(int(n)))].sum() for n in inner])


@examples(15)
@given(seed=SEEDS, rows=st.integers(2, 300), holes=st.booleans())
@pytest.mark.parametrize("criterion", CLASSIFICATION)
def test_a_split_never_raises_the_training_error(
    criterion: str, seed: int, rows: int, holes: bool
) -> None:
    X, y = table(seed, rows, holes)
    for more in ({}, {"nominal_test": "multiway", "missing": "branch"}, {"missing": "majority"}):
        tree = DecisionTreeClassifier(criterion=criterion, **more).fit(X, y).tree_
        before, after = split_errors(tree)
        assert (after <= before).all()
        assert (tree.native.gain >= 0).all()


@examples(15)
@given(seed=SEEDS, rows=st.integers(2, 300), holes=st.booleans())
def test_a_split_never_raises_the_squared_error(seed: int, rows: int, holes: bool) -> None:
    X, y = table(seed, rows, holes)
    tree = DecisionTreeRegressor().fit(X, y * 1.5).tree_
    spread = tree.impurity * tree.node_weight
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        below = spread[list(tree.children(node))].sum()
        assert below <= spread[node] + 1e-9
        gain = tree.native.gain[node] * tree.node_weight[node]
        assert spread[node] - below == pytest.approx(gain, rel=1e-6, abs=1e-9)


@examples(15)
@given(seed=SEEDS, rows=st.integers(1, 300), holes=st.booleans())
@pytest.mark.parametrize("criterion", CLASSIFICATION)
def test_grown_to_the_end_there_is_no_error(
    criterion: str, seed: int, rows: int, holes: bool
) -> None:
    """Continuous columns leave no contradictory rows; a missing value is a value too."""
    X, y = table(seed, rows, holes)
    X["other"] = np.random.default_rng(seed).permutation(rows)
    for more in ({}, {"nominal_test": "multiway"}, {"numeric_test": "intervals"}):
        clf = DecisionTreeClassifier(criterion=criterion, **more).fit(X, y)
        assert clf.score(X, y) == 1.0
        assert clf.tree_.impurity[clf.tree_.feature < 0] == pytest.approx(0.0, abs=1e-12)


def grown(X: Any, y: Any, bins: int, criterion: str, **given: Any) -> str:
    """The digest of a tree from codes of so many bins."""
    frame = Frame.read(X, Schema.infer(X))
    real = criterion in REGRESSION
    fractional = given.get("missing") == "fractional"
    target: Any
    if real:
        target = encode_values(y, None, fractional, loss=LOSSES.get(criterion, "squared"))
    else:
        target = encode_labels(y, None, None, fractional)
    growth = resolve(
        "cart",
        "regression" if real else "classification",
        samples=target.samples,
        columns=len(frame.schema.columns),
        weight=target.weight,
        criterion=criterion,
        record=True,
        **given,
    )
    frame.native.encode(1, bins)
    native = _core.grow(frame.native, target.native, growth.to_dict(), 1)
    return Tree(native, len(frame.schema.columns)).digest()


@examples(8)
@given(seed=SEEDS, rows=st.integers(2, 600), holes=st.booleans())
@pytest.mark.parametrize("criterion", [*CLASSIFICATION, *REGRESSION])
def test_coarse_codes_change_nothing(criterion: str, seed: int, rows: int, holes: bool) -> None:
    X, y = table(seed, rows, holes)
    for given_ in (
        {},
        {"score": "gain_ratio", "max_depth": 5},
        {"missing": "fractional", "max_depth": 4},
        {"max_leaf_nodes": 12, "missing": "majority"},
    ):
        trees = {grown(X, y, bins, criterion, **given_) for bins in (255, 40, 7, 3)}
        assert len(trees) == 1, given_


@examples(15)
@given(seed=SEEDS, rows=st.integers(2, 300), scale=st.sampled_from([1e-300, 1e-3, 1.0, 1e290]))
def test_scaling_by_powers_of_two_scales_the_thresholds(seed: int, rows: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, 3)), rng.integers(0, 3, rows)
    factor = 2.0 ** np.round(np.log2(scale))
    plain, scaled = (DecisionTreeClassifier().fit(data, y).tree_ for data in (X, X * factor))
    assert (plain.feature == scaled.feature).all()
    inner = plain.feature >= 0
    assert (plain.threshold[inner] * factor == scaled.threshold[inner]).all()


@examples(15)
@given(seed=SEEDS, rows=st.integers(2, 200))
def test_orders_without_a_limit_grow_the_same_leaves(seed: int, rows: int) -> None:
    X, y = table(seed, rows, holes=True)
    trees = [
        DecisionTreeClassifier(order=order).fit(X, y) for order in ("depth", "breadth", "best")
    ]
    tests = [sorted(zip(t.tree_.feature, t.tree_.threshold, strict=True)) for t in trees]
    assert str(tests[0]) == str(tests[1]) == str(tests[2])  # as text: NaN is not equal to itself
    assert (trees[0].predict(X) == trees[1].predict(X)).all()


@examples(15)
@given(seed=SEEDS, rows=st.integers(10, 300), leaves=st.integers(2, 12))
@pytest.mark.parametrize("order", ["depth", "breadth", "best"])
def test_limits_hold(order: str, seed: int, rows: int, leaves: int) -> None:
    X, y = table(seed, rows, holes=True)
    clf = DecisionTreeClassifier(
        max_leaf_nodes=leaves, order=order, min_samples_leaf=3, max_depth=6
    ).fit(X, y)
    assert clf.get_n_leaves() <= leaves
    assert clf.get_depth() <= 6
    assert clf.tree_.n_node_samples[clf.tree_.feature < 0].min() >= min(3, rows)


@examples(10)
@given(seed=SEEDS, rows=st.integers(20, 300))
def test_monotone_predictions(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(rows, 3)), 1)
    y = X[:, 0] - X[:, 1] + rng.normal(size=rows)
    points = np.round(rng.normal(size=(50, 3)), 1)
    higher = points + np.array([0.7, 0, 0])
    lower = points + np.array([0, 0.7, 0])
    constraint = [1, -1, 0]
    tree = DecisionTreeRegressor(monotonic_cst=constraint).fit(X, y)
    assert (tree.predict(higher) >= tree.predict(points)).all()
    assert (tree.predict(lower) <= tree.predict(points)).all()
    clf = DecisionTreeClassifier(monotonic_cst=constraint).fit(X, y > 0)
    if len(clf.classes_) == 2:
        assert (clf.predict_proba(higher)[:, 1] >= clf.predict_proba(points)[:, 1]).all()
        assert (clf.predict_proba(lower)[:, 1] <= clf.predict_proba(points)[:, 1]).all()


@examples(10)
@given(seed=SEEDS, rows=st.integers(5, 200))
def test_a_pruned_tree_is_a_part_of_the_full_one(seed: int, rows: int) -> None:
    X, y = table(seed, rows, holes=True)
    clf = DecisionTreeClassifier()
    path = clf.cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) >= 0).all()
    assert (np.diff(path.impurities) >= -1e-12).all()
    leaves = [
        DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y).get_n_leaves()
        for alpha in path.ccp_alphas[:: max(1, len(path.ccp_alphas) // 5)]
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert DecisionTreeClassifier(ccp_alpha=path.ccp_alphas[-1] + 1).fit(X, y).get_n_leaves() == 1
