"""The best small tree of some rows, and what is known of it."""

import warnings
from typing import Any

from bosco.errors import ParameterError
from bosco.estimators.ground import Ground
from bosco.growth import Growth
from bosco.tree.searching import Search


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
    asked = Search(training.frame, training.target, growth, training.n_threads)
    found = asked.best(work_limit=work_limit, time_limit=time_limit)
    if found.end == "interrupted":
        warnings.warn(
            "The search was interrupted: the best tree so far is kept. model_.certificate says how "
            "far it can be from the best.",
            UserWarning,
            stacklevel=6,
        )
    limits = {"work_limit": work_limit, "time_limit": time_limit}
    return found.tree, {**found.to_certificate(), **limits}
