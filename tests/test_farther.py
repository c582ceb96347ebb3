"""Trees that look ahead, and trees that are polished: never worse, the same whoever grows them."""

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ModelError, ParameterError
from bosco.datasets import golf
from tests.test_optimal import table

Rows = tuple[dict[str, list[Any]], list[int], list[int]]


def larger(seed: int, n: int = 200) -> Rows:
    """Rows of numbers and levels, with ties, missing values, weights and noise."""
    draw = random.Random(seed)
    columns: dict[str, list[Any]] = {
        f"c{j}": [
            draw.choice((None, *range(12))) if j % 2 else draw.randrange(20) for _ in range(n)
        ]
        for j in range(4)
    }
    columns["kind"] = [draw.choice("abcde") for _ in range(n)]
    columns["place"] = [draw.choice("pqrstuvwxyz") for _ in range(n)]
    classes = [
        (columns["c0"][i] > 9) ^ (columns["c2"][i] > 7) ^ (columns["kind"][i] in "ab")
        if draw.random() < 0.85
        else draw.randrange(3)
        for i in range(n)
    ]
    weights = [draw.randint(1, 3) if seed % 2 else 1 for _ in range(n)]
    return columns, [int(c) for c in classes], weights


def wrong(tree: DecisionTreeClassifier, rows: Rows) -> int:
    X, y, weights = rows
    return int(np.asarray(weights)[tree.predict(X) != np.asarray(y)].sum())


def grown(rows: Rows, **how: Any) -> DecisionTreeClassifier:
    X, y, weights = rows
    return DecisionTreeClassifier(**how).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "how",
    [
        {"max_leaf_nodes": 8, "min_samples_leaf": 5},
        {"max_depth": 4, "criterion": "entropy"},
        {"max_leaf_nodes": 6, "algorithm": "hunt", "missing": "learn"},
        {"max_leaf_nodes": 12, "order": "depth", "min_samples_leaf": 3},
    ],
)
def test_polishing_never_makes_a_tree_worse(seed: int, how: dict[str, Any]) -> None:
    rows = larger(seed)
    plain, polished = grown(rows, **how), grown(rows, **how, polish=True)
    known = polished.model_.polished
    assert known is not None
    assert (known.before, known.after) == (wrong(plain, rows), wrong(polished, rows))
    assert known.after <= known.before
    assert polished.get_n_leaves() <= plain.get_n_leaves()
    assert polished.get_depth() <= how.get("max_depth", 10**6)
    leaves = polished.tree_.children_left < 0
    assert polished.tree_.n_node_samples[leaves].min() >= how.get("min_samples_leaf", 1)
    if known.rounds == 0:
        assert polished.tree_.native.value.tolist() == plain.tree_.native.value.tolist()


@pytest.mark.parametrize("seed", range(40))
def test_of_two_levels_it_is_the_best_tree(seed: int) -> None:
    columns, classes, weights, wanted = table(random.Random(seed))
    if len(set(classes)) < 2:
        return
    rows = columns, classes, weights
    how: dict[str, Any] = {"max_depth": 2, "min_samples_leaf": wanted.least}
    how["nominal_test"] = "subset" if wanted.subsets else "one_vs_rest"
    plain = grown(rows, **how)
    polished = grown(rows, **how, polish=True)
    if plain.get_n_leaves() == 1:
        return
    best = DecisionTreeClassifier(
        algorithm="optimal", max_leaf_nodes=plain.get_n_leaves(), **how
    ).fit(columns, classes, sample_weight=weights)
    assert wrong(polished, rows) == wrong(best, rows)


@pytest.mark.parametrize(
    "how", [{"polish": True}, {"lookahead": 2}, {"polish": True, "lookahead": 2}]
)
@pytest.mark.parametrize("seed", range(4))
def test_the_same_whoever_grows_it(seed: int, how: dict[str, Any]) -> None:
    rows = larger(seed)
    tree = grown(rows, max_leaf_nodes=9, **how)
    order = list(range(len(rows[1])))
    random.Random(seed).shuffle(order)
    turned = (
        {name: [cells[i] for i in order] for name, cells in rows[0].items()},
        [rows[1][i] for i in order],
        [rows[2][i] for i in order],
    )
    for other in (
        grown(turned, max_leaf_nodes=9, **how),
        grown(rows, max_leaf_nodes=9, n_jobs=3, **how),
    ):
        assert str(other.model_) == str(tree.model_)
        assert other.tree_.native.value.tolist() == tree.tree_.native.value.tolist()


def test_copies_are_weights() -> None:
    X, y, weights = larger(1)
    again = [i for i, times in enumerate(weights) for _ in range(times)]
    rows = {name: [cells[i] for i in again] for name, cells in X.items()}, [y[i] for i in again]
    how: dict[str, Any] = {"max_leaf_nodes": 8, "polish": True, "lookahead": 2, "weights": "copies"}
    weighed = DecisionTreeClassifier(**how).fit(X, y, sample_weight=weights)
    copied = DecisionTreeClassifier(**how).fit(*rows)
    assert weighed.tree_.native.value.tolist() == copied.tree_.native.value.tolist()


