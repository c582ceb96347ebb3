"""From what a model says of a case to its answer: the largest share, the least cost, or a cut-off.

Without costs and without a cut-off the heaviest class is the answer (`bosco.tree.ties`). Else what
is compared is a sum for each class, of products with the shares, in float64 and in a written order:
so every export comes to the same bits. Of equal sums the winner is that of a tie.

Costs. ``costs[t][k]`` is what it costs to answer k where t is true; right answers cost nothing. The
class of the least expected cost is the answer. Where a mistake on a class costs the same whatever
is said instead (of two classes always), that is the class whose share times its cost is largest;
else the one whose sum of ``-share[t] * costs[t][k]`` is. Costs that are all equal decide nothing.

A cut-off. Of two classes, one is the answer where its share is at least so much, else the other is.
A score table has points: there it is a lead in points, in whole numbers over 2**40.

Shares of one tree may be calibrated first (`bosco.tree.calibration`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nextafter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import phrase, tr
from bosco.base.numerals import show_figure, show_number
from bosco.data.schema import show_label
from bosco.tree.calibration import Calibration
from bosco.tree.chosen import Chosen
from bosco.tree.costs import Costs, per_class, say_costs
from bosco.tree.ties import heaviest, tied

__all__ = ["BY_CALIBRATION", "BY_COST", "BY_CUT", "HEAVIEST", "POINT", "Cut", "Decision", "Sum"]

BY_COST = phrase("by cost")
"""Stands at a leaf that answers a class of lower cost than its heaviest."""

BY_CUT = phrase("by cut-off")
"""Stands at a leaf that answers another class than its heaviest, by a cut-off."""

BY_CALIBRATION = phrase("by calibration")
"""Stands at a leaf whose heaviest class is another once its shares are calibrated."""

POINT = 2.0**-40
"""What one of the whole points of a score table is worth."""


class Sum(NamedTuple):
    """What stands for one class when it is decided: a constant, or shares times factors, added."""

    constant: float
    terms: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut-off: of two classes, `of` is answered where it has at least `at`.

    Attributes
    ----------
    at : float
        The share; of a score table, the lead in points.
    of : int
        The place of the class.
    points : bool
        Whether it is a lead in points.
    about : mapping
        How it was chosen, in plain values; see `bosco.tree.chosen.Chosen`.
    """

    at: float
    of: int = 1
    points: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", MappingProxyType(dict(self.about)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Cut, (self.at, self.of, self.points, dict(self.about))


@dataclass(frozen=True, eq=False)
class Decision:
    """How an answer is made of shares; `HEAVIEST` is the plain one.

    Parameters
    ----------
    costs : tuple of tuple of float, or None
        What mistakes cost, by the true class and the answer.
    cut : Cut or None
        The cut-off; where there is one, it decides.
    calibration : Calibration or None
        What makes the shares of a tree of those of its rows.

    Examples
    --------
    >>> decide = Decision(costs=((0.0, 1.0), (5.0, 0.0)))
    >>> decide.answers(np.array([[0.8, 0.2], [0.9, 0.1]])).tolist()
    [1, 0]
    >>> Decision(cut=Cut(0.3)).answers(np.array([[0.7, 0.3], [0.71, 0.29]])).tolist()
    [1, 0]
    >>> HEAVIEST.answers(np.array([[0.5, 0.5]])).tolist()
    [1]
    """

    costs: Costs | None = None
    cut: Cut | None = None
    calibration: Calibration | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and self._parts == other._parts

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.costs, self.cut, self.calibration

    def __hash__(self) -> int:
        cut = self.cut
        return hash((self.costs, None if cut is None else (cut.at, cut.of, cut.points)))

    @property
    def mark(self) -> str:
        """What stands at an answer that is not the heaviest class; in English, for programs."""
        if self.cut is not None:
            return "by cut-off"
        return "by cost" if self.costs is not None else "by calibration"

    @property
    def word(self) -> str:
        """The same for people."""
        if self.cut is not None:
            return BY_CUT()
        return BY_COST() if self.costs is not None else BY_CALIBRATION()

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """What is compared, by class; none of it where the heaviest is the answer."""
        cut = self.cut
        if cut is not None:
            other = 1 - cut.of
            # Of equals the second wins: so a cut-off of the first is the number just below it.
            bar = cut.at if cut.of == 1 else _below(cut)
            lead = ((other, -1.0), (cut.of, 1.0)) if cut.points else ((cut.of, 1.0),)
            pair = {cut.of: Sum(0.0, lead), other: Sum(bar, ())}
            return pair[0], pair[1]
        if self.costs is None:
            return ()
        own = per_class(self.costs)
        if own is not None:
            return tuple(Sum(0.0, ((k, cost),)) for k, cost in enumerate(own))
        places = range(len(self.costs))
        return tuple(
            Sum(0.0, tuple((t, -self.costs[t][k]) for t in places if self.costs[t][k]))
            for k in places
        )

    def compared(self, shares: NDArray[Any]) -> NDArray[Any]:
        """What is compared of each row, by class: the largest wins."""
        if not self.sums:
            return shares
        said = shares * POINT if shares.dtype.kind == "i" else shares
        found = np.empty((len(said), len(self.sums)), np.float64)
        for k, (constant, terms) in enumerate(self.sums):
            found[:, k] = constant
            for nth, (place, factor) in enumerate(terms):
                part = said[:, place] * factor
                found[:, k] = part if nth == 0 else found[:, k] + part
        return found

    def answers(self, shares: NDArray[Any]) -> NDArray[np.intp]:
        """The place of the class that each row is answered with."""
        return heaviest(self.compared(shares))

    def tied(self, shares: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether two classes come to the same, so that their order decides."""
        if self.cut is not None:
            return np.zeros(len(shares), bool)
        found = self.compared(shares)
        return tied(found - found.min(axis=1, keepdims=True) if self.sums else found)

    def turned(self, shares: NDArray[Any], own: NDArray[Any]) -> NDArray[np.bool_]:
        """Which nodes answer otherwise than by the heaviest class of their rows' own shares."""
        if not self:
            return np.zeros(len(shares), bool)
        return np.asarray(self.answers(shares) != heaviest(own), np.bool_)

    def say(self, classes: Sequence[Any]) -> list[str]:
        """How it is decided, in sentences."""
        names = [show_label(label) for label in classes]
        said = [] if self.calibration is None else self.calibration.say()
        if self.costs is not None:
            said.append(tr("Costs: {costs}.", costs=say_costs(self.costs, names)))
        if self.cut is None:
            if self.costs is not None:
                said.append(tr("The answer is the class of the least expected cost."))
            return said
        cut, other = self.cut, names[1 - self.cut.of]
        at = {"answer": names[cut.of], "at": show_number(cut.at), "other": other}
        if cut.points:
            at["at"] = show_figure(cut.at, 6)
            said.append(tr("{answer} from a lead of {at} points on, else {other}.", **at))
        else:
            said.append(tr("{answer} where its share is at least {at}, else {other}.", **at))
        chosen = Chosen.read(cut.about)
        return said if chosen is None else said + chosen.say(names[cut.of], costs=bool(self.costs))


HEAVIEST = Decision()
"""The heaviest class, and nothing else."""


def _below(cut: Cut) -> float:
    """The number just below a cut-off: of whole points, one less."""
    return cut.at - POINT if cut.points else nextafter(cut.at, -inf)
