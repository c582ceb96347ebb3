"""Boxes made as large as they can be without meeting any box of another answer, and tidy again."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from random import Random

from bosco.rules.space import Box, Field, Near, Space, bits
from bosco.rules.work import Work

_MAX_PIECES = 2000


def merged(space: Space, boxes: Iterable[Box], work: Work) -> list[Box]:
    """The same cells in fewer boxes: neighbours that differ in one column only are united.

    As far as the work goes; what it does not reach stays as it is.
    """
    found = list(dict.fromkeys(boxes))
    before = 0
    while 1 < len(found) != before:
        before = len(found)
        for field in space.fields:
            work.spend(3 * len(found) * space.step)
            if work.over:
                return found
            groups: dict[Box, list[int]] = {}
            for box in found:
                groups.setdefault(box & ~field.mask, []).append((box & field.mask) >> field.shift)
            found = []
            for rest, parts in groups.items():  # the same atoms in fewer sets, if there are fewer
                fewer = space.pieces(field, reduce(or_, parts)) if len(parts) > 1 else parts
                parts = fewer if len(fewer) < len(parts) else parts
                found += [rest | part << field.shift for part in parts]
    near = Near(space, found, work)
    return [
        box
        for i, box in enumerate(found)
        if not any(j != i and box & ~found[j] == 0 for j in near.meeting(box))
    ]


def maximal(boxes: Iterable[Box], work: Work) -> list[Box]:
    """The boxes that no other box of them contains."""
    found: list[Box] = []
    for box in sorted(dict.fromkeys(boxes), key=int.bit_count, reverse=True):
        work.spend(len(found))
        if not any(box & ~other == 0 for other in found):
            found.append(box)
    return found


def expanded(
    space: Space,
    box: Box,
    off: Sequence[Box],
    order: Sequence[Field],
    work: Work,
    *,
    drop_first: bool = True,
) -> Box:
    """Grow a box as far as it meets no box of `off`, fields in the order given.

    Conditions are dropped where they can be, then (or at once) the rest are widened. Every box of
    `off` is kept out by the fields in which it has nothing in common with the box; a field that is
    the only one to keep something out stays.
    """
    alone: dict[int, int] = {}  # by the guard bit of a field: what it is the only one to keep out
    shared = []
    work.spend(2 * len(off) * space.step)
    for other in off:
        by = space.empty_fields(box & other)
        if by & (by - 1):
            shared.append((by, other))
        else:
            alone[by] = alone.get(by, 0) | other
    for drop in (True, False) if drop_first else (False,):
        for field in order:
            now = box >> field.shift & field.full
            guard = field.guard
            if now == field.full or (drop and guard in alone):
                continue
            allowed = field.full & ~(alone.get(guard, 0) >> field.shift)
            # the largest set of allowed atoms that one condition can say and that holds what is
            # there
            around = (run for run in space.runs(field, allowed) if now & ~run == 0)
            placed = max(around, key=int.bit_count) << field.shift
            box |= placed
            left = []
            work.spend(len(shared))
            for by, other in shared:
                if by & guard and other & placed:
                    by ^= guard
                    if by & (by - 1) == 0:
                        alone[by] = alone.get(by, 0) | other
                        continue
                left.append((by, other))
            shared = left
    return box


def all_primes(
    space: Space, on: Sequence[Box], off: Sequence[Box], limit: int, work: Work
) -> list[Box] | None:
    """Every largest box that meets none of `off` and some of `on`; None if that is too much."""
    found = [space.full]
    for other in sorted(off, key=int.bit_count, reverse=True):
        kept: list[Box] = []
        new: dict[Box, None] = {}
        for box in found:
            if not space.meets(box, other):
                kept.append(box)
                continue
            for field in space.fields_of(box & ~other):
                atoms = (box & ~other) >> field.shift & field.full
                for part in space.runs(field, atoms):
                    new[(box & ~field.mask) | part << field.shift] = None
        work.spend((len(found) + 4 * len(new)) * space.step)
        useful = []
        for box in new:
            if work.over:
                return None
            met = next((i for i, inside in enumerate(on) if space.meets(box, inside)), None)
            work.spend((len(on) if met is None else met + 1) * space.step)
            if met is not None:
                useful.append(box)
        if len(kept) + len(useful) > 2 * limit:
            return None
        work.spend(len(useful) * len(kept) * space.step)
        if work.over:
            return None
        found = kept + [
            box for box in maximal(useful, work) if not any(box & ~other == 0 for other in kept)
        ]
        if len(found) > limit:
            return None
    return found


def grown(space: Space, box: Box, off: Sequence[Box], work: Work) -> list[Box]:
    """A box expanded in orders that promise much: what keeps out least is dropped first."""
    keeps: dict[int, int] = {}
    alone: dict[int, int] = {}
    work.spend(4 * len(off) * space.step)
    for other in off:
        by = space.empty_fields(box & other)
        if by & (by - 1) == 0:
            alone[by] = alone.get(by, 0) + 1
        for at in bits(by):
            keeps[1 << at] = keeps.get(1 << at, 0) + 1
    fields = list(space.fields_of(space.tested_fields(box)))
    least = sorted(fields, key=lambda f: (keeps.get(f.guard, 0), f.shift))
    safest = sorted(fields, key=lambda f: (alone.get(f.guard, 0), keeps.get(f.guard, 0), -f.shift))
    orders = dict.fromkeys(map(tuple, (least, safest, least[::-1])))
    return [expanded(space, box, off, order, work) for order in orders]


def grown_at_random(space: Space, box: Box, off: Sequence[Box], dice: Random, work: Work) -> Box:
    """A box that holds some cell of a box, expanded in some order: it can be any largest box."""
    cell = 0
    for field in space.fields:
        places = list(bits(box >> field.shift & field.full))
        cell |= 1 << (field.shift + dice.choice(places))
    order = list(space.fields)
    dice.shuffle(order)
    return expanded(space, cell, off, order, work, drop_first=dice.random() < 0.5)


# Chosen boxes made easy to read: each asks for no more than it must hold --------------------------


def tidied(space: Space, terms: Sequence[Box], on: Sequence[Box], work: Work) -> list[Box]:
    """Drop terms that the others make redundant, and shrink what the rest ask for.

    A term keeps its columns. In each it is left what no other term holds, where that is not longer
    to say: fewer levels, or nearer bounds on the sides that are bounded. As far as the work goes.
    """
    longest = sorted(terms, key=lambda box: space.tested_fields(box).bit_count(), reverse=True)
    found: list[Box | None] = list(longest)
    # Terms only get smaller: those that met at first are all that can meet.
    near_terms = Near(space, longest, work)
    near_on = Near(space, on, work)
    for at, term in enumerate(longest):
        if work.over:
            break
        near = [found[i] for i in near_terms.meeting(term) if i != at]
        others = [box for box in near if box is not None and space.meets(box, term)]
        needed = _needed(space, term, others, [on[i] for i in near_on.meeting(term)], work)
        if needed is None:
            continue
        if not needed:
            found[at] = None
            continue
        found[at] = narrowed(space, term, reduce(or_, needed))
    return [term for term in found if term is not None]


def narrowed(space: Space, term: Box, needed: Box) -> Box:
    """A term that asks for no more than it must hold, where that is not longer to say."""
    if term == needed:
        return term
    for field in space.fields_of(space.tested_fields(term)):
        part = term >> field.shift & field.full
        shorter = _shorter(field, part, needed >> field.shift & field.full)
        term = (term & ~field.mask) | shorter << field.shift
    return term


def _needed(
    space: Space, term: Box, others: Sequence[Box], on: Sequence[Box], work: Work
) -> list[Box] | None:
    """What a term alone holds of boxes that meet it, as boxes; None if that is too much work."""
    found: list[Box] = []
    budget = _MAX_PIECES
    for box in on:
        pieces = [box & term]
        for other in others:
            if not pieces:
                break
            pieces = [piece for whole in pieces for piece in space.minus(whole, other)]
            work.spend((1 + len(pieces)) * space.step)
            budget -= len(pieces)
            if budget < 0:
                return None
        found += pieces
    return found


def _shorter(field: Field, part: int, needed: int) -> int:
    """The set between two that is shortest to say, of equals the smaller."""
    gap = needed & field.gap
    if not field.ordered:
        whole = part & field.values
        choices = [needed & field.values, whole]
        if gap and not choices[0]:
            return gap
        sizes = {atoms: atoms.bit_count() for atoms in choices}
        # levels to be named are those in the set, or those not in it
        best = min(choices, key=lambda a: (min(sizes[a], field.known - sizes[a]), sizes[a]))
        return best | gap
    values = needed & field.values
    if not values:
        return gap
    low, high = values & -values, values.bit_length()
    if part & 1:  # no lower bound, and none is added
        low = 1
    if part >> (field.known - 1) & 1:
        high = field.known
    return ((1 << high) - low) | gap
