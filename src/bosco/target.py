"""What is to be learned, as the core sees it: class codes or fixed-point numbers, and weights.

Rows of weight 0 are absent: `keep` says which rows are left, and nothing looks at the others.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bosco.columns import Coded, Numbers
from bosco.errors import DataError, did_you_mean
from bosco.fixedpoint import fix_values
from bosco.objects import from_objects, refuse_complex
from bosco.readers import read_values
from bosco.weights import WEIGHT_BITS, Weights, class_factors, read_weights

__all__ = [
    "Labels",
    "Values",
    "class_codes",
    "encode_among",
    "encode_labels",
    "encode_values",
    "real_numbers",
]

_BITS = 62  # that sums may take
_SHARE_BITS = 24  # of them, where rows go down several branches in shares


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Classes to learn.

    `classes` are sorted; `keep` is the mask of the rows with a weight, None if all have one;
    `n_rows` counts the rows given, `samples` and `weight` add up those kept, `codes` are the places
    of their labels among the classes.

    Examples
    --------
    >>> encode_labels([3, 1, 3], None, None, False).classes
    array([1, 3])
    """

    classes: NDArray[Any]
    native: Any
    keep: NDArray[np.bool_] | None
    n_rows: int
    samples: int
    weight: float
    codes: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Real numbers to learn; `keep`, `n_rows`, `samples` and `weight` as in `Labels`.

    The core has ``(y - center) * scale``, rounded; `numbers` are those of the rows kept.

    Examples
    --------
    >>> encode_values([0.5, 2.5], [3, 1], False).samples
    4
    """

    native: Any
    keep: NDArray[np.bool_] | None
    n_rows: int
    samples: int
    weight: float
    center: float
    scale: float
    numbers: NDArray[np.float64]


def encode_labels(
    y: Any, sample_weight: Any, class_weight: Any, fractional: bool, spare: int = 0
) -> Labels:
    """Encode the labels of a classifier.

    Parameters
    ----------
    y : sequence of labels
        Text, whole numbers, truth values, …; none missing.
    sample_weight : sequence of numbers, number or None
        Not negative, not all 0.
    class_weight : mapping of labels to numbers, "balanced" or None
        "balanced": every class has the same total weight.
    fractional : bool
        Leave room for rows that go down several branches in shares.
    spare : int, default=0
        Bits of room to leave beyond that, for rows that are drawn several times.

    Examples
    --------
    >>> labels = encode_labels(["b", "a", "b"], [1, 2, 0], None, False)
    >>> labels.classes.tolist(), labels.keep.tolist(), labels.samples
    (['a', 'b'], [True, True, False], 3)
    """
    from bosco import _core

    column = _column(y)
    sample, keep = read_weights(sample_weight, len(column))
    classes, codes = _classes(_kept(column, keep), keep)
    factor = class_factors(class_weight, classes, codes, sample)
    if factor is not None and not factor.all():
        weighty = factor > 0
        keep = _narrowed(keep, weighty)
        codes, factor = codes[weighty], factor[weighty]
        sample = None if sample is None else sample[weighty]
    limit = 2 ** ((_BITS - _SHARE_BITS if fractional else WEIGHT_BITS) - spare)
    w = Weights.fix(sample, factor, len(codes), limit)
    native = _core.Target.classes(codes, len(classes), w.weight, w.count, w.scale)
    return Labels(classes, native, keep, len(column), w.samples, w.total, codes)


def encode_among(y: Any, classes: NDArray[Any], sample_weight: Any, fractional: bool) -> Labels:
    """Encode the labels of other rows among classes that are known already.

    Parameters
    ----------
    y : sequence of labels
        None missing, all of them among the classes.
    classes : ndarray
        The classes of a model, sorted.
    sample_weight, fractional
        As in `encode_labels`.

    Examples
    --------
    >>> encode_among(["b"], np.array(["a", "b"]), None, False).classes
    array(['a', 'b'], dtype='<U1')
    """
    from bosco import _core

    column = _column(y)
    sample, keep = read_weights(sample_weight, len(column))
    found, codes = _classes(_kept(column, keep), keep)
    known = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in known]
    if unknown:
        raise DataError(
            f"y holds the label {unknown[0]!r}, which is none of the model's classes "
            f"{list(known)}.{did_you_mean(unknown[0], known)}"
        )
    place = np.array([known[label] for label in found.tolist()], np.uint32)
    limit = 2 ** (_BITS - _SHARE_BITS if fractional else WEIGHT_BITS)
    w = Weights.fix(sample, None, len(codes), limit)
    native = _core.Target.classes(place[codes], len(classes), w.weight, w.count, w.scale)
    return Labels(classes, native, keep, len(column), w.samples, w.total, place[codes])


def encode_values(y: Any, sample_weight: Any, fractional: bool, spare: int = 0) -> Values:
    """Encode the real target of a regressor.

    Parameters
    ----------
    y : sequence of numbers
        Finite.
    sample_weight, fractional, spare
        As in `encode_labels`.

    Examples
    --------
    >>> encode_values([1.5, 2.5], [0.5, 0.25], False).weight
    0.75
    """
    from bosco import _core

    column = _column(y)
    sample, keep = read_weights(sample_weight, len(column))
    numbers = _real(_kept(column, keep), keep)
    n = len(numbers)
    bits = _BITS - (_SHARE_BITS if fractional else 0) - spare
    # Rounded weights and targets get the same number of digits each.
    w = Weights.fix(sample, None, n, 2 ** (bits * 3 // 4), 2 ** ((bits + n.bit_length()) // 2))
    fixed = fix_values(numbers, w.weight, 2**bits)
    native = _core.Target.real(
        fixed.integers, w.weight, w.count, w.scale, fixed.center, fixed.scale
    )
    return Values(native, keep, len(column), w.samples, w.total, fixed.center, fixed.scale, numbers)


def class_codes(
    y: Any, keep: NDArray[np.bool_] | None = None
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The classes of labels, sorted, and the place of each row among them.

    Examples
    --------
    >>> class_codes(["b", "a", "b"])
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1], dtype=uint32))
    """
    return _classes(_kept(_column(y), keep), keep)


