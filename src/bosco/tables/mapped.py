"""Columns that lie in a file instead of memory: written once, chunk by chunk, then mapped.

The files have no name, so that they are gone with the process, however it ends. A column of many
chunks is what one chunk of all its rows would have been: levels that it merely has are sorted,
numbers are of the narrowest type that holds them all.
"""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded, Level, Numbers, width
from bosco.errors import DataError

_STEP = 1 << 20  # rows that are in memory at once where a column is written again


class Growing:
    """A column that grows by chunks.

    Examples
    --------
    >>> column = Growing("size", None)
    >>> column.add(Numbers(np.array([1, 2])))
    >>> column.add(Numbers(np.array([0.5])))
    >>> column.mapped().values.tolist()
    [1.0, 2.0, 0.5]
    """

    def __init__(self, name: str, folder: Path | None):
        self.name, self.folder = name, folder
        self.n = 0
        self.like: Cells | None = None  # what it is, without rows; None: no value so far
        self.place: dict[Level, int] = {}  # codes of levels
        self.file: Any = None
        self._open(np.dtype(np.float64))

    def _open(self, dtype: np.dtype[Any]) -> None:
        """Begin a file; the one before is closed, but what is mapped of it stays."""
        if self.file is not None:
            self.file.close()
        self.file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115  it has no name
        self.dtype = dtype

    def add(self, cells: Cells) -> None:
        """Add a chunk."""
        if self.like is None and not cells.all_missing():
            self._begin(cells)
        if isinstance(self.like, Coded):
            self._add_codes(cells)
        else:
            self._add_numbers(cells)
        self.n += len(cells)

    def mapped(self) -> Cells:
        """The whole column, to which nothing is added any more."""
        try:
            return self._mapped()
        finally:
            self.file.close()

    def _mapped(self) -> Cells:
        values = self._values()
        if not isinstance(self.like, Coded):
            return Numbers(values, "number" if self.like is None else self.like.unit)
        levels = tuple(self.place)
        coded = replace(self.like, codes=values, levels=levels)
        if self.like.declared:
            return coded
        order = tuple(sorted(levels))
        if order != levels:
            self._write_again(
                width(len(order)), lambda part: replace(coded, codes=part).recode(order)
            )
        return replace(coded, codes=self._values(), levels=order)

    def _begin(self, cells: Cells) -> None:
        """The first chunk with a value says what the column is; what came before is missing."""
        none = self.n
        if isinstance(cells, Coded):
            self.like = replace(cells, codes=cells.codes[:0], levels=())
            self._open(np.dtype(np.uint8))
            self.file.write(bytes(none))
            return
        self.like = replace(cells, values=cells.values[:0])
        self._open(np.dtype(np.float64) if none else cells.values.dtype)
        if none:
            self.file.write(np.full(none, np.nan).tobytes())

    def _add_codes(self, cells: Cells) -> None:
        if isinstance(cells, Numbers):
            if not cells.all_missing():
                self._refuse(cells)
            cells = Coded(np.zeros(len(cells), np.uint8), ())
        elif cells.unit != self.like.unit and cells.levels:  # type: ignore[union-attr]
            self._refuse(cells)
        for level in cells.levels:
            self.place.setdefault(level, len(self.place) + 1)
        wide = np.dtype(width(len(self.place)))
        if wide != self.dtype:
            self._write_again(wide, lambda part: part.astype(wide))
        table = np.array([0, *(self.place[level] for level in cells.levels)], wide)
        self.file.write(np.take(table, cells.codes).tobytes())

    def _add_numbers(self, cells: Cells) -> None:
        if isinstance(cells, Coded):
            if not cells.all_missing():
                self._refuse(cells)
            cells = Numbers(np.full(len(cells), np.nan))
        elif self.like is not None and cells.unit != self.like.unit and not cells.all_missing():
            self._refuse(cells)
        values = cells.values
        wide = np.result_type(self.dtype, values.dtype)
        if wide != self.dtype:
            self._write_again(wide, lambda part: self._exactly(part, wide))
        self.file.write(np.ascontiguousarray(self._exactly(values, wide)).tobytes())

    def _exactly(self, values: NDArray[Any], dtype: Any) -> NDArray[Any]:
        if dtype.kind == "f":
            Numbers(values).require_exact(self.name)
        return values.astype(dtype, copy=False)

    def _values(self) -> NDArray[Any]:
        self.file.flush()
        if not self.n:
            return np.zeros(0, self.dtype)
        return np.memmap(self.file, self.dtype, "r", shape=(self.n,))

    def _write_again(self, dtype: Any, change: Any) -> None:
        """The rows so far in another type."""
        self.file.flush()
        rows = self.file.tell() // self.dtype.itemsize
        old = (
            np.memmap(self.file, self.dtype, "r", shape=(rows,))
            if rows
            else np.zeros(0, self.dtype)
        )
        self._open(np.dtype(dtype))
        for start in range(0, rows, _STEP):
            self.file.write(np.ascontiguousarray(change(old[start : start + _STEP])).tobytes())

    def _refuse(self, cells: Cells) -> None:
        said = "numbers" if isinstance(cells, Numbers) else f"levels ({cells.unit})"
        raise DataError(
            f"Column {self.name!r}: from row {self.n + 1} on it holds {said}, and before that "
            f"{'numbers' if isinstance(self.like, Numbers) else 'levels'}."
        )
