"""Columns that are readable but suspicious: identifiers, constants, leaks, slips of the pen.

Each is a small count, made with numpy over whole columns.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bosco.base.numerals import show_number
from bosco.data.frame import IDENTIFIER_ROWS, IDENTIFIER_SHARE
from bosco.tables.distinct import as_mask, codes_of, n_distinct

IDENTIFIER = "looks like an identifier"
"""How the note about a column that tells rows apart, and nothing else, begins."""

_LEAK_ROWS = 20
_LEAK_SHARE = 0.99  # of the rows outside the commonest class whose target a column tells
_LEAK_OTHERS = 5  # fewer rows outside it are told by chance
_LEAK_CORRELATION = 0.9999
_ROWS_PER_LEVEL = 4  # a level with fewer rows tells their target by chance
_FAR_ROWS = 50  # fewer say too little about what is usual
_FAR_VALUES = 10  # of fewer distinct ones, each is as far as another: they are codes
_FAR_MOST = 3  # on either side; more are no slip
_FAR_GAP = 3.0
_FAR_TAIL = 10.0
_FAR_SKEW = 3.0
_SHOWN = 3  # groups of levels that differ in case only


def oddities(values: Any, kind: str, target: Any = None, *, nearly: str = "") -> list[str]:
    """Say what is suspicious about a column, given the target to be learned from it.

    `nearly` says what most cells of a column of text are: numbers, or dates.
    """
    levels, n_known = n_distinct(values), len(values) - values.null_count
    if not n_known:
        return ["no value at all"]
    if levels == 1 and n_known == len(values) > 1:
        return [f"constant: every row has {values.drop_null()[0].as_py()}"]
    if _is_identifier(values, kind, levels, n_known):
        as_text = f", as long as its {nearly} are text" if nearly else ""
        own = f"{levels:,} of {n_known:,} rows have a value of their own"
        return [f"{IDENTIFIER}{as_text}: {own}"]
    if target is not None and n_known >= _LEAK_ROWS:
        told = leak(values, kind, target)
        return [f"may leak the target: {told}"] if told else []
    return []


def _is_identifier(values: Any, kind: str, levels: int, known: int) -> bool:
    if known < IDENTIFIER_ROWS or levels < IDENTIFIER_SHARE * known:
        return False
    if kind == "text":
        return True
    whole = pa.types.is_integer(values.type)
    if not whole or levels < known:
        return False
    low, high = (x.as_py() for x in pc.min_max(values).values())
    return bool(high - low == known - 1) and known == len(values)


def leak(values: Any, kind: str, target: Any) -> str:
    """How much of the target is known once the value is known, if it is nearly all; else empty.

    What counts is what the column tells beyond the commonest class, which needs no column: where 99
    rows of 100 are of one class, every column tells 99 of them.
    """
    numeric = kind not in ("text", "ordinal", "boolean")
    labels, classes = codes_of(target)
    real = pa.types.is_floating(target.type) or pa.types.is_integer(target.type)
    if real and classes > len(labels) // _ROWS_PER_LEVEL:
        return _correlated(values, target) if numeric else ""
    codes = np.array([]) if numeric else codes_of(values)[0]
    both = (as_mask(pc.is_valid(values)) if numeric else codes >= 0) & (labels >= 0)
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
    """Numbers or moments as float64, NaN where they are missing."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    floats: NDArray[np.float64] = pc.cast(values, pa.float64(), safe=False).to_numpy(
        zero_copy_only=False
    )
    return floats


