"""The best small tree: against plain enumeration, the same whoever searches, and told as it is."""

import json
import os
import pickle
import random
import threading
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import (
    DecisionTreeClassifier,
    ModelError,
    ParameterError,
)
from bosco.base.numerals import show_figure
from bosco.datasets import golf
from tests.reference.optimal import Wanted, best

GREEDY = ("min_gain", "min_impurity_decrease", "max_features", "min_weight_fraction_leaf")


def table(draw: random.Random) -> tuple[dict[str, list[Any]], list[int], list[int], Wanted]:
    """A few rows of numbers and levels with ties and missing values, and what is asked of them."""
    depth = draw.choice((1, 2, 2, 3))
    n = draw.randint(3, 8 if depth == 3 else 14)
    columns: dict[str, list[Any]] = {}
    for j in range(draw.randint(1, 2 if depth == 3 else 3)):
        gaps = draw.random() < 0.3
        levels = draw.random() < 0.4
        size = draw.randint(2, 9 if depth < 3 else 4)
        values = [f"v{i}" for i in range(size)] if levels else list(range(size))
        cells = [draw.choice(values) for _ in range(n)]
        columns[f"c{j}"] = [None if gaps and draw.random() < 0.25 else cell for cell in cells]
        if all(cell is None for cell in columns[f"c{j}"]):
            columns[f"c{j}"][0] = values[0]
    classes = [draw.randrange(draw.choice((2, 3))) for _ in range(n)]
    weights = [draw.randint(1, 3) if draw.random() < 0.3 else 1 for _ in range(n)]
    wanted = Wanted(
        depth=depth,
        alpha=draw.choice((Fraction(0), Fraction(1, 2), Fraction(1), Fraction(13, 10))),
        leaves=draw.choice((1 << 30, 1 << 30, 2, 3)),
        least=draw.choice((1, 1, 2)) if set(weights) == {1} else 1,
        subsets=draw.random() < 0.7,
    )
    if draw.random() < 0.4:
        wanted = replace(wanted, costs=drawn_costs(draw, sorted(set(classes))))
    return columns, classes, weights, wanted


def drawn_costs(draw: random.Random, labels: list[int]) -> tuple[tuple[int, int, Fraction], ...]:
    """What some mistakes cost: whole numbers, tenths and thirds; of a class, or of each pair."""
    prices = [Fraction(1), Fraction(5), Fraction(1, 3), Fraction(3, 10), Fraction(12)]
    alike = draw.random() < 0.3
    said = []
    for true in labels:
        own = draw.choice(prices)
        others = [a for a in labels if a != true and (alike or draw.random() < 0.7)]
        said += [(true, answer, own if alike else draw.choice(prices)) for answer in others]
    wanted = Wanted(1, costs=tuple(said))
    pairs = {wanted.cost(t, a) for t in labels for a in labels if t != a}
    return tuple(said) if len(pairs) > 1 else ()  # such as are all equal decide nothing


def costs_for(wanted: Wanted) -> dict[int, dict[int, float]] | None:
    """The same as an estimator takes them."""
    costs: dict[int, dict[int, float]] = {}
    for true, answer, cost in wanted.costs:
        costs.setdefault(true, {})[answer] = float(cost)
    return costs or None


def cost_of(wanted: Wanted, truth: Any, said: Any, weights: Any) -> float:
    """What answers cost, row by row."""
    rows = zip(truth, np.asarray(said).tolist(), weights, strict=True)
    return float(sum(weight * wanted.cost(t, a) for t, a, weight in rows))


def learner(wanted: Wanted, **more: Any) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(
        algorithm="optimal",
        max_depth=wanted.depth,
        max_leaf_nodes=wanted.leaves if wanted.leaves < 1 << 30 else None,
        alpha=float(wanted.alpha),
        min_samples_leaf=wanted.least,
        nominal_test="subset" if wanted.subsets else "one_vs_rest",
        costs=costs_for(wanted),
        **more,
    )


