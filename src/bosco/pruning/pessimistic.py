"""C4.5's pruning: errors as they may be at worst, within a confidence."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bosco import _core
from bosco.errors import DataError, ParameterError
from bosco.pruning.errors import bottom_up
from bosco.pruning.policy import Policy, Verdict, is_number
from bosco.pruning.subject import Subject


@dataclass(frozen=True)
class Pessimistic(Policy):
    """C4.5's pruning: the upper confidence bound of the errors, with subtree raising.

    First, subtrees that save no training error are collapsed. Then, from the leaves up, each node
    is weighed as a leaf, as its subtree, and as its heaviest branch (of equals the last) with all
    rows of the node sent down it; the cheapest stays (what is at most 0.1 worse counts as equal,
    and smaller wins). A branch that is raised is pruned again. Under monotone constraints nothing
    is raised.

    Parameters
    ----------
    confidence : float, default=0.25
        The smaller, the more is pruned; in (0, 0.5].
    raising : bool, default=True
        Weigh the heaviest branch too. It needs the training rows, which `fit` has;
        `Model.prune` must be given them.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> DecisionTreeClassifier(algorithm="c45", pruning="none").fit(*golf()).get_n_leaves()
    5
    >>> DecisionTreeClassifier(algorithm="c45").fit(*golf()).get_n_leaves()
    5
    """

    name: ClassVar[str] = "pessimistic"
    confidence: float = 0.25
    raising: bool = True

    def __post_init__(self) -> None:
        good = is_number(self.confidence) and 0 < self.confidence <= 0.5
        self._require("confidence", good, "a number above 0, at most 0.5")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        self._refuse_numbers(subject, "it bounds the number of wrong rows")
        raising = self.raising and not any(subject.growth.monotonic)
        rows = subject.training
        if raising and rows is None:
            raise ParameterError(
                f"{self!r} sends training rows down other branches, and a model keeps none. Give "
                f"them, model.prune(policy, X, y), or leave it out: "
                f"Pessimistic(confidence={self.confidence!r}, raising=False)."
            )
        first = bottom_up(subject, subject.errors, "").cut
        given: tuple[Any, Any, int] = (None, None, 1)
        if raising and rows:
            given = (rows.frame.native, rows.target.native, rows.n_threads)
        try:
            cut, stand_in, kept, pruned = _core.pessimistic(
                subject.native, first, self.confidence, *given
            )
        except _core.CoreError as error:
            raise DataError(
                f"{error}, or not with those weights. Hint: they are needed as `fit` had them, "
                "sample_weight too. Class weights are known, but where sample weights have many "
                "digits."
            ) from None
        raised = bool((stand_in != np.arange(len(stand_in))).any())
        measure = f"upper bound of errors at confidence {self.confidence:g}"
        return Verdict(cut, kept, pruned, measure, stand_in if raised else None)