def test_a_pair_is_found_where_no_single_test_helps() -> None:
    X = {"a": [0, 0, 1, 1] * 10, "b": [0, 1] * 20, "n": list(range(40))}
    y = [a ^ b for a, b in zip(X["a"], X["b"], strict=True)]
    plain = DecisionTreeClassifier(max_depth=2).fit(X, y)
    ahead = DecisionTreeClassifier(max_depth=2, lookahead=2).fit(X, y)
    polished = DecisionTreeClassifier(max_depth=2, polish=True).fit(X, y)
    assert plain.score(X, y) < 1
    assert ahead.score(X, y) == 1
    assert polished.get_n_leaves() <= plain.get_n_leaves()
    # One in the middle of a tree, too.
    deep = DecisionTreeClassifier(max_leaf_nodes=4, lookahead=2).fit(X, y)
    assert deep.score(X, y) == 1


def test_what_it_says(tmp_path: Any) -> None:
    tree = DecisionTreeClassifier(max_leaf_nodes=3, polish=True).fit(*golf())
    known = tree.model_.polished
    assert known is not None
    assert known.sentence in str(tree.model_)
    path = tmp_path / "m.json"
    tree.model_.save(path)
    loaded = bosco.load(path)
    assert loaded.polished == known
    assert str(loaded) == str(tree.model_)
    assert json.loads(path.read_text())["version"] == 4
    said = json.loads(path.read_text())["provenance"]["polished"]
    assert said == {"before": known.before, "after": known.after, "rounds": known.rounds}
    # Of a tree that is pruned since nothing is said.
    pruned = tree.model_.prune(bosco.pruning.CostComplexity(alpha=10.0))
    assert pruned.polished is None
    assert "Polished" not in str(pruned)
    with pytest.raises(ModelError, match="no steps"):
        tree.model_.trace()
    with pytest.raises(ModelError, match="pairs of tests, or the tree as a whole"):
        tree.model_.why(0)


def kept_and_loaded(model: Any, path: Any) -> Any:
    model.save(path)
    return bosco.load(path)


@pytest.mark.parametrize("change", [{"after": 0.5}, {"rounds": 0}, {"before": -1}, {"rounds": "1"}])
def test_files_are_checked(change: dict[str, Any], tmp_path: Any) -> None:
    tree = DecisionTreeClassifier(max_leaf_nodes=3, polish=True).fit(*golf())
    provenance = dict(tree.model_.provenance)
    assert provenance["polished"]["rounds"] > 0
    provenance["polished"] = provenance["polished"] | change
    broken = replace(tree.model_, provenance=provenance)
    with pytest.raises(ModelError, match="polished"):
        kept_and_loaded(broken, tmp_path / "m.json")


@pytest.mark.parametrize("how", [{"polish": True}, {"lookahead": 2}])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"algorithm": "c45"}, "nominal_test"),
        ({"missing": "branch"}, "missing='branch'"),
        ({"numeric_test": "intervals"}, "intervals"),
        ({"splitter": "random"}, "splitter='random'"),
        ({"max_features": 1}, "max_features=1"),
        ({"min_gain": 0.1}, "min_gain=0.1"),
        ({"min_impurity_decrease": 0.1}, "min_impurity_decrease=0.1"),
        ({"min_weight_fraction_leaf": 0.1}, "min_weight_fraction_leaf=0.1"),
        ({"monotonic_cst": {"humidity": 1}}, "monotonic_cst"),
        ({"algorithm": "optimal"}, "optimal"),
    ],
)
def test_what_it_cannot_mean_is_refused(
    how: dict[str, Any], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        DecisionTreeClassifier(**how, **given).fit(*golf())


@pytest.mark.parametrize("how", [{"polish": True}, {"lookahead": 2}])
def test_where_it_is_refused(how: dict[str, Any]) -> None:
    X, y = golf()
    with pytest.raises(ParameterError, match="of numbers there are none"):
        DecisionTreeRegressor(**how).fit(X, np.arange(len(y)))
    with pytest.raises(ParameterError, match="a draft grows node by node"):
        bosco.draft(DecisionTreeClassifier(**how), X, y)
    with pytest.raises(ParameterError, match="lookahead"):
        DecisionTreeClassifier(lookahead=3).fit(X, y)


def test_boosted_learners_may_be_polished() -> None:
    X, y, _ = larger(3)
    weak = DecisionTreeClassifier(max_depth=2, polish=True)
    boosted = bosco.AdaBoostClassifier(weak, n_estimators=3).fit(X, y)
    assert all(one.model_.polished is not None for one in boosted.estimators_)


def test_one_class_and_one_row() -> None:
    how: dict[str, Any] = {"polish": True, "lookahead": 2}
    tree = DecisionTreeClassifier(**how).fit([[1.0], [2.0]], ["a", "a"])
    assert tree.get_n_leaves() == 1
    assert DecisionTreeClassifier(**how).fit([[1.0]], ["a"]).get_n_leaves() == 1
    none = DecisionTreeClassifier(**how).fit([[np.nan], [np.nan], [1.0]], ["a", "b", "b"])
    assert none.get_n_leaves() == 2
