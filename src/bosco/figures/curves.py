"""The curves of one class against all others: each a pure function of counted scores."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bosco.data.schema import show_label
from bosco.errors import ParameterError
from bosco.figures.areas import Area, average_precision, brier, mean_of_counts, roc_area
from bosco.figures.intervals import Floats, wilson
from bosco.figures.scored import Confusion, Scored
from bosco.tree.costs import cost_table

GROUPS = 10
"""Points of a calibration curve, at most."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a wrong answer costs: a row of the class that is missed, and a false alarm."""

    miss: float = 1.0
    alarm: float = 1.0


@dataclass(frozen=True, eq=False)
class Calibration:
    """Groups of rows of like scores: what they were said to be, and what they are.

    Attributes
    ----------
    predicted, observed : ndarray
        The mean score of each group, and the share of the class in it.
    low, high : ndarray
        Wilson's 95 % interval of that share.
    rows : ndarray of int64
        How many rows it has.
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    rows: Any


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """One class against all others, along what a model says of it.

    Every curve has a point for each of ``scored.thresholds``: where the bar is above all scores
    (infinite), and at each different score.

    Attributes
    ----------
    label : object
        The class.
    scored : Scored
        The counts that all is made from.
    point : Confusion
        At the bar that was asked for, or as the model answers by itself.
    costs : Prices or None
        What a wrong answer costs, if it was said.

    Examples
    --------
    >>> from bosco.figures.curves import ClassCurves
    >>> from bosco.figures.scored import Scored
    >>> one = ClassCurves.of("yes", Scored.of_rows([0.9, 0.6, 0.6, 0.1], [1, 1, 0, 0]), 0.5)
    >>> one.roc[1].tolist(), one.area.value
    ([0.0, 0.5, 1.0, 1.0], 0.875)
    """

    label: Any
    scored: Scored
    point: Confusion
    costs: Prices | None = None

    @classmethod
    def of(
        cls, label: Any, scored: Scored, threshold: float, costs: Prices | None = None
    ) -> "ClassCurves":
        """The curves of counted scores, and the confusion at one bar."""
        return cls(label, scored, scored.confusion(threshold), costs)

    @property
    def name(self) -> str:
        """The class in words."""
        return show_label(self.label)

    @cached_property
    def share(self) -> float:
        """Share of the class among the rows, by weight."""
        whole = self.scored.weight.sum(axis=0)
        return float(whole[1] / whole.sum())

    @cached_property
    def answered(self) -> Floats:
        """Share of all rows at or above each bar."""
        return _shares(self.scored.above.sum(axis=1))

    @cached_property
    def recall(self) -> Floats:
        """Share of the class at or above each bar; NaN if there is none."""
        return _shares(self.scored.above[:, 1])

    @cached_property
    def false_alarms(self) -> Floats:
        """Share of the others at or above each bar; NaN if there are none."""
        return _shares(self.scored.above[:, 0])

    @cached_property
    def precision(self) -> Floats:
        """Share of the class in what lies at or above each bar; 1 where nothing does."""
        above = self.scored.above
        whole = above.sum(axis=1)
        precision: Floats = np.divide(above[:, 1], whole, out=np.ones(len(whole)), where=whole > 0)
        return precision

    @property
    def roc(self) -> tuple[Floats, Floats]:
        """False alarms, and recall over them."""
        return self.false_alarms, self.recall

    @property
    def pr(self) -> tuple[Floats, Floats]:
        """Recall, and precision over it; of no answer there is none, so it begins with the next."""
        return self.recall, np.append(self.precision[1:2], self.precision[1:])

    @property
    def gain(self) -> tuple[Floats, Floats]:
        """Share of all rows that is looked at, the highest scores first, and what it finds."""
        return self.answered, self.recall

    @property
    def lift(self) -> tuple[Floats, Floats]:
        """The same share, and how much oftener the class is there than among all."""
        with np.errstate(invalid="ignore", divide="ignore"):
            lift = np.where(self.answered > 0, self.precision / self.share, np.nan)
        return self.answered, lift

    @cached_property
    def cost(self) -> Floats:
        """What a row costs on average at each bar; all NaN if no costs were said."""
        above, whole = self.scored.above, self.scored.weight.sum(axis=0)
        if self.costs is None:
            return np.full(len(above), np.nan)
        missed = self.costs.miss * (whole[1] - above[:, 1])
        cost: Floats = (missed + self.costs.alarm * above[:, 0]) / whole.sum()
        return cost

    def cost_at(self, threshold: float) -> tuple[float, float, float]:
        """The mean cost of a row at one bar, and Student's 95 % interval."""
        costs = self.costs or Prices()
        loss = np.zeros((len(self.scored.scores), 2))
        k = self.scored.place(threshold)
        loss[:k, 0], loss[k:, 1] = costs.alarm, costs.miss
        return mean_of_counts(loss, self.scored)

    @property
    def cheapest(self) -> float:
        """The bar of least cost on these rows, the highest of several."""
        return float(self.scored.thresholds[int(np.argmin(self.cost))])

    @cached_property
    def area(self) -> Area:
        """Under the ROC curve, with DeLong's interval."""
        return roc_area(self.scored)

    @cached_property
    def average_precision(self) -> Area:
        """Under the precision-recall curve."""
        return average_precision(self.scored)

    @cached_property
    def brier(self) -> Area:
        """The mean squared distance of what is said from what is true."""
        return brier(self.scored)

    def calibration(self, groups: int = GROUPS) -> Calibration:
        """Rows of like scores together, in groups of about equal weight; equal scores stay one."""
        counts = self.scored
        whole = counts.weight.sum(axis=1)
        middle = (np.cumsum(whole) - whole / 2) / whole.sum()
        _, place = np.unique((middle * groups).astype(np.intp), return_inverse=True)

        def added(x: Any) -> Floats:
            return np.asarray(np.bincount(place.reshape(-1), x), np.float64)

        weight, squares = added(whole), added(counts.squares.sum(axis=1))
        observed = added(counts.weight[:, 1]) / weight
        low, high = wilson(observed, weight**2 / squares)
        predicted = added(whole * counts.scores) / weight
        rows = added(counts.rows.sum(axis=1)).astype(np.int64)
        return Calibration(predicted, observed, low, high, rows)

    def thinned(self, most: int) -> Any:
        """Places of at most so many bars, the ends among them, evenly along all rows."""
        n = len(self.scored.thresholds)
        if n <= most:
            return np.arange(n)
        along = np.linspace(0, 1, most)
        return np.unique(np.append(np.searchsorted(self.answered, along[:-1]), n - 1))


def prices(costs: Any, classes: list[Any], positive: int) -> Prices | None:
    """What a wrong answer costs, of two classes: as `fit` takes costs, or None."""
    if costs is None:
        return None
    if len(classes) != 2:
        raise ParameterError("Costs along a threshold are for two classes.")
    table = cost_table(costs, classes, free=True)
    return Prices(table[positive][1 - positive], table[1 - positive][positive])


def _shares(running: Floats) -> Floats:
    whole = running[-1]
    return np.asarray(running / whole if whole > 0 else np.full(len(running), np.nan))
