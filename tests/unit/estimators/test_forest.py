"""Forests: every figure again by plain loops; refusals; long work.

Over 400 lines: all of it is of the same few classes.
"""

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_classification
from sklearn.metrics import r2_score

from bosco import (
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.errors import DataWarning
from tests.mixed import mixed


def same_tests(one: Any, other: Any) -> bool:
    return all(
        np.array_equal(getattr(one.native, name), getattr(other.native, name))
        for name in ("test", "first_child", "tally", "value")
    ) and np.array_equal(one.native.tests.thresholds, other.native.tests.thresholds)


# One tree at a time ------------------------------------------------------------------------------


def test_a_tree_is_the_single_tree_of_its_sample() -> None:
    X, y = mixed(600)
    forest = RandomForestClassifier(4, max_features=None, random_state=0).fit(X, y)
    for t, rows in enumerate(forest.estimators_samples_):
        times = np.bincount(rows, minlength=600)
        assert times.sum() == 600
        single = DecisionTreeClassifier().fit(X, y, sample_weight=times)
        assert same_tests(single.tree_, forest.estimators_[t].tree_)
        assert (single.predict(X) == forest.estimators_[t].predict(X)).all()


def test_a_tree_of_numbers_is_the_single_tree_of_its_sample() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(4, random_state=0, max_depth=5, ccp_alpha=50.0).fit(X, y)
    for t, rows in enumerate(forest.estimators_samples_):
        times = np.bincount(rows, minlength=len(y))
        single = DecisionTreeRegressor(max_depth=5, ccp_alpha=50.0).fit(X, y, sample_weight=times)
        assert np.allclose(single.predict(X), forest.estimators_[t].predict(X), rtol=1e-12)
        assert np.allclose(single.feature_importances_, forest.estimators_[t].feature_importances_)


@pytest.mark.parametrize(
    "settings",
    [
        {"numeric_test": "intervals", "nominal_test": "multiway"},
        {"nominal_test": "group", "max_branches": 3, "criterion": "entropy"},
        {"score": "gain_ratio", "missing": "branch", "min_samples_leaf": 4},
        {"criterion": "sqrt", "missing": "majority", "max_leaf_nodes": 9, "threshold": "round"},
    ],
)
def test_any_test_and_criterion(settings: dict[str, Any]) -> None:
    X, y = mixed(600)
    forest = RandomForestClassifier(5, random_state=0, **settings).fit(X, y)
    votes = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
    assert np.allclose(forest.predict_proba(X), votes, atol=1e-15)
    assert forest.score(X, y) > 0.6


def test_votes_and_their_weights() -> None:
    X, y = mixed(500)
    given = np.arange(6.0)
    forest = RandomForestClassifier(6, random_state=0, vote="mode", tree_weights=given, max_depth=3)
    forest.fit(X, y)
    votes = np.zeros((500, 3))
    for weight, tree in zip(given / 15, forest.estimators_, strict=True):
        votes += weight * np.eye(3)[tree.predict(X)]
    assert np.allclose(forest.predict_proba(X), votes)
    assert (forest.predict(X) == np.argmax(votes, axis=1)).all()


def test_weights_by_accuracy_out_of_the_bag() -> None:
    X, y = mixed(500)
    forest = RandomForestClassifier(12, random_state=0, tree_weights="oob_accuracy").fit(X, y)
    right = []
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        unseen = np.setdiff1d(np.arange(500), rows)
        right.append(tree.score(X.iloc[unseen], y[unseen]))
    assert np.allclose(forest.model_.tree_weights, np.array(right) / np.sum(right))


@pytest.mark.parametrize("vote", ["mean", "mode"])
def test_out_of_bag_by_hand(vote: str) -> None:
    X, y = mixed(300)
    forest = RandomForestClassifier(40, random_state=0, oob_score=True, vote=vote).fit(X, y)
    votes, count, curve = np.zeros((300, 3)), np.zeros(300), []
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        unseen = np.setdiff1d(np.arange(300), rows)
        said = tree.predict_proba(X)[unseen]
        votes[unseen] += said if vote == "mean" else np.eye(3)[tree.predict(X)[unseen]]
        count[unseen] += 1
        judged = count > 0
        guess = np.argmax(votes[judged], axis=1)
        curve.append(np.mean(guess != y[judged]))
    assert np.allclose(forest.oob_decision_function_, votes / count[:, None])
    assert np.allclose(forest.oob_curve_, curve)
    assert forest.oob_score_ == pytest.approx(1 - curve[-1])


def test_out_of_bag_of_numbers_by_hand() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(40, random_state=0, oob_score=True).fit(X, y)
    total, count = np.zeros(len(y)), np.zeros(len(y))
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        total[unseen] += tree.predict(X[unseen])
        count[unseen] += 1
    assert np.allclose(forest.oob_prediction_, total / count)
    assert forest.oob_score_ == pytest.approx(r2_score(y, total / count))
    assert forest.oob_curve_[-1] == pytest.approx(np.mean((y - total / count) ** 2))

    def worst(truth: Any, guess: Any) -> float:
        return float(np.abs(truth - guess).max())

    again = RandomForestRegressor(40, random_state=0, oob_score=worst).fit(X, y)
    assert again.oob_score_ == pytest.approx(np.abs(y - total / count).max())


def test_classes_balanced_in_each_sample() -> None:
    X, y = make_classification(1_000, weights=[0.9], random_state=0)
    forest = RandomForestClassifier(5, random_state=0, class_weight="balanced_subsample").fit(X, y)
    for tree in forest.estimators_:
        assert tree.tree_.value[0, 0] == pytest.approx([0.5, 0.5], abs=1e-3)
    plain = RandomForestClassifier(5, random_state=0).fit(X, y)
    assert plain.estimators_[0].tree_.value[0, 0, 1] < 0.2


def test_weights_stand_for_samples() -> None:
    X, y = mixed(200)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y, np.full(200, 0.5))
    tree = forest.estimators_[0].tree_
    assert tree.n_node_samples[0] == tree.weighted_n_node_samples[0] == 100


