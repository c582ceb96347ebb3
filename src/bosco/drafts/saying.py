"""Tests as people say them: "humidity <= 75", "outlook in {sunny, rain}", "outlook".

The words in which bosco itself tells a test (`why`, texts) are read too. A test said is plain
values, a column with its cuts or its groups of levels, as a log keeps it; where missing values go
is not said: the rows decide, by the policy of the growth.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bosco.data.columns import Level
from bosco.data.schema import Column, Schema, show_level
from bosco.data.typed import QUOTED, level_of, number_of, unquoted
from bosco.drafts.ground import native_test
from bosco.errors import ParameterError, did_you_mean
from bosco.reasons.held import test_of
from bosco.tree.conditions import BY_SHARE, CUT, MAP

Said = Mapping[str, Any]
"""A test in plain values: ``column``, and ``cuts`` or ``groups``."""

_HOW = (
    "A test is said like 'humidity <= 75', 'humidity cut at 65, 75', 'outlook in {sunny, rain}', "
    "'outlook in {sunny} | {rain}' or 'outlook' (one branch per value)."
)

_OPENS, _OR = re.compile(r"\s*\{"), re.compile(r"\s*\|")
_LEVEL = re.compile(rf"\s*((?:{QUOTED})(?=\s*[,}}])|[^,{{}}]*)\s*([,}}])", re.DOTALL)

_FOLLOWS = re.compile(r"\s*$|\s*(<|>|=|≤|≥|!|≠|,)|\s+(in|not in|is|cut at)\b")
"""What comes after the name of a column."""


def read_test(
    schema: Schema,
    text: str,
    cuts: Sequence[Any] | None = None,
    groups: Sequence[Sequence[Any]] | None = None,
) -> Said:
    """A test in plain values, from its words or from a column with its cuts or groups."""
    if not isinstance(text, str):
        raise ParameterError(f"{_HOW} Got {text!r}.")
    name, rest = _column_of(schema, text)
    column = schema.columns[schema.names.index(name)]
    if cuts is not None or groups is not None:
        if rest or (cuts is not None and groups is not None):
            raise ParameterError(
                f"With cuts or groups, of which one is given, the test is a column's name alone. "
                f"Got {text!r}."
            )
        return _cut(column, list(cuts)) if cuts is not None else _map(column, groups or ())
    return _by_words(column, rest, text)


def known_or_missing(column: Column) -> dict[str, Any]:
    """The test that parts known values from missing ones."""
    if column.kind == "nominal":
        return {"column": column.name, "groups": [list(column.levels or ())]}
    return {"column": column.name, "cuts": [float("inf")]}


def is_known_or_missing(said: Said) -> bool:
    """Whether a test parts known values from missing ones."""
    return said.get("cuts") == [float("inf")] or len(said.get("groups", (0, 0))) == 1


def _by_words(column: Column, rest: str, text: str) -> Said:
    if rest in ("is missing", "is known") and rest[3:] not in map(show_level, column.levels or ()):
        return known_or_missing(column)
    if rest in ("", ", one branch per value"):
        return _every_value(column)
    if match := re.fullmatch(r"(<=|≤|>=|≥|>|<)\s*(.+)", rest):
        sign, value = match.groups()
        if sign in ("<", ">=", "≥"):
            raise ParameterError(
                f"Tests part a column into ≤ and >, and {text!r} is neither. Hint: say "
                f"'{column.name} <= t', with a t below {value}."
            )
        return _cut(column, [value])
    if match := re.fullmatch(r"cut at\s+(.+)", rest):
        return _cut(column, [part.strip() for part in match[1].split(",")])
    if match := re.fullmatch(r"(==|=|!=|≠|is not|is)\s*(.+)", rest):
        return _map(column, [[unquoted(match[2])]])
    if match := re.fullmatch(r"(?:not\s+)?in\s+(.+)", rest):
        return _map(column, _groups_of(match[1], text))
    raise ParameterError(f"{_HOW} Got {text!r}.")


def _column_of(schema: Schema, text: str) -> tuple[str, str]:
    """The column that a text begins with, the longest that fits, and what follows."""
    text = text.strip()
    for column in sorted(schema.columns, key=lambda c: -len(c.name)):
        for name in (column.name, column.shown):
            rest = text.removeprefix(name)
            if text.startswith(name) and _FOLLOWS.match(rest):
                return column.name, rest.strip()
    word = re.split(r"[\s<>=≤≥!≠,]", text, maxsplit=1)[0]
    raise ParameterError(
        f"{text!r} does not begin with the name of a column; there are "
        f"{', '.join(map(repr, schema.names[:20]))}.{did_you_mean(word, schema.names)}"
    )


def _every_value(column: Column) -> Said:
    if column.levels is None:
        raise ParameterError(
            f"Column {column.name!r} holds numbers: say where to cut them, like "
            f"'{column.name} <= 75' or '{column.name} cut at 65, 75'."
        )
    if column.kind == "ordinal":
        return _cut(column, list(column.levels[:-1]))
    return _map(column, [[level] for level in column.levels])


def _cut(column: Column, given: list[Any]) -> Said:
    if column.kind == "nominal":
        raise ParameterError(
            f"The levels of {column.name!r} have no order: say '{column.name} in {{…}}'."
        )
    cuts = [_threshold(column, value) for value in given]
    if not cuts or any(a >= b for a, b in pairwise(cuts)):
        raise ParameterError(f"The cuts of {column.name!r} must ascend. Got {given!r}.")
    return {"column": column.name, "cuts": cuts}


def _threshold(column: Column, value: Any) -> float:
    """A value of a column as the core cuts it: a number, or between two levels."""
    if column.levels is not None:
        return column.levels.index(level_of(column, value)) + 0.5
    return number_of(column, value)


def _map(column: Column, groups: Sequence[Sequence[Any]]) -> Said:
    if column.levels is None:
        raise ParameterError(
            f"Column {column.name!r} holds numbers, not levels: say '{column.name} <= 75'."
        )
    if column.kind == "ordinal":
        raise ParameterError(
            f"The levels of {column.name!r} have an order, which tests keep: say "
            f"'{column.name} <= {show_level(column.levels[0])}'."
        )
    place = {level: k for k, level in enumerate(column.levels)}
    named = [
        sorted((level_of(column, value) for value in group), key=place.__getitem__)
        for group in groups
    ]
    flat = [level for group in named for level in group]
    if not all(named) or len(set(flat)) < len(flat):
        raise ParameterError(
            f"Groups of levels hold one at least, and each level once. Got {groups!r}."
        )
    others = [level for level in column.levels if level not in flat]
    made = [*named, others] if others else named
    if len(made) < 2:
        raise ParameterError(f"All levels of {column.name!r} in one group part nothing.")
    return {"column": column.name, "groups": made}


def _groups_of(said: str, text: str) -> list[list[str]]:
    """The levels of each branch: ``{sunny, 'a, b'} | {rain}``."""
    groups: list[list[str]] = []
    at = 0
    while True:
        if not (opened := _OPENS.match(said, at)):
            break
        levels, at = [], opened.end()
        while item := _LEVEL.match(said, at):
            levels.append(unquoted(item[1].strip()))
            at = item.end()
            if item[2] == "}":
                break
        else:
            break
        groups.append(levels)
        if at == len(said):
            return groups
        if not (more := _OR.match(said, at)):
            break
        at = more.end()
    raise ParameterError(f"Levels stand in braces: 'outlook in {{sunny, rain}}'. Got {text!r}.")


def native_of(schema: Schema, said: Said) -> Any:
    """A test as the core has it; where missing values go is still open, unless it asks for them."""
    column = schema.names.index(said["column"])
    if is_known_or_missing(said):
        n = len(schema.columns[column].levels or ())
        if "cuts" in said:
            return native_test(CUT, column, 2, 1, False, [float("inf")], [])
        return native_test(MAP, column, 2, 0, False, [], [0, *[1] * n])
    if "cuts" in said:
        cuts = [float(cut) for cut in said["cuts"]]
        return native_test(CUT, column, len(cuts) + 1, BY_SHARE, False, cuts, [])
    levels = schema.columns[column].levels or ()
    branch = {level: b for b, group in enumerate(said["groups"]) for level in group}
    jumps = [0, *(branch[level] for level in levels)]
    return native_test(MAP, column, len(said["groups"]), BY_SHARE, False, [], jumps)


def planted(model: Any) -> list[list[Any]]:
    """The tests of a tree in plain values: the path of each, its branches, and what it asks."""
    tree, found = model.tree, []
    paths: dict[int, list[int]] = {0: []}
    for node in np.flatnonzero(tree.native.test >= 0).tolist():
        children = tree.children(node)
        paths |= {child: [*paths[node], b] for b, child in enumerate(children)}
        test = test_of(tree.native.tests, int(tree.native.test[node]))
        found.append([paths[node], len(children), said_of(model.schema, test)])
    return found


def said_of(schema: Schema, test: Any) -> dict[str, Any]:
    """The plain values of a native test."""
    column = schema.columns[test.column]
    if not test.jumps:
        return {"column": column.name, "cuts": list(test.thresholds)}
    groups: list[list[Level]] = [[] for _ in range(test.branches)]
    for level, branch in zip(column.levels or (), test.jumps[1:], strict=True):
        groups[branch].append(level)
    return {"column": column.name, "groups": [group for group in groups if group]}
