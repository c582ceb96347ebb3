"""Cases of boxes, answered by the model itself: nothing is said to be broken before it is seen.

A box stands for cells, and any value of a cell is as good as another: a round one is taken. Derived
columns are computed from the others, so a box may hold no case that can be given; then values are
drawn from its cells, by a fixed seed, until one is in it or enough were tried.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded, Numbers, width
from bosco.data.frame import Frame
from bosco.data.readers import Table
from bosco.data.schema import Column
from bosco.policies.ground import Ground, Suspect
from bosco.policies.leaves import members
from bosco.policies.policy import Pair
from bosco.reasons.given import frame_of
from bosco.rules.align import raw_value
from bosco.rules.match import Masks
from bosco.rules.rule import Rule
from bosco.rules.space import Box, Field, above, bits

_TRIED = 512  # cases of a box that may hold none
_DRAWN = 4096  # cases of the whole region, looked at before anything is proved

Values = dict[int, NDArray[np.float64]]
"""Cases by column, as the core has them: numbers, positions of levels, NaN for missing."""


@dataclass(frozen=True, slots=True)
class Found:
    """A case, or two, that break a policy, as one would type them in, and what the model says."""

    cases: tuple[dict[str, Any], ...]
    answers: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Cases, answered: whether a policy speaks of them, what is said, what they have more of."""

    inside: NDArray[np.bool_]
    said: NDArray[Any]
    size: NDArray[np.float64] | None


