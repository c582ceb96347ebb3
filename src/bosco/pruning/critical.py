"""Critical values: a test must be more than chance would make it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bosco import _core
from bosco.pruning.policy import Policy, Verdict, is_number
from bosco.pruning.subject import Subject


@dataclass(frozen=True)
class CriticalValue(Policy):
    """A split must pass a test of significance: chi-square for classes, F for a real target.

    The p-value of a split is the probability that rows parted at random into branches of these
    sizes would differ as much. It does not know that the split was searched for, so small p-values
    come too easily; choose the level accordingly.

    Parameters
    ----------
    level : float, default=0.05
        Splits with a larger p-value fail.
    stop : bool, default=False
        False: a split that fails stays where one below it passes (Mingers). True: it goes, and all
        below it: the same tree as if the test had been made while growing.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> from bosco.pruning import CriticalValue
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> model.prune(CriticalValue(0.05)).n_leaves
    5
    >>> model.prune(CriticalValue(0.05, stop=True)).n_leaves  # Outlook has p = 0.17
    1
    """

    name: ClassVar[str] = "critical_value"
    level: float = 0.05
    stop: bool = False

    def __post_init__(self) -> None:
        good = is_number(self.level) and 0 < self.level < 1
        self._require("level", good, "a number between 0 and 1")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        p = _core.p_values(subject.native)
        judged = p if self.stop else subject.below(p, "least")
        cut = subject.inner & (judged > self.level)
        what = "p-value of the split" if self.stop else "least p-value of the subtree's splits"
        return Verdict(cut, judged, np.full(len(p), self.level), f"{what}, against the level")
