"""Early stopping: rows held back, and how well the rounds so far predict them."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.tree.ties import heaviest


class Validation:
    """Votes on the rows held back, and the score after each round.

    Parameters
    ----------
    X : table
        The rows held back.
    codes, classes : ndarray
        Their classes, as places among `classes`.
    weight : ndarray or None
        Their weights.
    patience : int
        Rounds without a better score after which it is not worth going on.
    """

    def __init__(
        self, X: Any, codes: NDArray[Any], classes: NDArray[Any], weight: Any, patience: int
    ) -> None:
        self.scores: list[float] = []
        self._X, self._codes, self._classes = X, codes, classes
        self._weight = np.ones(len(codes)) if weight is None else weight
        self._patience = patience
        self._votes = np.zeros((len(codes), len(classes)))

    def better(self, learner: Any, log_odds: float) -> bool:
        """Add a learner's vote (0: it made no error and decides); whether to go on."""
        said = np.searchsorted(self._classes, learner.predict(self._X))
        self._votes[np.arange(len(said)), said] += log_odds or math.inf
        guess = heaviest(self._votes)
        right = math.fsum(self._weight[guess == self._codes])  # rounded once: any order
        self.scores.append(right / math.fsum(self._weight))
        return len(self.scores) - 1 - int(np.argmax(self.scores)) < self._patience
