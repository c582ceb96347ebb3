"""Run SQL for real: the labels and the shares of all points, in every database there is."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable
from datetime import UTC, date, time, timedelta
from typing import Any

import numpy as np

from bosco.errors import ModelError
from bosco.export.sql_parts import output_names
from bosco.model import Model
from bosco.moments import MOMENTS
from tests.contract.kinds import Columns, clock, program_of
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


def ordered(model: Model, dialect: str) -> str:
    """The query for what the export adds to the rows, in their order."""
    names = ", ".join(f'q."{name}"' for name in output_names(program_of(model)))
    query = model.to_sql(dialect).strip().rstrip(";")
    return f"SELECT {names} FROM ({query}) AS q ORDER BY q.bosco_test_id"


def answers_from(model: Model, rows: list[Any]) -> Answers:
    """The prediction and the shares, or the mean."""
    if model.classes is None:
        shares = np.array(rows, float)
        return shares[:, 0].tolist(), shares
    return [row[0] for row in rows], np.array([row[1:] for row in rows], float)


def run_duckdb(model: Model, points: Columns) -> Answers:
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
        answers = answers_from(model, base.execute(ordered(model, "duckdb")).fetchall())
        return check_case(model, "duckdb", lambda sql: base.execute(sql).fetchall(), answers)


def check_case(
    model: Model, dialect: str, fetch: Callable[[str], list[Any]], answers: Answers
) -> Answers:
    """The CASE expression, where there is one, gives the query's predictions."""
    try:
        expression = model.to_sql(dialect, kind="case")
    except ModelError:
        return answers
    rows = fetch(f'SELECT {expression} FROM "data" ORDER BY bosco_test_id')
    labels = [row[0] for row in rows]
    if model.classes is None:
        labels = [float(label) for label in labels]
    assert list(map(str, labels)) == list(map(str, answers[0]))
    return answers


def arrow_values(model: Model, points: Columns) -> list[tuple[str, list[Any]]]:
    """Missing numbers are NaN or NULL, as the points have them; moments are Python's."""
    found = []
    for column in model.schema.columns:
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


def run_sqlite(model: Model, points: Columns) -> Answers:
    columns = arrow_values(model, points)
    texts = {name: list(map(sqlite_value, values)) for name, values in columns}
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in texts)
    with sqlite3.connect(":memory:") as base:
        base.execute(f'CREATE TABLE "data" ({names}, bosco_test_id)')
        marks = ", ".join("?" * (len(texts) + 1))
        rows = [(*row, i) for i, row in enumerate(rows_of(texts))]
        base.executemany(f'INSERT INTO "data" VALUES ({marks})', rows)
        answers = answers_from(model, base.execute(ordered(model, "sqlite")).fetchall())
        return check_case(model, "sqlite", lambda sql: base.execute(sql).fetchall(), answers)


TYPES = {
    "date": "date", "datetime": "timestamp", "instant": "timestamptz", "time": "time",
    "duration": "interval", "boolean": "boolean", "number": "double precision", "text": "text",
}  # fmt: skip


def run_postgres(model: Model, points: Columns) -> Answers:
    server = postgres()
    columns = dict(arrow_values(model, points))
    types = []
    for column in model.schema.columns:
        quoted = '"' + column.name.replace('"', '""') + '"'
        types.append(f"{quoted} {TYPES[column.unit]}")
    text = io.StringIO()
    for i, row in enumerate(rows_of(columns)):
        text.write("\t".join([*map(_copied, row), str(i)]) + "\n")
    types.append("bosco_test_id int")
    table = f'DROP TABLE IF EXISTS "data"; CREATE TABLE "data" ({", ".join(types)});\n'
    server.ask(f'{table}COPY "data" FROM STDIN;\n', text.getvalue().encode() + b"\\.\n")

    def fetch(sql: str) -> list[Any]:
        # Quoted wherever there is a text, so that NULL and an empty text differ.
        out = server.ask(f"COPY ({sql}) TO STDOUT (FORMAT csv);")
        return list(csv.reader(io.StringIO(out)))

    labels, shares = answers_from(model, fetch(ordered(model, "postgres")))
    if model.classes is not None and model.classes.dtype.kind in "iu":
        labels = [int(label) for label in labels]
    return check_case(model, "postgres", fetch, (labels, shares))


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


RUNNERS: dict[str, Callable[[Model, Columns], Answers]] = {
    "DuckDB": run_duckdb,
    "PostgreSQL": run_postgres,
    "SQLite": run_sqlite,
    "Python": run_python,
    "C": run_c,
    "JavaScript": run_javascript,
    "ONNX": run_onnx,
    "PMML": run_pmml,
}
