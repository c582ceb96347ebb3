"""Run SQL for real: the labels and the shares of all points, in every database there is."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, time, timedelta
from typing import Any

import numpy as np

from bosco.base.dates import MOMENTS
from bosco.errors import ModelError
from bosco.export.sql_parts import Rows, outputs
from bosco.models.model import Model
from tests.contract.kinds import Columns, clock, program_of
from tests.contract.mariadb import mariadb
from tests.contract.postgres import postgres
from tests.contract.runners import (
    AbsentError,
    Answers,
    rows_of,
    run_c,
    run_javascript,
    run_onnx,
    run_pmml,
    run_python,
)


@dataclass(frozen=True)
class Base:
    """A database with the points in the table "data", in the order of its column bosco_test_id."""

    dialect: str
    run: Callable[[str], object]
    fetch: Callable[[str], list[Any]]


def answers_in(base: Base, model: Model) -> Answers:
    """What the query says, which the CASE expression, where there is one, says too."""
    answers = asked(base, model, model.to_sql(base.dialect))
    try:
        expression = model.to_sql(base.dialect, kind="case")
    except ModelError:
        return answers
    rows = base.fetch(f'SELECT {expression} FROM "data" ORDER BY bosco_test_id')
    labels = [row[0] for row in rows]
    if model.classes is None:
        labels = [float(label) for label in labels]
    assert list(map(str, labels)) == list(map(str, answers[0]))
    return answers


def asked(base: Base, model: Model, query: str, **how: Any) -> Answers:
    """What a query adds to the rows, by the names it gives, in the order of the rows."""
    _, *names = outputs(program_of(model), Rows("data", **how))
    listed = ", ".join(f'q."{name}"' for name in names)
    inner = query.strip().rstrip(";")
    rows = base.fetch(f"SELECT {listed} FROM ({inner}) AS q ORDER BY q.bosco_test_id")
    return answers_from(model, rows)


def answers_from(model: Model, rows: list[Any]) -> Answers:
    """The prediction and the shares, or the mean."""
    if model.classes is None:
        shares = np.array(rows, float)
        return shares[:, 0].tolist(), shares
    labels = [row[0] for row in rows]
    if model.classes.dtype.kind in "iu":
        labels = list(map(int, labels))
    return labels, np.array([row[1:] for row in rows], float)


@contextmanager
def in_duckdb(model: Model, points: Columns) -> Iterator[Base]:
    try:
        import duckdb
        import pyarrow as pa
    except ImportError:
        raise AbsentError("duckdb or pyarrow is not installed") from None
    columns = {
        name: pa.array(values, from_pandas=False) for name, values in arrow_values(model, points)
    }
    columns["bosco_test_id"] = pa.array(range(len(columns[next(iter(columns))])))
    with duckdb.connect() as base:
        base.register("source", pa.table(columns))
        base.execute('CREATE TABLE "data" AS SELECT * FROM source')
        yield Base("duckdb", base.execute, lambda sql: base.execute(sql).fetchall())


def arrow_values(model: Model, points: Columns) -> list[tuple[str, list[Any]]]:
    """Missing numbers are NaN or NULL, as the points have them; moments are Python's."""
    found = []
    for column in model.schema.given:
        values = points[column.name]
        if column.unit in MOMENTS:
            values = [None if v is None else python_moment(column.unit, v) for v in values]
        found.append((column.name, values))
    return found


def python_moment(unit: str, v: Any) -> Any:
    if unit == "time":
        return clock(v.astype(int))
    value = v.astype(object)
    return value.replace(tzinfo=UTC) if unit == "instant" else value


def sqlite_value(v: Any) -> Any:
    """SQLite has no dates; lengths of time are microseconds."""
    if isinstance(v, timedelta):
        return v // timedelta(microseconds=1)
    return str(v) if isinstance(v, date | time) else v


@contextmanager
def in_sqlite(model: Model, points: Columns) -> Iterator[Base]:
    columns = arrow_values(model, points)
    texts = {name: list(map(sqlite_value, values)) for name, values in columns}
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in texts)
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f'CREATE TABLE "data" ({names}, bosco_test_id)')
        marks = ", ".join("?" * (len(texts) + 1))
        rows = [(*row, i) for i, row in enumerate(rows_of(texts))]
        base.executemany(f'INSERT INTO "data" VALUES ({marks})', rows)
        yield Base("sqlite", base.execute, lambda sql: base.execute(sql).fetchall())


