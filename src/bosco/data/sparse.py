"""Sparse matrices: columns of numbers of which only those that are not 0 are kept.

The core reads them where they lie, and makes of each cell one byte, its code. Nothing makes such a
table dense in its own numbers.
"""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import first_inexact
from bosco.data.objects import refuse_complex
from bosco.errors import DataError

__all__ = ["as_columns", "column_of", "is_sparse", "refuse_nan"]

_LARGEST = 2**31 - 1  # of rows, and of numbers that are kept, as the core counts them
_SHARE = 0.5  # of the machine's memory that the codes may take


def is_sparse(X: Any) -> bool:
    """Whether it is a sparse matrix or array of scipy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def as_columns(X: Any) -> Any:
    """A sparse table by its columns, each in the order of its rows, every number once."""
    if X.dtype.kind == "c":
        refuse_complex()
    n_rows, n_columns = X.shape
    _require_room(n_rows, n_columns, X.nnz)
    columns = X.tocsc(copy=False)
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    kept = columns.data
    if kept.dtype.kind in "iu" and kept.dtype.itemsize == 8 and len(kept):
        _require_exact(kept)
    parts = (kept, np.float64), (columns.indices, np.int32), (columns.indptr, np.int32)
    arrays = tuple(array.astype(dtype, copy=False) for array, dtype in parts)
    return type(columns)(arrays, shape=(n_rows, n_columns))  # of its own: X stays as it is


def column_of(columns: Any, j: int) -> NDArray[np.float64]:
    """One column with its zeros."""
    found = np.zeros(columns.shape[0])
    own = slice(columns.indptr[j], columns.indptr[j + 1])
    found[columns.indices[own]] = columns.data[own]
    return found


def refuse_nan(columns: Any) -> None:
    """Refuse missing values: in a sparse table, where nothing is said of them, an accident."""
    empty = np.flatnonzero(np.isnan(columns.data))
    if empty.size:
        column = int(np.searchsorted(columns.indptr, empty[0], "right")) - 1
        raise DataError(
            f"Input X contains NaN: it is sparse, and column {column}, row "
            f"{columns.indices[empty[0]]} is missing. In a sparse table what is not kept is 0, and "
            "NaN is rarely meant. Hint: missing='learn', said, learns from missing values."
        )


def _require_exact(kept: NDArray[Any]) -> None:
    """Refuse whole numbers that change when they become float64."""
    at = first_inexact(kept)
    if at >= 0:
        raise DataError(
            f"X holds {kept[at]}, a whole number beyond 2**53 that a float64 cannot hold exactly."
        )


def _require_room(n_rows: int, n_columns: int, stored: int) -> None:
    cells = n_rows * n_columns
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not say
        memory = 2**62
    if cells > _SHARE * memory:
        raise DataError(
            f"X is sparse, of {n_rows:,} x {n_columns:,} cells. Learning and predicting keep a "
            f"byte for each, {cells / 2**30:,.1f} GiB, and the machine has {memory / 2**30:,.1f} "
            f"GiB. Hint: keep the columns that matter (sklearn.feature_selection)."
        )
    if max(n_rows, n_columns, stored) > _LARGEST:
        raise DataError(
            f"X has {n_rows:,} rows, {n_columns:,} columns and keeps {stored:,} numbers; there can "
            f"be {_LARGEST:,} of each."
        )
