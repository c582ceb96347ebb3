"""Every form of sentence, and what is said of those that cannot be read."""

import math
from typing import Any

import pytest

from bosco.data.schema import Column, Schema
from bosco.errors import ParameterError
from bosco.policies.policy import Asked, Never, Pair
from bosco.policies.reading import FORMS, read_policy
from bosco.tree.conditions import Interval, Members

SCHEMA = Schema(
    (
        Column("age"),
        Column("sex", "nominal", ("female", "male", "not said")),
        Column("income"),
        Column("income per head"),
        Column("size", "ordinal", ("S", "M", "L")),
        Column("day", unit="date"),
        Column("wait", unit="duration"),
        Column("is new", "nominal", (False, True), "boolean"),
    ),
    True,
)
CLASSES = ["denied", "granted"]
DENIED, GRANTED = frozenset({0}), frozenset({1})


def read(text: str, classes: Any = CLASSES, better: Any = None) -> Any:
    return read_policy(text, SCHEMA, classes, better)


def over(column: int, low: float) -> Asked:
    return Asked(column, (Interval(column, low, None, False),))


def upto(column: int, high: float) -> Asked:
    return Asked(column, (Interval(column, None, high, False),))


def below(x: float) -> float:
    return math.nextafter(x, -math.inf)


@pytest.mark.parametrize(
    "text",
    [
        "never denied where age > 65 and income > 3000",
        "Never DENIED where Age over 65, income above 3_000.",
        "nobody over 65 with income > 3000 is denied",
        "nobody with age > 65 and income > 3000 is denied",
        "no one who is over 65 and with income more than 3e3 gets denied",
        "always granted if age > 65 and income > 3000",
        "never denies when age is over 65 and 'income' > 3000",
    ],
)
def test_one_thing_in_many_words(text: str) -> None:
    assert read(text) == Never(text, (over(0, 65.0), over(2, 3000.0)), DENIED)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("age >= 18", over(0, below(18.0))),
        ("age at least 18", over(0, below(18.0))),
        ("age < 18", upto(0, below(18.0))),
        ("age ≤ 18", upto(0, 18.0)),
        ("age is at most 18", upto(0, 18.0)),
        ("age up to -1.5", upto(0, -1.5)),
        ("age = 18", Asked(0, (Interval(0, below(18.0), 18.0, False),))),
        ("age between 18 and 65", Asked(0, (Interval(0, below(18.0), 65.0, False),))),
        (
            "age != 18",
            Asked(0, (Interval(0, None, below(18.0), False), Interval(0, 18.0, None, False))),
        ),
        ("age is missing", Asked(0, (Members(0, (), True),))),
        ("age is known", Asked(0, (Interval(0, None, None, False),))),
        ("sex = female", Asked(1, (Members(1, (1,), False),))),
        ("sex is not said", Asked(1, (Members(1, (3,), False),))),
        ("sex is not male", Asked(1, (Members(1, (1, 3), False),))),
        ("sex in {female, 'not said'}", Asked(1, (Members(1, (1, 3), False),))),
        ("sex not in {male}", Asked(1, (Members(1, (1, 3), False),))),
        ("sex is known", Asked(1, (Members(1, (1, 2, 3), False),))),
        ("is new = true", Asked(7, (Members(7, (2,), False),))),
        ("income per head > 5", over(3, 5.0)),
        ("size >= M", over(4, 0.0)),
        ("size under M", upto(4, 0.0)),
        ("size = M", Asked(4, (Interval(4, 0.0, 1.0, False),))),
        ("size not in {S, M, L}", Asked(4, (Members(4, (), False),))),
        ("day > 2020-01-01", over(5, 18262.0)),
        ("wait > 0:01", over(6, 6e7)),
        ("wait > '2 days 00:00:00'", over(6, 1.728e11)),
    ],
)
def test_conditions(words: str, asked: Asked) -> None:
    assert read(f"never denied where {words}").where == (asked,)


