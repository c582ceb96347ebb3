"""What can go wrong, as a tree.

::

    BoscoError
    ├── DataError (ValueError)        X, y or weights cannot be learned from or predicted
    │   └── KindError (TypeError)     they are of a kind that bosco does not read
    ├── ParameterError (ValueError)   a setting, or a combination of settings, makes no sense
    ├── ClusterError (RuntimeError)   workers of a cluster are gone, or not of one kind
    └── ModelError (ValueError)       something offered as a model is not one
        └── ModelKindError            … or not of a kind that can do what is asked
            (AttributeError)

    DataWarning (UserWarning)         the data are usable, but probably not what was meant
    ├── IdentifierWarning             a column looks like an identifier
    └── SharedGroupsWarning           what looks like groups stands in training and test rows

    CriterionWarning (UserWarning)    a criterion of the user's own is no impurity

Every message says what is wrong, where (column, row), what is allowed, what was got, and, where
there is one, a hint. Where scikit-learn has words for a mistake, they are used, so that what people
(and scikit-learn's own checks) look for is there.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

__all__ = [
    "BoscoError",
    "ClusterError",
    "CriterionWarning",
    "DataError",
    "DataWarning",
    "IdentifierWarning",
    "KindError",
    "ModelError",
    "ModelKindError",
    "ParameterError",
    "SharedGroupsWarning",
    "did_you_mean",
]


class BoscoError(Exception):
    """Root of everything bosco raises on purpose."""


class DataError(BoscoError, ValueError):
    """The data cannot be used as they are."""


class KindError(DataError, TypeError):
    """The data are of a kind that bosco does not read: sparse, complex, nested."""


class ParameterError(BoscoError, ValueError):
    """A setting, or a combination of settings, is not legal."""


class ClusterError(BoscoError, RuntimeError):
    """Workers of a cluster are gone, or not of one kind."""


class ModelError(BoscoError, ValueError):
    """What was offered as a model is not one."""


class ModelKindError(ModelError, AttributeError):
    """A model of this kind cannot do what is asked, such as rules of many trees."""


class DataWarning(UserWarning):
    """The data can be used, but are probably not what was meant."""


class IdentifierWarning(DataWarning):
    """A nominal column has (nearly) a value of its own for every row."""


class SharedGroupsWarning(DataWarning):
    """Values of a column that looks like an identifier are in training and test rows alike."""


class CriterionWarning(UserWarning):
    """A criterion of the user's own is not 0 where one class has all, or not concave."""


def did_you_mean(word: object, choices: Iterable[object], nearness: float = 0.6) -> str:
    """Give a hint for a mistyped word: `` Did you mean 'x'?``, or nothing.

    Parameters
    ----------
    word : object
        What was written.
    choices : iterable
        What could have been written.
    nearness : float, default=0.6
        How alike the two must be, from 0 to 1.

    Examples
    --------
    >>> did_you_mean("humidty", ["outlook", "humidity"])
    " Did you mean 'humidity'?"
    >>> did_you_mean("wind", ["outlook", "humidity"])
    ''
    """
    by_text = {str(choice).casefold(): choice for choice in choices}
    close = get_close_matches(str(word).casefold(), by_text, n=1, cutoff=nearness)
    return f" Did you mean {by_text[close[0]]!r}?" if close else ""


def require_one_of(choices: Collection[object], name: str, value: object) -> None:
    """Refuse a value of a setting that is not among the choices."""
    if value not in choices:
        hint = did_you_mean(value, choices)
        raise ParameterError(f"{name} must be one of {list(choices)}. Got {value!r}.{hint}")
