"""One column of text, typed: numbers, truth values, dates or levels.

Decisions are made on the distinct texts of a column, which are few where it matters; a column that
is clean numbers throughout never gets that far. A column is a number, a date or a truth value if
every text in it is one. If most are, it stays text, and the reader is told which are not.
"""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bosco.data.columns import Level
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.tables.dates import to_dates
from bosco.tables.distinct import Distinct, as_mask
from bosco.tables.numbers import to_numbers
from bosco.tables.options import Domain
from bosco.tables.spellings import FALSE, NEARLY_MISSING, TRUE, folded_place

_NEARLY = 0.8  # of the cells: what a column is, but for a few
_MOSTLY = 0.5  # the same, if there are many different values; of few, 5more may be a level
_MANY = 10
_LEADING_ZERO = r"^[+-]?0\d"


@dataclass(frozen=True, slots=True)
class Column:
    """A typed column, and what was done to get it."""

    values: Any  # numbers, truth values, dates or text; null is missing
    kind: str  # number, boolean, date, datetime, instant, text or ordinal
    missing: Mapping[str, int] = field(default_factory=dict)  # spellings, and how often
    notes: tuple[str, ...] = ()  # what is odd
    stranger: str = ""  # the first value that is not of the type asked for, and where it is
    nearly: str = ""  # what most cells of a column of text are: "numbers" or "dates"


def read_texts(
    column: Any,
    asked: str | None = None,
    *,
    missing_values: frozenset[str] | None = None,
    decimal: str = ".",
    label: bool = False,
    where: Callable[[int], str] = str,
    name: str = "NAME",
) -> Column:
    """Type a column of text: as `asked`, or as its texts look.

    `missing_values` are read as missing instead of the usual spellings; a `label` keeps yes and no
    as they are written; `where` says where a row is, for messages.

    Examples
    --------
    >>> read_texts(pa.array(["1", "?", "2"])).values.to_pylist()
    [1, None, 2]
    >>> read_texts(pa.array(["yes", "No"])).kind, read_texts(pa.array(["yes", "No"]), "text").kind
    ('boolean', 'text')
    """
    if asked in (None, "number") and missing_values is None and decimal == ".":
        quick = plain_numbers(column)
        if quick is not None:
            return quick
    return read_distinct(
        Distinct.of(column, missing_values), asked, decimal, label=label, where=where, name=name
    )


def read_distinct(
    distinct: Distinct,
    asked: str | None,
    decimal: str,
    *,
    label: bool = False,
    where: Callable[[int], str] = str,
    name: str = "NAME",
) -> Column:
    """Type the rows of a column by its distinct texts; the rest as `read_texts`."""
    kind, _, order = (asked or "").partition(":")
    if kind in ("date", "datetime"):
        return _asked_dates(distinct, kind, order, where)
    if kind == "boolean":
        return _asked_booleans(distinct, where)
    if kind == "number":
        return _asked_numbers(distinct, decimal, where)
    if kind == "text":
        return _column(distinct, distinct.known(), "text", ())
    truths = None if label else _booleans(distinct)
    if truths is not None:
        return truths
    numbers = _numbers(distinct, decimal, where, name)
    if numbers.values is not None:
        return numbers
    dates = _dates(distinct, where, name)
    if dates.values is not None:
        return dates
    notes = (*numbers.notes, *dates.notes)
    return replace(
        _column(distinct, distinct.known(), "text", notes), nearly=numbers.nearly or dates.nearly
    )


def in_domain(
    column: Any,
    domain: Domain,
    name: str,
    where: Callable[[int], str],
    *,
    fold_case: bool = False,
) -> Column:
    """Read a column, text or not, whose levels are declared.

    Examples
    --------
    >>> in_domain(pa.array(["b", "?"]), Domain(("a", "b")), "x", str).values.indices.to_pylist()
    [1, None]
    """
    distinct = Distinct.of(pc.cast(column, pa.string()), None)
    place: dict[str, int] = {_said(level): i for i, level in enumerate(domain.levels)}
    texts = distinct.texts.to_pylist()
    small = folded_place(place) if fold_case else {}
    found = (place.get(text, small.get(text.lower(), -1)) for text in texts)
    codes = np.array([*found], np.int32)
    missing = distinct.missing & (codes < 0)  # a declared level is a value, however it looks
    stranger = (codes < 0) & ~missing
    if stranger.any():
        text = texts[int(np.argmax(stranger))]
        raise DataError(
            f"{where(distinct.first_row(stranger))}, column {name!r}: {text!r} is not in its "
            f"declared domain.{did_you_mean(text, place)} Hint: add it to the domain"
            + (", or --fold-case." if text.lower() in folded_place(place) else ".")
        )
    indices = distinct.spread(pa.array(codes, mask=codes < 0))
    levels = pa.array(domain.levels)
    values = pa.DictionaryArray.from_arrays(indices, levels, ordered=domain.ordered)
    kind = "ordinal" if domain.ordered else "text"
    return Column(values, kind, distinct.spellings(missing), tuple(_padding(distinct)))