def test_pruning_makes_trees_smaller() -> None:
    X, y = mixed(500)
    sizes = [
        RandomForestClassifier(5, random_state=0, ccp_alpha=alpha).fit(X, y).model_.n_leaves
        for alpha in (0.0, 0.002, 0.02)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


# What is asked of all trees ----------------------------------------------------------------------


def test_importances_are_the_mean_of_the_trees() -> None:
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    mean = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
    assert np.allclose(forest.feature_importances_, mean)
    assert forest.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_shuffling_a_column_that_matters_hurts(cls: Any) -> None:
    X, y = mixed(800)
    X["noise"] = np.random.default_rng(9).normal(size=800)
    forest = cls(30, random_state=0).fit(X, y)
    drop = forest.permutation_importances_oob(X, y, n_repeats=3)
    assert drop.importances.shape == (7, 3)
    assert drop.importances_mean[0] == max(drop.importances_mean)  # a
    assert abs(drop.importances_mean[6]) < 0.05  # noise
    with pytest.raises(DataError, match="training data"):
        forest.permutation_importances_oob(X[:100], y[:100])
    whole = cls(2, bootstrap=False).fit(X, y)
    with pytest.raises(ParameterError, match="out of the bag"):
        whole.permutation_importances_oob(X, y)


def test_shuffling_goes_by_key() -> None:
    X, y = mixed(300)
    order = np.random.default_rng(0).permutation(300)
    first, second = (
        RandomForestClassifier(10, random_state=0)
        .fit(X.iloc[o], y[o], row_keys=np.arange(300)[o])
        .permutation_importances_oob(X.iloc[o], y[o], n_repeats=2)
        for o in (np.arange(300), order)
    )
    assert np.allclose(first.importances, second.importances)


def test_paths_and_proximity() -> None:
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    paths, begin = forest.decision_path(X)
    assert paths.shape == (150, begin[-1])
    for t in range(7):
        assert (leaves[:, t] == forest.estimators_[t].apply(X)).all()
        assert np.asarray(paths[np.arange(150), begin[t] + leaves[:, t]]).all()
    near = (leaves[:, None, :] == leaves[None, :, :]).mean(axis=2)
    assert np.allclose(forest.proximity(X), near)


def slow_quantile(forest: Any, X: Any, y: Any, row: int, share: float) -> float:
    weight = np.zeros(len(y))
    leaves = forest.apply(X)
    for t, rows in enumerate(forest.estimators_samples_):
        times = np.bincount(rows, minlength=len(y)) * (leaves[:, t] == leaves[row, t])
        weight += times / times.sum() / len(forest.estimators_)
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weight[order]) >= share - 1e-12
    return float(y[order][np.argmax(reached & (np.cumsum(weight[order]) > 0))])


def test_quantiles_by_hand() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(9, random_state=0, leaf_rows=True, min_samples_leaf=5).fit(X, y)
    answer = forest.predict_quantiles(X[:20], (0.0, 0.1, 0.5, 1.0))
    for row in range(20):
        for q, share in enumerate((0.0, 0.1, 0.5, 1.0)):
            assert answer[row, q] == slow_quantile(forest, X, y, row, share)
    ends = forest.predict_interval(X, coverage=0.8)
    assert (ends == forest.predict_quantiles(X, (0.1, 0.9))).all()
    assert 0.75 < np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])) <= 1
    with pytest.raises(ParameterError, match="coverage"):
        forest.predict_interval(X, coverage=90)
    with pytest.raises(ParameterError, match="leaf_rows=True"):
        RandomForestRegressor(2).fit(X, y).predict_interval(X)


