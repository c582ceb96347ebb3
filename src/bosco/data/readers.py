"""Any X as a table of columns.

A real numpy matrix stays one, untouched. Everything else is taken column by column: object arrays,
lists of lists or of dicts, dicts of columns, pandas, and what narwhals reads (polars, pyarrow, …).
pandas is read directly, because its own arrays and category codes are at hand there; no frame
library is imported.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import methodcaller
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_dataframe
from narwhals.exceptions import NarwhalsError
from numpy.typing import NDArray

from bosco.base.dates import days_from, microseconds_from, unit_of
from bosco.data.columns import Cells, Coded, Numbers, booleans, from_codes, real
from bosco.data.objects import from_objects, refuse_complex
from bosco.data.sparse import as_columns, column_of, is_sparse
from bosco.errors import DataError, KindError


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with names. `matrix` holds them all if X was a real matrix; `rows` are their numbers.

    Of a sparse matrix `sparse` holds them, column by column.

    Examples
    --------
    >>> table = read_table({"age": [20, 30], "smoker": [True, None]})
    >>> table.names, table.n_rows, table.column(1).levels
    (('age', 'smoker'), 2, (False, True))
    """

    names: tuple[str, ...]
    named: bool
    n_rows: int
    columns: tuple[Cells, ...] = ()
    matrix: NDArray[Any] | None = None
    rows: NDArray[Any] | None = None
    sparse: Any = None

    def column(self, j: int) -> Cells:
        """Give one column."""
        if self.sparse is not None:
            return Numbers(column_of(self.sparse, j))
        return self.columns[j] if self.matrix is None else Numbers(self.matrix[:, j])

    def take(self, rows: NDArray[Any]) -> "Table":
        """Keep some rows, given as a mask or as numbers."""
        kept = np.arange(self.n_rows)[rows]
        return replace(
            self,
            n_rows=len(kept),
            columns=tuple(column.take(rows) for column in self.columns),
            matrix=None if self.matrix is None else self.matrix[rows],
            sparse=None if self.sparse is None else as_columns(self.sparse[rows]),
            rows=kept if self.rows is None else self.rows[kept],
        )

    def row(self, i: int) -> int:
        """Give the number that a row had in X."""
        return i if self.rows is None else int(self.rows[i])


