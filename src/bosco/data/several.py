"""Several targets to learn at once, as the core sees them: fixed-point numbers, row by row."""

from dataclasses import dataclass, replace
from math import ldexp
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fixedpoint import Spread, scaled, value_exponent
from bosco.data.outputs import Output, Outputs
from bosco.data.recipe import Loss, Outcome, center_by, class_factors, recipe_of
from bosco.data.target import TargetRows, class_codes, real_numbers, target_column
from bosco.data.weights import read_weights
from bosco.errors import DataError, ParameterError

_BITS = 62  # that sums may take


@dataclass(frozen=True, slots=True, eq=False)
class Several(TargetRows):
    """Several targets of the rows kept."""

    outputs: Outputs
    truth: NDArray[Any]  # numbers, or places among the classes: a column for each target
    vectors: NDArray[np.int64]  # as the core has them, a row for each row
    n_classes: ClassVar[int] = 0
    classes: ClassVar[None] = None

    @property
    def codes(self) -> NDArray[np.uint32]:
        """One class for all rows kept."""
        return np.zeros(len(self.truth), np.uint32)


def encode_several_labels(
    named: tuple[list[str], list[Any]],
    sample_weight: Any,
    class_weight: Any,
    fractional: bool,
    spare: int = 0,
    copies: bool = False,
) -> Several:
    """Encode several targets of classes; the rest as `encode_labels`.

    The weight of a row is multiplied with that of its class in each target.
    """
    names, given = named
    columns = [target_column(column) for column in given]
    sample, keep = read_weights(sample_weight, len(columns[0]))
    found = [class_codes(column, keep) for column in columns]
    codes: NDArray[np.uint32] = np.column_stack([own for _, own in found])
    # Rows alike in every target are one class together.
    kinds, together = np.unique(codes, axis=0, return_inverse=True)
    joint: NDArray[np.uint32] = together.reshape(-1).astype(np.uint32)
    rows = Outcome(len(columns[0]), keep, sample, joint, np.zeros(0))
    factor = None
    for j, weights in enumerate(_each_weight(class_weight, [labels for labels, _ in found])):
        times = class_factors(weights, found[j][0], replace(rows, codes=found[j][1]))
        if times is not None:
            more = times[kinds[:, j]]
            factor = more if factor is None else factor * more
    if factor is not None and (factor == 0).any():
        raise ParameterError(
            "class_weight gives a class of one of several outputs no weight: its rows would be "
            "absent from all of them. Hint: leave those rows out, or give a small weight."
        )
    recipe = recipe_of(
        rows, np.arange(len(kinds)), factor, fractional=fractional, spare=spare, copies=copies
    )
    w = recipe.scaling.apply(rows.sample, rows.codes, rows.n_kept)
    outputs = Outputs(
        tuple(Output(name, labels) for name, (labels, _) in zip(names, found, strict=True))
    )
    numbers = np.zeros((len(codes), outputs.n_sums), np.int64)
    np.put_along_axis(numbers, codes + np.array(outputs.begin[:-1], np.int64), 1, axis=1)
    native = _core.Target.several(numbers, len(outputs), w.weight, w.count, w.scale)
    return Several(native, keep, len(columns[0]), w, outputs, codes, numbers)


def encode_several_values(
    named: tuple[list[str], list[Any]],
    sample_weight: Any,
    fractional: bool,
    spare: int = 0,
    copies: bool = False,
    loss: Loss = "squared",
) -> Several:
    """Encode several real targets; the rest as `encode_values`.

    All have the same resolution, so that what is gained in one is compared with what is in others.
    """
    names, given = named
    columns = [target_column(column) for column in given]
    sample, keep = read_weights(sample_weight, len(columns[0]))
    truth = np.column_stack([real_numbers(column, keep) for column in columns])
    n, k = truth.shape
    rows = Outcome(len(columns[0]), keep, sample, np.zeros(n, np.uint32), truth[:, 0])
    bits = _BITS - spare - k.bit_length() - (_core.share_bits if fractional else 0)
    # The first target's recipe says how rows weigh; the scale is that of all targets.
    more = spare + k.bit_length()
    scaling = recipe_of(rows, None, None, fractional=fractional, spare=more, copies=copies).scaling
    w = scaling.apply(rows.sample, rows.codes, n)
    centers = [center_by(loss, float(own.min()), float(own.max())) for own in truth.T]
    offsets = truth - np.array(centers)
    weight = None if w.weight is None else np.repeat(w.weight, k)
    exponent = value_exponent(Spread.of(offsets.reshape(-1), weight), 2**bits)
    outputs = Outputs(
        tuple(Output(name, None, center) for name, center in zip(names, centers, strict=True))
    )
    numbers = np.ascontiguousarray(scaled(offsets, exponent))
    native = _core.Target.several(
        numbers, k, w.weight, w.count, w.scale, scale=ldexp(1.0, exponent), loss=loss
    )
    return Several(native, keep, len(columns[0]), w, outputs, truth, numbers)


def balanced(target: Several, times: NDArray[np.int64]) -> Any:
    """The native target where the classes of each output weigh the same in a sample.

    `times` says how often the sample has each row. The factors of a row's classes are multiplied.
    """
    w, n = target.weights, len(times)
    weight = np.ones(n, np.int64) if w.weight is None else w.weight
    kinds, together = np.unique(target.truth, axis=0, return_inverse=True)
    together = together.reshape(-1)
    # Whole numbers below 2**53, so that no order of adding matters.
    whole = np.bincount(together, weight * times, len(kinds))
    factor = np.ones(len(kinds))
    for j, labels in enumerate(target.outputs.classes):
        of_class = np.bincount(kinds[:, j], whole, len(labels))
        present = np.count_nonzero(of_class)
        factor *= (whole.sum() / (present * np.where(of_class, of_class, np.inf)))[kinds[:, j]]
    factor[whole == 0] = 1  # kinds that are not drawn
    finer = 2**_core.balance_bits
    fixed = np.maximum(np.rint(factor / (factor @ whole / whole.sum()) * finer), 1)
    count = weight if w.count is None else w.count
    return _core.Target.several(
        target.vectors,
        len(target.outputs),
        weight * fixed.astype(np.int64)[together],
        count,
        w.scale * finer,
    )


def _each_weight(class_weight: Any, classes: list[NDArray[Any]]) -> list[Any]:
    """What class_weight says of each target."""
    if class_weight is None or isinstance(class_weight, str):
        return [class_weight] * len(classes)
    if not isinstance(class_weight, list | tuple):
        raise ParameterError(
            "For multi-output, class_weight should be a list of dicts, or the string 'balanced'. "
            f"Got {class_weight!r:.60}."
        )
    if len(class_weight) != len(classes):
        raise DataError(
            "For multi-output, number of elements in class_weight should match number of outputs: "
            f"{len(class_weight)} and {len(classes)}."
        )
    return list(class_weight)
