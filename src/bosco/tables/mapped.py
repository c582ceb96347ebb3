"""Columns that are written to files chunk by chunk, then mapped.

A column of many chunks is what one chunk of all its rows would have been: levels that it merely has
are sorted, numbers are of the narrowest type that holds them all.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded, Level, Numbers, width
from bosco.data.ondisk import Writing, looked_up, steps
from bosco.errors import DataError


class Growing:
    """A column that grows by chunks, in a folder; "" is the system's for temporary files.

    Examples
    --------
    >>> column = Growing("size", "")
    >>> column.add(Numbers(np.array([1, 2])))
    >>> column.add(Numbers(np.array([0.5])))
    >>> column.mapped().values.tolist()
    [1.0, 2.0, 0.5]
    """

    def __init__(self, name: str, folder: str):
        self.name, self.folder = name, folder
        self.n = 0
        self.like: Cells | None = None  # what it is, without rows; None: no value so far
        self.place: dict[Level, int] = {}  # codes of levels
        self.written = Writing(folder, np.dtype(np.float64))

    def add(self, cells: Cells) -> None:
        """Add a chunk."""
        if self.like is None and not cells.all_missing():
            self._begin(cells)
        if isinstance(self.like, Coded):
            self._add_codes(self.like, cells)
        else:
            self._add_numbers(cells)
        self.n += len(cells)

    def mapped(self) -> Cells:
        """The whole column, to which nothing is added any more."""
        values = self.written.done()
        if not isinstance(self.like, Coded):
            return Numbers(values, "number" if self.like is None else self.like.unit)
        levels = tuple(self.place)
        coded = replace(self.like, codes=values, levels=levels)
        if self.like.declared:
            return coded
        order = tuple(sorted(levels))
        return replace(coded, codes=coded.recode(order), levels=order)

    def close(self) -> None:
        """Nothing will be asked of it."""
        self.written.close()

    def _begin(self, cells: Cells) -> None:
        """The first chunk with a value says what the column is; what came before is missing."""
        self.written.close()
        dtype: np.dtype[Any] = np.dtype(np.uint8)
        absent = 0.0
        if isinstance(cells, Coded):
            self.like = replace(cells, codes=cells.codes[:0], levels=())
        else:
            self.like = replace(cells, values=cells.values[:0])
            dtype, absent = np.dtype(np.float64) if self.n else cells.values.dtype, np.nan
        self.written = Writing(self.folder, dtype)
        for some in steps(self.n):
            self.written.add(np.full(some.stop - some.start, absent, dtype))

    def _add_codes(self, like: Coded, cells: Cells) -> None:
        if not isinstance(cells, Coded) or cells.unit != like.unit:
            if not cells.all_missing():
                self._refuse(cells)
            cells = Coded(np.zeros(len(cells), np.uint8), ())
        if cells.levels:
            self._agree(like, cells)
        for level in cells.levels:
            self.place.setdefault(level, len(self.place) + 1)
        wide = np.dtype(width(len(self.place)))
        if wide != self.written.dtype:
            self._write_again(wide, lambda part: part.astype(wide))
        codes = [0, *(self.place[level] for level in cells.levels)]
        self.written.add(np.take(np.array(codes, wide), cells.codes))

    def _agree(self, like: Coded, cells: Coded) -> None:
        """Levels are declared, or ordered, if they are in all chunks; one order must be of all."""
        if like.ordered and cells.ordered and self.place and (*self.place,) != cells.levels:
            before, here = (", ".join(map(str, some)) for some in (self.place, cells.levels))
            raise DataError(
                f"column {self.name!r}: its ordered categories are {here:.80}, and before that "
                f"{before:.80}. Hint: give all files the same ones."
            )
        self.like = replace(
            like,
            declared=like.declared and (cells.declared or not cells.levels),
            ordered=like.ordered and cells.ordered,
        )

    def _add_numbers(self, cells: Cells) -> None:
        if isinstance(cells, Coded) or self._other_unit(cells):
            if not cells.all_missing():
                self._refuse(cells)
            cells = Numbers(np.full(len(cells), np.nan))
        values = cells.values
        wide = np.result_type(self.written.dtype, values.dtype)
        if wide != self.written.dtype:
            self._write_again(wide, lambda part: self._exactly(part, wide))
        self.written.add(self._exactly(values, wide))

    def _other_unit(self, cells: Numbers) -> bool:
        return self.like is not None and cells.unit != self.like.unit

    def _exactly(self, values: NDArray[Any], dtype: Any) -> NDArray[Any]:
        if dtype.kind == "f":
            Numbers(values).require_exact(self.name)
        return values.astype(dtype, copy=False)

    def _write_again(self, dtype: Any, change: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
        """The rows so far in another type."""
        old = self.written.done()
        self.written = Writing(self.folder, np.dtype(dtype))
        for some in steps(len(old)):
            self.written.add(change(old[some]))

    def _refuse(self, cells: Cells) -> NoReturn:
        raise DataError(
            f"column {self.name!r}: it holds {_said(cells)}, and before that {_said(self.like)}. "
            f"Hint: all files of a table have columns of one kind."
        )


def _said(cells: Any) -> str:
    if isinstance(cells, Coded):
        return {"boolean": "truth values", "number": "levels that are numbers"}.get(
            cells.unit, "text"
        )
    return "numbers" if cells.unit == "number" else f"{cells.unit}s"


def spread(codes: NDArray[Any], of_level: Cells) -> Cells:
    """What each row is, of codes (0: missing) whose levels are the cells of one column."""
    if isinstance(of_level, Coded):
        return replace(of_level, codes=looked_up(_after(0, of_level.codes), codes))
    return replace(of_level, values=looked_up(_after(np.nan, of_level.values), codes))


def _after(first: float, values: NDArray[Any]) -> NDArray[Any]:
    dtype = values.dtype if first == 0 else np.float64
    return np.concatenate([np.array([first], dtype), values.astype(dtype, copy=False)])
