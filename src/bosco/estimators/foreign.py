"""Learners of other libraries: what they say of a table that they cannot take, said as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bosco.errors import BoscoError, DataError, KindError


@contextmanager
def taking(learner: Any, X: Any) -> Iterator[None]:
    """Turn what another library's learner says of a table into an error that says whose it is."""
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        of_parameters = isinstance(error, TypeError) and isinstance(error, ValueError)
        if isinstance(error, BoscoError) or of_parameters:  # scikit-learn's, of a wrong parameter
            raise
        kind = KindError if isinstance(error, TypeError) else DataError
        raise kind(
            f"{type(learner).__name__} did not take this table, a {type(X).__name__}: "
            f"{type(error).__name__}: {error!s:.200}\n"
            f"Hint: a learner that is not bosco's reads what its own library reads, mostly a 2-D "
            f"array or a dataframe of numbers without holes. Trees of bosco read any table."
        ) from error
