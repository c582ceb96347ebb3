"""The best small tree of some rows, and what is known of it."""

import warnings
from fractions import Fraction
from typing import Any

from bosco import _core
from bosco.errors import DataError, ParameterError
from bosco.estimators.ground import Ground
from bosco.growth import Growth
from bosco.tree.certificate import kept_costs
from bosco.tree.costs import Costs
from bosco.tree.searching import Search

PRICE_BITS = 30  # of a price in the unit of squares, as the core has it


def search(
    rows: Ground,
    growth: Growth,
    costs: Costs | None,
    work_limit: int | None,
    time_limit: float | None,
) -> tuple[Any, dict[str, Any]]:
    """The native tree, and its certificate as plain values (`bosco.tree.certificate`)."""
    training = rows.training
    if training is None:
        raise ParameterError(
            "algorithm='optimal' looks at all rows again and again: they must be in memory. Use "
            "algorithm='cart', or a sample of the rows."
        )
    if training.target.n_classes == 0:
        training.frame.native.encode(training.n_threads)
        tree, certificate = _numbers(rows, growth, work_limit, time_limit)
    else:
        asked = Search(training.frame, training.target, growth, training.n_threads, costs=costs)
        found = asked.best(work_limit=work_limit, time_limit=time_limit)
        tree, certificate = found.tree, found.to_certificate() | kept_costs(costs)
    if certificate["end"] == "interrupted":
        warnings.warn(
            "The search was interrupted: the best tree so far is kept. model_.certificate says how "
            "far it can be from the best.",
            UserWarning,
            stacklevel=6,
        )
    limits = {"work_limit": work_limit, "time_limit": time_limit}
    return tree, certificate | limits


def _numbers(
    rows: Ground, growth: Growth, work_limit: int | None, time_limit: float | None
) -> tuple[Any, dict[str, Any]]:
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
    return tree, kept | {"leaves": said["leaves"], "end": end, "work": said["work"]}
