"""A tree of a size to be read as SQL: one nested CASE, joined with a table of what leaves say."""

from collections.abc import Callable
from functools import reduce

from sqlglot import exp

from bosco.data.schema import Column
from bosco.export.dialects import Dialect
from bosco.export.program import Guard, Inner, Program, guards
from bosco.export.sql_parts import (
    DATA,
    Rows,
    beside,
    col,
    integer,
    leaf_tables,
    outputs,
    reached,
)

Read = Callable[[str], exp.Expression]
"""How a column of the table is written."""

Condition = Callable[[Guard], exp.Expression]


def height(code: Program) -> int:
    """How deep CASE nests; a node with stand-ins is two deep."""
    double = any(len(node.asks) > 1 for node in code.nodes if node is not None)
    return code.heights[0] * (2 if double else 1)


def joined(code: Program, speech: Dialect, rows: Rows) -> exp.Expression:
    """All rows with the number of their leaf and what it says."""
    added = reached("bosco_leaves", code, outputs(code, rows))
    # Where missing values are refused, a row that has one has no leaf and no prediction.
    leaf = case(code, speech, integer, lambda name: col(DATA, name))
    on = [exp.EQ(this=col("bosco_leaves", "leaf"), expression=leaf)]
    query = beside(rows, added, "bosco_leaves", on if code.used else [])
    query.set("with_", exp.With(expressions=leaf_tables(code, speech)))
    return query


def case(
    code: Program, speech: Dialect, say_leaf: Callable[[int], exp.Expression], read: Read
) -> exp.Expression:
    """The tree as nested CASE, built from the leaves up."""

    def condition(guard: Guard) -> exp.Expression:
        column = code.columns[guard.column]
        return _condition(speech, guard, column, read(column.name))

    built: dict[int, exp.Expression] = {}
    for number in range(len(code.nodes) - 1, -1, -1):
        node = code.nodes[number]
        if node is None:
            built[number] = say_leaf(number)
        elif len(node.asks) == 1:
            built[number] = _chain(guards(node.asks[0], node.missing), condition, built)
        else:
            built[number] = _by_stand_ins(node, condition, built)
    tree = built[0]
    if not code.refuses_missing or not code.used:
        return tree
    known = [condition(_any_value(code, j)) for j in code.used]
    every = reduce(lambda a, b: exp.And(this=a, expression=b), known)
    return exp.Case(ifs=[exp.If(this=every, true=tree)])


def _any_value(code: Program, column: int) -> Guard:
    levels = code.columns[column].levels
    if levels is None:
        return Guard(column, known=True)
    return Guard(column, levels=tuple(range(len(levels))))


def _chain(
    ways: list[tuple[Guard | None, int]], condition: Condition, built: dict[int, exp.Expression]
) -> exp.Expression:
    *conditions, (_, last) = ways
    ifs = [
        exp.If(this=condition(guard), true=built.pop(child))
        for guard, child in conditions
        if guard is not None
    ]
    return exp.Case(ifs=ifs, default=built.pop(last)) if ifs else built.pop(last)


def _by_stand_ins(
    node: Inner, condition: Condition, built: dict[int, exp.Expression]
) -> exp.Expression:
    """First which child, by the first question with an answer; then what that child says."""
    assert node.missing is not None
    ways = [way for ask in node.asks for way in guards(ask, None)]
    ifs = [
        exp.If(this=condition(guard), true=integer(child))
        for guard, child in ways
        if guard is not None
    ]
    child = exp.Case(ifs=ifs, default=integer(node.missing))
    *others, last = sorted({child for _, child in ways} | {node.missing})
    ifs = [exp.If(this=integer(other), true=built.pop(other)) for other in others]
    return exp.Case(this=child, ifs=ifs, default=built.pop(last))


def _condition(speech: Dialect, guard: Guard, column: Column, x: exp.Expression) -> exp.Expression:
    if guard.levels is not None:
        levels = [speech.literal((column.levels or ())[at]) for at in guard.levels]
        if len(levels) == 1:
            return exp.EQ(this=x, expression=levels[0])
        return exp.In(this=x, expressions=levels)
    if guard.known:
        return speech.is_known(column, x)
    if guard.cut is None:
        return speech.is_missing(column, x)
    below = exp.LTE(this=x, expression=speech.cut(column, guard.cut))
    if not guard.missing:
        return below
    return exp.Or(this=below, expression=speech.is_missing(column, x.copy()))
