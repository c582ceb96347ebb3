"""One column of cells, as numbers or as codes of levels.

Everything a table can hold becomes one of two values. `Numbers` refers to the array it was given;
NaN is missing. `Coded` holds one small unsigned integer per row: 0 is missing, 1, 2, … are its
levels. Loops over rows are numpy's.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.dates import Unit
from bosco.data.ondisk import counted, looked_up, steps, taken
from bosco.errors import DataError

Level = str | bool | int | float
"""A value of a nominal or ordinal column; anything else that a frame offers becomes its text."""

_EXACT = 2**53  # up to here every whole number is a float64
_FEW = 512  # so many are sorted sooner than a table is made
_NATIVE = frozenset("?bBhHiIlLqQfd")  # numpy's letters for what the core reads as it is


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of real numbers."""

    values: NDArray[Any]
    unit: Unit = "number"

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[Any]) -> "Numbers":
        """Keep some rows."""
        return replace(self, values=taken(self.values, rows))

    def missing(self) -> NDArray[np.bool_]:
        """Tell where there is no value."""
        return np.asarray(np.isnan(self.values), np.bool_)

    def all_missing(self) -> bool:
        """Tell whether there is no value at all."""
        return self.values.dtype.kind == "f" and bool(np.isnan(self.values).all())

    def coded(self) -> "Coded":
        """Take the distinct numbers, sorted, for levels."""
        x = self.values
        if x.dtype.kind == "f":
            levels = tuple(np.unique(x[~np.isnan(x)]).tolist())
            return Coded(self.codes_among(levels), levels, "number")
        found, places = distinct(x)
        levels = tuple(found.tolist())
        return Coded((places + 1).astype(width(len(levels))), levels, "number")

    def codes_among(self, levels: tuple[Level, ...]) -> NDArray[Any]:
        """Give the codes of the numbers among levels; 0 where a number is not one of them."""
        dtype = width(len(levels))
        places = [i for i, level in enumerate(levels) if not isinstance(level, str)]
        if not places:
            return np.zeros(len(self), dtype)
        numbers = np.array([levels[i] for i in places])
        numbers = numbers.astype(np.int64) if numbers.dtype.kind == "b" else numbers
        order = np.argsort(numbers, kind="stable")
        numbers, codes = numbers[order], (np.array(places)[order] + 1).astype(dtype)
        at = np.minimum(np.searchsorted(numbers, self.values), len(numbers) - 1)
        return np.where(numbers[at] == self.values, codes[at], dtype(0))

    def require_exact(self, column: str) -> None:
        """Refuse whole numbers that change when they become float64."""
        x = self.values
        if x.dtype.kind in "iu" and x.dtype.itemsize == 8 and len(x):
            row = first_inexact(x)
            if row >= 0:
                raise DataError(
                    f"Column {column!r}, row {row}: {x[row]} is a whole number beyond 2**53 that a "
                    f"float64 cannot hold exactly. Hint: give the column as text or categories if "
                    f"it is a code or an identifier, as floats if it is a quantity."
                )


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of levels. `declared`: the levels are the domain, used or not.

    Examples
    --------
    >>> column = from_codes(np.array([1, -1, 0], np.int8), ["low", "high"])
    >>> column.codes, column.recode(("high", "higher"))
    (array([2, 0, 1], dtype=uint8), array([1, 0, 0], dtype=uint8))
    """

    codes: NDArray[Any]
    levels: tuple[Level, ...]
    unit: Unit = "text"
    ordered: bool = False
    declared: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[Any]) -> "Coded":
        """Keep some rows, and, of levels that nobody declared, the ones in use."""
        kept = replace(self, codes=taken(self.codes, rows))
        if self.declared:
            return kept
        used = counted(kept.codes, len(self.levels) + 1)[1:] > 0
        levels = tuple(level for level, use in zip(self.levels, used, strict=True) if use)
        return replace(kept, codes=kept.recode(levels), levels=levels)

    def missing(self) -> NDArray[np.bool_]:
        """Tell where there is no value."""
        return np.asarray(self.codes == 0, np.bool_)

    def all_missing(self) -> bool:
        """Tell whether there is no value at all."""
        return not self.codes.any()

    def recode(self, levels: tuple[Level, ...]) -> NDArray[Any]:
        """Give the codes of the rows among other levels; 0 where a level is not one of them."""
        if levels == self.levels:
            return self.codes
        index = dict(zip(levels, count(1), strict=False))
        table = [0, *(index.get(level, 0) for level in self.levels)]
        return looked_up(np.array(table, width(len(levels))), self.codes)

    def labels(self) -> NDArray[Any]:
        """The level of each row, of a column in which none is missing."""
        if not self.codes.all():
            row = int(np.argmin(self.codes))
            raise DataError(
                f"Input y contains NaN: the target of row {row} is missing. "
                f"Hint: drop such rows from X and y."
            )
        return np.take(np.array(self.levels), self.codes - 1)

    def numbers(self, column: str) -> Numbers:
        """Read levels that are numbers, or truth values, as numbers."""
        for at, level in enumerate(self.levels):
            if isinstance(level, int) and (abs(level) >= 2**1023 or int(float(level)) != level):
                shown = f"{level}" if abs(level) < 10**60 else "of more than 60 digits"
                raise DataError(
                    f"Column {column!r}: its level {at + 1} is a whole number that a float64 "
                    f"cannot hold exactly: {shown}. Hint: let the column be nominal if it is a "
                    f"code or an identifier, or give it as floats if it is a quantity."
                )
        return Numbers(looked_up(np.array([np.nan, *self.levels], np.float64), self.codes))


Cells = Numbers | Coded


def width(n_codes: int) -> type[np.unsignedinteger[Any]]:
    """Choose the narrowest dtype for the codes 0 … n_codes."""
    return np.uint8 if n_codes < 2**8 else np.uint16 if n_codes < 2**16 else np.uint32


def from_codes(codes: NDArray[Any], levels: Iterable[Any], *, ordered: bool = False) -> Coded:
    """Read codes that start at 0, with -1 for missing, of declared levels.

    A level that is None or NaN is a missing value; of one that comes twice, the first counts.

    Examples
    --------
    >>> from_codes(np.array([1, -1], np.int8), [10, 20]).unit
    'number'
    >>> from_codes(np.array([2, 1, 0], np.int8), ["a", None, "a"]).codes
    array([1, 0, 1], dtype=uint8)
    """
    # Libraries allow a level that is missing, and one that comes twice, as Arrow's dictionaries do.
    place: dict[Level, int] = {}
    places = [
        -1 if level is None or level != level else place.setdefault(plain(level), len(place))
        for level in levels
    ]
    known = tuple(place)
    if len(known) < len(places):
        codes = np.array([*places, -1])[codes]
    shifted = codes.astype(width(len(known)))
    shifted += 1  # -1 has become the largest code and now wraps around to 0
    return Coded(shifted, known, level_unit(known), ordered, declared=True)


def booleans(codes: NDArray[np.uint8]) -> Coded:
    """Make a column of truth values from the codes 0 missing, 1 false, 2 true."""
    return Coded(codes, (False, True), "boolean", declared=True)


def plain(level: Any) -> Level:
    """Turn a level into a plain Python value; what has none becomes its text."""
    value = level.item() if isinstance(level, np.generic) else level
    if isinstance(value, str):
        return str(value)
    return value if isinstance(value, bool | int | float) else str(level)


def level_unit(levels: tuple[Level, ...]) -> Unit:
    """Tell what levels are: text, numbers, or truth values."""
    if any(isinstance(level, str) for level in levels) or not levels:
        return "text"
    return "boolean" if all(isinstance(level, bool) for level in levels) else "number"


def real(x: NDArray[Any]) -> NDArray[Any]:
    """Give real numbers in a dtype that the core reads: as they are, or else widened."""
    if x.dtype.char in _NATIVE and x.dtype.isnative and x.flags.aligned:
        return x
    if x.dtype.kind in "iub":
        return x.astype(x.dtype.newbyteorder("="))
    if x.dtype.itemsize <= 8:
        return x.astype(np.float32 if x.dtype.itemsize <= 4 else np.float64)
    with np.errstate(over="ignore"):
        narrow = x.astype(np.float64)
    if not ((narrow == x) | np.isnan(x)).all():
        raise DataError(
            f"X holds numbers of dtype {x.dtype} that a float64 cannot hold exactly. "
            f"Hint: round them with X.astype('float64')."
        )
    return narrow


def first_inexact(x: NDArray[Any]) -> int:
    """Find the first of 64-bit integers (in flat order) that is no float64; -1 if all are."""
    if int(x.min()) >= -_EXACT and int(x.max()) <= _EXACT:
        return -1
    with np.errstate(invalid="ignore"):  # 2**63 does not fit back: different, as it should be
        wrong = x.astype(np.float64).astype(x.dtype) != x
    return int(np.argmax(wrong)) if wrong.any() else -1


def distinct(x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The distinct values, sorted, and each one's place among them, as `np.unique` has them.

    A table takes the place of a sort where many whole numbers lie close together.
    """
    close = x.dtype.kind in "iu" and len(x) >= _FEW
    low, high = (int(x.min()), int(x.max())) if close else (0, 2**64)
    if high - low > 2 * len(x) + 1000 or high >= 2**63:
        values, inverse = np.unique(x, return_inverse=True)
        return values, inverse.astype(np.uint32)
    at = x if low == 0 and x.dtype != np.uint64 else np.subtract(x, low, dtype=np.int64)
    seen = counted(at, high - low + 1) > 0
    place = np.cumsum(seen, dtype=np.uint32)
    place -= np.uint32(1)
    # In stretches: numpy makes places of eight bytes of them.
    codes = np.empty(len(at), np.uint32)
    for some in steps(len(at)):
        np.take(place, at[some], out=codes[some])
    return np.flatnonzero(seen) + low, codes
