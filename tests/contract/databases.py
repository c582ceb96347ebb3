"""Run SQL for real: the labels and the shares of all points, in every database there is."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable
from typing import Any

import numpy as np

from bosco.errors import ModelError
from bosco.model import Model
from tests.contract.kinds import Columns
from tests.contract.postgres import postgres
from tests.contract.runners import (
    AbsentError,
    Answers,
    rows_of,
    run_c,
    run_javascript,
    run_onnx,
    run_python,
)


def ordered(sql: str) -> str:
    return f"SELECT * FROM ({sql.strip().rstrip(';')}) AS q ORDER BY q.bosco_test_id"


def answers_from(model: Model, names: list[str], rows: list[Any]) -> Answers:
    """The last columns of a result: the prediction and the shares, or the mean."""
    width = 1 if model.classes is None else len(model.classes)
    shares = np.array([row[len(names) - width :] for row in rows], float)
    if model.classes is None:
        return shares[:, 0].tolist(), shares
    return [row[len(names) - width - 1] for row in rows], shares


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
        found = base.execute(ordered(model.to_sql("duckdb")))
        answers = answers_from(model, [d[0] for d in found.description], found.fetchall())
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
    """Half of the missing numbers are NaN, half NULL: as the points have them."""
    found = []
    for column in model.schema.columns:
        values = points[column.name]
        if column.levels is None and column.unit != "number":
            values = [None if v is None else v.astype(object) for v in values]
        found.append((column.name, values))
    return found


def run_sqlite(model: Model, points: Columns) -> Answers:
    columns = dict(arrow_values(model, points))
    texts = {
        name: [None if v is None else str(v) for v in values]
        if next(c for c in model.schema.columns if c.name == name).unit in ("date", "datetime")
        else values
        for name, values in columns.items()
    }
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in texts)
    with sqlite3.connect(":memory:") as base:
        base.execute(f'CREATE TABLE "data" ({names}, bosco_test_id)')
        marks = ", ".join("?" * (len(texts) + 1))
        rows = [(*row, i) for i, row in enumerate(rows_of(texts))]
        base.executemany(f'INSERT INTO "data" VALUES ({marks})', rows)
        found = base.execute(ordered(model.to_sql("sqlite")))
        names_out = [d[0] for d in found.description]
        answers = answers_from(model, names_out, found.fetchall())
        return check_case(model, "sqlite", lambda sql: base.execute(sql).fetchall(), answers)


_TYPES = {"date": "date", "datetime": "timestamp", "boolean": "boolean"}


def run_postgres(model: Model, points: Columns) -> Answers:
    server = postgres()
    columns = dict(arrow_values(model, points))
    types = []
    for column in model.schema.columns:
        plain = "double precision" if column.unit == "number" else "text"
        quoted = '"' + column.name.replace('"', '""') + '"'
        types.append(f"{quoted} {_TYPES.get(column.unit, plain)}")
    text = io.StringIO()
    for i, row in enumerate(rows_of(columns)):
        text.write("\t".join([*map(_copied, row), str(i)]) + "\n")
    types.append("bosco_test_id int")
    table = f'DROP TABLE IF EXISTS "data"; CREATE TABLE "data" ({", ".join(types)});\n'
    server.ask(f'{table}COPY "data" FROM STDIN;\n', text.getvalue().encode() + b"\\.\n")

    def fetch(sql: str) -> list[Any]:
        # Quoted wherever there is a text, so that NULL and an empty text differ.
        out = server.ask(f"COPY ({sql}) TO STDOUT (FORMAT csv, HEADER);")
        return list(csv.reader(io.StringIO(out)))

    names, *rows = fetch(ordered(model.to_sql("postgres")))
    labels, shares = answers_from(model, names, rows)
    if model.classes is not None and model.classes.dtype.kind in "iu":
        labels = [int(label) for label in labels]
    return check_case(model, "postgres", lambda sql: fetch(sql)[1:], (labels, shares))


def _copied(x: Any) -> str:
    if x is None:
        return "\\N"
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
}
