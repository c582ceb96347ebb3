"""How much each row counts: weights and numbers of samples, in fixed point.

Rows of weight 0 are absent. To the learner whole-number weights are multiplicities, so they are
also the number of samples that its limits count; with other weights each row is one sample.
`class_weight` changes weights, never samples. How many *rows* there are is another matter: what is
shown to people counts weights as rows only if they are said to be copies.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.fixedpoint import Fixed, fix_factors, fix_weights
from bosco.errors import DataError, ParameterError, did_you_mean

_LARGEST = sys.float_info.max

WEIGHT_BITS = 52
"""Sums of weights stay below 2 to this power, so that they are exact in a float64 too."""

_DIGITS = 4  # kept free after the point of sample weights where classes have weights too


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weight and samples of each row. `weight` None: all 1; `count` None: the same as `weight`.

    `copies` says that a row of weight 2 stands for two rows; `by_class` that classes have weights.

    Examples
    --------
    >>> w = Weights.fix(np.array([0.5, 1.5]), 2, 2**52, 2**52)
    >>> w.weight, w.scale, w.samples, w.total
    (array([1, 3]), 2.0, 2, 2.0)
    """

    weight: NDArray[np.int64] | None
    count: NDArray[np.int64] | None
    scale: float
    n_rows: int
    copies: bool = False
    by_class: bool = False

    @classmethod
    def fix(
        cls,
        sample: NDArray[np.float64] | None,
        n_rows: int,
        limit: int,
        rounded_limit: int,
        copies: bool = False,
    ) -> "Weights":
        """Give sample weights (None: all 1) as integers, whose sum the limits are for."""
        if sample is None:
            return cls(None, None, 1.0, n_rows)
        fixed = fix_weights(sample, limit, rounded_limit)
        counted = None if _whole(sample, fixed, copies) else np.ones(n_rows, np.int64)
        return cls(fixed.integers, counted, fixed.scale, n_rows, copies)

    @classmethod
    def times_class(
        cls,
        sample: NDArray[np.float64] | None,
        factor: NDArray[np.float64],
        codes: NDArray[np.uint32],
        limit: int,
        copies: bool = False,
    ) -> "Weights":
        """Give sample weights, times the factor of each row's class, as integers.

        A factor is rounded once for its class, so that a row of weight 2 is still that row twice.
        Sample weights of more than `_DIGITS` binary digits after the point are multiplied first,
        and each product is rounded for itself. The integers sum to less than `limit`.
        """
        n_rows = len(codes)
        sample = np.ones(n_rows) if sample is None else sample
        with np.errstate(over="ignore"):
            product = sample * factor[codes]
        if not np.isfinite(product).all() or not product.all():
            raise DataError("sample_weight times class_weight leaves the range of float64.")
        own = fix_weights(sample, limit)
        count = own.integers if _whole(sample, own, copies) else np.ones(n_rows, np.int64)
        if own.scale > 2**_DIGITS or (own.integers / own.scale != sample).any():
            fixed = fix_weights(product, limit)
            return cls(fixed.integers, count, fixed.scale, n_rows, copies, True)
        totals = np.bincount(codes, sample, len(factor)).astype(np.float64)  # exact: few digits
        times = fix_factors(factor, totals, limit >> _DIGITS)
        integers = own.integers * times.integers[codes]
        return cls(integers, count, own.scale * times.scale, n_rows, copies, True)

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


def _whole(sample: NDArray[np.float64], fixed: Fixed, copies: bool) -> bool:
    """Whether weights are whole numbers, kept as they are; copies must be."""
    whole = fixed.scale == 1.0 and bool((sample == fixed.integers).all())
    if copies and not whole:
        wrong = sample[np.argmax(sample != np.rint(sample))]
        raise DataError(
            f"weights='copies' says that sample_weight is how often each row is there, which is a "
            f"whole number. Got {wrong}. Hint: weights='importance' takes any weights."
        )
    return whole


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


def class_factors(
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    sample: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Give what class_weight multiplies the weights of each class with; None: 1."""
    if class_weight is None:
        return None
    n_classes = len(classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        # Weights in fixed point, so that the order of the rows cannot change the last digit.
        exact = None if sample is None else fix_weights(sample, 2**WEIGHT_BITS).integers
        totals = np.bincount(codes, exact, n_classes)
        balance: NDArray[np.float64] = totals.sum() / (n_classes * totals)
        return balance
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
    return np.array([class_weight.get(label, 1.0) for label in labels], np.float64)
