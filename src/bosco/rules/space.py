"""The space of all cases as finitely many cells, and boxes in it as whole numbers.

Rules look at a column only through their bounds and levels. These cut the column into *atoms* that
no rule tells apart: ``(a, b]`` between neighbouring bounds, each level, and one atom for a missing
value. What a rule asks of a column is then a set of atoms, a bit each; a box, one set per column,
is one Python integer with the columns side by side. Above the bits of each column one bit is kept
free, so that a single addition tells which columns have an empty set. Intersection is ``&``,
containment is ``a & ~b == 0``, and nothing is ever sampled: two sets of rules agree on the whole
space if they agree on every cell.
"""

import dataclasses
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import or_

from bosco.base.dates import MOMENTS
from bosco.data.schema import Column, Schema
from bosco.rules.work import Work
from bosco.tree.conditions import Condition, Interval, Members

_FEW = 3  # boxes of a list that are not parted further

Box = int
"""A product of sets of atoms, one set per field; see the head of this file."""


@dataclass(frozen=True, slots=True)
class Field:
    """The bits of one column in a box."""

    column: int
    ordered: bool  # sets of atoms are to be intervals
    edges: tuple[float, ...]  # upper bounds of the atoms of an ordered column, all but the last's
    known: int  # number of atoms that hold values
    missing: bool  # one more atom, the last, stands for a missing value
    shift: int  # number of the first bit
    top: float = math.inf  # no value lies above it: infinity, or the last level's position
    # The bits, unshifted, of all known values, of the missing value (0: there is none), of both;
    # in place, all bits, and the free bit above them.
    values: int = dataclasses.field(init=False)
    gap: int = dataclasses.field(init=False)
    full: int = dataclasses.field(init=False)
    mask: int = dataclasses.field(init=False)
    guard: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        values, gap = (1 << self.known) - 1, int(self.missing) << self.known
        full = values | gap
        made = {"values": values, "gap": gap, "full": full, "mask": full << self.shift}
        made["guard"] = 1 << (self.shift + self.known + self.missing)
        for name, bits in made.items():
            object.__setattr__(self, name, bits)


