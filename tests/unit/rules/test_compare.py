"""Rules compared with rules, and the boxes they are compared by."""

import math
from dataclasses import replace

import pandas as pd
import pytest
from sklearn.datasets import load_wine

import bosco
from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, ParameterError
from bosco.data.schema import Column, Schema
from bosco.datasets import play_tennis
from bosco.models.model import Model
from bosco.rules.equivalence import Side, cells, halving
from bosco.rules.primes import all_primes, merged
from bosco.rules.space import Space
from bosco.rules.work import Work
from bosco.tree.conditions import Interval, Members


@pytest.fixture(scope="module")
def tennis() -> Model:
    return DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_


def test_neighbouring_thresholds_are_told_apart() -> None:
    one = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_
    rules = one.rules()
    cut = 1.5
    moved = []
    for rule in rules:
        (condition,) = rule.conditions
        assert isinstance(condition, Interval)
        low, high = (
            math.nextafter(cut, 2) if x == cut else x for x in (condition.low, condition.high)
        )
        moved.append(replace(rule, conditions=(replace(condition, low=low, high=high),)))
    other = replace(rules, rules=tuple(moved))
    verdict = rules.equivalent_to(other)
    assert not verdict
    assert verdict.point == {"x0": math.nextafter(cut, 2)}
    assert verdict.answers == ("b", "a")


def test_a_hole_in_the_rules_is_found() -> None:
    whole = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).model_.rules()
    narrow = replace(whole[0], conditions=(Interval(0, None, 1.0, True),))
    holed = replace(whole, rules=(narrow,), complete=False)
    for one, other in ((whole, holed), (holed, whole)):
        verdict = one.equivalent_to(other)
        assert not verdict
        assert set(verdict.answers) == {"a", None}
        assert verdict.point == {"x0": 2.0}
    with pytest.raises(DataError, match="No rule holds for row 1"):
        holed.predict([[1.0], [1.5]])


def test_trees_models_and_estimators_are_compared(tennis: Model) -> None:
    X, y = play_tennis()
    rules = tennis.rules()
    clf = DecisionTreeClassifier(algorithm="id3").fit(X, y)
    for other in (rules, tennis, tennis.tree, clf):
        assert rules.equivalent_to(other)
    flipped = DecisionTreeClassifier(algorithm="id3").fit(
        X, ["No" if v == "Yes" else "Yes" for v in y]
    )
    assert not rules.equivalent_to(flipped)
    with pytest.raises(ParameterError, match="Got str"):
        rules.equivalent_to("rules")
    with pytest.raises(ParameterError, match="fit it first"):
        bosco.diff(tennis, DecisionTreeClassifier())
    assert not rules.equivalent_to(DecisionTreeClassifier(max_depth=1).fit(X, y), values=True)
    with pytest.raises(ParameterError, match="class shares"):
        rules.equivalent_to(rules.simplify(), values=True)


def test_columns_are_matched_by_name_and_levels_by_value() -> None:
    X, y = {"a": ["u", "v", "u", "v"], "n": [1.0, 1.0, 2.0, 2.0]}, ["p", "q", "p", "q"]
    one = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    turned = {"n": X["n"], "a": X["a"]}
    assert one.rules().equivalent_to(DecisionTreeClassifier(algorithm="id3").fit(turned, y))
    more = DecisionTreeClassifier(algorithm="id3", domains={"a": ["u", "v", "w"]}).fit(X, y).model_
    verdict = one.rules().equivalent_to(more)
    # "w" is missing to the one and a level to the other.
    same = one.predict({"a": "w", "n": 1.0}) == more.predict({"a": "w", "n": 1.0})
    assert bool(verdict) == same
    fewer = DecisionTreeClassifier(algorithm="id3").fit({"a": X["a"]}, y)
    assert one.rules().equivalent_to(fewer)
    numbers = DecisionTreeClassifier().fit({"a": [1.0, 2.0, 3.0, 4.0]}, y)
    with pytest.raises(DataError, match="no case that both"):
        one.rules().equivalent_to(numbers)
    with pytest.raises(DataError, match="numbers"):
        one.rules().equivalent_to(DecisionTreeRegressor().fit({"a": X["a"]}, [0.0, 1.0, 0.0, 1.0]))


def test_ordered_levels_in_another_order() -> None:
    def fit(levels: list[str]) -> Model:
        sizes = pd.Categorical(["S", "M", "L"] * 2, levels, ordered=True)
        return DecisionTreeClassifier().fit(pd.DataFrame({"size": sizes}), [0, 0, 1] * 2).model_

    assert fit(["S", "M", "L"]).rules().equivalent_to(fit(["L", "M", "S"]))


def test_difference_counts_rows() -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    one = DecisionTreeClassifier(max_depth=2).fit(X, y)
    two = DecisionTreeClassifier(max_depth=3).fit(X, y)
    found = bosco.diff(one, two, X)
    assert found.rows == (one.predict(X) != two.predict(X)).sum()
    assert found.rows_in_all == 178
    assert str(found).endswith(f"{found.rows} of 178 rows differ")
    assert [r.rows for r in found] == sorted((r.rows for r in found), reverse=True)
    assert found.to_markdown().count("\n") == 1 + len(found)
    assert len(found.to_dict()["regions"]) == len(found)
    assert bosco.diff(one, two).rows is None


def test_halving_makes_progress_on_every_field() -> None:
    schema = Schema((Column("x"), Column("c", "nominal", ("a", "b", "c"))), True)
    conditions = [
        Interval(0, 1.0, 2.0, False),
        Interval(0, None, 1.0, True),
        Members(1, (2,), False),
    ]
    space = Space(schema, conditions)
    boxes = [space.box([c]) for c in conditions]
    low, high = halving(space, space.full, boxes)
    assert low
    assert high
    assert low & high == 0
    parts = list(
        cells(
            space,
            Side(boxes, [1, 2, 3], False),
            Side([space.full], [0], True),
            space.full,
            Work(),
        )
    )
    assert sum(_size(space, box) for box, _, _ in parts) == _size(space, space.full)


def _size(space: Space, box: int) -> int:
    return math.prod((box >> f.shift & f.full).bit_count() for f in space.fields)


# Boxes -------------------------------------------------------------------------------------------


def test_a_bound_at_infinity_means_known() -> None:
    schema = Schema((Column("x"),), True)
    known = Interval(0, None, math.inf, False)
    space = Space(schema, [known, Interval(0, math.inf, None, False)])
    assert space.conditions(space.box([known])) == (Interval(0, None, None, False),)
    assert not space.holds_any(space.box([Interval(0, math.inf, None, False)]))


def test_an_interval_is_never_said_with_a_hole() -> None:
    schema = Schema((Column("x"),), True)
    low, mid, high = (Interval(0, None, 1.0, False), Interval(0, 1.0, 2.0, False),
                      Interval(0, 2.0, None, True))  # fmt: skip
    space = Space(schema, [low, mid, high])
    outer = [space.box([low]), space.box([high])]
    assert sorted(merged(space, outer, Work())) == sorted(outer)
    assert merged(space, [*outer, space.box([mid])], Work()) == [space.full]
    primes = all_primes(space, outer, [space.box([mid])], 100, Work())
    assert primes is not None
    # The missing value goes with either side.
    assert {space.conditions(p)[0] for p in primes} == {
        Interval(0, None, 1.0, True),
        Interval(0, 2.0, None, True),
    }
