"""Files that claim more than they hold, refused before memory is asked for.

A workbook of two cells, A1 and XFD1048576, is a table of 17 thousand million; a few lines of JSON
that have no key in common, a sparse ARFF file and a packed file can claim as much. What a file
holds is counted first, in pieces that do not grow with what it claims.
"""

import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any
from xml.parsers import expat

from bosco.errors import DataError

MOST_EMPTY = 2**24
"""Cells of a table that may be empty without a question."""

_EMPTY_PER_FILLED = 100
_UNPACKED = 2**28  # bytes that a small file may unpack to
_UNPACKED_PER_PACKED = 100  # what other readers of workbooks allow too
_PIECE = 1 << 20
_CELL = re.compile(rb"<(?:[^\s<>/:]+:)?c[\s>/]")
_PLACE = re.compile(rb"""[\s"']r\s*=\s*["']([A-Za-z]{1,7})([0-9]{1,12})["']""")


def require_filled(rows: int, columns: int, filled: int, name: str) -> None:
    """Refuse a table that is nearly all empty, and large.

    Examples
    --------
    >>> require_filled(1_048_576, 16_384, 2, "two.xlsx")
    Traceback (most recent call last):
    bosco.errors.DataError: two.xlsx claims 1,048,576 rows of 16,384 columns, of which 2 cells ...
    """
    if rows * columns > max(MOST_EMPTY, _EMPTY_PER_FILLED * filled):
        raise DataError(
            f"{name} claims {rows:,} rows of {columns:,} columns, of which {filled:,} cells hold "
            f"something. Hint: remove what lies far from the table, or the columns that few rows "
            f"have."
        )


def unpacked_limit(packed: int, per_packed: int = _UNPACKED_PER_PACKED) -> int:
    """How many bytes a packed file may unpack to."""
    return max(_UNPACKED, per_packed * packed)


def require_sane_archive(path: str, name: str) -> None:
    """Refuse a workbook that unpacks to too much, or whose cells lie too far apart."""
    try:
        with zipfile.ZipFile(path) as archive:
            left = unpacked_limit(Path(path).stat().st_size)
            for part in archive.infolist():
                rough = _Rough()
                for piece in _unpacked(archive, part):
                    left -= len(piece)
                    if left < 0:
                        raise DataError(
                            f"{name} unpacks to more than {_UNPACKED_PER_PACKED} times its size, "
                            f"which no workbook does."
                        )
                    rough.feed(piece)
                if rough.is_odd():
                    exact = _Exact()
                    exact.read(_unpacked(archive, part))
                    require_filled(exact.rows, exact.columns, exact.filled, name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise DataError(f"{name} is not a workbook: {error}.") from None
    except (zlib.error, expat.ExpatError) as error:
        raise DataError(f"{name} is not a whole workbook: {error}.") from None


def _unpacked(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Iterator[bytes]:
    """A part in pieces, to its real end: what it says of its size may be a lie."""
    whole = copy(part)
    whole.file_size = sys.maxsize
    with archive.open(whole) as stream:
        while piece := stream.read(_PIECE):
            yield piece


class _Rough:
    """How far cells lie at most, by their names: quick, and never too little."""

    def __init__(self) -> None:
        self._left = b""
        self._cells = self._places = self._rows = self._columns = 0

    def feed(self, piece: bytes) -> None:
        data = self._left + piece
        end = max(data.rfind(b"<"), len(data) - _PIECE)
        data, self._left = data[:end], data[end:]
        self._look(data)

    def _look(self, data: bytes) -> None:
        self._cells += len(_CELL.findall(data))
        places = _PLACE.findall(data)
        self._places += len(places)
        if places:
            self._rows = max(self._rows, max(int(row) for _, row in places))
            self._columns = max(self._columns, *map(_column, {column for column, _ in places}))

    def is_odd(self) -> bool:
        """Whether a closer look is needed."""
        self._look(self._left)
        box = self._rows * self._columns
        apart = box > max(MOST_EMPTY, _EMPTY_PER_FILLED * self._places)
        return apart or self._cells > self._places


class _Exact:
    """Where the cells of a sheet that hold something lie."""

    def __init__(self) -> None:
        self.rows = self.columns = self.filled = 0
        self._row = self._column = 0

    def read(self, pieces: Iterator[bytes]) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EntityDeclHandler = self._refuse
        for piece in pieces:
            parser.Parse(piece)
        parser.Parse(b"", True)

    def _start(self, element: str, said: dict[str, str]) -> None:
        kind = element.rpartition(":")[2]
        if kind == "row":
            self._row = int(said["r"]) if said.get("r", "").isdecimal() else self._row + 1
            self._column = 0
        elif kind == "c":
            place = _PLACE.match(f' r="{said.get("r", "")}"'.encode())
            self._row = int(place[2]) if place else self._row
            self._column = _column(place[1]) if place else self._column + 1
        elif kind in ("v", "is", "f"):
            self.filled += 1
            self.rows = max(self.rows, self._row)
            self.columns = max(self.columns, self._column)

    def _refuse(self, *_: Any) -> None:
        raise DataError("A workbook that declares entities is not read.")


def _column(letters: bytes) -> int:
    """The number of a column by its letters: A is 1, XFD 16,384."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number
