"""Two sets of rules compared over the whole space, by boxes and never by samples.

Both sides are lists of boxes with answers, the first box that holds a case deciding. The space is
taken apart by the boxes of a side that hold every case and agree where they overlap (as those of a
tree do), and each is compared with the boxes of the other side that meet it. Where neither side is
of that kind, the space is halved where that separates most boxes, until each side has one answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.errors import ParameterError
from bosco.rules.align import aligned, raw_point
from bosco.rules.space import Box, Field, Near, Space, bits
from bosco.rules.work import Work

if TYPE_CHECKING:
    from bosco.rules.ruleset import RuleSet

NOTHING = None
"""The answer where no rule holds."""

_OPEN = object()  # not one answer yet
_TRIED = 16  # halvings looked at, of many


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether two sets of rules give the same answer to every case; true if they do.

    Attributes
    ----------
    equal : bool
        The answer.
    point : dict or None
        If not: a case, by column name, that they answer differently.
    answers : tuple
        If not: what the first and the second say to it; None where no rule holds.

    Examples
    --------
    >>> bool(Equivalence(True))
    True
    """

    equal: bool
    point: dict[str, Any] | None = None
    answers: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.equal:
            return tr("equal on the whole space")
        case = ", ".join(
            f"{visible(name)} = {value!r}" for name, value in (self.point or {}).items()
        )
        first, second = self.answers
        return tr(
            "different, for example at {case}: {first} against {second}",
            case=case,
            first=repr(first),
            second=repr(second),
        )


@dataclass(frozen=True, slots=True)
class Side:
    """Boxes with answers, the first that holds a case deciding; see `cells`."""

    boxes: list[Box]
    answers: list[Any]
    complete: bool  # every case is known to be in some box
    agreed: bool = False  # boxes with a case in common are known to have the same answer
    in_place: bool = False  # neighbours in the list are near in space, as those of a tree are

    def within(self, space: Space, region: Box, work: Work) -> "Side":
        """The boxes that matter in a region: up to the first that holds all of it."""
        work.need((1 + len(self.boxes)) * space.step)
        boxes, answers = [], []
        for box, answer in zip(self.boxes, self.answers, strict=True):
            if space.meets(box, region):
                boxes.append(box)
                answers.append(answer)
                if region & ~box == 0:
                    return Side(boxes, answers, True, self.agreed)
        return Side(boxes, answers, self.complete, self.agreed)

    @property
    def tiles(self) -> bool:
        """Whether the boxes hold every case, and one answer each."""
        return self.complete and self.agreed

    def alone(self, i: int) -> "Side":
        """One box, in a region that lies within it."""
        return Side(self.boxes[i : i + 1], self.answers[i : i + 1], True, True)

    def some(self, places: Sequence[int]) -> "Side":
        """A few of the boxes, for a region that meets no others."""
        boxes, answers = ([of[i] for i in places] for of in (self.boxes, self.answers))
        return Side(boxes, answers, self.complete, self.agreed)

    def answer(self) -> Any:
        """The one answer in the region, `NOTHING` where no box is left, else `_OPEN`."""
        if not self.boxes:
            return NOTHING
        first = self.answers[0]
        if self.complete and all(answer == first for answer in self.answers):
            return first
        return _OPEN


Part = tuple[Box, Side, Side]


def parts(space: Space, a: Side, b: Side, region: Box, work: Work) -> list[Part]:
    """A region taken apart by the boxes of a side that tiles it, each with those that meet it.

    The region as a whole if neither side does. OutOfWorkError if it takes more steps than are left.
    """
    if b.tiles and not (a.tiles and a.in_place >= b.in_place):
        return [(box, one, other) for box, other, one in parts(space, b, a, region, work)]
    if not a.tiles:
        return [(region, a, b)]
    tiles = [box & region for box in a.boxes]
    near = Near(space, tiles, work)
    meeting: list[list[int]] = [[] for _ in tiles]
    for j, box in enumerate(b.boxes):
        found = near.meeting(box)
        work.need(len(found))
        for i in found:
            meeting[i].append(j)
    return [
        (tile, a.alone(i), b.some(meeting[i]))
        for i, tile in enumerate(tiles)
        if space.holds_any(tile)
    ]


