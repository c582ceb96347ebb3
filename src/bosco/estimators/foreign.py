"""Learners of other libraries: what they say where they cannot do their work, said as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bosco.errors import BoscoError, DataError, KindError


@contextmanager
def taking(learner: Any, X: Any, verb: str = "be fitted") -> Iterator[None]:
    """Turn what another library's learner says into an error that says whose it is."""
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        of_parameters = isinstance(error, TypeError) and isinstance(error, ValueError)
        if isinstance(error, BoscoError) or of_parameters:  # scikit-learn's, of a wrong parameter
            raise
        kind = KindError if isinstance(error, TypeError) else DataError
        who, said = type(learner).__name__, f"{type(error).__name__}: {error!s:.200}"
        if _all_numbers(X):
            raise kind(f"{who} could not {verb}: {said}") from error
        raise kind(
            f"{who} did not take this table, a {type(X).__name__}: {said}\n"
            f"Hint: a learner that is not bosco's reads what its own library reads, mostly a 2-D "
            f"array or a dataframe of numbers without holes. Trees of bosco read any table."
        ) from error


def _all_numbers(X: Any) -> bool:
    """Whether X is a table of numbers without holes, which any learner takes."""
    try:
        numbers = np.asarray(X, np.float64)
    except (TypeError, ValueError):
        return False
    return numbers.ndim == 2 and bool(np.isfinite(numbers).all())
