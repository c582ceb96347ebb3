"""Pruning by hand, by name and in fit; and odd input."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, pruning
from bosco.datasets import golf, play_tennis
from bosco.errors import DataError, ModelError, ParameterError
from bosco.pruning import (
    CostComplexity,
    CriticalValue,
    GeneralizationError,
    Pessimistic,
    ReducedError,
    SameAnswer,
)
from tests.unit.pruning.test_pruning import grown, noisy

# By hand, by name, in fit ---------------------------------------------------------------------


def test_collapse_by_hand() -> None:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    smaller = model.collapse(3)
    assert (model.n_leaves, smaller.n_leaves) == (5, 4)
    (entry,) = smaller.pruning_log()
    assert (entry.node, entry.now, entry.policy, entry.weight) == (3, 3, "by hand", 5)
    assert (entry.kept, entry.pruned, entry.leaves_before, entry.leaves_after) == (0, 2, 2, 1)
    again = smaller.collapse(2)
    assert [e.step for e in again.pruning_log()] == [1, 2]
    for node, words in [(1, "leaf already"), (99, "no node 99"), (-1, "no node"), ("a", "number")]:
        with pytest.raises(ModelError, match=words):
            model.collapse(node)  # type: ignore[arg-type]


def test_log_is_a_table_and_survives_pickling() -> None:
    model = grown(pruning="generalization_error")
    log = model.pruning_log()
    table = log.to_dict()
    assert len(log) == len(table["node"]) == np.count_nonzero(grown().tree.native.test >= 0)
    assert set(table["action"]) == {"collapsed", "kept"}
    assert {entry.action for entry in log.cut} == {"collapsed"}
    assert pickle.loads(pickle.dumps(model)).pruning_log().to_dict() == table
    assert "1. generalization error: " in str(log)
    assert str(grown().pruning_log()) == "nothing was pruned"
    assert "leaves before" in str(grown().prune(GeneralizationError(0)).pruning_log())


def test_the_log_shows_what_was_cut_and_counts_what_was_kept() -> None:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    log = model.prune(GeneralizationError(alpha=1.5)).pruning_log()
    assert str(log).splitlines() == [
        "1. generalization error (alpha 1.5): 5 leaves before, 1 after",
        "kept, pruned: wrong rows in training + 1.5 per leaf",
        "node  now  what       weight  kept  pruned  leaves",
        "   0    0  collapsed      14   7.5     6.5  5 → 1",
        "weighed too: 2 inside what went; to_text(all=True) shows them",
    ]
    assert log.to_text(all=True).splitlines()[3:] == [
        "   0    0  collapsed      14   7.5     6.5  5 → 1",
        "   2    –  kept            5     3     3.5  2 → –",
        "   3    –  kept            5     3     3.5  2 → –",
    ]
    log = model.prune(GeneralizationError(alpha=0.5)).pruning_log()
    assert str(log).splitlines() == [
        "1. generalization error (alpha 0.5): 5 leaves before, 5 after",
        "weighed too: 3 kept; to_text(all=True) shows them",
    ]
    (shown,) = log.tables()
    assert [row[2] for row in shown.rows] == ["kept"] * 3
    assert "nothing" not in log._repr_html_()


def test_numbers_in_the_log_are_those_of_the_tree_as_it_is_now() -> None:
    model = grown()
    inner = np.flatnonzero(model.tree.native.test >= 0)
    once = model.collapse(int(inner[-1]))
    (entry,) = once.pruning_log()
    assert entry.now is not None
    twice = once.collapse(1)  # which renumbers what comes after it
    first, second = twice.pruning_log().cut
    assert second.now == 1
    assert first.now is not None
    assert first.now < entry.now
    assert twice.tree.node_weight[first.now] == first.weight == once.tree.node_weight[entry.now]
    assert twice.why(first.now).ended == twice.why(1).ended == "pruned"
    gone = once.collapse(0).pruning_log()
    assert [e.now for e in gone] == [None, 0]


@pytest.mark.parametrize("name", pruning.POLICIES)
def test_every_policy_by_name(name: str) -> None:
    X, y = noisy()
    tree = DecisionTreeClassifier(pruning=name).fit(X, y)
    assert tree.get_n_leaves() <= grown().n_leaves
    assert clone(tree).get_params()["pruning"] == name
    assert len(tree.model_.pruning_log().steps) == 1
    policy = pruning.POLICIES[name]()
    assert (
        clone(DecisionTreeClassifier(pruning=policy)).pruning == policy or name == "reduced_error"
    )


@pytest.mark.parametrize("name", ["pessimistic", "minimum_description_length"])
def test_policies_of_classes_refuse_numbers(name: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ParameterError, match="defined for classes"):
        DecisionTreeRegressor(pruning=name).fit(X, y)


@pytest.mark.parametrize(
    "policy",
    [
        GeneralizationError(20_000.0),
        ReducedError(0.3),
        CostComplexity(cv=5),
        CostComplexity(alpha=50.0, risk="error"),
        CriticalValue(0.001),
        SameAnswer(),
    ],
    ids=repr,
)
def test_policies_of_numbers(policy: pruning.Policy) -> None:
    X, y = load_diabetes(return_X_y=True)
    full = DecisionTreeRegressor(min_samples_leaf=2).fit(X, y).get_n_leaves()
    assert (
        DecisionTreeRegressor(min_samples_leaf=2, pruning=policy).fit(X, y).get_n_leaves() <= full
    )


def test_c45_prunes_unless_told_otherwise() -> None:
    X, y = noisy()
    tree = DecisionTreeClassifier(algorithm="c45").fit(X, y)
    plain = DecisionTreeClassifier(algorithm="c45", pruning="none").fit(X, y)
    assert tree.get_n_leaves() < plain.get_n_leaves()
    assert tree.model_.pruning_log().steps[0].policy == "pessimistic"
    assert plain.model_.prune("pessimistic", X, y).tree == tree.tree_
    other = DecisionTreeClassifier(algorithm="c45", ccp_alpha=0.01).fit(X, y)
    assert other.model_.pruning_log().steps[0].policy == "cost complexity (alpha 0.01)"
    regressor = DecisionTreeRegressor(algorithm="c45", criterion="squared_error").fit(X, y)
    assert not regressor.model_.pruning_log().steps


def test_class_weights_reach_the_folds_and_the_part_set_apart() -> None:
    X, y = noisy()
    weights = {0: 1, 1: 5}
    for policy in (CostComplexity(cv=5), ReducedError(0.3)):
        tree = DecisionTreeClassifier(pruning=policy, class_weight=weights).fit(X, y)
        recall = (tree.predict(X)[y == 1] == 1).mean()
        even = DecisionTreeClassifier(pruning=policy).fit(X, y)
        assert recall >= (even.predict(X)[y == 1] == 1).mean()


def test_monotone_trees_are_not_raised() -> None:
    X, y = noisy()
    cst = [1, 0, 0, 0, 0, 0]
    tree = DecisionTreeClassifier(pruning="pessimistic", monotonic_cst=cst).fit(X, y)
    assert {e.action for e in tree.model_.pruning_log()} <= {"collapsed", "kept"}


@pytest.mark.parametrize(("n", "seed"), [(40, 110), (80, 149), (300, 64)])
def test_rows_that_weigh_a_part_are_raised_in_any_order(n: int, seed: int) -> None:
    """A heavy row can make a leaf cheaper: to stop early is to follow the order of the rows."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n, 4)), 2)
    noise = random.random(n) < 0.35
    y = np.where(noise, random.integers(0, 3, n), (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5))
    weight = random.integers(1, 9, n) / 4
    one, two = (
        DecisionTreeClassifier(algorithm="c45").fit(X[way], y[way], sample_weight=weight[way]).tree_
        for way in (slice(None), slice(None, None, -1))
    )
    assert one == two