def _said(level: Level) -> str:
    return str(level).lower() if isinstance(level, bool) else str(level)


def plain_numbers(column: Any) -> Column | None:
    """A column of plain numbers and the usual missing values, without looking at each text."""
    spelled = pc.is_in(column, pa.array(["", "?", "NA", "-", "nan", "NaN"]))
    texts = pc.if_else(spelled, pa.scalar(None, pa.string()), column)
    if texts.null_count == len(texts):
        return None
    try:
        try:
            values = pc.cast(texts, pa.int64())
        except pa.ArrowInvalid:
            values = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        return None
    low, high = pc.min_max(values).values()
    if pc.any(pc.match_substring_regex(texts, _LEADING_ZERO + "+$")).as_py():
        return None
    if pa.types.is_integer(values.type) and max(-low.as_py(), high.as_py()) > 2**53:
        return None
    if not pa.types.is_integer(values.type) and pc.any(pc.is_nan(values)).as_py():
        return None
    counts = pc.value_counts(pc.filter(column, spelled)).to_pylist()
    return Column(values, "number", {c["values"]: c["counts"] for c in counts})


def _padding(distinct: Distinct) -> list[str]:
    n = distinct.padded
    return [f"spaces around {n} value{'s' * (n > 1)} removed"] if n else []


def _column(
    distinct: Distinct, values: Any, kind: str, notes: tuple[str, ...], missing: Any = None
) -> Column:
    spelled = distinct.spellings(distinct.missing if missing is None else missing)
    # Numbers are read with spaces around them by everybody; it says nothing about the data.
    padding = [] if kind == "number" else _padding(distinct)
    return Column(distinct.spread(values), kind, spelled, (*padding, *notes))


def _strangers(distinct: Distinct, values: Any) -> tuple[Any, Any]:
    """Masks of texts that were not read: those that may mean missing, and the others."""
    unread = ~distinct.missing & as_mask(pc.is_null(values))
    nearly = as_mask(pc.is_in(pc.utf8_lower(distinct.texts), pa.array(sorted(NEARLY_MISSING))))
    return unread & nearly, unread & ~nearly


def _booleans(distinct: Distinct) -> Column | None:
    values = _truths(distinct, TRUE, FALSE)
    strangers = ~distinct.missing & as_mask(pc.is_null(values))
    known = pc.drop_null(pc.unique(values))
    if strangers.any() or not len(known):
        return None
    words = sorted({text.lower() for text in distinct.known().drop_null().to_pylist()})
    if len(known) == 1 and words[0] not in ("true", "false", "yes", "no"):
        return None  # a column of nothing but t, y or n
    mixed = f"truth values in several spellings: {', '.join(words)}"
    return _column(distinct, values, "boolean", (mixed,) if len(words) > 2 else ())


def _truths(distinct: Distinct, true: frozenset[str], false: frozenset[str]) -> Any:
    lower = pc.utf8_lower(distinct.known())
    yes, no = (pc.is_in(lower, pa.array(sorted(words))) for words in (true, false))
    return pc.if_else(yes, pa.scalar(True), pc.if_else(no, pa.scalar(False), pa.scalar(None)))


def _asked_booleans(distinct: Distinct, where: Callable[[int], str]) -> Column:
    values = _truths(distinct, TRUE | {"1"}, FALSE | {"0"})
    strangers = ~distinct.missing & as_mask(pc.is_null(values))
    if strangers.any():
        raise DataError(f"{distinct.example(strangers, where)} is neither true nor false.")
    return _column(distinct, values, "boolean", ())


