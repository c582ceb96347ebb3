"""The rows that something was made from, as text, a few at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import show_number
from bosco.base.visible import visible
from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.data.schema import show_label, show_level


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Rows of a frame, and what is to be learned of them."""

    frame: Frame
    target: Any  # Labels or Values

    @property
    def names(self) -> list[str]:
        """The columns."""
        return [column.shown for column in self.frame.schema.columns]

    def given(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """The numbers that some rows had when they were given, those without a weight counted."""
        keep = self.target.keep
        found = rows if keep is None else np.flatnonzero(keep)[rows]
        return np.asarray(found, np.int64)

    def cells(self, rows: Sequence[int] | NDArray[Any]) -> list[list[str]]:
        """Some of the rows, by number among those with a weight: columns, and the answer last."""
        at = np.asarray(rows, np.int64)
        columns = [self._column(j, at) for j in range(len(self.frame.schema.columns))]
        return [list(row) for row in zip(*columns, self.answers(at), strict=True)]

    def answers(self, rows: NDArray[np.int64]) -> list[str]:
        """What is true of some of the rows."""
        if not self.target.n_classes:
            return list(map(show_number, self.target.numbers[rows].tolist()))
        labels = list(map(show_label, self.target.classes.tolist()))
        return [labels[code] for code in self.target.codes[rows].tolist()]

    def _column(self, j: int, rows: NDArray[np.int64]) -> list[str]:
        cells, schema = self.frame.table.column(j), self.frame.schema
        if isinstance(cells, Coded):
            levels = ["–", *(visible(show_level(level)) for level in cells.levels)]
            return [levels[code] for code in cells.codes[rows].tolist()]
        return ["–" if x != x else schema.show_value(j, x) for x in cells.values[rows].tolist()]
