"""Dates and times as numbers, and back as text."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco.base.dates import days_from, microseconds_from, show_moment, unit_of
from bosco.base.numerals import show_number
from bosco.data.columns import Numbers
from bosco.data.objects import from_objects
from bosco.errors import DataError


def test_days_are_counted_from_1970() -> None:
    days = np.array(["1970-01-03", "NaT"], "datetime64[D]")
    assert unit_of(days) == "date"
    assert np.array_equal(days_from(days, "when"), [2.0, np.nan], equal_nan=True)


@given(st.dates())
def test_a_date_is_shown_as_itself(day: date) -> None:
    cells = from_objects([day, None], "day")
    assert isinstance(cells, Numbers)
    assert cells.unit == "date"
    assert np.isnan(cells.values[1])
    assert show_moment("date", cells.values[0]) == day.isoformat()


@given(st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2250, 1, 1)))
def test_a_datetime_is_shown_as_itself(moment: datetime) -> None:
    cells = from_objects([moment], "when")
    assert isinstance(cells, Numbers)
    assert datetime.fromisoformat(show_moment("datetime", cells.values[0])) == moment


@given(st.floats(min_value=-1e5, max_value=1e5))
def test_a_date_threshold_reads_back_as_the_same_number(x: float) -> None:
    """A threshold between dates may be any number; its text has all its digits."""
    text = show_moment("date", x)
    number, plain, _ = text.partition(" days after")
    if plain:
        assert float(number) == x
        return
    day, _, clock = text.partition(" ")
    hours, minutes, seconds = (*map(Decimal, clock.split(":") if clock else ()), *[Decimal(0)] * 3)[
        :3
    ]
    with localcontext(prec=100):
        whole = Decimal((np.datetime64(day, "D") - np.datetime64(0, "D")).astype(int).item())
        assert float(whole + (hours * 3600 + minutes * 60 + seconds) / 86400) == x


@given(st.timedeltas(timedelta(-3000), timedelta(3000)))
def test_durations(length: timedelta) -> None:
    cells = from_objects([length], "length")
    assert isinstance(cells, Numbers)
    assert cells.unit == "duration"
    assert cells.values[0] == length / timedelta(microseconds=1)
    sign = show_moment("duration", cells.values[0]).startswith("-")
    assert sign == (length < timedelta(0))


def test_other_objects() -> None:
    assert from_objects([time(1, 30), None], "at").values[0] == 5.4e9
    aware = datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    cells = from_objects([aware, datetime(1970, 1, 1, tzinfo=UTC)], "when")
    assert isinstance(cells, Numbers)
    assert cells.unit == "instant"
    assert show_moment("instant", cells.values[0]) == "2020-01-01 00:00Z"
    mixed = from_objects([date(1970, 1, 2), datetime(1970, 1, 1, 1)], "when")
    assert isinstance(mixed, Numbers)
    assert mixed.values.tolist() == [86_400e6, 3_600e6]
    with pytest.raises(DataError, match="with and without a time zone"):
        from_objects([aware, datetime(2020, 1, 1)], "when")


def test_numpy_scalars_in_objects() -> None:
    cells = from_objects([np.datetime64("1970-01-03"), None], "day")
    assert isinstance(cells, Numbers)
    assert (cells.unit, cells.values[0]) == ("date", 2.0)


def test_what_float64_cannot_count_is_refused() -> None:
    far = np.array(["9999-12-31T00:00:00"], "datetime64[s]")
    assert show_moment("datetime", microseconds_from(far, "until")[0]) == "9999-12-31 00:00"
    too_fine = np.array(["2020-01-01T00:00:00.000000001", "NaT"], "datetime64[ns]")
    with pytest.raises(DataError, match=r"'at', row 0.*Hint: round"):
        microseconds_from(too_fine, "at")
    whole = too_fine.astype("datetime64[us]").astype("datetime64[ns]")
    assert np.isnan(microseconds_from(whole, "at")[1])
    assert microseconds_from(np.array([5], "timedelta64[ns]"), "wait")[0] == 0.005


@pytest.mark.parametrize(
    ("x", "text"),
    [(70.0, "70"), (-0.1, "-0.1"), (1e22, "1e+22"), (float("inf"), "inf"), (5e-324, "5e-324")],
)
def test_numbers(x: float, text: str) -> None:
    assert show_number(x) == text
    assert float(text) == x
    assert show_moment("date", float("-inf")) == "-inf"
