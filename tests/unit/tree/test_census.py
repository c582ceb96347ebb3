"""Rows are rows, whatever they weigh: every number that is shown of them is counted again here."""

import pickle
import re
from fractions import Fraction
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Model,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.figures.intervals import mean_interval, wilson
from bosco.growth import PRESETS
from bosco.pruning import CostComplexity, Pessimistic
from tests.strategies import examples

SHAPES: dict[str, dict[str, Any]] = {
    "cart": {"max_depth": 3},
    "c45": {"algorithm": "c45", "max_depth": 3},
    "branch": {"missing": "branch", "max_depth": 3},
    "surrogate": {"missing": "surrogate", "max_depth": 3},
    "fractional": {"missing": "fractional", "max_depth": 3, "pruning": "none"},
}


def data(seed: int, n: int = 80, missing: float = 0.15) -> tuple[dict[str, Any], Any, Any]:
    """Columns with holes, three classes, and weights from 1/4 to 10."""
    rng = np.random.default_rng(seed)
    x, v = rng.integers(0, 12, n) / 4, rng.choice(list("abc"), n).astype(object)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), (x > 1.5).astype(int) + (v == "a"))
    x[rng.random(n) < missing], v[rng.random(n) < missing] = np.nan, None
    return {"x": x, "v": v}, np.array(list("pqr"))[y], rng.integers(1, 41, n) / 4


def paths(model: Model, X: Any) -> list[np.ndarray[Any, Any]]:
    """The rows of every node, by walking up from the leaves."""
    leaves = model.apply(X).tolist()
    found = [np.zeros(len(leaves), bool) for _ in range(model.tree.node_count)]
    for row, leaf in enumerate(leaves):
        for node in model.tree.path(leaf):
            found[node][row] = True
    return found


def saved(model: Model, form: Any) -> Any:
    """A model after a turn through a file."""
    file = BytesIO()
    model.save(file, form=form)
    file.seek(0)
    return bosco.load(file)


@examples(10)
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("shape", [s for s in SHAPES if s not in ("fractional", "c45")])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_rows_and_intervals_are_those_of_the_rows(shape: str, class_weight: Any, seed: int) -> None:
    X, y, weight = data(seed)
    sample = None if class_weight == "balanced" and seed % 2 else weight
    learner = DecisionTreeClassifier(**SHAPES[shape], class_weight=class_weight)
    model = learner.fit(X, y, sample_weight=sample).model_
    factor = np.ones(len(y))
    if class_weight:
        own = np.ones(len(y)) if sample is None else sample
        total = {c: own[y == c].sum() for c in model.classes}
        factor = np.array([own.sum() / len(model.classes) / total[c] for c in y])
    leaves = {leaf.node: leaf for leaf in model.leaves()}
    assert model.leaves().basis == ("rows" if class_weight else "effective")
    for node, here in enumerate(paths(model, X)):
        counts = [int(np.sum(y[here] == c)) for c in model.classes]
        assert model.census.by_class[node].tolist() == counts
        if node not in leaves or not here.any():
            continue
        leaf, best = leaves[node], model.classes.tolist().index(leaves[node].prediction)
        assert leaf.rows == here.sum()
        w = (factor if sample is None else factor * sample)[here]
        by_weight = w[y[here] == leaf.prediction].sum() / w.sum()
        assert leaf.by_weight == pytest.approx(by_weight)
        if class_weight:
            share, n = counts[best] / here.sum(), here.sum()
        else:
            share, n = by_weight, w.sum() ** 2 / (w**2).sum()
        assert leaf.number == pytest.approx(n)
        assert leaf.share == pytest.approx(share)
        low, high = wilson(share, n)
        assert (leaf.share_low, leaf.share_high) == (pytest.approx(low), pytest.approx(high))


@examples(10)
@given(seed=st.integers(0, 10**6))
def test_means_and_their_intervals(seed: int) -> None:
    X, _, weight = data(seed)
    y = np.random.default_rng(seed).normal(size=len(weight)) + np.nan_to_num(X["x"])
    model = DecisionTreeRegressor(max_depth=3).fit(X, y, sample_weight=weight).model_
    leaves = {leaf.node: leaf for leaf in model.leaves()}
    for node, here in enumerate(paths(model, X)):
        assert model.census.total[node] == here.sum()
        if node in leaves:
            w, z = weight[here], y[here]
            n = w.sum() ** 2 / (w**2).sum()
            mean = (w * z).sum() / w.sum()
            spread = np.sqrt((w * (z - mean) ** 2).sum() / w.sum() * n / max(n - 1, 1e-9))
            assert leaves[node].share == pytest.approx(mean)
            if n >= 2:
                low, high = mean_interval(mean, spread, n)
                assert leaves[node].share_low == pytest.approx(float(low), abs=1e-6)
                assert leaves[node].share_high == pytest.approx(float(high), abs=1e-6)