def cells(
    space: Space, a: Side, b: Side, region: Box, work: Work
) -> Iterator[tuple[Box, Any, Any]]:
    """Part a region into boxes on which each side has one answer: (box, answer, answer).

    OutOfWorkError if that takes more steps than are left.
    """
    stack = parts(space, a, b, region, work)[::-1]
    while stack:
        region, a, b = stack.pop()
        a, b = a.within(space, region, work), b.within(space, region, work)
        of_a, of_b = a.answer(), b.answer()
        if of_a is not _OPEN and of_b is not _OPEN:
            yield region, of_a, of_b
            continue
        if a.tiles and of_a is _OPEN:
            stack += [(region & box, a.alone(i), b) for i, box in enumerate(a.boxes)]
            continue
        if b.tiles and of_b is _OPEN:
            stack += [(region & box, a, b.alone(i)) for i, box in enumerate(b.boxes)]
            continue
        boxes = [*(a.boxes if of_a is _OPEN else ()), *(b.boxes if of_b is _OPEN else ())]
        work.need(4 * len(boxes) * space.step)
        low, high = halving(space, region, boxes)
        stack.append((region & ~low, a, b))
        stack.append((region & ~high, a, b))


def halving(space: Space, region: Box, boxes: Sequence[Box]) -> tuple[int, int]:
    """The two sets of atoms of one field that halve a region so that few boxes are in both."""
    counts: dict[int, int] = {}
    for box in boxes:
        for at in bits(space.filled_fields(region & ~box)):
            counts[at] = counts.get(at, 0) + 1
    field = space.field_of(1 << max(counts, key=lambda at: (counts[at], -at)))
    inside = region & field.mask
    sets = [box & inside for box in boxes]
    halves = sorted({half for part in set(sets) for half in _halves(field, part, inside)})
    if len(halves) > _TRIED:
        halves = halves[:: 1 + len(halves) // _TRIED]

    def fuller(half: int) -> int:
        """How many boxes are in the half that has more of them."""
        return max(sum(1 for s in sets if s & h) for h in (half, inside ^ half))

    best = min(halves, key=fuller) if len(halves) > 1 else halves[0]
    return best, inside ^ best


def _halves(field: Field, part: int, inside: int) -> list[int]:
    """The ways to halve a set of atoms that keep a part of it whole."""
    found = [part]
    values = part & (field.values << field.shift)
    if field.ordered and values:  # an interval also ends what is below, and begins what is above
        found.append(inside & ((values & -values) - 1))
        found.append(inside & ((1 << values.bit_length()) - 1))
    lowest = inside & -inside  # a half and the other are one way
    found = [half if half & lowest else inside ^ half for half in found]
    return [half for half in found if half != inside]


def compare(
    a: "RuleSet", b: "RuleSet", *, values: bool = False, work: Work | None = None
) -> Equivalence:
    """Decide whether two sets of rules agree everywhere; see `RuleSet.equivalent_to`.

    OutOfWorkError if that takes more steps than are left; without any given, there is no limit.
    """
    if values:
        for rules in (a, b):
            if any(rule.value is None for rule in rules.rules):
                raise ParameterError(
                    "values=True compares class shares, and simplified rules have only classes. "
                    "Hint: compare what rules() gave, or leave values=False."
                )
    work = Work() if work is None else work
    pair = aligned(a, b)
    first, second = (side(pair.space, rules, work, values=values) for rules in (pair.a, pair.b))
    for box, *answers in cells(pair.space, first, second, pair.region, work):
        if answers[0] != answers[1]:
            return Equivalence(False, raw_point(pair.space, box), tuple(answers))
    return Equivalence(True)


def side(space: Space, rules: "RuleSet", work: Work, *, values: bool = False) -> Side:
    """Rules as boxes in a space, the default last."""
    work.need((len(rules) + rules.n_conditions) * space.step)
    boxes = [space.box(rule.conditions) for rule in rules.rules]
    answers: list[Any] = [rule.answer for rule in rules.rules]
    if values:  # where a leaf answers by order or by cost, shares do not say the answer
        answers = [
            (r.answer, *(r.value or ())) if r.by_order or r.turned else r.value for r in rules.rules
        ]
    if rules.default is not None and not values:
        boxes.append(space.full)
        answers.append(rules.default)
    agreed = not rules.ordered and rules.default is None
    return Side(boxes, answers, rules.complete, agreed, in_place=rules.report is None)
