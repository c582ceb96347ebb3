"""What the exports to programming languages share: nested ifs, tables, names that are safe.

A tree that a person can read becomes nested ifs. A large or deep one, and one whose questions have
stand-ins or whose rows go several ways, becomes tables and a short loop, which any compiler takes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from bosco.base.numerals import show_number
from bosco.errors import ParameterError
from bosco.export.program import Guard, Inner, Program, guards

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

Kind = Literal["if", "else if", "else", "end", "leaf"]


def readable(program: Program) -> bool:
    """Whether nested ifs say it, and a person would read them."""
    plain = not program.many and all(
        len(node.asks) == 1 and node.missing is not None for node in inner(program)
    )
    levels = sum(len(ask.to) for ask in program.asks())
    small = len(program.leaves) <= MAX_LEAVES and program.heights[0] <= MAX_HEIGHT
    return plain and small and levels <= MAX_LEVELS


def inner(program: Program) -> Iterator[Inner]:
    """The nodes with a test."""
    return (node for node in program.nodes if node is not None)


def nested(program: Program, say: Callable[[Guard], str]) -> Iterator[tuple[int, Kind, str]]:
    """Lines of nested ifs: their depth, what they are, a condition or the number of a leaf."""
    lines: list[tuple[int, Kind, str] | tuple[int, int]] = [(0, 0)]
    while lines:
        line = lines.pop()
        if len(line) == 3:
            yield line
            continue
        depth, number = line
        node = program.nodes[number]
        if node is None:
            yield depth, "leaf", str(number)
            continue
        below: list[tuple[int, Kind, str] | tuple[int, int]] = []
        for guard, child in guards(node.asks[0], node.missing):
            if guard is None and not below:  # one way only
                below += [(depth, child)]
                break
            kind: Kind = "else" if guard is None else "else if" if below else "if"
            below += [(depth, kind, "" if guard is None else say(guard)), (depth + 1, child)]
        else:
            below.append((depth, "end", ""))
        lines += reversed(below)


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
    """A finite float64 that every language reads back as such.

    Examples
    --------
    >>> number(2.0), number(1e300), number(0.1)
    ('2.0', '1e+300', '0.1')
    """
    text = show_number(x)
    return text if set(text) & set(".en") else f"{text}.0"
