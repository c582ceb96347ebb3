"""Algorithms as rows of settings: what a preset says, what the user overrides, what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    _core,
)
from bosco.errors import ParameterError
from bosco.growth import MISSING, PRESETS, Growth, resolve
from bosco.settings.settings import CRITERIA, UNLIMITED, WORDS


def row(algorithm: str = "cart", task: str = "classification", **given: Any) -> Growth:
    size = {"samples": 1000, "columns": 20, "weight": 500.0} | {
        name: given.pop(name) for name in ("samples", "columns", "weight") if name in given
    }
    return resolve(algorithm, task, **size, **given)


@pytest.mark.parametrize(
    ("algorithm", "says"),
    [
        ("cart", {"criterion": "gini", "score": "gain", "nominal_test": "subset"}),
        ("cart", {"missing": "learn", "order": "depth", "zero_gain": True}),
        ("best_first", {"criterion": "gini", "order": "best"}),
        ("id3", {"criterion": "entropy", "nominal_test": "multiway", "missing": "branch"}),
        ("id3", {"reuse": False, "zero_gain": True}),
        ("c45", {"score": "gain_ratio_above_average", "missing": "fractional", "penalty": True}),
        ("c45", {"min_samples_leaf": 2, "min_samples_split": 4, "zero_gain": False}),
        ("hunt", {"criterion": "error", "nominal_test": "one_vs_rest", "zero_gain": False}),
        ("stump", {"criterion": "error", "max_depth": 1, "nominal_test": "multiway"}),
        ("recursive_stump", {"criterion": "error", "max_depth": UNLIMITED, "zero_gain": True}),
    ],
)
def test_presets(algorithm: str, says: dict[str, Any]) -> None:
    settings = row(algorithm).to_dict()
    assert {name: settings[name] for name in says} == says


def test_every_preset_is_a_whole_row() -> None:
    stumps = {"stump", "recursive_stump"}
    assert set(PRESETS) == {"cart", "id3", "c45", "hunt", "best_first", "optimal"} | stumps
    assert len({frozenset(preset) for preset in PRESETS.values()}) == 1


def test_every_word_for_missing_values_says_what_it_does() -> None:
    assert set(MISSING) == set(WORDS["missing"])
    assert len(set(MISSING.values())) == len(MISSING)
    several_ways = {name for name, does in MISSING.items() if not does.one_way}
    assert several_ways == {"fractional", "surrogate"}


def test_a_growth_is_what_the_core_reads() -> None:
    settings = row(monotonic=(0, 1), n_classes=2).to_dict()
    assert settings["monotonic"] == [0, 1]
    assert settings["max_depth"] == settings["max_leaf_nodes"] == UNLIMITED == -1
    assert settings.pop("asking") is None  # nothing has a price
    assert all(isinstance(v, str | bool | int | float | list) for v in settings.values())


def test_what_is_given_goes_over_the_row() -> None:
    assert row("id3", criterion="gini", max_depth=3).criterion == "gini"
    assert row("stump", max_depth=4).max_depth == 4
    assert row("stump", max_depth=None).max_depth == 1
    assert row("id3").reuse is False
    assert row("id3", reuse=True).reuse is True
    assert row("c45").zero_gain is False
    assert row("c45", zero_gain=True).zero_gain is True


@pytest.mark.parametrize("algorithm", PRESETS)
def test_a_limit_of_leaves_is_best_first_for_all(algorithm: str) -> None:
    assert row(algorithm, max_leaf_nodes=8).order == "best"
    assert row(algorithm, max_leaf_nodes=8, order="breadth").order == "breadth"


@pytest.mark.parametrize(
    ("given", "leaf", "split"),
    [
        ({}, 1, 2),
        ({"min_samples_leaf": 5}, 5, 10),
        ({"min_samples_leaf": 0.0101}, 11, 22),
        ({"min_samples_split": 0.05}, 1, 50),
        ({"min_samples_split": 1e-9}, 1, 2),
        ({"min_samples_split": 7, "min_samples_leaf": 3}, 3, 7),
    ],
)
def test_fractions_of_samples(given: dict[str, Any], leaf: int, split: int) -> None:
    growth = row(**given)
    assert (growth.min_samples_leaf, growth.min_samples_split) == (leaf, split)


@pytest.mark.parametrize(
    ("given", "columns"),
    [
        (None, -1),
        ("sqrt", 4),
        ("log2", 4),
        (0.5, 10),
        (0.01, 1),
        (1.0, 20),
        (3, 3),
        (99, 20),
    ],
)
def test_max_features(given: Any, columns: int) -> None:
    assert row(max_features=given).max_features == columns


def test_a_fraction_of_the_weight() -> None:
    assert row(min_weight_fraction_leaf=0.1).min_weight_leaf == 50.0


# Regression --------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["cart", "best_first", "stump"])
def test_regression_rows(algorithm: str) -> None:
    assert row(algorithm, "regression").criterion == "squared_error"


@pytest.mark.parametrize("algorithm", ["id3", "c45", "hunt"])
def test_learners_of_classes_say_so(algorithm: str) -> None:
    with pytest.raises(ParameterError, match=r"is not defined for a real target.*algorithm='cart'"):
        row(algorithm, "regression")
    growth = row(algorithm, "regression", criterion="squared_error")
    assert (growth.criterion, growth.penalty) == ("squared_error", False)


@pytest.mark.parametrize("task", CRITERIA)
def test_criteria_belong_to_a_task(task: str) -> None:
    other = "squared_error" if task == "classification" else "gini"
    with pytest.raises(ParameterError, match=f"'{other}' is not one of {task}"):
        row("cart", task, criterion=other)


# Refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"missing": "surrogate", "numeric_test": "intervals"}, "surrogate.*numeric_test"),
        ({"missing": "surrogate", "nominal_test": "group"}, "surrogate.*nominal_test='group'"),
        ({"missing": "surrogate", "nominal_test": "multiway"}, "surrogate.*'one_vs_rest'"),
        ({"splitter": "random", "numeric_test": "intervals"}, "random.*intervals"),
        ({"splitter": "random", "nominal_test": "multiway"}, "random.*multiway"),
        ({"monotonic": (1, 0), "numeric_test": "intervals"}, "monotonic_cst.*intervals"),
        ({"monotonic": (1, 0), "nominal_test": "multiway"}, "monotonic_cst.*multiway"),
        ({"monotonic": (1, 0), "missing": "branch"}, "monotonic_cst.*adds a third"),
        ({"monotonic": (1, 0), "n_classes": 3}, "multiclass.*y has 3"),
    ],
)
def test_combinations_refused_with_the_reason(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        row(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"missing": "surrogate", "nominal_test": "one_vs_rest"},
        {"monotonic": (0, 0), "numeric_test": "intervals"},
        {"monotonic": (1, -1), "missing": "majority", "n_classes": 2},
        {"splitter": "random", "missing": "fractional"},
    ],
)
def test_combinations_allowed(given: dict[str, Any]) -> None:
    row(**given)


def test_an_unknown_algorithm_gets_a_hint() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'c45'"):
        row("c4.5")


ROADS: dict[str, Any] = {
    "counted": (DecisionTreeClassifier, 9000, {"record": False}),
    "sorted": (DecisionTreeClassifier, 500, {"record": False}),
    "in order": (DecisionTreeClassifier, 9000, {"record": True}),
    "by ratio": (DecisionTreeClassifier, 500, {"score": "gain_ratio"}),
    "shared out": (DecisionTreeClassifier, 500, {"missing": "fractional"}),
    "drawn": (DecisionTreeClassifier, 6000, {"splitter": "random", "random_state": 1}),
    "numbers": (DecisionTreeRegressor, 6000, {}),
    "numbers drawn": (DecisionTreeRegressor, 500, {"splitter": "random", "random_state": 1}),
    "a forest": (RandomForestClassifier, 3000, {"n_estimators": 1, "random_state": 2}),
    "extra trees": (ExtraTreesClassifier, 3000, {"n_estimators": 1, "random_state": 2}),
}


@pytest.mark.parametrize("road", ROADS)
def test_min_gain_is_asked_of_every_node_on_every_road(road: str) -> None:
    """The tree is the one without it, each branch cut at the first test that gains less."""
    learner, n, settings = ROADS[road]
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 5)).round(2)
    y: Any = X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(n)
    y = 3 * y if issubclass(learner, DecisionTreeRegressor) else (y > 1).astype(int)

    def tree_of(fitted: Any) -> Any:
        return (fitted.estimators_[0] if hasattr(fitted, "estimators_") else fitted).tree_.native

    full = tree_of(learner(**settings).fit(X, y))
    top = full.gain[[0, *np.flatnonzero(full.parent == 0).tolist()]]
    least = float(top[top > 0].min())
    native = tree_of(learner(min_gain=least, **settings).fit(X, y))
    inner = native.test >= 0
    assert 2 <= np.count_nonzero(inner) < np.count_nonzero(full.test >= 0)
    assert (native.gain[inner] >= least).all()
    if settings.get("score") == "gain_ratio":  # what gains too little is out, and another wins
        return
    cut = _core.prune(full, (full.test >= 0) & (full.gain < least))
    assert np.array_equal(cut.tally, native.tally)
    assert np.array_equal(cut.tests.thresholds, native.tests.thresholds)


def test_min_gain_and_min_impurity_decrease_are_two_things() -> None:
    # Half of the rows are told apart by a, a quarter by b: gains 0.25 at the root, 0.5 below.
    X = {"a": list("ppqq") * 2, "b": list("stst") * 2}
    y = [0, 0, 0, 1] * 2
    by = DecisionTreeClassifier(criterion="gini")
    assert by.fit(X, y).model_.tree.native.gain.tolist() == [0.125, 0, 0.5, 0, 0]
    assert by.set_params(min_gain=0.125).fit(X, y).get_n_leaves() == 3
    assert by.set_params(min_gain=0.126).fit(X, y).get_n_leaves() == 1
    by = DecisionTreeClassifier(min_impurity_decrease=0.125)
    assert by.fit(X, y).get_n_leaves() == 3
    assert by.set_params(min_impurity_decrease=0.2).fit(X, y).get_n_leaves() == 1
    with pytest.raises(ValueError, match="min_gain"):
        DecisionTreeClassifier(min_gain=-0.1).fit(X, y)


def test_min_gain_is_kept_in_files(tmp_path: Path) -> None:
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    for least, said in ((0.0, False), (0.05, True)):
        model = DecisionTreeClassifier(min_gain=least).fit(X, y).model_
        model.save(tmp_path / "m.json")
        assert ('"min_gain"' in (tmp_path / "m.json").read_text()) == said
        again = bosco.load(tmp_path / "m.json")
        assert again.growth == model.growth
        assert again.growth.min_gain == least
