"""Chosen boxes, as large as can be, made easy to read: each asks for no more than it must hold."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from bosco.rules.near import Near
from bosco.rules.space import Box, Field, Space
from bosco.rules.work import Work

_MAX_PIECES = 2000


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
        best = min(choices, key=lambda atoms: (_words(field, atoms), atoms.bit_count()))
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


def _words(field: Field, atoms: int) -> int:
    """How many levels must be named: those in the set, or those not in it."""
    inside = atoms.bit_count()
    return min(inside, field.known - inside)
