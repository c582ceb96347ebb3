"""What to ask next of a case that is not wholly known, against every way the case can go on."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, Model
from bosco.datasets import golf
from bosco.reasons.asking import Ask
from tests.strategies import examples

VALUES: dict[str, list[Any]] = {"a": [0, 1, 2], "b": ["x", "y", "z"], "c": [False, True]}
COSTS = {"a": 2.0, "b": 5.0, "c": 3.0}


def grown(seed: int, real: bool, **asked: Any) -> Model:
    random = np.random.default_rng(seed)
    X = {name: random.choice(np.array(v, object), 60).tolist() for name, v in VALUES.items()}
    known = zip(X["a"], X["b"], strict=True)
    score = random.normal(0, 1, 60) + [a + 2 * (b == "x") for a, b in known]
    if real:
        return DecisionTreeRegressor(max_depth=3, **asked).fit(X, np.round(score)).model_
    y = np.array(["low", "mid", "high"])[np.digitize(score, [0.5, 2])]
    return DecisionTreeClassifier(max_depth=4, min_samples_leaf=2, **asked).fit(X, y).model_


def completions(case: dict[str, Any]) -> list[dict[str, Any]]:
    open_ = [name for name in VALUES if name not in case]
    ways = product(*(VALUES[name] for name in open_))
    return [case | dict(zip(open_, way, strict=True)) for way in ways]


def told(model: Model, case: dict[str, Any]) -> Ask | None:
    return model.explain(case).ask


partial_cases = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in VALUES.items()}
)


@given(st.integers(0, 40), st.booleans(), partial_cases)
@examples(60)
def test_what_is_told_is_what_every_completion_says(
    seed: int, real: bool, case: dict[str, Any]
) -> None:
    model = grown(seed, real, ask_costs=COSTS)
    ask = told(model, case)
    ways = completions(case)
    said = [model.predict(way) for way in ways]
    if len(case) == 3:
        assert ask is None
        return
    leaves = [model.apply(way) for way in ways]
    if ask is None:  # nothing that is open is asked: one leaf
        assert len(set(leaves)) == 1
        return
    assert ask.settled == (len(set(said)) == 1)
    assert sorted(ask.answers, key=str) == sorted(set(said), key=str)
    assert set(ask.unknown).isdisjoint(case)
    if ask.settled:
        assert ask.questions == ()
        assert "whatever is answered, the decision stays" in str(model.explain(case))
        return
    rows = model.amounts.sum(axis=1)
    answer = dict(zip(leaves, said, strict=True))
    pairs = {
        (p, q): rows[p] * rows[q] * ((answer[p] - answer[q]) ** 2 if real else 1.0)
        for p, q in product(set(leaves), repeat=2)
        if answer[p] != answer[q]
    }
    parts = {}
    for name in ask.unknown:
        met: dict[int, set[Any]] = {}
        for way, leaf in zip(ways, leaves, strict=True):
            met.setdefault(leaf, set()).add(way[name])
        apart = sum(w for (p, q), w in pairs.items() if not met[p] & met[q])
        parts[name] = apart / sum(pairs.values())
    found = {question.column: question for question in ask.questions}
    assert set(found) == {name for name, part in parts.items() if part > 0}
    for name, question in found.items():
        assert question.parts == pytest.approx(parts[name])
        assert question.price == COSTS[name]
    worth = [(2**q.parts - 1) / (COSTS[q.column] / 2 + 1) ** 0.5 for q in ask.questions]
    assert worth == sorted(worth, reverse=True)


def test_groups_that_are_paid_are_free() -> None:
    groups = {"visit": ["a", "b"]}
    model = grown(1, False, ask_costs={"visit": 9, "c": 1}, ask_groups=groups, ask_weight=0)
    first = told(model, {"c": True})
    assert first is not None
    assert {q.price for q in first.questions if q.column in "ab"} == {9}
    for value in VALUES["a"]:
        then = told(model, {"c": True, "a": value})
        if then is not None:
            assert {q.price for q in then.questions} <= {0}


def test_without_prices_what_decides_most_comes_first() -> None:
    model = grown(2, False)
    ask = told(model, {})
    assert ask is not None
    parts = [question.parts for question in ask.questions]
    assert parts == sorted(parts, reverse=True)
    assert {question.price for question in ask.questions} == {None}
    text = str(model.explain({}))
    assert f"ask next: {ask.questions[0].column} (decides " in text
    assert "for now " in text
    assert "price" not in text


def test_what_is_missing_for_good_is_not_asked() -> None:
    model = grown(3, False)
    case: dict[str, Any] = {"a": None, "b": None, "c": None}
    explained = model.explain(case)
    assert explained.ask is None
    assert "is missing" in str(explained)
    assert "not known yet" not in str(explained)
    one = model.explain({"b": None})
    assert one.ask is not None
    assert "b" not in one.ask.unknown
    assert one.change is None


def test_a_name_that_is_none_is_refused() -> None:
    model = DecisionTreeClassifier().fit(*golf()).model_
    with pytest.raises(DataError, match=r"'outlok', which is not a column.*Did you mean 'outlook'"):
        model.explain({"outlok": "rain"})
    # Names beside a whole case are ignored, as ever.
    X, _ = golf()
    row = {name: next(iter(dict(X)[name])) for name in dict(X)} | {"class": "Play"}
    assert model.explain(row).ask is None


def test_a_derived_column_is_open_as_long_as_one_of_its_columns_is() -> None:
    random = np.random.default_rng(0)
    X = {name: random.normal(size=50).tolist() for name in ("u", "v")}
    tree = DecisionTreeClassifier(
        derive={"w": "u - v"}, max_depth=1, ask_costs={"u": 3, "v": 4}, ask_weight=0
    )
    model = tree.fit(X, [u > v for u, v in zip(X["u"], X["v"], strict=True)]).model_
    assert model.columns_asked == ("u", "v")
    first, then = told(model, {}), told(model, {"u": 2.0})
    assert first is not None
    assert then is not None
    assert [(q.column, q.price, q.parts) for q in first.questions] == [("w", 7.0, 1.0)]
    assert [(q.column, q.price, q.parts) for q in then.questions] == [("w", 4.0, 1.0)]
    assert told(model, {"u": 2.0, "v": 1.0}) is None
    assert model.explain({"u": 2.0, "v": 1.0}).paid == 7


def test_values_of_a_dict_are_plain() -> None:
    model = grown(4, False, ask_costs=COSTS)
    said = model.explain({"b": "x"}).to_dict()["ask"]
    assert set(said) == {"unknown", "questions", "answers", "settled"}
    assert model.explain({"a": 1, "b": "x", "c": True}).to_dict()["ask"] is None
