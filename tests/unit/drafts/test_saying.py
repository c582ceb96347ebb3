"""Tests as people say them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco.data.schema import Column, Schema
from bosco.datasets import golf, loans, play_tennis
from bosco.drafts.ground import with_missing
from bosco.drafts.saying import native_of, read_test, said_of
from bosco.errors import ParameterError
from bosco.render.card import NO_LIMIT, say_test
from bosco.tree.conditions import test_from as conditions_of

SCHEMA = Schema(
    (
        Column("humidity"),
        Column("humidity in"),
        Column("outlook", "nominal", ("overcast", "rain", "sunny")),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("day", unit="date"),
        Column("windy", "nominal", (False, True), "boolean"),
        Column("x > y"),
    ),
    True,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("humidity <= 75", {"column": "humidity", "cuts": [75.0]}),
        ("humidity ≤ 75", {"column": "humidity", "cuts": [75.0]}),
        ("  humidity>75 ", {"column": "humidity", "cuts": [75.0]}),
        ("humidity in > 3", {"column": "humidity in", "cuts": [3.0]}),
        ("humidity cut at 65, 75.5", {"column": "humidity", "cuts": [65.0, 75.5]}),
        ("x > y <= 1", {"column": "x > y", "cuts": [1.0]}),
        (
            "outlook in {sunny, rain}",
            {"column": "outlook", "groups": [["rain", "sunny"], ["overcast"]]},
        ),
        ("outlook = 'rain'", {"column": "outlook", "groups": [["rain"], ["overcast", "sunny"]]}),
        ("outlook", {"column": "outlook", "groups": [["overcast"], ["rain"], ["sunny"]]}),
        (
            "outlook in {sunny} | {rain}",
            {"column": "outlook", "groups": [["sunny"], ["rain"], ["overcast"]]},
        ),
        ("size <= medium", {"column": "size", "cuts": [1.5]}),
        ("size", {"column": "size", "cuts": [0.5, 1.5]}),
        ("day <= 2024-03-01", {"column": "day", "cuts": [19783.0]}),
        ("windy = true", {"column": "windy", "groups": [[True], [False]]}),
        ("windy is true", {"column": "windy", "groups": [[True], [False]]}),
    ],
)
def test_words(text: str, said: Any) -> None:
    assert read_test(SCHEMA, text) == said
    assert said_of(SCHEMA, native_of(SCHEMA, said)) == said


def test_columns_with_cuts_or_groups() -> None:
    assert read_test(SCHEMA, "humidity", cuts=[65, 75])["cuts"] == [65.0, 75.0]
    day = pd.Timestamp("2024-03-01")
    assert read_test(SCHEMA, "day", cuts=[day.date()])["cuts"] == [19783.0]
    made = read_test(SCHEMA, "outlook", groups=[["rain"]])
    assert made["groups"] == [["rain"], ["overcast", "sunny"]]


@pytest.mark.parametrize(
    ("text", "how", "said"),
    [
        ("humidty <= 75", {}, "Did you mean 'humidity'"),
        ("humidity < 75", {}, "neither"),
        ("humidity >= 75", {}, "neither"),
        ("humidity <= many", {}, "a number"),
        ("humidity <= inf", {}, "finite"),
        ("humidity", {}, "where to cut"),
        ("humidity in {1, 2}", {}, "numbers, not levels"),
        ("humidity cut at 75, 65", {}, "ascend"),
        ("outlook <= rain", {}, "no order"),
        ("outlook in {sunny, snow}", {}, "no level of 'outlook'"),
        ("outlook in sunny", {}, "braces"),
        ("outlook in {sunny} | {sunny}", {}, "each level once"),
        ("outlook in {overcast, rain, sunny}", {}, "part nothing"),
        ("outlook is", {}, "A test is said like"),
        ("size in {small}", {}, "have an order"),
        ("day <= soon", {}, "is none"),
        ("humidity <= 3", {"cuts": [3]}, "name alone"),
        ("outlook", {"cuts": [1], "groups": []}, "name alone"),
        (None, {}, "A test is said like"),
    ],
)
def test_what_is_no_test_is_refused(text: Any, how: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        read_test(SCHEMA, text, **how)


@pytest.mark.parametrize("data", [golf, loans, play_tennis])
@pytest.mark.parametrize("algorithm", ["cart", "id3", "c45", "hunt"])
def test_the_words_of_bosco_are_read_as_what_they_say(data: Any, algorithm: str) -> None:
    """Every candidate of every node."""
    draft = bosco.draft(bosco.DecisionTreeClassifier(algorithm=algorithm), *data(), test=0)
    draft.grow()
    native, schema = draft.model.tree.native, draft.model.schema
    from bosco.reasons.held import test_of

    for i in range(len(native.candidates)):
        test = test_of(native.candidates, i)
        words = say_test(schema, conditions_of(*test.__getstate__()), NO_LIMIT)
        made = with_missing(
            native_of(schema, read_test(schema, words)), test.branches, test.missing
        )
        read = say_test(schema, conditions_of(*made.__getstate__()), NO_LIMIT)
        # "a ≠ b" is read as {b} against the rest: the branches may change places.
        assert sorted(map(sorted, said_of(schema, made).get("groups", []))) == sorted(
            map(sorted, said_of(schema, test).get("groups", []))
        )
        assert made.thresholds == test.thresholds
        assert made.column == test.column
        assert read


def test_times_durations_and_quoted_levels_as_why_writes_them() -> None:
    random, n = np.random.default_rng(0), 200
    seconds = random.integers(0, 300000, n)
    X = {
        "td": seconds.astype("m8[s]"),
        "day": np.datetime64("2024-01-01", "D") + random.integers(0, 90, n),
        "at": np.datetime64("2024-01-01", "s") + random.integers(0, 90000, n),
        "k": random.choice(["a, b", "c|d", "it's", "Don't, {x}", 'say "no"'], n).tolist(),
    }
    y = np.where((seconds > 150000) ^ (np.array(X["k"]) == "c|d"), "p", "q")
    learner = bosco.DecisionTreeClassifier(nominal_test="subset")
    draft = bosco.draft(learner, X, y, reasons=False)
    for rank, candidate in enumerate(draft.why(0), 1):
        by_words = draft.split(0, candidate.test)
        assert by_words.yours == draft.split(0, rank).yours == candidate.test
    assert draft.split(0, "td", cuts=[np.timedelta64(1, "h")]).yours == "td ≤ 01:00"
    assert draft.split(0, "day", cuts=[np.datetime64("2024-02-01")]).yours == "day ≤ 2024-02-01"
    assert draft.split(0, "k in {'a, b'} | {\"it's\"}").leaves[1] == 3
