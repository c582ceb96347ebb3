"""Derived columns in programming languages: the steps of a formula as expressions of the language.

A step that is needed once stands where it is needed; one that is needed again gets a name. Every
value is a finite number or NaN, which is missing; true is 1.0, false 0.0.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bosco.data.expressions.formula import Formula, Step
from bosco.export.source import number

COMPARED = {
    "<": "less",
    "<=": "at_most",
    ">": "more",
    ">=": "at_least",
    "==": "equal",
    "!=": "unequal",
}
"""What functions are called that compare: 1.0 or 0.0, NaN where an operand is missing."""


@dataclass(frozen=True)
class Arithmetic:
    """How a language says the operations."""

    operations: Mapping[str, str]  # {0} and {1} are the operands
    number: Callable[[int], str]  # the number in a column, NaN if it is not finite
    among: Callable[[int, tuple[int, ...]], str]  # whether its level is at one of the positions
    assign: str  # {0} the name, {1} the value
    name: str = "v{0}_{1}"  # {0} the column, {1} the step


def computed(formula: Formula, speech: Arithmetic, column: int) -> tuple[list[str], str]:
    """The lines that come before, and what a derived column then is."""
    uses = Counter(k for step in formula.steps for k in step.of)
    lines: list[str] = []
    said: list[str] = []
    for at, step in enumerate(formula.steps):
        text = _said(step, speech, said)
        if uses[at] > 1 and step.operation != "constant":
            name = speech.name.format(column, at)
            lines.append(speech.assign.format(name, text))
            text = name
        said.append(text)
    return lines, said[-1]


def _said(step: Step, speech: Arithmetic, said: list[str]) -> str:
    if step.operation == "constant":
        text = number(step.value)
        return f"({text})" if text.startswith("-") else text
    if step.operation == "number":
        return speech.number(step.column)
    if step.operation == "among":
        return speech.among(step.column, step.positions)
    return speech.operations[step.operation].format(*(said[k] for k in step.of))


def helpers(lines: str, functions: Mapping[str, str]) -> str:
    """The functions that the lines call, and those that these call; in the order given."""
    called = lines
    found: set[str] = set()
    while True:
        more = {name for name in functions if name not in found and f"{name}(" in called}
        if not more:
            break
        found |= more
        called += "".join(functions[name] for name in more)
    return "".join(text for name, text in functions.items() if name in found)
