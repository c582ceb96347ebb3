"""What answers cost, as users say it."""

from typing import Any

import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ParameterError
from bosco.settings.asking import (
    Asking,
    Item,
    asking_of,
    read_groups,
    read_prices,
    write_groups,
    write_prices,
)

NAMES = ("age", "hdl", "ldl", "ratio")
GIVEN = ((0,), (1,), (2,), (1, 2))  # the last is computed from two others


def asking(costs: Any, groups: Any = None, delayed: Any = None) -> Asking | None:
    return asking_of(costs, groups, delayed, "eg2", 1.0, NAMES, GIVEN)


def test_a_derived_column_asks_for_what_it_is_computed_from() -> None:
    found = asking({"hdl": 3, "blood": 30}, {"blood": ["hdl", "ldl"]}, ["ldl"])
    assert found is not None
    assert found.items == (Item("hdl", 3.0, (1, 3)), Item("blood", 30.0, (1, 2, 3)))
    assert found.delayed == (2, 3)
    assert found.price(found.needed([3])) == 33
    assert found.price(found.needed([3]) - found.needed([2])) == 3


def test_nothing_said_is_nothing() -> None:
    assert asking(None) is None
    free = asking({"age": 0})
    assert free is not None
    assert not free.weighs


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (({"aeg": 1},), r"'aeg', which is not a column, nor a group.*Did you mean 'age'"),
        (({"age": -1},), r"asking 'age' must cost a number, 0 or more.*Got -1"),
        (({"age": True},), r"Got True"),
        (({"age": float("inf")},), r"Got inf"),
        (({"age": "dear"},), r"Got 'dear'"),
        (({"b": 1}, {"b": ["hdl", "hld"]}), r"'hld', which is not a column.*Did you mean"),
        (({"b": 1}, {"b": []}), r"the group 'b' has no column"),
        (({"age": 1}, {"b": ["hdl"]}), r"the group 'b' has no price"),
        (({"age": 1}, {"age": ["hdl"]}), r"'age' is the name of a column, too"),
        (({"b": 1, "c": 1}, {"b": ["hdl"], "c": ["hdl"]}), r"'hdl' is in 'b' and in 'c'"),
        (({"age": 1}, None, ["agee"]), r"ask_delayed names 'agee'.*Did you mean 'age'"),
        (({"age": 1}, None, 3), r"ask_delayed must name columns, in a list. Got 3"),
        ((None, {"b": ["hdl"]}), r"ask_groups says how answers are paid, and nothing has a price"),
        ((None, None, ["hdl"]), r"ask_delayed says how answers are paid"),
    ],
)
def test_what_is_wrong_is_said(said: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=f"(?s){words}"):
        asking(*said)


def test_words_of_a_command_line() -> None:
    costs, groups = {"mri": 400.0, "blood test": 30.5}, {"blood test": ["hdl", "ldl"]}
    assert read_prices(write_prices(costs), "--ask-cost") == costs
    assert read_groups(write_groups(groups), "--ask-group") == groups
    for wrong in ("mri", "mri=", "=4", "mri=dear", "mri=nan"):
        with pytest.raises(ParameterError, match="--ask-cost takes NAME=PRICE"):
            read_prices([wrong], "--ask-cost")
    with pytest.raises(ParameterError, match="price of 'mri' twice"):
        read_prices(["mri=1", "mri=2"], "--ask-cost")
    for wrong in ("blood", "=hdl", "blood=hdl:"):
        with pytest.raises(ParameterError, match="--ask-group takes"):
            read_groups([wrong], "--ask-group")


X = {"a": [1, 2, 3, 4, 5, 6], "b": [1, 0, 1, 0, 1, 1]}
Y = [0, 1, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"algorithm": "optimal"}, "least errors.*ask_weight=0"),
        ({"polish": True}, "polish=True.*ask_weight=0"),
        ({"lookahead": 2}, "lookahead=2.*ask_weight=0"),
        ({"numeric_test": "pairs"}, "columns that are not there yet.*ask_weight=0"),
        ({"missing": "surrogate"}, "asks other columns.*missing='learn'"),
        ({"ask_weight": 11.0}, r"range \[0.0, 10.0\]"),
        ({"ask_rule": "cheap"}, "eg2"),
    ],
)
def test_what_prices_do_not_go_with(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=f"(?s){words}"):
        DecisionTreeClassifier(ask_costs={"a": 1}, **settings).fit(X, Y)


def test_prices_that_are_only_told_go_with_any_tree() -> None:
    told: dict[str, Any] = {"ask_costs": {"a": 2.5}, "ask_weight": 0}
    for settings in ({"algorithm": "optimal"}, {"polish": True}, {"lookahead": 2}):
        one = DecisionTreeClassifier(**settings, **told).fit(X, Y).model_
        plain = DecisionTreeClassifier(**settings).fit(X, Y).model_
        assert one.tree == plain.tree
        assert one.mean_price is not None
    real = DecisionTreeRegressor(ask_costs={"a": 2.5}).fit(X, [float(v) for v in X["a"]])
    assert real.model_.mean_price == 2.5


def test_trees_of_several_outputs_refuse_prices() -> None:
    with pytest.raises(ParameterError, match="ask_costs say what the answers cost"):
        DecisionTreeClassifier(ask_costs={"a": 1}).fit(X, [[v, 1 - v] for v in Y])


def test_many_trees_refuse_prices() -> None:
    from bosco import AdaBoostClassifier, RandomForestClassifier

    weak = DecisionTreeClassifier(max_depth=1, ask_costs={"a": 1})
    with pytest.raises(ParameterError, match="is of one tree"):
        AdaBoostClassifier(weak).fit(X, Y)
    with pytest.raises(TypeError, match="ask_costs"):
        RandomForestClassifier(ask_costs={"a": 1})
