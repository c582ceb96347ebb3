"""A trace: every figure again from the rows, and the worked figures of the method by name."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.class_weight import compute_sample_weight

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier
from bosco.datasets import golf, loans, play_tennis
from bosco.errors import DataError, ModelError, ParameterError
from bosco.render.card import say_test
from bosco.settings.settings import ALGORITHMS


def of(clf: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return clf.fit(X, y, sample_weight=weight).model_.trace(X, y, weight)


def impurity(criterion: str, y: np.ndarray, weight: np.ndarray) -> float:
    """The impurity of rows, by its definition."""
    if criterion == "squared_error":
        return float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
    p = np.bincount(np.unique(y, return_inverse=True)[1], weight) / weight.sum()
    return float(
        {
            "gini": 1 - (p**2).sum(),
            "entropy": -(p * np.log2(p)).sum(),
            "error": 1 - p.max(),
            "sqrt": np.sqrt(p * (1 - p)).sum() / 2,
        }[criterion]
    )


@pytest.mark.filterwarnings("ignore:Column 'Day'")
def test_the_worked_figures_of_play_tennis() -> None:
    X, y = play_tennis(day=True)
    step = of(DecisionTreeClassifier(algorithm="id3"), X, y)[0]
    assert round(step.impurity, 4) == 0.9403
    gains = {
        t.best.column: (round(t.best.gain, 4), round(t.best.gain_ratio, 4)) for t in step.columns
    }
    assert gains == {
        "Day": (0.9403, 0.2470),
        "Outlook": (0.2467, 0.1564),
        "Humidity": (0.1518, 0.1518),
        "Wind": (0.0481, 0.0488),
        "Temperature": (0.0292, 0.0188),
    }
    told = str(of(DecisionTreeClassifier(algorithm="id3"), *play_tennis())[0])
    assert "gain 0.9403 − (4/14)·0 − (5/14)·0.9710 − (5/14)·0.9710 = 0.2467" in told
    assert "Outlook wins: its gain, 0.2467, is the largest; the next is that of Humidity" in told


def test_the_stump_of_the_loans() -> None:
    (step, *leaves) = of(DecisionTreeClassifier(algorithm="stump"), *loans())
    assert [way.tally for way in step.columns[0].ways] == [(0, 9), (4, 9), (14, 4)]
    assert step.columns[0].best.column == "reputation"
    assert step.impurity - step.columns[0].best.gain == pytest.approx(0.20)
    assert "max_depth=1" in leaves[1].verdict


def test_ties_and_what_is_not_paid_are_told() -> None:
    told = str(of(DecisionTreeClassifier(algorithm="hunt"), *golf())[0])
    assert "outlook wins a tie with temperature, humidity: their gain is 0.0714" in told
    c45 = DecisionTreeClassifier(algorithm="c45", pruning="none")
    assert "less its penalty 0.1022 − 0.1846 = -0.0824" in str(of(c45, *golf())[0])


GROWN = [name for name in ALGORITHMS if name != "optimal"]  # whose trees have no steps


@pytest.mark.parametrize("algorithm", GROWN)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_figure_from_the_rows(algorithm: str, weighted: bool) -> None:
    """Branches, impurities and gains of the winner, node by node, for every preset."""
    rng = np.random.default_rng(3)
    n = 120
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n).astype(float),
            "b": rng.normal(size=n),
            "c": list("xyz") * (n // 3),
        }
    )
    y = np.digitize(X["b"] + (X["c"] == "x") + rng.normal(size=n) / 2, [0, 1])
    weight = rng.choice([0.5, 1.0, 2.5], n) if weighted else np.ones(n)
    clf = DecisionTreeClassifier(algorithm=algorithm, pruning="none", max_depth=4)
    trace = of(clf, X, y, weight if weighted else None)
    model, criterion = clf.model_, clf.model_.growth.criterion
    assert sorted(step.node for step in trace) == list(range(model.tree.node_count))
    path = model.tree.path
    leaf = clf.apply(X)
    for step in trace:
        here = np.array([step.node in path(k) for k in leaf.tolist()])
        assert step.weight == pytest.approx(weight[here].sum())
        assert step.impurity == pytest.approx(impurity(criterion, y[here], weight[here]), abs=1e-12)
        if step.why.ended is not None:
            continue
        won = step.columns[0]
        for way, child in zip(won.ways, model.tree.children(step.node), strict=True):
            below = np.array([child in path(k) for k in leaf.tolist()])
            assert way.weight == pytest.approx(weight[below].sum())
            if below.any():
                want = impurity(criterion, y[below], weight[below])
                assert way.impurity == pytest.approx(want, abs=1e-12)
        for tried in step.columns:
            rest = sum(way.weight * way.impurity for way in tried.ways) / step.weight
            gross = tried.best.gain + tried.best.penalty
            assert gross == pytest.approx(step.impurity - rest, abs=1e-9)
            assert sum(way.weight for way in tried.ways) == pytest.approx(step.weight)


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch", "majority"])
def test_missing_values_and_numbers(missing: str) -> None:
    """The arithmetic holds wherever missing values go, and every cut is one of the column's."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(90, 2)).round(1), columns=["a", "b"])
    y = X["a"].fillna(0).to_numpy() * 2 + rng.normal(size=90)
    X = X.mask(rng.random(X.shape) < 0.15)
    trace = of(DecisionTreeRegressor(missing=missing, max_depth=3), X, y)
    for step in trace:
        for tried in step.columns:
            judged = sum(way.weight for way in tried.ways)
            inside = tried.impurity - sum(w.weight * w.impurity for w in tried.ways) / judged
            assert tried.best.gain == pytest.approx(inside * judged / step.weight, abs=1e-9)
            if tried.cuts is not None and len(tried.cuts):
                known = X[tried.best.column].dropna()
                assert np.isin(tried.cuts.low, known).all()
                assert tried.cuts.gain[tried.cuts.allowed].max() <= tried.best.gain + 1e-12