TYPES = {
    "date": "date", "datetime": "timestamp", "instant": "timestamptz", "time": "time",
    "duration": "interval", "boolean": "boolean", "number": "double precision", "text": "text",
}  # fmt: skip


@contextmanager
def in_postgres(model: Model, points: Columns) -> Iterator[Base]:
    server = postgres()
    columns = dict(arrow_values(model, points))
    types = []
    for column in model.schema.given:
        quoted = '"' + column.name.replace('"', '""') + '"'
        types.append(f"{quoted} {TYPES[column.unit]}")
    text = io.StringIO()
    for i, row in enumerate(rows_of(columns)):
        text.write("\t".join([*map(_copied, row), str(i)]) + "\n")
    types.append("bosco_test_id int")
    table = f'{CLEAN} CREATE TABLE "data" ({", ".join(types)});\n'
    server.ask(f'{table}COPY "data" FROM STDIN;\n', text.getvalue().encode() + b"\\.\n")

    def fetch(sql: str) -> list[Any]:
        # Quoted wherever there is a text, so that NULL and an empty text differ.
        out = server.ask(f"COPY ({sql}) TO STDOUT (FORMAT csv);")
        return list(csv.reader(io.StringIO(out)))

    yield Base("postgres", lambda sql: server.ask(f"{sql};"), fetch)


_TYPES_OF_MARIADB = {
    "date": "date", "datetime": "datetime(6)", "time": "time(6)", "duration": "bigint",
    "boolean": "boolean", "number": "double",
    "text": "varchar(200) COLLATE utf8mb4_general_ci",  # for which 'A ' is 'a', and 'é' is 'e'
}  # fmt: skip


@contextmanager
def in_mariadb(model: Model, points: Columns) -> Iterator[Base]:
    server = mariadb()
    columns = dict(arrow_values(model, points))
    types = [f"{_named(c.name)} {_TYPES_OF_MARIADB[c.unit]}" for c in model.schema.given]
    server.ask("DROP DATABASE bosco")
    server.ask("CREATE DATABASE bosco CHARACTER SET utf8mb4")
    server.ask("USE bosco")
    server.ask(f'CREATE TABLE "data" ({", ".join([*types, "bosco_test_id int primary key"])})')
    marks = ", ".join(["%s"] * (len(types) + 1))
    rows = [(*map(_of_mariadb, row), i) for i, row in enumerate(rows_of(columns))]
    server.ask(f'INSERT INTO "data" VALUES ({marks})', rows)
    yield Base("mysql", server.ask, server.ask)


def _named(name: str) -> str:
    """A name as pymysql takes it, which fills in places after a percent sign."""
    return '"' + name.replace('"', '""') + '"'


def _of_mariadb(x: Any) -> Any:
    """There is no NaN, and no infinity: the largest number goes where that would."""
    if isinstance(x, float):
        largest = float(np.finfo(np.float64).max)
        return None if x != x else min(max(x, -largest), largest)
    return x // timedelta(microseconds=1) if isinstance(x, timedelta) else x


CLEAN = "SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public;"


def _copied(x: Any) -> str:
    if x is None:
        return "\\N"
    if isinstance(x, timedelta):
        return f"{x // timedelta(microseconds=1)} microseconds"
    if isinstance(x, float):
        return repr(x)
    return (
        str(x).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )


def run_in(
    opened: Callable[[Model, Columns], AbstractContextManager[Base]],
) -> Callable[[Model, Columns], Answers]:
    """A runner: the answers of a model in a database."""

    def run(model: Model, points: Columns) -> Answers:
        with opened(model, points) as base:
            return answers_in(base, model)

    return run


DATABASES = {"DuckDB": in_duckdb, "PostgreSQL": in_postgres, "SQLite": in_sqlite}
RUNNERS: dict[str, Callable[[Model, Columns], Answers]] = {
    **{name: run_in(opened) for name, opened in DATABASES.items()},
    "Python": run_python,
    "C": run_c,
    "JavaScript": run_javascript,
    "ONNX": run_onnx,
    "PMML": run_pmml,
}