def far(values: Any, numbers: NDArray[np.float64], where: Callable[[int], str]) -> str:
    """Say which values of a column are far from all others, as a slip makes 455 of an age of 45.

    At most three values on a side are farther from the others than three times the range of these,
    and the others have no long tail themselves: their range is at most ten times that of their
    middle half, and on that side it reaches at most three times as far from the median as on the
    other. Incomes and counts, whose largest values are far out by nature, are so passed over.
    `numbers` are the values as numbers, NaN where one is missing; empty: none is far.

    Examples
    --------
    >>> import pyarrow as pa
    >>> age = np.array([*range(18, 95), 455.0])
    >>> far(pa.array(age), age, lambda row: f"line {row + 2}")
    '455 (line 79) is far from all other values, 18 … 94: a slip?'
    """
    finite = np.isfinite(numbers)
    x = np.sort(numbers[finite])
    if len(x) < _FAR_ROWS:
        return ""
    core = x[_FAR_MOST:-_FAR_MOST]
    spread = core[-1] - core[0]
    low, median, high = np.quantile(core, [0.25, 0.5, 0.75])
    if np.count_nonzero(np.diff(core)) + 1 < _FAR_VALUES or spread > _FAR_TAIL * (high - low):
        return ""
    left, right = median - core[0], core[-1] - median
    below = (
        int(np.count_nonzero(x < core[0] - _FAR_GAP * spread)) if left <= _FAR_SKEW * right else 0
    )
    above = (
        int(np.count_nonzero(x > core[-1] + _FAR_GAP * spread)) if right <= _FAR_SKEW * left else 0
    )
    usual = slice(below, len(x) - above)
    # A gap, not a long slope: what is usual must not reach out to what is far.
    if not below + above or x[usual][-1] - x[usual][0] > _FAR_GAP * spread:
        return ""
    rows = np.flatnonzero(finite)
    rows = rows[np.argsort(numbers[rows], kind="stable")]
    odd = [*rows[:below].tolist(), *rows[len(rows) - above :].tolist()]
    shown = ", ".join(f"{_said(values[row])} ({where(row)})" for row in sorted(odd))
    ends = " … ".join(_said(values[int(rows[at])]) for at in (below, len(rows) - above - 1))
    are = "are" if len(odd) > 1 else "is"
    return (
        f"{shown} {are} far from all other values, {ends}: {'slips' if are == 'are' else 'a slip'}?"
    )


def _said(value: Any) -> str:
    plain = value.as_py()
    return show_number(plain) if isinstance(plain, int | float) else str(plain)


def alike(values: Any) -> str:
    """Say which levels of a column of text differ in case only; empty if none do."""
    if not _is_text(values):
        return ""
    texts, counts, _ = _levels(values)
    group, first = _groups(texts, counts)
    sizes = np.bincount(group)
    found = np.flatnonzero(sizes > 1)
    if not len(found):
        return ""
    # The largest first; a group shows its levels from the commonest to the rarest.
    weight = np.bincount(group, weights=counts)
    shown = sorted(found.tolist(), key=lambda g: (-weight[g], texts[first[g]].as_py()))[:_SHOWN]
    words = []
    for g in shown:
        members = np.flatnonzero(group == g).tolist()
        members.sort(key=lambda i: (-int(counts[i]), texts[i].as_py()))
        words.append(" and ".join(f"{texts[i].as_py()!r:.40} ×{counts[i]:,}" for i in members))
    more = len(found) - len(shown)
    return ", ".join(words) + (f" and {more:,} others" if more else "") + " differ in case only"


def fold_case(values: Any) -> Any:
    """Give levels that differ in case only the commonest spelling, of equals the first in order."""
    if not _is_text(values):
        return values
    texts, counts, indices = _levels(values)
    group, first = _groups(texts, counts)
    if len(first) == len(texts):
        return values
    declared = isinstance(values.type, pa.DictionaryType)
    kept, place = np.unique(first, return_inverse=True)  # levels stay in their order
    levels = pc.take(texts, pa.array(kept))
    codes = pc.take(pa.array(place[group].astype(np.int32)), indices)
    if not declared:
        return pc.take(levels, codes)
    return pa.DictionaryArray.from_arrays(codes, levels, ordered=values.type.ordered)


def _is_text(values: Any) -> bool:
    """Whether the levels are text: declared ones may be numbers."""
    levels = values.type.value_type if isinstance(values.type, pa.DictionaryType) else values.type
    return bool(pa.types.is_string(levels) or pa.types.is_large_string(levels))


def _levels(values: Any) -> tuple[Any, NDArray[Any], Any]:
    """The levels of a column, how often each occurs, and which one every row has."""
    coded = values
    if not isinstance(values.type, pa.DictionaryType) or values.dictionary.null_count:
        coded = values.cast(pa.string()).dictionary_encode()
    rows = coded.indices.drop_null().to_numpy(zero_copy_only=False)
    counts = np.bincount(rows, minlength=len(coded.dictionary))
    return coded.dictionary, counts, coded.indices


def _groups(texts: Any, counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The group of each level, alike but for case; and the level that stands for each group."""
    coded = pc.utf8_lower(texts).dictionary_encode()
    group = coded.indices.to_numpy(zero_copy_only=False)
    order = np.lexsort((pc.rank(texts, tiebreaker="first").to_numpy(), -counts))
    first = np.full(len(coded.dictionary), -1)
    first[group[order[::-1]]] = order[::-1]  # the last one written is the commonest
    return group, first
