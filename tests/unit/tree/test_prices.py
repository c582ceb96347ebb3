"""What cases pay: growing by prices against plain enumeration, and means against the rows."""

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, Model, ModelError

NAMES = ("a", "b", "c", "d", "e")
COSTS = {"a": 1.0, "b": 9.0, "visit": 20.0, "d": 2.5}
GROUPS = {"visit": ["c", "d"]}


def rows(n: int = 400, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(seed)
    X = random.integers(0, 12, (n, 5)).astype(float)
    y = (X[:, 0] + 2 * X[:, 1] + 3 * X[:, 2] + X[:, 3] + random.normal(0, 6, n)) > 38
    return X, y


def table(X: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return dict(zip(NAMES, X.T, strict=True))


def paid_by(
    model: Model, values: NDArray[Any], delayed: tuple[str, ...] = ()
) -> tuple[float, bool]:
    """What one row pays, by walking down the text of the file: nothing of the package's own."""
    said = json.loads(json.dumps(model.growth.to_dict()["asking"]))
    tree, node, asked, first = model.tree, 0, [], None
    while (test := tree.test(node)) is not None:
        if first is None and NAMES[test.column] in delayed:
            first = node
        asked.append(test.column)
        (branch,) = (b for b, c in enumerate(test.branches) if c.holds(values[test.column]))
        node = tree.children(node)[branch]
    if first is not None:  # all that is asked below
        waiting = [first]
        while waiting:
            at = waiting.pop()
            below = tree.test(at)
            if below is not None:
                asked.append(below.column)
                waiting += tree.children(at)
    due = [item["price"] for item in said["items"] if set(item["columns"]) & set(asked)]
    return math.fsum(due), first is not None


@pytest.mark.parametrize("delayed", [(), ("c",), ("a", "b")])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_the_mean_price_is_that_of_the_rows(delayed: tuple[str, ...], weight: float) -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(
        max_depth=5,
        ask_costs=COSTS,
        ask_groups=GROUPS,
        ask_delayed=list(delayed),
        ask_weight=weight,
    )
    model = tree.fit(table(X), y).model_
    each = [paid_by(model, row, delayed) for row in X]
    assert model.mean_price == pytest.approx(np.mean([price for price, _ in each]))
    assert model.price(table(X)) == pytest.approx([price for price, _ in each])
    others, truth = rows(150, 1)
    paid = np.mean([paid_by(model, row, delayed)[0] for row in others])
    judged = model.judge(table(others), truth)
    assert judged.price is not None
    assert judged.price.value == pytest.approx(paid)
    assert judged.price.rows == 150
    assert f"asking costs {paid:.4g} a case" in str(judged)
    counted = model.recount(table(others), truth)
    assert counted.mean_price == pytest.approx(paid)
    assert counted.to_dict()["price"] == [leaf.price for leaf in counted]
    assert f"Asking costs {model.mean_price:.4g} a case, the mean of its 400 training" in str(model)
    if delayed:
        assert model.prices is not None
        wait = np.mean([waits for _, waits in each])
        assert model.prices.wait(model.amounts.sum(axis=1)) == pytest.approx(wait)


def gini(y: NDArray[Any]) -> float:
    p = y.mean()
    return float(2 * p * (1 - p))


def best_gain(x: NDArray[Any], y: NDArray[Any], spread: Any) -> float:
    """The largest gain of a cut of one column, by trying every one."""
    gains = [0.0]
    for cut in np.unique(x)[:-1]:
        left = x <= cut
        parts = left.mean() * spread(y[left]) + (1 - left.mean()) * spread(y[~left])
        gains.append(spread(y) - parts)
    return max(gains)


def worth(rule: str, gain: float, price: float, w: float) -> float:
    value = {"eg2": 2**gain - 1, "idx": gain, "cs_id3": gain**2}[rule]
    return float(value / (price + 1) ** w)  # the least price is 1


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("rule", ["eg2", "idx", "cs_id3"])
@pytest.mark.parametrize("w", [0.5, 1.0, 3.0])
def test_every_test_is_the_one_that_the_rule_names(rule: str, w: float, real: bool) -> None:
    X, y = rows(300)
    spread = np.var if real else gini
    y = X @ [1, 2, 3, 1, 0] if real else y
    asked = {"ask_costs": COSTS, "ask_groups": GROUPS, "ask_rule": rule, "ask_weight": w}
    grow = DecisionTreeRegressor if real else DecisionTreeClassifier
    model = grow(max_depth=4, min_samples_split=20, **asked).fit(table(X), y).model_
    met = 0
    for node in range(model.tree.node_count):
        test = model.tree.test(node)
        if test is None:
            continue
        here = _rows_at(model, X, node)
        above = {NAMES[model.tree.test(i).column] for i in model.tree.path(node)[:-1]}
        values = []
        for j, name in enumerate(NAMES):
            due = 0.0 if name in above else COSTS.get(name, 0.0)
            if name in GROUPS["visit"] and not above & set(GROUPS["visit"]):
                due += COSTS["visit"]
            gain = best_gain(X[here, j], y[here], spread)
            gain /= spread(y[here]) if real else 1
            values.append(worth(rule, gain, due, w))
        assert values[test.column] == pytest.approx(max(values), rel=1e-9)
        met += 1
    assert met > 5


def _rows_at(model: Model, X: NDArray[Any], node: int) -> NDArray[np.bool_]:
    inside = np.ones(len(X), bool)
    path = model.tree.path(node)
    for above, below in pairwise(path):
        test = model.tree.test(above)
        assert test is not None
        branch = test.branches[below - model.tree.children(above)[0]]
        inside &= branch.holds(X[:, test.column])
    return inside


def test_a_test_below_a_delayed_one_costs_all_that_wait() -> None:
    """Root: `wait` parts most. Below it, few rows would pay for all: what is free is asked."""
    random = np.random.default_rng(3)
    n = 600
    X = {name: random.integers(0, 2, n).astype(float) for name in ("wait", "dear", "free")}
    y = (X["wait"] > 0) & ((X["dear"] > 0) | (random.random(n) < 0.3))
    asked: dict[str, Any] = {"ask_costs": {"wait": 1, "dear": 4}, "max_depth": 3}
    later = DecisionTreeClassifier(**asked, ask_delayed=["wait"]).fit(X, y).model_
    why = {c.column: c for c in later.why(later.tree.children(0)[1])}
    whole, part = later.tree.node_weight[[0, later.tree.children(0)[1]]]
    assert why["dear"].price == pytest.approx(4 * whole / part)
    at_once = DecisionTreeClassifier(**asked).fit(X, y).model_
    assert {c.column: c.price for c in at_once.why(2)}["dear"] == 4


@pytest.mark.parametrize("rule", ["eg2", "idx", "cs_id3"])
def test_order_copies_threads_and_currency_change_nothing(rule: str) -> None:
    X, y = rows(3000, 2)
    X = X + np.random.default_rng(0).normal(0, 0.3, X.shape)  # many values: bins and bounds
    asked: dict[str, Any] = {"ask_groups": GROUPS, "ask_rule": rule, "ask_delayed": ["b"]}
    asked |= {"record": False, "min_samples_leaf": 3}
    first = DecisionTreeClassifier(ask_costs=COSTS, **asked).fit(table(X), y).model_
    order = np.random.default_rng(1).permutation(len(X))
    cents = {name: 100 * price for name, price in COSTS.items()}
    for n_jobs in (1, 2):
        tree = DecisionTreeClassifier(ask_costs=cents, n_jobs=n_jobs, **asked)
        again = tree.fit(table(X[order]), y[order]).model_
        assert str(again.tree.native.state()) == str(first.tree.native.state())
        assert again.mean_price == pytest.approx(100 * (first.mean_price or 0))
    recorded = DecisionTreeClassifier(ask_costs=COSTS, **asked | {"record": True})
    assert recorded.fit(table(X), y).tree_.digest() != ""
    same = recorded.tree_.native
    assert same.test.tolist() == first.tree.native.test.tolist()
    assert same.tests.column.tolist() == first.tree.native.tests.column.tolist()
    assert same.tests.thresholds.tolist() == first.tree.native.tests.thresholds.tolist()


def test_prices_that_do_not_weigh_change_nothing() -> None:
    X, y = rows()
    plain = DecisionTreeClassifier().fit(table(X), y).model_
    told = DecisionTreeClassifier(ask_costs=COSTS, ask_groups=GROUPS, ask_weight=0)
    free = DecisionTreeClassifier(ask_costs={"a": 0})
    assert told.fit(table(X), y).model_.tree == plain.tree
    assert free.fit(table(X), y).model_.tree == plain.tree
    assert told.model_.mean_price > 0
    assert plain.mean_price is None
    with pytest.raises(ModelError, match="Nothing has a price"):
        plain.price(table(X))


def test_a_file_keeps_what_answers_cost(tmp_path: Any) -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(
        max_depth=4, ask_costs=COSTS, ask_groups=GROUPS, ask_delayed=["visit"], ask_rule="idx"
    )
    model = tree.fit(table(X), y).model_
    for suffix in (".json", ".bosco"):
        model.save(tmp_path / f"m{suffix}")
        again = bosco.load(tmp_path / f"m{suffix}")
        assert again.growth == model.growth
        assert again.mean_price == model.mean_price
        assert str(again) == str(model)
        assert str(again.why(0)) == str(model.why(0))
        assert (again.price(table(X)) == model.price(table(X))).all()
    said = json.loads((tmp_path / "m.json").read_text())
    assert said["version"] == 6
    for wrong in (
        {"rule": "cheap"},
        {"weight": -1},
        {"weight": 1e9},
        {"delayed": [9]},
        {"delayed": [2, 2]},
        {"items": [{"name": "a", "price": -1, "columns": [0]}]},
        {"items": [{"name": "a", "price": 1, "columns": [5]}]},
        {"items": [{"name": 3, "price": 1, "columns": [0]}]},
        {"more": 1},
    ):
        changed = json.loads(json.dumps(said))
        changed["growth"]["asking"] |= wrong
        (tmp_path / "wrong.json").write_text(json.dumps(changed))
        with pytest.raises(ModelError):
            bosco.load(tmp_path / "wrong.json")


def test_a_row_that_is_shared_out_pays_of_each_branch_its_share() -> None:
    X = {"a": [0.0, 0.0, 1.0, 1.0, 1.0, 1.0], "b": [0, 0, 0, 0, 1, 1]}
    tree = DecisionTreeClassifier(missing="fractional", ask_costs={"a": 1, "b": 6}, ask_weight=0)
    model = tree.fit(X, [0, 0, 1, 1, 2, 2]).model_
    shares = {tuple(sorted(np.round(model.price({"a": [v], "b": [0]}), 6))) for v in (0.0, 1.0)}
    assert shares == {(1.0,), (7.0,)} or shares == {(6.0,), (7.0,)}
    missing = model.price({"a": [None], "b": [0]})
    assert min(shares)[0] <= missing[0] <= max(shares)[0]


def test_why_and_trace_tell_prices() -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(max_depth=3, ask_costs=COSTS, ask_groups=GROUPS)
    model = tree.fit(table(X), y).model_
    why = model.why(0)
    assert why.priced
    assert "compared by gain for its price" in str(why)
    assert {c.column: c.price for c in why} == {"a": 1, "b": 9, "c": 20, "d": 22.5, "e": 0}
    for node in np.flatnonzero(model.tree.native.test >= 0).tolist():
        told = model.why(node)
        assert told.chosen.score == max(c.score for c in told)
    steps = model.trace(table(X), y)
    assert len(list(steps)) == model.tree.node_count
    for step in steps:
        if step.columns:
            assert [c.score for c in step.why] == [c.score for c in model.why(step.node)]


def test_drafts_grow_by_prices_from_any_node() -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(
        max_depth=4, ask_costs=COSTS, ask_groups=GROUPS, ask_delayed=["b"], missing="fractional"
    )
    draft = bosco.draft(tree, table(X), y)
    draft.grow(0)
    grown = draft.model
    assert grown.depth > 2
    for below in grown.tree.children(0):  # again, from a node that knows what was paid above
        draft.prune(below)
        draft.grow(below)
        assert draft.model.mean_price == pytest.approx(grown.mean_price)
        assert str(draft.model.rules()) == str(grown.rules())
    best = draft.best(grown.tree.children(0)[0])
    assert best.loss == 0


@pytest.mark.parametrize("score", ["gain", "gain_ratio"])
def test_of_numbers_the_unit_does_not_matter(score: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    y = np.round(X[:, 0] + (X[:, 1] > 0.3) + rng.normal(scale=0.3, size=200), 3)

    def grown(unit: float) -> DecisionTreeRegressor:
        prices = {"x0": 3.0, "x1": 1.0}
        return DecisionTreeRegressor(
            max_depth=4, criterion="squared_error", score=score, ask_costs=prices
        ).fit(X, y * unit)

    small, large = grown(1.0), grown(2.0**12)
    assert (small.tree_.feature == large.tree_.feature).all()
    assert (small.tree_.threshold == large.tree_.threshold).all()
    chosen = large.model_.why(0).candidates[0]
    assert chosen.column == large.model_.schema.columns[large.tree_.feature[0]].name