class Space:
    """The cells that the bounds and levels of some conditions make.

    All boxes are made of these conditions; columns without any have no field.

    Examples
    --------
    >>> from bosco.tree.conditions import Interval
    >>> from bosco.data.schema import Column, Schema
    >>> schema = Schema((Column("age"), Column("sex", "nominal", ("f", "m"))), True)
    >>> young = Interval(0, None, 30.0, True)
    >>> space = Space(schema, [young])
    >>> bin(space.box([young])), bin(space.full)
    ('0b101', '0b111')
    >>> space.conditions(space.full ^ space.box([young]))
    (Interval(column=0, low=30.0, high=None, missing=False),)
    """

    def __init__(
        self, schema: Schema, conditions: Iterable[Condition], *, missing: bool = True
    ) -> None:
        self.schema = schema
        self.missing = missing
        bounds: dict[int, set[float]] = {}
        for condition in conditions:
            found = bounds.setdefault(condition.column, set())
            if isinstance(condition, Interval):
                found.update(x for x in (condition.low, condition.high) if x is not None)
        fields, shift = [], 0
        for j in sorted(bounds):
            made = _field(schema.columns[j], j, bounds[j], missing, shift)
            fields.append(made)
            shift += made.known + missing + 1
        self.fields: tuple[Field, ...] = tuple(fields)
        self._of_column = {f.column: f for f in fields}
        self._starts = [f.shift for f in fields]
        self.full: Box = sum(f.mask for f in fields)
        self._guards = sum(f.guard for f in fields)
        # A look at a box costs its width: so many steps of `Work`.
        self.step = 1 + shift // 2048

    # Boxes ------------------------------------------------------------------------------------

    def meets(self, a: Box, b: Box) -> bool:
        """Whether two boxes have a cell in common."""
        return ((a & b) + self.full) & self._guards == self._guards

    def holds_any(self, a: Box) -> bool:
        """Whether a box has any cell."""
        return (a + self.full) & self._guards == self._guards

    def empty_fields(self, a: Box) -> int:
        """The guard bits of the fields whose set is empty."""
        return ~(a + self.full) & self._guards

    def filled_fields(self, a: Box) -> int:
        """The guard bits of the fields whose set is not empty."""
        return (a + self.full) & self._guards

    def tested_fields(self, a: Box) -> int:
        """The guard bits of the fields that a box asks something of."""
        return self.filled_fields(self.full & ~a)

    def field_of(self, bit: int) -> Field:
        """The field that a bit (or a guard bit) is in."""
        at = bisect_left(self._starts, bit.bit_length())
        return self.fields[at - 1]

    def fields_of(self, bits: int) -> Iterator[Field]:
        """The fields that have any of some bits or guard bits, lowest first."""
        while bits:
            field = self.field_of(bits & -bits)
            yield field
            bits &= ~(field.mask | field.guard)

    def minus(self, a: Box, b: Box) -> list[Box]:
        """Disjoint boxes that make up a without b."""
        if not self.meets(a, b):
            return [a]
        pieces = []
        for field in self.fields_of(a & ~b):
            pieces.append(a & ~(field.mask & b))
            a &= ~field.mask | b
        return pieces

    def uncovered(self, box: Box, cover: Sequence[Box], work: Work) -> Box | None:
        """A part of a box that no box of a cover meets; None if the cover holds all of it."""
        stack = [(box, cover)]
        while stack:
            rest, near = stack.pop()
            work.need((1 + len(near)) * self.step)
            near = [b for b in near if self.meets(rest, b)]
            if not near:
                return rest
            outside = [self.filled_fields(rest & ~b) for b in near]
            best = min(range(len(near)), key=lambda i: outside[i].bit_count())
            if outside[best]:  # else the best of them holds the rest
                others = near[:best] + near[best + 1 :]
                stack += [(piece, others) for piece in self.minus(rest, near[best])]
        return None

    def runs(self, field: Field, atoms: int) -> list[int]:
        """The largest sets within some atoms of a field (unshifted) that one condition can say."""
        gap = atoms & field.gap
        values = atoms & field.values
        if not field.ordered or not values:
            return [atoms] if atoms else []
        found = []
        while values:
            low = values & -values
            run = values & ~(values + low)  # the carry stops at the first atom that is not in
            found.append(run | gap)
            values &= ~run
        return found

    def sayable(self, box: Box) -> list[Box]:
        """Boxes that conditions can say and that make up a box: one for each run of atoms."""
        found = [box]
        for field in self.fields:
            runs = self.pieces(field, box >> field.shift & field.full)
            if len(runs) > 1:
                found = [(b & ~field.mask) | run << field.shift for b in found for run in runs]
        return found

    def pieces(self, field: Field, atoms: int) -> list[int]:
        """Disjoint sets that one condition each can say and that make up some atoms of a field."""
        first, *others = self.runs(field, atoms)
        return [first, *(run & field.values for run in others)]

    # Boxes and conditions ---------------------------------------------------------------------

    def box(self, conditions: Iterable[Condition]) -> Box:
        """The box of a conjunction; the full box of none."""
        box = self.full
        for condition in conditions:
            field = self._of_column[condition.column]
            box &= ~field.mask | (self.atoms(condition) << field.shift)
        return box

    def conditions(self, box: Box) -> tuple[Condition, ...]:
        """What a box asks of each column, in the order of the columns."""
        return tuple(
            self.condition(field, box >> field.shift & field.full)
            for field in self.fields_of(self.full & ~box)
        )

    def condition(self, field: Field, atoms: int) -> Condition:
        """A set of atoms of a field (unshifted) as a condition."""
        values, gap = atoms & field.values, bool(atoms & field.gap)
        if not field.ordered or not values:
            return Members(field.column, tuple(at + 1 for at in bits(values)), gap)
        first, last = (values & -values).bit_length() - 1, values.bit_length() - 1
        assert values == (2 << last) - (1 << first), "not one interval"
        low = field.edges[first - 1] if first else None
        high = field.edges[last] if last < len(field.edges) else None
        return Interval(field.column, low, high, gap)

    def field(self, column: int) -> Field:
        """The field of a column."""
        return self._of_column[column]

    def atoms(self, condition: Condition) -> int:
        """The atoms (unshifted) of its field that a condition holds for."""
        field = self._of_column[condition.column]
        gap = field.gap if condition.missing else 0
        if isinstance(condition, Members):
            assert not (field.ordered and condition.codes), "levels of an ordered column"
            return sum(1 << place for place in condition.places(field.known)) | gap
        low, high = condition.low, condition.high
        first = 0 if low is None else _ending(field, low) + 1
        last = field.known - 1 if high is None else _ending(field, high)
        return ((2 << last) - (1 << first) if last >= first else 0) | gap

    def known_only(self, columns: Iterable[int]) -> Box:
        """The box of all cases in which none of some columns is missing."""
        box = self.full
        for field in self.fields:
            if field.column in columns:
                box &= ~(field.gap << field.shift)
        return box

    # Points -----------------------------------------------------------------------------------

    def point(self, box: Box) -> dict[int, float | None]:
        """A case in a box, as the core has values: numbers, positions of levels, None missing.

        Bounds are preferred, since that is where models are likely to differ; missing values are
        taken only where nothing else is left. Only columns with a field have an entry.
        """
        values: dict[int, float | None] = {}
        for field in self.fields:
            atoms = box >> field.shift & field.values
            first = (atoms & -atoms).bit_length() - 1
            values[field.column] = None if first < 0 else self._value(field, first)
        return values

    def _value(self, field: Field, atom: int) -> float:
        if not field.ordered:
            return float(atom)
        if atom == len(field.edges):
            return above(field.edges[-1]) if field.edges else 0.0
        edge = field.edges[atom]
        if self.schema.columns[field.column].unit in MOMENTS and math.isfinite(edge):
            whole = float(math.floor(edge))  # a date or a time that can be typed in
            return whole if atom == 0 or whole > field.edges[atom - 1] else edge
        return edge