def test_an_empty_leaf_has_the_rows_above_it() -> None:
    X = {"c": ["a", "a", "b", "b"], "x": [1.0, 2.0, 3.0, 4.0]}
    forest = RandomForestRegressor(
        1,
        bootstrap=False,
        max_depth=1,
        leaf_rows=True,
        nominal_test="multiway",
        domains={"c": ["a", "b", "never"]},
    ).fit({"c": X["c"]}, [0.0, 1.0, 5.0, 9.0])
    unseen = {"c": ["never"]}
    assert forest.predict(unseen) == 3.75
    assert forest.predict_quantiles(unseen, (0.0, 0.5, 1.0)).tolist() == [[0.0, 1.0, 9.0]]


def test_the_model() -> None:
    X, y = mixed(400)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    model = forest.model_
    row = X.iloc[0].to_dict()
    assert model.predict(row) == forest.predict(X)[0]
    assert np.allclose(model.predict_proba(row), forest.predict_proba(X)[0])
    assert (model.apply(row) == forest.apply(X)[0]).all()
    assert (model.tree(-1).predict(X) == forest.estimators_[4].predict(X)).all()
    assert "tree 4" in str(model.tree(-1))
    assert str(model).startswith("5 trees (gini) · 400 rows, 6 columns, 3 classes")
    assert "level" in str(model)
    assert model.native.n_bytes / model.native.n_nodes <= 24
    assert len(forest.estimators_) == 5
    assert len(forest.estimators_[1:3]) == 2
    with pytest.raises(IndexError):
        forest.estimators_[5]


def test_the_forest_of_the_notes_beats_93_percent_on_wine() -> None:
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(100, random_state=0, oob_score=True, vote="mode").fit(X, y)
    assert forest.oob_score_ > 0.95


# Refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"missing": "fractional"}, "one place per row"),
        ({"missing": "surrogate"}, "one place per row"),
        ({"oob_score": True, "bootstrap": False}, "only available if bootstrap=True"),
        ({"max_samples": 51, "bootstrap": "once"}, "no row is drawn twice"),
        ({"max_samples": 10, "bootstrap": False}, "Hint: bootstrap='once'"),
        ({"max_samples": 10, "bootstrap": "twice"}, "'bootstrap' parameter"),
        ({"max_samples": 65.0}, "max_samples"),
        ({"tree_weights": [1.0, 2.0]}, "each of the 3 trees"),
        ({"tree_weights": [0.0, 0.0, 0.0]}, "must not all be 0"),
        ({"tree_weights": "oob_acuracy"}, "Did you mean 'oob_accuracy'"),
        ({"vote": "median"}, "vote"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_samples": 0.0}, "max_samples"),
    ],
)
def test_refusals(settings: dict[str, Any], words: str) -> None:
    X, y = mixed(50)
    with pytest.raises(ParameterError, match=words):
        RandomForestClassifier(**{"n_estimators": 3, **settings}).fit(X, y)


def test_keys_must_tell_rows_apart() -> None:
    X, y = mixed(50)
    with pytest.raises(DataError, match="there twice"):
        RandomForestClassifier(2).fit(X, y, row_keys=[1, *range(49)])
    with pytest.raises(DataError, match="one key for each"):
        RandomForestClassifier(2).fit(X, y, row_keys=[1, 2])


def test_one_row_one_class_one_column() -> None:
    forest = RandomForestClassifier(3).fit([[1.0]], ["only"])
    assert forest.predict([[5.0], [np.nan]]).tolist() == ["only", "only"]
    assert forest.feature_importances_.tolist() == [0.0]
    assert RandomForestRegressor(3).fit([[np.nan]], [2.5]).predict([[1.0]]).tolist() == [2.5]


# Long work ---------------------------------------------------------------------------------------


def interrupted(forest: Any) -> Any:
    X, y = make_classification(20_000, random_state=0)
    timer = threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        forest.fit(X, y)
    finally:
        timer.cancel()
    assert time.monotonic() - start < 30
    return forest


def test_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(RandomForestClassifier(100_000, n_jobs=2))


def test_ctrl_c_may_keep_the_trees() -> None:
    with pytest.warns(DataWarning, match="Interrupted"):
        forest = interrupted(
            RandomForestClassifier(100_000, max_depth=4, n_jobs=2, keep_on_interrupt=True)
        )
    assert 1 <= forest.model_.n_trees < 100_000
    assert forest.model_.tree_weights.sum() == pytest.approx(1)


