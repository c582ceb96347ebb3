"""How the target and the weights of rows become integers, wherever the rows lie.

A recipe follows from what is asked of all rows together (`Asked`): least and largest numbers, sums.
It is then applied to any of the rows. So rows that lie in parts get the integers that they would
have got in one table.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ldexp
from numbers import Real
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fixedpoint import (
    Spread,
    center_of,
    factor_exponent,
    scaled,
    value_exponent,
    weight_exponent,
)
from bosco.data.weights import WEIGHT_BITS, Weights
from bosco.errors import DataError, ParameterError, did_you_mean

Loss = Literal["squared", "poisson", "absolute"]
LOSSES: dict[str, Loss] = {
    "poisson": "poisson",
    "absolute_error": "absolute",
    "quantile": "absolute",
}
"""What a real target is scored by, by criterion; by all others, squares."""

_LARGEST = sys.float_info.max
_BITS = 62  # that sums may take
_DIGITS = 4  # kept free after the point of sample weights where classes have weights too


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """How weights become integers.

    Attributes
    ----------
    exponent : int or None
        Sample weights are multiplied with 2**exponent; None: all rows weigh 1.
    factor : ndarray or None
        What each class counts: float64, multiplied before rounding, or int64, after.
    scale : float
        What an integer of 1 stands for is 1 / scale.
    count : {"weight", "one", "whole"}
        What the samples of a row are: its weight, one, or its weight before classes have theirs.
    """

    exponent: int | None = None
    factor: NDArray[Any] | None = None
    scale: float = 1.0
    count: Literal["weight", "one", "whole"] = "weight"
    copies: bool = False

    @property
    def weighted(self) -> bool:
        """Whether rows have weights that are no copies."""
        return self.exponent is not None and (not self.copies or self.factor is not None)

    @property
    def own(self) -> bool:
        """Whether rows have weights of their own that are no copies, and those alone."""
        return self.exponent is not None and not self.copies and self.factor is None

    def apply(
        self, sample: NDArray[np.float64] | None, codes: NDArray[np.uint32], n_rows: int
    ) -> Weights:
        """Give the weights of some rows; `sample` None: all 1."""
        if self.exponent is None:
            return Weights(None, None, 1.0, n_rows)
        sample = np.ones(n_rows) if sample is None else sample
        by_class = self.factor is not None
        first = self.factor is not None and self.factor.dtype.kind == "f"
        product = sample * self.factor[codes] if first else sample  # type: ignore[index]
        weight = np.maximum(scaled(product, self.exponent), 1)
        if self.factor is not None and not first:
            weight = weight * self.factor[codes]
        count = None
        if self.count != "weight":
            count = scaled(sample, 0) if self.count == "whole" else np.ones(n_rows, np.int64)
        return Weights(weight, count, self.scale, n_rows, self.copies, by_class)


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """How the target of any rows is encoded; `classes` None: it is a number.

    `loss` is what it is scored by: "poisson" is of the numbers themselves, 0 stays 0.
    """

    classes: NDArray[Any] | None
    scaling: Scaling
    center: float = 0.0
    exponent: int = 0
    loss: Loss = "squared"

    def like(self) -> Any:
        """A native target with these scales, of one row."""
        one = np.ones(1, np.int64)
        weight = None if self.scaling.exponent is None else one
        count = None if self.scaling.count == "weight" else one
        return self.native(np.zeros(1), np.zeros(1, np.uint32), weight, count)

    def native(
        self,
        numbers: NDArray[np.float64],
        codes: NDArray[np.uint32],
        weight: NDArray[np.int64] | None,
        count: NDArray[np.int64] | None,
    ) -> Any:
        """Give the target of rows as the core sees it: numbers, or codes of classes."""
        scale = self.scaling.scale
        if self.classes is not None:
            return _core.Target.classes(codes, len(self.classes), weight, count, scale)
        offsets = self._integers(numbers)
        return _core.Target.real(
            offsets, weight, count, scale, self.center, ldexp(1.0, self.exponent), self.loss
        )

    def _integers(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        return scaled(_offsets(numbers, self.center), self.exponent)

    def reach(self, low: float, high: float) -> int:
        """How far from 0 the integers of numbers are, given the least and the largest of those."""
        return int(np.abs(self._integers(np.array([low, high]))).max())


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The target and the weights of some rows, read and checked; `keep`: those with a weight."""

    n_rows: int  # given
    keep: NDArray[np.bool_] | None
    sample: NDArray[np.float64] | None  # of the rows kept; None: all 1
    codes: NDArray[np.uint32]
    numbers: NDArray[np.float64]  # none of classes

    def without(self, dropped: Sequence[int]) -> "Outcome":
        """Leave out the rows of some classes."""
        return self.where(~np.isin(self.codes, dropped)) if dropped else self

    def where(self, still: NDArray[np.bool_]) -> "Outcome":
        """Some of the rows kept."""
        keep = np.ones(self.n_rows, bool) if self.keep is None else self.keep.copy()
        keep[keep] = still
        sample = None if self.sample is None else self.sample[still]
        numbers = self.numbers[still] if len(self.numbers) else self.numbers
        return Outcome(self.n_rows, keep, sample, self.codes[still], numbers)

    @property
    def n_kept(self) -> int:
        """Rows with a weight."""
        return len(self.codes)

    @property
    def plain(self) -> bool:
        """Whether all of those weigh 1."""
        return self.sample is None

    def weights(self, factor: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Sample weights, times the factor of each row's class."""
        sample = np.ones(len(self.codes)) if self.sample is None else self.sample
        with np.errstate(over="ignore"):
            return sample if factor is None else sample * factor[self.codes]

    def spread(self, factor: NDArray[np.float64] | None = None) -> Spread:
        """The spread of the weights."""
        return Spread.of(self.weights(factor))

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, in fixed point."""
        # Sums of weights are below 2**WEIGHT_BITS, so that floats hold them.
        whole = np.maximum(scaled(self.weights(None), exponent), 1)
        return np.bincount(self.codes, whole, n_classes).astype(np.int64)

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """The spread of the numbers around a center, by their weights."""
        weight = scaling.apply(self.sample, self.codes, len(self.codes)).weight
        return Spread.of(_offsets(self.numbers, center), weight)

    def ends(self) -> tuple[float, float]:
        """The least and the largest number."""
        return float(self.numbers.min(initial=np.inf)), float(self.numbers.max(initial=-np.inf))


class Asked(Protocol):
    """What can be asked of all rows: an `Outcome`, or what stands for many."""

    @property
    def n_kept(self) -> int:
        """Rows with a weight."""

    @property
    def plain(self) -> bool:
        """Whether all of those weigh 1."""

    def spread(self, factor: NDArray[np.float64] | None = None) -> Spread:
        """That of the weights, times the factor of each row's class."""

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, times 2**exponent."""

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """That of the numbers to learn around a center, by their weights."""

    def ends(self) -> tuple[float, float]:
        """The least and the largest number to learn."""


def class_factors(
    class_weight: Any, classes: NDArray[Any], rows: Asked
) -> NDArray[np.float64] | None:
    """Give what class_weight multiplies the weights of each class with; None: 1."""
    if class_weight is None:
        return None
    n_classes = len(classes)
    if isinstance(class_weight, str) and class_weight == "balanced":
        # Weights in fixed point, so that the order of the rows cannot change the last digit.
        exponent = 0 if rows.plain else weight_exponent(rows.spread(), 2**WEIGHT_BITS)
        totals = rows.totals(exponent, n_classes)
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
    factors = np.array([class_weight.get(label, 1.0) for label in labels], np.float64)
    if not factors.any():
        raise DataError("All classes have zero weight; class_weight must leave at least one.")
    return factors


def recipe_of(
    rows: Asked,
    classes: NDArray[Any] | None,
    factor: NDArray[np.float64] | None,
    *,
    fractional: bool,
    spare: int = 0,
    copies: bool = False,
    loss: Loss = "squared",
) -> Recipe:
    """Find the recipe of rows.

    Parameters
    ----------
    rows : Asked
        Without the classes of no weight.
    classes : ndarray or None
        Sorted; None for a real target.
    factor : ndarray of float64, or None
        What each class counts.
    fractional : bool
        Leave room for rows that go down several branches in shares.
    spare : int, default=0
        Bits of room to leave beyond that.
    copies : bool, default=False
        Whether sample weights are how often each row is there.
    loss : {"squared", "poisson", "absolute"}, default="squared"
        What a real target is scored by.
    """
    shares = _core.share_bits if fractional else 0
    if classes is not None:
        limit = 2 ** ((_BITS - shares if fractional else WEIGHT_BITS) - spare)
        if factor is None:
            return Recipe(classes, own_scaling(rows, limit, limit, copies))
        positive = np.where(factor > 0, factor, 1.0)
        return Recipe(classes, class_scaling(rows, positive, limit, copies))
    bits = _BITS - shares - spare
    # Rounded weights and targets get the same number of digits each.
    rounded = 2 ** ((bits + rows.n_kept.bit_length()) // 2)
    scaling = own_scaling(rows, 2 ** (bits * 3 // 4), rounded, copies)
    center = center_by(loss, *rows.ends())
    exponent = value_exponent(rows.offsets(center, scaling), 2**bits)
    return Recipe(None, scaling, center, exponent, loss)


def center_by(loss: Loss, low: float, high: float) -> float:
    """The center of numbers; refuses those that Poisson's deviance is not defined of."""
    if loss != "poisson":
        return center_of(low, high)
    if low < 0:
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression. The "
            f"least is {low!r}. Hint: criterion='squared_error' takes any numbers."
        )
    if high == 0:
        raise DataError(
            "Sum of y is not strictly positive which is necessary for Poisson regression. All of y "
            "is 0: where the mean of y is not positive there is no Poisson deviance. "
            "Hint: criterion='squared_error' takes any numbers."
        )
    return 0.0


