"""The best small tree of some rows, and what is known of it."""

import warnings
from fractions import Fraction
from typing import Any

from bosco import _core
from bosco.errors import DataError, ParameterError
from bosco.estimators.ground import Ground
from bosco.growth import Growth

PRICE_BITS = 30  # of a price in the unit of squares, as the core has it
FINEST = 1_000_000
"""A price of a leaf is a fraction with this denominator at most."""


def search(
    rows: Ground, growth: Growth, work_limit: int | None, time_limit: float | None
) -> tuple[Any, dict[str, Any]]:
    """The native tree, and its certificate as plain values (`bosco.tree.certificate`)."""
    training = rows.training
    if training is None:
        raise ParameterError(
            "algorithm='optimal' looks at all rows again and again: they must be in memory. Use "
            "algorithm='cart', or a sample of the rows."
        )
    frame = training.frame.native
    frame.encode(training.n_threads)
    if training.target.n_classes == 0:
        tree, certificate, end = _numbers(rows, growth, work_limit, time_limit)
    else:
        tree, certificate, end = _classes(rows, growth, work_limit, time_limit)
    if end == "interrupted":
        warnings.warn(
            "The search was interrupted: the best tree so far is kept. model_.certificate says how "
            "far it can be from the best.",
            UserWarning,
            stacklevel=6,
        )
    limits = {"end": end, "work_limit": work_limit, "time_limit": time_limit}
    return tree, certificate | limits


def _classes(
    rows: Ground, growth: Growth, work_limit: int | None, time_limit: float | None
) -> tuple[Any, dict[str, Any], str]:
    training = rows.training
    assert training is not None
    scale = training.target.weights.scale
    # Prices such as 0.1 are exact: the search counts in parts of a unit.
    price = (Fraction(repr(growth.alpha)) * Fraction(scale)).limit_denominator(FINEST)
    tree, said, end = _core.search(
        training.frame.native,
        training.target.native,
        growth.to_dict(),
        alpha=(price.numerator, price.denominator),
        work_limit=None if work_limit is None else int(work_limit),
        time_limit=None if time_limit is None else float(time_limit),
        n_threads=training.n_threads,
    )
    parts = scale * price.denominator
    return (
        tree,
        {
            "wrong": said["wrong"] / scale,
            "objective": said["objective"] / parts,
            "bound": said["bound"] / parts,
            "leaves": said["leaves"],
            "work": said["work"],
        },
        end,
    )


def _numbers(
    rows: Ground, growth: Growth, work_limit: int | None, time_limit: float | None
) -> tuple[Any, dict[str, Any], str]:
    training = rows.training
    assert training is not None
    target = training.target
    # Errors are whole numbers in the fixed point of the target, squared.
    unit = Fraction(target.weights.scale) * Fraction(target.scale) ** 2
    said: Any
    tree, said, end = _core.search_numbers(
        training.frame.native,
        target.native,
        growth.to_dict(),
        price=min(int(Fraction(repr(growth.alpha)) * unit * 2**PRICE_BITS), 2**126),
        work_limit=None if work_limit is None else int(work_limit),
        time_limit=None if time_limit is None else float(time_limit),
        n_threads=training.n_threads,
    )
    unit *= Fraction(2) ** said["bits"]
    try:
        wrong, bound = float(said["error"] / unit), float(said["bound"] / unit)
    except OverflowError:
        raise DataError(
            "The squared error of y passes what a float64 holds. Hint: learn y in another unit, "
            "such as y / 1e100."
        ) from None
    objective = wrong + growth.alpha * said["leaves"]
    bound = objective if end == "proved" else min(bound, objective)
    kept = {"wrong": wrong, "objective": objective, "bound": bound}
    return tree, kept | {"leaves": said["leaves"], "work": said["work"]}, end
