"""The target as it is given: labels as classes and their places, or real numbers; all checked."""

from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Coded, Numbers, distinct
from bosco.data.objects import from_objects, refuse_complex
from bosco.data.readers import read_values
from bosco.errors import DataError


def class_codes(
    y: Any, keep: NDArray[np.bool_] | None = None
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The classes of labels, sorted, and the place of each row among them."""
    column = _kept(target_column(y), keep)
    dtype: Any = object
    if isinstance(column, np.ndarray) and column.dtype.kind in "UT":
        dtype = column.dtype
        column = from_objects(column.tolist(), "y")  # type: ignore[assignment]
    if isinstance(column, Coded):
        _refuse_first(column.codes == 0, keep)
        used = np.bincount(column.codes, minlength=len(column.levels) + 1)[1:].tolist()
        levels = [level for level, rows in zip(column.levels, used, strict=True) if rows]
        levels.sort(key=lambda level: (isinstance(level, str), level))
        classes = np.array(levels, dtype if isinstance(levels[-1], str) else None)
        codes = column.recode(tuple(levels)).astype(np.uint32)
        codes -= 1
        return classes, codes
    kind = column.dtype.kind
    if kind == "f":
        with np.errstate(invalid="ignore"):
            whole = column.astype(np.int64)
        if not (whole == column).all():
            _refuse_first(np.isnan(column), keep)
            if not (column == np.rint(column)).all() or np.isinf(column).any():
                raise DataError(
                    "Unknown label type: continuous. Maybe you are trying to fit a classifier, "
                    "which expects discrete classes on a regression target with continuous values."
                )
            whole = column  # whole numbers beyond int64
        classes, codes = distinct(whole)
        return classes.astype(column.dtype), codes
    if kind in "Mm":
        _refuse_first(np.isnat(column), keep)
    classes, codes = distinct(column.view(np.uint8) if kind == "b" else column)
    return classes.astype(column.dtype), codes


def real_numbers(y: Any, keep: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """A real target as float64, every number checked."""
    column = _kept(target_column(y), keep)
    if isinstance(column, Coded):
        _refuse_first(column.codes == 0, keep)
        if column.unit == "text":
            _refuse_text(column.levels[0])
        return column.numbers("y").values
    if column.dtype.kind in "UT":
        _refuse_text(column[0])
    if column.dtype.kind not in "fiub":
        raise DataError(
            f"y must hold numbers to be learned by regression, but is of dtype {column.dtype}. "
            f"Hint: a classifier learns labels; a date or a duration must be made a number."
        )
    Numbers(column).require_exact("y")
    numbers = np.asarray(column, np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        _refuse_first(np.isnan(numbers), keep)
        row = _row(int(np.argmin(finite)), keep)
        raise DataError(
            f"Input y contains infinity or a value too large for dtype('float64'): row {row} is "
            f"{column[np.argmin(finite)]}."
        )
    return numbers


def target_column(y: Any) -> NDArray[Any] | Coded:
    """y as one column, its rows not looked at yet; one that is so already stays as it is."""
    if isinstance(y, Coded):
        return y
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None.")
    if not isinstance(y, np.ndarray) and _is_series(y):
        cells = read_values(y, "y")
        if isinstance(cells, Coded):
            return cells
        y = cells.values if cells.unit == "number" else y
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        _refuse_missing(int(np.argmax(np.ma.getmaskarray(y))))
    try:
        array = np.asarray(y)
        if array.ndim != 1:
            from sklearn.utils.validation import column_or_1d

            array = column_or_1d(array, warn=True)
    except ValueError as error:
        raise DataError(str(error)) from None
    if array.dtype.kind == "U" and isinstance(y, list | tuple):
        array = _with_missing(y, array)
    if array.dtype.kind == "c":
        refuse_complex()
    if not len(array):
        raise DataError(
            "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required."
        )
    if array.dtype.kind == "O":
        cells = from_objects(array.tolist(), "y")
        if isinstance(cells, Coded):
            return cells
        array = cells.values if cells.unit == "number" else array
    return array


def _is_series(y: Any) -> bool:
    return isinstance(nw.from_native(y, series_only=True, pass_through=True), nw.Series)


def _with_missing(y: list[Any] | tuple[Any, ...], texts: NDArray[Any]) -> NDArray[Any]:
    """Labels as objects again, where numpy made text of what is none: NaN, None, numbers."""
    if set(map(type, y)) <= {str, np.str_} or texts.shape != (len(y),):
        return texts
    return np.array(y, object)


def _kept(column: NDArray[Any] | Coded, keep: NDArray[np.bool_] | None) -> NDArray[Any] | Coded:
    if keep is None:
        return column
    return column.take(keep) if isinstance(column, Coded) else column[keep]


def _refuse_text(label: object) -> NoReturn:
    raise DataError(
        f"y must hold numbers to be learned by regression, but holds text ({str(label)!r}, …). "
        f"Hint: a classifier learns labels."
    )


def _row(kept_row: int, keep: NDArray[np.bool_] | None) -> int:
    return kept_row if keep is None else int(np.flatnonzero(keep)[kept_row])


def _refuse_first(missing: NDArray[np.bool_], keep: NDArray[np.bool_] | None) -> None:
    if missing.any():
        _refuse_missing(_row(int(np.argmax(missing)), keep))


def _refuse_missing(row: int) -> NoReturn:
    raise DataError(
        f"Input y contains NaN: the target of row {row} is missing. "
        f"Hint: drop such rows from X and y."
    )
