"""Deciding on many trees: branch and bound over boxes, by bounds on the sum of what trees say.

Of a box, every tree can say only what the leaves that it reaches say. If the sums of the least and
of the most rule a breach out, the box is done; if they allow nothing else, it is one. Otherwise it
is parted where that takes the highest and the lowest leaf of the widest tree apart. Where every
tree is down to one thing to say, the model itself decides: all cases of such a box are one to it.

Points are whole numbers, and their bounds exact. Shares are added in floating point, so that bounds
have a margin, wider than all rounding of the sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bosco.policies.ground import Ground, Suspect
from bosco.policies.leaves import Alive, Leaves
from bosco.policies.policy import Never, Pair
from bosco.rules.space import Box, Field
from bosco.rules.work import Work
from bosco.tree.conditions import Interval

_BOX = 200  # steps that a box costs, however few leaves it reaches
_LOOKS = 8  # leaves that are looked at in one step


@dataclass(frozen=True, slots=True)
class Side:
    """A box, the leaves that it reaches, and the bounds of each tree for what is compared."""

    box: Box
    alive: Alive
    low: NDArray[np.float64]  # by tree and measure
    high: NDArray[np.float64]

    @property
    def least(self) -> NDArray[np.float64]:
        """The least sum of each measure."""
        total: NDArray[np.float64] = self.low.sum(axis=0)
        return total

    @property
    def most(self) -> NDArray[np.float64]:
        """The largest sum of each measure."""
        total: NDArray[np.float64] = self.high.sum(axis=0)
        return total


class Search:
    """All that may break a policy on a model of many trees."""

    def __init__(self, ground: Ground, leaves: Leaves, work: Work) -> None:
        self.ground = ground
        self.leaves = leaves
        self.work = work
        says = leaves.says
        self._classes = 0 if ground.model.classes is None else len(ground.model.classes)
        self._pairs = list(combinations(range(self._classes), 2))
        # What is compared: leads of classes over others, then what is said itself.
        leads = [says[:, k] - says[:, j] for k, j in self._pairs]
        self._measures = np.column_stack([*leads, *says.T])
        trees = len(leaves.begins)
        exact = self._measures.dtype.kind == "i"
        size = np.abs(self._measures).max(initial=0) * trees
        self._margin = 0.0 if exact else 8 * trees * float(np.finfo(float).eps) * float(size)
        self._asks = leaves.asks(ground.free)

    def suspects(self) -> Iterator[Suspect]:
        """Boxes, or pairs of them, that break the policy, or that only the model can decide.

        OutOfWorkError if it takes more steps than are left.
        """
        region = self.ground.region
        start = self._side(
            region, self.leaves.within(self.leaves.all, self.ground.space.full, region)
        )
        if isinstance(self.ground.policy, Pair):
            yield from self._two(start)
        else:
            yield from self._one(start)

    # One case ---------------------------------------------------------------------------------

    def _one(self, start: Side) -> Iterator[Suspect]:
        policy = self.ground.policy
        assert isinstance(policy, Never)
        stack = [start]
        while stack:
            side = stack.pop()
            may, must = self._breaks(policy, side)
            if not may:
                continue
            parted = None if must else self._widest([side], self._relevant(policy, side))
            if parted is None:
                yield side.box, None
                continue
            _, field, atoms = parted
            halves = [self._part(side, field, part) for part in self._halves(side, field, atoms)]
            stack += sorted(halves, key=lambda half: self._promise(policy, half))

    def _breaks(self, policy: Never, side: Side) -> tuple[bool, bool]:
        """Whether some case of a box may break a policy, and whether all must."""
        if isinstance(policy.wrong, Interval):
            least = float(side.least[0]) - self._margin
            most = float(side.most[0]) + self._margin
            low, high = policy.wrong.low, policy.wrong.high
            may = (low is None or most > low) and (high is None or least <= high)
            must = (low is None or least > low) and (high is None or most <= high)
            return may, must
        possible = self._possible(side)
        return bool(possible & policy.wrong), possible <= policy.wrong

    def _possible(self, side: Side) -> frozenset[int]:
        """The classes that may win; ties count for both."""
        beaten = set()
        least, most = side.least, side.most
        for p, (k, j) in enumerate(self._pairs):
            if most[p] < -self._margin:
                beaten.add(k)
            if least[p] > self._margin:
                beaten.add(j)
        return frozenset(range(self._classes)) - beaten

    def _relevant(self, policy: Never, side: Side) -> list[int]:
        """The measures whose bounds keep a box open."""
        if isinstance(policy.wrong, Interval):
            return [0]
        possible = self._possible(side)
        return [
            p
            for p, (k, j) in enumerate(self._pairs)
            if k in possible and j in possible and (k in policy.wrong) != (j in policy.wrong)
        ]

    def _promise(self, policy: Never, side: Side) -> float:
        """How likely a box breaks a policy; the last that is put aside is looked at first."""
        middle = (side.least + side.most) / 2
        if isinstance(policy.wrong, Interval):
            aim = [x for x in (policy.wrong.low, policy.wrong.high) if x is not None]
            return -abs(float(middle[0]) - aim[0]) if aim else 0.0
        return max(
            min(
                (
                    float(middle[p]) * (1 if a == k else -1)
                    for p, (a, b) in enumerate(self._pairs)
                    if k in (a, b)
                ),
                default=0.0,
            )
            for k in policy.wrong
        )

    # Two cases --------------------------------------------------------------------------------

    def _two(self, start: Side) -> Iterator[Suspect]:
        policy = self.ground.policy
        assert isinstance(policy, Pair)
        stack = [(start, start)]
        while stack:
            ordered = self._ordered(*stack.pop())
            if ordered is None:
                continue
            one, other = ordered
            may, must, relevant = self._differ(policy, one, other)
            if not may:
                continue
            parted = None if must else self._widest([one, other], relevant)
            if parted is None:
                yield one.box, other.box
                continue
            which, field, atoms = parted
            sides = [one, other]
            for part in self._halves(sides[which], field, atoms):
                if field.mask & self.ground.free:  # each case has its own
                    sides[which] = self._part([one, other][which], field, part)
                else:
                    sides = [self._part(side, field, part) for side in (one, other)]
                stack.append((sides[0], sides[1]))

    def _ordered(self, one: Side, other: Side) -> tuple[Side, Side] | None:
        boxes = self.ground.in_order(one.box, other.box)
        if boxes is None:
            return None
        return self._shrunk(one, boxes[0]), self._shrunk(other, boxes[1])

    def _differ(self, policy: Pair, one: Side, other: Side) -> tuple[bool, bool, list[int]]:
        """Whether two cases of two boxes may break a policy, whether all must, and by what."""
        moved = self._moved(one, other)
        low = np.where(moved[:, None], other.low - one.high, 0)
        high = np.where(moved[:, None], other.high - one.low, 0)
        least, most = low.sum(axis=0), high.sum(axis=0)
        if isinstance(policy.wrong, str):
            # A sum in floating point does not fall where no part of it does.
            falls = bool((low[:, 0] < 0).any() and least[0] < self._margin)
            rises = bool((high[:, 0] > 0).any() and most[0] > -self._margin)
            must_fall = bool(most[0] < -self._margin)
            must_rise = bool(least[0] > self._margin)
            if policy.wrong == "falls":
                return falls, must_fall, [0]
            if policy.wrong == "rises":
                return rises, must_rise, [0]
            return falls or rises, must_fall or must_rise, [0]
        first, second = self._possible(one), self._possible(other)
        open_pairs = [(k, j) for k, j in policy.wrong if k in first and j in second]
        relevant = []
        for k, j in open_pairs:
            p, sign = (self._pairs.index((k, j)), 1) if k < j else (self._pairs.index((j, k)), -1)
            # The lead of k over j is 0 or more at first, and falls to 0 or less.
            leads = (one.least[p], one.most[p]) if sign > 0 else (-one.most[p], -one.least[p])
            fall = least[p] if sign > 0 else -most[p]
            if max(leads[0], 0) <= min(leads[1], -fall) + 2 * self._margin:
                relevant.append(p)
        must = all((k, j) in policy.wrong for k in first for j in second)
        return bool(relevant), must, relevant

    def _moved(self, one: Side, other: Side) -> NDArray[np.bool_]:
        """The trees that may give two cases of two boxes to different leaves."""
        asked = [
            np.logical_or.reduceat(self._asks[side.alive], self.leaves.starts(side.alive))
            for side in (one, other)
        ]
        found: NDArray[np.bool_] = asked[0] | asked[1]
        return found

    # Boxes ------------------------------------------------------------------------------------

    def _side(self, box: Box, alive: Alive) -> Side:
        self.work.need(_BOX + alive.size * self._measures.shape[1] // _LOOKS)
        measures, starts = self._measures[alive], self.leaves.starts(alive)
        low = np.minimum.reduceat(measures, starts, axis=0)
        high = np.maximum.reduceat(measures, starts, axis=0)
        return Side(box, alive, low, high)

    def _shrunk(self, side: Side, box: Box) -> Side:
        if box == side.box:
            return side
        return self._side(box, self.leaves.within(side.alive, side.box, box))

    def _part(self, side: Side, field: Field, atoms: int) -> Side:
        """The part of a box that has some atoms of a field."""
        return self._shrunk(side, side.box & (~field.mask | atoms << field.shift))

    @staticmethod
    def _halves(side: Side, field: Field, atoms: int) -> list[int]:
        inside = side.box >> field.shift & field.full
        return [atoms, inside & ~atoms]

    def _widest(self, sides: list[Side], relevant: list[int]) -> tuple[int, Field, int] | None:
        """Where to part: which side, a field, and atoms of it; None: nothing is left to part.

        What is relevant is taken apart first, then all that trees say.
        """
        everything = list(range(self._measures.shape[1]))
        for measures in (relevant, everything):
            gaps = [(side.high - side.low)[:, measures] for side in sides]
            widest = [float(gap.max(initial=0)) for gap in gaps]
            which = int(np.argmax(widest))
            if widest[which] <= 0:
                continue
            tree, p = np.unravel_index(int(gaps[which].argmax()), gaps[which].shape)
            side = sides[which]
            starts = np.append(self.leaves.starts(side.alive), side.alive.size)
            alive = side.alive[starts[tree] : starts[tree + 1]]
            said = self._measures[alive, measures[int(p)]]
            one, other = int(alive[said.argmax()]), int(alive[said.argmin()])
            field, atoms = self.leaves.apart(one, other, side.box)
            return which, field, atoms
        return None
