"""What a query meets outside a test: tables scored before, views, joins, names that it uses too.

A context makes a table out of "data", says what is run on it, and gives the answers, which must be
the model's in every context. `hijacked` is the strongest: the table gets a column for every name
that the text of the query has in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp

from bosco.errors import ModelError
from bosco.export.dialects import DIALECTS
from bosco.export.sql_parts import Rows, outputs
from bosco.models.model import Model
from tests.contract.databases import Base, answers_from, asked
from tests.contract.kinds import program_of
from tests.contract.runners import Answers

ID = ["bosco_test_id"]
Context = Callable[[Base, Model], Answers]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def query(base: Base, model: Model, **how: Any) -> str:
    return model.to_sql(base.dialect, **how).strip().rstrip(";")


def stored(base: Base, name: str, sql: str) -> None:
    base.run(f"CREATE TABLE {quoted(name)} AS {sql}")


# Scored before ------------------------------------------------------------------------------------


def rescored_keeping(base: Base, model: Model) -> Answers:
    """Columns listed: no name stands there twice."""
    stored(base, "scored", query(base, model))
    sql = query(base, model, table="scored", keep=ID)
    stored(base, "again", sql)  # which no database takes with a name twice
    return asked(base, model, 'SELECT * FROM "again"', keep=ID)


def rescored_prefixed(base: Base, model: Model) -> Answers:
    """Names of its own."""
    stored(base, "scored", query(base, model))
    sql = query(base, model, table="scored", prefix="again_")
    stored(base, "again", sql)
    return asked(base, model, 'SELECT * FROM "again"', prefix="again_")


def rescored_plainly(base: Base, model: Model) -> Answers:
    """Nothing said: what is added comes first, and a name that is twice there means that."""
    base.run(f'CREATE TABLE "scored" AS {query(base, model)}')
    spoil(base, model, "scored")
    sql = query(base, model, table="scored")
    if base.dialect != "postgres":
        return asked(base, model, sql)
    # The columns of the result are twice there, and are read by their place.
    names = outputs(program_of(model), Rows("data"))
    first = 0 if asks_many_leaves(model) else 1
    width = first + len(names) - 1
    places = ", ".join(f"c{i}" for i in range(width))
    listed = ", ".join(f"q.c{i}" for i in range(first, width))
    inner = f"SELECT {listed}, q.bosco_test_id FROM ({sql}) AS q({places})"
    rows = base.fetch(f"{inner} ORDER BY q.bosco_test_id")
    return answers_from(model, [row[:-1] for row in rows])


def asks_many_leaves(model: Model) -> bool:
    code = program_of(model)
    return code.mixes or code.many


def spoil(base: Base, model: Model, table: str) -> None:
    """Old answers that are wrong now."""
    leaf, *answers = outputs(program_of(model), Rows("data"))
    for name in answers:
        base.run(f"UPDATE {quoted(table)} SET {quoted(name)} = NULL")
    if not asks_many_leaves(model):
        at = f"{quoted(leaf)} = 0 WHERE bosco_test_id % 3 > 0"
        base.run(f"UPDATE {quoted(table)} SET {at}")


def appended(base: Base, model: Model) -> Answers:
    """A batch is scored and stored, then more rows come, without answers."""
    base.run('CREATE TABLE "first" AS SELECT * FROM "data" WHERE bosco_test_id % 2 = 0')
    stored(base, "scored", query(base, model, table="first"))
    names = ", ".join([*(quoted(c.name) for c in model.schema.columns), "bosco_test_id"])
    more = f'SELECT {names} FROM "data" WHERE bosco_test_id % 2 = 1'
    base.run(f'INSERT INTO "scored" ({names}) {more}')
    return asked(base, model, query(base, model, table="scored", keep=ID), keep=ID)


# Names that the query has too ---------------------------------------------------------------------


def hijacked(base: Base, model: Model, value: str = "7") -> Answers:
    """The table has a column for every name in the text of the query."""
    sql = query(base, model, table="wide", keep=ID)
    statement = sqlglot.parse_one(sql, read=base.dialect)
    speech = DIALECTS[base.dialect]
    names = {i.this for i in statement.find_all(exp.Identifier)} | {"bosco_row", "bosco_x0"}
    known = {speech.named(c.name) for c in model.schema.columns} | {b"bosco_test_id"}
    extra: dict[bytes, str] = {speech.named(name): name for name in names}
    listed = [f"{value} AS {quoted(n)}" for key, n in sorted(extra.items()) if key not in known]
    base.run(f'CREATE TABLE "wide" AS SELECT {", ".join(listed)}, d.* FROM "data" AS d')
    return asked(base, model, sql, keep=ID)


def hijacked_by_text(base: Base, model: Model) -> Answers:
    return hijacked(base, model, "'zz'")


# Tables that are no plain table -------------------------------------------------------------------


def through_a_view(base: Base, model: Model) -> Answers:
    """A view over a join, its columns in another order."""
    names = [quoted(c.name) for c in model.schema.columns]
    half = len(names) // 2
    for name, columns in (("some", names[:half]), ("others", names[half:])):
        listed = ", ".join([*columns, "bosco_test_id"])
        base.run(f'CREATE TABLE {quoted(name)} AS SELECT {listed} FROM "data"')
    columns = ", ".join([*(f"b.{n}" for n in names[half:]), *(f"a.{n}" for n in names[:half])])
    join = '"some" AS a JOIN "others" AS b ON a.bosco_test_id = b.bosco_test_id'
    base.run(f'CREATE VIEW "seen" AS SELECT {columns}, a.bosco_test_id FROM {join}')
    return asked(base, model, query(base, model, table="seen"))


def over_tables_of_the_same_names(base: Base, model: Model) -> Answers:
    """A view over a table that has the name of a step of the query."""
    sql = query(base, model, table="seen")
    steps = sorted(cte.alias for cte in sqlglot.parse_one(sql, read=base.dialect).find_all(exp.CTE))
    base.run(f'CREATE TABLE {quoted(steps[-1])} AS SELECT * FROM "data"')
    for name in steps[:-1]:
        base.run(f"CREATE TABLE {quoted(name)} AS SELECT 0 AS leaf")
    base.run(f'CREATE VIEW "seen" AS SELECT * FROM {quoted(steps[-1])}')
    return asked(base, model, sql)


def as_a_view_of_a_view(base: Base, model: Model) -> Answers:
    """The model's own view, and another one on top of it."""
    base.run(query(base, model, kind="view", view="once"))
    base.run(query(base, model, kind="view", table="once", view="twice", prefix="two_"))
    return asked(base, model, 'SELECT * FROM "twice"', prefix="two_")


