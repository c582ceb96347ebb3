"""Errors against prices, on held-out rows."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import KFold

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ParameterError

COSTS = {"a": 1.0, "b": 30.0}


def rows() -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
    random = np.random.default_rng(0)
    X = {name: random.normal(size=200) for name in ("a", "b", "c")}
    return X, (X["a"] + 2 * X["b"] + random.normal(size=200)) > 0


def test_points_are_what_trees_do_on_held_out_rows() -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(ask_costs=COSTS, max_depth=3)
    found = bosco.frontier(tree, X, y, weights=(0, 1, 3), folds=4, repeats=1)
    for point in found:
        evaluated = bosco.evaluate(
            DecisionTreeClassifier(ask_costs=COSTS, max_depth=3, ask_weight=point.weight),
            X, y, method="k_fold", folds=4, repeats=1, metrics=["accuracy", "price"],
        )  # fmt: skip
        assert point.error == pytest.approx(1 - evaluated.mean)
        assert point.price == pytest.approx(-evaluated.summaries[1].mean)
        assert point.low <= point.error <= point.high
    assert found.points[0].price > found.points[-1].price
    assert found.measure == "error"
    said = str(found)
    assert "weight of prices" in said
    assert "200 rows" in said
    assert list(found.to_dict()) == [
        "weight", "error", "low", "high", "price", "leaves", "beaten",
    ]  # fmt: skip


def test_the_price_metric_is_that_of_the_rows() -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(ask_costs=COSTS, max_depth=3)
    by_hand = []
    for a, b in KFold(5).split(y):
        model = tree.fit({k: v[a] for k, v in X.items()}, y[a]).model_
        by_hand.append(model.price({k: v[b] for k, v in X.items()}).mean())
    scorer = bosco.evaluate(tree, X, y, metrics="price", method="k_fold", folds=5)
    assert 0 < min(by_hand) <= -scorer.mean + 15 < 60
    assert scorer.summaries[0].constant == 0
    with pytest.raises(ParameterError, match="nothing has a price"):
        bosco.evaluate(DecisionTreeClassifier(), X, y, metrics="price", repeats=2)


def test_numbers_and_costs_have_their_own_measure() -> None:
    X, y = rows()
    real = DecisionTreeRegressor(ask_costs=COSTS, max_depth=3)
    found = bosco.frontier(real, X, X["b"] + X["c"], weights=(0, 2), folds=3)
    assert found.measure == "mean absolute error"
    assert all(0 < p.low <= p.error <= p.high for p in found)
    dear = DecisionTreeClassifier(ask_costs=COSTS, max_depth=3, costs={True: 5})
    costly = bosco.frontier(dear, X, y, weights=(0,), folds=3)
    assert costly.measure == "cost"
    assert "cost of a row" in str(costly)


def test_what_is_beaten_is_marked() -> None:
    X, y = rows()
    tree = DecisionTreeClassifier(ask_costs=COSTS, max_depth=4)
    found = bosco.frontier(tree, X, y, weights=(0, 0.1, 0.5, 1, 4), folds=4)
    for p in found:
        no_worse = [q for q in found if q.error <= p.error and q.price <= p.price]
        assert p.beaten == any((q.error, q.price) != (p.error, p.price) for q in no_worse)


def test_what_is_wrong_is_said() -> None:
    X, y = rows()
    with pytest.raises(ParameterError, match="nothing has a price"):
        bosco.frontier(DecisionTreeClassifier(), X, y)
    with pytest.raises(ParameterError, match="one number or more"):
        bosco.frontier(DecisionTreeClassifier(ask_costs=COSTS), X, y, weights=())


def test_the_picture_has_a_point_for_each_weight() -> None:
    pytest.importorskip("matplotlib")
    from bosco import plot

    X, y = rows()
    tree = DecisionTreeClassifier(ask_costs=COSTS, max_depth=3)
    found = bosco.frontier(tree, X, y, weights=(0, 1), folds=3)
    ax = plot.frontier(found)
    (line,) = [one for one in ax.lines if one.get_marker() == "o"]
    assert sorted(line.get_xdata().tolist()) == sorted(p.price for p in found)
    assert [text.get_text() for text in ax.texts] == ["w = 0", "w = 1"]
