"""What the columns are."""

import contextlib
import json
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco.data.readers import read_table
from bosco.data.schema import Column, Schema, show_level
from bosco.errors import DataError, ModelError, ParameterError

pd = pytest.importorskip("pandas")

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 30],
        "smoker": [True, False, True],
        "sex": ["m", "f", "m"],
        "town": pd.Categorical(["Rome", "Como", "Rome"], ["Rome", "Como", "Bari"]),
        "size": pd.Categorical(["s", "l", "m"], ["s", "m", "l"], ordered=True),
        "born": pd.to_datetime(["2000-01-01", None, "1990-01-01"]),
    }
)


def test_kinds_by_dtype() -> None:
    assert Schema.infer(FRAME).columns == (
        Column("age"),
        Column("smoker", "nominal", (False, True), "boolean"),
        Column("sex", "nominal", ("f", "m"), "text"),
        Column("town", "nominal", ("Rome", "Como", "Bari"), "text"),
        Column("size", "ordinal", ("s", "m", "l"), "text"),
        Column("born", "numeric", None, "datetime"),
    )


def test_a_matrix_is_numeric_and_unnamed() -> None:
    schema = Schema.infer(np.zeros((2, 3), np.float32))
    assert schema.names == ("x0", "x1", "x2")
    assert not schema.named
    assert schema.all_numbers()
    booleans = Schema.infer(np.zeros((2, 1), bool))
    assert booleans.columns[0] == Column("x0", "nominal", (False, True), "boolean")


@pytest.mark.parametrize("chosen", [["age"], [0], [True, *[False] * 5], np.array([0]), ("age",)])
def test_columns_chosen_to_be_nominal(chosen: Any) -> None:
    schema = Schema.infer(FRAME, chosen)
    assert schema.columns[0] == Column("age", "nominal", (20, 30), "number")
    assert schema.columns[1:] == Schema.infer(FRAME).columns[1:]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (np.array([3, 1, 3, -5]), (-5, 1, 3)),
        (np.array([2**60, 2**60 + 1]), (2**60, 2**60 + 1)),
        (np.array([2.5, np.nan, -np.inf]), (-np.inf, 2.5)),
        (np.array([7, 9], np.uint8), (7, 9)),
        (np.array([-128, 127], np.int8), (-128, 127)),
        (np.array([0, 2**64 - 1], np.uint64), (0, 2**64 - 1)),
    ],
)
def test_levels_of_numbers(values: Any, levels: tuple[float, ...]) -> None:
    schema = Schema.infer(values.reshape(-1, 1), categorical_features=[0])
    assert schema.columns[0].levels == levels


def test_ordered_categories_can_be_made_nominal() -> None:
    assert Schema.infer(FRAME, ["size"]).columns[4].kind == "nominal"


