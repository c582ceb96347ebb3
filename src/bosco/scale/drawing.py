"""Random cuts over rows that lie in parts: what they need of coarse columns, in two rounds.

First the extremes of a node's columns, between which cuts are drawn; then what lies in the bin of a
cut and not above it. The other bins lie on one side or the other.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bosco.scale.source import Asking, Source

__all__ = ["draw"]


def draw(source: Source, opened: Sequence[Any], columns: Callable[[Any], Any]) -> Asking[None]:
    """Give nodes the tables of their coarse columns, as far as the cuts that they draw need them.

    Parameters
    ----------
    source : Source
        The rows.
    opened : sequence of Open
        The nodes, with their tables in bins; `ends` and `fine` are filled in.
    columns : callable
        Says which columns a node looks at, once its `ends` are known.
    """
    coarse = [j for j in range(source.n_columns) if source.coarse[j]]
    known = [[j for j in coarse if len(one.tables[j][0][0])] for one in opened]
    wanted = [
        (one.number, [(j, *(int(one.tables[j][0][0][k]) for k in (0, -1))) for j in some])
        for one, some in zip(opened, known, strict=True)
    ]
    ends = yield from source.each_node("extremes", wanted)
    for one, some, found in zip(opened, known, ends, strict=True):
        one.ends = {j: (low, high) for j, (low, high) in zip(some, found, strict=True)}
    cuts = [_cuts(source, one, columns(one)) for one in opened]
    parts = yield from source.each_node(
        "up_to", [(one.number, drawn) for one, drawn in zip(opened, cuts, strict=True)]
    )
    for one, drawn, left in zip(opened, cuts, parts, strict=True):
        within = {j: (code, tally) for (j, code, _), tally in zip(drawn, left, strict=True)}
        for j in coarse:
            one.fine[j] = _sides(one.tables[j][0], one.ends.get(j), within.get(j))


def _cuts(source: Source, one: Any, columns: Any) -> list[tuple[int, int, float]]:
    """The cuts that a node draws: column, the bin they lie in, threshold."""
    cuts = []
    for j in columns:
        low, high = one.ends.get(j, (0.0, 0.0))
        if low < high:
            cut = one.node.draw(j, low, high)
            edges = source.values[j][: source.n_codes[j] - 1]
            cuts.append((j, int(np.searchsorted(edges, cut)) + 1, cut))
    return cuts


def _sides(table: Any, ends: tuple[float, float] | None, within: Any) -> Any:
    """The table of a coarse column as far as a random cut needs it: either side, at the extremes.

    `within` is the bin that the cut lies in, and what lies there not above it; None: nothing is
    drawn, and one side is as good as the other.
    """
    codes, cells, missing, _, _ = table
    if ends is None:
        return codes, cells, missing, np.zeros(0), 2
    whole = cells.sum(axis=0)
    if ends[0] == ends[1]:
        return np.ones(1, np.uint32), whole[None], missing, np.array(ends[:1]), 2
    around, left = within or (0, 0)
    left = cells[codes < around].sum(axis=0) + left
    return (
        np.arange(1, 3, dtype=np.uint32),
        np.array([left, whole - left]),
        missing,
        np.array(ends),
        2,
    )
