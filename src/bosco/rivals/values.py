"""What is known of one column, of what good trees say of the rows, and of other rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bosco.models.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """What is known of the trees that ask one column first.

    Attributes
    ----------
    column, test : str
        The column, and the first question of the best of these trees; "" where none was found.
    wrong, leaves : float, int
        The rows (or the weight) that this tree gets wrong, and its leaves.
    objective : float
        ``wrong + alpha * leaves``; infinite where no tree was found. With costs ``cost`` stands
        for ``wrong``.
    bound : float
        No tree that asks the column first costs less; infinite where there is none at all.
    good : bool or None
        Whether one of them is as good; None: the search ended before that was known.
    standing : bool
        Whether the questions of the best one change any answer.
    trees : int or None
        How many of them are as good; if not `exact`, so many at least. None: they were not counted.
    needed, never : bool or None
        Whether every good tree asks the column somewhere, or none does; None: not known.
    model : Model or None
        The best of these trees, to be printed, asked and saved.
    cost : float or None
        What the rows that it gets wrong cost, where mistakes have costs.
    """

    column: str
    test: str
    wrong: float
    leaves: int
    objective: float
    bound: float
    good: bool | None
    standing: bool
    trees: int | None
    exact: bool
    needed: bool | None
    never: bool | None
    model: "Model | None"
    cost: float | None = None

    @property
    def proved(self) -> bool:
        """Whether no tree that asks the column first costs less than the one found."""
        return self.bound >= self.objective

    def to_dict(self) -> dict[str, Any]:
        """The column as JSON has it: what is not finite is null."""
        none = isinf(self.objective)
        return {
            "column": self.column,
            "test": self.test,
            "wrong": None if none else self.wrong,
            **({} if none or self.cost is None else {"cost": self.cost}),
            "leaves": None if none else self.leaves,
            "objective": None if none else self.objective,
            "bound": None if isinf(self.bound) else self.bound,
            "proved": self.proved,
            "good": self.good,
            "trees": self.trees,
            "exact": self.exact,
            "needed": self.needed,
            "never": self.never,
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the good trees that were found, one for each first column, say of the rows.

    Attributes
    ----------
    trees : int
        How many there are.
    rows, apart : int
        The rows; those of which they do not all say the same.
    first : tuple of (int, dict)
        The first of those: their number from 0, and how many trees say what.
    """

    trees: int
    rows: int
    apart: int
    first: tuple[tuple[int, dict[str, int]], ...]

    @property
    def share(self) -> float:
        """The share of the rows on which all say the same."""
        return 1 - self.apart / self.rows


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the model, and the good tree of each first column, get wrong on other rows.

    Attributes
    ----------
    rows : int
        The other rows.
    own : int
        Those that the model gets wrong.
    wrong : dict of str to int
        Those that the good trees get wrong, by the column that they ask first.
    seen : str
        Whether they are seen rows: "fresh", "mixed", "learned" or "unknown".
    """

    rows: int
    own: int
    wrong: Mapping[str, int]
    seen: str
