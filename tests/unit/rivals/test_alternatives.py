"""`alternatives`: per column the best tree, and how many in all, against plain enumeration."""

import json
import os
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ParameterError
from bosco.datasets import golf
from tests.reference.optimal import Wanted, all_trees, asked
from tests.test_optimal import cost_of, drawn_costs, learner


def table(draw: random.Random) -> tuple[dict[str, list[Any]], list[int], list[int], Wanted]:
    """A few rows of numbers and levels, with ties, missing values and weights."""
    depth = draw.choice((1, 2, 2, 3))
    n = draw.randint(3, 6 if depth == 3 else 10)
    columns: dict[str, list[Any]] = {}
    for j in range(draw.randint(1, 2 if depth == 3 else 3)):
        size = draw.randint(1, 3 if depth == 3 else 5)
        levels = draw.random() < 0.4
        values: list[Any] = [f"v{i}" for i in range(size + 5 * (draw.random() < 0.2) * levels)]
        values = values if levels else list(range(size))
        gaps = draw.random() < 0.3
        cells = [None if gaps and draw.random() < 0.3 else draw.choice(values) for _ in range(n)]
        columns[f"c{j}"] = cells if any(cell is not None for cell in cells) else [values[0]] * n
    k = draw.choice((2, 2, 3))
    classes = [draw.randrange(k) for _ in range(n)]
    weights = [draw.randint(1, 3) if draw.random() < 0.3 else 1 for _ in range(n)]
    wanted = Wanted(
        depth=depth,
        alpha=draw.choice((Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1))),
        leaves=draw.choice((1 << 30, 1 << 30, 2, 3)),
        least=draw.choice((1, 1, 2)) if set(weights) == {1} else 1,
        subsets=draw.random() < 0.7,
    )
    if draw.random() < 0.4:
        wanted = replace(wanted, costs=drawn_costs(draw, sorted(set(classes))))
    return columns, classes, weights, wanted


@pytest.mark.parametrize("seed", range(60 * int(os.environ.get("EXAMPLES", "1"))))
def test_they_are_those_of_enumeration(seed: int) -> None:
    columns, classes, weights, wanted = table(random.Random(seed))
    if len(set(classes)) < 2:
        return
    within = random.Random(seed + 1).choice((0.0, 0.1, 0.3))
    model = learner(wanted).fit(columns, classes, sample_weight=weights).model_
    found = bosco.alternatives(model, columns, classes, within=within, sample_weight=weights)
    trees = all_trees(list(columns.values()), classes, weights, wanted)
    best = min(cost for cost, _ in trees.values())
    most = best + Fraction(repr(within)) * sum(weights)
    good = {tree for tree, (cost, _) in trees.items() if cost <= most}
    assert found.best == pytest.approx(float(best), abs=1e-9)
    assert found.proved
    assert (found.trees, found.exact) == (len(good), True)
    for one in found:
        j = list(columns).index(one.column)
        first = {tree: cost for tree, cost in trees.items() if tree and tree[0][0] == j}
        assert one.proved
        assert (one.trees, one.exact) == (len(good & first.keys()), True)
        assert one.needed == all(j in asked(tree) for tree in good)
        assert one.never == (not any(j in asked(tree) for tree in good))
        if one.standing:  # else its best tree says the same everywhere, and is none of these
            assert (Fraction(one.objective).limit_denominator(1000), one.leaves) == min(
                first.values()
            )
            assert one.cost is None or one.cost == pytest.approx(
                cost_of(wanted, classes, one.model.predict(columns), weights)
            )
            assert one.good == bool(good & first.keys())
            wrong = np.asarray(weights)[one.model.predict(columns) != np.asarray(classes)].sum()
            assert one.wrong == wrong
            assert one.model.tree.test(0).column == j


def noisy(n: int = 200, seed: int = 0) -> tuple[dict[str, Any], Any]:
    draw = np.random.default_rng(seed)
    x, z = draw.normal(size=n), draw.normal(size=n).round(1)
    y = ((x > 0.3) ^ (z < -0.2)) ^ (draw.random(n) < 0.1)
    return {"x": x, "z": z, "w": draw.normal(size=n), "one": np.zeros(n)}, y.astype(int)


def found_of(**more: Any) -> Any:
    X, y = noisy()
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    return model, X, y, bosco.alternatives(model, X, y, **more)


def test_agreement_is_that_of_the_trees() -> None:
    model, X, y, found = found_of(within=0.1)
    good = [one.model.predict(X) for one in found if one.good]
    assert len(good) == found.agreement.trees > 1
    apart = np.flatnonzero((np.array(good) != good[0]).any(axis=0))
    assert found.agreement.apart == len(apart)
    assert [row for row, _ in found.agreement.first] == apart[:10].tolist()
    for row, said in found.agreement.first:
        votes = [str(labels[row]) for labels in good]
        assert said == {label: votes.count(label) for label in said}
        assert sum(said.values()) == len(good)
    assert found.own == (model.predict(X) != y).sum()


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.7, 1 / 3])
def test_the_best_tree_itself_is_counted(alpha: float) -> None:
    """Prices that no float64 holds, such as 0.1, are tenths."""
    X, y = golf()
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2, alpha=alpha).fit(X, y).model_
    found = bosco.alternatives(model, X, y, within=0)
    assert found.good == ("outlook", "humidity")
    assert (found.trees, found.exact) == (4, True)


