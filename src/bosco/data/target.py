"""What is to be learned: y as it is given, every row checked, and as the core sees it.

To the core it is class codes or fixed-point numbers, and weights.

Rows of weight 0 are absent: `keep` says which rows are left, and nothing looks at the others.
"""

from dataclasses import dataclass
from math import ldexp
from typing import Any, ClassVar, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Coded, Numbers, distinct
from bosco.data.objects import from_objects, refuse_complex
from bosco.data.ondisk import counted
from bosco.data.readers import Table, read_values
from bosco.data.recipe import Loss, Outcome, Recipe, class_factors, recipe_of
from bosco.data.sparse import is_sparse
from bosco.data.weights import Weights, read_weights
from bosco.errors import DataError, KindError, did_you_mean


@dataclass(frozen=True, slots=True, eq=False)
class TargetRows:
    """What all kinds of targets have."""

    native: Any
    keep: NDArray[np.bool_] | None  # the rows with a weight; None if all have one
    n_rows: int  # of those given
    weights: Weights  # of the rows kept

    def rows_of(self, table: Table) -> Table:
        """The rows of a table that have a weight, if it has as many rows as the target."""
        if table.n_rows != self.n_rows:
            raise DataError(
                "Found input variables with inconsistent numbers of samples: "
                f"[{table.n_rows}, {self.n_rows}]. X and y must have as many rows as each other."
            )
        return table if self.keep is None else table.take(self.keep)

    @property
    def samples(self) -> int:
        """Number of samples kept."""
        return self.weights.samples

    @property
    def weight(self) -> float:
        """Weight of the rows kept."""
        return self.weights.total

    @property
    def by_class(self) -> NDArray[np.int64]:
        """Rows of each class; of a real target, all."""
        codes, n, times = self.codes, max(1, self.n_classes), self.weights.times  # type: ignore[attr-defined]
        return counted(codes, n) if times is None else np.bincount(codes, times, n).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Labels(TargetRows):
    """Classes to learn, sorted, and the places among them of the labels of the rows kept."""

    classes: NDArray[Any]
    codes: NDArray[np.uint32]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Values(TargetRows):
    """Real numbers to learn, of the rows kept; the core has ``(y - center) * scale``, rounded."""

    center: float
    scale: float
    numbers: NDArray[np.float64]
    loss: Loss = "squared"
    n_classes: ClassVar[int] = 0
    classes: ClassVar[None] = None

    @property
    def codes(self) -> NDArray[np.uint32]:
        """One class for all rows kept."""
        return np.zeros(len(self.numbers), np.uint32)


def encode_labels(
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    fractional: bool,
    spare: int = 0,
    copies: bool = False,
) -> Labels:
    """Encode the labels of a classifier, with the weights of the samples and of the classes.

    `fractional` leaves room for rows that go down several branches in shares, `spare` so many bits
    beyond that for rows that are drawn several times; `copies` says that sample_weight is how often
    each row is there.

    Examples
    --------
    >>> labels = encode_labels(["b", "a", "b"], [1, 2, 0], None, False)
    >>> labels.classes.tolist(), labels.keep.tolist(), labels.samples
    (['a', 'b'], [True, True, False], 3)
    """
    column = target_column(y)
    sample, keep = read_weights(sample_weight, len(column))
    classes, codes = class_codes(column, keep)
    rows = Outcome(len(column), keep, sample, codes, np.zeros(0))
    factor = class_factors(class_weight, classes, rows)
    if factor is not None:
        rows = rows.without(np.flatnonzero(factor == 0).tolist())
    recipe = recipe_of(rows, classes, factor, fractional=fractional, spare=spare, copies=copies)
    return encoded(recipe, rows)  # type: ignore[return-value]


def encode_among(
    y: Any, classes: NDArray[Any], sample_weight: Any, fractional: bool, copies: bool = False
) -> Labels:
    """Encode the labels of other rows among the classes of a model; the rest as `encode_labels`."""
    column = target_column(y)
    sample, keep = read_weights(sample_weight, len(column))
    found, codes = class_codes(column, keep)
    known = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in known]
    if unknown:
        raise DataError(
            f"y holds the label {unknown[0]!r}, which is none of the model's classes "
            f"{list(known)}.{did_you_mean(unknown[0], known)}"
        )
    place = np.array([known[label] for label in found.tolist()], np.uint32)
    rows = Outcome(len(column), keep, sample, place[codes], np.zeros(0))
    return encoded(recipe_of(rows, classes, None, fractional=fractional, copies=copies), rows)  # type: ignore[return-value]


def encode_values(
    y: Any,
    sample_weight: Any,
    fractional: bool,
    spare: int = 0,
    copies: bool = False,
    loss: Loss = "squared",
) -> Values:
    """Encode the real target of a regressor; the rest as `encode_labels` and `recipe_of`."""
    column = target_column(y)
    sample, keep = read_weights(sample_weight, len(column))
    numbers = real_numbers(column, keep)
    rows = Outcome(len(column), keep, sample, np.zeros(len(numbers), np.uint32), numbers)
    asked: dict[str, Any] = {"spare": spare, "copies": copies, "loss": loss}
    recipe = recipe_of(rows, None, None, fractional=fractional, **asked)
    return encoded(recipe, rows)  # type: ignore[return-value]


def encoded(recipe: Recipe, rows: Outcome) -> Labels | Values:
    """Encode rows by a recipe, which may be that of more rows than these."""
    w = recipe.scaling.apply(rows.sample, rows.codes, rows.n_kept)
    native = recipe.native(rows.numbers, rows.codes, w.weight, w.count)
    if recipe.classes is not None:
        return Labels(native, rows.keep, rows.n_rows, w, recipe.classes, rows.codes)
    scale = ldexp(1.0, recipe.exponent)
    of = (recipe.center, scale, rows.numbers, recipe.loss)
    return Values(native, rows.keep, rows.n_rows, w, *of)


def class_codes(
    y: Any, keep: NDArray[np.bool_] | None = None
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """The classes of labels, sorted, and the place of each row among them."""
    column = _kept(target_column(y), keep)
    dtype: Any = object
    if isinstance(column, np.ndarray) and column.dtype.kind == "U":
        texts = np.unique(column)  # a list of them would take ten times the column
        return texts, np.searchsorted(texts, column).astype(np.uint32)
    if isinstance(column, np.ndarray) and column.dtype.kind == "T":
        dtype = column.dtype
        column = from_objects(column.tolist(), "y")  # type: ignore[assignment]
    if isinstance(column, Coded):
        _refuse_first(column.codes == 0, keep)
        used = counted(column.codes, len(column.levels) + 1)[1:].tolist()
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
    if is_sparse(y):
        raise KindError(
            "sparse multilabel-indicator for y is not supported. Hint: y.toarray(), a column for "
            "each output."
        )
    series = (
        None
        if isinstance(y, np.ndarray)
        else nw.from_native(y, pass_through=True, series_only=True)
    )
    if isinstance(series, nw.Series):
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
    """Labels as objects again, where numpy made text of what is none: NaN, None, numbers.

    Whole numbers among names are names, as in scikit-learn, unless two labels would become one.
    """
    if set(map(type, y)) <= {str, np.str_} or texts.shape != (len(y),):
        return texts
    if set(map(type, y)) <= {str, np.str_, int} and len(set(y)) == len(set(map(str, y))):
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
