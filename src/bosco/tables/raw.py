"""What a reader hands over: columns as the file has them, before anything is made of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


def _no_lines(row: int) -> str:
    return f"row {row + 1}"


@dataclass(frozen=True, slots=True)
class Raw:
    """Columns of a file."""

    names: tuple[str, ...]  # as in the file: they may be empty or repeated
    columns: tuple[Any, ...]  # of pyarrow; text where the format has nothing else
    format: str  # with its details, in words
    notes: tuple[str, ...] = ()  # what was odd about the file
    typed: bool = False  # the format says what its columns are, so that text is meant as text
    where: Callable[[int], str] = _no_lines  # says where a row is, for messages: "line 7"
    layout: Mapping[str, Any] = field(default_factory=dict)  # of text: delimiter, encoding, header


def rename(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give every column a name of its own; say what was changed.

    Examples
    --------
    >>> rename(["x", "", " x "])
    (('x', 'column_2', 'x_2'), ("column 2 has no name: called 'column_2'", ...))
    """
    trimmed = [name.strip() for name in names]
    taken = set(trimmed)
    seen: set[str] = set()
    last: dict[str, int] = {}  # of each name, the number that its namesakes have come to
    result, notes = [], []
    for place, name in enumerate(trimmed, 1):
        chosen = name or f"column_{place}"
        if not name or name in seen:
            base = chosen
            while chosen in taken:
                last[base] = last.get(base, 1) + 1
                chosen = f"{base}_{last[base]}"
            what = f"is a second {name!r}" if name else "has no name"
            notes.append(f"column {place} {what}: called {chosen!r}")
        seen.add(chosen)
        taken.add(chosen)
        result.append(chosen)
    return tuple(result), tuple(notes)
