"""By which values the codes of columns change, from a sample of the rows.

Any monotone codes give the same tree: edges decide how much is looked at twice, never what is
found.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW", "SAMPLE", "Edges", "edges_of", "may_be_few"]

SAMPLE = 20_000
"""So many rows are looked at for edges, all parts together."""

FEW = 255
"""Columns with so many different values at most have a code for each."""

Edges = list[tuple[NDArray[np.float64], bool]]


def may_be_few(columns: Sequence[NDArray[np.float64]]) -> list[int]:
    """Columns of which a sample has so few different values that all may be as few."""
    return [j for j, found in enumerate(columns) if len(np.unique(found)) <= FEW]


def edges_of(
    columns: Sequence[NDArray[np.float64]],
    distinct: Mapping[int, Sequence[NDArray[np.float64] | None]],
) -> Edges:
    """Choose edges: the values themselves where they are few, else quantiles of a sample.

    Parameters
    ----------
    columns : sequence of arrays
        Some values of every column.
    distinct : mapping
        What every part says of columns that may be few: its different values, None if many.
    """
    few = {}
    for j, parts in distinct.items():
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
