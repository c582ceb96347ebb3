"""Two sets of rules on common ground: the same columns, levels and cells.

Columns are matched by name. A column that one side does not have, it does not look at; a level that
one side does not know, it reads as missing.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.data.schema import Column, Schema
from bosco.errors import DataError
from bosco.rules.rule import Rule
from bosco.rules.space import Box, Space
from bosco.tree.conditions import Condition, Members

if TYPE_CHECKING:
    from bosco.rules.ruleset import RuleSet

_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sets of rules with one schema, the space of both, and the region they both speak of."""

    a: "RuleSet"
    b: "RuleSet"
    space: Space
    region: Box


def aligned(a: "RuleSet", b: "RuleSet") -> Pair:
    """Put two sets of rules on common ground.

    A derived column is compared like any other, whatever it is derived from.
    Where one of them takes no missing values, only cases that it takes are compared: without
    missing values, and without levels unknown to it. Where one leaves the missing values of some
    columns open (``use_unseen``), only cases that have a value there are.
    """
    if (a.classes is None) != (b.classes is None):
        raise DataError("One of the two predicts classes, the other numbers: nothing to compare.")
    limits: list[Condition] = []
    if a.schema.columns != b.schema.columns:
        others = {column.name: column for column in b.schema.columns}
        both = [_joined(c, others.pop(c.name)) if c.name in others else c for c in a.schema.columns]
        # What is derived stands here for itself, like any column: formulas count places.
        both = [replace(column, formula=None) for column in both]
        others = {name: replace(column, formula=None) for name, column in others.items()}
        schema = Schema((*both, *others.values()), a.schema.named and b.schema.named)
        limits = [*_taken(a, schema), *_taken(b, schema)]
        a, b = _moved(a, schema), _moved(b, schema)
    asked = [c for rules in (a, b) for rule in rules.rules for c in rule.conditions]
    space = Space(a.schema, [*asked, *limits], missing=a.missing and b.missing)
    left_open = {a.schema.names.index(name) for name in (*a.unseen, *b.unseen)}
    return Pair(a, b, space, space.known_only(left_open) & space.box(limits))


def _taken(rules: "RuleSet", schema: Schema) -> Iterator[Condition]:
    """What rules that refuse missing values, and so unknown levels, do take of a wider schema."""
    for column in () if rules.missing else rules.schema.columns:
        j = schema.names.index(column.name)
        levels = schema.columns[j].levels
        if levels != column.levels:
            known = set(column.levels or ())
            codes = tuple(i for i, level in enumerate(levels or (), 1) if level in known)
            yield Members(j, codes, False)


def _joined(a: Column, b: Column) -> Column:
    if a == b:
        return a
    if (a.formula and a.formula.text) != (b.formula and b.formula.text):
        said = [c.formula.text if c.formula else "given" for c in (a, b)]
        raise DataError(
            f"Column {a.name!r} is {said[0]} on one side and {said[1]} on the other: it is not one "
            f"column."
        )
    if a.formula is not None:
        return a
    if (a.levels is None) != (b.levels is None) or (a.levels is None and a.unit != b.unit):
        raise DataError(
            f"Column {a.name!r} is {_kind(a)} on one side and {_kind(b)} on the other: there is "
            f"no case that both would read."
        )
    levels = tuple(dict.fromkeys((*(a.levels or ()), *(b.levels or ()))))
    # Two orders do not make one: levels in common are then all that is left of them.
    return Column(a.name, "nominal", levels, a.unit)


def _kind(column: Column) -> str:
    return column.unit if column.levels is None else column.kind


def _moved(rules: "RuleSet", schema: Schema) -> "RuleSet":
    """The same rules over the columns of a wider schema."""
    moves = [_move(column, schema) for column in rules.schema.columns]

    def moved(rule: Rule) -> Rule:
        conditions = [moves[c.column](c) for c in rule.conditions]
        return replace(rule, conditions=tuple(sorted(conditions, key=lambda c: c.column)))

    return replace(rules, schema=schema, rules=tuple(map(moved, rules.rules)))


def _move(column: Column, schema: Schema) -> Callable[[Condition], Condition]:
    """How conditions on one column are said of the column of another schema."""
    to = schema.names.index(column.name)
    target = schema.columns[to]
    if target.levels == column.levels and target.kind == column.kind:
        return lambda condition: replace(condition, column=to)
    codes = {level: code for code, level in enumerate(target.levels or (), 1)}
    own = [codes[level] for level in column.levels or ()]
    unknown = set(codes.values()) - set(own)

    def said(condition: Condition) -> Condition:
        inside = {own[i] for i in condition.places(len(own))}
        inside |= unknown if condition.missing else set()
        return Members(to, tuple(sorted(inside)), condition.missing)

    return said


def raw_point(space: Space, box: Box) -> dict[str, Any]:
    """A case of a box as one would type it in: every column of the schema, by name."""
    inside = space.point(box)
    names = space.schema.names
    return {names[j]: raw_value(c, inside.get(j, 0.0)) for j, c in enumerate(space.schema.columns)}


def raw_value(column: Column, x: float | None) -> Any:
    """A value of the core as one would type it in."""
    if x is None:
        return None
    if column.levels is not None:
        return column.levels[int(x)]
    if column.unit == "number" or not math.isfinite(x):
        return x
    if column.unit == "date":
        if x.is_integer():
            return np.datetime64(int(x), "D")
        return np.datetime64(round(x * _DAY), "us")
    if column.unit == "datetime":
        return np.datetime64(round(x), "us")
    if column.unit == "duration":
        return np.timedelta64(round(x), "us")
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=round(x))
    except OverflowError:  # a year that Python's own has not
        return np.datetime64(round(x), "us")
    return moment if column.unit == "instant" else moment.time()
