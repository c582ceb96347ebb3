"""Chosen boxes, as large as can be, made easy to read: each asks for no more than it must hold."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from bosco.rules.deadline import Deadline
from bosco.rules.space import Box, Field, Space

_MAX_PIECES = 2000


def tidied(space: Space, terms: Sequence[Box], on: Sequence[Box], deadline: Deadline) -> list[Box]:
    """Drop terms that the others make redundant, and shrink what the rest ask for.

    A term keeps its columns. In each it is left what no other term holds, where that is not longer
    to say: fewer levels, or nearer bounds on the sides that are bounded.
    """
    found = sorted(terms, key=lambda box: space.tested_fields(box).bit_count(), reverse=True)
    for term in list(found):
        if deadline.passed():
            break
        others = [box for box in found if box != term]
        needed = _needed(space, term, others, on)
        if needed is None:
            continue
        at = found.index(term)
        if not needed:
            del found[at]
            continue
        bits = reduce(or_, needed)
        for field in space.fields_of(space.tested_fields(term)):
            part = term >> field.shift & field.full
            shorter = _shorter(field, part, bits >> field.shift & field.full)
            term = (term & ~field.mask) | shorter << field.shift
        found[at] = term
    return found


def _needed(space: Space, term: Box, others: Sequence[Box], on: Sequence[Box]) -> list[Box] | None:
    """What a term alone holds, as boxes; None if that is too much work."""
    near = [box for box in others if space.meets(box, term)]
    found: list[Box] = []
    budget = _MAX_PIECES
    for box in on:
        pieces = [box & term] if space.meets(box, term) else []
        for other in near:
            if not pieces:
                break
            pieces = [piece for whole in pieces for piece in space.minus(whole, other)]
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
