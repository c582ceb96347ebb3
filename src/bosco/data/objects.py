"""Python objects of any kind, as a column.

The types of the objects, gathered once, decide what the column is. What does not go together is
refused by naming the column and the first two rows that disagree. Loops over rows run inside
Python's C code (`map`, `dict.fromkeys`, `np.fromiter`), except for dates held as objects.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import count
from numbers import Complex, Real
from types import NoneType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.base.dates import Unit, days_from, microseconds_from, unit_of
from bosco.data.columns import Cells, Coded, Numbers, booleans, width
from bosco.errors import DataError, KindError

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (  # the first that fits, so order matters
    (NoneType, "missing"),
    ((bool, np.bool_), "boolean"),
    ((timedelta, np.timedelta64), "duration"),  # numpy's is also one of its integers
    ((Real, Decimal), "number"),
    (str, "text"),
    ((datetime, np.datetime64), "datetime"),  # a datetime is also a date
    (date, "date"),
    (time, "time"),
    (Complex, "complex"),
)
_SAID = {"number": "numbers", "boolean": "truth values", "text": "text"}


def from_objects(values: Sequence[Any], column: str) -> Cells:
    """Read Python objects, or say which of them do not go together.

    Examples
    --------
    >>> from_objects([1, None, 2.5], "x").values
    array([1. , nan, 2.5])
    >>> from_objects(["b", None, "a"], "x").levels
    ('a', 'b')
    """
    types = set(map(type, values))
    kinds = {_kind(t) for t in types} - {"missing"}
    if "complex" in kinds:
        refuse_complex()
    if "other" in kinds:
        _refuse_object(values, column)
    if len(kinds) > 1:  # a NaN among texts, a NaT among numbers is a missing one
        distinct = values if "boolean" in kinds else dict.fromkeys(values)  # for True == 1
        kinds = {_kind(type(v)) for v in distinct if not is_missing(v)}
        if kinds <= {"boolean", "number"}:  # of a NaT, numpy makes a number
            values = [None if is_missing(v) else v for v in values]
    if not kinds:
        return Numbers(np.full(len(values), np.nan))
    if kinds == {"boolean"}:
        return booleans(_codes(values, dict.fromkeys(values, 0), [False, True]))
    if kinds <= {"boolean", "number"}:
        return Numbers(_numbers(values, column))
    if kinds == {"text"}:
        index = dict.fromkeys(values, 0)
        levels = sorted({str(v) for v in index if not is_missing(v)})
        return Coded(_codes(values, index, levels), tuple(levels))
    if len(kinds) > 1 and kinds != {"date", "datetime"}:
        _refuse_mixture(values, column)
    return _moments(values, kinds, column)


def is_missing(value: Any) -> bool:
    """Tell None, NaN, NA and NaT from values."""
    return _kind(type(value)) == "missing" or bool(value != value)


def refuse_complex() -> NoReturn:
    """Raise what scikit-learn raises for complex numbers."""
    raise KindError("Complex data not supported. Hint: give .real and .imag as two columns.")


def _kind(t: type) -> str:
    if t.__name__ in ("NAType", "NaTType"):  # pandas', known without importing pandas
        return "missing"
    return next((kind for types, kind in _KINDS if issubclass(t, types)), "other")


def _codes(values: Sequence[Any], index: dict[Any, int], levels: Sequence[Any]) -> NDArray[Any]:
    """The place of each value among levels, from 1; the index gives 0 to all others."""
    index.update(zip(levels, count(1), strict=False))
    return np.fromiter(map(index.__getitem__, values), width(len(levels)), len(values))


def _numbers(values: Sequence[Any], column: str) -> NDArray[Any]:
    if set(map(type, values)) == {int}:
        whole = np.array(values)
        if whole.dtype.kind in "iu":  # exactness is judged where it matters
            return whole
    try:
        x = np.array(values, np.float64)
    except (TypeError, OverflowError):  # NA, or a whole number of more than 308 digits
        known = [np.nan if is_missing(v) else v for v in values]
        beyond = [isinstance(v, int) and abs(v) >= 2**1023 for v in known]
        x = np.array([np.inf if b else v for b, v in zip(beyond, known, strict=True)], np.float64)
    large = np.flatnonzero(np.abs(x) >= 2**53).tolist()
    for row in large:
        if isinstance(values[row], int) and (np.isinf(x[row]) or int(x[row]) != values[row]):
            raise DataError(
                f"Column {column!r}, row {row}: {values[row]} is a whole number that a float64 "
                f"cannot hold exactly. Hint: give the column as text if it is a code or an "
                f"identifier, as floats if it is a quantity."
            )
    return x


def _moments(values: Sequence[Any], kinds: set[str], column: str) -> Numbers:
    """Dates and times held as objects: rare, so read one by one."""
    known: list[Any] = [None if is_missing(v) else v for v in values]
    if kinds == {"time"}:
        zero = datetime.min
        parts = (None if v is None else datetime.combine(zero, v) - zero for v in known)
        return Numbers(microseconds_from(np.array(list(parts), "m8[us]"), column), "time")
    if kinds == {"date"}:
        return Numbers(days_from(np.array(known, "M8[D]"), column), "date")
    unit: Unit = "datetime"
    if kinds == {"duration"}:
        unit = "duration"
    elif any(getattr(v, "tzinfo", None) for v in known):
        if not all(v is None or getattr(v, "tzinfo", None) for v in known):
            raise DataError(f"Column {column!r} mixes times with and without a time zone.")
        known = [None if v is None else v.astimezone(UTC).replace(tzinfo=None) for v in known]
        unit = "instant"
    # pandas' scalars, which may count nanoseconds, as numpy's; numpy's know their resolution.
    known = [v.to_numpy() if hasattr(v, "to_numpy") else v for v in known]
    nothing = np.timedelta64("NaT") if unit == "duration" else np.datetime64("NaT")
    x = np.array([nothing if v is None else v for v in known])
    if x.dtype.kind == "O":
        x = np.array(known, "m8[us]" if unit == "duration" else "M8[us]")
    if unit == "datetime" and unit_of(x) == "date":
        return Numbers(days_from(x, column), "date")
    return Numbers(microseconds_from(x, column), unit)


def _refuse_object(values: Sequence[Any], column: str) -> NoReturn:
    row = next(i for i, v in enumerate(values) if _kind(type(v)) == "other")
    value = values[row]
    decode = " Hint: decode the bytes into text." if isinstance(value, bytes) else ""
    raise KindError(
        f"Column {column!r}, row {row}: got {_quote(value)} of type {type(value).__name__}; a cell "
        f"of this argument must be a string, a number, a truth value, a date, a time, or missing "
        f"(None, NaN, NA, NaT).{decode}"
    )


def _refuse_mixture(values: Sequence[Any], column: str) -> NoReturn:
    kinds = ["missing" if is_missing(v) else _kind(type(v)) for v in values]
    first = next(i for i, kind in enumerate(kinds) if kind != "missing")
    other = next(i for i, kind in enumerate(kinds) if kind not in ("missing", kinds[first]))
    said = [_SAID.get(kinds[i], f"{kinds[i]}s") for i in (first, other)]
    raise DataError(
        f"Column {column!r} mixes {said[0]} and {said[1]}: row {first} is {_quote(values[first])}, "
        f"row {other} is {_quote(values[other])}. A column must be of one kind. Hint: write a "
        f"missing value as None or NaN, or turn the whole column into text."
    )


def _quote(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
