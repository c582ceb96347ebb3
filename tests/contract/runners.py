"""Run an export for real: each runner gives the labels and the shares of all points."""

from __future__ import annotations

import csv
import ctypes
import io
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bosco.model import Model
from tests.contract.kinds import Columns, as_frame

Answers = tuple[list[Any], Any]


class Absent(Exception):
    """What an export needs in order to run is not installed."""


def rows_of(points: Columns) -> list[tuple[Any, ...]]:
    return list(zip(*points.values(), strict=True))


def as_numbers(model: Model, points: Columns) -> Columns:
    """Moments as the numbers that programs take."""
    frame = as_frame(model, points)
    found = dict(points)
    for column in model.schema.columns:
        if column.levels is None and column.unit != "number":
            ticks = frame[column.name]
            numbers = np.where(np.isnat(ticks), np.nan, ticks.view(np.int64).astype(float))
            found[column.name] = numbers.tolist()
    return found


def run_python(model: Model, points: Columns) -> Answers:
    code: dict[str, Any] = {}
    exec(compile(model.to_python(), "export.py", "exec"), code)
    names = list(points)
    cases = [dict(zip(names, row, strict=True)) for row in rows_of(as_numbers(model, points))]
    labels = [code["predict"](c) for c in cases]
    if model.classes is None:
        return labels, np.array(labels)[:, None]
    return labels, np.array([code["predict_proba"](c) for c in cases])


_DRIVER = """
import { readFileSync, writeFileSync } from "node:fs";
import * as model from "./model.mjs";
const special = { nan: NaN, inf: Infinity, minf: -Infinity };
const read = (x) => (x !== null && typeof x === "object" ? special[x.f] : x);
const { names, rows } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const out = rows.map((row) => {
  const c = Object.fromEntries(names.map((name, i) => [name, read(row[i])]));
  const label = model.predict(c);
  return [label, model.predictProba ? model.predictProba(c) : [label]];
});
writeFileSync(process.argv[3], JSON.stringify(out));
"""


def run_javascript(model: Model, points: Columns) -> Answers:
    node = shutil.which("node")
    if node is None:
        raise Absent("node is not installed")
    words = {"nan": "nan", "inf": "inf", "-inf": "minf"}

    def plain(x: Any) -> Any:
        odd = isinstance(x, float) and not math.isfinite(x)
        return {"f": words[str(x)]} if odd else x

    rows = [[plain(x) for x in row] for row in rows_of(as_numbers(model, points))]
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "model.mjs").write_text(model.to_javascript())
        (at / "driver.mjs").write_text(_DRIVER)
        (at / "in.json").write_text(json.dumps({"names": list(points), "rows": rows}))
        subprocess.run([node, at / "driver.mjs", at / "in.json", at / "out.json"], check=True)
        found = json.loads((at / "out.json").read_text())
    return [label for label, _ in found], np.array([shares for _, shares in found], float)


_SHARED = """
#include "model.h"
void run(const double *rows, long n, double *labels, double *shares, int width);
void run(const double *rows, long n, double *labels, double *shares, int width)
{
    for (long i = 0; i < n; ++i) {
        labels[i] = model_predict(rows + i * MODEL_COLUMNS);
        model_shares(rows + i * MODEL_COLUMNS, shares + i * width);
    }
}
"""