def own_scaling(rows: Asked, limit: int, rounded: int, copies: bool = False) -> Scaling:
    """Find how sample weights become integers that sum to less than `limit`.

    Where they have to be rounded, to less than `rounded`.
    """
    if rows.plain:
        return Scaling()
    spread = rows.spread()
    exponent = weight_exponent(spread, limit, rounded)
    whole = _whole(spread, exponent, copies)
    return Scaling(exponent, None, ldexp(1.0, exponent), "weight" if whole else "one", copies)


def class_scaling(
    rows: Asked, factor: NDArray[np.float64], limit: int, copies: bool = False
) -> Scaling:
    """Find how sample weights, times the factor of each row's class, become integers.

    A factor is rounded once for its class, so that a row of weight 2 is still that row twice.

    Sample weights of more than `_DIGITS` binary digits after the point are multiplied first, and
    each product is rounded for itself.
    """
    product, own = rows.spread(factor), rows.spread()
    if not product.high < np.inf or not product.low > 0:
        raise DataError("sample_weight times class_weight leaves the range of float64.")
    exponent = weight_exponent(own, limit)
    count: Literal["one", "whole"] = "whole" if _whole(own, exponent, copies) else "one"
    if exponent > _DIGITS or own.exact is None or exponent < own.exact:
        exponent = weight_exponent(product, limit)
        return Scaling(exponent, factor, ldexp(1.0, exponent), count, copies)
    totals = rows.totals(exponent, len(factor)) / ldexp(1.0, exponent)
    more = factor_exponent(factor, totals, limit >> _DIGITS)
    times = np.maximum(scaled(factor, more), 1)
    return Scaling(exponent, times, ldexp(1.0, exponent) * ldexp(1.0, more), count, copies)


def _whole(spread: Spread, exponent: int, copies: bool) -> bool:
    """Whether weights are whole numbers, kept as they are; copies must be."""
    whole = exponent == 0 and spread.exact == 0
    if copies and not whole:
        wrong = [str(end) for end in (spread.low, spread.high) if not end.is_integer()]
        got = wrong[0] if wrong else f"some between {spread.low} and {spread.high} that are not"
        raise DataError(
            "weights='copies' says that sample_weight is how often each row is there, which is a "
            f"whole number. Got {got}. Hint: weights='importance' takes any weights."
        )
    return whole


def _offsets(numbers: NDArray[np.float64], center: float) -> NDArray[np.float64]:
    return numbers - center if center else numbers
