"""Columns that are readable but suspicious: identifiers, constants, leaks.

Each is a small count, made with numpy over whole columns.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["IDENTIFIER", "codes_of", "oddities"]

IDENTIFIER = "looks like an identifier"
"""How the note about a column that tells rows apart, and nothing else, begins."""

_IDENTIFIER_ROWS = 10  # fewer rows say nothing
_IDENTIFIER_SHARE = 0.9
_LEAK_ROWS = 20
_LEAK_SHARE = 0.995  # of the rows whose target a column alone tells
_LEAK_CORRELATION = 0.9999
_ROWS_PER_LEVEL = 4  # a level with fewer rows tells their target by chance


def oddities(values: Any, kind: str, target: Any = None) -> list[str]:
    """Say what is suspicious about a column, given the target to be learned from it.

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
        return [f"{IDENTIFIER}: {levels:,} of {n_known:,} rows have a value of their own"]
    if target is not None and n_known >= _LEAK_ROWS:
        share = _told(values, kind, codes, target)
        if share >= _LEAK_SHARE:
            return [
                f"may leak the target: alone it tells {share:.1%} of the rows".replace(".0%", "%")
            ]
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


def _told(values: Any, kind: str, codes: NDArray[Any], target: Any) -> float:
    """The share of rows whose target is known once the value is known."""
    numeric = kind not in ("text", "ordinal", "boolean")
    if pa.types.is_floating(target.type) or pa.types.is_integer(target.type):
        labels, classes = codes_of(target)
        if classes > len(labels) // _ROWS_PER_LEVEL:
            return _correlation(values, target) if numeric else 0.0
    else:
        labels, classes = codes_of(target)
    both = (codes >= 0) & (labels >= 0)
    if classes < 2 or not both.any():
        return 0.0
    y = labels[both]
    groups = _runs(values, both, y, classes) if numeric else codes[both]
    if groups is None or groups.max() + 1 > len(y) / _ROWS_PER_LEVEL:
        return 0.0
    table = np.bincount(groups * np.int64(y.max() + 1) + y, minlength=1)
    table = np.pad(table, (0, -len(table) % int(y.max() + 1))).reshape(-1, int(y.max() + 1))
    return float(table.max(axis=1).sum() / len(y))


def _runs(
    values: Any, both: NDArray[np.bool_], y: NDArray[Any], classes: int
) -> NDArray[np.int64] | None:
    """Number the stretches of one class along sorted numbers, if there are as few as classes."""
    numbers = _floats(values)[both]
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


def _correlation(values: Any, target: Any) -> float:
    x, y = _floats(values), _floats(target)
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < _LEAK_ROWS or np.ptp(x[both]) == 0 or np.ptp(y[both]) == 0:
        return 0.0
    return 1.0 if abs(np.corrcoef(x[both], y[both])[0, 1]) >= _LEAK_CORRELATION else 0.0


def _floats(values: Any) -> NDArray[np.float64]:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    floats: NDArray[np.float64] = pc.cast(values, pa.float64(), safe=False).to_numpy(
        zero_copy_only=False
    )
    return floats
