"""Arrays that lie in files without a name, from which the system maps them into memory as it likes.

The files are gone with whoever uses them, however that ends. What is made of such an array, row by
row, lies in the same folder: rows that do not fit into memory stay out of it.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import DataError

STEP = 1 << 20
"""So many rows of one column are in memory at once."""


class OnDisk(np.memmap[Any, Any]):
    """An array in a file, and the folder where that is."""

    folder: str = ""

    def __array_finalize__(self, obj: Any) -> None:
        super().__array_finalize__(obj)
        self.folder = getattr(obj, "folder", "")


def folder_of(values: Any) -> str:
    """The folder where an array lies; "": in memory."""
    return values.folder if getattr(values, "_mmap", None) is not None else ""


class Writing:
    """An array that is written part by part.

    Examples
    --------
    >>> writing = Writing("", np.dtype(np.int64))
    >>> writing.add(np.array([1, 2]))
    >>> writing.add(np.array([3]))
    >>> writing.done().tolist()
    [1, 2, 3]
    """

    def __init__(self, folder: str | Path, dtype: np.dtype[Any]):
        self.folder, self.dtype, self.n = str(folder) or tempfile.gettempdir(), dtype, 0
        try:
            self.file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115  it has no name
        except OSError as error:
            raise self._said(error) from None

    def add(self, values: NDArray[Any]) -> None:
        """Write more values, which are of the array's type."""
        if len(values):
            try:
                self.file.write(np.ascontiguousarray(values).view(np.uint8).data)
            except OSError as error:
                raise self._refused(error) from None
            self.n += len(values)

    def so_far(self) -> NDArray[Any]:
        """What was written until now."""
        if not self.n:
            return np.zeros(0, self.dtype)
        try:
            self.file.flush()
        except OSError as error:
            raise self._refused(error) from None
        mapped = np.memmap(self.file, self.dtype, "r", shape=(self.n,)).view(OnDisk)
        mapped.folder = self.folder
        return mapped

    def done(self) -> NDArray[Any]:
        """All of it, to which nothing is added any more."""
        try:
            return self.so_far()
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the file; what is mapped of it stays."""
        try:
            self.file.close()
        except OSError:  # what was not written yet finds no room, and nobody needs it
            self.file.raw.close()

    def _refused(self, error: OSError) -> DataError:
        self.close()
        return self._said(error)

    def _said(self, error: OSError) -> DataError:
        return DataError(
            f"The folder for scratch files, {self.folder}, cannot hold the rows: "
            f"{error.strerror or error}. Hint: name a folder on a disk with room, as scratch=."
        )


def steps(n: int) -> Iterator[slice]:
    """Rows from the first to the last, in stretches that fit into memory."""
    return (slice(start, min(n, start + STEP)) for start in range(0, n, STEP))


def taken(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Some of the values, given as a mask or as numbers.

    Examples
    --------
    >>> taken(np.array([5, 6, 7]), np.array([True, False, True])).tolist()
    [5, 7]
    """
    folder = folder_of(values)
    if not folder:
        found: NDArray[Any] = values[rows]
        return found
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    made = Writing(folder, values.dtype)
    for some in steps(len(rows)):
        made.add(values[rows[some]])
    return made.done()


def looked_up(table: NDArray[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """What a table has for each code.

    Examples
    --------
    >>> looked_up(np.array([0.0, 7.0]), np.array([1, 0, 1])).tolist()
    [7.0, 0.0, 7.0]
    """
    folder = folder_of(codes)
    if not folder:
        return np.take(table, codes)
    made = Writing(folder, table.dtype)
    for some in steps(len(codes)):
        made.add(np.take(table, codes[some]))
    return made.done()


def counted(codes: NDArray[Any], n: int) -> NDArray[np.int64]:
    """How often each of the codes 0 … n - 1 occurs.

    Examples
    --------
    >>> counted(np.array([1, 0, 1], np.uint8), 3).tolist()
    [1, 2, 0]
    """
    if len(codes) <= STEP:
        return np.bincount(codes, minlength=n)
    found = np.zeros(n, np.int64)
    for some in steps(len(codes)):  # numpy makes codes of eight bytes of them
        found += np.bincount(codes[some], minlength=n)
    return found
