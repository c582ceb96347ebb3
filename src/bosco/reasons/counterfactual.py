"""The smallest change of a case that would alter the decision.

The tree is searched from the root, always going on with the part of it that is cheapest to reach:
first by the number of columns that must change, then by how far. What a part costs never falls on
the way down, so the first leaf found with another answer is the nearest there is.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any

from bosco.base.dates import MOMENTS
from bosco.data.schema import Column
from bosco.errors import ParameterError, did_you_mean
from bosco.rules.extract import Walk, conditions_of
from bosco.rules.space import Box, Field, Space
from bosco.tree.conditions import Condition, Interval

if TYPE_CHECKING:
    from bosco.models.model import Model

Case = Mapping[int, float | None]
"""A case as the core has it, by column: numbers, positions of levels, None for missing."""

_FAR = 1e300  # further than any number, and still one: infinities may have to move


@dataclass(frozen=True, slots=True)
class Change:
    """Values to change and what the model says then.

    Attributes
    ----------
    values : dict
        New values by column name.
    prediction : object
        What the model predicts with them.
    distance : float
        The sum over the columns changed of how far each moves. A number moves by its difference
        divided by the distance between the tree's smallest and largest threshold on the column (by
        the threshold itself if there is one, by 1 if that is 0); a level of an order by the steps
        as a share of all; any other level, and a value that was missing, by 1.
    """

    values: dict[str, Any]
    prediction: Any
    distance: float


def tied(model: "Model") -> set[int]:
    """The columns that cannot change alone: derived ones that are asked for, and their sources."""
    schema = model.schema
    derived = [j for j in model.tree.columns_asked.tolist() if schema.columns[j].formula]
    return {*derived, *schema.behind(derived)}


def smallest_change(
    model: "Model", case: Case, allow: Any, wanted: Callable[[Any], bool]
) -> tuple[dict[int, float], Any, float] | None:
    """The cheapest values that lead to a wanted answer: (by column, answer, distance); or None."""
    columns = model.schema.columns
    may = _allowed(columns, allow)
    for j in tied(model) & may.keys():
        if allow is not None:
            raise ParameterError(
                f"allow names the column {columns[j].name!r}, which others are derived from, or "
                f"which is derived itself: it does not change alone. Hint: leave it out, and try "
                f"changed cases with explain."
            )
        del may[j]
    asked = list(conditions_of(model.tree))
    missing = not model.growth.on_missing.refused
    space = Space(model.schema, [*asked, *_own(columns, case, may, asked)], missing=missing)
    region, at = _region(space, case, may)
    by_class, votes, decision = model.classes is not None, model.decided, model.decision
    walk = Walk(model.tree, space, by_class=by_class, votes=votes, decision=decision)
    costs = _Costs(space, case, at, _scales(columns, asked))
    order = count()  # of equals the one found first
    heap = [((0, 0.0), next(order), walk.start(region))]
    while heap:
        (_, distance), _, way = heappop(heap)
        if not walk.ended(way):
            for step in walk.steps(way):
                price = costs.of(step.box)
                if price[1] < math.inf:
                    heappush(heap, (price, next(order), step))
            continue
        if model.classes is None:
            answer: Any = float(walk.value(way)[0])
        else:
            answer = model.classes.tolist()[walk.answer(way)]
        if wanted(answer):
            return costs.values(way.box), answer, distance
    return None


# What may change ---------------------------------------------------------------------------------


def _allowed(columns: Sequence[Column], allow: Any) -> dict[int, Any]:
    """For each column that may change: "any", "up", "down", a range or a list of levels."""
    names = [column.name for column in columns]
    if allow is None:
        return dict.fromkeys(range(len(columns)), "any")
    if isinstance(allow, str):
        allow = [allow]
    given = allow if isinstance(allow, Mapping) else dict.fromkeys(allow, "any")
    found = {}
    for name, how in given.items():
        if name not in names:
            raise ParameterError(
                f"allow names the column {name!r}, which there is not.{did_you_mean(name, names)}"
            )
        j = names.index(name)
        found[j] = _direction(columns[j], how)
    return found


def _direction(column: Column, how: Any) -> Any:
    words = ("any",) if column.kind == "nominal" else ("any", "up", "down")
    if isinstance(how, str):
        if how in words:
            return how
    elif column.levels is not None and isinstance(how, Iterable):
        levels = list(how)
        for level in levels:
            if level not in column.levels:
                raise ParameterError(
                    f"allow[{column.name!r}] names {level!r}, which is none of the column's levels."
                    + did_you_mean(level, column.levels)
                )
        return [column.levels.index(level) for level in levels]
    elif isinstance(how, Sequence) and len(how) == 2 and float(how[0]) <= float(how[1]):
        return float(how[0]), float(how[1])
    other = "a list of levels" if column.levels is not None else "a pair (lowest, highest)"
    raise ParameterError(
        f"allow[{column.name!r}] must be {' or '.join(map(repr, words))}, or {other}. Got {how!r}."
    )


def _own(
    columns: Sequence[Column], case: Case, may: Mapping[int, Any], asked: Sequence[Condition]
) -> Iterable[Condition]:
    """Conditions that make the case's own numbers, and the ends of ranges, atoms of the space."""
    for j in sorted({condition.column for condition in asked}):
        x, how, levels = case[j], may.get(j), columns[j].levels
        if columns[j].kind == "ordinal":
            yield from (Interval(j, None, float(i), False) for i in range(len(levels or ())))
        elif columns[j].kind == "numeric":
            if x is not None:
                yield _between(j, x, x)
            if isinstance(how, tuple):
                yield _between(j, *how)


