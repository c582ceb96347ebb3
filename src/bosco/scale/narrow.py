"""Numbers in as few bytes as they need, for the way."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["in_four", "narrow"]


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts in as few bytes as they need."""
    if not counts.size or int(counts.min()) < 0:
        return counts
    most = int(counts.max())
    for kind in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(kind).max:
            return counts.astype(kind, copy=False)
    return counts


def in_four(values: NDArray[np.float64]) -> NDArray[Any]:
    """Numbers in four bytes where that loses nothing."""
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values
