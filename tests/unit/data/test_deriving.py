"""Derived columns in a schema and in frames."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bosco.data.deriving import derived
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.errors import DataError, ModelError, ParameterError

X = {"weight": [80.0, 50.0, None], "height": [2.0, 0.0, 1.5], "wind": ["calm", "gale", "calm"]}
DERIVE = {"bmi": "weight / height ** 2", "wild": "wind == 'gale'", "odd": "bmi > 10 and wild"}


def schema() -> Schema:
    return derived(Schema.infer(X), DERIVE)


def test_derived_columns_follow_those_that_are_given() -> None:
    made = schema()
    assert made.names == ("weight", "height", "wind", "bmi", "wild", "odd")
    assert [column.name for column in made.given] == ["weight", "height", "wind"]
    assert made.behind([5]) == (0, 1, 2)
    assert made.behind([3]) == (0, 1)
    assert made.behind([2, 4]) == (2,)


def test_a_frame_computes_them() -> None:
    frame = Frame.read(X, schema())
    assert frame.table.column(3).values[0] == 20.0  # type: ignore[union-attr]
    assert frame.missing_columns() == ["weight", "bmi", "odd"]
    assert frame.table.column(4).codes.tolist() == [1, 2, 1]  # type: ignore[union-attr]
    assert frame.table.column(5).codes.tolist() == [1, 0, 0]  # type: ignore[union-attr]


def test_a_column_of_a_derived_name_is_not_read() -> None:
    frame = Frame.read({**X, "bmi": [1.0, 1.0, 1.0]}, schema(), asked=lambda: ["bmi"])
    assert frame.table.column(3).values[0] == 20.0  # type: ignore[union-attr]


def test_only_what_is_derived_from_is_needed() -> None:
    frame = Frame.read({"wind": ["gale"]}, schema(), asked=lambda: ["wild"])
    assert frame.table.column(4).codes.tolist() == [2]  # type: ignore[union-attr]
    with pytest.raises(DataError, match=r"lacks 2 columns .* 'weight', 'height'"):
        Frame.read({"wind": ["gale"]}, schema(), asked=lambda: ["bmi"])


def test_a_matrix_has_names_too() -> None:
    made = derived(Schema.infer(np.array([[1, 2]])), {"sum": "x0 + x1"})
    frame = Frame.read(np.array([[1, 2], [3, 4]]), made)
    assert frame.table.column(2).values.tolist() == [3.0, 7.0]  # type: ignore[union-attr]
    with pytest.raises(DataError, match="X has 3 features, but this model is expecting 2"):
        Frame.read(np.zeros((1, 3)), made)


def test_where_missing_values_are_refused_one_without_a_value_is() -> None:
    with pytest.raises(DataError, match=r"derived column 'bmi', weight / height \*\* 2, has no"):
        Frame.read({**X, "weight": [1.0, 1.0, 1.0]}, schema(), refuse_missing=True)


def test_plain_values_read_back_the_same() -> None:
    assert Schema.from_dict(schema().to_dict()) == schema()
    assert "expression" not in str(Schema.infer(X).to_dict())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"expression": "weight / "}, "at its end"),
        ({"expression": "lost + 1"}, "no column 'lost'"),
        ({"expression": "wild"}, "no column 'wild'"),
        ({"expression": "bmi + 1"}, "no column 'bmi'"),
        ({"expression": "weight > 1"}, "not of the kind of its expression"),
        ({"expression": None}, "an expression is a text"),
        ({"expression": "(" * 10**6}, "1,000,000 letters"),
        ({"expression": "weight.__class__"}, "nothing has parts"),
        ({"unit": "date"}, "not of the kind of its expression"),
    ],
)
def test_a_file_of_a_stranger_is_not_believed(change: Any, why: str) -> None:
    said = schema().to_dict()
    said["columns"][3] |= change
    with pytest.raises(ModelError, match=why):
        Schema.from_dict(said)


def test_given_columns_come_first() -> None:
    said = schema().to_dict()
    said["columns"].append({"name": "late", "kind": "numeric", "unit": "number", "levels": None})
    with pytest.raises(ModelError, match="a derived column stands before one that is given"):
        Schema.from_dict(said)


@pytest.mark.parametrize(
    ("derive", "why"),
    [
        ({"weight": "2 * height"}, r"X has a column of that name"),
        ({"": "2 * height"}, "texts that are not empty"),
        ({3: "2 * height"}, "Got 3"),
        ({"a": "a + 1"}, "a → a go in a circle"),
        ({"a": "weight + b", "b": "c * 2", "c": "a"}, "a → b → c → a go in a circle"),
        ({"a": "b + 1", "b": "weight"}, "'b' is derived after it. Hint: put 'b' before 'a'"),
        ({"a": "wieght + 1"}, r"derive\['a'\], 'wieght \+ 1': .* Did you mean 'weight'\?"),
        ({"a": 3}, "an expression is a text"),
        ({f"a{i}": "weight" for i in range(1001)}, "at most 1,000"),
    ],
)
def test_what_cannot_be_derived_is_said(derive: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        derived(Schema.infer(X), derive)


def test_dates_of_any_library_are_compared() -> None:
    days = pd.DataFrame(
        {
            "arrived": pd.to_datetime(["2020-01-03", "2020-01-01", None]),
            "promised": pd.to_datetime(["2020-01-02"] * 3),
        }
    )
    made = derived(Schema.infer(days), {"late": "arrived > promised", "by": "arrived - promised"})
    table = Frame.read(days, made).table
    assert table.column(2).codes.tolist() == [2, 1, 0]  # type: ignore[union-attr]
    assert made.columns[3].unit == "duration"
    assert made.show_value(3, table.column(3).values[1]) == "-1 day 00:00"  # type: ignore[union-attr]
