"""What parts say, added up: the answer of many is that of one that has all their rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from bosco.scale.boosted import add_marks
from bosco.scale.finish import bundled
from bosco.scale.narrow import narrow
from bosco.scale.zoom import joined
from bosco.tree.census import Counted

__all__ = ["adds_up", "merged", "ordered"]


def adds_up(request: str) -> bool:
    """Whether the answers of many parts are no larger than that of one."""
    return request in _ADDED and request != "bundles"


def merged(request: str, answers: list[Any]) -> list[Any]:
    """Answers of parts as few: one for all, where they can be added up."""
    add = _ADDED.get(request)
    return answers if add is None or len(answers) < 2 else [add(answers)]


def ordered(said: Iterable[tuple[Sequence[int], list[Any]]]) -> list[Any]:
    """Answers for some parts each, in the order of parts; where they are added up, as they come."""
    said = list(said)
    if any(len(numbers) != len(answers) for numbers, answers in said):
        return [answer for _, answers in said for answer in answers]
    by_part = {
        number: answer
        for numbers, answers in said
        for number, answer in zip(numbers, answers, strict=True)
    }
    return [by_part[number] for number in sorted(by_part)]


def _add_each(answers: list[Any]) -> Any:
    """Answers to several requests, each with its name."""
    return [
        (some[0][0], _ADDED[some[0][0]]([one for _, one in some]))
        for some in zip(*answers, strict=True)
    ]


def _add_counts(answers: list[Any]) -> Any:
    cells = answers[0][0].astype(np.int64)
    for other in answers[1:]:
        cells += other[0]
    squares = np.sum([a[1] for a in answers], axis=0)
    holds = [
        (sum(a[2][k][0] for a in answers), sum(a[2][k][1] for a in answers))
        for k in range(len(answers[0][2]))
    ]
    return narrow(cells), squares, holds


def _add_looks(answers: list[Any]) -> Any:
    fine = [_add_fine([a[0][k] for a in answers]) for k in range(len(answers[0][0]))]
    near = [
        (max(a[1][k][0] for a in answers), min(a[1][k][1] for a in answers))
        for k in range(len(answers[0][1]))
    ]
    return fine, near


def _add_fine(parts: list[Any]) -> tuple[Any, Any, Any]:
    """The fine table of all parts: values, their codes, cells."""
    values = np.concatenate([p[0] for p in parts])
    order = np.argsort(values, kind="stable")  # which is quick: each part is in order
    values = values[order]
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    first = np.flatnonzero(new)
    cells = np.concatenate([p[2] for p in parts])[order]
    if len(first) < len(values):
        cells = np.add.reduceat(cells, first, axis=0, dtype=np.int64)
    bins = np.concatenate([p[1] for p in parts])[order]
    return values[first], bins[first], narrow(cells)


def _add_extremes(answers: list[Any]) -> Any:
    """The least of the least and the largest of the largest."""
    return [
        np.column_stack([np.min([e[:, 0] for e in some], 0), np.max([e[:, 1] for e in some], 0)])
        for some in zip(*answers, strict=True)
    ]


def _add_branches(answers: list[Any]) -> Any:
    """For each test the tables of all columns but its own."""
    return [
        [None if tables[0] is None else _add_tables(tables) for tables in zip(*parts, strict=True)]
        for parts in zip(*answers, strict=True)
    ]


def _add_tables(parts: Any) -> Any:
    """Tables of one column: codes, cells, values (none of a nominal column), number of codes."""
    ordered = any(len(p[2]) for p in parts)
    keys = np.concatenate([p[2] if ordered else p[0] for p in parts])
    found, place = np.unique(keys, return_inverse=True)
    cells = np.zeros((len(found), 2), np.int64)
    np.add.at(cells, place, np.concatenate([p[1] for p in parts]))
    if not ordered:
        return found.astype(np.uint32), cells, np.zeros(0), parts[0][3]
    return np.arange(1, len(found) + 1, dtype=np.uint32), cells, found, len(found)


_ADDED: dict[str, Callable[[list[Any]], Any]] = {
    "each": _add_each,
    "count": _add_counts,
    "look": _add_looks,
    "extremes": _add_extremes,
    "up_to": lambda answers: [np.sum(some, axis=0) for some in zip(*answers, strict=True)],
    "zoom": joined,
    "bundles": lambda answers: [bundled(of_node) for of_node in zip(*answers, strict=True)],
    "known": lambda answers: np.sum(answers, axis=0),
    "branches_by": _add_branches,
    "totals": lambda answers: np.sum(answers, axis=0),
    "levels": lambda answers: np.sum(answers, axis=0),
    "drawn": lambda answers: np.sum(answers, axis=0),
    "census": Counted.joined,
    "marked": add_marks,
    "size": sum,
    "offsets_size": sum,
}
