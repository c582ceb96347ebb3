"""Rows that agree with a schema."""

from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import DecisionTreeRegressor
from bosco.data.columns import Coded, Numbers
from bosco.data.frame import Frame, conform
from bosco.data.readers import Table, read_table
from bosco.data.schema import Column, Schema
from bosco.errors import DataError, KindError

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

X = pd.DataFrame({"age": [20.0, np.nan, 40.0], "sex": ["m", "f", None], "old": [False, True, True]})
SCHEMA = Schema.infer(X)


def cells(given: Any, schema: Schema, j: int = 0) -> list[Any]:
    column = conform(given if isinstance(given, Table) else read_table(given), schema).column(j)
    return (column.codes if isinstance(column, Coded) else column.values).tolist()


def test_reading_for_the_core() -> None:
    frame = Frame.read(X, SCHEMA)
    assert (frame.n_rows, frame.native.n_rows, frame.native.n_columns) == (3, 3, 3)
    assert frame.missing_columns() == ["age", "sex"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i1", "i8", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_matrices_of_any_dtype(dtype: str, order: Any) -> None:
    matrix = np.array([[0, 1], [1, 1], [1, 0]]).astype(dtype, order=order)
    frame = Frame.read(matrix[::-1], Schema.infer(matrix))
    assert frame.native.n_columns == 2
    assert frame.missing_columns() == []
    read_only = matrix.copy()
    read_only.flags.writeable = False
    assert Frame.read(read_only, Schema.infer(read_only)).n_rows == 3


def test_infinity_is_a_value() -> None:
    matrix = np.array([[np.inf], [-np.inf], [1e308], [5e-324]])
    assert Frame.read(matrix, Schema.infer(matrix), refuse_missing=True).missing_columns() == []


def test_columns_are_matched_by_name() -> None:
    assert cells(X[["old", "age", "sex"]], SCHEMA, 1) == [2, 1, 0]
    assert cells(pl.from_pandas(X)[["old", "age", "sex"]], SCHEMA, 2) == [1, 2, 2]
    assert cells([{"old": True, "sex": "f", "age": 3}], SCHEMA, 0) == [3]
    numbers = pd.DataFrame({"a": [1.0], "b": [2.0]})
    assert cells(numbers[["b", "a"]], Schema.infer(numbers), 1) == [2.0]
    whole = pd.DataFrame([[1.0, 2.0]], columns=[5, 6])
    assert cells(whole[[6, 5]], Schema.infer(whole), 0) == [1.0]


def test_columns_without_names_are_matched_by_position() -> None:
    rows = np.array([[30.0, "m", True]], dtype=object)
    assert cells(rows, SCHEMA, 1) == [2]
    assert cells(X[["age"]], Schema.infer(np.zeros((1, 1))), 0)[0] == 20.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (X.rename(columns={"sex": "sexx"}), r"unseen at fit time:\n- sexx Did you mean 'sex'\?"),
        (X[["age", "sex"]], r"now missing:\n- old"),
        (X.assign(more=1), r"should match.*\nFeature names unseen at fit time:\n- more"),
        (np.zeros((2, 2)), "X has 2 features, but Tree is expecting 3 features as input."),
    ],
)
def test_wrong_columns(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Frame.read(given, SCHEMA, owner="Tree")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (X.assign(age=["a", "b", "c"]), r"'age' was fitted with numbers, but now holds text \('a'"),
        (
            X.assign(sex=[1.0, 2.0, 3.0]),
            "'sex' was fitted with levels such as 'f', but now holds num",
        ),
        (X.assign(age=pd.to_datetime(["2020"] * 3)), "holds dates with a time"),
        (X.assign(sex=[True, False, True]), "'sex'.*truth values"),
        (X.assign(old=["yes", "no", "no"]), r"'old'.*text.*Hint"),
    ],
)
def test_changed_kinds(given: Any, message: str) -> None:
    with pytest.raises(KindError, match=message):
        conform(read_table(given), SCHEMA)


def test_kinds_that_say_the_same() -> None:
    assert cells(X.assign(old=[0, 1, 2]), SCHEMA, 2) == [1, 2, 0]
    assert cells(X.assign(old=[0.0, 1.0, np.nan]), SCHEMA, 2) == [1, 2, 0]
    assert cells(X.assign(age=[True, False, None]), SCHEMA, 0)[:2] == [1, 0]
    assert cells(X.assign(sex=[None] * 3), SCHEMA, 1) == [0, 0, 0]
    assert cells(X.assign(sex=np.nan), SCHEMA, 1) == [0, 0, 0]
    assert np.isnan(cells(X.assign(age=[None] * 3), SCHEMA, 0)).all()
    assert cells(X.assign(sex=pd.Categorical(["f", "x", "m"])), SCHEMA, 1) == [1, 0, 2]
    assert cells(X.assign(age=pd.Categorical([3, 2, 3])), SCHEMA, 0) == [3, 2, 3]


def test_dates() -> None:
    days = Schema.infer({"d": [date(2020, 1, 1), None]})
    assert cells({"d": [datetime(2020, 1, 1, 12)]}, days) == [18262.5]
    times = Schema.infer({"d": [datetime(2020, 1, 1, 12)]})
    assert cells({"d": [date(1970, 1, 2)]}, times) == [86_400e6]
    with pytest.raises(KindError, match="fitted with dates, but now holds numbers"):
        cells({"d": [3]}, days)


