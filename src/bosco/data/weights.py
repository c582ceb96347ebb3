"""How much each row counts: weights and numbers of samples, in fixed point.

Rows of weight 0 are absent. To the learner whole-number weights are multiplicities, so they are
also the number of samples that its limits count; with other weights each row is one sample.
`class_weight` changes weights, never samples. How many *rows* there are is another matter: what is
shown to people counts weights as rows only if they are said to be copies.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import DataError, KindError

WEIGHT_BITS = 52
"""Sums of weights stay below 2 to this power, so that they are exact in a float64 too."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weight and samples of each row. `weight` None: all 1; `count` None: the same as `weight`.

    `copies` says that a row of weight 2 stands for two rows; `by_class` that classes have weights.

    Examples
    --------
    >>> w = Weights(np.array([1, 3]), None, 2.0, 2)
    >>> w.samples, w.total
    (4, 2.0)
    """

    weight: NDArray[np.int64] | None
    count: NDArray[np.int64] | None
    scale: float
    n_rows: int
    copies: bool = False
    by_class: bool = False

    @property
    def plain(self) -> bool:
        """Whether the learner's weight of any rows is their number."""
        return self.weight is None or (self.copies and not self.by_class)

    @property
    def times(self) -> NDArray[np.int64] | None:
        """How many rows each row stands for; None: one."""
        counted = self.weight if self.count is None else self.count
        return counted if self.copies else None

    @property
    def own(self) -> bool:
        """Whether rows have weights of their own that are no copies, and those alone."""
        return self.weight is not None and not self.copies and not self.by_class

    @property
    def samples(self) -> int:
        """Number of samples."""
        counted = self.weight if self.count is None else self.count
        return self.n_rows if counted is None else int(counted.sum())

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return (self.n_rows if self.weight is None else int(self.weight.sum())) / self.scale


def read_weights(
    given: Any, n_rows: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_] | None]:
    """Check sample weights; give those of the rows that have one, and the mask of these rows.

    None stands for "all 1" and "all rows".
    """
    if given is None:
        return None, None
    try:
        weights = np.asarray(given, np.float64)
    except OverflowError:
        raise DataError(
            "sample_weight holds a whole number of more than 308 digits. Hint: only the ratios of "
            "weights count: divide them all by the largest."
        ) from None
    except Exception as error:  # libraries have errors of their own for what numpy cannot have
        if isinstance(error, MemoryError):
            raise
        got = getattr(given, "dtype", type(given).__name__)
        message = f"sample_weight must hold one number for each row. Got {got}."
        raise DataError(message) from None
    if weights.ndim == 0 and isinstance(given, np.ndarray):
        raise KindError(
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar "
            f"`{weights!r}` instead. sample_weight holds a number for each row."
        )
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: a number for each row."
        )
    for wrong, what in (
        (np.isnan(weights), "contains NaN"),
        (np.isinf(weights), "contains infinity"),
        (weights < 0, "contains a negative value"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"Input sample_weight {what}: row {row} is {weights[row]}. Negative values in data "
                f"passed to `sample_weight`, NaN and infinity have no meaning as weights."
            )
    keep = weights > 0
    if not keep.any():
        raise DataError(
            "Sample weights must contain at least one non-zero number, but all weights are zero."
        )
    if float(weights.max()) < 1e-280:
        raise DataError("sample_weight is too small to be told from zero. Hint: scale it up.")
    kept = weights[keep]
    return None if (kept == 1).all() else kept, None if keep.all() else keep