def test_the_order_is_that_of_growing() -> None:
    X, y = golf()
    depth = [s.node for s in of(DecisionTreeClassifier(), X, y)]
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert depth == [0, *_preorder(tree, 0)]
    broad = of(DecisionTreeClassifier(order="breadth"), X, y)
    levels = [len(step.conditions) for step in broad]
    assert levels == sorted(levels)
    best = of(DecisionTreeClassifier(algorithm="best_first", max_leaf_nodes=4), X, y)
    assert [s.number for s in best] == list(range(1, len(best) + 1))


def _preorder(tree: Any, node: int) -> list[int]:
    return [n for child in tree.children(node) for n in (child, *_preorder(tree, child))]


def test_other_rows_are_refused() -> None:
    """By what nodes hold, and by who wins; never with a reason that is not so."""
    X, y = play_tennis()
    model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    with pytest.raises(DataError, match=r"^At node 0 these rows weigh 14, and .* or their classes"):
        model.trace(X, ["Yes" if label == "No" else "No" for label in y])
    with pytest.raises(DataError, match=r"^At node 0 another test, or none, wins by these rows"):
        model.trace(X, y[::-1])
    X, y = golf()
    drawn = RandomForestClassifier(2, random_state=0).fit(X, y).estimators_[0].model_
    with pytest.raises(DataError, match=r"forest\.trace\(X, y, tree=0\)"):
        drawn.trace(X, y)
    with pytest.raises(ParameterError, match="Got X without y"):
        model.trace(X)


@pytest.mark.parametrize("missing", ["learn", "fractional"])
@pytest.mark.parametrize("class_weight", ["balanced", {"Play": 3, "Don't Play": 1.7}])
def test_weights_of_classes_follow(class_weight: Any, missing: str) -> None:
    """They are not kept with a model; the sums at its root say what they were."""
    X, y = golf()
    clf = DecisionTreeClassifier(class_weight=class_weight, missing=missing)
    weight = compute_sample_weight(class_weight, y)
    for step in of(clf, X, y):
        here = np.array([step.node in clf.tree_.path(k) for k in clf.apply(X).tolist()])
        assert step.weight == pytest.approx(weight[here].sum())
        assert sorted(step.rows.tolist()) == np.flatnonzero(here).tolist()
        for tried in step.columns:
            rest = sum(way.weight * way.impurity for way in tried.ways) / step.weight
            assert tried.best.gain == pytest.approx(step.impurity - rest)


