"""What every query of a tree is made of: names, the table of leaves, each row beside its answer.

And a tree of a size to be read: one nested CASE, joined with that table.

A table may have any columns beside those that the model knows, the answers of an earlier query
among them. So no name that a query makes up ever stands beside the table's own: the table is read
under the alias `DATA`, every column is written with the table it is of, and what a row is told is
joined to it in the outermost query only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from sqlglot import exp

from bosco.data.schema import Column
from bosco.errors import ParameterError
from bosco.export.dialects import Dialect, cast, identifier
from bosco.export.program import Guard, Inner, Program, guards
from bosco.export.source import require_name, unique
from bosco.export.sql_derived import Read, asked, with_derived

DATA = "bosco_data"
"""What the table of rows is called in a query."""

MAX_PREFIX = 16
"""Databases cut long names; a share's name may have 40 letters of its own, and a number."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that are asked about: their table, and the columns of it that stay, None for all."""

    table: str
    keep: Sequence[str] | None = None
    prefix: str = ""


def outputs(code: Program, rows: Rows) -> list[str]:
    """What the added columns are called: the leaf, the prediction, and a share per class.

    No column has these names that is known to stand beside them. The leaf is given where a row
    reaches one.
    """
    prefix = rows.prefix and require_name(rows.prefix, "prefix")
    if len(prefix) > MAX_PREFIX:
        raise ParameterError(f"prefix must have at most {MAX_PREFIX} letters. Got {prefix!r:.60}.")
    word = "points" if code.adds == "points" else "p"
    labels = [f"{word}_{label}" for label in code.classes or ()]
    beside = [column.name for column in code.given] if rows.keep is None else rows.keep
    taken = [name[len(prefix) :] for name in beside if name.lower().startswith(prefix.lower())]
    names = unique(["bosco_leaf", "prediction", *labels], taken=taken)
    return [f"{prefix}{name}" for name in names]


def table_name(table: str) -> exp.Table:
    """A table, by schema and name if there is a dot."""
    found = reduce(_dotted, table.split("."), None)
    assert found is not None
    return found


def _dotted(found: exp.Table | None, part: str) -> exp.Table:
    if found is None:
        return exp.Table(this=identifier(part))
    return exp.Table(this=identifier(part), db=found.this, catalog=found.args.get("db"))


def col(table: str, name: str) -> exp.Column:
    """A column, with the table it is of."""
    return exp.Column(this=identifier(name), table=identifier(table))


def qualified(table: str | None, name: str) -> exp.Column:
    """A column of a table, or of whatever the expression stands in."""
    column = exp.Column(this=identifier(name))
    if table is not None:
        of = table_name(table)
        column.set("table", of.this)
        column.set("db", of.args.get("db"))
        column.set("catalog", of.args.get("catalog"))
    return column


def said(table: str, name: str, called: str) -> exp.Expression:
    """A column of what rows are told, under the name it is to have."""
    return exp.Alias(this=col(table, name), alias=identifier(called))


def reached(table: str, code: Program, names: list[str]) -> list[exp.Expression]:
    """What the one leaf that a row reaches is called, and what it says."""
    pairs = zip(["leaf", *answer_names(code)], names, strict=True)
    return [said(table, name, called) for name, called in pairs]


def beside(
    rows: Rows, added: Sequence[exp.Expression], told: str, on: Sequence[exp.Expression]
) -> exp.Select:
    """Every row of the table with what it is told: first what is added, then its own columns.

    Where the table has a column of the same name, databases that take one of the two take the
    first. A left join drops no row.
    """
    own: list[Any] = [exp.Column(this=exp.Star(), table=identifier(DATA))]
    if rows.keep is not None:
        own = [col(DATA, name) for name in rows.keep]
    source = exp.alias_(table_name(rows.table), DATA, quoted=True, table=True)
    query = exp.Select(expressions=[*added, *own]).from_(source, copy=False)
    how: dict[str, Any] = {"kind": "CROSS"}  # all rows are told the same
    if on:
        how = {"side": "LEFT", "on": reduce(lambda a, b: exp.And(this=a, expression=b), on)}
    query.append("joins", exp.Join(this=exp.Table(this=identifier(told)), **how))
    return query


def leaf_tables(code: Program, speech: Dialect) -> list[exp.CTE]:
    """What every leaf says, as literals and, with the right types, as `bosco_leaves`."""
    alone = code.classes is not None and not code.many  # one leaf of many predicts nothing
    shares = [*share_names(code), *vote_names(code)]
    rows = []
    for place, leaf in enumerate(code.leaves):
        said = (*code.values[leaf], *(code.votes(leaf) if vote_names(code) else ()))
        values = [speech.double(value, bare=True) for value in said]
        answer = [prediction(code, speech, leaf)] if alone else []
        rows.append([integer(leaf), integer(place), *answer, *values])
    plain = ["leaf", "place", *(["answer"] if alone else [])]  # literals of the right type
    raw = speech.rows("bosco_leaf_values", [*plain, *shares], rows)
    columns: list[Any] = [col("v", name) for name in plain]
    columns += [exp.alias_(cast(col("v", name)), name, quoted=True) for name in shares]
    values_table = exp.Table(this=identifier("bosco_leaf_values"))
    source = exp.alias_(values_table, "v", quoted=True, table=True)
    query = exp.Select(expressions=columns).from_(source, copy=False)
    return [raw, exp.CTE(this=query, alias=exp.TableAlias(this=identifier("bosco_leaves")))]


