"""Forests whose leaves say medians or quantiles: single trees, and the mean of them."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor as Theirs
from sklearn.metrics import r2_score

from bosco import DecisionTreeRegressor, ExtraTreesRegressor, ForestModel, RandomForestRegressor
from bosco.errors import DataError, ParameterError
from tests.unit.estimators.test_medians import KINDS, table

SMALL: dict[str, Any] = {"random_state": 0, "max_features": 2}
FORESTS = [
    RandomForestRegressor(6, **SMALL),
    RandomForestRegressor(6, bootstrap="once", max_samples=0.6, **SMALL),
    ExtraTreesRegressor(6, **SMALL),
    ExtraTreesRegressor(6, bootstrap=True, **SMALL),
]


def eighths(n: int) -> tuple[Any, Any]:
    """Rows whose numbers every fixed point holds, so that ties are ties in all of them."""
    X, y = table(n)
    return X, np.round(8 * y) / 8


def forest_of(base: Any, kind: dict[str, Any], **more: Any) -> Any:
    return clone(base).set_params(**kind, **more)


def same_tree(one: Any, other: Any) -> None:
    """The same but for the fixed point, which is finer where nothing is drawn."""
    a, b = one.native, other.native
    for name in ("test", "first_child"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    np.testing.assert_array_equal(a.tally[:, 0], b.tally[:, 0])
    np.testing.assert_allclose(a.value, b.value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.gain, b.gain, rtol=1e-9, atol=1e-12)
    assert a.tests.thresholds.tolist() == b.tests.thresholds.tolist()


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("missing", ["learn", "branch", "majority"])
def test_a_tree_is_the_single_tree_of_its_sample(kind: dict[str, Any], missing: str) -> None:
    X, y = eighths(300)
    for base in FORESTS[:2]:
        own = forest_of(base, kind, max_features=None, missing=missing, min_samples_leaf=3)
        forest = own.fit(X, y)
        for t, rows in enumerate(forest.estimators_samples_):
            times = np.bincount(rows, minlength=len(y))
            single = DecisionTreeRegressor(missing=missing, min_samples_leaf=3, **kind)
            same_tree(single.fit(X, y, sample_weight=times).tree_, forest[t].tree_)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("base", FORESTS, ids=str)
def test_a_tree_grows_alone_from_its_rows(base: Any, kind: dict[str, Any]) -> None:
    X, y = eighths(300)
    forest = forest_of(base, kind).fit(X, y)
    for tree, rows in zip(forest, forest.estimators_samples_, strict=True):
        same_tree(clone(tree).fit(X.iloc[rows], y[rows]).tree_, tree.tree_)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_forest_says_the_mean_of_its_trees(kind: dict[str, Any]) -> None:
    X, y = table(300)
    forest = RandomForestRegressor(40, oob_score=True, max_depth=4, **kind, **SMALL).fit(X, y)
    each = np.array([tree.predict(X) for tree in forest])
    np.testing.assert_allclose(forest.predict(X), each.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(forest.predict(X[:5]), each.mean(axis=0)[:5], rtol=1e-14)
    unseen = np.array([np.bincount(r, minlength=len(y)) == 0 for r in forest.estimators_samples_])
    said = (each * unseen).sum(axis=0) / unseen.sum(axis=0)
    np.testing.assert_allclose(forest.oob_prediction_, said, rtol=1e-12)
    assert forest.oob_score_ == pytest.approx(r2_score(y, said))
    assert forest.oob_curve_[-1] == pytest.approx(np.mean((y - said) ** 2))
    weights = np.arange(40.0)
    weighed = clone(forest).set_params(tree_weights=weights).fit(X, y)
    np.testing.assert_allclose(weighed.predict(X), weights @ each / weights.sum(), rtol=1e-13)


def test_importances_are_by_what_tests_gain() -> None:
    X, y = table(300)
    forest = RandomForestRegressor(5, criterion="absolute_error", **SMALL).fit(X, y)
    shares = np.zeros(3)
    for tree in forest:
        native, own = tree.tree_.native, np.zeros(3)
        inner = np.flatnonzero(native.test >= 0)
        lost = native.gain[inner] * native.tally[inner, 0]
        np.add.at(own, native.tests.column[native.test[inner]], lost)
        shares += own / own.sum()
    np.testing.assert_allclose(forest.feature_importances_, shares / 5)
    assert forest.feature_importances_.argmax() == 0


def test_close_to_scikit_learn() -> None:
    X, y = table(800)
    X, (rest, truth) = X[["a", "b"]], table(400, seed=5)
    for name in ("absolute_error", "squared_error"):
        own = RandomForestRegressor(60, criterion=name, min_samples_leaf=5, random_state=0)
        theirs = Theirs(60, criterion=name, min_samples_leaf=5, random_state=0)
        off = [np.abs(truth - f.fit(X, y).predict(rest[["a", "b"]])).mean() for f in (own, theirs)]
        assert off[0] == pytest.approx(off[1], rel=0.02)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("base", FORESTS, ids=str)
def test_threads_and_the_order_of_rows_change_nothing(base: Any, kind: dict[str, Any]) -> None:
    X, y = table(400)
    y, keys = np.round(y, 1), np.arange(400)  # with ties
    weight = np.random.default_rng(3).integers(1, 4, 400)
    once = forest_of(base, kind).fit(X, y, weight, row_keys=keys).model_.digest()
    order = np.random.default_rng(4).permutation(400)
    for jobs in (1, 2):
        forest = forest_of(base, kind, n_jobs=jobs)
        forest.fit(X.iloc[order], y[order], weight[order], row_keys=order)
        assert forest.model_.digest() == once


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_weights_are_copies_where_nothing_is_drawn(kind: dict[str, Any]) -> None:
    X, y = table(200)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(y)), weight))
    for base in (
        ExtraTreesRegressor(3, **SMALL),
        RandomForestRegressor(3, bootstrap=False, **SMALL),
    ):
        forest = forest_of(base, kind)
        once = clone(forest).fit(X, y, weight).model_.digest()
        assert forest.fit(X.iloc[rows], y[rows]).model_.digest() == once


def test_what_a_test_must_bring_is_of_the_rows_drawn() -> None:
    X, y = table(300)
    kind: dict[str, Any] = {"criterion": "absolute_error", "min_impurity_decrease": 0.01}
    forest = RandomForestRegressor(4, bootstrap="once", max_samples=0.4, random_state=0, **kind)
    forest.fit(X, y)
    for t, rows in enumerate(forest.estimators_samples_):
        single = DecisionTreeRegressor(**kind).fit(X.iloc[rows], y[rows])
        same_tree(single.tree_, forest[t].tree_)
        assert 5 < forest[t].get_n_leaves() < 60


def test_each_tree_is_pruned_by_the_same_loss() -> None:
    X, y = table(400)
    kind: dict[str, Any] = {"criterion": "absolute_error", "ccp_alpha": 0.01}
    forest = RandomForestRegressor(3, random_state=0, **kind).fit(X, y)
    for t, rows in enumerate(forest.estimators_samples_):
        times = np.bincount(rows, minlength=len(y))
        single = DecisionTreeRegressor(**kind).fit(X, y, sample_weight=times)
        same_tree(single.tree_, forest[t].tree_)
        assert 2 < forest[t].get_n_leaves() < 60


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_more_trees_by_a_warm_start(kind: dict[str, Any]) -> None:
    X, y = table(200)
    whole = RandomForestRegressor(9, oob_score=False, **kind, **SMALL).fit(X, y)
    grown = RandomForestRegressor(4, warm_start=True, **kind, **SMALL).fit(X, y)
    assert grown.set_params(n_estimators=9).fit(X, y).model_.digest() == whole.model_.digest()


def test_it_stands_still_for_sparse_tables() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X = np.round(np.random.default_rng(0).normal(size=(120, 5))) * (np.arange(5) > 0)
    y = X[:, 1] + np.random.default_rng(1).normal(size=120)
    forest = RandomForestRegressor(4, criterion="absolute_error", random_state=0)
    dense = clone(forest).fit(X, y)
    for made in (sparse.csr_matrix(X), sparse.csc_array(X)):
        one = clone(forest).fit(made, y)
        assert (one.predict(made) == dense.predict(X)).all()


# What is said of them ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ({"criterion": "absolute_error"}, "median"),
        ({"criterion": "quantile", "quantile": 0.9}, "0.9 quantile"),
    ],
)
def test_words(kind: dict[str, Any], word: str) -> None:
    X, y = table()
    forest = RandomForestRegressor(4, max_depth=3, random_state=0, **kind).fit(X, y)
    model = forest.model_
    assert isinstance(model, ForestModel)
    assert f"the mean over the trees ({word} of each leaf)" in str(model.explain(X.iloc[0]))
    assert str(model.votes(X.iloc[0])).splitlines()[1].endswith(word)
    said = f"the answer is the mean of all trees, whose leaves say the {word}."
    assert said in model.report(X, y).html
    for text in (model.to_python(), model.to_c(), model.to_javascript()):
        assert f"ean over the trees of the {word} of the training rows of the leaf" in text
    assert f"drawn rows, {word} " in str(model.tree(0))
    plain = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, y).model_
    assert "the mean that is predicted" in str(plain.explain(X.iloc[0]))
    assert str(plain.votes(X.iloc[0])).splitlines()[1].endswith("mean")


def test_what_columns_add_up_to() -> None:
    X, y = table()
    model = RandomForestRegressor(5, criterion="absolute_error", random_state=0).fit(X, y).model_
    found = model.contributions(X[:20])
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), model.predict(X[:20]))


def test_a_tree_is_traced_as_it_was_recorded() -> None:
    X, y = table(200)
    kind: dict[str, Any] = {"criterion": "absolute_error", "max_depth": 3}
    forest = RandomForestRegressor(3, random_state=0, max_features=2, **kind).fit(X, y)
    trace = forest.trace(X, y, tree=2)
    assert trace.note.startswith(
        "From what was recorded: the best test of each column. tree 2 drew"
    )
    assert "model.trace(X, y)" not in trace.note
    assert (trace.drawn == np.bincount(forest.estimators_samples_[2], minlength=200)).all()
    assert len(trace) == forest[2].tree_.node_count
    assert "200 rows, median" in str(trace[0])
    assert len(trace[0].columns) == 2
    with pytest.raises(DataError, match="These are not the training rows"):
        forest.trace(X, y[::-1].copy(), tree=2)


# What is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["fractional", "surrogate"])
def test_policies_that_share_rows_out_are_refused(missing: str) -> None:
    X, y = table(60)
    with pytest.raises(ParameterError, match="Use missing='learn', 'branch' or 'majority'"):
        RandomForestRegressor(2, criterion="absolute_error", missing=missing).fit(X, y)


def test_a_quantile_needs_its_criterion() -> None:
    X, y = table(60)
    with pytest.raises(ParameterError, match=r"quantile=0.9 is what leaves say by"):
        RandomForestRegressor(2, quantile=0.9).fit(X, y)
