"""What an expression comes to, step by step: the same float64 operations wherever it is computed.

Every value of a step is a finite number or missing; true is 1, false 0. A step that needs a missing
value is missing, and so is one whose result would not be finite: a division by zero, the root of a
negative number, what is too large for a float64. An infinite number of a column is read as missing.
So there is nothing for languages to disagree about.
"""

from dataclasses import dataclass
from typing import Literal

from bosco.base.dates import Unit

Operation = Literal[
    "constant", "number", "among",
    "negated", "abs", "floor", "sqrt", "not",
    "+", "-", "*", "/", "min", "max",
    "<", "<=", ">", ">=", "==", "!=", "and", "or",
]  # fmt: skip

MAY_OVERFLOW = frozenset("+-*/")
"""Operations on finite numbers that may not be finite."""

TRUTHS = frozenset({"among", "not", "<", "<=", ">", ">=", "==", "!=", "and", "or"})
"""Operations that give 1 or 0."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on the results of earlier steps, `of`.

    "constant" is `value`; "number" is the number in `column`; "among" is whether the level in
    `column` is at one of the `positions`.
    """

    operation: Operation
    of: tuple[int, ...] = ()
    column: int = -1
    value: float = 0.0
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Formula:
    """How a column is derived: as text, and as steps, the last of which is the result.

    `unit` is what the result stands for: a number, a truth value ("boolean"), or a moment.
    """

    text: str
    unit: Unit
    steps: tuple[Step, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads, in order."""
        return tuple(sorted({step.column for step in self.steps if step.column >= 0}))
