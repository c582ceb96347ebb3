"""What is to be learned, as the core sees it: class codes or fixed-point numbers, and weights.

Rows of weight 0 are absent: `keep` says which rows are left, and nothing looks at the others.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fixedpoint import fix_values
from bosco.data.outcomes import class_codes, real_numbers, target_column
from bosco.data.readers import Table
from bosco.data.weights import WEIGHT_BITS, Weights, class_factors, read_weights
from bosco.errors import DataError, did_you_mean

_BITS = 62  # that sums may take


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """What both kinds of targets have."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Labels(_Target):
    """Classes to learn, sorted, and the places among them of the labels of the rows kept."""

    classes: NDArray[Any]
    codes: NDArray[np.uint32]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Values(_Target):
    """Real numbers to learn, of the rows kept; the core has ``(y - center) * scale``, rounded."""

    center: float
    scale: float
    numbers: NDArray[np.float64]
    n_classes: ClassVar[int] = 0

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
    factor = class_factors(class_weight, classes, codes, sample)
    if factor is not None and not factor.all():
        weighty = factor[codes] > 0
        keep = _narrowed(keep, weighty)
        codes, factor = codes[weighty], np.where(factor > 0, factor, 1.0)
        sample = None if sample is None else sample[weighty]
    limit = _limit(fractional, spare)
    if factor is None:
        w = Weights.fix(sample, len(codes), limit, limit, copies)
    else:
        w = Weights.times_class(sample, factor, codes, limit, copies)
    return _labels(classes, codes, w, keep, len(column))


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
    limit = _limit(fractional)
    w = Weights.fix(sample, len(codes), limit, limit, copies)
    return _labels(classes, place[codes], w, keep, len(column))


def _limit(fractional: bool, spare: int = 0) -> int:
    """What weights sum to less than, bits for shares of rows and spare ones left free."""
    return int(2 ** ((_BITS - _core.share_bits if fractional else WEIGHT_BITS) - spare))


def _labels(
    classes: NDArray[Any],
    codes: NDArray[np.uint32],
    w: Weights,
    keep: NDArray[np.bool_] | None,
    n_rows: int,
) -> Labels:
    native = _core.Target.classes(codes, len(classes), w.weight, w.count, w.scale)
    return Labels(native, keep, n_rows, w, classes, codes)


def encode_values(
    y: Any, sample_weight: Any, fractional: bool, spare: int = 0, copies: bool = False
) -> Values:
    """Encode the real target of a regressor; the rest as `encode_labels`."""
    column = target_column(y)
    sample, keep = read_weights(sample_weight, len(column))
    numbers = real_numbers(column, keep)
    n = len(numbers)
    bits = _BITS - (_core.share_bits if fractional else 0) - spare
    # Rounded weights and targets get the same number of digits each.
    rounded = 2 ** ((bits + n.bit_length()) // 2)
    w = Weights.fix(sample, n, 2 ** (bits * 3 // 4), rounded, copies)
    fixed = fix_values(numbers, w.weight, 2**bits)
    native = _core.Target.real(
        fixed.integers, w.weight, w.count, w.scale, fixed.center, fixed.scale
    )
    return Values(native, keep, len(column), w, fixed.center, fixed.scale, numbers)


def _narrowed(keep: NDArray[np.bool_] | None, still: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask of rows, less those of the rows kept so far that are not kept still."""
    if not still.any():
        raise DataError("All classes have zero weight; class_weight must leave at least one.")
    if keep is None:
        return still
    narrowed = keep.copy()
    narrowed[keep] = still
    return narrowed
