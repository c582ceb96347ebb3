"""The fewest of some boxes that together hold all cells of some others.

This is set covering. Cells are far too many to be written down, so they are found as they are
needed: solve for the cells known so far, look for a cell that the solution leaves out, add it,
solve again. When none is left out, the solution is a cover, and the least, since a least cover of
some of the cells is no larger than one of all.
"""

from collections.abc import Iterable, Sequence

from bosco.rules.space import Box, Near, Space, bits
from bosco.rules.work import OutOfWorkError, Work

Rows = list[int]
"""What is to be covered: sets of candidates, a bit each."""


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
    # A term costs more than any number of conditions that it may save.
    conditions = [space.tested_fields(box).bit_count() for box in candidates]
    costs = [1 + len(on) * max(conditions, default=0) + n for n in conditions]
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


# Set covering in whole numbers --------------------------------------------------------------------
#
# Rows are sets of columns, a bit each. What needs no choice is decided first: a row of one column
# needs it, a row that holds another is met with it, a column that another replaces at no higher
# cost is not needed. What is left falls into parts that have no column in common, and each is
# searched by branch and bound. Nothing is rounded, and the search is counted in steps: the same
# rows give the same columns on every machine.


def cheapest(
    rows: Iterable[Sequence[int]], costs: Sequence[int], work: Work
) -> tuple[list[int], bool]:
    """The columns, ascending, and whether they are proved to be the cheapest.

    Examples
    --------
    >>> cheapest([(0, 1), (1, 2), (2, 3)], [1, 1, 1, 1], Work())
    ([1, 2], True)
    """
    masks = [sum(1 << column for column in row) for row in dict.fromkeys(map(tuple, rows))]
    chosen, left = _reduced(masks, costs, work)
    proved = True
    parts = _parts(left)
    for done, part in enumerate(parts):
        found, least = _search(part, costs, work.part(1 / (len(parts) - done)))
        chosen |= found
        proved = proved and least
    return list(bits(chosen)), proved


def _by_column(rows: Rows) -> dict[int, int]:
    """For each column the rows that it meets, a bit each."""
    found: dict[int, int] = {}
    for r, row in enumerate(rows):
        for column in bits(row):
            found[column] = found.get(column, 0) | 1 << r
    return found


def _reduced(rows: Rows, costs: Sequence[int], work: Work) -> tuple[int, Rows]:
    """What must be chosen, and what is left to choose: the same cost, fewer rows and columns."""
    chosen = 0
    while rows:
        needed = 0
        for row in rows:
            if row & (row - 1) == 0:
                needed |= row
        chosen |= needed
        rows = [row for row in rows if not row & needed]
        meets = _by_column(rows)
        work.spend(len(rows) + 3 * sum(map(int.bit_count, rows)))
        spare = 0  # columns that another replaces
        for column, met in meets.items():
            others = -1
            for r in bits(met):
                others &= rows[r]
            for other in bits(others & ~(1 << column)):
                # Of two that are the same in all, the first stays.
                same = meets[other] == met and costs[other] == costs[column]
                if costs[other] <= costs[column] and not (same and other > column):
                    spare |= 1 << column
                    break
        kept = 0  # rows that hold no other row
        fewer = [row & ~spare for row in rows]
        meets = _by_column(fewer)
        implied = 0
        for r, row in enumerate(fewer):
            if implied >> r & 1:
                continue
            over = -1
            for column in bits(row):
                over &= meets[column]
            implied |= over & ~(1 << r)
            kept |= 1 << r
        fewer = [fewer[r] for r in bits(kept & ~implied)]
        if not needed and fewer == rows:
            return chosen, rows
        rows = fewer
    return chosen, rows


def _parts(rows: Rows) -> list[Rows]:
    """Rows that have columns in common, directly or through others."""
    parts: list[tuple[int, Rows]] = []
    for row in rows:
        columns, together, others = row, [row], []
        for part in parts:
            if part[0] & row:
                columns |= part[0]
                together = part[1] + together
            else:
                others.append(part)
        parts = [*others, (columns, together)]
    return [part for _, part in parts]


def _search(rows: Rows, costs: Sequence[int], work: Work) -> tuple[int, bool]:
    """Branch and bound on one part, best found first if the work runs out."""
    best = _greedy(rows, costs)
    least = _cost(best, costs)
    stack = [(rows, 0)]
    while stack:
        if work.over:
            return best, False
        rows, chosen = stack.pop()
        if 0 in rows:  # no column is left for a row
            continue
        needed, rows = _reduced(rows, costs, work)
        chosen |= needed
        so_far = _cost(chosen, costs)
        if so_far + _bound(rows, costs) >= least:
            continue
        if not rows:
            best, least = chosen, so_far
            continue
        row = min(rows, key=int.bit_count)
        meets = _by_column(rows)
        ways = sorted(bits(row), key=lambda c: (-meets[c].bit_count(), costs[c], c))
        tried = 0
        steps = []
        for column in ways:
            rest = [r & ~tried for r in rows if not r >> column & 1]
            steps.append((rest, chosen | 1 << column))
            tried |= 1 << column
        stack.extend(reversed(steps))
    return best, True


def _cost(chosen: int, costs: Sequence[int]) -> int:
    return sum(costs[column] for column in bits(chosen))


def _bound(rows: Rows, costs: Sequence[int]) -> int:
    """No less will do: rows without a column in common each need one."""
    bound = seen = 0
    for row in sorted(rows, key=int.bit_count):
        if not row & seen:
            seen |= row
            bound += min(costs[column] for column in bits(row))
    return bound


def _greedy(rows: Rows, costs: Sequence[int]) -> int:
    """Columns that meet every row, each time the one that meets most for its cost."""
    chosen = 0
    left = rows
    while left:
        counts = {column: met.bit_count() for column, met in _by_column(left).items()}
        # Whole numbers only: a quotient is compared as a product.
        best = min(counts)
        for column in sorted(counts):
            if counts[column] * costs[best] > counts[best] * costs[column]:
                best = column
        chosen |= 1 << best
        left = [row for row in left if not row >> best & 1]
    return chosen
