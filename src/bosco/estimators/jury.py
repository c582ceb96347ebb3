"""Early stopping: rows held back, which judge the learners of a boosting after each round."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from bosco.data.fixedpoint import exact_sum
from bosco.errors import DataError
from bosco.tree.ties import heaviest

Numbers = NDArray[np.intp]


def hold_back(
    order: Numbers, codes: NDArray[Any], fraction: float, random_state: Any
) -> tuple[Numbers, Numbers]:
    """Part rows, of all classes alike: numbers of those to learn from, and of those to judge by.

    Parameters
    ----------
    order : ndarray
        The numbers of the rows by what they hold, so that their order does not matter.
    codes : ndarray
        Their classes.
    fraction : float
        The part held back.
    random_state
        Which rows those are.
    """
    try:
        learn, judge = train_test_split(
            order, test_size=fraction, stratify=codes[order], random_state=random_state
        )
    except ValueError as error:
        raise DataError(f"early_stopping cannot hold back a part of the rows: {error}") from None
    return np.sort(learn), np.sort(judge)


class Jury:
    """Rows held back, all of them or some: the votes of the learners on them.

    Examples
    --------
    >>> jury = Jury(np.array([0, 1, 1]), None, 2)
    >>> jury.hear(np.array([0, 0, 1]), 0.5), jury.weight
    (Fraction(2, 1), Fraction(3, 1))
    """

    def __init__(
        self, codes: NDArray[Any], weight: NDArray[np.float64] | None, n_classes: int
    ) -> None:
        self._codes = codes
        self._weight = np.ones(len(codes)) if weight is None else weight
        self._votes = np.zeros((len(codes), n_classes))

    @property
    def weight(self) -> Fraction:
        """What the rows weigh."""
        return exact_sum(self._weight)

    def hear(self, said: NDArray[Any], log_odds: float) -> Fraction:
        """Add a learner's votes (of log-odds 0: it made no error and decides); what is right."""
        self._votes[np.arange(len(said)), said] += log_odds or math.inf
        return exact_sum(self._weight[heaviest(self._votes) == self._codes])


class Validation:
    """Whether it is worth going on: the score after each round.

    Parameters
    ----------
    judged : callable
        Given a learner and its log-odds, what rows of the jury all learners so far have right.
    weight : Fraction
        Of all rows of the jury.
    patience : int
        After so many rounds without a better score it is not.
    """

    def __init__(
        self, judged: Callable[[Any, float], Fraction], weight: Fraction, patience: int
    ) -> None:
        self.scores: list[float] = []
        self._judged, self._weight, self._patience = judged, weight, patience

    def better(self, learner: Any, log_odds: float) -> bool:
        """Judge a learner; whether to go on."""
        right = self._judged(learner, log_odds)
        self.scores.append(float(right) / float(self._weight))  # each rounded once: any order
        return len(self.scores) - 1 - int(np.argmax(self.scores)) < self._patience