def test_progress_is_shown(capsys: Any, monkeypatch: Any) -> None:
    X, y = mixed(50)
    RandomForestClassifier(3, verbose=1).fit(X, y)
    assert "3/3" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    RandomForestClassifier(3, verbose=1).fit(X, y)
    assert "\rtrees: 3 of 3, " in capsys.readouterr().err  # and how quickly
    RandomForestClassifier(3).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("vote", ["mean", "mode"])
def test_few_rows_take_a_short_way_to_the_same_answer(vote: str, dtype: type) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5)).round(1).astype(dtype)
    y = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    forest = RandomForestClassifier(12, vote=vote, random_state=0).fit(X, y)
    whole = forest.predict(X)
    assert np.array_equal(np.concatenate([forest.predict(row[None]) for row in X]), whole)
    assert np.array_equal(forest.predict(np.asfortranarray(X)[:9]), whole[:9])
    real = RandomForestRegressor(7, random_state=0).fit(X, y + 0.25)
    assert np.array_equal(real.predict(X[:9]), real.predict(X)[:9])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_on_a_threshold_go_the_way_of_the_trees(dtype: type) -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 9, size=(300, 3)).astype(dtype)
    forest = RandomForestClassifier(9, random_state=0).fit(X, X @ [1, 2, 3] > 24)
    cuts = np.arange(0, 8.5, 0.5).astype(dtype)  # every value, and halfway between
    near = np.concatenate([cuts, np.nextafter(cuts, dtype(9)), np.nextafter(cuts, dtype(-1))])
    rows = np.stack(np.meshgrid(near, near, near), axis=-1).reshape(-1, 3)[::7]
    trees = [forest.model_.tree(t).predict_proba(rows) for t in range(9)]
    assert np.allclose(forest.predict_proba(rows), np.mean(trees, axis=0), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("classes", [2, 3])
def test_signs_zeros_and_infinities_go_the_way_of_the_trees(dtype: type, classes: int) -> None:
    values = [-2.0, -1.0, -0.0, 0.0, 1.0, 2.0]
    if dtype is not np.int16:
        values += [-np.inf, np.inf, np.finfo(dtype).max, -np.finfo(dtype).tiny, 1e-30, -1e30]
    rng = np.random.default_rng(3)
    X = rng.choice(np.array(values, dtype), size=(600, 4))
    y = np.clip(np.argsort(X, axis=1)[:, 0], 0, classes - 1)
    forest = RandomForestClassifier(11, max_features=1, random_state=0).fit(X, y)
    whole = np.mean([forest.model_.tree(t).predict_proba(X) for t in range(11)], axis=0)
    for rows in (X, np.asfortranarray(X), X[:, ::-1][:, ::-1]):
        assert np.allclose(forest.predict_proba(rows), whole, atol=1e-12)


def test_a_forest_is_a_sequence_of_trees() -> None:
    X, y = mixed(80)
    assert RandomForestClassifier(3)  # not fitted, and there all the same
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    assert len(forest) == 3
    assert [tree.tree_ for tree in forest] == [tree.tree_ for tree in forest.estimators_]
    assert forest[1].tree_ == forest[-2].tree_
    assert len(forest[1:]) == 2
    assert type(forest.estimator) is DecisionTreeClassifier


def test_a_sample_may_have_more_rows_than_there_are() -> None:
    X, y = mixed(80)
    one = RandomForestClassifier(3, max_samples=1.5, random_state=0).fit(X, y)
    other = RandomForestClassifier(3, max_samples=120, random_state=0).fit(X, y)
    assert [len(rows) for rows in one.estimators_samples_] == [120] * 3
    assert [tree.tree_ for tree in one] == [tree.tree_ for tree in other]
    for tree, rows in zip(one, one.estimators_samples_, strict=True):
        counts = np.bincount(np.searchsorted(one.classes_, np.asarray(y)[rows]))
        assert tree.tree_.native.tally[0].tolist() == counts.tolist()


@pytest.mark.parametrize("size", [None, 0.3, 50])
def test_the_least_weight_is_a_fraction_of_what_a_tree_draws(size: Any) -> None:
    """As in scikit-learn: with fewer rows a tree, the least leaf is smaller alike."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = X[:, 0] + rng.normal(size=1000) > 0
    drawn = {None: 1000, 0.3: 300, 50: 50}[size]
    asked = {"max_samples": size, "min_weight_fraction_leaf": 0.1, "random_state": 0}
    for learner in (RandomForestClassifier, sklearn.ensemble.RandomForestClassifier):
        trees = [one.tree_ for one in learner(20, **asked).fit(X, y).estimators_]
        least = min(t.weighted_n_node_samples[t.children_left < 0].min() for t in trees)
        assert least == pytest.approx(0.1 * drawn)
