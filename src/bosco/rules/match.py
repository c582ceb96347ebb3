"""Which rule holds for which row, all rows at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.rules.rule import Rule
from bosco.tree.conditions import Condition, Interval


def first_rule(rules: Sequence[Rule], frame: Frame) -> NDArray[np.intp]:
    """The number of the first rule that holds for each row; -1 where none does."""
    tables = Masks(frame)
    found = np.full(frame.n_rows, -1, dtype=np.intp)
    for number, rule in enumerate(rules):
        found[tables.rule(rule) & (found < 0)] = number
    return found


_KEPT = 100_000_000  # truths of conditions on rows, a byte each


class Masks:
    """Truth of conditions on the rows of a frame; each is looked at once while it fits."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._known: dict[Condition, NDArray[np.bool_]] = {}

    def rule(self, rule: Rule) -> NDArray[np.bool_]:
        """Where all conditions of a rule hold."""
        holds = np.ones(self._frame.n_rows, dtype=bool)
        for condition in rule.conditions:
            if condition not in self._known:
                if len(self._known) * self._frame.n_rows > _KEPT:
                    self._known.clear()
                self._known[condition] = self._truth(condition)
            holds &= self._known[condition]
        return holds

    def _truth(self, condition: Condition) -> NDArray[np.bool_]:
        cells = self._frame.table.column(condition.column)
        if isinstance(cells, Coded):
            truth = np.zeros(len(cells.levels) + 1, dtype=bool)
            truth[0] = condition.missing
            truth[[1 + place for place in condition.places(len(cells.levels))]] = True
            return truth.take(cells.codes)
        x = np.asarray(cells.values).astype(np.float64, copy=False)
        if isinstance(condition, Interval):
            return np.broadcast_to(condition.holds(x), x.shape)
        return np.isnan(x) & np.bool_(condition.missing)  # all that is asked as a member