def test_a_leaf_may_be_as_dear_as_one_likes() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(algorithm="optimal", alpha=1e300).fit(X, y).model_
    found = bosco.alternatives(model, X, y, within=0.99)
    assert (found.trees, found.exact, found.good) == (1, True, ())


def test_rows_without_weight_keep_their_place() -> None:
    X, y = noisy()
    weights = np.ones(len(y))
    weights[:50] = 0
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y, weights).model_
    found = bosco.alternatives(model, X, y, within=0.1, sample_weight=weights)
    assert found.rows == 150
    good = np.array([one.model.predict(X) for one in found if one.good])
    apart = np.flatnonzero((good != good[0]).any(axis=0) & (weights > 0))
    assert [row for row, _ in found.agreement.first] == apart[:10].tolist()


def test_other_rows_are_judged_too() -> None:
    X, y = noisy(seed=1)
    model, own_X, own_y, found = found_of(elsewhere=(X, y))
    other = found.elsewhere
    assert other.own == (model.predict(X) != y).sum()
    for one in found:
        if one.good:
            assert other.wrong[one.column] == (one.model.predict(X) != y).sum()
    assert "Of 200 rows elsewhere the model gets" in str(found)
    assert (
        "no test" in bosco.alternatives(model, own_X, own_y, elsewhere=(own_X, own_y)).sentences[-1]
    )


def test_a_tree_grown_node_by_node_is_compared_with_its_size() -> None:
    X, y = noisy()
    model = DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y).model_
    found = bosco.alternatives(model, X, y)
    assert not found.own_family
    assert f"depth up to {model.depth}, up to 4 leaves" in found.family
    assert found.best <= found.own == (model.predict(X) != y).sum()
    assert "was not searched for" in str(found)
    wider = bosco.alternatives(model, X, y, max_depth=1)
    assert "depth up to 1, every" in wider.family


def test_a_column_that_is_constant_cannot_be_asked() -> None:
    *_, found = found_of()
    assert not found["one"].good
    assert found["one"].model is None
    assert "cannot be asked" in str(found)
    with pytest.raises(KeyError):
        found["none"]


def test_too_little_work_says_so() -> None:
    *_, found = found_of(work_limit=1)
    assert not found.exact
    assert not found.proved
    assert "at least" in str(found)
    full = found_of()[-1]
    assert found.bound <= full.best <= found.best
    for one in found:
        assert one.bound <= full[one.column].objective <= one.objective
        assert one.needed in (None, full[one.column].needed) or found.best > full.best


def test_threads_and_order_do_not_matter() -> None:
    model, X, y, found = found_of(within=0.05)
    again = bosco.alternatives(model, X, y, within=0.05, n_jobs=3)
    assert again.to_dict() == found.to_dict()
    order = np.random.default_rng(0).permutation(len(y))
    turned = {name: values[order] for name, values in X.items()}
    other = bosco.alternatives(model, turned, y[order], within=0.05).to_dict()
    for said in (other, expected := found.to_dict()):
        said["agreement"].pop("first"), said.pop("says")
    assert other == expected


def test_as_json_and_in_notebooks() -> None:
    *_, found = found_of(within=0.1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["good"] == list(found.good)
    assert found.headline.split(" columns")[0] in found._repr_html_()
    assert next(one.column for one in found) == told["columns"][0]["column"]


def test_interrupted_it_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.tree.searching import Search

    plain, seen = Search.best, []

    def best(self: Search, **given: Any) -> Any:
        seen.append(given)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return plain(self, **given)

    monkeypatch.setattr(Search, "best", best)
    X, y = noisy()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y).model_
    found = bosco.alternatives(model, X, y)
    assert found.interrupted
    assert found["x"].model is not None
    assert found["z"].good is None
    assert not found.exact
    assert not found.proved
    assert "INTERRUPTED" in str(found)


def test_what_cannot_be_compared_is_refused() -> None:
    X, y = noisy()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    for wrong in (-0.1, 1.0, float("nan"), "0.1", None):
        with pytest.raises(ParameterError, match="within"):
            bosco.alternatives(model, X, y, within=wrong)
    for depth in (0, 21, 2.5, "3"):
        with pytest.raises(ParameterError, match="max_depth"):
            bosco.alternatives(model, X, y, max_depth=depth)
    with pytest.raises(ParameterError, match="work_limit"):
        bosco.alternatives(model, X, y, work_limit=0)
    with pytest.raises(ParameterError, match="a tree of classes"):
        bosco.alternatives(DecisionTreeRegressor().fit(X, y), X, y)
    with pytest.raises(ParameterError, match="a tree of classes"):
        bosco.alternatives(bosco.RandomForestClassifier(n_estimators=2).fit(X, y), X, y)


def test_a_report_has_them() -> None:
    model, X, y, found = found_of(within=0.05)
    page = str(bosco.report(model, X, y, grown_on=(X, y), alternatives=found))
    assert 'id="alternatives"' in page
    assert page.count(found.headline) >= 2  # on the first screen, too
    assert "What the best subtree would cost" in page
    assert model.why(0, X=X, y=y).sentence in page


def test_golf_in_words() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    with bosco.speaking("it"):
        assert "radice" in str(bosco.alternatives(model, X, y))
