"""What a policy of pruning is, and what it comes to."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.errors import ParameterError
from bosco.pruning.subject import Floats, Subject


@dataclass(frozen=True, eq=False)
class Verdict:
    """Which nodes of a tree are to go, and what was compared.

    Parameters
    ----------
    cut : ndarray of bool
        Inner nodes that become leaves.
    kept, pruned : ndarray of float
        What every node would cost with its subtree, and what it costs without.
    measure : str
        What those numbers are.
    stand_in : ndarray of int32 or None
        Whose test and branches each node has from now on; None: each its own.
    sums : {"leaves", "branches", "none", "level"}
        What costs are sums of: of what the leaves cost with a `price` for each, of what branches
        (and the test) cost; or they are no sums, or no costs but a p-value and its level.
    price : float
        Of a leaf.
    """

    cut: NDArray[np.bool_]
    kept: Floats
    pruned: Floats
    measure: str
    stand_in: NDArray[np.int32] | None = None
    sums: Literal["leaves", "branches", "none", "level"] = "none"
    price: float = 0.0


def bottom_up(
    subject: Subject,
    as_leaf: Floats,
    measure: str,
    of_test: Floats | None = None,
    price: float | None = None,
) -> Verdict:
    """Cut, from the leaves up, every node that costs no more as a leaf."""
    of_test = np.zeros_like(as_leaf) if of_test is None else of_test
    cut, kept = _core.collapse(
        subject.native, np.ascontiguousarray(as_leaf), np.ascontiguousarray(of_test)
    )
    if price is None:
        return Verdict(cut, kept, as_leaf, measure, sums="branches")
    return Verdict(cut, kept, as_leaf, measure, sums="leaves", price=price)


class Policy(ABC):
    """A rule that says which nodes of a tree go. The policies are frozen dataclasses."""

    name: ClassVar[str]
    """What `pruning=` calls it."""

    @abstractmethod
    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""

    def rule(self) -> str:
        """When a node goes, in a sentence."""
        return tr("From the leaves up, a node becomes a leaf where that costs no more.")

    @property
    def words(self) -> str:
        """The policy as people say it: its name, and what differs from its defaults.

        Examples
        --------
        >>> from bosco.pruning import CostComplexity
        >>> CostComplexity(alpha=0.01).words
        'cost complexity (alpha 0.01)'
        """
        said = [
            f"{field.name.replace('_', ' ')} {_say(getattr(self, field.name))}"
            for field in fields(self)  # type: ignore[arg-type]
            if getattr(self, field.name) != field.default
        ]
        name = self.name.replace("_", " ")
        return f"{name} ({', '.join(said)})" if said else name

    def _refuse_numbers(self, subject: Subject, why: str) -> None:
        if subject.classes is None:
            raise ParameterError(
                f"{type(self).__name__} is defined for classes: {why}. For a real target use "
                f"CostComplexity, ReducedError, GeneralizationError or CriticalValue."
            )

    def _require(self, name: str, good: bool, allowed: str) -> None:
        if not good:
            raise ParameterError(
                f"The {name!r} of {type(self).__name__} must be {allowed}. "
                f"Got {getattr(self, name)!r} instead."
            )


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):  # rows, and what is true of them
        return f"{len(value[1])} rows"
    return show_figure(value, 6) if is_number(value) else str(value)


def is_number(value: Any) -> bool:
    """Whether a value is a finite real number, and no truth value."""
    return not isinstance(value, bool) and isinstance(value, Real) and isfinite(value)
