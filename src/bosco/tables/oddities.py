"""Columns that are readable but suspicious: identifiers, constants, leaks.

Each is a small count, made with numpy over whole columns.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

IDENTIFIER = "looks like an identifier"
"""How the note about a column that tells rows apart, and nothing else, begins."""

_IDENTIFIER_ROWS = 10  # fewer rows say nothing
_IDENTIFIER_SHARE = 0.9
_LEAK_ROWS = 20
_LEAK_SHARE = 0.99  # of the rows outside the commonest class whose target a column tells
_LEAK_OTHERS = 5  # fewer rows outside it are told by chance
_LEAK_CORRELATION = 0.9999
_ROWS_PER_LEVEL = 4  # a level with fewer rows tells their target by chance


def oddities(values: Any, kind: str, target: Any = None, *, nearly: str = "") -> list[str]:
    """Say what is suspicious about a column, given the target to be learned from it.

    `nearly` says what most cells of a column of text are: numbers, or dates.

    Examples
    --------
    >>> oddities(pa.array([5] * 12), "number")
    ['constant: every row has 5']
    >>> oddities(pa.array([f"K{i}" for i in range(12)]), "text")
    ['looks like an identifier: 12 of 12 rows have a value of their own']
    """
    codes, levels = codes_of(values)
    known = codes >= 0
    n_known = int(known.sum())
    if not n_known:
        return ["no value at all"]
    if levels == 1 and n_known == len(codes) > 1:
        return [f"constant: every row has {values.drop_null()[0].as_py()}"]
    if _is_identifier(values, kind, codes, levels, n_known):
        as_text = f", as long as its {nearly} are text" if nearly else ""
        own = f"{levels:,} of {n_known:,} rows have a value of their own"
        return [f"{IDENTIFIER}{as_text}: {own}"]
    if target is not None and n_known >= _LEAK_ROWS:
        told = _told(values, kind, codes, target)
        return [f"may leak the target: {told}"] if told else []
    return []


def codes_of(values: Any) -> tuple[NDArray[Any], int]:
    """Number the distinct values of a column; -1 is missing.

    Examples
    --------
    >>> codes_of(pa.array(["b", None, "b"]))
    (array([ 0, -1,  0], dtype=int32), 1)
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    coded = values if isinstance(values.type, pa.DictionaryType) else values.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, len(np.unique(codes[codes >= 0]))


def _is_identifier(values: Any, kind: str, codes: NDArray[Any], levels: int, known: int) -> bool:
    if known < _IDENTIFIER_ROWS or levels < _IDENTIFIER_SHARE * known:
        return False
    if kind == "text":
        return True
    whole = pa.types.is_integer(values.type)
    if not whole or levels < known:
        return False
    low, high = (x.as_py() for x in pc.min_max(values).values())
    return bool(high - low == known - 1) and known == len(codes)


def _told(values: Any, kind: str, codes: NDArray[Any], target: Any) -> str:
    """How much of the target is known once the value is known, if it is nearly all; else empty.

    What counts is what the column tells beyond the commonest class, which needs no column: where 99
    rows of 100 are of one class, every column tells 99 of them.
    """
    numeric = kind not in ("text", "ordinal", "boolean")
    labels, classes = codes_of(target)
    real = pa.types.is_floating(target.type) or pa.types.is_integer(target.type)
    if real and classes > len(labels) // _ROWS_PER_LEVEL:
        return _correlated(values, target) if numeric else ""
    both = (codes >= 0) & (labels >= 0)
    y = labels[both]
    of_class = np.bincount(y, minlength=1)
    others = len(y) - int(of_class.max())
    if others < _LEAK_OTHERS:
        return ""
    groups = _runs(values, both, y, classes) if numeric else codes[both]
    if groups is None or groups.max() + 1 > len(y) / _ROWS_PER_LEVEL:
        return ""
    table = np.bincount(groups * np.int64(len(of_class)) + y)
    table = np.pad(table, (0, -len(table) % len(of_class))).reshape(-1, len(of_class))
    untold = len(y) - int(table.max(axis=1).sum())
    if untold > (1 - _LEAK_SHARE) * others:
        return ""
    alone, nothing = _percent(len(y) - untold, len(y)), _percent(len(y) - others, len(y))
    return f"alone it tells {alone} of the rows, and the commonest class without it {nothing}"


def _percent(part: int, whole: int) -> str:
    """A share to a tenth, never rounded up to all."""
    tenths = 1000 * part // whole
    return "all" if part == whole else f"{tenths / 10:.1f} %"


def _runs(
    values: Any, both: NDArray[np.bool_], y: NDArray[Any], classes: int
) -> NDArray[np.int64] | None:
    """Number the stretches of one class along sorted numbers, if there are as few as classes."""
    numbers = floats_of(values)[both]
    order = np.argsort(numbers, kind="stable")
    starts = np.diff(y[order], prepend=y[order][0]) != 0
    if np.count_nonzero(starts) + 1 > classes:
        return None
    borders = np.flatnonzero(starts)
    if (numbers[order][borders] == numbers[order][borders - 1]).any():
        return None  # a value on both sides: no threshold parts them
    groups = np.empty(len(y), np.int64)
    groups[order] = np.cumsum(starts)
    return groups


def _correlated(values: Any, target: Any) -> str:
    x, y = floats_of(values), floats_of(target)
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < _LEAK_ROWS or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
        return ""
    close = abs(np.corrcoef(x[both], y[both])[0, 1]) >= _LEAK_CORRELATION
    return f"the two lie on a line (correlation above {_LEAK_CORRELATION})" if close else ""


def floats_of(values: Any) -> NDArray[np.float64]:
    """Numbers or moments as float64, NaN where they are missing.

    Examples
    --------
    >>> floats_of(pa.array([3, None]))
    array([ 3., nan])
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    floats: NDArray[np.float64] = pc.cast(values, pa.float64(), safe=False).to_numpy(
        zero_copy_only=False
    )
    return floats
