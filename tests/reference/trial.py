"""A test under trial (§3): where its missing rows go, whether it is feasible, how it scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .data import Cell, Growth, RefTarget, Table, heaviest, total
from .medians import MEDIANS
from .scores import Decrease, decrease, of_several, split_info
from .tree import CUT, MAP, Test

ASIDE = -1
"""In place of a branch: the missing rows take no part in the decrease."""


@dataclass(frozen=True)
class Setting:
    """What is the same for every table of a tree."""

    growth: Growth
    target: RefTarget
    unit: int  # the share of a whole row

    @property
    def criterion(self) -> str:
        said = str(self.growth["criterion"])
        return of_several(said, self.target.outputs) if self.target.sums > 1 else said

    @property
    def policy(self) -> str:
        return str(self.growth["missing"])

    @property
    def two_sided(self) -> bool:
        """Two classes or a real target: levels have one natural order."""
        return self.target.n_classes in (0, 2) and self.target.sums == 1

    @property
    def quantile(self) -> float:
        return float(self.growth.get("quantile", 0.5))

    @property
    def medians(self) -> bool:
        return self.criterion in MEDIANS

    @property
    def measure(self) -> float:
        """What a decrease of 1 is in fixed point."""
        if self.target.n_classes:
            return 1.0
        scale = self.target.scale
        return scale if self.medians or self.criterion.endswith("poisson") else scale * scale

    def total(self, cells: Sequence[Cell]) -> Cell:
        return total(cells, self.target.slots)

    def least_side(self, known: Cell) -> int:
        """C4.5: either side of a threshold has a tenth of the known rows per class, at most 25."""
        if not self.growth["penalty"] or self.target.n_classes == 0:
            return 0
        return min(-(-known.count // (10 * self.target.n_classes)), 25 * self.unit)

    def allows(self, cell: Cell) -> bool:
        """Whether the criterion lets a branch hold this: no mean of counts is 0."""
        return not self.criterion.endswith("poisson") or all(s > 0 for s in cell.tally[1:])

    def enough(self, cell: Cell, least: int = 0) -> bool:
        """Whether a branch may hold this, and be as small."""
        return self.large(cell, least) and self.allows(cell)

    def large(self, cell: Cell, least: int = 0) -> bool:
        """Whether a branch may be as small as this."""
        return (
            cell.weight > 0
            and cell.count >= least
            and cell.count >= self.growth["min_samples_leaf"] * self.unit
            and cell.weight / (self.target.weight_scale * self.unit)
            >= self.growth["min_weight_leaf"]
        )


@dataclass(frozen=True)
class Scored:
    """The outcome of a trial: the branches with the missing rows in place, and the figures."""

    branches: list[Cell]
    place: int
    decrease: Decrease
    within: Decrease  # what decides between tests of one column
    split_info: float
    weight: int  # of the node, all rows

    @property
    def gain_ratio(self) -> float:
        return self.decrease.value / float(self.weight) / self.split_info

    def beats(self, other: Scored | None) -> bool:
        """Whether of two tests of one column this one is better."""
        return other is None or self.within.exceeds(other.within)


@dataclass(frozen=True)
class Proposal:
    """The best test of one column."""

    test: Test
    scored: Scored
    table: Table


def places(setting: Setting, table: Table, known: Sequence[Cell]) -> list[int]:
    """Where the missing rows are tried in a test of two branches, in the order of trying."""
    if not table.missing.weight:
        return [ASIDE]
    if setting.policy == "learn":
        return [1, 0]
    return [fixed_place(setting, known)]


def fixed_place(setting: Setting, known: Sequence[Cell]) -> int:
    """The one place of the missing rows under every policy but ``learn``."""
    if setting.policy == "majority":
        return heaviest(known)
    return len(known) if setting.policy == "branch" else ASIDE


def score(setting: Setting, table: Table, known: Sequence[Cell], place: int) -> Scored:
    """Score the test whose known rows part into ``known``, missing rows in ``place``."""
    branches, missing = list(known), table.missing
    if place == ASIDE:
        weights = [*(b.weight for b in branches), missing.weight]
        found = decrease(branches, table.known, setting.criterion, setting.quantile)
    else:
        if place == len(branches):
            branches.append(missing)
        else:
            branches[place] = branches[place] + missing
        weights = [b.weight for b in branches]
        found = decrease(branches, table.whole, setting.criterion, setting.quantile)
    within = found
    if place == len(known):  # a branch of their own adds the same to every test of the column
        within = decrease(known, table.known, setting.criterion, setting.quantile)
    return Scored(branches, place, found, within, split_info(weights), table.whole.weight)


def try_binary(
    setting: Setting, table: Table, known: Sequence[Cell], place: int, least: int = 0
) -> Scored | None:
    """Score a test of two branches, None if it is not feasible with the missing rows in place."""
    left, right = known
    if place == 0:
        left = left + table.missing
    elif place == 1:
        right = right + table.missing
    if not (setting.enough(left, least) and setting.enough(right, least)):
        return None
    if not table.bounds.allow(left, right):
        return None
    return score(setting, table, known, place)


def place_missing(setting: Setting, table: Table, known: Sequence[Cell]) -> Scored:
    """Score a test chosen on its known rows with the missing rows where they then go."""
    if not table.missing.weight:
        return score(setting, table, known, ASIDE)
    if setting.policy != "learn":
        return score(setting, table, known, fixed_place(setting, known))
    best: Scored | None = None
    for place in range(len(known)):
        if not known[place].weight:
            continue  # no row leads there
        trial = score(setting, table, known, place)
        if trial.beats(best):
            best = trial
    assert best is not None
    return best


def missing_branch(setting: Setting, known: Sequence[Cell], place: int) -> int:
    """The branch a test remembers for missing values, seen at the node or not."""
    if setting.policy == "fractional":
        return -1
    return heaviest(known) if place == ASIDE else place


def cut_proposal(
    setting: Setting,
    table: Table,
    known: Sequence[Cell],
    scored: Scored,
    thresholds: Sequence[float],
) -> Proposal:
    missing = missing_branch(setting, known, scored.place)
    test = Test(CUT, table.index, len(scored.branches), missing, tuple(thresholds))
    return Proposal(test, scored, table)


def map_proposal(
    setting: Setting,
    table: Table,
    branch_of: dict[int, int],
    n_branches: int,
    scored: Scored,
    elsewhere: int | None = None,
) -> Proposal:
    """The test that sends each level to ``branch_of[level]``.

    Levels absent at the node go ``elsewhere``, without it to the branch with the most weight,
    missing rows included. Code 0 in ``branch_of`` says where the missing rows are.
    """
    known = table.parts(branch_of, n_branches)
    place = branch_of.get(0, scored.place)
    if elsewhere is None:
        added = [table.missing if v == place else setting.total([]) for v in range(n_branches)]
        elsewhere = heaviest([a + b for a, b in zip(known, added, strict=True)])
    missing = missing_branch(setting, known, place)
    # A map has an entry for code 0 even where missing values go down every branch.
    first = missing if missing >= 0 else heaviest(known)
    levels = range(1, table.column.n_codes + 1)
    jumps = (first, *(branch_of.get(code, elsewhere) for code in levels))
    branches = n_branches + (scored.place == n_branches)
    return Proposal(Test(MAP, table.index, branches, missing, (), jumps), scored, table)
