"""The fewest of some boxes that together hold all cells of some others.

This is set covering, left to an integer program (HiGHS, through scipy). Cells are far too many to
be written down, so they are found as they are needed: solve for the cells known so far, look for a
cell that the solution leaves out, add it, solve again. When none is left out, the solution is a
cover, and the least, since a least cover of some of the cells is no larger than one of all.
"""

from collections.abc import Sequence

import numpy as np

from bosco.rules.deadline import Deadline
from bosco.rules.space import Box, Space


def choose(
    space: Space, on: Sequence[Box], candidates: Sequence[Box], deadline: Deadline
) -> tuple[list[Box], bool]:
    """The fewest candidates that hold all of `on`, with fewest conditions; and whether proved.

    Every box of `on` must be inside some candidate.
    """
    rows = sorted({row for box in on for row in [_cell(space, box, candidates)]})
    costs = _costs(space, candidates, len(on))
    while True:
        chosen, least = _solve(rows, costs, deadline)
        boxes = [candidates[i] for i in chosen]
        left_out = [piece for box in on if (piece := space.uncovered(box, boxes)) is not None]
        if not left_out:
            return boxes, least
        if deadline.passed():
            return _mended(space, on, candidates, boxes), False
        new = {_cell(space, piece, candidates) for piece in left_out}
        rows = sorted(new.union(rows))


def _cell(space: Space, piece: Box, candidates: Sequence[Box]) -> tuple[int, ...]:
    """The candidates that hold one cell of a piece: one that few of them hold."""
    holding = []
    for i, box in enumerate(candidates):
        if not space.meets(piece, box):
            continue
        outside = space.minus(piece, box)
        if not outside:
            holding.append(i)
        else:
            piece = max(outside, key=int.bit_count)
    return tuple(holding)


def _costs(space: Space, candidates: Sequence[Box], most: int) -> list[int]:
    """A term costs more than any number of conditions that it may save."""
    conditions = [space.tested_fields(box).bit_count() for box in candidates]
    term = 1 + most * max(conditions, default=0)
    return [term + n for n in conditions]


def _solve(
    rows: Sequence[tuple[int, ...]], costs: Sequence[int], deadline: Deadline
) -> tuple[list[int], bool]:
    """Candidates of least cost that meet every row, and whether that is proved."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    needed = sorted({row[0] for row in rows if len(row) == 1})
    inside = set(needed)
    rows = [row for row in rows if not inside.intersection(row)]
    if not rows:
        return needed, True
    columns = sorted({i for row in rows for i in row})
    place = {i: k for k, i in enumerate(columns)}
    indices = [place[i] for row in rows for i in row]
    ends = np.cumsum([0, *map(len, rows)])
    matrix = csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(rows), len(columns)))
    result = milp(
        np.array([costs[i] for i in columns], dtype=float),
        integrality=np.ones(len(columns)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, lb=1),
        options={"time_limit": max(0.05, deadline.left() / 2), "mip_rel_gap": 0.0},
    )
    if result.x is None:
        return sorted({*needed, *_greedy(rows)}), False
    return sorted({*needed, *(columns[k] for k in np.flatnonzero(result.x > 0.5))}), (
        result.status == 0
    )


def _greedy(rows: Sequence[tuple[int, ...]]) -> set[int]:
    """Candidates that meet every row, each time the one that meets most."""
    left, found = list(rows), set()
    while left:
        counts = np.bincount([i for row in left for i in row])
        best = int(np.argmax(counts))
        found.add(best)
        left = [row for row in left if best not in row]
    return found


def _mended(
    space: Space, on: Sequence[Box], candidates: Sequence[Box], chosen: list[Box]
) -> list[Box]:
    """A cover, though not the least: boxes left out get a candidate that holds them whole."""
    chosen = list(chosen)
    for box in on:
        if space.uncovered(box, chosen) is not None:
            chosen.append(next(c for c in candidates if box & ~c == 0))
    return chosen
