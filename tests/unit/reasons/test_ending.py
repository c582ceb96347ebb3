"""Why a leaf is one: every reason, held against the rows of the leaf."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import loans
from bosco.errors import ModelError
from bosco.models.model import Model
from bosco.pruning import GeneralizationError
from tests.test_files import FOLDER


def leaves(model: Model) -> list[int]:
    return np.flatnonzero(model.tree.native.test < 0).tolist()  # type: ignore[no-any-return]


def only(model: Model, node: int = 0) -> tuple[str | None, str, int]:
    why = model.why(node)
    assert not any(candidate.chosen or candidate.near_tie for candidate in why)
    return why.ended, why.reason, len(why)


def learn(X: Any, y: Any, **settings: Any) -> Model:
    model: Model = DecisionTreeClassifier(**settings).fit(X, y).model_
    return model


def test_pure_and_empty() -> None:
    assert only(learn([[1], [2]], ["a", "a"])) == ("pure", "All its rows are of one class.", 0)
    real = DecisionTreeRegressor().fit([[1], [2]], [2.5, 2.5]).model_
    assert only(real) == ("pure", "All its rows are of one value.", 0)
    wide = learn({"c": ["p", "q"]}, [0, 1], nominal_test="multiway", domains={"c": ["p", "q", "r"]})
    assert only(wide, 3) == ("empty", "No training row came here.", 0)


def test_depth_and_samples() -> None:
    X, y = [[1], [2], [3]], [0, 1, 0]
    deep = learn(X, y, max_depth=1)
    assert only(deep, 2) == ("depth", "It is at depth 1, and max_depth=1.", 0)
    few = learn(X, y, min_samples_split=4)
    reason = "It holds 3 samples, and a node needs 4 to be split (min_samples_split=4)."
    assert only(few) == ("samples", reason, 0)
    leaf = learn(X, y, min_samples_leaf=2)
    assert "a node needs 4 to be split (min_samples_leaf=2)" in only(leaf)[1]
    # Weights that are not copies are not samples.
    heavy = DecisionTreeClassifier(min_samples_split=4).fit(X, y, sample_weight=[2.5, 2.5, 2.5])
    assert only(heavy.model_) == ("samples", reason, 0)


def test_no_column_and_constant_columns() -> None:
    X = {"a": ["p", "p", "q", "q", "q"], "b": ["s", "s", "s", "t", "t"]}
    y = [0, 1, 1, 1, 0]
    id3 = learn(X, y, algorithm="id3")
    ends = {only(id3, node)[0] for node in leaves(id3)}
    assert ends == {"pure", "columns", "constant"}
    assert (
        only(id3, leaves(id3)[0])[1]
        == "No column that may still be asked has two known values among its rows."
    )
    assert only(learn([[1], [1]], [0, 1])) == (
        "constant",
        "No column has two values among its rows.",
        0,
    )
    # Levels that the way here leaves: one of each, so it was not the limit of branches.
    c45 = learn(*loans(), algorithm="c45")
    assert {only(c45, node)[0] for node in leaves(c45)} == {"pure", "constant"}


def test_no_test_leaves_enough_in_each_branch() -> None:
    ended, reason, n = only(learn([[1], [2], [2], [2]], [0, 1, 0, 1], min_samples_leaf=2))
    assert (ended, n) == ("no_test", 0)
    assert "no test that leaves enough in each branch (min_samples_leaf=2)" in reason
    X, y = [[1], [1], [1], [2]], [0, 1, 0, 1]
    assert "a weight of 1.6" in only(learn(X, y, min_weight_fraction_leaf=0.4))[1]
    down = learn([[1], [2]], [0, 1], monotonic_cst=[-1])
    assert only(down)[0] == "no_test"
    assert "monotonic_cst" in only(down)[1]


def test_no_gain_too_little_gain() -> None:
    X, y = {"a": ["p", "p", "q", "q"], "b": ["s", "t", "s", "t"]}, [0, 1, 1, 0]  # exclusive or
    model = learn(X, y, algorithm="hunt")
    assert only(model) == ("gain", "No test gains anything: 2 columns compared.", 2)
    assert "out of the running" in str(model.why(0))
    assert learn(X, y).n_leaves == 4
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 0]
    least = learn(X, y, min_gain=0.2)
    assert only(least) == (
        "gain",
        "The best test, x0 ≤ 2.5, gains 0.125, less than min_gain=0.2.",
        1,
    )
    whole = learn(X, y, min_impurity_decrease=0.2)
    assert only(whole)[0] == "gain"
    assert "with 100 % of the weight that is 0.125 of the whole, less than" in only(whole)[1]
    # A node's own gain against what the whole tree gains by it.
    below = learn(X, y, min_impurity_decrease=0.25, max_depth=2, criterion="error")
    assert only(below)[0] == "gain"


def test_the_penalty_is_not_paid() -> None:
    X = {"x": [1.0, 2, 3, 4, 5, 6, 7, 8], "c": list("ppqqppqq")}
    y = [0, 1, 0, 1, 1, 0, 1, 0]
    model = learn(X, y, algorithm="c45", pruning="none")
    ended, reason, n = only(model)
    assert (ended, n) == ("penalty", 2)
    assert "No test pays for its search: the best, x ≤ " in reason


def test_the_limit_of_leaves() -> None:
    X, y = load_iris(return_X_y=True)
    model = learn(X, y, max_leaf_nodes=3)
    told = [only(model, node) for node in leaves(model)]
    assert {ended for ended, _, _ in told} == {"pure", "leaves"}
    _, reason, n = next(t for t in told if t[0] == "leaves")
    assert "The tree had its leaves (max_leaf_nodes=3): splitting by " in reason
    assert n > 0
    for order in ("depth", "breadth"):
        other = learn(X, y, max_leaf_nodes=3, order=order)
        assert {only(other, node)[0] for node in leaves(other)} == {"pure", "leaves"}
    # Without the candidates both remain possible, and both are said.
    bare = learn(X, y, max_leaf_nodes=3, record=False)
    unknown = next(only(bare, n) for n in leaves(bare) if only(bare, n)[0] != "pure")
    assert unknown[0] == "unknown"
    assert "no column has two values among its rows; or the tree had its leaves" in unknown[1]
    assert "record=True" in unknown[1]


def test_pruned_by_a_policy_or_by_hand() -> None:
    model = learn(*loans())
    pruned = model.prune(GeneralizationError(alpha=2))
    node = pruned.pruning_log().cut[0].now
    assert node is not None
    ended, reason, n = only(pruned, node)
    assert ended == "pruned"
    assert reason.startswith("It was pruned by generalization error (alpha 2): it cost ")
    assert n > 0  # what was compared when it was split
    assert str(pruned.why(node)).splitlines()[1] == "compared by gain"
    assert only(model.collapse(0)) == ("pruned", "It was made a leaf by hand.", 3)


def test_what_trees_of_forests_and_of_boosting_say() -> None:
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y).model_
    with pytest.raises(ModelError, match=r"trees of a forest keep none\.$"):
        forest.tree(0).why(0)
    assert {forest.tree(0).why(n).ended for n in leaves(forest.tree(0))} == {"pure"}
    real = RandomForestRegressor(3, random_state=0, max_depth=3).fit(X, X[:, 0]).model_
    assert {real.tree(0).why(n).ended for n in leaves(real.tree(0))} <= {"depth", "unknown"}
    plain = AdaBoostClassifier(n_estimators=3).fit(X, y).estimators_[0].model_
    with pytest.raises(ModelError, match="AdaBoostClassifier if its estimator has record=True"):
        plain.why(0)
    for weak in (
        DecisionTreeClassifier(max_depth=1, record=True),
        DecisionTreeClassifier(max_depth=2, record=True),
    ):
        kept = AdaBoostClassifier(weak, n_estimators=3).fit(X, y).estimators_[2].model_
        assert kept.why(0).chosen.gain > 0
        bare = AdaBoostClassifier(weak.set_params(record=False), n_estimators=3).fit(X, y)
        assert (
            bare.estimators_[2].tree_.compute_feature_importances().tolist()
            == kept.tree.compute_feature_importances().tolist()
        )


def test_files_of_before_say_what_they_know() -> None:
    old = bosco.load(FOLDER / "v1" / "c45.json")
    new = bosco.load(FOLDER / "v2" / "c45.json")
    assert isinstance(old, Model)
    assert isinstance(new, Model)
    for node in leaves(new):
        before, after = old.why(node), new.why(node)
        assert before.ended in (after.ended, "unknown")
        if before.ended == "unknown":
            assert "the candidates of this leaf were not kept" in before.reason
        assert after.ended != "unknown"


SETTINGS: list[dict[str, Any]] = [
    {},
    {"algorithm": "id3"},
    {"algorithm": "c45"},
    {"algorithm": "c45", "pruning": "none"},
    {"algorithm": "hunt", "max_depth": 4},
    {"min_samples_leaf": 7, "min_gain": 0.02},
    {"criterion": "error", "min_impurity_decrease": 0.01},
    {"max_leaf_nodes": 9, "order": "breadth", "nominal_test": "multiway"},
    {"splitter": "random", "min_samples_leaf": 3, "random_state": 0},
    {"nominal_test": "group", "missing": "branch", "score": "gain_ratio", "min_samples_split": 11},
    {"record": False, "min_samples_leaf": 7, "min_gain": 0.02},
    {"pruning": "cost_complexity"},
]


def rows(seed: int, n: int = 200) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    X: dict[str, Any] = {
        "x": rng.integers(0, 9, n).astype(float),
        "z": rng.standard_normal(n).round(1),
        "a": rng.choice(list("pqr"), n).astype(object),
        "b": rng.choice(list("st"), n).astype(object),
    }
    y = ((X["x"] > 4) ^ (X["a"] == "p") ^ (rng.random(n) < 0.2)).astype(int)
    X["x"][::11] = np.nan
    X["a"][3::17] = None
    return X, y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_reasons_hold_for_the_rows(settings: dict[str, Any], seed: int) -> None:
    X, y = rows(seed)
    clf = DecisionTreeClassifier(**settings).fit(X, y)
    model, at = clf.model_, clf.apply(X)
    growth = model.growth
    whole = growth.missing != "fractional"
    for node in leaves(model):
        why = model.why(node)
        assert str(why)
        here = at == node
        classes = set(y[here].tolist())
        n = model.tree.n_node_samples[node]
        values = [{v for v in X[c][here].tolist() if v == v and v is not None} for c in X]
        if why.ended == "pure":
            assert len(classes) == 1 or not whole
            continue
        assert why.ended is not None
        assert len(classes) > 1 or not whole
        if why.ended == "depth":
            assert model.tree.depth[node] == growth.max_depth
        elif why.ended == "samples":
            assert n < growth.min_samples_split
        elif why.ended == "constant" and growth.reuse:
            assert all(len(found) < 2 for found in values)
        elif why.ended == "columns":
            assert len(model.tree.path(node)) == 1 + len(X)
        elif why.ended in ("gain", "penalty"):
            assert len(why) > 0
            assert all(np.isnan(c.score) for c in why)
        elif why.ended == "leaves":
            assert model.n_leaves + 2 > growth.max_leaf_nodes
        elif why.ended == "pruned":
            assert settings["pruning"] == "cost_complexity" if "pruning" in settings else not whole
        if why.ended in ("gain", "penalty", "leaves", "no_test", "unknown"):
            assert n >= growth.min_samples_split
            assert why.ended == "no_test" or any(len(found) > 1 for found in values) or not whole
        assert (why.ended == "unknown") <= (not growth.record)


def test_numbers_whose_squares_vanish_are_not_said_to_be_one() -> None:
    X, noise = np.arange(20.0)[:, None], np.random.default_rng(0).normal(size=20)
    tiny = DecisionTreeRegressor().fit(X, noise * 1e-170).model_
    said = "or of values so near each other that the squares of their distances are 0."
    assert str(tiny.why(0)).splitlines()[0].endswith(said)
    same = DecisionTreeRegressor().fit(X, np.full(20, 3.0)).model_
    assert str(same.why(0)).splitlines()[0].endswith("All its rows are of one value.")