def joined(base: Base, model: Model) -> Answers:
    """The answers joined with a table that has the same names, and steps of the user's own."""
    _, *names = outputs(program_of(model), Rows("data"))
    listed = ", ".join(f"q.{quoted(name)}" for name in names)
    base.run(f'CREATE TABLE "old" AS {query(base, model)}')
    spoil(base, model, "old")
    inner = query(base, model)
    sql = (
        f'WITH "bosco_leaves" AS (SELECT 0 AS "leaf", 1 AS "nr"), "told" AS ({inner}) '
        f'SELECT {listed} FROM "told" AS q JOIN "old" AS o ON o.bosco_test_id = q.bosco_test_id '
        f'CROSS JOIN "bosco_leaves" ORDER BY q.bosco_test_id'
    )
    return answers_from(model, base.fetch(sql))


def case_in_a_join(base: Base, model: Model) -> Answers:
    """The expression, told whose columns are meant, beside a table that has them all."""
    plain = asked(base, model, query(base, model))
    try:
        case = model.to_sql(base.dialect, kind="case", table="a")
    except ModelError:
        return plain
    base.run('CREATE TABLE "other" AS SELECT * FROM "data"')
    join = '"other" AS b JOIN "data" AS a ON a.bosco_test_id <> b.bosco_test_id'
    where = "WHERE b.bosco_test_id = 0 OR (a.bosco_test_id = 0 AND b.bosco_test_id = 1)"
    rows = base.fetch(f"SELECT {case} FROM {join} {where} ORDER BY a.bosco_test_id")
    labels = [float(row[0]) if model.classes is None else row[0] for row in rows]
    if model.classes is not None and model.classes.dtype.kind in "iu":
        labels = list(map(int, labels))
    return labels, plain[1]


CONTEXTS: dict[str, Context] = {
    "rescored, columns listed": rescored_keeping,
    "rescored, prefix": rescored_prefixed,
    "rescored, nothing said": rescored_plainly,
    "appended": appended,
    "hijacked": hijacked,
    "hijacked by text": hijacked_by_text,
    "through a view": through_a_view,
    "over tables of the same names": over_tables_of_the_same_names,
    "a view of a view": as_a_view_of_a_view,
    "joined": joined,
    "case in a join": case_in_a_join,
}
