"""How much each row counts: weights and numbers of samples, in fixed point.

Rows of weight 0 are absent. Whole-number weights are multiplicities, so they are also the number of
samples; with other weights each row is one sample. `class_weight` changes weights, never samples.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.fixedpoint import fix_weights

__all__ = ["WEIGHT_BITS", "Weights", "class_factors", "read_weights"]

_LARGEST = sys.float_info.max

WEIGHT_BITS = 52
"""Sums of weights stay below 2 to this power, so that they are exact in a float64 too."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weight and samples of each row. `weight` None: all 1; `count` None: the same as `weight`.

    Examples
    --------
    >>> w = Weights.fix(np.array([0.5, 1.5]), None, 2, limit=2**52)
    >>> w.weight, w.scale, w.samples, w.total
    (array([1, 3]), 2.0, 2, 2.0)
    """

    weight: NDArray[np.int64] | None
    count: NDArray[np.int64] | None
    scale: float
    n_rows: int

    @classmethod
    def fix(
        cls,
        sample: NDArray[np.float64] | None,
        factor: NDArray[np.float64] | None,
        n_rows: int,
        limit: int,
        rounded_limit: int | None = None,
    ) -> "Weights":
        """Give sample weights, times what class_weight asks for, as integers.

        Parameters
        ----------
        sample, factor : ndarray of float64, or None
            Positive; None: all 1.
        n_rows : int
        limit, rounded_limit : int
            The integers sum to less than `limit`; than `rounded_limit` if they must be rounded.
        """
        if sample is None and factor is None:
            return cls(None, None, 1.0, n_rows)
        ones = np.ones(n_rows)
        sample = ones if sample is None else sample
        with np.errstate(over="ignore"):
            product = sample if factor is None else sample * factor
        if not np.isfinite(product).all() or not product.all():
            raise DataError("sample_weight times class_weight leaves the range of float64.")
        fixed = fix_weights(product, limit, rounded_limit)
        counts = fix_weights(sample, limit) if factor is not None else fixed
        if counts.scale != 1.0 or (sample != counts.integers).any():
            counted: NDArray[np.int64] | None = ones.astype(np.int64)
        else:
            counted = None if factor is None else counts.integers
        return cls(fixed.integers, counted, fixed.scale, n_rows)

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

    Examples
    --------
    >>> read_weights([2, 0, 1], 3)
    (array([2., 1.]), array([ True, False,  True]))
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
    if keep.all():
        return (None, None) if (weights == 1).all() else (weights, None)
    return weights[keep], keep


def class_factors(
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    sample: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Give what class_weight multiplies the weight of each row with; None: 1.

    Examples
    --------
    >>> class_factors("balanced", np.array(["a", "b"]), np.array([0, 0, 1], np.uint32), None)
    array([0.75, 0.75, 1.5 ])
    """
    if class_weight is None:
        return None
    n_classes = len(classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        # Weights in fixed point, so that the order of the rows cannot change the last digit.
        exact = None if sample is None else fix_weights(sample, 2**WEIGHT_BITS).integers
        totals = np.bincount(codes, exact, n_classes)
        balance: NDArray[np.float64] = totals.sum() / (n_classes * totals)
        return balance[codes]
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            "class_weight must be a mapping of classes to weights, 'balanced' or None. "
            f"Got {class_weight!r}."
        )
    for name, weight in class_weight.items():
        if not isinstance(weight, Real) or weight < 0 or not weight <= _LARGEST:
            raise ParameterError(
                f"class_weight[{name!r}] must be a finite number, not negative. Got {weight!r:.60}."
            )
    labels = classes.tolist()
    without = [label for label in labels if label not in class_weight]
    unknown = [label for label in class_weight if label not in labels]
    if without and unknown:
        raise ParameterError(
            f"class_weight names {unknown[0]!r}, which is not a class, and gives no weight to "
            f"{without[0]!r}.{did_you_mean(unknown[0], without)}"
        )
    return np.array([class_weight.get(label, 1.0) for label in labels], np.float64)[codes]
