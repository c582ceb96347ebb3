"""Surrogates (§3): tests on other columns that agree most with a test of two branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from .cuts import threshold_between
from .data import Growth, RefColumn, RefTarget, Rows
from .tree import CUT, MAP, Test

MAX_SURROGATES = 5


@dataclass(frozen=True)
class Surrogate:
    test: Test
    agreement: Fraction


def find_surrogates(
    test: Test, columns: Sequence[RefColumn], target: RefTarget, rows: Rows, growth: Growth
) -> list[Test]:
    """The best stand-ins for ``test``, in order of use."""
    if test.branches != 2:
        return []
    found = []
    for index, column in enumerate(columns):
        if index != test.column:
            table = against(test, columns[test.column], column, target, rows)
            if column.nominal:
                agreed, stand_in = agreeing_levels(test, index, column, table)
            else:
                agreed, stand_in = agreeing_cut(test, index, column, table, growth["threshold"])
            by_majority = sum(weights[test.missing] for weights in table.values())
            if stand_in is not None and agreed > by_majority:
                known = sum(sum(weights) for weights in table.values())
                found.append(Surrogate(stand_in, Fraction(agreed, known)))
    found.sort(key=lambda s: (-s.agreement, s.test.column))
    return [s.test for s in found[:MAX_SURROGATES]]


Branches = dict[int, list[int]]
"""By code of a column: the weights of its rows in the two branches of the primary test."""


def against(
    test: Test, primary: RefColumn, column: RefColumn, target: RefTarget, rows: Rows
) -> Branches:
    table: Branches = {}
    for row, _ in rows:
        branch, code = test.branch(primary, row), column.codes[row]
        if branch is not None and code:
            table.setdefault(code, [0, 0])[branch] += int(target.weight[row])
    return dict(sorted(table.items()))


def agreeing_cut(
    test: Test, index: int, column: RefColumn, table: Branches, rule: str
) -> tuple[int, Test | None]:
    codes = list(table)
    sums = [sum(weights[v] for weights in table.values()) for v in (0, 1)]
    low = [0, 0]
    best, found = 0, None
    for a, b in pairwise(codes):
        low = [low[v] + table[a][v] for v in (0, 1)]
        agreeing = (low[0] + sums[1] - low[1], low[1] + sums[0] - low[0])
        for flip in (False, True):
            if agreeing[flip] > best:
                t = threshold_between(column.values[a - 1], column.values[b - 1], rule)
                best = agreeing[flip]
                found = Test(CUT, index, 2, test.missing, (t,), (), flip)
    return best, found


def agreeing_levels(
    test: Test, index: int, column: RefColumn, table: Branches
) -> tuple[int, Test | None]:
    if not table:
        return 0, None
    jumps = [test.missing] * (column.n_codes + 1)
    for code, weights in table.items():
        jumps[code] = int(weights[1] > weights[0])
    agreed = sum(max(weights) for weights in table.values())
    return agreed, Test(MAP, index, 2, test.missing, (), tuple(jumps))