def _between(j: int, low: float, high: float) -> Interval:
    """Both ends included."""
    below = math.nextafter(low, -math.inf) if low > -math.inf else None
    return Interval(j, below, high, False)


def _region(space: Space, case: Case, may: Mapping[int, Any]) -> tuple[Box, dict[int, int]]:
    """The cases that may be reached, and the atom (unshifted) of each field that the case is in."""
    region, at = 0, {}
    for field in space.fields:
        j = field.column
        x = case[j]
        own = field.gap
        if x is not None:
            own = 1 << (bisect_left(field.edges, x) if field.ordered else int(x))
        atoms, how = 0, may.get(j)
        if how == "any" or (own == field.gap and how in ("up", "down")):
            atoms = field.values
        elif how == "up":
            atoms = field.values & ~(own - 1)
        elif how == "down":
            atoms = field.values & (2 * own - 1)
        elif isinstance(how, list):
            for position in how:
                atoms |= 1 << position
        elif isinstance(how, tuple):
            atoms = space.box([_between(j, *how)]) >> field.shift & field.values
        region |= (atoms | own) << field.shift
        at[field.shift] = own
    return region, at


# What a change costs -----------------------------------------------------------------------------


def _scales(columns: Sequence[Column], asked: Iterable[Condition]) -> dict[int, float]:
    """By column, what a move is divided by; see `Change.distance`."""
    cuts: dict[int, list[float]] = {}
    for c in asked:
        bounds = (c.low, c.high) if isinstance(c, Interval) else ()
        finite = [x for x in bounds if x is not None and math.isfinite(x)]
        cuts.setdefault(c.column, []).extend(finite)
    scales = {}
    for j, found in cuts.items():
        levels = columns[j].levels
        span = max(found) - min(found) if found else 0.0
        one = abs(found[0]) if found else 0.0
        scales[j] = float(max(1, len(levels) - 1)) if levels is not None else span or one or 1.0
    return scales


class _Costs:
    """How far the boxes of a space are from one case."""

    def __init__(
        self, space: Space, case: Case, at: Mapping[int, int], scales: Mapping[int, float]
    ) -> None:
        self.space = space
        self.case = case
        self._at = at
        self._scales = scales
        self._own: Box = sum(atom << shift for shift, atom in at.items())
        self._seen: dict[tuple[int, int], tuple[float, float]] = {}

    def of(self, box: Box) -> tuple[int, float]:
        """How many columns must change to be in a box, and how far in all."""
        changed = [self._move(field, box) for field in self._outside(box)]
        return len(changed), math.fsum(distance for _, distance in changed)

    def values(self, box: Box) -> dict[int, float]:
        """The values to change, by column."""
        return {field.column: self._move(field, box)[0] for field in self._outside(box)}

    def _outside(self, box: Box) -> Iterable[Field]:
        return self.space.fields_of(self.space.empty_fields(box & self._own))

    def _move(self, field: Field, box: Box) -> tuple[float, float]:
        """The nearest value of a field's set, and its distance."""
        atoms = box >> field.shift & field.values
        key = (field.shift, atoms)
        if key not in self._seen:
            self._seen[key] = self._nearest(field, atoms)
        return self._seen[key]

    def _nearest(self, field: Field, atoms: int) -> tuple[float, float]:
        x, own = self.case[field.column], self._at[field.shift]
        lowest = (atoms & -atoms).bit_length() - 1
        if not field.ordered:
            return float(lowest), 1.0
        if x is None:
            while atoms and math.isnan(value := self._inside(field, lowest, last=True)):
                atoms &= atoms - 1  # no clock shows a time there: the next
                lowest = (atoms & -atoms).bit_length() - 1
            return (value, 1.0) if atoms else (math.nan, math.inf)
        choices = []
        if below := atoms & (own - 1):
            choices.append(self._inside(field, below.bit_length() - 1, last=True))
        if above := atoms & ~(2 * own - 1):
            choices.append(self._inside(field, (above & -above).bit_length() - 1, last=False))
        choices = [value for value in choices if not math.isnan(value)]
        if not choices:
            return math.nan, math.inf
        best = min(choices, key=lambda value: abs(value - x))
        return best, min(abs(best - x) / self._scales[field.column], _FAR)

    def _inside(self, field: Field, atom: int, *, last: bool) -> float:
        """The last or the first value of an atom; NaN if a clock has none there."""
        low = field.edges[atom - 1] if atom else -math.inf
        high = field.edges[atom] if atom < len(field.edges) else math.inf
        if low == -math.inf and high == math.inf:
            return 0.0
        last = (last and high < math.inf) or low == -math.inf
        column = self.space.schema.columns[field.column]
        if column.levels is None and column.unit not in MOMENTS:
            return high if last else math.nextafter(low, math.inf)
        value = float(math.floor(high) if last else math.floor(low) + 1)  # whole steps
        return value if low < value <= high else math.nan
