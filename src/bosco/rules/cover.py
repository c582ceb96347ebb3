"""The fewest of some boxes that together hold all cells of some others.

This is set covering. Cells are far too many to be written down, so they are found as they are
needed: solve for the cells known so far, look for a cell that the solution leaves out, add it,
solve again. When none is left out, the solution is a cover, and the least, since a least cover of
some of the cells is no larger than one of all.
"""

from collections.abc import Sequence

from bosco.rules.covering import cheapest
from bosco.rules.near import Near
from bosco.rules.space import Box, Space
from bosco.rules.work import OutOfWorkError, Work


def choose(
    space: Space, on: Sequence[Box], candidates: Sequence[Box], work: Work
) -> tuple[list[Box], bool]:
    """The fewest candidates that hold all of `on`, with fewest conditions; and whether proved.

    Every box of `on` must be inside some candidate.
    """
    near = Near(space, candidates, work)
    try:
        return _least(space, on, candidates, near, work)
    except OutOfWorkError:
        return enough(on, candidates, near), False


def enough(on: Sequence[Box], candidates: Sequence[Box], near: Near) -> list[Box]:
    """Some candidates that hold all boxes, each whole in one of them, the largest first."""
    found: dict[int, None] = {}
    for box in on:
        holding = [i for i in near.meeting(box) if box & ~candidates[i] == 0]
        if not any(i in found for i in holding):
            found[max(holding, key=lambda i: (candidates[i].bit_count(), -i))] = None
    return [candidates[i] for i in found]


def _least(
    space: Space, on: Sequence[Box], candidates: Sequence[Box], near: Near, work: Work
) -> tuple[list[Box], bool]:
    rows = dict.fromkeys(_cell(space, box, candidates, near, work) for box in on)
    costs = _costs(space, candidates, len(on))
    while True:
        chosen, least = cheapest(rows, costs, work.part(0.5))
        boxes = [candidates[i] for i in chosen]
        chosen_near = Near(space, boxes, work)
        left_out = []
        for box in on:
            cover = [boxes[i] for i in chosen_near.meeting(box)]
            if (piece := space.uncovered(box, cover, work)) is not None:
                left_out.append(piece)
        if not left_out:
            return boxes, least
        for piece in left_out:
            rows[_cell(space, piece, candidates, near, work)] = None


def _cell(
    space: Space, piece: Box, candidates: Sequence[Box], near: Near, work: Work
) -> tuple[int, ...]:
    """The candidates that hold one cell of a piece: one that few of them hold."""
    holding = []
    meeting = near.meeting(piece)
    work.need(len(meeting) * space.step)
    for i in meeting:
        box = candidates[i]
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
