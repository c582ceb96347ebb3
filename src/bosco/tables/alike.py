"""Levels that differ in case only, such as No and no: said, and made one where asked for."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_SHOWN = 3


def alike(values: Any) -> str:
    """Say which levels of a column of text differ in case only; empty if none do.

    Examples
    --------
    >>> alike(pa.array(["No", "no", "no", "Yes"]))
    "'no' ×2 and 'No' ×1 differ in case only"
    """
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
        members = sorted(np.flatnonzero(group == g).tolist(), key=lambda i: _rank(texts, counts, i))
        words.append(" and ".join(f"{texts[i].as_py()!r:.40} ×{counts[i]:,}" for i in members))
    more = len(found) - len(shown)
    return ", ".join(words) + (f" and {more:,} others" if more else "") + " differ in case only"


def fold_case(values: Any) -> Any:
    """Give levels that differ in case only the commonest spelling, of equals the first in order.

    Examples
    --------
    >>> fold_case(pa.array(["No", "no", None, "no"])).to_pylist()
    ['no', 'no', None, 'no']
    """
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


def _rank(texts: Any, counts: NDArray[Any], i: int) -> tuple[int, str]:
    return -int(counts[i]), texts[i].as_py()
