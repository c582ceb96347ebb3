"""The columns of a large text file, some at a time, so that not all of its text is in memory."""

from collections.abc import Callable, Sequence
from typing import Any, overload

import pyarrow as pa

MOST_TEXT = 1 << 25
"""So many bytes of text are in memory at once, unless that takes too many passes over the file."""

MOST_PASSES = 8


def columns_at_once(n: int, size: int) -> int:
    """How many of the columns of a file of so many bytes are read in one pass.

    Examples
    --------
    >>> columns_at_once(20, 1 << 20), columns_at_once(20, 1 << 27), columns_at_once(20, 1 << 40)
    (20, 5, 3)
    """
    passes = min(MOST_PASSES, max(1, -(-size // MOST_TEXT)))
    return max(1, -(-n // passes))


class ByGroups(Sequence[Any]):
    """Columns that are read when they are asked for, each with its neighbours, one group at a time.

    Parameters
    ----------
    read : callable
        Gives the table of some columns, by their places.
    first : table
        The first group, which is read already.
    n : int
        How many columns there are.
    head : callable
        Gives the first so many rows of every column.
    """

    def __init__(
        self, read: Callable[[list[int]], Any], first: Any, n: int, head: Callable[[int], Any]
    ) -> None:
        self._read, self._n, self.head = read, n, head
        self._wide = first.num_columns
        self._begin, self._columns = 0, list(first.columns)

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, j: int) -> Any: ...
    @overload
    def __getitem__(self, j: slice) -> Sequence[Any]: ...
    def __getitem__(self, j: int | slice) -> Any:
        if isinstance(j, slice):
            return [self[i] for i in range(*j.indices(self._n))]
        if not 0 <= j < self._n:
            raise IndexError(j)
        begin = j - j % self._wide
        if begin != self._begin:
            self._columns.clear()
            pa.default_memory_pool().release_unused()
            some = list(range(begin, min(begin + self._wide, self._n)))
            self._begin, self._columns = begin, list(self._read(some).columns)
        return self._columns[j - begin]

    def take(self, j: int) -> Any:
        """A column that is not asked for again."""
        column = self[j]
        self._columns[j - self._begin] = None
        return column


def taken(columns: ByGroups | list[Any], j: int) -> Any:
    """A column that is not asked for again, so that it goes when it is typed."""
    if isinstance(columns, ByGroups):
        return columns.take(j)
    column, columns[j] = columns[j], None
    return column


def heads(columns: ByGroups | list[Any], n: int) -> list[Any]:
    """The first rows of every column."""
    if isinstance(columns, ByGroups):
        return list(columns.head(n))
    return [column.slice(0, n) for column in columns]
