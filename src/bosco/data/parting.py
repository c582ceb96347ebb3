"""A column that parts the rows: what belongs together, or what was before and what came after.

Drafts and judgements read such a column here, and draw the line between past and future here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bosco.base.dates import DAY, MOMENTS, show_moment
from bosco.base.numerals import show_number
from bosco.base.visible import visible
from bosco.data.columns import Cells, Coded
from bosco.data.readers import Table, read_table, read_values
from bosco.errors import DataError, ParameterError, did_you_mean

TRAINING, VALIDATION, TEST = 0, 1, 2
"""The parts."""


@dataclass(frozen=True, slots=True, eq=False)
class Parting:
    """The cells of the column, and its name; None if values were given without one.

    Examples
    --------
    >>> day = Parting("day", read_values(np.array(["2024-05-01", "2024-05-02"], "M8[D]"), "day"))
    >>> day.show(day.moments("time").max())
    '2024-05-02'
    """

    name: str | None
    cells: Cells

    def take(self, rows: NDArray[Any]) -> "Parting":
        """Keep some rows."""
        return replace(self, cells=self.cells.take(rows))

    def groups(self, what: str) -> NDArray[np.intp]:
        """A number for the group of each row, in the order of their values."""
        self._require_all(what, "belongs to no group, or to one that nobody knows")
        values = self.cells.codes if isinstance(self.cells, Coded) else self.cells.values
        return np.unique(values, return_inverse=True)[1].reshape(-1)

    def moments(self, what: str) -> NDArray[np.float64]:
        """The place of each row in time, as a number."""
        if isinstance(self.cells, Coded) and not self.cells.ordered:
            raise DataError(
                f"{what} must be a column of dates, times or numbers. Got levels such as "
                f"{self.cells.levels[:3]!r}. Hint: read them as dates first (pandas.to_datetime; "
                f"--types 'NAME=date')."
            )
        self._require_all(what, "has no place in time")
        values = self.cells.codes if isinstance(self.cells, Coded) else self.cells.values
        return np.asarray(values, np.float64)

    def show(self, moment: float) -> str:
        """A moment as text."""
        if isinstance(self.cells, Coded):
            return visible(str(self.cells.levels[int(moment) - 1]))
        unit = self.cells.unit
        if unit == "datetime" and not (self.cells.values % DAY).any():  # pandas has no dates
            unit, moment = "date", moment / DAY
        return show_moment(unit, moment) if unit in MOMENTS else show_number(moment)

    def _require_all(self, what: str, why: str) -> None:
        missing = self.cells.missing()
        if missing.any():
            row, n = int(np.argmax(missing)), int(np.count_nonzero(missing))
            raise DataError(
                f"{what}: row {row} has none, so that it {why} ({n:,} of {len(missing):,} rows). "
                f"Hint: leave such rows out, or give them a value of their own."
            )


def read_parting(X: Any, given: Any, what: str, n_rows: int) -> tuple[Any, Parting]:
    """What parts the rows, and X without it where it is a column of X, given by its name."""
    if isinstance(given, Parting):
        return X, given
    if isinstance(given, str):
        cells, rest = _out_of(X, given, what)
        return rest, Parting(given, cells)
    if getattr(given, "ndim", 1) == 2 and given.shape[1] == 1:
        given = np.asarray(given)[:, 0]
    cells = read_values(given, what)
    if len(cells) != n_rows:
        raise DataError(
            f"{what} must have a value for each of the {n_rows} rows. Got {len(cells)} values."
        )
    name = getattr(given, "name", None)
    return X, Parting(name if isinstance(name, str) and name else None, cells)


def names_of(X: Any) -> list[str] | None:
    """The names of a table's columns, in whatever form it is; None if it has none."""
    if isinstance(X, Table):
        return list(X.names) if X.named else None
    if isinstance(X, Mapping):
        return [str(name) for name in X]
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        return list(read_table(X).names)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return list(map(str, frame.columns)) if isinstance(frame, nw.DataFrame) else None


def column_of(X: Any, name: str) -> Cells:
    """One column of a table that has names."""
    if isinstance(X, Table):
        return X.column(X.names.index(name))
    if isinstance(X, Mapping):
        return read_values(X[name], name)
    if isinstance(X, list | tuple):
        return read_values([row.get(name) for row in X], name)
    return read_values(nw.from_native(X, eager_only=True)[name].to_native(), name)


def _out_of(X: Any, name: str, what: str) -> tuple[Cells, Any]:
    """A column, and the table without it, in its own form."""
    names = names_of(X)
    if names is None:
        raise ParameterError(
            f"{what} names the column {name!r}, and X has no names. Hint: give the values."
        )
    if name not in names:
        raise ParameterError(
            f"{what} names the column {name!r}, and X has {names}.{did_you_mean(name, names)}"
        )
    if len(names) == 1:
        raise DataError(f"Without {name!r}, which {what} names, X has no column to learn from.")
    return column_of(X, name), without(X, name)


def without(X: Any, name: str) -> Any:
    """A table without one of its columns, in its own form."""
    if isinstance(X, Table):
        kept = [j for j, known in enumerate(X.names) if known != name]
        names = tuple(X.names[j] for j in kept)
        if X.matrix is not None:
            return replace(X, names=names, matrix=X.matrix[:, kept])
        return replace(X, names=names, columns=tuple(X.columns[j] for j in kept))
    if isinstance(X, Mapping):
        return {known: cells for known, cells in X.items() if known != name}
    if isinstance(X, list | tuple):
        return [{known: cell for known, cell in row.items() if known != name} for row in X]
    return nw.from_native(X, eager_only=True).drop(name).to_native()


def latest(when: NDArray[np.float64], validation: float, test: float) -> NDArray[np.uint8]:
    """The part of each row: the latest share is the test, the share before it the validation.

    Rows of one moment are never parted. A part has at most the rows that its share asks for, but
    at least one moment, whatever rows it has; unless nothing is left to learn from.

    Examples
    --------
    >>> latest(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 9]), 0.2, 0.2).tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 2, 2]
    >>> latest(np.array([1.0, 2, 3, 3, 3]), 0.0, 0.2).tolist()  # three rows are one moment
    [0, 0, 2, 2, 2]
    """
    _, code, count = np.unique(when, return_inverse=True, return_counts=True)
    later = (np.cumsum(count[::-1])[::-1] - 1) / max(len(when) - 1, 1)  # share of rows from there
    most = len(count) - 1  # one is to be learned from
    tested = max(min(int(np.count_nonzero(later < test)), most - (validation > 0)), test > 0)
    judged = int(np.count_nonzero(later < test + validation)) - tested
    judged = max(min(judged, most - tested), validation > 0)
    part = np.full(len(count), TRAINING, np.uint8)
    part[max(len(count) - tested - judged, 0) :] = VALIDATION
    part[max(len(count) - tested, 0) :] = TEST
    return part[code.reshape(-1)]