@pytest.mark.parametrize("policy", [CostComplexity(cv=5), ReducedError(0.3)], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_rows_are_parted_by_what_they_hold(policy: Any, weighted: bool, learner: Any) -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        X, y = noisy(120, seed)
        X = {"a": X[:, 0], "b": np.where(X[:, 1] > 1, np.nan, X[:, 1]), "c": X[:, 2] > 0}
        X["d"] = random.choice(["x", "y", "z"], len(y)).astype(object)
        weight = random.integers(1, 9, len(y)) / 4 if weighted else np.ones(len(y))
        trees = set()
        for order in (np.arange(len(y)), random.permutation(len(y)), np.arange(len(y))[::-1]):
            rows = {name: column[order] for name, column in X.items()}
            tree = learner(pruning=policy, random_state=seed)
            trees.add(tree.fit(rows, y[order], sample_weight=weight[order]).tree_.digest())
        assert len(trees) == 1


def test_nothing_to_choose_from() -> None:
    """One class: the path is one leaf, at alpha 0."""
    for y in ([0, 0, 0, 0], [1.5, 1.5, 1.5, 1.5]):
        learner = DecisionTreeClassifier if y[0] == 0 else DecisionTreeRegressor
        for weight in (None, [0.95, 0.52, 0.99, 0.09]):
            tree = learner(pruning=CostComplexity(cv=2))
            assert tree.fit([[0], [1], [2], [3]], y, sample_weight=weight).get_n_leaves() == 1


# Odd input ------------------------------------------------------------------------------------


def test_the_folds_choose_what_a_leaf_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, float] = {}
    one_risk = CostComplexity._choose

    def watched(self: CostComplexity, *given: Any) -> Any:
        found[self.risk] = (answer := one_risk(self, *given))[0]
        return answer

    monkeypatch.setattr(CostComplexity, "_choose", watched)
    won = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 3))
        y = np.where(X[:, 0] + rng.normal(size=120) > 0.8, "bad", "good")

        def fitted(risk: str) -> Any:
            policy = CostComplexity(cv=4, one_standard_error=False, risk=risk)
            tree = DecisionTreeClassifier(pruning=policy, costs={"bad": {"good": 6}})
            return tree.fit(X, y).model_  # noqa: B023

        chosen = fitted("either")
        best = "error" if found["error"] <= found["impurity"] * (1 + 1e-9) else "impurity"
        won.add(best)
        assert str(chosen) == str(fitted(best))
    assert won == {"error", "impurity"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GeneralizationError(alpha=-1), "0 or more"),
        (lambda: GeneralizationError(alpha=math.nan), "0 or more"),
        (lambda: GeneralizationError(alpha=True), "0 or more"),
        (lambda: CostComplexity(alpha=-0.1), "0 or more"),
        (lambda: CostComplexity(alpha=math.inf), "0 or more"),
        (lambda: CostComplexity(cv=1), "2 or more"),
        (lambda: CostComplexity(risk="gini"), "'impurity', 'error'"),
        (lambda: CostComplexity(alpha=0.1, risk="either"), "where alpha is given"),
        (lambda: Pessimistic(confidence=0), "at most 0.5"),
        (lambda: Pessimistic(confidence=0.6), "at most 0.5"),
        (lambda: CriticalValue(level=0), "between 0 and 1"),
        (lambda: CriticalValue(level=1), "between 0 and 1"),
        (lambda: ReducedError(validation=0), "between 0 and 1"),
        (lambda: ReducedError(validation=1.5), "between 0 and 1"),
        (lambda: ReducedError(validation=([1], [2], [3], [4])), "X, y"),
        (lambda: ReducedError(validation="data"), "tuple"),
    ],
)
def test_settings_out_of_range(make: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        make()


def test_names_of_no_policy() -> None:
    X, y = noisy()
    with pytest.raises(ParameterError, match="Did you mean 'pessimistic'"):
        DecisionTreeClassifier(pruning="pesimistic").fit(X, y)
    with pytest.raises(ParameterError, match="Did you mean 'cost_complexity'"):
        grown().prune("cost_complexitiy")
    with pytest.raises(ParameterError, match="two ways to prune"):
        DecisionTreeClassifier(pruning="pessimistic", ccp_alpha=0.1).fit(X, y)
    DecisionTreeClassifier(pruning="none", ccp_alpha=0.1).fit(X, y)


def test_validation_with_other_columns_or_labels() -> None:
    X, y = golf()
    model = DecisionTreeClassifier().fit(X, y).model_
    less = {name: X[name] for name in list(X)[1:]}
    with pytest.raises(DataError, match="outlook"):
        model.prune(ReducedError((less, y)))
    with pytest.raises(DataError, match=r"'play'.*Did you mean 'Play'"):
        model.prune(ReducedError((X, ["play"] * 14)))
    with pytest.raises(DataError, match="inconsistent numbers"):
        model.prune(ReducedError((X, y[:5])))
    with pytest.raises(DataError, match="NaN"):
        model.prune(ReducedError((X, [None, *list(y)[1:]])))


def test_shares_that_leave_a_class_empty() -> None:
    X, y = noisy(50)
    y = y.copy()
    y[0] = 2
    with pytest.raises(DataError, match="1 of the rarest of 3 classes"):
        DecisionTreeClassifier(pruning="reduced_error").fit(X, y)
    with pytest.raises(DataError, match="without a row"):
        DecisionTreeClassifier(pruning=ReducedError(0.01)).fit(X, y)
    # A class that only one fold has is wrong there, whatever the tree; the others decide.
    assert DecisionTreeClassifier(pruning=CostComplexity(cv=5)).fit(X, y).get_n_leaves() >= 1
    with pytest.raises(DataError, match="fewer folds"):
        DecisionTreeClassifier(pruning="cost_complexity").fit(X[:8], y[:8])


def test_what_a_model_cannot_do_alone() -> None:
    model = grown()
    with pytest.raises(ParameterError, match="raising=False"):
        model.prune(Pessimistic())
    with pytest.raises(ParameterError, match="give it to an estimator"):
        model.prune(CostComplexity())
    with pytest.raises(ParameterError, match="give it to an estimator"):
        model.prune(ReducedError(0.3))
    with pytest.raises(DataError, match="not the rows"):
        model.prune(Pessimistic(), *noisy(300, seed=5))
    with pytest.raises(ParameterError, match="price"):
        model.sweep(price=-1)


def test_one_leaf_stays_one_leaf() -> None:
    model = DecisionTreeClassifier().fit([[1.0]], ["only"]).model_
    for name, policy in pruning.POLICIES.items():
        if name == "reduced_error":
            pruned = model.prune(ReducedError(([[1.0]], ["only"])))
        elif name == "cost_complexity":
            pruned = model.prune(CostComplexity(alpha=1.0))
        else:
            pruned = model.prune(policy(), [[1.0]], ["only"])
        assert pruned.n_leaves == 1
        assert len(pruned.pruning_log()) == 0
    assert model.sweep().leaves.tolist() == [1]


@pytest.mark.parametrize("weights", ["importance", "copies"])
@pytest.mark.parametrize("algorithm", ["c45", "cart"])
@pytest.mark.parametrize("class_weight", ["balanced", {"a": 1, "b": 3.7}])
@pytest.mark.parametrize("sampled", [False, True])
def test_the_rows_of_a_tree_with_class_weights_are_known(
    weights: str, algorithm: str, class_weight: Any, sampled: bool
) -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 6, (200, 3)).astype(float)
    y = np.where((X[:, 0] > 3) ^ (rng.random(200) < 0.2), "b", "a")
    w = rng.integers(1, 4, 200) if sampled else None
    shared: dict[str, Any] = {"algorithm": algorithm, "class_weight": class_weight}
    full = DecisionTreeClassifier(**shared, weights=weights, pruning="none").fit(X, y, w).model_
    wanted = DecisionTreeClassifier(**shared, weights=weights, pruning=Pessimistic())
    found = full.prune(Pessimistic(), X, y, sample_weight=w)
    assert str(found) == str(wanted.fit(X, y, w).model_)
    assert str(found.leaves()) == str(wanted.model_.leaves())
    with pytest.raises(DataError, match="these are not the rows"):
        full.prune(Pessimistic(), X[:199], y[:199], sample_weight=None if w is None else w[:199])


def test_weight_is_not_called_rows() -> None:
    X = np.random.default_rng(1).integers(0, 6, (300, 4)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] > 6, "b", "a")
    model = DecisionTreeClassifier(class_weight={"a": 1, "b": 10}, max_depth=3).fit(X, y).model_
    heavy = "weight of wrong rows in training"
    assert f"{heavy} + 5 per leaf" in str(model.prune(GeneralizationError(alpha=5)).pruning_log())
    assert heavy in str(model.collapse(0).pruning_log())
    assert heavy in str(model.prune(SameAnswer()).pruning_log())
    fitted = DecisionTreeClassifier(class_weight="balanced", pruning=GeneralizationError(5.0))
    assert heavy in str(fitted.fit(X, y).model_.pruning_log())
    plain = DecisionTreeClassifier(max_depth=3).fit(X, y).model_
    assert "pruned: wrong rows in training" in str(plain.collapse(0).pruning_log())
    held = ReducedError(validation=(X, y, np.arange(300) % 3))
    assert "weight of wrong validation rows" in str(plain.prune(held).pruning_log())
