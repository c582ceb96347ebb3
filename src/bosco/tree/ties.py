"""Which class wins, and who wins a tie: of two classes the second, of more the first."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr

__all__ = ["heaviest", "of_equals", "say_tie", "tied", "winner"]


def heaviest(shares: NDArray[Any]) -> NDArray[np.intp]:
    """Place of the largest number of each row.

    >>> heaviest(np.array([[1, 1], [2, 1]])).tolist()  # with classes -1 and +1 a tie is +1
    [1, 0]
    >>> heaviest(np.array([[0, 2, 2]])).tolist()
    [1]
    """
    best: NDArray[np.intp] = np.argmax(shares, axis=1)
    return best if shares.shape[1] != 2 else (shares[:, 1] >= shares[:, 0]).astype(np.intp)


def tied(shares: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the largest number of each row is there twice, so that the order of classes decides.

    >>> tied(np.array([[1, 1], [2, 1], [0, 0]])).tolist()
    [True, False, False]
    """
    most = shares.max(axis=1, keepdims=True)
    return np.asarray(((shares == most) & (most > 0)).sum(axis=1) > 1, np.bool_)


def of_equals(n_classes: int) -> str:
    """Name the winner of a tie between so many classes."""
    return "last" if n_classes == 2 else "first"


def winner(n_classes: int) -> str:
    """The same in words for people."""
    return tr("last") if of_equals(n_classes) == "last" else tr("first")


def say_tie(n_classes: int) -> str:
    """Who wins a tie between so many classes, in a sentence."""
    return tr(
        "A tie: of classes that weigh the same, the {which} is predicted.",
        which=winner(n_classes),
    )