def real_numbers(y: Any, keep: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """A real target as float64, every number checked.

    Examples
    --------
    >>> real_numbers([1, 2.5])
    array([1. , 2.5])
    """
    return _real(_kept(_column(y), keep), keep)


def _column(y: Any) -> NDArray[Any] | Coded:
    """y as one column, its rows not looked at yet."""
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None.")
    if not isinstance(y, np.ndarray) and isinstance(_series(y), nw.Series):
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


def _with_missing(y: list[Any] | tuple[Any, ...], texts: NDArray[Any]) -> NDArray[Any]:
    """Labels as objects again, where numpy made text of what is none: NaN, None, numbers."""
    if set(map(type, y)) <= {str, np.str_} or texts.shape != (len(y),):
        return texts
    return np.array(y, object)


def _series(y: Any) -> Any:
    return nw.from_native(y, series_only=True, pass_through=True)


def _kept(column: NDArray[Any] | Coded, keep: NDArray[np.bool_] | None) -> NDArray[Any] | Coded:
    if keep is None:
        return column
    return column.take(keep) if isinstance(column, Coded) else column[keep]


def _narrowed(keep: NDArray[np.bool_] | None, still: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask of rows, less those of the rows kept so far that are not kept still."""
    if not still.any():
        raise DataError("All classes have zero weight; class_weight must leave at least one.")
    if keep is None:
        return still
    narrowed = keep.copy()
    narrowed[keep] = still
    return narrowed


def _classes(
    column: NDArray[Any] | Coded, keep: NDArray[np.bool_] | None
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The classes, sorted, and the place of each row among them."""
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
        classes, codes = _distinct(whole)
        return classes.astype(column.dtype), codes
    if kind in "Mm":
        _refuse_first(np.isnat(column), keep)
    classes, codes = _distinct(column.view(np.uint8) if kind == "b" else column)
    return classes.astype(column.dtype), codes


def _distinct(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """As `np.unique`, with a table instead of a sort where whole numbers lie close together."""
    low, high = (int(y.min()), int(y.max())) if y.dtype.kind in "iu" else (0, 2**64)
    if high - low > 2 * len(y) + 1000 or high >= 2**63:
        classes, inverse = np.unique(y, return_inverse=True)
        return classes, inverse.astype(np.uint32)
    at = np.subtract(y, low, dtype=np.int64) if low else y
    seen = np.bincount(at) > 0
    place = np.cumsum(seen, dtype=np.uint32)
    place -= np.uint32(1)
    return np.flatnonzero(seen) + low, place[at]


def _real(column: NDArray[Any] | Coded, keep: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """The real target as float64, every number checked."""
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
    y = np.asarray(column, np.float64)
    finite = np.isfinite(y)
    if not finite.all():
        _refuse_first(np.isnan(y), keep)
        row = _row(int(np.argmin(finite)), keep)
        raise DataError(
            f"Input y contains infinity or a value too large for dtype('float64'): row {row} is "
            f"{column[np.argmin(finite)]}."
        )
    return y


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