def _whole(values: Any, whole: bool) -> Any:
    return pc.cast(values, pa.int64()) if whole else values


def _but_for(
    distinct: Distinct, strangers: Any, what: str, asked: str, where: Callable[[int], str]
) -> Column:
    """A column that is no such thing, and which cells keep it from being one if they are few."""
    wrong, values = distinct.weigh(strangers)
    many = np.count_nonzero(~strangers & ~distinct.missing) >= _MANY
    if wrong > (1 - (_MOSTLY if many else _NEARLY)) * values:
        return Column(None, "text")
    are, them = (f"is no {what}", "it") if wrong == 1 else (f"are no {what}s", "them")
    listed = distinct.listed(strangers, where)
    note = f"{wrong:,} of {values:,} cells {are}: {listed}; kept as text. "
    note += f"--types {shlex.quote(asked)} reads {them} as missing"
    return Column(None, "text", notes=(note,), nearly=f"{what}s")


def _numbers(distinct: Distinct, decimal: str, where: Callable[[int], str], name: str) -> Column:
    read = to_numbers(distinct.known(), decimal)
    if read.values.null_count == len(read.values):
        return Column(None, "text", notes=read.notes)
    nearly, strangers = _strangers(distinct, read.values)
    if strangers.any():
        return _but_for(distinct, strangers, "number", f"{name}=number", where)
    if read.code_like:
        return Column(None, "text", notes=(f"{read.code_like}: kept as text",))
    missing = distinct.missing | nearly
    return _column(distinct, _whole(read.values, read.whole), "number", read.notes, missing)


def _asked_numbers(distinct: Distinct, decimal: str, where: Callable[[int], str]) -> Column:
    read = to_numbers(distinct.known(), decimal)
    fits = read.whole and read.code_like != "whole numbers beyond 2**53"
    return _asked(distinct, _whole(read.values, fits), "number", "number", read.notes, where)


def _dates(distinct: Distinct, where: Callable[[int], str], name: str) -> Column:
    read = to_dates(distinct.known())
    if read.values.null_count == len(read.values):
        return Column(None, "text")
    nearly, strangers = _strangers(distinct, read.values)
    if read.doubt:
        asked = shlex.quote(f"{name}=date:dmy")
        note = f"dates, but {read.doubt}; kept as text. --types {asked} or date:mdy says which"
        return Column(None, "text", notes=(note,), nearly="dates")
    if strangers.any():
        return _but_for(distinct, strangers, "date", f"{name}={read.kind}", where)
    return _column(distinct, read.values, read.kind, read.notes, distinct.missing | nearly)


def _asked_dates(distinct: Distinct, kind: str, order: str, where: Callable[[int], str]) -> Column:
    read = to_dates(distinct.known(), order)
    if read.doubt:
        raise ParameterError(f"{read.doubt}. Hint: ask for {kind}:dmy or {kind}:mdy.")
    _, strangers = _strangers(distinct, read.values)
    wrong, known = distinct.weigh(strangers)
    if wrong > (1 - _MOSTLY) * known:  # the type, or the order of day and month, is wrong
        raise DataError(
            f"{distinct.example(strangers, where)} is not a date, and neither are {wrong - 1:,} "
            f"more of {known:,} cells."
        )
    values, found = read.values, read.kind
    if kind == "datetime" and found == "date":
        values, found = pc.cast(values, pa.timestamp("us")), kind
    elif kind == "date" and found == "datetime":
        values, found = pc.cast(pc.floor_temporal(values, unit="day"), pa.date32()), kind
    return _asked(distinct, values, found, "date", read.notes, where)


def _asked(
    distinct: Distinct,
    values: Any,
    kind: str,
    what: str,
    notes: tuple[str, ...],
    where: Callable[[int], str],
) -> Column:
    """A column of the type asked for; what is not of it is missing, and said."""
    nearly, strangers = _strangers(distinct, values)
    found = _column(distinct, values, kind, notes, distinct.missing | nearly | strangers)
    if not strangers.any():
        return found
    wrong, _ = distinct.weigh(strangers)
    cells = "cell that is" if wrong == 1 else "cells that are"
    listed = distinct.listed(strangers, where)
    note = f"{wrong:,} {cells} no {what} read as missing: {listed}"
    stranger = distinct.example(strangers, where)
    return replace(found, notes=(*found.notes, note), stranger=stranger)
