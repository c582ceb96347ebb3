"""How far each leaf can be trusted, against counting by hand."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_diabetes, load_wine

import bosco
from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, ParameterError
from bosco.datasets import golf, play_tennis
from bosco.figures.intervals import mean_interval
from bosco.models.model import Model


@pytest.fixture(scope="module")
def wine() -> tuple[Model, Any, Any]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = DecisionTreeClassifier(max_depth=3).fit(X[::2], y[::2]).model_
    return model, X[1::2], y[1::2].map({0: 0, 1: 1, 2: 2})


def test_training_rows_are_optimistic(wine: tuple[Model, Any, Any]) -> None:
    leaves = wine[0].leaves()
    assert leaves.optimistic
    assert "Optimistic" in str(leaves)
    assert sum(leaf.rows for leaf in leaves) == 89
    assert len(leaves) == wine[0].n_leaves


def test_recount_counts(wine: tuple[Model, Any, Any]) -> None:
    model, X, y = wine
    leaves, at = model.recount(X, y), model.apply(X)
    assert not leaves.optimistic
    for leaf in leaves:
        labels = y.to_numpy()[at == leaf.node]
        assert leaf.rows == leaf.weight == len(labels)
        for k in range(3):
            hits = int((labels == k).sum())
            if len(labels):
                assert leaf.values[k] == pytest.approx(hits / len(labels))
                wanted = stats.binomtest(hits, len(labels)).proportion_ci(method="wilson")
                assert (leaf.low[k], leaf.high[k]) == pytest.approx((wanted.low, wanted.high))
        assert leaf.weak == (len(labels) < 5)


def test_recount_of_the_training_rows_is_what_the_tree_knows() -> None:
    for algorithm in ("cart", "id3", "c45"):
        X, y = golf()
        X["humidity"][2] = X["outlook"][5] = None  # type: ignore[index]
        model = DecisionTreeClassifier(algorithm=algorithm).fit(X, y).model_
        ours, again = model.leaves(), model.recount(X, y)
        for a, b in zip(ours, again, strict=True):
            assert a.rows == pytest.approx(b.rows)
            assert a.values == pytest.approx(b.values, nan_ok=True)
            assert a.low == pytest.approx(b.low)


def test_real_target() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=3).fit(X[::2], y[::2]).model_
    at = model.apply(X[1::2])
    for leaf in model.recount(X[1::2], y[1::2], confidence=0.9):
        rows = y[1::2][at == leaf.node]
        assert leaf.share == pytest.approx(rows.mean())
        if len(rows) > 1:
            wanted = stats.ttest_1samp(rows, 0).confidence_interval(0.9)
            assert (leaf.share_low, leaf.share_high) == pytest.approx((wanted.low, wanted.high))
    for a, b in zip(model.leaves(), model.recount(X[::2], y[::2]), strict=True):
        assert (a.share, a.share_low, a.share_high) == pytest.approx(
            (b.share, b.share_low, b.share_high)
        )


def test_real_target_far_from_zero() -> None:
    """Squares around the mean, not around 0, or nothing would be left of the spread."""
    rng = np.random.default_rng(1)
    X = np.arange(200.0)[:, None]
    y = 1e9 + (X[:, 0] > 99) + rng.normal(0, 0.01, 200)
    model = DecisionTreeRegressor(max_depth=1).fit(X, y).model_
    spread = [(leaf.share_high - leaf.share_low) for leaf in model.recount(X, y)]
    wanted = [2 * stats.t.ppf(0.975, 99) * part.std(ddof=1) / 10 for part in (y[:100], y[100:])]
    assert spread == pytest.approx(wanted, rel=1e-3)


def test_one_row_has_no_interval_of_the_mean() -> None:
    model = DecisionTreeRegressor().fit([[0], [1]], [1.0, 4.0]).model_
    leaf = model.leaves().leaves[0]
    assert (leaf.share, leaf.share_low, leaf.share_high) == (1.0, -math.inf, math.inf)
    assert "–" in str(model.leaves())


def test_a_leaf_that_no_row_reaches() -> None:
    X, y = play_tennis()
    model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    sunny = {name: [column[0]] for name, column in X.items()}
    leaves = model.recount(sunny, y[:1])
    empty = [leaf for leaf in leaves if not leaf.rows]
    assert len(empty) == len(leaves) - 1
    assert all(leaf.weak and math.isnan(leaf.share) and leaf.low == (0, 0) for leaf in empty)
    assert str(leaves).count("–  ") >= len(empty)


def test_copies_count_as_rows(wine: tuple[Model, Any, Any]) -> None:
    model, X, y = wine
    twice = model.recount(pd.concat([X, X[:5]]), pd.concat([y, y[:5]]))
    weighted = model.recount(X, y, [2] * 5 + [1] * (len(y) - 5), weights="copies")
    assert twice == weighted
    assert model.recount(X[5:], y[5:]) == model.recount(X, y, [0] * 5 + [1] * (len(y) - 5))


def test_weight_zero_hides_a_missing_number() -> None:
    model = DecisionTreeRegressor().fit([[0], [1]], [1.0, 4.0]).model_
    leaves = model.recount([[0], [0], [1]], [1.0, math.nan, 2.0], [1, 0, 1])
    assert [leaf.share for leaf in leaves] == [1.0, 2.0]


def test_a_table(wine: tuple[Model, Any, Any]) -> None:
    table = pd.DataFrame(wine[0].leaves().to_dict())
    assert len(table) == wine[0].n_leaves
    assert {"node", "prediction", "share", "share[0]", "low[2]", "weak"} <= set(table.columns)


def test_bad_input(wine: tuple[Model, Any, Any]) -> None:
    model, X, y = wine
    with pytest.raises(DataError, match=r"label 7.*none of the model's classes \[0, 1, 2\]"):
        model.recount(X, y.replace(0, 7))
    with pytest.raises(DataError, match="89 rows and y 3"):
        model.recount(X, y[:3])
    first = model.columns_asked[0]
    with pytest.raises(DataError, match=f"lacks a column that this model asks for: '{first}'"):
        model.recount(X.drop(columns=first), y)
    assert "hue" not in model.columns_asked
    without = model.recount(X.drop(columns="hue"), y)
    assert without == model.recount(X, y)
    assert "cannot be told: they lack columns" in str(without)
    with pytest.raises(ParameterError, match="weak_below must be"):
        model.leaves(weak_below=-1)
    with pytest.raises(ParameterError, match="confidence"):
        model.leaves(confidence=95)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), min_size=2, max_size=40))
def test_shares_lie_in_their_intervals(rows: list[tuple[int, str]]) -> None:
    X, y = [[x] for x, _ in rows], [label for _, label in rows]
    for leaf in DecisionTreeClassifier(max_depth=2).fit(X, y).model_.leaves():
        assert sum(leaf.values) == pytest.approx(1)
        for low, value, high in zip(leaf.low, leaf.values, leaf.high, strict=True):
            assert 0 <= low <= value + 1e-12
            assert value <= high + 1e-12 <= 1 + 1e-11


def test_held_out_rows_may_lack_a_class() -> None:
    model = DecisionTreeClassifier().fit([[0], [1], [2]], ["a", "b", "c"]).model_
    leaves = model.recount([[1], [2], [2]], ["b", "c", "b"])
    assert [leaf.values for leaf in leaves][1:] == [(0, 1, 0), (0, 0.5, 0.5)]


def test_weak_support_is_in_the_unit_that_is_counted() -> None:
    X = np.repeat([0.0, 1.0], 100)[:, None]
    y = np.array(["a"] * 90 + ["b"] * 110)
    weight = np.ones(200)
    weight[0] = 1000
    model = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight).model_
    said = "fewer than 5 effective rows"
    assert f"1 of 2 leaves have weak support: {said}." in str(model.leaves())
    page = str(model.report())
    assert f"1 leaf of 2 rests on {said}." in page
    assert f"1 leaf of 2 has weak support: {said}." in page
    assert model.leaves().weakly == said
    plain = DecisionTreeClassifier(max_depth=1).fit(X, y).model_
    assert plain.leaves(weak_below=7).weakly == "fewer than 7 rows"
    unknown = replace(model.leaves(), basis="weight")
    assert unknown.weakly == "a weight below 5"


def test_drawn_rows_are_called_so() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    forest = bosco.RandomForestClassifier(3, random_state=0).fit(X, X[:, 0] > 0)
    tree = forest.model_.tree(0)
    assert "drawn rows" in str(tree).splitlines()[0]
    assert str(tree.leaves()).startswith("leaf  predicts  drawn rows  ")
    assert "each as often as it was drawn." in str(tree.leaves())
    bare = bosco.ExtraTreesClassifier(3, random_state=0).fit(X, X[:, 0] > 0)
    assert "drawn" not in str(bare.model_.tree(0).leaves())


def test_a_tie_is_marked() -> None:
    X, y = [[0.0], [0.0], [1.0], [1.0], [1.0]], ["a", "b", "a", "b", "b"]
    model = DecisionTreeClassifier().fit(X, y).model_
    assert [leaf.tie for leaf in model.leaves()] == [True, False]
    text = str(model.leaves())
    assert text.splitlines()[1].endswith("weak support, a tie")
    assert "A tie: of classes that weigh the same, the last is predicted." in text
    assert "→ b · 2 rows: b 1, a 1 (50.0 %, a tie)" in str(model)
    assert "then b · 2 rows, 50.0 %, a tie" in str(model.rules())
    assert "strongest rival: a, 50.0 %: a tie, of equals the last" in str(model.explain([0.0]))
    assert "tie" not in str(model.explain([1.0]))


@pytest.mark.parametrize("far", [1e9, 1e12])
def test_the_spread_of_numbers_far_from_each_other_does_not_cancel(far: float) -> None:
    X = np.arange(40.0)[:, None]
    noise = np.random.default_rng(0).normal(size=40)
    y = np.where(X[:, 0] < 20, -far, far) + noise
    model = bosco.DecisionTreeRegressor(max_depth=1).fit(X, y).model_
    for leaf, rows in zip(model.recount(X, y), (slice(20), slice(20, 40)), strict=True):
        wide = 2 * 2.093 * noise[rows].std(ddof=1) / np.sqrt(20)
        assert leaf.share_high - leaf.share_low == pytest.approx(wide, rel=1e-3)


@pytest.mark.parametrize("scale", [1e-170, 1e300])
def test_the_spread_of_numbers_whose_squares_are_no_numbers(scale: float) -> None:
    X = np.arange(20.0)[:, None]
    noise = np.random.default_rng(0).normal(size=20)
    y = noise * scale
    tree = bosco.DecisionTreeRegressor(max_depth=1)
    model = tree.fit(X, y).model_
    at = model.apply(X)
    for leaf in model.recount(X, y):
        here = noise[at == leaf.node]
        low, high = (float(end) for end in mean_interval(here.mean(), here.std(ddof=1), len(here)))
        assert leaf.share_low == pytest.approx(low * scale)
        assert leaf.share_high == pytest.approx(high * scale)
    for leaf in model.leaves():  # their squares are lost: nobody knows
        assert np.isinf([leaf.share_low, leaf.share_high]).all()
    assert "How good it is" in str(model.report(X, y))
