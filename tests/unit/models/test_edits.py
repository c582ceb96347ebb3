"""A model whose leaves answer by order: every road of prediction, and what stays of the rows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, play_tennis
from bosco.models.model import Model
from bosco.tree.edits import ByHand, Edits, Order
from bosco.tree.ties import heaviest
from tests.edited import leaves, ordered


def iris_like(**settings: Any) -> tuple[Model, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int) + (np.nan_to_num(X[:, 1]) > 0.5)
    return DecisionTreeClassifier(max_depth=4, **settings).fit(X, y).model_, X


@pytest.mark.parametrize("missing", ["learn", "majority", "branch", "surrogate"])
def test_a_leaf_predicts_what_was_ordered_on_every_road(missing: str) -> None:
    model, X = iris_like(missing=missing)
    changed = ordered(model)
    assert model.classes is not None
    at = changed.apply(X)
    orders = changed.edits.orders
    wanted = [
        model.classes[orders[leaf].answer] if leaf in orders else said
        for leaf, said in zip(at, model.predict(X), strict=True)
    ]
    assert changed.predict(X).tolist() == wanted
    assert (changed.predict(X) != model.predict(X)).sum() > 50
    assert changed.predict_frame(changed.read(X)).tolist() == wanted
    few = changed.predict_few(X[:20])
    assert (few is None) == (model.predict_few(X[:20]) is None)
    if few is not None:
        assert few.tolist() == wanted[:20]
    one = dict(zip(model.schema.names, X[0].tolist(), strict=True))
    assert changed.predict(one) == wanted[0]


def test_shares_stay_those_of_the_rows() -> None:
    model, X = iris_like()
    changed = ordered(model)
    assert np.array_equal(changed.predict_proba(X), model.predict_proba(X))
    assert (changed.node_class != model.node_class).sum() == len(changed.edits.orders)
    assert changed.tree is model.tree


def test_where_a_row_goes_several_ways_an_order_gives_its_part_to_one_class() -> None:
    model, X = iris_like(missing="fractional")
    changed = ordered(model)
    spread = np.isnan(X).any(axis=1)
    ends = leaves(model)
    # Recomputed by hand: how much of each row every leaf gets, times what the leaf votes for.
    marks = replace(model, classes=None, edits=Edits())
    part = {leaf: np.zeros(model.tree.node_count) for leaf in ends}
    for leaf in ends:
        part[leaf][leaf] = 1.0
    frame = model.read(X)
    parts = np.column_stack([marks._by_share(frame, part[leaf][:, None], 1) for leaf in ends])
    votes = np.array(
        [
            np.eye(3)[order.answer]
            if (order := changed.edits.orders.get(leaf))
            else model.tree.native.value[leaf]
            for leaf in ends
        ]
    )
    assert (np.count_nonzero(parts, axis=1) > 1).sum() > 10
    assert model.classes is not None
    wanted = parts @ votes
    clear = np.diff(np.sort(wanted, axis=1)[:, -2:], axis=1)[:, 0] > 1e-9
    assert clear[spread].sum() > 10
    assert (changed.predict(X) == model.classes[heaviest(wanted)])[clear].all()
    assert np.array_equal(changed.predict_proba(X), model.predict_proba(X))


def test_the_number_ordered_is_the_prediction() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40.0) % 7
    model = DecisionTreeRegressor(max_leaf_nodes=6).fit(X, y).model_
    changed = ordered(model)
    at, orders = changed.apply(X), changed.edits.orders
    wanted = [
        orders[leaf].answer if leaf in orders else model.tree.native.value[leaf, 0] for leaf in at
    ]
    assert changed.predict(X).tolist() == wanted
    assert changed.predict_proba(X)[:, 0].tolist() == wanted
    few = changed.predict_few(X[:5])
    assert few is not None
    assert few.tolist() == wanted[:5]
    told = changed.contributions(X)
    assert np.allclose(told.base + told.values.sum(axis=1), wanted)


def test_a_tree_of_one_leaf_may_answer_by_order() -> None:
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).model_
    assert ordered(model).predict([[1.0]]).tolist() == ["a"]
    stump = DecisionTreeClassifier(min_samples_split=99).fit(*golf()).model_
    assert stump.n_leaves == 1
    assert {*ordered(stump).predict(golf()[0])}.isdisjoint(stump.predict(golf()[0]))


def test_text_marks_answers_by_order_and_tests_by_hand() -> None:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    edits = Edits(
        {2: ByHand("Humidity, one branch per value", 0.0213, "the gauge was broken")},
        {1: Order(0, "the club is closed")},
        {3: "ask Anna"},
        frozenset({2, 4}),
    )
    text = str(replace(model, edits=edits))
    assert text.splitlines()[3] == (
        "├─ [1] Outlook = Overcast → No, by order · 4 rows; its rows say Yes, 100 %"
    )
    assert text.splitlines()[4].endswith("5 rows: Yes 3, No 2 · by hand")
    assert text.endswith(
        "by hand: a person chose the test of the node, not the learner.\n"
        "  [2] instead of Humidity, one branch per value, which gains 0.0213 more: "
        "the gauge was broken\n"
        "by order: the leaf answers what a person ordered, not what its rows say.\n"
        "  [1] No, its rows say Yes, 100 %: the club is closed\n"
        "Notes:\n"
        "  [3] ask Anna\n"
        "Locked, so that no verb changes them: [2], [4]."
    )
