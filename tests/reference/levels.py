"""Tests on nominal columns (§3): one_vs_rest, subset, group, multiway."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from .cuts import Grouping, best_number, judged, known_decrease, optimal_runs
from .data import Cell, Table
from .medians import best, prices
from .scores import Decrease, purity
from .trial import (
    Proposal,
    Scored,
    Setting,
    map_proposal,
    place_missing,
    places,
    try_binary,
)

MAX_BIPARTED = 10  # levels up to which all bipartitions are tried
MAX_PARTITIONED = 7  # levels up to which all partitions are tried
MAX_MERGED = 64  # groups up to which any two may merge


def propose_one_vs_rest(setting: Setting, table: Table) -> Proposal | None:
    best: Scored | None = None
    alone = 0
    for code, cell in zip(table.codes, table.cells, strict=True):
        known = [cell, table.known - cell]
        for place in places(setting, table, known):
            scored = try_binary(setting, table, known, place)
            if scored and scored.beats(best):
                best, alone = scored, code
    if setting.policy == "learn" and table.missing.weight:  # the missing rows against all levels
        scored = try_binary(setting, table, [setting.total([]), table.known], 0)
        if scored and scored.beats(best):
            best, alone = scored, 0
    if best is None:
        return None
    branch_of = {code: int(code != alone) for code in table.codes}
    return map_proposal(setting, table, branch_of, 2, best, elsewhere=1)


def propose_multiway(setting: Setting, table: Table) -> Proposal | None:
    present = dict(zip(table.codes, table.cells, strict=True))
    levels = range(1, table.column.n_codes + 1)
    known = [present.get(code, setting.total([])) for code in levels]
    if not table.codes:
        return None
    scored = place_missing(setting, table, known)
    here = scored.branches[: len(known)] if setting.policy == "majority" else known
    if sum(setting.enough(cell) for cell in here) < 2:
        return None
    if not all(setting.allows(cell) for cell in here if cell.weight):
        return None
    branch_of = {code: code - 1 for code in levels}
    return map_proposal(setting, table, branch_of, len(known), scored)


# Subset ------------------------------------------------------------------------------------------


def ordered(cells: Sequence[Cell], slot: int) -> list[int]:
    """The positions of cells by ascending share of a class (or mean), of equals by code."""
    shares = [Fraction(cell.tally[slot], cell.weight) for cell in cells]
    return sorted(range(len(cells)), key=lambda i: (shares[i], i))


def by_median(setting: Setting, cells: Sequence[Cell]) -> list[int]:
    """The positions of cells by what a leaf of each would say, of equals by code."""
    above, below, _ = prices(setting.criterion, setting.quantile)
    says = [best(cell, above, below)[1] for cell in cells]
    return sorted(range(len(cells)), key=lambda i: (says[i], i))


def propose_subset(setting: Setting, table: Table) -> Proposal | None:
    levels = table
    if setting.policy == "learn" and table.missing.weight:  # missing is one more level
        levels = replace(
            table,
            codes=[0, *table.codes],
            cells=[table.missing, *table.cells],
            missing=setting.total([]),
            known=table.whole,
        )
    n = len(levels.codes)
    if setting.two_sided:
        order = by_median(setting, levels.cells) if setting.medians else ordered(levels.cells, 1)
        found = best_side(setting, levels, prefixes(order))
    elif n <= MAX_BIPARTED:
        masks = range(1, 1 << max(n - 1, 0))
        halves = ([i for i in range(n) if mask >> i & 1] for mask in masks)
        found = best_side(setting, levels, halves)
    else:
        slots = range(1 if setting.target.sums > 1 else 0, setting.target.slots)
        sides = (side for c in slots for side in prefixes(ordered(levels.cells, c)))
        found = move_levels(setting, levels, best_side(setting, levels, sides))
    if found is None:
        return None
    side, scored = found
    branch_of = {code: int(i not in side) for i, code in enumerate(levels.codes)}
    return map_proposal(setting, table, branch_of, 2, scored)


Side = tuple[frozenset[int], Scored]


def prefixes(order: Sequence[int]) -> Iterator[Sequence[int]]:
    return (order[:k] for k in range(1, len(order)))


def best_side(setting: Setting, table: Table, sides: Iterable[Sequence[int]]) -> Side | None:
    """Of sets of positions for branch 0 the first with the largest decrease."""
    best: Side | None = None
    for side in sides:
        left = setting.total([table.cells[i] for i in side])
        known = [left, table.known - left]
        # Here `learn` has nothing left to place: its missing rows are a level.
        (place,) = places(setting, table, known)
        scored = try_binary(setting, table, known, place)
        if scored and scored.beats(best and best[1]):
            best = frozenset(side), scored
    return best


def move_levels(setting: Setting, table: Table, found: Side | None) -> Side | None:
    """Move single levels across while that strictly helps."""
    while found is not None:
        moved = [sorted(found[0] ^ {i}) for i in range(len(table.cells))]
        step = best_side(setting, table, moved)
        if step is None or not step[1].beats(found[1]):
            break
        found = step
    return found


# Group -------------------------------------------------------------------------------------------


def propose_group(setting: Setting, table: Table) -> Proposal | None:
    if setting.two_sided:
        order = ordered(table.cells, 1)
        runs = optimal_runs(setting, [table.cells[i] for i in order], judged(setting, table))
        groupings = [[[order[i] for i in run] for run in grouping] for grouping in runs]
    elif len(table.codes) <= MAX_PARTITIONED:
        groupings = best_partitions(setting, table)
    else:
        groupings = merged_groups(setting, table)
    found = best_number(setting, table, groupings)
    if found is None:
        return None
    grouping, known, scored = found
    branch_of = {table.codes[i]: v for v, group in enumerate(grouping) for i in group}
    return map_proposal(setting, table, branch_of, len(known), scored)


def partitions(n: int, most: int) -> Iterator[Grouping]:
    """All partitions of 0..n-1 into 2 to ``most`` groups, by restricted growth string."""

    def extend(grouping: Grouping, i: int) -> Iterator[Grouping]:
        if i == n:
            if len(grouping) > 1:
                yield [list(group) for group in grouping]
            return
        for g in range(min(len(grouping) + 1, most)):
            longer = [list(group) for group in grouping]
            if g == len(longer):
                longer.append([])
            longer[g].append(i)
            yield from extend(longer, i + 1)

    return extend([], 0)


def best_partitions(setting: Setting, table: Table) -> list[Grouping]:
    """For each number of groups the first partition with the largest decrease."""
    best: dict[int, tuple[Decrease, Grouping]] = {}
    for grouping in partitions(len(table.codes), setting.growth["max_branches"]):
        found = known_decrease(setting, table, grouping)
        size = len(grouping)
        if found and (size not in best or found.exceeds(best[size][0])):
            best[size] = found, grouping
    return [best[size][1] for size in sorted(best)]


def merged_groups(setting: Setting, table: Table) -> list[Grouping]:
    """The stages of merging levels pair by pair, each time the pair that loses least purity."""
    groups: Grouping = [[i] for i in range(len(table.cells))]
    if len(groups) > MAX_MERGED:
        groups = merged_neighbours(setting, table)
    stages: list[Grouping] = []
    while True:
        if len(groups) <= setting.growth["max_branches"] and known_decrease(setting, table, groups):
            stages.insert(0, [list(group) for group in groups])
        if len(groups) == 2:
            return stages
        pairs = [(a, b) for b in range(len(groups)) for a in range(b)]
        a, b = min(pairs, key=lambda ab: (-merging(setting, table, groups, *ab), ab))
        groups[a] = sorted(groups[a] + groups.pop(b))


def merging(setting: Setting, table: Table, groups: Grouping, a: int, b: int) -> float:
    """What merging two groups adds to the decrease (never more than 0 but for rounding)."""
    one, two = (setting.total([table.cells[i] for i in groups[g]]) for g in (a, b))
    whole = table.whole
    joined = purity(one + two, setting.criterion, whole)
    return joined - purity(one, setting.criterion, whole) - purity(two, setting.criterion, whole)


def merged_neighbours(setting: Setting, table: Table) -> Grouping:
    """Many levels, put in order and merged with their neighbours until few groups are left."""

    def place(i: int) -> tuple[int, Fraction, int]:
        tally = table.cells[i].tally
        if setting.target.sums > 1:
            return 1, Fraction(tally[1], table.cells[i].weight), i
        most = max(range(len(tally)), key=lambda c: (tally[c], c))
        return most, Fraction(tally[most], table.cells[i].weight), i

    groups: Grouping = [[i] for i in sorted(range(len(table.cells)), key=place)]
    while len(groups) > MAX_MERGED:
        gains = [merging(setting, table, groups, a, a + 1) for a in range(len(groups) - 1)]
        a = gains.index(max(gains))
        groups[a] += groups.pop(a + 1)
    return sorted(sorted(group) for group in groups)


def propose_sides(setting: Setting, table: Table, sides: dict[int, int]) -> Proposal | None:
    """The given test of two branches, the missing rows on the better side under ``learn``."""
    known = table.parts(sides, 2)
    best: Scored | None = None
    for place in places(setting, table, known):
        scored = try_binary(setting, table, known, place)
        if scored and scored.beats(best):
            best = scored
    return None if best is None else map_proposal(setting, table, sides, 2, best)
