"""The best small tree of some rows, and what is known of it."""

import warnings
from fractions import Fraction
from typing import Any

from bosco import _core
from bosco.errors import ParameterError
from bosco.estimators.ground import Ground
from bosco.growth import Growth

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
    frame, target = training.frame.native, training.target.native
    scale = training.target.weights.scale
    frame.encode(training.n_threads)
    # Prices such as 0.1 are exact: the search counts in parts of a unit.
    price = (Fraction(repr(growth.alpha)) * Fraction(scale)).limit_denominator(FINEST)
    tree, said, end = _core.search(
        frame,
        target,
        growth.to_dict(),
        alpha=(price.numerator, price.denominator),
        work_limit=None if work_limit is None else int(work_limit),
        time_limit=None if time_limit is None else float(time_limit),
        n_threads=training.n_threads,
    )
    if end == "interrupted":
        warnings.warn(
            "The search was interrupted: the best tree so far is kept. model_.certificate says how "
            "far it can be from the best.",
            UserWarning,
            stacklevel=6,
        )
    parts = scale * price.denominator
    return tree, {
        "wrong": said["wrong"] / scale,
        "objective": said["objective"] / parts,
        "bound": said["bound"] / parts,
        "leaves": said["leaves"],
        "end": end,
        "work": said["work"],
        "work_limit": work_limit,
        "time_limit": time_limit,
    }
