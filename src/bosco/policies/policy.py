"""Policies as values: what is forbidden, and where.

A `Never` forbids answers to single cases. A `Pair` forbids two answers to two cases that differ in
some columns only. Answers are places of classes; of a real target, the numbers themselves.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.tree.conditions import Condition, Interval

Change = Literal["differs", "falls", "rises"]
"""What a number must not do from the first case to the second."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of one column: one of some conditions holds."""

    column: int
    any_of: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Never:
    """No case of a region may have one of some answers.

    Examples
    --------
    >>> Never("never denied", (), frozenset({0})).breaks(np.array([0, 1])).tolist()
    [True, False]
    """

    sentence: str
    where: tuple[Asked, ...]
    wrong: frozenset[int] | Interval

    def breaks(self, answers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of some answers are forbidden."""
        if isinstance(self.wrong, Interval):
            return np.asarray(self.wrong.holds(answers), np.bool_)
        return np.isin(answers, list(self.wrong))


@dataclass(frozen=True, slots=True)
class Pair:
    """No two cases that differ in some columns only, both in a region, may have certain answers.

    The values of these columns are known in both cases. With `up` there is one column, and the
    second case has more of it.

    Examples
    --------
    >>> sex = Pair("sex does not matter", (), (0,), "differs")
    >>> sex.breaks(np.array([1.5, 2.0]), np.array([1.5, 1.0])).tolist()
    [False, True]
    """

    sentence: str
    where: tuple[Asked, ...]
    columns: tuple[int, ...]
    wrong: frozenset[tuple[int, int]] | Change
    up: bool = False

    def breaks(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
        """Which pairs of answers are forbidden."""
        if isinstance(self.wrong, str):
            how = {"differs": np.not_equal, "falls": np.greater, "rises": np.less}[self.wrong]
            return np.asarray(how(first, second), np.bool_)
        found = np.zeros(np.shape(first), np.bool_)
        for one, other in self.wrong:
            found |= (first == one) & (second == other)
        return found


Policy = Never | Pair