def test_pairs() -> None:
    both = frozenset({(0, 1), (1, 0)})
    assert read("never denied because of sex") == Pair(
        "never denied because of sex", (), (1,), frozenset({(0, 1)})
    )
    assert read("sex and age do not matter").columns == (1, 0)
    assert read("sex does not matter where age > 1").wrong == both
    assert read("sex does not matter where age > 1").where == (over(0, 1.0),)
    assert read("sex never matters", None).wrong == "differs"
    assert read("more income never turns granted into denied").wrong == {(1, 0)}
    assert read("less income never turns granted into denied").wrong == {(0, 1)}
    order = ["denied", "granted"]
    for text in ("more income never lowers the answer", "less income never raises the answer"):
        assert read(text, better=order).wrong == {(1, 0)}
        assert read(text, better=order[::-1]).wrong == {(0, 1)}
        assert read(text, None).wrong == "falls"
        assert read(text, None).up
    assert read("higher size never increases it", None).wrong == "rises"


def test_numbers_are_answers() -> None:
    assert read("never over 100 where age > 1", None).wrong == Interval(-1, 100.0, None, False)
    assert read("nobody is below 3.5", None).wrong == Interval(-1, None, below(3.5), False)
    # all but at most 3.5
    assert read("always at most 3.5", None).wrong == Interval(-1, 3.5, None, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no form begins"),
        ("be good", "no form begins"),
        ("never", "names '', which is no answer"),
        ("never denid", "Did you mean 'denied'"),
        ("never denied where agee > 5", "Did you mean 'age'"),
        ("never denied where sex = femal", "is no level of 'sex'"),
        ("never denied where sex > male", "have no order"),
        ("never denied where age > old", "a number of 'age' is wanted"),
        ("never denied where day > soon", "a date of 'day' is wanted"),
        ("never denied where age", "nothing is asked of 'age'"),
        ("never denied where age > 5 or income > 6", "this is too much"),
        ("never denied where age between 5", "'and' is missing"),
        ("never denied where sex in male", "in braces"),
        ("never denied where sex in {male", "a '}' is missing"),
        ("never denied because of", "which is no column"),
        ("never denied because of 'sez'", "Did you mean 'sex'"),
        ("nobody over is denied", "a number of 'age' is wanted"),
        ("more sex never lowers the answer", "have no order"),
        ("more income lowers the answer", "'never' is missing"),
        ("more income never hides", "'lowers', 'raises' or 'turns' is missing"),
        ("more income never turns denied to granted", "'into' is missing"),
        ("more income never lowers the answer", "better="),
        ("income", "'does not matter' is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_can(text: str, said: str) -> None:
    with pytest.raises(ParameterError) as error:
        read(text)
    assert said in str(error.value)
    assert text in str(error.value)
    if "not understood" in str(error.value):
        assert all(form in str(error.value) for form in FORMS)


def test_other_refusals() -> None:
    with pytest.raises(ParameterError, match="A policy is a sentence"):
        read(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="every answer once"):
        read("more income never lowers the answer", better=["denied"])
    with pytest.raises(ParameterError, match="Did you mean 'granted'"):
        read("more income never lowers the answer", better=["denied", "grantd"])
    with pytest.raises(ParameterError, match="the answers are numbers"):
        read("never denied", None)
    with pytest.raises(ParameterError, match="does not matter"):
        read("never over 3 because of sex", None)
    with pytest.raises(ParameterError, match="of numbers, say"):
        read("more income never turns over 3 into under 4", None)
    no_age = Schema((Column("income"),), True)
    with pytest.raises(ParameterError, match="there is not one called 'age'"):
        read_policy("nobody over 65 is denied", no_age, CLASSES, None)
    derived = Schema((*no_age.columns, Column.derived("twice", "2 * income", no_age.columns)), True)
    with pytest.raises(ParameterError, match="changes only with income"):
        read_policy("twice does not matter", derived, CLASSES, None)
