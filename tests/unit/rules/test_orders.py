"""Rules, comparisons and changes of a model whose leaves answer by order."""

from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier
from bosco.datasets import play_tennis
from bosco.models.model import Model
from tests.contract.kinds import KINDS, as_frame, points_of
from tests.edited import ordered

ORDERED = [kind for kind in KINDS if kind.startswith("orders") and "large" not in kind]


def tennis() -> Model:
    model: Model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    return model


@pytest.mark.parametrize("kind", ORDERED)
def test_rules_answer_as_the_model(kind: str) -> None:
    model = KINDS[kind]()
    points = as_frame(model, points_of(model, 400))
    rules = model.rules()
    assert rules.predict(points).tolist() == model.predict(points).tolist()
    assert {leaf for rule in rules for leaf in rule.by_order} == set(model.edits.orders)
    assert rules.equivalent_to(model)


@pytest.mark.parametrize("kind", ["orders, play-tennis", "orders, iris"])
def test_shorter_rules_keep_the_answers_and_say_what_was_ordered(kind: str) -> None:
    model = KINDS[kind]()
    points = as_frame(model, points_of(model, 400))
    short = model.rules().simplify()
    assert short.predict(points).tolist() == model.predict(points).tolist()
    assert {leaf for rule in short for leaf in rule.by_order} == set(model.edits.orders)


def test_a_rule_by_order_says_so_beside_the_confidence_of_its_rows() -> None:
    rules = ordered(tennis()).rules()
    assert str(rules.to_text()).splitlines()[0] == (
        "if Outlook = Overcast then No · 4 rows, 0 % · by order"
    )
    assert rules[0].confidence == 0.0
    assert rules[0].value == (0.0, 1.0)
    assert rules.to_dict()["rules"][0]["by_order"] == [1]
    assert "| No (by order) |" in rules.to_markdown()


def test_an_order_is_a_difference_between_models() -> None:
    model = tennis()
    found = bosco.diff(model, ordered(model), play_tennis()[0])
    changed = ordered(model).predict(play_tennis()[0]) != model.predict(play_tennis()[0])
    assert found.rows == int(np.count_nonzero(changed)) > 0
    assert not model.rules().equivalent_to(ordered(model))
    assert not ordered(model).rules().equivalent_to(model, values=True)
    assert ordered(model).rules().equivalent_to(ordered(model), values=True)


@pytest.mark.parametrize("kind", ["orders, mixed", "orders, fractional", "orders, regression"])
def test_what_would_change_an_answer_goes_by_orders(kind: str) -> None:
    model = KINDS[kind]()
    points = points_of(model, 30)
    frame: dict[str, Any] = as_frame(model, points)
    for i in range(30):
        case = {name: column[i] for name, column in frame.items()}
        told = model.explain(case)
        assert told.prediction == model.predict(case)
        if told.change is not None:
            after = model.predict(case | told.change.values)
            assert after == told.change.prediction != told.prediction
