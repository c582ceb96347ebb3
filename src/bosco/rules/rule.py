"""One rule: what it asks, what it answers, and what stands behind it."""

from dataclasses import dataclass
from typing import Any

from bosco.tree.conditions import Condition


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, this is the answer.

    Attributes
    ----------
    answer : object
        The class, or the number, that the rule predicts.
    conditions : tuple of Interval or Members
        At most one for each column, in the order of the columns. None: the rule always holds.
    leaves : tuple of int
        The leaves of the tree that the rule speaks for.
    support : float or None
        Training rows in those leaves; None where the rule speaks for a part of a leaf, whose rows
        the model does not know apart, where rows for which it does not hold came in shares, or
        where only their weight is known. `RuleSet.measured` counts on given rows.
    confidence : float or None
        Share of the answer among them; None for numbers and where support is None.
    weight : float or None
        Weight of those rows; None where support is.
    value : tuple of float or None
        Class shares, or the mean, that the tree predicts there; None once leaves are united.
    by_order : tuple of int
        Those of the leaves that answer by order: the answer is what a person ordered there, the
        shares and the confidence are those of the rows.
    turned : tuple of int
        Those of the leaves that answer another class than their heaviest, by costs or a cut-off.

    Examples
    --------
    >>> from bosco.tree.conditions import Members
    >>> Rule("Yes", (Members(0, (1,), False),), leaves=(1,), support=4.0, confidence=1.0).answer
    'Yes'
    """

    answer: Any
    conditions: tuple[Condition, ...]
    leaves: tuple[int, ...] = ()
    support: float | None = None
    confidence: float | None = None
    weight: float | None = None
    value: tuple[float, ...] | None = None
    by_order: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