def read_table(X: Any) -> Table:
    """Read any X; a table is handed back as it is. A dict of single values is one row.

    Examples
    --------
    >>> read_table([[1, "a"], [2, "b"]]).column(1).codes
    array([1, 2], dtype=uint8)
    """
    if isinstance(X, Table):
        return X
    if hasattr(X, "as_table"):  # files: see `bosco.scan`
        made: Table = X.as_table()
        return made
    if isinstance(X, np.ndarray):
        return _from_matrix(X)
    if is_pandas_dataframe(X):
        if _is_one_block(X):
            return replace(_table(X.columns, (), len(X)), matrix=real(X.to_numpy()))
        return _table(X.columns, (_from_pandas(s, str(name)) for name, s in X.items()), len(X))
    if is_sparse(X):  # before dicts, which some sparse matrices are
        return _from_sparse(X)
    if isinstance(X, Mapping):
        return _from_mapping(X)
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        names = list(dict.fromkeys(chain.from_iterable(X)))
        cells = (from_objects(list(map(methodcaller("get", n), X)), str(n)) for n in names)
        return _table(names, cells, len(X))
    try:
        frame = nw.from_native(X, pass_through=True)
    except NarwhalsError as error:
        raise DataError(f"X is a frame that cannot be read: {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise KindError("X is a lazy frame, whose rows are not there yet. Hint: X.collect().")
    if isinstance(frame, nw.DataFrame):
        cells = (from_series(s, s.name) for s in frame.iter_columns())
        return _table(frame.columns, cells, len(frame))
    return _from_matrix(_as_array(X))


def given_to_fit(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """X, y and weights; a scan of files is asked for those that are named."""
    if hasattr(X, "parts_of_fit"):
        parts: tuple[Any, Any, Any] = X.parts_of_fit(y, sample_weight)
        return parts
    return X, y, sample_weight


def from_array(x: NDArray[Any], column: str) -> Cells:
    """Read a 1-D numpy array."""
    kind = x.dtype.kind
    if kind in "fiu":
        return Numbers(real(x))
    if kind == "b":
        return booleans(x.view(np.uint8) + np.uint8(1))
    if kind in "Mm":
        unit = unit_of(x)
        counted = days_from if unit == "date" else microseconds_from
        return Numbers(counted(x, column), unit)
    if kind == "c":
        refuse_complex()
    return from_objects(x.tolist(), column)


def read_values(values: Any, column: str) -> Cells:
    """Read one column: a list, an array, or a series of any frame library."""
    if isinstance(values, list | tuple):
        return from_objects(values, column)
    series = nw.from_native(_as_series(values), series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        native = series.to_native()
        pandas = series.implementation.is_pandas()
        return _from_pandas(native, column) if pandas else from_series(series, column)
    array = values if np.ma.isMaskedArray(values) else np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"Column {column!r} must be one sequence, but its shape is {array.shape}.")
    return _from_matrix(array[:, np.newaxis]).column(0)


def _as_series(values: Any) -> Any:
    """A bare array of pandas or pyarrow as a series, which says what it is: numpy would not."""
    library = sys.modules.get(type(values).__module__.partition(".")[0])
    if getattr(library, "__name__", "") == "pandas" and hasattr(values, "dtype"):
        return library.Series(values, copy=False)  # type: ignore[union-attr]
    if getattr(library, "__name__", "") == "pyarrow" and isinstance(values, library.Array):  # type: ignore[union-attr]
        return library.chunked_array([values])  # type: ignore[union-attr]
    return values


def _table(names: Iterable[Any], columns: Iterable[Cells], n_rows: int) -> Table:
    """Check the names, then read the columns."""
    given = list(names)
    texts = tuple(map(str, given))
    kinds = sorted({type(name).__name__ for name in given if not isinstance(name, str)})
    if kinds and any(isinstance(name, str) for name in given):
        raise KindError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {[*kinds, 'str']} as feature name / column name types. "
            "Hint: X.columns = X.columns.astype(str)."
        )
    if len(set(texts)) < len(texts):
        twice = sorted(name for name, n in Counter(texts).items() if n > 1)
        more = f" and {len(twice) - 20} more" if len(twice) > 20 else ""
        raise DataError(f"Column names must be unique, but these are not: {twice[:20]}{more}.")
    _require_cells((n_rows, len(texts)))
    return Table(texts, named=not kinds, n_rows=n_rows, columns=tuple(columns))


def _from_mapping(X: Mapping[Any, Any]) -> Table:
    if X and not any(hasattr(v, "__len__") and not isinstance(v, str | bytes) for v in X.values()):
        return read_table([X])
    lengths = {name: len(values) for name, values in X.items() if hasattr(values, "__len__")}
    n_rows = next(iter(lengths.values()), 0)
    wrong = {name: n for name, n in lengths.items() if n != n_rows}
    if wrong or len(lengths) < len(X):
        raise DataError(
            f"All columns of a dict must be sequences of one length; got the lengths {lengths}."
        )
    return _table(X, (read_values(v, str(name)) for name, v in X.items()), n_rows)


def _is_one_block(X: Any) -> bool:
    """Whether a pandas frame is one matrix of numbers that can be had without a copy."""
    n_rows, n_columns = X.shape
    dtypes = set(X.dtypes.tolist())
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if not isinstance(dtype, np.dtype) or dtype.kind not in "fiu" or not n_rows:
        return False
    ends = [X.iloc[:, j].to_numpy().__array_interface__["data"][0] for j in (0, -1)]
    between = (n_columns - 1) * dtype.itemsize
    return abs(ends[1] - ends[0]) in (between, between * n_rows)


def _from_pandas(series: Any, column: str) -> Cells:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return from_array(series.to_numpy(), column)
    values = series.array
    if hasattr(values, "categories"):
        return from_codes(values.codes, values.categories, ordered=bool(dtype.ordered))
    if str(dtype).startswith("dictionary<"):  # pyarrow's, which says more than pandas about it
        return read_values(values.__arrow_array__(), column)
    if str(dtype).startswith("Sparse"):
        return from_array(np.asarray(series), column)
    if str(dtype).startswith("period"):
        raise KindError(f"Column {column!r} holds periods. Hint: use .dt.to_timestamp() on it.")
    if str(dtype).partition("[")[0] in ("str", "string", "large_string"):
        codes, levels = series.factorize()
        return _sorted(from_codes(codes, levels))
    return from_series(nw.from_native(series, series_only=True), column)


def from_series(series: "nw.Series[Any]", column: str) -> Cells:
    """Read a column of a frame through narwhals."""
    dtype, nulls = series.dtype, series.null_count()
    if dtype.is_nested():
        raise KindError(
            f"Column {column!r} holds values of type {dtype}; a cell must be one value. Hint: give "
            f"each of their parts a column of its own."
        )
    if nulls == len(series):
        return Numbers(np.full(len(series), np.nan))
    if dtype.is_integer() and nulls:
        low, high = series.min(), series.max()
        if max(-low, high) > 2**53:
            raise DataError(
                f"Column {column!r} holds whole numbers beyond 2**53 ({low} … {high}) next to "
                f"missing values. Hint: give it as text if it is a code, as floats if a quantity."
            )
    if dtype in (nw.Int128, nw.UInt128):  # which numpy has not
        return from_objects(series.to_list(), column)
    if dtype == nw.Boolean:
        codes = (series.cast(nw.Int8) + 1).fill_null(0).to_numpy()
        return booleans(codes.astype(np.uint8))
    if dtype.is_decimal():  # by their digits: Arrow's own way there is off in the last bit
        series = series.cast(nw.String)
    if dtype.is_decimal() or (dtype.is_numeric() and nulls):
        return Numbers(series.cast(nw.Float64).to_numpy().astype(np.float64))
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _from_texts(series)
    values = series.to_numpy()
    if dtype == nw.Datetime and getattr(dtype, "time_zone", None):
        return Numbers(microseconds_from(values, column), "instant")
    return from_array(values, column)


def _from_texts(series: "nw.Series[Any]") -> Cells:
    """Read text, categories and enumerations without turning rows into Python objects."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        if series.dtype == nw.String:
            native = native.dictionary_encode()
        if str(native.type.value_type) == "null":
            return Numbers(np.full(len(series), np.nan))
        native = each_level_once(native)
        wide = native.indices.cast("int64")  # they may be unsigned
        indices = wide.fill_null(-1).to_numpy(zero_copy_only=False)
        coded = from_codes(indices, native.dictionary.to_pylist(), ordered=native.type.ordered)
        return coded if series.dtype == nw.Categorical else _sorted(coded)
    if not series.implementation.is_polars():
        return _from_pandas(series.to_pandas(), series.name)
    if series.dtype == nw.String:
        native = series.cast(nw.Categorical).to_native()
    codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
    if series.dtype == nw.Enum:
        return from_codes(codes, native.dtype.categories)
    rows = np.full(codes.max() + 2, -1)  # of each code, a row that has it; the last is for -1
    rows[codes] = np.arange(len(codes))
    used = np.flatnonzero(rows[:-1] >= 0)
    place = np.full(len(rows), -1)
    place[used] = np.arange(len(used))
    return _sorted(from_codes(place[codes], native.gather(rows[used]).to_list()))


def each_level_once(column: Any) -> Any:
    """Give a chunked dictionary of pyarrow as one, no entry of which is missing or comes twice."""

    def sound(chunk: Any) -> Any:
        entries = chunk.dictionary
        once = entries.dictionary_encode()
        if not entries.null_count and len(once.dictionary) == len(entries):
            return chunk
        codes = once.indices.take(chunk.indices)
        return type(chunk).from_arrays(codes, once.dictionary, ordered=chunk.type.ordered)

    given = column.chunks
    chunks = [sound(chunk) for chunk in given]
    if any(made is not chunk for made, chunk in zip(chunks, given, strict=True)):
        arrow = sys.modules["pyarrow"]  # whoever has such a column has imported it
        kind = arrow.dictionary(arrow.int32(), column.type.value_type, column.type.ordered)
        column = arrow.chunked_array([chunk.cast(kind) for chunk in chunks], kind)
    return column.unify_dictionaries().combine_chunks()


def _sorted(coded: Coded) -> Coded:
    """Levels that a column merely has, in order."""
    levels = tuple(sorted(map(str, coded.levels)))
    return Coded(coded.recode(levels), levels)


def _as_array(X: Any) -> NDArray[Any]:
    if X is None or isinstance(X, str | bytes):
        raise KindError(
            f"X must be a table (an array, a dataframe, a dict of columns, a list of dicts). "
            f"Got {X!r:.60}."
        )
    if not isinstance(X, list | tuple):
        return np.asarray(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in X]
        row = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
        if row is None:
            raise DataError(
                "A cell of X must be one value, but some are sequences. Hint: give each of their "
                "elements a column of its own."
            ) from error
        raise DataError(
            f"The rows of X must have one length, but row 0 has {lengths[0]} cells and row {row} "
            f"has {lengths[row]}."
        ) from error
    # numpy would turn [1, "a"] into two texts
    return np.array(X, object) if array.dtype.kind in "US" else array


def _from_matrix(X: NDArray[Any]) -> Table:
    if X.dtype.kind == "V":
        raise KindError(
            "X is a structured array. Hint: {name: X[name] for name in X.dtype.names} is a table."
        )
    if X.dtype.kind == "c":
        refuse_complex()
    if X.ndim < 2:
        got = "scalar" if X.ndim == 0 else "1D"
        shown = np.array2string(np.ma.getdata(X), threshold=10)
        raise DataError(
            f"Expected 2D array, got {got} array instead:\narray={shown}.\nReshape your data "
            "either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if X.ndim > 2:
        raise DataError(f"Found array with dim {X.ndim}, while dim <= 2 is required.")
    _require_cells(X.shape)
    n_rows, n_columns = X.shape
    names = tuple(f"x{j}" for j in range(n_columns))
    if np.ma.isMaskedArray(X):
        cells = np.ma.getdata(X).astype(object)
        cells[np.ma.getmaskarray(X)] = None
        X = cells
    X = np.asarray(X)  # a column of a np.matrix would be a matrix
    if X.dtype.kind in "fiu":
        return Table(names, named=False, n_rows=n_rows, matrix=real(X))
    columns = tuple(from_array(X[:, j], names[j]) for j in range(n_columns))
    return Table(names, named=False, n_rows=n_rows, columns=columns)


def _from_sparse(X: Any) -> Table:
    if len(X.shape) != 2:
        raise DataError(f"Expected 2D array, got a sparse array of shape {X.shape} instead.")
    _require_cells(X.shape)
    n_rows, n_columns = X.shape
    names = tuple(f"x{j}" for j in range(n_columns))
    return Table(names, named=False, n_rows=n_rows, sparse=as_columns(X))


def _require_cells(shape: Sequence[int]) -> None:
    for size, said in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise DataError(
                f"Found array with 0 {said} (shape={tuple(shape)}) while a minimum of 1 is "
                f"required."
            )
