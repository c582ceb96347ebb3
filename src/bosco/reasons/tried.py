"""What was tried of one column at a node: the branches of its best test, and every other test."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure, show_number
from bosco.reasons.why import Candidate
from bosco.render.card import show_amount, show_weight

SHOWN = 8
"""So many cuts of a column, or levels, are printed."""


@dataclass(frozen=True, slots=True)
class Way:
    """One branch of a test that was tried.

    Attributes
    ----------
    words : str
        Its condition.
    weight : float
        Of its rows; their number, unless they have weights.
    tally : tuple of float
        The same by class; of numbers, their sum alone.
    impurity : float
        Of its rows.
    """

    words: str
    weight: float
    tally: tuple[float, ...]
    impurity: float


@dataclass(frozen=True, slots=True, eq=False)
class Tests:
    """Every test of one kind that a column has at a node, as arrays.

    Attributes
    ----------
    gain, split_info, gain_ratio : ndarray of float64
        What it is worth, before any penalty; the ratio is NaN where there is none.
    allowed : ndarray of bool
        Whether each branch holds what it must.
    left : ndarray
        Weight of what goes the first way, by class; of numbers, weight and sum.
    """

    gain: NDArray[np.float64]
    split_info: NDArray[np.float64]
    gain_ratio: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    left: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.gain)

    def test(self, at: int) -> str:
        """One of them, in words."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, list[Any]]:
        """The tests as columns."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else list(value)
            for name, value in named.items()
            if not callable(value)
        }

    def best(self, n: int) -> list[int]:
        """The places of the best, in their own order."""
        worth = np.where(self.allowed, self.gain, -1.0)
        return np.sort(np.argsort(-worth, kind="stable")[:n]).tolist()  # type: ignore[no-any-return]

    def __str__(self) -> str:
        some = self.best(SHOWN)
        said = ", ".join(f"{self.test(i)}: {digits(self.gain[i])}" for i in some)
        more = len(self) - len(some)
        return said + (trn(" and {n} more", " and {n} more", more) if more else "")


@dataclass(frozen=True, slots=True, eq=False)
class Cuts(Tests):
    """Every cut of one column at a node, ascending.

    Attributes
    ----------
    low, high : ndarray of float64
        The values on both sides.
    threshold : ndarray of float64
        Where the cut would be.
    words : callable
        A threshold in words: ``≤ 77.5``.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    threshold: NDArray[np.float64]
    words: Callable[[float], str]

    def test(self, at: int) -> str:
        """One of them, in words."""
        return self.words(float(self.threshold[at]))


@dataclass(frozen=True, slots=True, eq=False)
class Levels(Tests):
    """Every level of one column at a node against all others.

    Attributes
    ----------
    level : tuple of str
        The levels, in words.
    """

    level: tuple[str, ...]

    def test(self, at: int) -> str:
        """One of them, in words."""
        return f"= {self.level[at]}"


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What was tried of one column at a node.

    Attributes
    ----------
    best : Candidate
        Its best test.
    impurity : float
        Of the rows that were judged: all, or those whose value is known.
    ways : tuple of Way
        The branches of the best test; none where only what was recorded is known.
    cuts : Cuts or None
        Every cut, of a column that has an order.
    levels : Levels or None
        Every level against the others, of a column where that is what was tried.
    several : bool
        Whether the best test has several cuts, so that it is none of those.
    """

    best: Candidate
    impurity: float
    ways: tuple[Way, ...]
    cuts: Cuts | None = None
    levels: Levels | None = None
    several: bool = False

    @property
    def others(self) -> Cuts | Levels | None:
        """Every test that was tried, the best one among them."""
        return self.levels if self.cuts is None else self.cuts

    def arithmetic(self, weight: float) -> str:
        """The gain as a student would write it, at a node of this weight."""
        gross = digits(self.best.gain + self.best.penalty)
        if not self.ways:
            return gross
        judged = sum(way.weight for way in self.ways)
        said = digits(self.impurity) + "".join(
            f" − ({show_weight(way.weight)}/{show_weight(judged)})·{digits(way.impurity)}"
            for way in self.ways
            if way.weight
        )
        if judged < weight:
            said = f"({show_weight(judged)}/{show_weight(weight)})·({said})"
        return f"{said} = {gross}"

    def sums(self, weight: float, score: str) -> Iterator[tuple[str, str]]:
        """Every sum that leads to what the test is compared by: its name, and the arithmetic."""
        best = self.best
        yield tr("gain"), self.arithmetic(weight)
        if best.penalty:
            gross = digits(best.gain + best.penalty)
            less = f"{gross} − {digits(best.penalty)} = {digits(best.gain)}"
            yield tr("less its penalty"), less
        if score != "gain" and best.split_info > 0:
            ratio = f"{digits(best.gain)} / {digits(best.split_info)} = {digits(best.gain_ratio)}"
            yield tr("gain ratio"), ratio

    def to_dict(self, weight: float) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            **{field.name: getattr(self.best, field.name) for field in fields(Candidate)},
            "branches": [
                {field.name: getattr(way, field.name) for field in fields(Way)} for way in self.ways
            ],
            "arithmetic": self.arithmetic(weight),
            "cuts": None if self.cuts is None else self.cuts.to_dict(),
            "levels": None if self.levels is None else self.levels.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Amount:
    """How rows are told: by class or by their mean, as rows or as their weight.

    `statistic`: what stands in the place of the mean, in a word; empty: it is the mean.
    """

    classes: tuple[str, ...] = ()
    weighted: bool = False
    statistic: str = ""

    def say(self, weight: float, tally: tuple[float, ...]) -> str:
        """What a node or a branch holds: ``14 rows: No 5, Yes 9``; of weighted rows, the weight."""
        held = show_amount(None if self.weighted else weight, weight)
        if not self.classes:
            mean = show_figure(tally[0] / weight) if weight else "–"
            if self.statistic:
                return f"{held}, {self.statistic} {mean}"
            return tr("{held}, mean {mean}", held=held, mean=mean)
        by_class = (f"{name} {show_weight(w)}" for name, w in zip(self.classes, tally, strict=True))
        return f"{held}: {', '.join(by_class)}"


def digits(x: float) -> str:
    """Four digits after the point, as a student writes; large and tiny numbers as in sentences."""
    if x == 0 or 1e-3 <= abs(x) < 1000:
        return f"{x:.4f}" if x else "0"
    return show_figure(x)


def plainly(threshold: float) -> str:
    """A threshold of numbers in words."""
    return f"≤ {show_number(threshold)}"
