"""Columns that look like identifiers, and have values on both sides of a split.

Where a patient has several rows, a model that learned from some of them knows the patient, and is
not tested by the others. By its name, or because its values have few rows each, a column is taken
for one of patients; how many of its values stand on both sides is counted.
"""

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.hints import typed
from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.data.columns import Cells, Coded
from bosco.data.parting import column_of, names_of
from bosco.errors import SharedGroupsWarning
from bosco.judge.data import Data, Rows

_NAMED = re.compile(
    r"(^|[\W_])(id|ids|uid|uuid|guid|nr|no|ssn|key|account|animal|child|client|customer|device|"
    r"driver|employee|household|machine|member|owner|patient|person|pupil|respondent|student|"
    r"subject|user)(_?(id|ids|nr|no|number|code|key|name))?$|[a-z](I[dD]|Nr|No)$",
    re.ASCII,
)
_FEWEST = 10  # values that a column of groups has, at least
_ROWS_PER_VALUE = 5  # of text that is no name of a kind
_LEAST = 30  # values of such text


@dataclass(frozen=True, slots=True)
class Shared:
    """A column, and how many of its values in test rows training rows have, too."""

    column: str
    values: int  # in test rows
    known: int  # of these, also in training rows
    rows: int  # test rows
    known_rows: int

    def __str__(self) -> str:
        option = f"--group {self.column}" if typed() else f"groups={self.column!r}"
        return tr(
            "{column} looks like an identifier of groups, and {known} of its {values} values in "
            "the test rows are in the training rows, too ({known_rows} of {rows} test rows): the "
            "model may know them already. Hint: {option} keeps the rows of each on one side.",
            column=visible(self.column),
            known=f"{self.known:,}",
            values=f"{self.values:,}",
            known_rows=f"{self.known_rows:,}",
            rows=f"{self.rows:,}",
            option=option,
        )


def shared(data: Data, train: Rows, test: Rows) -> tuple[Shared, ...]:
    """The columns whose values stand on both sides of a split."""
    found = []
    for name in names_of(data.X) or ():
        cells = _groups_of(data.X, name)
        if cells is None:
            continue
        tested, learned = cells[test], cells[train]
        tested = tested[tested >= 0]
        known = np.isin(tested, learned)
        if known.any():
            values = len(np.unique(tested))
            both = len(np.unique(tested[known]))
            found.append(Shared(name, values, both, len(test), int(np.count_nonzero(known))))
    return tuple(found)


def warn_of_shared(data: Data, train: Rows, test: Rows) -> tuple[Shared, ...]:
    """The same, said as a warning each."""
    found = shared(data, train, test)
    for one in found:
        warnings.warn(str(one), SharedGroupsWarning, stacklevel=4)
    return found


def _groups_of(X: Any, name: str) -> NDArray[np.int64] | None:
    """A number for each value of a column that looks like groups, −1 where there is none."""
    cells, named = column_of(X, name), bool(_NAMED.search(name))
    codes = _codes(cells) if named or isinstance(cells, Coded) else None
    if codes is None:
        return None
    known = codes[codes >= 0]
    values = len(np.unique(known))
    if values < _FEWEST or values == len(known):  # too few, or a value for each row
        return None
    return codes if named or values >= max(_LEAST, len(known) / _ROWS_PER_VALUE) else None


def _codes(cells: Cells) -> NDArray[np.int64] | None:
    """Text and whole numbers as numbers from 0; None of a column that is something else."""
    if isinstance(cells, Coded):
        plain = cells.unit == "text" and not cells.ordered
        return np.asarray(cells.codes, np.int64) - 1 if plain else None
    x = cells.values
    if cells.unit != "number":
        return None
    missing = cells.missing()
    if x.dtype.kind == "f" and not (np.floor(x[~missing]) == x[~missing]).all():
        return None
    codes = np.unique(x, return_inverse=True)[1].reshape(-1).astype(np.int64)
    codes[missing] = -1
    return codes