@pytest.mark.parametrize("seed", range(60 * int(os.environ.get("EXAMPLES", "1"))))
def test_no_tree_is_better(seed: int) -> None:
    columns, classes, weights, wanted = table(random.Random(seed))
    if len(set(classes)) < 2:
        return
    clf = learner(wanted).fit(columns, classes, sample_weight=weights)
    objective, leaves = best(list(columns.values()), classes, weights, wanted)
    known = clf.model_.certificate
    assert known is not None
    assert known.proved
    assert known.gap == 0
    assert known.objective == pytest.approx(float(objective), abs=1e-9)
    assert known.leaves == clf.get_n_leaves() == leaves
    # What the certificate says of the tree, the tree does.
    wrong = np.asarray(weights)[clf.predict(columns) != np.asarray(classes)].sum()
    assert known.wrong == wrong
    assert (known.cost is None) == (not wanted.costs)
    if known.cost is not None:
        cost = cost_of(wanted, classes, clf.predict(columns), weights)
        assert known.cost == pytest.approx(cost, abs=1e-9)
    assert clf.get_depth() <= wanted.depth
    assert clf.tree_.n_node_samples[clf.tree_.children_left < 0].min() >= wanted.least


def mixed(n: int, seed: int) -> tuple[dict[str, Any], Any]:
    """Rows large enough for several threads to have something to do."""
    draw = np.random.default_rng(seed)
    x, z = draw.normal(size=n), draw.normal(size=n).round(1)
    level = draw.choice(["a", "b", "c", "d"], n)
    y = ((x > 0.3) ^ (z < -0.2) | (level == "c")).astype(int) + (draw.random(n) < 0.1)
    x[draw.random(n) < 0.1] = np.nan
    return {"x": x, "z": z, "level": level, "noise": draw.normal(size=n)}, y


def parts(model: Any) -> tuple[str, dict[str, Any]]:
    """All of a tree, and its certificate."""
    return model.tree.digest(), model.provenance["certificate"]


@pytest.mark.parametrize("work", [None, 30_000])
def test_neither_threads_nor_the_order_of_rows_matter(work: int | None) -> None:
    X, y = mixed(400, 0)
    settings = {"algorithm": "optimal", "max_depth": 3, "work_limit": work}
    one = parts(DecisionTreeClassifier(**settings).fit(X, y).model_)
    assert (one[1]["end"] == "proved") == (work is None)
    for threads in (2, 3, 5):
        model = DecisionTreeClassifier(**settings, n_jobs=threads).fit(X, y).model_
        assert parts(model) == one
    order = np.random.default_rng(1).permutation(len(y))
    turned = {name: np.asarray(column)[order] for name, column in X.items()}
    assert parts(DecisionTreeClassifier(**settings).fit(turned, y[order]).model_) == one