def test_no_column_nominal() -> None:
    numbers = FRAME[["age", "smoker", "size", "born"]]
    kinds = [c.kind for c in Schema.infer(numbers, None).columns]
    assert kinds == ["numeric", "numeric", "ordinal", "numeric"]
    with pytest.raises(DataError, match=r"'sex' holds text.*from_dtype"):
        Schema.infer(FRAME, None)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["agee"], r"'agee'.*Did you mean 'age'\?"),
        ([9], "names the column 9"),
        ([-1], "names the column -1"),
        ([True], "one truth value for each of the 6 columns. Got 1"),
        ("age", "must be 'from_dtype', None"),
        ([["age"]], "nested"),
        (["born"], "'born' holds a datetime"),
    ],
)
def test_bad_choices(chosen: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Schema.infer(FRAME, chosen)


def test_domains() -> None:
    domains = {"sex": ["m", "f", "x"], "town": ["Bari", "Como", "Rome"], "age": [20, 30, 40]}
    schema = Schema.infer(FRAME, domains=domains)
    assert schema.columns[2].levels == ("m", "f", "x")
    assert schema.columns[3].levels == ("Bari", "Como", "Rome")
    assert schema.columns[0] == Column("age", "nominal", (20, 30, 40), "number")
    assert Schema.infer(FRAME, domains={"size": ["s", "m", "l", "xl"]}).columns[4].kind == "ordinal"
    assert Schema.infer([["a"]], domains={0: ["a", "b"]}).columns[0].levels == ("a", "b")


@pytest.mark.parametrize(
    ("domains", "error", "message"),
    [
        ({"sex": ["M", "f"]}, DataError, r"'sex', row 0: 'm' is not in.*Did you mean 'M'\?.*Hint"),
        ({"age": [20, 31]}, DataError, "'age', row 1: 30"),
        ({"age": ["20", "30"]}, DataError, "'age', row 0: 20"),
        ({"sexx": ["m"]}, ParameterError, r"Did you mean 'sex'\?"),
        ({"sex": []}, ParameterError, "non-empty"),
        ({"sex": "mf"}, ParameterError, "sequence of levels"),
        ({"sex": ["m", None]}, ParameterError, "none of them missing"),
        ({"sex": ["m", "f", "m"]}, ParameterError, "twice"),
        ({"born": ["x"]}, ParameterError, "datetime"),
    ],
)
def test_bad_domains(domains: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Schema.infer(FRAME, domains=domains)


def test_rows_are_numbered_as_in_x() -> None:
    table = read_table(FRAME).take(np.array([1, 2]))
    with pytest.raises(DataError, match="row 2: 'm'"):
        Schema.infer(table, domains={"sex": ["f"]})


def test_columns_without_a_value_are_numeric() -> None:
    X = {"a": [None, None], "b": pd.Categorical([None, None]), "c": [np.nan, np.nan]}
    assert all(c.kind == "numeric" for c in Schema.infer(X, ["c"]).columns)


def test_many_levels() -> None:
    texts = [f"level {i:05}" for i in range(10_000)]
    column = Schema.infer({"t": texts[::-1]}).columns[0]
    assert column.levels == tuple(texts)


def test_values_are_shown_as_what_they_stand_for() -> None:
    schema = Schema.infer(FRAME)
    assert schema.show_value(0, 25.0) == "25"
    assert schema.show_value(0, 0.1) == "0.1"
    assert schema.show_value(1, 0) == "false"
    assert schema.show_value(3, 2) == "Bari"
    assert schema.show_value(4, 0.5) == "s"
    assert schema.show_value(4, -1) == "missing"
    micro = datetime(1995, 1, 1, 12).timestamp() * 1e6
    assert schema.show_value(5, micro).startswith("1995-01-01")
    days = Schema.infer({"d": [date(2020, 1, 1)]})
    assert days.show_value(0, 18262.5) == "2020-01-01 12:00"
    assert [show_level(level) for level in ("a", 1, 1.5, 2.0, True)] == [
        "a",
        "1",
        "1.5",
        "2",
        "true",
    ]


LEVEL = st.text() | st.booleans() | st.integers() | st.floats(allow_nan=False)
LEVELS = st.lists(LEVEL, min_size=1, unique=True).map(tuple)
NUMERIC = st.builds(
    Column, st.text(), st.just("numeric"), st.none(), st.sampled_from(["number", "date"])
)
CODED = st.builds(
    Column, st.text(), st.sampled_from(["ordinal", "nominal"]), LEVELS, st.just("text")
)
COLUMNS = st.lists(NUMERIC | CODED, min_size=1, max_size=4, unique_by=lambda c: c.name)


@given(COLUMNS, st.booleans())
def test_json_round_trip(columns: list[Column], named: bool) -> None:
    schema = Schema(tuple(columns), named)
    text = json.dumps(schema.to_dict(), allow_nan=False)
    again = Schema.from_dict(json.loads(text))
    assert again == schema
    assert repr(again) == repr(schema)  # 1, 1.0 and True are told apart


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)
GOOD = Schema.infer(FRAME).to_dict()


@given(st.data())
def test_anything_is_a_schema_or_a_clear_error(data: st.DataObject) -> None:
    broken = json.loads(json.dumps(GOOD))
    column = data.draw(st.integers(0, 5))
    target = data.draw(st.sampled_from([broken, broken["columns"][column]]))
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(JSON)
    with contextlib.suppress(ModelError):
        schema = Schema.from_dict(broken)
        assert Schema.from_dict(schema.to_dict()) == schema
    with pytest.raises(ModelError):
        Schema.from_dict(data.draw(JSON))


def test_levels_of_narrow_whole_numbers_do_not_wrap_around() -> None:
    """The table of seen values once took differences in 8 bits: 99 became 43."""
    x = np.array([-100, 99, 5] * 40, np.int8)[:, None]
    assert Schema.infer(x, [0]).columns[0].levels == (-100, 5, 99)


def test_levels_beyond_int64() -> None:
    x = np.array([2**63 + 1, 2**63], np.uint64)[:, None]
    assert Schema.infer(x, [0]).columns[0].levels == (2**63, 2**63 + 1)


def test_categories_without_levels_are_numbers_if_no_column_is_nominal() -> None:
    empty = pd.DataFrame({"a": pd.Categorical([np.nan])})
    assert Schema.infer(empty, None).columns[0].kind == "numeric"
