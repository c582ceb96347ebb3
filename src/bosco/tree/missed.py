"""What the leaves of a tree get wrong of the rows that it was grown on, and what that costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure
from bosco.tree.costs import toll
from bosco.tree.decision import Decision


@dataclass(frozen=True, slots=True)
class Missed:
    """What is wrong, in weight, and what that costs, where mistakes have costs.

    Examples
    --------
    >>> Missed(3.0).counts, Missed(3.0, 11.0).counts
    (3.0, 11.0)
    """

    wrong: float
    cost: float | None = None

    @classmethod
    def of(
        cls, native: Any, decision: Decision, leaves: NDArray[np.bool_] | None = None
    ) -> "Missed":
        """What the leaves of a tree miss, or some of them, when they answer as is decided."""
        leaves = native.test < 0 if leaves is None else leaves & (native.test < 0)
        tally = native.tally[leaves]
        answer = decision.answers(np.asarray(native.value)[leaves])
        own = np.take_along_axis(tally, answer[:, None], axis=1)
        scale = float(native.weight_scale)
        wrong = int(tally.sum() - own.sum()) / scale
        if decision.costs is None:
            return cls(wrong)
        return cls(wrong, float(toll(tally, answer, decision.costs).sum()) / scale)

    @property
    def counts(self) -> float:
        """What is to be as little as possible: the cost, or what is wrong."""
        return self.wrong if self.cost is None else self.cost

    def say(self, weighted: bool) -> str:
        """The same in words."""
        wrong = say_wrong(self.wrong, weighted)
        return wrong if self.cost is None else say_cost(wrong, self.cost)


def say_wrong(wrong: float, weighted: bool) -> str:
    """So many rows are wrong, in words."""
    if weighted:
        return tr("weight {n} wrong", n=show_figure(wrong))
    return trn("{n} row wrong", "{n} rows wrong", show_figure(wrong))


def say_cost(wrong: str, cost: float) -> str:
    """What is wrong, in words, with what it costs."""
    return tr("{wrong}, cost {cost}", wrong=wrong, cost=show_figure(cost))
