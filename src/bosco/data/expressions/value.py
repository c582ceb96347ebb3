"""An expression as an immutable value: constants, names of columns, and what is done with them.

`Call.name` is an operator or a function of `FUNCTIONS`; ``-`` with one operand turns the sign.
"""

from collections.abc import Iterator
from dataclasses import dataclass

MAX_LENGTH = 2000
"""Letters of an expression."""

MAX_PARTS = 100
"""Operations of an expression; more are said in several columns, one derived from the other."""

MAX_NESTING = 30
"""Brackets, signs and functions inside each other."""

MAX_POWER = 16
"""A power is so many factors, multiplied from left to right."""

FUNCTIONS: dict[str, tuple[int, int]] = {
    "abs": (1, 1),
    "floor": (1, 1),
    "sqrt": (1, 1),
    "min": (2, 10),
    "max": (2, 10),
    "days": (1, 1),
    "hours": (1, 1),
    "minutes": (1, 1),
    "seconds": (1, 1),
}
"""How many operands each function takes, at least and at most.

Only what is one operation of IEEE 754, or exact, is here: the same bits in every language.
"""

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

POWERS = {
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys((*COMPARISONS, "in"), 4),
    **dict.fromkeys("+-", 5),
    **dict.fromkeys("*/", 6),
    "**": 8,
}
"""How tightly operators bind."""

SIGN = 7
"""How tightly a sign binds: below a power, above a product."""

WORDS = frozenset({"and", "or", "not", "in", "true", "false", "True", "False"})
"""Words that are no names, unless they are quoted."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant number; finite."""

    value: float


@dataclass(frozen=True, slots=True)
class Text:
    """A constant text: a level, or a date."""

    value: str


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """A column."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """Something done with operands."""

    name: str
    of: tuple["Expression", ...]


Expression = Number | Text | Truth | Name | Call
Constant = Number | Text | Truth


def names_in(expression: Expression) -> Iterator[str]:
    """The columns that an expression names, some perhaps twice."""
    waiting: list[Expression] = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Name):
            yield part.name
        elif isinstance(part, Call):
            waiting += reversed(part.of)