def share_names(code: Program) -> list[str]:
    """What shares, points, or the mean are called inside a query."""
    return [f"share_{k}" for k in range(len(code.classes or "1"))]


def vote_names(code: Program) -> list[str]:
    """What parts of a decision are called, where rows reach several leaves and some by order."""
    if not (code.apart and code.mixes):
        return []
    return [f"vote_{k}" for k in range(len(code.classes or ()))]


def answer_names(code: Program) -> list[str]:
    """What the answers of one leaf are called inside a query; a mean is its own prediction."""
    return [*([] if code.classes is None else ["answer"]), *share_names(code)]


def prediction(code: Program, speech: Dialect, leaf: int) -> exp.Expression:
    """What a leaf predicts, as a literal."""
    if code.classes is None:
        return speech.double(code.values[leaf][0])
    return speech.literal(code.classes[code.answers[leaf]])


def integer(n: int) -> exp.Expression:
    """A whole number as a literal."""
    return exp.Literal.number(str(n))


# Nested CASE --------------------------------------------------------------------------------------

Condition = Callable[[Guard], exp.Expression]


def height(code: Program) -> int:
    """How deep CASE nests; a node with stand-ins is two deep."""
    double = any(len(node.asks) > 1 for node in code.nodes if node is not None)
    return code.heights[0] * (2 if double else 1)


def joined(code: Program, speech: Dialect, rows: Rows) -> exp.Expression:
    """All rows with the number of their leaf and what it says."""
    added = reached("bosco_leaves", code, outputs(code, rows))
    # Where missing values are refused, a row that has one has no leaf and no prediction.
    leaf = case(code, speech, integer, with_derived(code, speech, lambda name: col(DATA, name)))
    on = [exp.EQ(this=col("bosco_leaves", "leaf"), expression=leaf)]
    query = beside(rows, added, "bosco_leaves", on if code.used else [])
    query.set("with_", exp.With(expressions=leaf_tables(code, speech)))
    return query


def case(
    code: Program, speech: Dialect, say_leaf: Callable[[int], exp.Expression], read: Read
) -> exp.Expression:
    """The tree as nested CASE."""
    tree = cases(code, speech, say_leaf, read)[0]
    if not code.refuses_missing or not code.used:
        return tree
    known = []
    for j in code.used:
        column = code.columns[j]
        places = None if column.levels is None else tuple(range(len(column.levels)))
        guard = Guard(j, levels=places, known=places is None)
        known.append(_condition(speech, guard, column, read(column.name)))
    every = reduce(lambda a, b: exp.And(this=a, expression=b), known)
    return exp.Case(ifs=[exp.If(this=every, true=tree)])


def cases(
    code: Program, speech: Dialect, say_leaf: Callable[[int], exp.Expression], read: Read
) -> dict[int, exp.Expression]:
    """The nodes that no other leads to, each with all below it as nested CASE.

    Built from the leaves up, without recursion.
    """

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
    return built


def _chain(
    ways: list[tuple[Guard | None, int]], condition: Condition, built: dict[int, exp.Expression]
) -> exp.Expression:
    *conditions, (_, last) = ways
    asked = [(guard, child) for guard, child in conditions if guard]
    ifs = [exp.If(this=condition(guard), true=built.pop(child)) for guard, child in asked]
    return exp.Case(ifs=ifs, default=built.pop(last)) if ifs else built.pop(last)


def _by_stand_ins(
    node: Inner, condition: Condition, built: dict[int, exp.Expression]
) -> exp.Expression:
    """First which child, by the first question with an answer; then what that child says."""
    assert node.missing is not None
    ways = [(guard, child) for ask in node.asks for guard, child in guards(ask, None) if guard]
    ifs = [exp.If(this=condition(guard), true=integer(child)) for guard, child in ways]
    child = exp.Case(ifs=ifs, default=integer(node.missing))
    *others, last = sorted({child for _, child in ways} | {node.missing})
    ifs = [exp.If(this=integer(other), true=built.pop(other)) for other in others]
    return exp.Case(this=child, ifs=ifs, default=built.pop(last))


def _condition(speech: Dialect, guard: Guard, column: Column, x: exp.Expression) -> exp.Expression:
    if guard.levels is not None:
        levels = [speech.level((column.levels or ())[at]) for at in guard.levels]
        x = speech.same(column, x)
        if len(levels) == 1:
            return exp.EQ(this=x, expression=levels[0])
        return exp.In(this=x, expressions=levels)
    if column.formula is not None:
        return asked(guard, x, speech)
    if guard.known:
        return speech.is_known(column, x)
    if guard.cut is None:
        return speech.is_missing(column, x)
    below = exp.LTE(this=x, expression=speech.cut(column, guard.cut))
    if not guard.missing:
        return below
    return exp.Or(this=below, expression=speech.is_missing(column, x.copy()))
