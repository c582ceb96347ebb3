"""Tests on numeric and ordinal columns (§3): thresholds and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from .data import Cell, Table
from .scores import Decrease, decrease, purity
from .trial import (
    Proposal,
    Scored,
    Setting,
    cut_proposal,
    place_missing,
    places,
    try_binary,
)

MAX_BLOCKS = 512
_EXACT = Context(prec=2000)  # enough digits for the difference of any two doubles


def threshold_between(a: float, b: float, rule: str) -> float:
    """The threshold that parts the neighbouring values a < b."""
    if rule == "observed":
        return a
    if rule == "round":
        return shortest_between(a, b)
    middle = a / 2 + b / 2
    return middle if a <= middle < b else a


def shortest_between(a: float, b: float) -> float:
    """The decimal with the fewest significant digits in [a, b), nearest the midpoint, then lower.

    An infinite gap has no finite midpoint and gives a.
    """
    if math.isinf(a) or math.isinf(b):
        return a
    if a <= 0 < b:
        return 0.0
    middle = Decimal(threshold_between(a, b, "midpoint"))  # exactly the double's value
    for digits in range(1, 18):
        around = {
            Context(prec=digits, rounding=rounding).plus(middle)
            for rounding in (ROUND_FLOOR, ROUND_CEILING)
        }
        fitting = [x for x in around if a <= float(x) < b]
        if fitting:
            return float(min(fitting, key=lambda x: (abs(_EXACT.subtract(x, middle)), x)))
    return a


def propose_threshold(setting: Setting, table: Table) -> Proposal | None:
    """The best cut between neighbouring codes; under ``learn`` also known against missing.

    Every cut is scored: that boundary points suffice is for the core to prove.
    """
    best: tuple[Scored, list[Cell], int] | None = None
    nothing = setting.total([])
    left = nothing
    least = setting.least_side(table.known)
    for i, cell in enumerate(table.cells):
        left = left + cell
        known = [left, table.known - left]
        if i < len(table.cells) - 1:
            tried = places(setting, table, known)
        else:  # the cut x ≤ +∞
            tried = [1] if setting.policy == "learn" and table.missing.weight else []
        for place in tried:
            scored = try_binary(setting, table, known, place, least)
            if scored and scored.beats(best and best[0]):
                best = scored, known, i
    if best is None:
        return None
    scored, known, i = best
    if i == len(table.cells) - 1:
        return cut_proposal(setting, table, known, scored, [math.inf])
    threshold = threshold_between(table.value(i), table.value(i + 1), setting.growth["threshold"])
    return cut_proposal(setting, table, known, scored, [threshold])


def propose_intervals(setting: Setting, table: Table) -> Proposal | None:
    found = best_number(setting, table, optimal_runs(setting, table.cells, judged(setting, table)))
    if found is None:
        return None
    groups, known, scored = found
    rule = setting.growth["threshold"]
    thresholds = [
        threshold_between(table.value(run[-1]), table.value(run[-1] + 1), rule)
        for run in groups[:-1]
    ]
    return cut_proposal(setting, table, known, scored, thresholds)


def judged(setting: Setting, table: Table) -> Cell:
    """The rows that a trial sees: all of a node, or the known ones where others stand apart."""
    apart = setting.policy in ("branch", "fractional", "surrogate")
    return table.known if apart else table.whole


Grouping = list[list[int]]
"""A partition of a table's cells, as the lists of their positions."""


def best_number(
    setting: Setting, table: Table, groupings: Sequence[Grouping]
) -> tuple[Grouping, list[Cell], Scored] | None:
    """Of groupings by ascending number of groups the best, missing rows in place."""
    best: tuple[Grouping, list[Cell], Scored] | None = None
    for grouping in groupings:
        known = [setting.total([table.cells[i] for i in group]) for group in grouping]
        scored = place_missing(setting, table, known)
        if best is None or more_useful(setting, scored, best[2]):
            best = grouping, known, scored
    return best


def more_useful(setting: Setting, a: Scored, b: Scored) -> bool:
    if setting.growth["score"] == "gain":
        return a.decrease.exceeds(b.decrease)
    return a.gain_ratio > b.gain_ratio


def known_decrease(setting: Setting, table: Table, grouping: Grouping) -> Decrease | None:
    """The decrease of a grouping over the known rows, None if a group is too small."""
    known = [setting.total([table.cells[i] for i in group]) for group in grouping]
    if not all(setting.enough(cell) for cell in known):
        return None
    return decrease(known, table.known, setting.criterion)


def blocks_of(setting: Setting, cells: Sequence[Cell]) -> Grouping:
    """Runs of neighbouring cells that no useful cut parts: those pure in the same class."""
    blocks: Grouping = []
    for i, cell in enumerate(cells):
        if blocks and setting.target.n_classes:
            both = cells[i - 1] + cell
            if max(both.tally) == both.weight:
                blocks[-1].append(i)
                continue
        blocks.append([i])
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    joined: Grouping = [[] for _ in range(MAX_BLOCKS)]
    for i, block in enumerate(blocks):
        joined[i * MAX_BLOCKS // len(blocks)] += block
    return joined


def optimal_runs(setting: Setting, cells: Sequence[Cell], of: Cell) -> list[Grouping]:
    """For 2, 3, … max_branches the best parting of the cells into runs, where there is one.

    ``reach[k][j]`` is the largest purity of the first j blocks in k runs, and ``last[k][j]``
    the lowest start of the last of these runs. `of`: the rows that they are judged among.
    """
    blocks = blocks_of(setting, cells)
    n = len(blocks)
    most = min(setting.growth["max_branches"], n)
    worth: dict[tuple[int, int], float] = {}
    for i in range(n):
        run = setting.total([])
        for j in range(i, n):
            run = run + setting.total([cells[c] for c in blocks[j]])
            if setting.enough(run):
                worth[i, j + 1] = purity(run, setting.criterion, of)
    reach: list[dict[int, float]] = [{0: 0.0}]
    last: list[dict[int, int]] = [{}]
    for k in range(1, most + 1):
        reach.append({})
        last.append({})
        for j in range(k, n + 1):
            for i in range(k - 1, j):
                if i in reach[k - 1] and (i, j) in worth:
                    sum_ = reach[k - 1][i] + worth[i, j]
                    if j not in reach[k] or sum_ > reach[k][j]:
                        reach[k][j], last[k][j] = sum_, i
    groupings = []
    for k in range(2, most + 1):
        if n not in reach[k]:
            continue
        grouping: Grouping = []
        end = n
        for runs in range(k, 0, -1):
            start = last[runs][end]
            grouping.insert(0, [c for block in blocks[start:end] for c in block])
            end = start
        groupings.append(grouping)
    return groupings
