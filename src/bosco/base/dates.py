"""Dates and times as numbers, and back as text.

A date is its number of days since 1970-01-01; everything finer is counted in microseconds (since
1970-01-01 00:00, since midnight, or as a length of time). Both are float64 and exact: what would
be rounded is refused, so that a threshold shown as a date is the threshold that runs.
"""

import re
from decimal import Decimal, localcontext
from math import floor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import show_number
from bosco.errors import DataError

Unit = Literal["number", "boolean", "text", "date", "datetime", "instant", "duration", "time"]
"""What the numbers or levels of a column stand for; an instant is a datetime with a time zone."""

MOMENTS: frozenset[str] = frozenset({"date", "datetime", "instant", "duration", "time"})

_NAT = np.iinfo(np.int64).min
DAY = 86_400_000_000
"""Microseconds."""
FAR = 9e18
"""Microseconds from 1970, some 285,000 years: what is further away has no number here."""

LIMITS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("datetime", "instant", "duration"), (-FAR, FAR)),
    "date": (-FAR / DAY, FAR / DAY),
    "time": (0.0, DAY - 1.0),
}
"""Between which numbers the values of each unit lie."""

_SINCE = dict.fromkeys(("date", "datetime", "instant"), " after 1970-01-01")
_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?:[ T](?P<clock>\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?P<zone>Z?))?",
    re.ASCII,
)
_CALENDAR = {"Y", "M", "W", "D"}


def microseconds_from(moments: NDArray[Any], column: str) -> NDArray[np.float64]:
    """Count microseconds from datetime64 or timedelta64, NaT as NaN."""
    missing = np.isnat(moments)
    if np.datetime_data(moments.dtype)[0] in _CALENDAR:
        return days_from(moments, column) * DAY
    try:
        rounded = moments.astype(f"{moments.dtype.kind}8[us]")
        ticks = rounded.view(np.int64)
        exact = (rounded.astype(moments.dtype) == moments) | missing
    except OverflowError:
        ticks, exact = np.zeros(moments.size, np.int64), missing
    result = ticks.astype(np.float64)
    exact &= ((result.astype(np.int64) == ticks) & (np.abs(result) <= FAR)) | missing
    if exact.all():
        return np.where(missing, np.nan, result)
    if moments.dtype.str.endswith("[ns]"):  # fractions of a microsecond: below 2**53 no two meet
        ticks = np.where(missing, 0, moments.view(np.int64))
        if np.abs(ticks).max() < 2**53:
            return np.where(missing, np.nan, ticks / 1000)
    row = int(np.argmin(exact))
    raise DataError(
        f"Column {column!r}, row {row}: {moments[row]} is finer or further away than a float64 "
        f"counts exactly in microseconds. Hint: round the column to microseconds, seconds or days."
    )


def days_from(moments: NDArray[Any], column: str) -> NDArray[np.float64]:
    """Count days from a datetime64 of days or coarser, NaT as NaN."""
    kind = "datetime64[D]" if moments.dtype.kind == "M" else "timedelta64[D]"
    ticks = moments.astype(kind).view(np.int64)
    days = np.where(ticks == _NAT, np.nan, ticks.astype(np.float64))
    far = np.abs(days) > LIMITS["date"][1]
    if far.any():
        row = int(np.argmax(far))
        raise DataError(
            f"Column {column!r}, row {row}: {moments[row]} is more than 285,000 years from 1970. "
            f"Hint: make a date that stands for none missing."
        )
    return days


def unit_of(moments: NDArray[Any]) -> Unit:
    """Tell whether a datetime64 or timedelta64 array holds dates, datetimes or durations."""
    if moments.dtype.kind == "m":
        return "duration"
    return "date" if np.datetime_data(moments.dtype)[0] in _CALENDAR else "datetime"


def show_moment(unit: str, x: float) -> str:
    """Write the number of a date or time as such, to the last digit.

    Examples
    --------
    >>> show_moment("date", 1.0), show_moment("date", 1.5)
    ('1970-01-02', '1970-01-02 12:00')
    >>> show_moment("datetime", 1.5), show_moment("instant", 6e7)
    ('1970-01-01 00:00:00.0000015', '1970-01-01 00:01Z')
    >>> show_moment("duration", -9e10), show_moment("time", 3.6e9)
    ('-1 day 01:00', '01:00')
    """
    with localcontext(prec=80):
        exact = Decimal(repr(float(x))) * (DAY if unit == "date" else 1)
        if not exact.is_finite():
            return show_number(x)
        if abs(exact) >= 2**63 or exact != round(exact, 12):  # no clock has so many digits
            step = "days" if unit == "date" else "microseconds"
            return f"{show_number(x)} {step}" + _SINCE.get(unit, "")
        size = abs(exact) if unit == "duration" else exact
        whole = floor(size)
        rest = format(size - whole, "f").partition(".")[2]
        days, ticks = divmod(whole, DAY)
    clock = _clock(ticks, rest)
    if unit == "duration":
        sign = "-" if exact < 0 else ""
        plural = "" if days == 1 else "s"
        return f"{sign}{days} day{plural} {clock}" if days else sign + clock
    if unit == "time":
        return clock
    date = str(np.datetime64(days, "D"))
    if unit == "date" and clock == "00:00":
        return date
    return f"{date} {clock}" + ("Z" if unit == "instant" else "")


def read_moment(unit: str, text: str) -> float | None:
    """The number of a date or time that is written as ISO 8601 has it; None: it is none.

    Examples
    --------
    >>> read_moment("date", "1970-01-02"), read_moment("time", "01:00"), read_moment("date", "soon")
    (1.0, 3600000000.0, None)
    >>> read_moment("instant", "1970-01-01 00:01Z"), read_moment("datetime", "1970-01-02")
    (60000000.0, 86400000000.0)
    """
    found = _MOMENT.fullmatch(f"1970-01-01 {text}" if unit == "time" else text)
    if found is None or (unit == "date" and found["clock"]):
        return None
    if (unit == "instant") != bool(found["zone"]) and found["clock"]:
        return None
    try:
        ticks = np.datetime64(f"{found['date']}T{found['clock'] or '00:00'}", "us").astype(np.int64)
    except ValueError:  # the 31st of June
        return None
    return float(ticks) / DAY if unit == "date" else float(ticks)


def _clock(ticks: int, rest: str) -> str:
    """Microseconds since midnight, with the digits that come after them, as text."""
    seconds, micro = divmod(ticks, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
    digits = f"{micro:06}{rest}".rstrip("0")
    if seconds % 60 or digits:
        text += f":{seconds % 60:02}"
    return text + (f".{digits}" if digits else "")