@pytest.mark.parametrize("class_weight", ["balanced", {"Play": 3, "Don't Play": 1.7}])
def test_weights_of_classes_follow_where_products_were_rounded(class_weight: Any) -> None:
    """Of sample weights with many digits; without those weights the rows are others."""
    X, y = golf()
    own = np.random.default_rng(0).random(len(y))
    model = DecisionTreeClassifier(class_weight=class_weight).fit(X, y, own).model_
    weight = own * compute_sample_weight(class_weight, y)
    if class_weight == "balanced":  # by weight, where rows have weights
        sums = {label: own[np.asarray(y) == label].sum() for label in set(y)}
        weight = own * [own.sum() / (2 * sums[label]) for label in y]
    leaves = model.apply(X).tolist()
    for step in model.trace(X, y, own):
        here = np.array([step.node in model.tree.path(k) for k in leaves])
        assert step.weight == pytest.approx(weight[here].sum(), rel=1e-9)
    with pytest.raises(DataError, match="the same rows with the weights"):
        model.trace(X, y)


def test_without_rows_what_was_recorded() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(algorithm="c45", pruning="none").fit(X, y).model_
    known, whole = model.trace(), model.trace(X, y)
    assert "every cut and every branch" in known.note
    for told, all_ in zip(known, whole, strict=True):
        assert (told.node, told.conditions, told.verdict) == (
            all_.node,
            all_.conditions,
            all_.verdict,
        )
        for one, other in zip(told.columns, all_.columns, strict=True):
            assert one.best.test == other.best.test
            assert one.best.gain == pytest.approx(other.best.gain)
            assert one.cuts is None
            if one.best.chosen:
                assert one.arithmetic(told.weight) == other.arithmetic(told.weight)
    silent = DecisionTreeClassifier(record=False).fit(X, y).model_
    with pytest.raises(ModelError, match=r"model\.trace\(X, y\).*record=True"):
        silent.trace()


@pytest.mark.parametrize("score", ["gain", "gain_ratio"])
def test_the_curve_of_a_column(score: str) -> None:
    """Every cut, with its gain from the rows; the best is the column's candidate."""
    X, y = golf()
    clf = DecisionTreeClassifier(criterion="entropy", score=score, max_depth=2).fit(X, y)
    model, weight = clf.model_, np.ones(14)
    x, label = np.array(X["humidity"]), np.array(y)
    for node in range(model.tree.node_count):
        curve = model.why(node, column="humidity", X=X, y=y)
        here = np.array([node in clf.tree_.path(k) for k in clf.apply(X).tolist()])
        assert curve.weight == here.sum()
        values = np.unique(x[here])
        assert curve.tests.low.tolist() == values[:-1].tolist()
        for i, cut in enumerate(curve.tests.threshold):
            sides = here & (x <= cut), here & (x > cut)
            rest = sum(impurity("entropy", label[s], weight[s]) * s.sum() for s in sides)
            want = impurity("entropy", label[here], weight[here]) - rest / here.sum()
            assert curve.tests.gain[i] == pytest.approx(want, abs=1e-12)
            left = np.array([np.sum(label[sides[0]] == k) for k in model.classes])
            assert curve.tests.left[i].tolist() == left.tolist()
    root = model.why(0, column="humidity", X=X, y=y)
    told = next(c for c in model.why(0) if c.column == "humidity")
    assert root.best.best.test == told.test
    assert str(root).count("\n") == len(root.tests) + 2
    assert root.to_dict()["tests"]["threshold"] == root.tests.threshold.tolist()
    assert "<table" in root._repr_html_()


def test_levels_and_folded_curves() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(algorithm="hunt", criterion="gini").fit(X, y).model_
    curve = model.why(0, column="outlook", X=X, y=y)
    assert curve.tests.level == ("overcast", "rain", "sunny")
    label, column = np.array(y), np.array(X["outlook"])
    for level, gain in zip(curve.tests.level, curve.tests.gain, strict=True):
        sides = column == level, column != level
        rest = sum(impurity("gini", label[s], np.ones(s.sum())) * s.sum() for s in sides) / 14
        assert gain == pytest.approx(impurity("gini", label, np.ones(14)) - rest)
    assert curve.tests.gain.max() == pytest.approx(curve.best.best.gain)
    multiway = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    only = multiway.why(0, column="Outlook", X=play_tennis()[0], y=play_tennis()[1])
    assert only.tests is None
    assert "(5/14)·0.9710 = 0.2467" in str(only)
    rng = np.random.default_rng(0)
    Z, z = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    many = DecisionTreeClassifier(max_depth=1).fit(Z, z).model_.why(0, column="x0", X=Z, y=z)
    assert "… and 279 more; to_text(all=True)" in str(many)
    assert many.to_text(all=True).count("\n") == 301
    assert " best" in str(many)