@examples(5)
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_any_order_and_any_number_of_threads(shape: str, class_weight: Any, seed: int) -> None:
    X, y, weight = data(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    mixed = {name: column[order] for name, column in X.items()}
    learner = DecisionTreeClassifier(**SHAPES[shape], class_weight=class_weight)
    model = learner.fit(X, y, sample_weight=weight).model_
    other = learner.set_params(n_jobs=2).fit(mixed, y[order], sample_weight=weight[order]).model_
    assert (model.census.rows == other.census.rows).all()
    if class_weight is None:
        assert (model.census.effective == other.census.effective).all()
    assert model.census.total[0] == len(y)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", ["json", "binary"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_files_and_pickles_keep_them(shape: str, form: Any, class_weight: Any) -> None:
    X, y, weight = data(3)
    learner = DecisionTreeClassifier(**SHAPES[shape], class_weight=class_weight)
    model = learner.fit(X, y, sample_weight=weight).model_
    for again in (saved(model, form), pickle.loads(pickle.dumps(model))):
        assert str(again) == str(model)
        assert str(again.leaves()) == str(model.leaves())


def test_copies_are_rows() -> None:
    X, y, weight = data(5)
    times = (weight * 4).astype(int) % 5
    repeated = np.repeat(np.arange(len(y)), times)
    more = {name: column[repeated] for name, column in X.items()}
    for class_weight in (None, "balanced"):
        learner = DecisionTreeClassifier(max_depth=3, class_weight=class_weight, weights="copies")
        once = learner.fit(X, y, sample_weight=times).model_
        twice = learner.fit(more, y[repeated]).model_
        assert str(once) == str(twice)
        assert str(once.leaves()) == str(twice.leaves())
    with pytest.raises(bosco.DataError, match=r"whole number. Got 0.25.*weights='importance'"):
        learner.fit(X, y, sample_weight=np.full(len(y), 0.25))


def test_copies_that_are_not_said_to_be_are_one_row_each() -> None:
    X, y, _ = data(5, n=40)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=[1000] * 40).model_
    assert model.census.total[0] == 40
    assert [leaf.number for leaf in model.leaves()] == [leaf.rows for leaf in model.leaves()]


