"""A column that parts the rows: read from any table, and the line between past and future."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bosco.data.parting import TEST, TRAINING, VALIDATION, latest, read_parting
from bosco.data.readers import read_table
from bosco.errors import DataError, ParameterError

COLUMNS = {"x": [1.0, 2.0, 3.0], "who": ["b", "a", "b"]}
FORMS = {
    "dict": COLUMNS,
    "rows": [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "arrow": pa.table(COLUMNS),
    "read": read_table(COLUMNS),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_named_column_is_taken_out(form: str) -> None:
    X = FORMS[form]
    rest, by = read_parting(X, "who", "groups", 3)
    assert by.groups("groups").tolist() == [1, 0, 1]
    assert type(rest) is type(X)
    assert read_table(rest).names == ("x",)
    assert read_table(X).names == ("x", "who")  # what was given stays as it is


def test_values_that_are_given_leave_x_alone() -> None:
    X = np.zeros((3, 1))
    rest, by = read_parting(X, pd.Series(["b", "a", "b"], name="who"), "groups", 3)
    assert rest is X
    assert by.name == "who"
    assert read_parting(X, [3, 1, 3], "groups", 3)[1].groups("groups").tolist() == [1, 0, 1]
    assert read_parting(X, np.array([[3], [1], [3]]), "groups", 3)[1].name is None


@pytest.mark.parametrize(
    ("given", "what", "error", "said"),
    [
        ("whom", "groups", ParameterError, "Did you mean 'who'"),
        ([1, 2], "time", DataError, "time must have a value for each of the 3 rows. Got 2"),
        ([1, None, 2], "groups", DataError, r"row 1 has none.*\(1 of 3 rows\)"),
        ([1.0, 2.0, float("nan")], "time", DataError, "row 2 has none, .* no place in time"),
        (["a", "b", "c"], "time", DataError, "must be a column of dates, times or numbers"),
    ],
)
def test_what_cannot_part_is_refused(given: Any, what: str, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        read_and_part(given, what)


def read_and_part(given: Any, what: str) -> None:
    _, by = read_parting(COLUMNS, given, what, 3)
    by.groups(what) if what == "groups" else by.moments(what)


def test_a_table_without_names_and_one_without_anything_else() -> None:
    with pytest.raises(ParameterError, match=r"X has no names\. Hint: give the values"):
        read_parting(np.zeros((3, 2)), "who", "groups", 3)
    with pytest.raises(DataError, match="no column to learn from"):
        read_parting({"who": [1, 2]}, "who", "groups", 2)


MOMENTS = st.lists(st.integers(0, 12), min_size=2, max_size=60)
SHARES = st.sampled_from([0.0, 0.1, 0.2, 0.4])


@settings(deadline=None, max_examples=200)
@given(MOMENTS, SHARES, SHARES)
def test_the_parts_follow_one_another(when: list[int], validation: float, test: float) -> None:
    moments = np.array(when, float)
    part = latest(moments, validation, test)
    for moment in np.unique(moments):  # rows of one moment are never parted
        assert len(set(part[moments == moment].tolist())) == 1
    assert (np.diff(part[np.argsort(moments, kind="stable")].astype(int)) >= 0).all()
    wanted = [p for p, share in ((VALIDATION, validation), (TEST, test)) if share]
    if len(np.unique(moments)) > len(wanted):
        assert set(part.tolist()) == {TRAINING, *wanted}
    # Without ties a part has the rows that were asked for, rounded up.
    if len(np.unique(moments)) == len(moments) and len(moments) > 10:
        n = len(moments)
        assert np.count_nonzero(part == TEST) == int(np.ceil(round(test * (n - 1), 9)))


def test_moments_are_shown_as_they_were() -> None:
    day = np.array(["2024-05-01", "2024-05-02"], "M8[D]")
    _, by = read_parting({"x": [1, 2], "day": day}, "day", "time", 2)
    assert [by.show(x) for x in by.moments("time")] == ["2024-05-01", "2024-05-02"]
    _, year = read_parting({"x": [1, 2], "year": [2023, 2024]}, "year", "time", 2)
    assert year.show(2024.0) == "2024"
    size = pd.Categorical(["early", "late"], ["early", "late"], ordered=True)
    _, ordered = read_parting(np.zeros((2, 1)), size, "time", 2)
    assert [ordered.show(x) for x in ordered.moments("time")] == ["early", "late"]