def above(low: float) -> float:
    """A number above another, a round step away where there is one."""
    step = math.floor(low) + 1.0 if math.isfinite(low) else 0.0
    return step if step > low else math.nextafter(low, math.inf)


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _field(column: Column, j: int, bounds: set[float], missing: bool, shift: int) -> Field:
    if column.kind == "nominal":
        assert column.levels is not None
        return Field(j, False, (), len(column.levels), missing, shift)
    top = math.inf
    if column.levels is not None:  # positions of levels: what lies between them does not count
        top = float(len(column.levels) - 1)
        bounds = {float(math.floor(x)) for x in bounds if 0 <= x < top}
    edges = tuple(sorted(x for x in bounds if x < top))
    return Field(j, True, edges, len(edges) + 1, missing, shift, top)


def _ending(field: Field, bound: float) -> int:
    """The number of the last atom that lies at or below a bound; -1 if none does."""
    return field.known - 1 if bound >= field.top else bisect_right(field.edges, bound) - 1


class Near:
    """Finds the boxes of a list that meet a box, without looking at each.

    The list is cut in two where the boxes before and those after have nothing in common, each part
    again, and every part keeps the box around it. What does not meet that meets nothing in the
    part. Rules come in the order of their tree, whose list can be cut like this at every test.

    Examples
    --------
    >>> from bosco.data.schema import Column, Schema
    >>> asked = [Interval(0, None, 1.0, False), Interval(0, 1.0, 2.0, False)]
    >>> space = Space(Schema((Column("x"),), True), asked)
    >>> Near(space, [space.box([c]) for c in asked], Work()).meeting(space.box([asked[1]]))
    [1]
    """

    def __init__(self, space: Space, boxes: Sequence[Box], work: Work) -> None:
        self._space = space
        self._work = work
        self._boxes = boxes
        # The box around a part, where it begins and ends, and the number of its first half, which
        # the second follows; 0: it is not parted.
        self._parts: list[tuple[Box, int, int, int]] = []
        waiting = [(0, len(boxes))]
        while len(self._parts) < len(waiting):
            begin, end = waiting[len(self._parts)]
            around, cut = self._cut(begin, end)
            self._parts.append((around, begin, end, len(waiting) if cut else 0))
            waiting += [(begin, cut), (cut, end)] if cut else []

    def _cut(self, begin: int, end: int) -> tuple[Box, int]:
        """The box around a part of the list, and where to cut it; 0: it is too short."""
        boxes, n = self._boxes[begin:end], end - begin
        self._work.spend(n * self._space.step)
        before = list(accumulate(boxes, or_))
        around = before[-1] if boxes else 0
        if n <= _FEW:
            return around, 0
        after = list(accumulate(reversed(boxes), or_))
        middle = n // 2
        # From the middle outwards; not near the ends, so that parts of parts soon are short.
        for far in range(middle - n // 8):
            for k in (middle - far, middle + far):
                if not self._space.meets(before[k - 1], after[n - k - 1]):
                    self._work.spend((n + 2 * far) * self._space.step)
                    return around, begin + k
        self._work.spend(2 * n * self._space.step)
        return around, begin + middle

    def meeting(self, box: Box) -> list[int]:
        """The numbers of the boxes that meet a box, ascending."""
        parts, boxes, meets = self._parts, self._boxes, self._space.meets
        found: list[int] = []
        stack = [0]
        looked = 0
        while stack:
            around, begin, end, half = parts[stack.pop()]
            looked += 1
            if not meets(around, box):
                continue
            if half:
                stack.append(half)
                stack.append(half + 1)
            else:
                looked += end - begin
                found += [i for i in range(begin, end) if meets(boxes[i], box)]
        self._work.spend(looked * self._space.step)
        return sorted(found)
