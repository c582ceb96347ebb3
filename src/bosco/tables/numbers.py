"""Text that is meant as numbers: signs, currencies, percent, thousands, decimal commas.

All functions take a pyarrow array of trimmed, distinct texts and work on the whole of it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_CURRENCY = r"(?:[$€£¥₹]|EUR|USD|GBP|CHF|JPY)"
_NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"
_INFINITE = r"(?i)^[+-]?inf(?:inity)?$"
_BLANKS = r"[ \x{a0}\x{202f}\x{2009}'’]"
_MARKS = {
    "percent signs removed": r"\d\s*%$",
    "currency signs removed": rf"^[+(-]?\s*{_CURRENCY}|{_CURRENCY}\)?$",
    "numbers in parentheses are negative": r"^\(.*\d.*\)$",
}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Texts as numbers."""

    values: Any  # float64; null where a text is not a number
    whole: bool  # all are written without a point
    code_like: str  # why they should stay text: leading zeros, or too many digits; else empty
    notes: tuple[str, ...]  # what was removed to read them


def to_numbers(texts: Any, decimal: str = ".") -> Numbers:
    """Read texts as numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> to_numbers(pa.array(["$1,234.50", "-$3", "x"])).values.to_pylist()
    [1234.5, -3.0, None]
    >>> to_numbers(pa.array(["1.234,5", "7"]), ",").values.to_pylist()
    [1234.5, 7.0]
    >>> to_numbers(pa.array(["00184"])).code_like
    'leading zeros'
    """
    bare = pc.replace_substring(texts, "−", "-")
    bare = pc.replace_substring_regex(bare, r"^\((.+)\)$", r"-\1")
    bare = pc.replace_substring_regex(bare, rf"^([+-]?)\s*{_CURRENCY}\s*([+-]?)", r"\1\2")
    bare = pc.replace_substring_regex(bare, rf"\s*{_CURRENCY}$", "")
    bare = pc.replace_substring_regex(bare, r"\s*%$", "")
    bare, grouped = _ungrouped(bare, decimal)
    if decimal == ",":
        pointed = pc.match_substring(bare, ".")
        bare = pc.replace_substring(bare, ",", ".")
        bare = pc.if_else(pointed, pa.scalar("no"), bare)
    good = pc.or_(
        pc.match_substring_regex(bare, _NUMBER), pc.match_substring_regex(bare, _INFINITE)
    )
    kept = pc.if_else(good, bare, pa.scalar(None, pa.string()))
    read = pc.filter(texts, good)
    notes = [note for note, pattern in _MARKS.items() if _any(read, pattern)]
    if grouped:
        notes.append("thousands separators removed")
    wrong = _mixed_marks(read)
    values = pc.cast(kept, pa.float64())
    if wrong:
        values = pa.nulls(len(texts), pa.float64())
        notes = [wrong]
    return Numbers(values, not _any(kept, r"[.eEiI]"), _code_like(read, bare, good), tuple(notes))


def decimal_of(columns: Iterable[Any], delimiter: str) -> str:
    """Tell whether the numbers of a file have a decimal comma; only columns of text are looked at.

    They do if some have a comma that cannot part thousands and none has such a point; of commas
    that could be either, those in a file whose delimiter is not the comma.

    Examples
    --------
    >>> import pyarrow as pa
    >>> decimal_of([pa.array(["1,50", "12,00"])], ";"), decimal_of([pa.array(["1,234"])], ",")
    (',', '.')
    """
    columns = [c for c in columns if pa.types.is_string(c.type)]
    columns = [pc.utf8_trim_whitespace(pc.unique(c)) for c in columns]
    sure = r"^[^\dA-Za-z]*(?:\d{1,3}(?:%s\d{3})+|\d+)%s(?:\d{1,2}|\d{4,})[^\dA-Za-z]*$"
    if any(_any(c, sure % (",", r"\.")) or _any(c, r"^[+-]?0?\.\d+$") for c in columns):
        return "."
    if any(_any(c, sure % (r"(?:\.|" + _BLANKS + ")", ",")) for c in columns):
        return ","
    either = any(_any(c, r"^[+-]?\d{1,3},\d{3}$") for c in columns)
    return "," if either and delimiter != "," else "."


def _any(texts: Any, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())


def _ungrouped(texts: Any, decimal: str) -> tuple[Any, bool]:
    """Texts without what parts their thousands, and whether any had it."""
    found = False
    for mark in ("," if decimal == "." else r"\.", _BLANKS):
        point = r"\." if decimal == "." else ","
        here = pc.match_substring_regex(
            texts, rf"^[+-]?\d{{1,3}}(?:{mark}\d{{3}})+(?:{point}\d*)?$"
        )
        if pc.any(here).as_py():
            found = True
            texts = pc.if_else(here, pc.replace_substring_regex(texts, mark, ""), texts)
    return texts, found


def _mixed_marks(read: Any) -> str:
    """Why marks forbid to read the numbers as of one unit; empty if they do not."""
    percent = pc.sum(pc.match_substring_regex(read, r"%$")).as_py() or 0
    if 0 < percent < len(read):
        return "some numbers have a percent sign, others not"
    signs = pc.extract_regex(read, rf"(?P<sign>{_CURRENCY})").drop_null()
    several = pc.unique(signs.field("sign")).to_pylist() if len(signs) else []
    return f"several currencies: {', '.join(several)}" if len(several) > 1 else ""


def _code_like(read: Any, bare: Any, good: Any) -> str:
    """Why whole numbers are codes rather than quantities; empty if they are not."""
    if _any(read, r"^[+-]?0\d+$"):
        return "leading zeros"
    whole = pc.match_substring_regex(bare, r"^[+-]?\d{16,}$")
    long = pc.filter(bare, pc.and_(good, whole))
    if len(long) and pc.max(pc.abs(pc.cast(long, pa.float64()))).as_py() > 2**53:
        return "whole numbers beyond 2**53"
    return ""
