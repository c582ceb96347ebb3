"""By which values the codes of columns change, from a sample of the rows.

Any monotone codes give the same tree: edges decide how much is looked at twice, never what is
found.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW", "SAMPLE", "Edges", "edges_of"]

SAMPLE = 20_000
"""So many rows are looked at for edges, all parts together."""

FEW = 255
"""Columns with so many different values at most have a code for each."""

Edges = list[tuple[NDArray[np.float64], bool]]


def edges_of(
    samples: Sequence[Sequence[NDArray[np.float64]]],
    distinct: Callable[[list[int]], list[list[NDArray[np.float64] | None]]],
) -> Edges:
    """Choose edges: the values themselves where they are few, else quantiles of a sample.

    Parameters
    ----------
    samples : sequence of sequences of arrays
        For every part some values of every column.
    distinct : callable
        Asks all parts for the different values of some columns, None where they are many.
    """
    columns = [np.concatenate(parts) for parts in zip(*samples, strict=True)]
    values = [np.unique(column) for column in columns]
    may_be_few = [j for j, found in enumerate(values) if len(found) <= FEW]
    few = {}
    if may_be_few:
        for j, parts in zip(may_be_few, zip(*distinct(may_be_few), strict=True), strict=True):
            known = [part for part in parts if part is not None]
            if len(known) == len(parts) and len(every := np.unique(np.concatenate(known))) <= FEW:
                few[j] = every
    edges: Edges = []
    for j, column in enumerate(columns):
        if j in few:
            edges.append((few[j], False))
            continue
        places = np.linspace(0, len(column) - 1, FEW + 1).astype(np.int64)[1:-1]
        edges.append((np.unique(np.sort(column)[places]), True))
    return edges
