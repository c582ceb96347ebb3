"""Values of a column as people write them: numbers, dates, levels, bare or between quotes."""

import ast
import re
from datetime import UTC, timedelta
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from bosco.base.dates import DAY, MOMENTS, days_from, microseconds_from
from bosco.data.columns import Level
from bosco.data.schema import Column, show_level
from bosco.errors import DataError, ParameterError, did_you_mean

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
"""A text between quotes, as Python has them."""

_CLOCK = re.compile(r"(-)?(?:(\d+) days? )?(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?")


def number_of(column: Column, value: Any) -> float:
    """A value of a column of numbers or moments, as the core has it.

    Examples
    --------
    >>> number_of(Column("day", unit="date"), "2020-01-01")
    18262.0
    """
    if isinstance(value, str) and column.unit in MOMENTS:
        return _moment(column, unquoted(value))
    if isinstance(value, timedelta | np.timedelta64):
        value = np.timedelta64(value, "us") / np.timedelta64(1, "us")
    elif isinstance(value, np.datetime64):
        return _moment(column, str(value))
    elif hasattr(value, "isoformat") and column.unit in MOMENTS:
        moment = value.astimezone(UTC) if getattr(value, "tzinfo", None) else value
        return _moment(column, moment.isoformat().removesuffix("+00:00"))
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"Column {column.name!r} takes a number. Got {value!r}.") from None
    if not np.isfinite(number):
        raise ParameterError(f"Column {column.name!r} takes a finite number. Got {value!r}.")
    return number


def _moment(column: Column, text: str) -> float:
    """A date or time as its number."""
    try:
        if column.unit in ("duration", "time"):
            return _clock(text)
        if column.unit == "date" and ":" not in text:
            return float(days_from(np.array([text], "datetime64[D]"), column.name)[0])
        moment = np.array([text.removesuffix("Z")], "datetime64[us]")
        ticks = float(microseconds_from(moment, column.name)[0])
        return ticks / DAY if column.unit == "date" else ticks
    except (ValueError, DataError):
        like = {"duration": "2 days 09:30:00", "time": "09:30:00"}.get(column.unit, "2024-03-31")
        raise ParameterError(
            f"Column {column.name!r} holds a {column.unit}, and {text!r} is none. Hint: write it "
            f"like {like}."
        ) from None


def _clock(text: str) -> float:
    """A time of the day, or a duration, in microseconds."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return float(text)
    sign, days, hours, minutes, seconds = found.groups(default="0")
    whole = 86400 * int(days) + 3600 * int(hours) + 60 * int(minutes)
    with localcontext(prec=40):
        ticks = float((whole + Decimal(seconds)) * 1_000_000)
    return -ticks if sign == "-" else ticks


def level_of(column: Column, value: Any) -> Level:
    """The level that is meant: itself, or by its text."""
    levels = column.levels or ()
    value = value.item() if isinstance(value, np.generic) else value
    for level in levels:
        if (
            isinstance(value, str | int | float)
            and value == level
            and isinstance(value, bool) == isinstance(level, bool)
        ):
            return level
    by_text = {show_level(level): level for level in levels}
    text = unquoted(str(value).strip())
    if text in by_text:
        return by_text[text]
    raise ParameterError(
        f"{value!r} is no level of {column.name!r}, which has {', '.join(list(by_text)[:20])}."
        + did_you_mean(text, by_text)
    )


def unquoted(text: str) -> str:
    """A level as bosco writes it: as it is, or between quotes as Python has them."""
    text = text.strip()
    if not re.fullmatch(QUOTED, text, re.DOTALL):
        return text
    try:
        return str(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        return text[1:-1]