def credit(seed: int = 0) -> tuple[dict[str, Any], Any]:
    """560 good and 240 bad payers."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["good", "bad"], [560, 240])
    return {"months": np.where(y == "bad", 30, 20) + rng.normal(0, 15, 800)}, y


def test_every_text_says_rows_where_it_says_rows() -> None:
    X, y = credit()
    learner = DecisionTreeClassifier(class_weight="balanced", max_leaf_nodes=4)
    model = learner.fit(X, y).model_
    text = str(model)
    assert "800 weighted rows" in text
    assert "[0] · 800 rows: good 560, bad 240 · by weight" in text
    boxes = model.to_dot() + model.to_mermaid() + str(model.svg())
    rows = [int(n) for n in re.findall(r"(\d+) rows", text + boxes)]
    assert set(rows) <= {int(n) for n in model.census.total}
    leaf = max((leaf for leaf in model.leaves() if leaf.prediction == "bad"), key=lambda x: x.rows)
    bad = int(np.sum((y == "bad") & (model.apply(X) == leaf.node)))
    row = next(i for i, at in enumerate(model.apply(X)) if at == leaf.node)
    said = str(model.explain({"months": X["months"][row]}))
    assert f"so bad: {bad} of {leaf.rows:g} training rows ({100 * bad / leaf.rows:.1f} %)" in said
    assert "interval of the share of rows" in said
    rule = next(rule for rule in model.rules() if rule.leaves == (leaf.node,))
    assert (rule.support, rule.confidence) == (leaf.rows, pytest.approx(bad / leaf.rows))


def test_boosted_trees_count_rows() -> None:
    X, y = credit()
    boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    for round_ in boosted.estimators_:
        census = round_.model_.census
        assert census.by_class[0].tolist() == [240.0, 560.0]
        for node, here in enumerate(paths(round_.model_, X)):
            assert census.total[node] == here.sum()


def test_trees_that_draw_their_rows_say_so() -> None:
    X, y = credit()
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y).model_
    assert "[0] · 800 drawn rows: " in str(forest.tree(0))
    half = RandomForestClassifier(2, max_depth=2, max_samples=0.5, random_state=0).fit(X, y).model_
    assert "[0] · 400 drawn rows: " in str(half.tree(0))
    weighted = RandomForestClassifier(2, max_depth=2, class_weight="balanced", random_state=0)
    text = str(weighted.fit(X, y).model_.tree(0))
    assert "rows:" not in text
    assert "Only the weight of the training rows is known" in text


def test_pruned_models_keep_counting_rows() -> None:
    X, y, weight = data(11, n=200)
    learner = DecisionTreeClassifier(missing="majority")
    model = learner.fit(X, y, sample_weight=weight).model_
    for pruned in (
        model.prune(CostComplexity(alpha=0.01)),
        model.prune(Pessimistic(raising=True), X, y, sample_weight=weight),
        model.collapse(int(model.tree.children(0)[0])),
    ):
        assert pruned.n_leaves < model.n_leaves
        for node, here in enumerate(paths(pruned, X)):
            assert pruned.census.total[node] == here.sum()
            w = weight[here]
            assert pruned.census.effective[node] == pytest.approx(w.sum() ** 2 / (w**2).sum())


def test_rows_that_weigh_next_to_nothing_are_shared_out_too() -> None:
    grower = DecisionTreeClassifier(algorithm="c45")
    model = grower.fit([[1], [2], [3], [4]], [0, 0, 1, 1], sample_weight=[1e-9, 1, 1, 1.5]).model_
    assert model.counted is not None
    assert model.counted.rows.sum(axis=1)[0] / model.counted.scale == 4


def test_held_out_rows_with_weights() -> None:
    X, y, weight = data(2, n=120)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y).model_
    counted = model.recount(X, y, weight)
    assert counted.basis == "effective"
    leaves = model.apply(X)
    for leaf in counted:
        w = weight[leaves == leaf.node]
        assert leaf.rows == len(w)
        assert leaf.number == pytest.approx(w.sum() ** 2 / (w**2).sum())


def test_files_that_do_not_know_their_rows_say_weight() -> None:
    X, y, weight = data(4)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight).model_
    old = Model(model.tree, model.schema, model.classes, model.growth, model.provenance)
    assert old.census is None
    assert " rows" not in str(old).replace("training rows is known", "")
    assert "as if it were rows" in str(old.leaves())


def test_unsound_rows_are_refused() -> None:
    import json

    X, y, weight = data(4)
    file = BytesIO()
    DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=weight).model_.save(
        file, form="json"
    )
    said = json.loads(file.getvalue())
    for change, place in (
        (lambda node: node["rows"].__setitem__(0, node["rows"][0] + 1), r"nodes\[\d+\]\.rows"),
        (lambda node: node["rows"].append(1), r"nodes\[1\]\.rows"),
        (lambda node: node.update(effective=1e6), r"nodes\[1\]\.effective"),
        (lambda node: node.pop("rows"), r"nodes\[1\]\.rows"),
    ):
        broken = json.loads(json.dumps(said))
        change(broken["nodes"][1])
        with pytest.raises(bosco.ModelError, match=place):
            bosco.load(BytesIO(json.dumps(broken).encode()))


def spread(seed: int, n: int = 600) -> tuple[Any, Any, Any]:
    """Rows with holes, a number to learn, and weights over six powers of ten."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + rng.normal(size=n)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y, 10 ** rng.uniform(-6, 0, n)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_models_of_any_weights_are_saved_and_pickled(preset: str, task: str) -> None:
    if task not in PRESETS[preset]["tasks"]:
        return
    X, y, weight = spread(1)
    learner: Any = DecisionTreeRegressor(algorithm=preset)
    if task == "classification":
        learner, y = DecisionTreeClassifier(algorithm=preset), y > 0
    model = learner.fit(X, y, sample_weight=weight).model_
    for again in (saved(model, "json"), saved(model, "binary"), pickle.loads(pickle.dumps(model))):
        assert (again.census.rows == model.census.rows).all()
        assert (again.census.effective == model.census.effective).all()
    if PRESETS[preset]["missing"] == "fractional":
        return
    for node, here in enumerate(paths(model, X)):
        w = [Fraction(x) for x in weight[here]]
        exact = sum(w) ** 2 / sum(x * x for x in w)
        assert model.census.effective[node] == pytest.approx(float(exact), rel=1e-3)


def test_light_rows_beside_heavy_ones_are_rows() -> None:
    X = np.arange(100_000.0)[:, None]
    y = X[:, 0] >= 99_000
    weight = np.where(y, 1e-5, 1.0)
    weight[:10] = 5000
    for missing in ("learn", "fractional"):
        model = DecisionTreeClassifier(missing=missing).fit(X, y, sample_weight=weight).model_
        assert [leaf.number for leaf in model.leaves() if leaf.prediction] == [1000.0]


def test_a_tree_of_a_forest_with_weights_counts_other_rows() -> None:
    X, y, weight = spread(2)
    for learner, target in (
        (RandomForestRegressor(1, max_depth=2, bootstrap=False), y),
        (RandomForestClassifier(1, max_depth=2, bootstrap=False), y > 0),
    ):
        forest: Any = learner
        tree = forest.fit(X, target, sample_weight=weight).model_.tree(0)
        leaves = tree.apply(X)
        for leaf in tree.recount(X, target, weight):
            here = leaves == leaf.node
            said = target[here] == leaf.prediction if target.dtype == bool else target[here]
            assert leaf.by_weight == pytest.approx(np.average(said, weights=weight[here]), rel=1e-6)