def test_threads_are_started_for_small_tables_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search goes over its table so often that few cells are worth a second thread."""
    asked = []
    inner = bosco.estimators.optimal.Search

    def search(frame: Any, target: Any, growth: Any, n_threads: int, **more: Any) -> Any:
        asked.append(n_threads)
        return inner(frame, target, growth, n_threads, **more)

    monkeypatch.setattr("bosco.estimators.optimal.Search", search)
    X, y = mixed(400, 0)
    DecisionTreeClassifier(algorithm="optimal", max_depth=2, n_jobs=2).fit(X, y)
    assert asked == [2]


def test_copies_are_weights() -> None:
    X, y = mixed(120, 2)
    times = np.random.default_rng(3).integers(0, 3, len(y))
    copies = np.repeat(np.arange(len(y)), times)
    clf = DecisionTreeClassifier(algorithm="optimal", max_depth=2)
    weighted = clf.fit(X, y, sample_weight=times).model_
    repeated = clf.fit({k: np.asarray(v)[copies] for k, v in X.items()}, y[copies]).model_
    assert weighted.certificate.objective == repeated.certificate.objective
    assert weighted.tree.digest() == repeated.tree.digest()


def test_it_is_no_worse_than_growing_node_by_node() -> None:
    for seed in range(5):
        X, y = mixed(300, seed)
        for depth in (1, 2, 3):
            greedy = DecisionTreeClassifier(max_depth=depth).fit(X, y)
            found = DecisionTreeClassifier(algorithm="optimal", max_depth=depth).fit(X, y)
            assert found.score(X, y) >= greedy.score(X, y)


def test_a_limit_of_work_keeps_a_tree_and_a_bound() -> None:
    X, y = mixed(500, 4)
    clf = DecisionTreeClassifier(algorithm="optimal", max_depth=4)
    full = clf.fit(X, y).model_.certificate
    said = []
    for work in (1, 10_000, 1_000_000):
        known = clf.set_params(work_limit=work).fit(X, y).model_.certificate
        assert known.bound <= full.objective <= known.objective
        assert known.wrong == np.sum(clf.predict(X) != y)
        assert known.end == ("work_limit" if known.gap else "proved")
        said.append(known.verdict)
    assert said[0] == "no useful bound"
    text = str(clf.set_params(work_limit=1).fit(X, y).model_)
    assert "No useful bound (stopped at the limit of work)" in text


def test_a_limit_of_time_keeps_a_tree() -> None:
    X, y = mixed(500, 5)
    clf = DecisionTreeClassifier(algorithm="optimal", max_depth=12, time_limit=0.05).fit(X, y)
    known = clf.model_.certificate
    assert known.end == "time_limit"
    assert known.wrong == np.sum(clf.predict(X) != y)


def test_interrupted_it_keeps_the_best_tree_so_far() -> None:
    import _thread

    X, y = mixed(500, 6)
    clf = DecisionTreeClassifier(algorithm="optimal", max_depth=12)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.warns(UserWarning, match="interrupted"):
        clf.fit(X, y)
    timer.join()
    assert clf.model_.certificate.end == "interrupted"
    assert clf.model_.certificate.wrong == np.sum(clf.predict(X) != y)


def test_the_words() -> None:
    known = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(*golf()).model_.certificate
    assert known.verdict == "proved optimal"
    assert "depth up to 2" in known.family
    assert "every threshold" in known.family
    X, y = mixed(500, 4)
    weights = np.linspace(0.5, 1.5, len(y))
    said = set()
    for work in range(10_000, 200_000, 10_000):
        clf = DecisionTreeClassifier(algorithm="optimal", max_depth=3, work_limit=work)
        for given, what in ((None, "errors"), (weights, "in weight")):
            known = clf.fit(X, y, sample_weight=given).model_.certificate
            if known.bound and known.gap > 1:
                gap = show_figure(known.gap)
                assert known.verdict == f"at most {gap} {what} from optimal"
                said.add(what)
    assert said == {"errors", "in weight"}


def test_files_keep_it_and_are_checked(tmp_path: Any) -> None:
    model = DecisionTreeClassifier(algorithm="optimal", alpha=0.5).fit(*golf()).model_
    for name in ("m.json", "m.bosco"):
        model.save(tmp_path / name)
        again = bosco.load(tmp_path / name)
        assert again.certificate == model.certificate
        assert str(again) == str(model)
    said = json.loads((tmp_path / "m.json").read_text())
    for key, value in {"end": "certain", "bound": 99.0, "leaves": "many", "work": -1}.items():
        bad = json.loads(json.dumps(said))
        bad["provenance"]["certificate"][key] = value
        (tmp_path / "bad.json").write_text(json.dumps(bad))
        with pytest.raises(ModelError):
            bosco.load(tmp_path / "bad.json")


@pytest.mark.parametrize("off", [{"leaves": 9}, {"wrong": 1.0}, {"objective": 0.0, "bound": 0.0}])
def test_a_certificate_of_another_tree_is_refused(off: dict[str, Any]) -> None:
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=1).fit(*golf()).model_
    said = {**model.provenance["certificate"], **off}
    lying = replace(model, provenance={**model.provenance, "certificate": said})
    with pytest.raises(ModelError, match=r"provenance\.certificate: it is of another tree"):
        pickle.loads(pickle.dumps(lying))
    assert pickle.loads(pickle.dumps(model)).certificate == model.certificate


def test_what_was_pruned_or_edited_since_is_not_certified() -> None:
    X, y = mixed(300, 7)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=3).fit(X, y).model_
    assert model.certificate is not None
    pruned = model.prune("generalization_error")
    assert pruned.n_leaves < model.n_leaves or not pruned.log.steps
    smaller = model.prune(bosco.pruning.GeneralizationError(alpha=50))
    assert smaller.certificate is None
    assert "roved optimal" not in str(smaller)
    plain = DecisionTreeClassifier().fit(X, y).model_
    assert plain.certificate is None


def test_reports_have_it() -> None:
    X, y = mixed(200, 8)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    page = str(model.report(X, y))
    assert "How far from the best tree" in page
    assert "Proved optimal" in page
    assert "How far from the best tree" not in str(
        DecisionTreeClassifier().fit(X, y).model_.report()
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"criterion": "gini"}, "another measure"),
        ({"missing": "fractional"}, "missing='learn'"),
        ({"nominal_test": "multiway"}, "two branches"),
        ({"numeric_test": "intervals"}, "two branches"),
        ({"monotonic_cst": {"x": 1}}, "monotonic_cst"),
        ({"splitter": "random"}, "splitter"),
        *[({name: 0.1}, name) for name in GREEDY],
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], reason: str) -> None:
    X, y = mixed(50, 9)
    with pytest.raises(ParameterError, match=reason):
        DecisionTreeClassifier(algorithm="optimal", **given).fit(X, y > 0)


def test_tests_on_two_columns_go_with_it() -> None:
    rng = np.random.default_rng(13)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + X[:, 1] > 0
    for depth in (1, 2):
        plain, pairs = (
            DecisionTreeClassifier(algorithm="optimal", max_depth=depth, numeric_test=kind).fit(
                X, y
            )
            for kind in ("threshold", "pairs")
        )
        assert plain.model_.certificate is not None
        assert pairs.model_.certificate is not None
        assert plain.model_.certificate.wrong > pairs.model_.certificate.wrong == 0
        assert pairs.model_.certificate.proved
        assert (pairs.predict(X) == y).all()


def test_a_tree_that_answers_otherwise_is_not_certified() -> None:
    X, y = mixed(200, 14)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y > 0).model_
    assert model.certificate is not None
    assert model.at(threshold=0.9).certificate is None
    assert "Proved optimal" not in str(model.at(threshold=0.9))


def test_drafts_are_refused() -> None:
    X, y = mixed(50, 10)
    with pytest.raises(ParameterError, match="optimal"):
        bosco.draft(DecisionTreeClassifier(algorithm="optimal"), X, y)


def test_no_node_chose_alone() -> None:
    """What is told of single nodes without rows is not told of a tree that was found as a whole."""
    X, y = mixed(60, 11)
    model = DecisionTreeClassifier(algorithm="optimal", alpha=3).fit(X, y).model_
    for ask in (model.trace, model.why, lambda: model.why(0, column="x", X=X, y=y)):
        with pytest.raises(ModelError, match="No node chose its test alone"):
            ask()
    leaf = model.why(int(np.flatnonzero(model.tree.native.test < 0)[-1]))
    assert leaf.reason


def test_boosting_refits_it() -> None:
    X, y = mixed(60, 12)
    weak = DecisionTreeClassifier(algorithm="optimal", max_depth=2)
    boosted = bosco.AdaBoostClassifier(weak, n_estimators=3).fit(X, y)
    assert all(tree.model_.certificate is not None for tree in boosted.estimators_)


def test_the_best_tree_agrees_with_contree() -> None:
    contree = pytest.importorskip("pycontree")
    draw = np.random.default_rng(0)
    for seed in range(6):
        X = draw.normal(size=(150, 3)).round(seed % 3)
        y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)).astype(int) + (draw.random(150) < 0.2)
        for depth in (2, 3):
            peer = contree.ConTree(max_depth=depth).fit(X, y)
            own = DecisionTreeClassifier(algorithm="optimal", max_depth=depth).fit(X, y)
            assert own.model_.certificate.wrong == np.sum(peer.predict(X) != y)


def test_the_best_tree_agrees_with_streed() -> None:
    streed = pytest.importorskip("pystreed")
    draw = np.random.default_rng(1)
    for _ in range(4):
        X = draw.integers(0, 2, (120, 6))
        y = (X[:, 0] ^ X[:, 1] | (draw.random(120) < 0.2)).astype(int)
        for depth in (2, 3):
            peer = streed.STreeDClassifier("accuracy", max_depth=depth).fit(X, y)
            own = DecisionTreeClassifier(algorithm="optimal", max_depth=depth).fit(X, y)
            assert own.model_.certificate.wrong == np.sum(peer.predict(X) != y)
