"""Weights before the first round of boosting, wherever the rows lie."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bosco.data.fixedpoint import scaled, weight_exponent
from bosco.data.recipe import Asked, Outcome
from bosco.data.weights import WEIGHT_BITS


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Weights of one sample of each row, and how many samples it is; None: one.

    Examples
    --------
    >>> rows = Outcome(2, None, np.array([3.0, 1.0]), np.zeros(2, np.uint32), np.zeros(0))
    >>> Start.of(rows, 1)
    Start(share=array([0.25, 0.25]), times=array([3, 1]))
    """

    share: NDArray[np.float64]
    times: NDArray[np.int64] | None

    @classmethod
    def of(cls, rows: Outcome, n_classes: int) -> "Start":
        """Weigh rows that are all there are."""
        return Beginning.of(rows, n_classes).start(rows)


@dataclass(frozen=True, slots=True)
class Beginning:
    """How the weights of any rows begin: those of all sum to 1, whole numbers are repeated rows.

    Attributes
    ----------
    exponent : int or None
        Sample weights are multiplied with 2**exponent, and rounded; None: all rows weigh 1.
    whole : bool
        Whether sample weights are whole numbers.
    total : float
        What the rounded ones sum to.
    """

    exponent: int | None
    whole: bool
    total: float

    @classmethod
    def of(cls, rows: Asked, n_classes: int) -> "Beginning":
        """Ask all rows."""
        if rows.plain:
            return cls(None, True, float(rows.n_kept))
        spread = rows.spread()
        exponent = weight_exponent(spread, 2**WEIGHT_BITS)
        total = float(rows.totals(exponent, n_classes).sum())
        return cls(exponent, exponent == 0 and spread.exact == 0, total)

    def samples(self, n_rows: int) -> int:
        """How many samples all rows are, of which there are so many."""
        return int(self.total) if self.whole else n_rows

    def start(self, rows: Outcome) -> Start:
        """Weigh some of the rows."""
        if self.exponent is None:
            return Start(np.full(rows.n_kept, 1.0 / self.total), None)
        fixed = np.maximum(scaled(rows.weights(None), self.exponent), 1)
        if self.whole:
            return Start(np.full(rows.n_kept, 1.0 / self.total), fixed)
        return Start(fixed / self.total, None)