class Cases:
    """Makes cases of boxes, and asks the model."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.model = ground.model
        self._random = np.random.default_rng(0)
        self._given = [f for f in ground.space.fields if not self._column(f).formula]
        self._round = {f.column: _round_values(f) for f in self._given}

    def _column(self, field: Field) -> Column:
        return self.ground.space.schema.columns[field.column]

    # Of boxes ---------------------------------------------------------------------------------

    def confirm(self, suspect: Suspect) -> Found | bool:
        """A breach in a box; else whether there is a case in it, which then is answered well."""
        first, second = suspect
        n = _TRIED if self.ground.derived else 1
        one = self._within(first, n)
        other = None
        if second is not None:
            other = one | self._within(second, n, one)
        found = self.breach(one, other)
        if found is not None:
            return found
        inside = self._inside(one, first)
        if other is not None and second is not None:
            inside &= self._inside(other, second)
        return bool(inside.any())

    def drawn(self) -> Found | None:
        """A breach among cases drawn from the whole region."""
        region, policy = self.ground.region, self.ground.policy
        one = self._within(region, _DRAWN)
        if not isinstance(policy, Pair):
            return self.breach(one)
        return self.breach(one, one | self._within(region, _DRAWN, one))

    def breach(self, one: Values, other: Values | None = None) -> Found | None:
        """The first of some cases, or pairs of them, that breaks the policy; None: none does."""
        wrong = self.wrong(self.table(one), None if other is None else self.table(other))
        for row in np.flatnonzero(wrong)[:16].tolist():
            cases = [one] if other is None else [one, other]
            found = self.shown(*({j: x[row] for j, x in case.items()} for case in cases))
            if found is not None:
                return found
        return None

    def wrong(self, one: Table, other: Table | None = None) -> NDArray[np.bool_]:
        """Which cases, or pairs of them, are in the region and have forbidden answers."""
        return self.wrong_of(self.look(one), None if other is None else self.look(other))

    def look(self, table: Table) -> Look:
        """What the model says of cases."""
        frame = self.model.read(table)
        inside, policy = self._in_region(frame), self.ground.policy
        size = None
        if isinstance(policy, Pair):
            for j in policy.columns:
                inside &= ~frame.table.column(j).missing()
            size = numbers_of(frame.table.column(policy.columns[0])) if policy.up else None
        return Look(inside, self.places(frame), size)

    def wrong_of(self, one: Look, other: Look | None = None) -> NDArray[np.bool_]:
        """The same of cases that were looked at."""
        policy = self.ground.policy
        if not isinstance(policy, Pair):
            return one.inside & policy.breaks(one.said)
        assert other is not None
        wrong = one.inside & other.inside & policy.breaks(one.said, other.said)
        if one.size is not None and other.size is not None:
            wrong &= one.size < other.size
        return wrong

    def places(self, frame: Frame) -> NDArray[Any]:
        """What the model answers: places of classes, or numbers."""
        said = self.model.predict_frame(frame, -1)
        if self.model.classes is None:
            return said
        found: NDArray[np.intp] = (said[:, None] == self.model.classes[None, :]).argmax(axis=1)
        return found

    def _in_region(self, frame: Frame) -> NDArray[np.bool_]:
        masks = Masks(frame)
        inside = np.ones(frame.n_rows, np.bool_)
        for asked in self.ground.limits:
            holds = np.zeros(frame.n_rows, np.bool_)
            for condition in asked.any_of:
                holds |= masks.rule(Rule(None, (condition,)))
            inside &= holds
        return inside

    def shown(self, *cases: Mapping[int, float]) -> Found | None:
        """Cases as one would type them in, if they break the policy when they are typed in."""
        columns = self.model.schema.given
        typed = []
        for case in cases:
            values = ((column, case.get(j, _any_value(column))) for j, column in enumerate(columns))
            typed.append({c.name: raw_value(c, None if math.isnan(x) else x) for c, x in values})
        frames = [frame_of(self.model, case) for case in typed]
        if not self.wrong(*(frame.given for frame in frames))[0]:
            return None
        answers = tuple(self.model.predict_frame(frame).tolist()[0] for frame in frames)
        return Found(tuple(typed), answers)

    # Values -----------------------------------------------------------------------------------

    def _within(self, box: Box, n: int, less: Values | None = None) -> Values:
        """Values in the cells of a box, round ones at first.

        With `less`, of the columns in which a pair may differ; more than those, if that is asked.
        """
        policy, found = self.ground.policy, {}
        for field in self._given:
            atoms = list(bits(box >> field.shift & field.full))
            pair = isinstance(policy, Pair) and field.column in policy.columns
            if less is not None and not pair:
                continue
            at = self._random.choice(atoms, n)
            at[0] = atoms[0]
            if less is not None and self.ground.ordered is field:
                at = self._above(field, np.array(atoms), less[field.column], at)
            exact = self._round[field.column][at]
            found[field.column] = exact if n == 1 else self._spread(field, at, exact)
        return found

    @staticmethod
    def _above(
        field: Field, atoms: NDArray[np.intp], less: NDArray[np.float64], at: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Atoms above those of some values, where there are any: the next at first, then any."""
        begins = np.searchsorted(atoms, np.searchsorted(field.edges, less), side="right")
        first = atoms[np.minimum(begins, len(atoms) - 1)]
        any_of_them = np.where(at > first, at, first)
        any_of_them[0] = first[0]
        return any_of_them

    def _spread(
        self, field: Field, at: NDArray[np.intp], exact: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Values anywhere in their atoms, where what is derived from them may depend on it."""
        if not (self.ground.derived and field.ordered) or self._column(field).levels is not None:
            return exact
        edges = np.array([-np.inf, *field.edges, np.inf])
        gap = at >= field.known
        low, high = edges[np.where(gap, 0, at)], edges[np.where(gap, 0, at) + 1]
        near = np.where(np.isfinite(exact), exact, 0.0)
        wide = np.maximum(1.0, np.abs(near)) * 10.0 ** self._random.integers(-3, 6, len(at))
        begin = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, near) - wide)
        end = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low, near) + wide)
        drawn = begin + self._random.random(len(at)) * (end - begin)
        drawn = np.where(self._random.random(len(at)) < 0.5, np.rint(drawn), drawn)
        good = (low < drawn) & (drawn <= high) & ~gap & (self._random.random(len(at)) < 0.8)
        good[0] = False
        return np.where(good, drawn, exact)

    def values_of(self, box: Box, column: int) -> list[float]:
        """A value in every cell that a box has of a column, without the missing one."""
        for field in self._given:
            if field.column == column:
                atoms = box >> field.shift & field.values
                return [float(x) for x in self._round[column][list(bits(atoms))]]
        return [_any_value(self.model.schema.columns[column])]

    def table(self, values: Values) -> Table:
        """Cases as a table that the model reads."""
        n = len(next(iter(values.values()))) if values else 1
        columns = []
        for j, column in enumerate(self.model.schema.given):
            x = values.get(j)
            columns.append(_cells(column, np.full(n, _any_value(column)) if x is None else x))
        names = tuple(column.name for column in self.model.schema.given)
        return Table(names, self.model.schema.named, n, tuple(columns))

    def _inside(self, values: Values, box: Box) -> NDArray[np.bool_]:
        """Which cases are in a box, computed columns included."""
        frame = self.model.read(self.table(values))
        inside = np.ones(frame.n_rows, np.bool_)
        for field in self.ground.space.fields:
            atoms = box >> field.shift & field.full
            if atoms == field.full:
                continue
            x = numbers_of(frame.table.column(field.column))
            at = np.searchsorted(field.edges, x) if field.ordered else np.nan_to_num(x).astype(int)
            at = np.where(np.isnan(x), field.known, np.minimum(at, field.known - 1))
            inside &= members(atoms, field.known + 1)[at]
        return inside


def _any_value(column: Column) -> float:
    """A value of a column that nothing is asked of."""
    return 0.0 if column.bounds is None else column.bounds[0]


def _round_values(field: Field) -> NDArray[np.float64]:
    """A value in every atom of a field, a whole number where there is one; NaN is missing."""
    if not field.ordered:
        return np.array([*range(field.known), math.nan])
    found = []
    for atom in range(field.known):
        low = field.edges[atom - 1] if atom else -math.inf
        high = field.edges[atom] if atom < len(field.edges) else field.top
        if high == math.inf:
            found.append(above(low) if atom else 0.0)
        else:
            whole = float(math.floor(high)) if math.isfinite(high) else high
            found.append(whole if whole > low else high)
    return np.array([*found, math.nan])


def _cells(column: Column, x: NDArray[np.float64]) -> Cells:
    if column.levels is None:
        return Numbers(np.ascontiguousarray(x), column.unit)
    codes = (np.nan_to_num(x, nan=-1.0) + 1).astype(width(len(column.levels)))
    return Coded(codes, column.levels, column.unit, column.kind == "ordinal", declared=True)


def numbers_of(cells: Cells) -> NDArray[np.float64]:
    """Cells as the core has them: numbers, positions of levels, NaN for missing."""
    if isinstance(cells, Coded):
        return np.where(cells.codes == 0, np.nan, cells.codes.astype(np.float64) - 1)
    return np.asarray(cells.values, np.float64)
