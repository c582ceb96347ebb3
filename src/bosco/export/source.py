"""What the exports to programming languages share: nested ifs, tables, names that are safe.

A tree that a person can read becomes nested ifs. A large or deep one, and one whose questions have
stand-ins or whose rows go several ways, becomes tables and a short loop, which any compiler takes.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bosco.data.columns import Level
from bosco.data.deriving import explained as meanings
from bosco.data.schema import Column
from bosco.errors import ParameterError
from bosco.export.program import Guard, Program, guards, one_line

MAX_LEAVES = 200
MAX_HEIGHT = 30
MAX_LEVELS = 2000

UNITS = {
    "number": "a number",
    "date": "days since 1970-01-01",
    "datetime": "microseconds since 1970-01-01 00:00",
    "instant": "microseconds since 1970-01-01 00:00 UTC",
    "duration": "microseconds",
    "time": "microseconds since midnight",
}


@dataclass(frozen=True)
class Language:
    """What programming languages disagree on, wherever a model is put together from pieces."""

    indent: str
    braces: bool  # around what is done, brackets around what is asked; else a colon between them
    either: str
    unequal: str
    literal: Callable[[Any], str]  # a level or a number
    among: Callable[[str, Mapping[int, Level]], str]  # whether x is one of some levels, by position


def readable(program: Program) -> bool:
    """Whether nested ifs say it, and a person would read them."""
    plain = not program.many and all(
        len(node.asks) == 1 and node.missing is not None for node in program.nodes if node
    )
    levels = sum(len(ask.to) for ask in program.asks())
    small = len(program.leaves) <= MAX_LEAVES and program.heights[0] <= MAX_HEIGHT
    return plain and small and levels <= MAX_LEVELS


def ifs(
    code: Program, speech: Language, names: Mapping[int, str], leaf: Callable[[int], str]
) -> Iterator[str]:
    """The lines of nested ifs; columns by their names, a leaf as the language gives it."""

    def say(guard: Guard) -> str:
        x, parts = names[guard.column], []
        if guard.cut is not None:
            parts.append(f"{x} <= {speech.literal(guard.cut)}")
        if guard.levels is not None:
            levels = code.columns[guard.column].levels or ()
            parts.append(speech.among(x, {at: levels[at] for at in guard.levels}))
        if guard.missing:
            parts.append(f"{x} {speech.unequal} {x}")
        return speech.either.join(parts)

    waiting: list[str | tuple[int, int]] = [(0, 0)]
    while waiting:
        line = waiting.pop()
        if isinstance(line, str):
            yield line
            continue
        depth, number = line
        pad, node = speech.indent * (depth + 1), code.nodes[number]
        if node is None:
            yield f"{pad}{leaf(number)}"
            continue
        below: list[str | tuple[int, int]] = []
        for guard, child in guards(node.asks[0], node.missing):
            if guard is None and not below:  # one way only
                below.append((depth, child))
                break
            word = "else" if guard is None else "else if" if below else "if"
            asked = "" if guard is None else say(guard)
            if speech.braces:
                word = f"{'} ' if below else ''}{word}{f' ({asked})' if asked else ''} {{"
            else:
                word = f"{word.replace('else if', 'elif')}{f' {asked}' if asked else ''}:"
            below += [f"{pad}{word}", (depth + 1, child)]
        else:
            below += [f"{pad}}}"] * speech.braces
        waiting += reversed(below)


def domain(column: Column, literal: Callable[[Level], str]) -> str:
    """What values a column has, for a comment."""
    if column.levels is None:
        return UNITS[column.unit]
    few = ", ".join(map(literal, column.levels[:8]))
    return f"one of {few}" + (f", … ({len(column.levels)})" if len(column.levels) > 8 else "")


def unique(names: Sequence[str], most: int = 40, taken: Sequence[str] = ()) -> list[str]:
    """Make an identifier of every name, no two alike even if case is ignored, none like `taken`.

    Examples
    --------
    >>> unique(["petal length (cm)", "x", "X", "", "1st"])
    ['petal_length_cm', 'x', 'X_2', '_', '_1st']
    """
    used = {name.lower() for name in taken}
    found = []
    for name in names:
        safe = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:most]
        safe = safe if safe and not safe[0].isdigit() else f"_{safe}"
        choice, n = safe, 2
        while choice.lower() in used:
            choice, n = f"{safe}_{n}", n + 1
        used.add(choice.lower())
        found.append(choice)
    return found


def cell_names(code: Program) -> dict[int, str]:
    """What the cells of the columns that are asked for are called, by column."""
    names = unique([code.columns[j].name for j in code.used])
    return {j: f"x_{name}" for j, name in zip(code.used, names, strict=True)}


def explained(code: Program) -> list[str]:
    """What the derived columns that are asked for mean, for comments."""
    columns = [code.columns[j] for j in code.derived]
    return [one_line(line) for line in meanings(columns)]


def said_of_classes(code: Program, function: str) -> dict[str, str]:
    """How a program speaks of what it gives to each class: shares by a function, or points."""
    if code.adds == "points":
        return {"function": "points", "what": "points", "most": "most points", "given": "given"}
    most = "largest share, or the one ordered" if code.apart else "largest share"
    return {"function": function, "what": "share", "most": most, "given": "shares"}


def sums_in(code: Program, given: str) -> list[str]:
    """What is compared to decide, by class, as expressions of what is `given` to each class."""
    return [
        " + ".join(f"{given}[{place}] * {number(factor)}" for place, factor in terms)
        or number(constant)
        for constant, terms in code.sums
    ]


def said_of_mean(code: Program) -> str:
    """What a program gives for a real target, in words."""
    ordered = ", or the number ordered" * bool(code.orders)
    return f"{code.statistic} of the training rows of the leaf{ordered}"


def require_name(name: str, what: str) -> str:
    """Refuse a prefix that is not an identifier."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ParameterError(
            f"{what} must be letters, digits and underscores, not beginning with a digit. "
            f"Got {name!r:.60}."
        )
    return name


def wrapped(items: Sequence[str], indent: str, width: int = 100) -> str:
    """Items with commas between them, in lines."""
    lines, line = [], indent
    for item in items:
        if len(line) + len(item) + 2 > width and line != indent:
            lines.append(line.rstrip())
            line = indent
        line += f"{item}, "
    return "\n".join([*lines, line.rstrip()])


def number(x: float) -> str:
    """A finite float64 that every language reads back as such."""
    return repr(float(x))