def test_unknown_levels_are_missing() -> None:
    assert cells({"age": [1.0], "sex": ["x"], "old": [True]}, SCHEMA, 1) == [0]
    numbers = Schema.infer(np.array([[10], [30], [20]]), categorical_features=[0])
    assert cells(np.array([[30.0], [np.nan], [25.0], [10.0]]), numbers) == [3, 0, 0, 1]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"age": np.nan, "sex": "f", "old": True},
            r"contains NaN: column 'age', row 1 is missing.*Hint",
        ),
        ({"age": 1, "sex": None, "old": True}, "column 'sex', row 1 is missing"),
        ({"age": 1, "sex": "F", "old": True}, r"'sex', row 1 is 'F'.*Did you mean 'f'\?"),
        ({"age": 1, "sex": "f", "old": None}, "'old', row 1"),
    ],
)
def test_missing_values_refused(row: dict[str, Any], message: str) -> None:
    good = {"old": True, "age": 1.5, "sex": "m"}
    assert Frame.read([good], SCHEMA, refuse_missing=True).n_rows == 1
    assert Frame.read([good, row], SCHEMA).n_rows == 2
    with pytest.raises(DataError, match=message):
        Frame.read([good, row], SCHEMA, refuse_missing=True)


def test_missing_in_a_matrix() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, np.nan]])
    rest = read_table(matrix).take(np.array([1]))
    for table in (matrix, rest):
        with pytest.raises(DataError, match="'x1', row 1 is missing"):
            Frame.read(table, Schema.infer(matrix), refuse_missing=True)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_must_be_floats(dtype: Any) -> None:
    good = np.array([[1, 2**53], [2, 2**60]], dtype)
    assert Frame.read(good, Schema.infer(good)).n_rows == 2
    bad = np.array([[1, 2], [3, 2**53 + 1]], dtype)
    for form in (bad, pd.DataFrame(bad, columns=["x0", "x1"]), {"x0": bad[:, 0], "x1": bad[:, 1]}):
        with pytest.raises(DataError, match=r"'x1', row 1: 9007199254740993 .*Hint: .*text"):
            Frame.read(form, Schema.infer(form))
    nominal = Schema.infer(bad, categorical_features=[1])
    assert cells(bad, nominal, 1) == [1, 2]


@pytest.mark.parametrize("level", [2**53 + 1, 10**400, -(10**5000)], ids=["near", "far", "farther"])
def test_whole_numbers_as_levels_must_be_floats(level: int) -> None:
    schema = Schema((Column("a"),), named=True)
    cells = pd.Series(pd.Categorical([1, level, 1]))
    with pytest.raises(
        DataError, match=r"Column 'a': its level \d is a whole number that a float64"
    ):
        Frame.read({"a": cells}, schema)
    with pytest.raises(DataError, match="whole number"):
        DecisionTreeRegressor().fit([[1.0], [2.0], [3.0]], cells)


def test_identifiers() -> None:
    n = 40
    frame = pd.DataFrame(
        {
            "id": [f"D{i}" for i in range(n)],
            "nearly": [f"D{max(i, 2)}" for i in range(n)],
            "pairs": [f"D{i // 2}" for i in range(n)],
            "number": np.arange(n),
            "unused": pd.Categorical(
                ["a"] * n, [f"{c}" for c in "a" + "".join(map(chr, range(200, 300)))]
            ),
        }
    )
    assert Frame.read(frame, Schema.infer(frame)).identifier_columns() == ["id", "nearly"]
    assert Frame.read(frame[:5], Schema.infer(frame[:5])).identifier_columns() == []


@given(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1), st.lists(st.sampled_from("abcd"))
)
def test_codes_mean_the_same_levels(fitted: list[str | None], asked: list[str]) -> None:
    if not asked or not any(fitted):
        return
    schema = Schema.infer({"t": fitted})
    levels = schema.columns[0].levels
    assert levels is not None
    found = [levels[code - 1] if code else None for code in cells({"t": asked}, schema)]
    assert found == [v if v in levels else None for v in asked]


def test_numbers_are_not_copied() -> None:
    frame = pd.DataFrame({"a": np.arange(4.0), "b": list("wxyz")})
    column = conform(read_table(frame), Schema.infer(frame)).column(0)
    assert isinstance(column, Numbers)
    assert np.shares_memory(column.values, frame["a"].to_numpy())


def test_a_column_that_was_all_missing_is_explained() -> None:
    schema = Schema.infer({"a": [None, None], "b": [1.0, 2.0]})
    with pytest.raises(KindError, match=r"all of it was missing then.*domains=\{'a': \[...\]\}"):
        Frame.read({"a": ["p", "q"], "b": [1.0, 2.0]}, schema)
    told = Schema.infer({"a": [None, None], "b": [1.0, 2.0]}, domains={"a": ["p"]})
    assert Frame.read({"a": ["p", "q"], "b": [1.0, 2.0]}, told).n_rows == 2
