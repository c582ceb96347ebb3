"""Text that is meant as dates or times, in one format or in several.

A text is brought to the form 2024-01-31 10:30:00 by its shape, and only then read. Whether 01/02 is
a day of January or of February is decided by the other dates of the column, and if they do not
tell, nobody guesses.
"""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    r"(?i)^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$"
)
_SPLIT = (
    r"^(?P<date>[^:]*?)"
    r"(?:[T ]\s*(?P<hour>[01]?\d|2[0-3])(?P<rest>:[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?)"
    r"\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?$"
)
_SHAPES = {
    "year first": r"^(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})$",
    "year last": r"^(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y>\d{4})$",
    "two-digit year": r"^(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y>\d{2})$",
    "day and month by name": r"^(?P<d>\d{1,2})[ -](?P<n>[A-Za-z]{3,9})\.?,?[ -](?P<y>\d{4})$",
    "month by name and day": r"^(?P<n>[A-Za-z]{3,9})\.? (?P<d>\d{1,2}),? (?P<y>\d{4})$",
}
_PIVOT = "69"  # of two-digit years, as POSIX has it: 69 is 1969, 68 is 2068


@dataclass(frozen=True, slots=True)
class Dates:
    """Texts as dates."""

    values: Any  # date32 or timestamp; null where a text is not a date
    kind: str  # date, datetime, or instant: a datetime with a time zone
    doubt: str  # why the dates cannot be told, if they cannot; else empty
    notes: tuple[str, ...]  # several formats, two-digit years


def to_dates(texts: Any, order: str = "") -> Dates:
    """Read trimmed, distinct texts as dates.

    `order`, "dmy" or "mdy", says which number of 01/02/2024 is the day; else the others tell.

    Examples
    --------
    >>> import pyarrow as pa
    >>> to_dates(pa.array(["31/01/2024", "1/2/2024", "5 Mar 2024"])).values.to_pylist()[1:]
    [datetime.date(2024, 2, 1), datetime.date(2024, 3, 5)]
    >>> to_dates(pa.array(["01/02/2024"])).doubt
    '01/02/2024 may begin with the day or with the month'
    """
    parts = pc.extract_regex(texts, _SPLIT)
    written = pc.struct_field(parts, "date")
    day, shapes, doubt = _days(written, order)
    hours, rest, zone = (pc.struct_field(parts, key) for key in ("hour", "rest", "zone"))
    known = pc.filter(hours, pc.is_valid(day))
    timed = pc.fill_null(pc.not_equal(known, ""), False)
    notes = [f"several formats of dates: {', '.join(shapes)}"] if len(shapes) > 1 else []
    if "two-digit year" in shapes:
        notes.append("years of two digits are 1969 to 2068")
    if not pc.any(timed).as_py():
        return Dates(pc.cast(day, pa.date32()), "date", doubt, tuple(notes))
    if not pc.all(timed).as_py():
        notes.append("dates without a time are read as midnight")
    zoned = pc.filter(pc.fill_null(pc.not_equal(zone, ""), False), pc.is_valid(day))
    instant = bool(pc.all(zoned).as_py())
    if pc.any(zoned).as_py() and not instant:
        doubt = "some times have a time zone, others not"
        zone = pc.if_else(pc.is_valid(zone), pa.scalar(""), zone)
    clock = pc.binary_join_element_wise(pc.utf8_lpad(hours, 2, "0"), rest, "")
    clock = pc.if_else(pc.equal(hours, ""), pa.scalar("00:00"), clock)
    full = pc.binary_join_element_wise(day, clock, " ")
    if instant:
        full = pc.binary_join_element_wise(full, zone, "")
        return Dates(pc.cast(full, pa.timestamp("us", "UTC")), "instant", doubt, tuple(notes))
    return Dates(pc.cast(full, pa.timestamp("us")), "datetime", doubt, tuple(notes))


def _days(written: Any, order: str) -> tuple[Any, list[str], str]:
    """Days in the form 2024-01-31, null where there is none; the shapes met; what is in doubt."""
    result = pa.nulls(len(written), pa.string())
    found = {shape: pc.extract_regex(written, pattern) for shape, pattern in _SHAPES.items()}
    found = {shape: parts for shape, parts in found.items() if parts.null_count < len(parts)}
    order, doubt = _order(found, written, order)
    for shape, parts in found.items():
        keys = [field.name for field in parts.type]
        part = {key: pc.struct_field(parts, key) for key in keys}
        if "a" in part:
            first, second = ("d", "m") if order == "dmy" else ("m", "d")
            part[first], part[second] = part["a"], part["b"]
        if "n" in part:
            part["m"] = _month(part["n"])
        year = part["y"]
        if shape == "two-digit year":
            century = pc.if_else(pc.less(year, _PIVOT), pa.scalar("20"), pa.scalar("19"))
            year = pc.binary_join_element_wise(century, year, "")
        month, day = (pc.utf8_lpad(part[key], 2, "0") for key in "md")
        result = pc.coalesce(result, pc.binary_join_element_wise(year, month, day, "-"))
    # pyarrow's strptime turns 30 February into 1 March: what does not come back is no day.
    moment = pc.strptime(result, format="%Y-%m-%d", unit="s", error_is_null=True)
    real = pc.fill_null(pc.equal(pc.strftime(moment, format="%Y-%m-%d"), result), False)
    return pc.if_else(real, result, pa.scalar(None, pa.string())), list(found), doubt


def _month(names: Any) -> Any:
    """Numbers of months by their names."""
    names = pc.if_else(pc.match_substring_regex(names, _NAMES), names, pa.scalar("?"))
    short = pc.utf8_slice_codeunits(pc.utf8_lower(names), 0, 3)
    place = pc.index_in(short, pa.array(_MONTHS))
    return pc.cast(pc.add(place, 1), pa.string())


def _order(found: dict[str, Any], written: Any, order: str) -> tuple[str, str]:
    """Whether the day or the month comes first, from numbers that can only be days."""
    parts = [p for p in found.values() if p.type.get_field_index("a") >= 0]
    if order or not parts:
        return order or "dmy", ""
    a, b = (
        max(pc.max(pc.cast(pc.struct_field(p, key), pa.int32())).as_py() for p in parts)
        for key in "ab"
    )
    if a > 12 and b > 12:
        return "dmy", "in some dates the day comes first, in others the month"
    if a > 12 or b > 12:
        return ("dmy", "") if a > 12 else ("mdy", "")
    for p in parts:
        differ = pc.fill_null(
            pc.not_equal(
                pc.utf8_lpad(pc.struct_field(p, "a"), 2, "0"),
                pc.utf8_lpad(pc.struct_field(p, "b"), 2, "0"),
            ),
            False,
        )
        if pc.any(differ).as_py():
            example = pc.filter(written, differ)[0].as_py()
            return "dmy", f"{example} may begin with the day or with the month"
    return "dmy", ""
