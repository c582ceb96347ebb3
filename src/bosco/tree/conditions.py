"""The branches of a test as values: what each asks of a column.

A branch is said by a *condition*, `Interval` or `Members`, which renderers put into words and rules
combine. Native tests are read into conditions here and nowhere else.
"""

from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from bosco import _core

CUT = 1
MAP = 2
BY_SHARE = -1
"""The missing branch of a test that sends missing values down all branches, in shares."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A branch of an ordered column: ``low < x <= high``, None for no bound.

    Parameters
    ----------
    column : int
        Number of the column.
    low, high : float or None
        The bounds. Both None: every known value.
    missing : bool
        Whether missing values belong here too.

    Examples
    --------
    >>> from bosco.tree.conditions import Interval
    >>> Interval(column=0, low=None, high=2.5, missing=True).holds(2.5)
    True
    """

    column: int
    low: float | None
    high: float | None
    missing: bool

    def holds(self, x: Any) -> Any:
        """Whether a value (NaN: missing) goes this way; of an array, which of them do."""
        inside = (self.low is None or self.low < x) & (self.high is None or x <= self.high)
        return (x == x) & inside | (x != x) & self.missing

    def places(self, n: int) -> range:
        """Which of so many levels in order, counted from 0, go this way."""
        first = 0 if self.low is None else floor(self.low) + 1
        return range(first, n if self.high is None else floor(self.high) + 1)


@dataclass(frozen=True, slots=True)
class Members:
    """A branch that some values take: the levels with these codes, counted from 1.

    Parameters
    ----------
    column : int
        Number of the column.
    codes : tuple of int
        The levels, ascending. None at all, with `missing`: the branch of missing values alone.
    missing : bool
        Whether missing values belong here too.

    Examples
    --------
    >>> from bosco.tree.conditions import Members
    >>> Members(column=0, codes=(1, 3), missing=False).holds(2)
    False
    """

    column: int
    codes: tuple[int, ...]
    missing: bool

    def holds(self, code: int) -> bool:
        """Whether a code (0: missing) goes this way."""
        return self.missing if code == 0 else code in self.codes

    def places(self, n: int) -> list[int]:
        """Which of so many levels, counted from 0, go this way."""
        return [code - 1 for code in self.codes if code <= n]


Condition = Interval | Members


@dataclass(frozen=True, slots=True)
class Test:
    """A test as a value: what column, which condition for each branch, where missing values go."""

    __test__ = False  # not for pytest to collect

    column: int
    branches: tuple[Condition, ...]
    missing: int

    @property
    def by_share(self) -> bool:
        """Whether missing values go down all branches."""
        return self.missing == BY_SHARE


def read_test(pool: _core.TestPool, index: int) -> Test:
    """Test `index` of a native pool, as conditions on its branches."""
    return test_from(*parts_of(pool, index))


def parts_of(pool: _core.TestPool, index: int) -> tuple[Any, ...]:
    """Test `index` of a native pool, as a native test is pickled."""
    cuts = pool.thresholds[pool.threshold_begin[index] : pool.threshold_begin[index + 1]]
    jumps = pool.jumps[pool.jump_begin[index] : pool.jump_begin[index + 1]]
    numbers = (pool.kind, pool.column, pool.branches, pool.missing)
    return *(int(of[index]) for of in numbers), bool(pool.flip[index]), cuts.tolist(), jumps


def test_from(
    kind: int, column: int, n_branches: int, missing: int, flip: bool, cuts: list[float], jumps: Any
) -> Test:
    """A test as conditions on its branches, from its parts."""
    branches: list[Condition]
    if kind == CUT:
        branches = _cut_branches(column, cuts, n_branches, missing)
        if flip:
            branches.reverse()
    else:
        # One sort instead of a search per branch: a test may have ten thousand of them.
        jumps = np.asarray(jumps)
        order = np.argsort(jumps[1:], kind="stable") + 1
        ends = np.searchsorted(jumps[order], np.arange(n_branches + 1))
        branches = [
            Members(column, tuple(order[ends[b] : ends[b + 1]].tolist()), missing == b)
            for b in range(n_branches)
        ]
    return Test(column, tuple(branches), missing)


def _cut_branches(column: int, cuts: list[float], n_branches: int, missing: int) -> list[Condition]:
    if cuts == [float("inf")]:  # every known value against the missing ones
        return [Interval(column, None, None, missing == 0), Members(column, (), missing == 1)]
    lows: list[float | None] = [None, *cuts]
    highs: list[float | None] = [*cuts, None]
    branches: list[Condition] = [
        Interval(column, low, high, missing == branch)
        for branch, (low, high) in enumerate(zip(lows, highs, strict=True))
    ]
    if n_branches > len(branches):  # missing values have a branch of their own
        branches.append(Members(column, (), True))
    return branches
