"""What a part does where every round of a boosting fits a learner anew, to other sample weights.

So it is with trees that the core's rounds do not know: pruned, with weights of classes, with rows
that go down several branches. The arithmetic is that of `bosco.estimators.rounds.Anyones`.
"""

import pickle
import zlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.fixedpoint import exact_sum
from bosco.data.recipe import Outcome
from bosco.estimators.jury import Jury
from bosco.estimators.start import Beginning
from bosco.scale.boosted import Boosted

__all__ = ["Refitted"]


class Refitted(Boosted):
    """The steps and requests of such rounds; a part has them besides its own."""

    def _forget_rounds(self) -> None:
        self._forget_boosting()
        self._rows: Any = None  # the outcome of those that learn, each weighing what it did first
        self._share: Any = None
        self._times: Any = None
        self._wrong: Any = None
        self._model: Any = None

    # Steps -------------------------------------------------------------------------------------

    def _shares(self, beginning: Beginning, classes: NDArray[Any]) -> None:
        """How weights begin."""
        rows, start = self.outcome, beginning.start(self.outcome)
        self._rows, self._share, self._classes = rows, start.share, classes
        self._times = np.ones(rows.n_kept, np.int64) if start.times is None else start.times
        if self.held is not None:
            self.jury = Jury(self.held.codes, self.held.sample, len(classes))

    def _again(self, samples: int) -> None:
        """A fit begins: the weights of the round are those of its samples."""
        weight = self._share * self._times * samples
        rows: Outcome = replace(self._rows, sample=weight)
        if not weight.all():  # too small for a float64
            rows = rows.where(weight > 0)
        plain = rows.sample is not None and bool((rows.sample == 1).all())
        self.outcome = replace(rows, sample=None) if plain else rows

    def _drop(self, dropped: Sequence[int]) -> None:
        """Classes have no weight; their rows take no part in the fit."""
        self.outcome = self.outcome.without(dropped)

    def _learned(self, model: bytes) -> None:
        """A fit is over: which rows its model has wrong."""
        self._model = pickle.loads(zlib.decompress(model))
        self._wrong = self._said(self._rows) != self._rows.codes

    def _said(self, rows: Outcome) -> NDArray[np.intp]:
        table, model = self.given.table, self._model
        frame = model.read(table if rows.keep is None else table.take(rows.keep), all_columns=True)
        said: NDArray[np.intp] = np.searchsorted(self._classes, model.predict_frame(frame))
        return said

    def _reweigh(self, times_wrong: float, total: float, log_odds: float) -> None:
        """By what the weights change."""
        self._share[self._wrong] *= times_wrong
        self._share /= total
        if self.jury is not None and self.held is not None:
            self._right = self.jury.hear(self._said(self.held), log_odds)

    # Requests ----------------------------------------------------------------------------------

    def right_and_wrong(self) -> tuple[Fraction, Fraction]:
        """What the rows weigh that the last model has right, and the others."""
        weight = self._share * self._times
        return exact_sum(weight[~self._wrong]), exact_sum(weight[self._wrong])

    def jury_right(self) -> Fraction:
        """Of the rows held back, what all models so far have right."""
        return self._right

    def _learning(self) -> Outcome:
        return super()._learning() if self._rows is None else self._rows

    def _weights_at(self, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        if self._share is None:
            return super()._weights_at(rows)
        found: NDArray[np.float64] = (self._share * self._times)[rows]
        return found