def compile_c(text: str, folder: Path, more: str = "") -> ctypes.CDLL:
    """The header and a loop around it, as a library."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise Absent("no C compiler")
    (folder / "model.h").write_text(text)
    (folder / "model.c").write_text(_SHARED + more)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    made = folder / "model.so"
    subprocess.run([compiler, *flags, "-o", made, folder / "model.c", "-lm"], check=True)
    return ctypes.CDLL(str(made))


def run_c(model: Model, points: Columns) -> Answers:
    text = model.to_c()
    looks = re.findall(r"static inline double (model_level_\w+)\((const char \*|double )", text)
    more = "".join(
        f"double call_{name}({kind}x);\ndouble call_{name}({kind}x) {{ return {name}(x); }}\n"
        for name, kind in looks
    )
    numbers = as_numbers(model, points)
    with tempfile.TemporaryDirectory() as folder:
        library = compile_c(text, Path(folder), more)
        columns = []
        found = iter(looks)
        for column in model.schema.columns:
            values = numbers[column.name]
            if column.levels is None:
                columns.append([math.nan if v is None else v for v in values])
                continue
            name, kind = next(found)
            look = getattr(library, f"call_{name}")
            look.restype = ctypes.c_double
            look.argtypes = [ctypes.c_char_p if "char" in kind else ctypes.c_double]
            code = {None: math.nan}
            for v in {v for v in values if v is not None}:
                code[v] = look(v.encode() if "char" in kind else float(v))
            columns.append([code[v] for v in values])
        rows = np.array(columns).T.copy()
        width = 1 if model.classes is None else len(model.classes)
        labels, shares = np.empty(len(rows)), np.empty((len(rows), width))
        library.run.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]  # fmt: skip
        library.run(rows.ctypes.data, len(rows), labels.ctypes.data, shares.ctypes.data, width)
    if model.classes is None:
        return labels.tolist(), shares
    return model.classes[labels.astype(int)].tolist(), shares


def run_onnx(model: Model, points: Columns) -> Answers:
    try:
        import onnxruntime
    except ImportError:
        raise Absent("onnxruntime is not installed") from None
    session = onnxruntime.InferenceSession(
        model.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    numbers = as_numbers(model, points)
    feeds = {}
    for column in model.schema.columns:
        values: list[Any] = numbers[column.name]
        if column.levels is not None and isinstance(column.levels[0], str):
            # No text is missing; one that is no level is.
            array = np.array(["\0 missing" if v is None else v for v in values], object)
        else:
            array = np.array([math.nan if v is None else float(v) for v in values])
        feeds[column.name] = array[:, None]
    if [i.name for i in session.get_inputs()] == ["X"]:
        feeds = {"X": np.hstack(list(feeds.values()))}
    answers = session.run(None, feeds)
    if model.classes is None:
        return answers[0][:, 0].tolist(), answers[0]
    return answers[0].tolist(), answers[1]


# Databases ------------------------------------------------------------------------------------


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
        raise Absent("duckdb or pyarrow is not installed") from None
    columns = {
        name: pa.array(values, from_pandas=False) for name, values in arrow_values(model, points)
    }
    columns["bosco_test_id"] = pa.array(range(len(columns[next(iter(columns))])))
    with duckdb.connect() as base:
        base.register("source", pa.table(columns))
        base.execute('CREATE TABLE "data" AS SELECT * FROM source')
        check_case(model, "duckdb", lambda sql: base.execute(sql).fetchall())
        found = base.execute(ordered(model.to_sql("duckdb")))
        return answers_from(model, [d[0] for d in found.description], found.fetchall())


def check_case(model: Model, dialect: str, fetch: Callable[[str], list[Any]]) -> None:
    """The CASE expression, where there is one, gives the query's predictions."""
    from bosco.errors import ModelError

    try:
        expression = model.to_sql(dialect, kind="case")
    except ModelError:
        return
    one = fetch(f'SELECT {expression} FROM "data" ORDER BY bosco_test_id')
    query = model.to_sql(dialect)
    name = "prediction"
    two = fetch(f"SELECT {name} FROM ({query.strip().rstrip(';')}) AS q ORDER BY bosco_test_id")
    assert one == two


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
        check_case(model, "sqlite", lambda sql: base.execute(sql).fetchall())
        found = base.execute(ordered(model.to_sql("sqlite")))
        names_out = [d[0] for d in found.description]
        labels, shares = answers_from(model, names_out, found.fetchall())
    return labels, shares


class Postgres:
    """A server of its own, on a socket in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def programs() -> Path:
        found = [Path(p) for p in [shutil.which("initdb")] if p]
        found += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            raise Absent("the PostgreSQL server is not installed")
        return found[-1].parent

    def run(self, *command: Any, **more: Any) -> Any:
        user = {"user": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run(
            list(map(str, command)), check=True, cwd=self.folder, capture_output=True, **user, **more
        )  # fmt: skip

    def start(self) -> None:
        programs = self.programs()
        if os.geteuid() == 0:
            try:
                shutil.chown(self.folder, "postgres")
            except LookupError:
                raise Absent("PostgreSQL does not run as root, and has no user") from None
        self.run(programs / "initdb", "-D", "db", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "bosco", "-N")  # fmt: skip
        options = f"-c listen_addresses='' -k {self.folder} -c fsync=off"
        with (self.folder / "log").open("wb") as log:
            shutil.chown(self.folder / "log", "postgres") if os.geteuid() == 0 else None
            self.run(
                programs / "pg_ctl", "-D", "db", "-w", "-l", "server.log", "-o", options, "start"
            )
            del log

    def stop(self) -> None:
        self.run(self.programs() / "pg_ctl", "-D", "db", "-m", "immediate", "stop")

    def ask(self, script: str, data: bytes = b"") -> str:
        """Run a script, with what follows it as the input of a COPY."""
        command = [self.programs() / "psql", "-h", self.folder, "-U", "bosco", "-d", "postgres"]
        out = self.run(
            *command, "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", input=script.encode() + data
        )
        return out.stdout.decode()


@cache
def postgres() -> Postgres:
    """Start a server, once; it stops when Python ends."""
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="bosco-pg-"))
    folder.chmod(0o755)
    server = Postgres(folder)
    try:
        server.start()
    except subprocess.CalledProcessError as error:
        raise Absent(f"PostgreSQL does not start: {error.stderr.decode()[-300:]}") from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.stop)
    return server


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
    table = f'DROP TABLE IF EXISTS "data" CASCADE; CREATE TABLE "data" ({", ".join(types)}, bosco_test_id int);\n'
    server.ask(f'{table}COPY "data" FROM STDIN;\n', text.getvalue().encode() + b"\\.\n")

    def fetch(sql: str) -> list[Any]:
        # Quoted wherever there is a text, so that NULL and an empty text differ.
        out = server.ask(f"COPY ({sql}) TO STDOUT (FORMAT csv, HEADER);")
        return list(csv.reader(io.StringIO(out)))

    check_case(model, "postgres", lambda sql: fetch(sql)[1:])
    names, *rows = fetch(ordered(model.to_sql("postgres")))
    labels, shares = answers_from(model, names, rows)
    if model.classes is not None and model.classes.dtype.kind in "iu":
        labels = [int(label) for label in labels]
    return labels, shares


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
