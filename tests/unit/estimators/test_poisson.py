"""Poisson's deviance: what it refuses, what nodes say, and that every figure follows from rows."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.metrics import mean_poisson_deviance

import bosco
from bosco import DecisionTreeRegressor, ExtraTreesRegressor, RandomForestRegressor
from bosco.errors import DataError, ParameterError
from bosco.pruning import CostComplexity, CriticalValue, GeneralizationError, ReducedError


def table(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Numbers, levels and holes, and counts that follow them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    level = rng.integers(0, 9, n)
    X["l"] = pd.Categorical([f"v{i}" for i in level])
    rate = np.exp(0.6 * X["a"].fillna(1.0) + 0.2 * (level - 4))
    return X, rng.poisson(rate).astype(float)


def half(y: Any, said: Any, weight: Any = None) -> float:
    """Half of the mean deviance, by scikit-learn."""
    said = np.broadcast_to(said, np.shape(y))
    return float(mean_poisson_deviance(y, said, sample_weight=weight)) / 2


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch", "majority"])
def test_impurities_and_gains_are_those_of_the_rows(missing: str) -> None:
    X, y = table()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    tree = DecisionTreeRegressor(criterion="poisson", max_depth=3, missing=missing)
    model = tree.fit(X, y, sample_weight=weight).model_
    steps = model.trace(X, y, sample_weight=weight).steps
    assert len(steps) == model.tree.node_count
    for step in steps:
        if missing == "fractional":  # rows are shared out
            assert step.impurity == pytest.approx(model.tree.impurity[step.node], rel=1e-9)
            continue
        here, w = y[step.rows], weight[step.rows]
        mean = np.average(here, weights=w)
        assert model.tree.value[step.node, 0] == pytest.approx(mean, rel=1e-12)
        assert step.impurity == pytest.approx(half(here, mean, w), rel=1e-9)
        assert model.tree.impurity[step.node] == pytest.approx(step.impurity, rel=1e-9, abs=1e-12)
        if step.why.node in (s.node for s in steps) and model.tree.native.test[step.node] >= 0:
            children = [s for s in steps if s.node in model.tree.children(step.node)]
            below = sum(c.impurity * weight[c.rows].sum() for c in children) / w.sum()
            gain = float(model.tree.native.gain[step.node])
            if missing != "surrogate":
                assert gain == pytest.approx(step.impurity - below, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("nominal", ["multiway", "subset", "one_vs_rest", "group"])
@pytest.mark.parametrize("numeric", ["threshold", "intervals"])
def test_no_leaf_predicts_0(nominal: str, numeric: str) -> None:
    X, y = table()
    y = y * (np.arange(len(y)) % 3 == 0)
    settings: dict[str, Any] = {"nominal_test": nominal, "numeric_test": numeric}
    for missing in ("learn", "fractional", "branch", "majority"):
        tree = DecisionTreeRegressor(criterion="poisson", missing=missing, **settings).fit(X, y)
        assert (tree.tree_.value[:, 0] > 0).all()
        assert tree.get_n_leaves() > 4
    tree = DecisionTreeRegressor(criterion="poisson", splitter="random", random_state=0).fit(X, y)
    assert (tree.tree_.value[:, 0] > 0).all()


def test_all_of_one_side_0_is_no_test() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 3, 5]
    tree = DecisionTreeRegressor(criterion="poisson").fit(X, y)
    assert tree.tree_.threshold[0] == 3.5
    assert tree.get_n_leaves() == 2
    assert DecisionTreeRegressor().fit(X, y).tree_.threshold[0] == 2.5


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, -0.5, 2.0], "y are negative .* The least is -0.5. Hint: criterion='squared_error'"),
        ([0.0, 0.0, 0.0], "Sum of y is not strictly positive .* All of y is 0"),
    ],
)
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, RandomForestRegressor])
def test_numbers_that_are_no_counts(kind: Any, y: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        kind(criterion="poisson").fit([[1], [2], [3]], y)
    kind(criterion="poisson").fit([[1], [2], [3]], [0, 2, 1], sample_weight=[1, 1, 0])


def test_rows_that_weigh_nothing_may_be_negative() -> None:
    tree = DecisionTreeRegressor(criterion="poisson")
    assert tree.fit([[1], [2], [3]], [1, -1, 2], sample_weight=[1, 0, 1]).predict([[2.5]]) == [2.0]


def test_the_number_of_copies_and_the_order_of_rows_change_nothing() -> None:
    X, y = table(300)
    weight = np.random.default_rng(2).integers(1, 4, len(y))
    times = np.repeat(np.arange(len(y)), weight)
    back = np.random.default_rng(3).permutation(len(times))
    tree = DecisionTreeRegressor(criterion="poisson", max_depth=6)
    once = tree.fit(X, y, sample_weight=weight).tree_.digest()
    rows = times[back]
    assert tree.fit(X.iloc[rows], y[rows]).tree_.digest() == once
    for jobs in (1, 2):
        assert tree.set_params(n_jobs=jobs).fit(X.iloc[times], y[times]).tree_.digest() == once


def test_a_file_keeps_all_of_it(tmp_path: Any) -> None:
    X, y = table()
    model = DecisionTreeRegressor(criterion="poisson", max_depth=4).fit(X, y).model_
    forest = RandomForestRegressor(5, criterion="poisson", random_state=0).fit(X, y).model_
    for one in (model, forest):
        one.save(tmp_path / "m.json")
        again: Any = bosco.load(tmp_path / "m.json")
        assert again.growth.criterion == "poisson"
        assert (again.predict(X) == one.predict(X)).all()
        assert (again.worth == one.worth).all()


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_trees_of_a_forest_are_poissons(kind: Any) -> None:
    X, y = table()
    forest = kind(8, criterion="poisson", random_state=0, max_features=1.0).fit(X, y)
    plain = kind(8, random_state=0, max_features=1.0).fit(X, y)
    assert (forest.predict(X) > 0).all()
    assert (forest.predict(X) != plain.predict(X)).any()
    assert half(y, forest.predict(X)) < half(y, y.mean()) / 2
    first = forest.estimators_[0].tree_
    gains = first.native.gain[first.feature >= 0]
    assert (gains >= 0).all()
    assert gains[0] > 0


def test_pruning_counts_the_deviance() -> None:
    X, y = table(800)
    other, truth = table(400, seed=7)
    grown = DecisionTreeRegressor(criterion="poisson", max_depth=6).fit(X, y).model_
    weight = np.random.default_rng(5).uniform(0.5, 3, len(truth))
    found = grown.sweep(other, truth)
    assert found.validation is not None
    assert found.training[0] == pytest.approx(half(y, grown.predict(X)), rel=1e-9)
    assert found.validation[0] == pytest.approx(half(truth, grown.predict(other)), rel=1e-9)
    assert found.validation[-1] == pytest.approx(half(truth, y.mean()), rel=1e-9)
    held = grown.subject().held_out(other, truth, weight)
    whole = half(truth, y.mean(), weight) * weight.sum()
    assert held.errors[0] == pytest.approx(whole, rel=1e-9)
    for policy in (GeneralizationError(2), ReducedError(validation=(other, truth))):
        pruned = grown.prune(policy)
        assert 1 < pruned.n_leaves < grown.n_leaves
        words = "half the Poisson deviance"
        assert words in str(pruned.pruning_log())
    by_folds = DecisionTreeRegressor(criterion="poisson", pruning=CostComplexity(cv=3))
    assert 1 < by_folds.fit(X, y).get_n_leaves() < 60
    with pytest.raises(ParameterError, match="compares variances"):
        grown.prune(CriticalValue())
    with pytest.raises(DataError, match=r"no deviance from a negative number. Got y = -1.0"):
        grown.prune(ReducedError(validation=(other, truth - 1)))


def test_leaves_do_not_make_up_a_spread() -> None:
    X, y = table()
    model = DecisionTreeRegressor(criterion="poisson", max_depth=2).fit(X, y).model_
    for leaf in model.leaves():
        assert leaf.low[0] == -np.inf
        assert leaf.high[0] == np.inf
    assert "±" not in str(model.svg())
    assert "±" in str(DecisionTreeRegressor(max_depth=2).fit(X, y).model_.svg())
    other, truth = table(400, seed=7)
    for leaf in model.recount(other, truth):
        here = truth[model.apply(other) == leaf.node]
        assert leaf.values[0] == pytest.approx(here.mean())
        assert leaf.low[0] < here.mean() < leaf.high[0] < np.inf
    assert bosco.residuals(model, other, truth).coverage == ()


def test_what_it_is_not_for() -> None:
    with pytest.raises(
        ParameterError, match="or squared errors of numbers, and criterion='poisson"
    ):
        DecisionTreeRegressor(algorithm="optimal", criterion="poisson").fit([[1], [2]], [1, 2])
    words = re.escape("'squared_error', 'poisson'")
    with pytest.raises(ParameterError, match=words):
        DecisionTreeRegressor(criterion="absolute").fit([[1], [2]], [1, 2])


def test_a_draft_of_counts() -> None:
    X, y = table()
    draft = bosco.draft(DecisionTreeRegressor(criterion="poisson", max_depth=3), X, y)
    draft.grow(0)
    model = draft.model
    rows = draft.rows()
    assert model.growth.criterion == "poisson"
    mean = y[rows].mean()
    assert model.tree.impurity[0] == pytest.approx(half(y[rows], mean), rel=1e-9)


def test_tests_on_two_columns() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(800, 2)), columns=["a", "b"])
    y = rng.poisson(np.where(X["a"] + X["b"] > 0, 4.0, 0.5)).astype(float)
    tree = DecisionTreeRegressor(criterion="poisson", numeric_test="pairs", max_depth=2).fit(X, y)
    assert "a + b" in str(tree.model_)
