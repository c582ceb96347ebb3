"""How wrong a model was in one period, once the truth is known."""

from dataclasses import dataclass

import numpy as np

from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.drift.watching import UNDATED, Errors, Watch
from bosco.figures.intervals import mean_interval, wilson
from bosco.render.card import show_share


@dataclass(frozen=True, slots=True)
class Period:
    """How wrong the model was in one period: share of wrong answers, or mean absolute error.

    `low` and `high` bound it with 95 % confidence: Wilson's interval, or Student's. `cost` is the
    mean cost of a row with Student's interval, where mistakes have costs.
    """

    name: str
    rows: int
    error: float
    low: float
    high: float
    shares: bool = True
    cost: tuple[float, float, float] | None = None

    @property
    def said(self) -> str:
        """In a line."""
        about = {"period": named(self.name), **self._shown}
        rows = trn("{n} row", "{n} rows", f"{self.rows:,}")
        if self.cost is None:
            return tr("{period}: error {error}, {low} to {high} ({rows})", rows=rows, **about)
        mean, least, most = map(show_figure, self.cost)
        return tr(
            "{period}: error {error}, {low} to {high}; cost of a row {mean}, {least} to {most} "
            "({rows})",
            rows=rows,
            mean=mean,
            least=least,
            most=most,
            **about,
        )

    @property
    def _shown(self) -> dict[str, str]:
        return {n: shown(getattr(self, n), self.shares) for n in ("error", "low", "high")}

    def row(self) -> list[object]:
        """In a table: period, rows, error, from, to; and the same of costs."""
        costs = () if self.cost is None else map(show_figure, self.cost)
        said = self._shown.values()
        return [named(self.name), f"{self.rows:,}", *said, *costs]


def period_of(watch: Watch, name: str, errors: Errors) -> Period:
    """What the errors of a period come to."""
    error = errors.total / errors.rows
    if watch.model.classes is None:
        low, high = mean_interval(error, np.sqrt(_spread(errors)), errors.rows)
    else:
        low, high = wilson(error, errors.rows)
    shares, cost = watch.model.classes is not None, None
    if (paid := watch.prices.get(name)) is not None:
        mean = paid.total / paid.rows
        least, most = mean_interval(mean, np.sqrt(_spread(paid)), paid.rows)
        cost = mean, max(float(least), 0.0), float(most)
    return Period(name, errors.rows, error, float(low), float(high), shares, cost)


def _spread(errors: Errors) -> float:
    """The variance of single rows."""
    mean = errors.total / errors.rows
    return max(0.0, errors.squares - errors.rows * mean**2) / max(1, errors.rows - 1)


def welch(one: Errors, other: Errors) -> float:
    """Welch's p that two means are the same; 1 where one row or less says nothing."""
    if min(one.rows, other.rows) < 2:
        return 1.0
    from scipy.special import stdtr

    a, b = _spread(one) / one.rows, _spread(other) / other.rows
    gap = one.total / one.rows - other.total / other.rows
    if a + b == 0:
        return 1.0 if gap == 0 else 0.0
    free = (a + b) ** 2 / (a**2 / (one.rows - 1) + b**2 / (other.rows - 1))
    return float(2 * stdtr(free, -abs(gap) / np.sqrt(a + b)))


def named(period: str) -> str:
    """A period in words."""
    if period == UNDATED:
        return tr("without a date")
    return visible(period) or tr("all rows")


def shown(value: float, share: bool) -> str:
    """A share as a percentage; an error of numbers as it is."""
    return show_share(value) if share else f"{value:.4g}"