def test_a_curve_needs_rows_and_a_column() -> None:
    X, y = golf()
    model = DecisionTreeClassifier().fit(X, y).model_
    with pytest.raises(ModelError, match=r"model\.why\(0, column='humidity', X=X, y=y\)"):
        model.why(0, column="humidity")
    with pytest.raises(ParameterError, match="Did you mean 'humidity'"):
        model.why(0, column="humidty", X=X, y=y)
    with pytest.raises(ParameterError, match="Got X without y"):
        model.why(0, X=X)


def test_all_candidates_of_one_node_come_from_the_rows() -> None:
    X, y = golf()
    model = DecisionTreeClassifier().fit(X, y).model_
    bare = DecisionTreeClassifier(record=False).fit(X, y).model_
    for node in range(model.tree.node_count):
        assert str(model.why(node, X=X, y=y)) == str(model.why(node))
        if model.tree.native.test[node] >= 0:
            assert str(bare.why(node, X=X, y=y)) == str(model.why(node))
    with pytest.raises(DataError, match="another test, or none, wins"):
        model.why(0, X=X, y=y[::-1])


def test_plain_values() -> None:
    import json

    trace = of(DecisionTreeClassifier(), *golf())
    told = json.loads(json.dumps(trace.to_dict()))["steps"]
    assert len(told) == len(trace)
    assert told[0]["columns"][0]["chosen"] is True
    assert told[0]["columns"][0]["arithmetic"] in str(trace[0])


def test_known_against_missing_levels_for_numbers() -> None:
    X, y = {"c": ["r", "g", None, None]}, [1.0, 1.0, 5.0, 5.0]
    model = DecisionTreeRegressor().fit(X, y).model_
    (first, *_) = model.trace(X, y)
    assert [way.words for way in first.columns[0].ways] == ["c is known", "c is missing"]
    assert "4.0000" in str(model.why(0, column="c", X=X, y=y))


def test_trees_with_a_monotone_order() -> None:
    X, y = {"a": [1.0, 2, 3, 4]}, [1, 2, 3, 4.0]
    model = DecisionTreeRegressor(monotonic_cst={"a": 1}).fit(X, y).model_
    assert len(model.trace(X, y)) == 7
    assert "≤ 1.5" in str(model.why(1, column="a", X=X, y=y))


@pytest.mark.parametrize("seed", [7, 16, 21, 23])
def test_a_test_that_pruning_raised_is_told_as_such(seed: int) -> None:
    random, n = np.random.default_rng(seed), 60
    a, c = random.integers(0, 6, n).astype(float), random.choice(list("rgby"), n)
    X = {"a": a, "c": c, "d": random.choice(list("uv"), n)}
    y = np.where((a > 2) & (random.random(n) < 0.7), "x", random.choice(list("xyz"), n))
    model = DecisionTreeClassifier(algorithm="c45").fit(X, y).model_
    told = []
    for step in model.trace(X, y):
        test = model.tree.test(step.node)
        if test is not None:
            assert step.why.candidates[0].test == say_test(model.schema, test)
            told += ["was not chosen by these rows" in step.verdict]
    assert any(told)


def test_names_in_a_curve_do_not_act() -> None:
    X, y = {"\x1b[2Jesc": ["x", "y"] * 4}, list("abababab")
    model = DecisionTreeClassifier().fit(X, y).model_
    assert "\x1b" not in str(model.why(0, column="\x1b[2Jesc", X=X, y=y))


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_best_of_several_cuts_is_no_single_one(language: str) -> None:
    X, y = {"a": [1.0, 2, 3, 4, 5, 6]}, [1, 1, 5, 5, 9, 9.0]
    model = DecisionTreeRegressor(numeric_test="intervals").fit(X, y).model_
    with bosco.speaking(language):
        said = str(model.why(0, column="a", X=X, y=y))
    assert "10.6667" in said
    assert not [line for line in said.splitlines() if line.endswith(("best", "migliore"))]


def test_equal_numbers_have_no_spread() -> None:
    X, y = {"a": [1.0, 1, 1, 2]}, [-0.1, -0.1, -0.1, 3]
    said = str(DecisionTreeRegressor().fit(X, y).model_.trace(X, y))
    assert "e-3" not in said
