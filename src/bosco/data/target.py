"""What is to be learned, as the core sees it: class codes or fixed-point numbers, and weights.

Rows of weight 0 are absent: `keep` says which rows are left, and nothing looks at the others.
"""

from dataclasses import dataclass
from math import ldexp
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco.data.outcomes import class_codes, real_numbers, target_column
from bosco.data.recipe import Outcome, Recipe, class_factors, recipe_of
from bosco.data.weights import Weights, read_weights
from bosco.errors import DataError, did_you_mean


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """What both kinds of targets have."""

    native: Any
    keep: NDArray[np.bool_] | None  # the rows with a weight; None if all have one
    n_rows: int  # of those given
    weights: Weights  # of the rows kept

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
        rows = np.bincount(self.codes, self.weights.times, max(1, self.n_classes))  # type: ignore[attr-defined]
        return rows.astype(np.int64)


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
    y: Any, sample_weight: Any, fractional: bool, spare: int = 0, copies: bool = False
) -> Values:
    """Encode the real target of a regressor; the rest as `encode_labels`."""
    column = target_column(y)
    sample, keep = read_weights(sample_weight, len(column))
    numbers = real_numbers(column, keep)
    rows = Outcome(len(column), keep, sample, np.zeros(len(numbers), np.uint32), numbers)
    recipe = recipe_of(rows, None, None, fractional=fractional, spare=spare, copies=copies)
    return encoded(recipe, rows)  # type: ignore[return-value]


def encoded(recipe: Recipe, rows: Outcome) -> Labels | Values:
    """Encode rows by a recipe, which may be that of more rows than these."""
    w = recipe.scaling.apply(rows.sample, rows.codes, rows.n_kept)
    native = recipe.native(rows.numbers, rows.codes, w.weight, w.count)
    if recipe.classes is not None:
        return Labels(native, rows.keep, rows.n_rows, w, recipe.classes, rows.codes)
    scale = ldexp(1.0, recipe.exponent)
    return Values(native, rows.keep, rows.n_rows, w, recipe.center, scale, rows.numbers)
