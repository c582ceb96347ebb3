"""Trees grown inside DuckDB and PostgreSQL: the file of the model that fetched rows give."""

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.errors import DataError, KindError, ParameterError
from bosco.scale.connection import connected
from tests.contract.postgres import postgres
from tests.contract.runners import AbsentError
from tests.test_scale import file_of, fitted

duckdb = pytest.importorskip("duckdb", reason="needs bosco[tables]")
pytest.importorskip("sqlglot", reason="needs bosco[sql]")

N = 400


class Base:
    """A database for the time of a test: where it is, and how it is written to."""

    def __init__(self, place: Any, run: Callable[[str], Any], name: str):
        self.place, self.run, self.name = place, run, name

    def fetch(self, query: str) -> pa.Table:
        """Rows, as anybody fetches them."""
        connection = connected(self.place)
        try:
            return connection.ask(query)
        finally:
            connection.close()


def server() -> str:
    """The address of a PostgreSQL server: the one that is named, or one of our own."""
    named = os.environ.get("BOSCO_POSTGRESQL")
    if named:
        return named
    pytest.importorskip("adbc_driver_postgresql", reason="needs bosco[tables]")
    try:
        own = postgres()
    except AbsentError as error:
        pytest.skip(f"BOSCO_POSTGRESQL is no address, and {error}")
    return f"postgresql:///postgres?host={own.folder}&user=bosco"


def run_there(address: str) -> Callable[[str], None]:
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="needs bosco[tables]")

    def run(script: str) -> None:
        with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in filter(str.strip, script.split("\n;\n")):
                cursor.execute(statement)

    return run


@pytest.fixture(params=["DuckDB", "PostgreSQL"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Base]:
    if request.param == "DuckDB":
        with duckdb.connect() as memory:
            yield Base(memory, memory.execute, "DuckDB")
    else:
        address = server()
        run_pg = run_there(address)
        run_pg("DROP SCHEMA IF EXISTS bosco_test CASCADE\n;\nCREATE SCHEMA bosco_test")
        yield Base(address, run_pg, "PostgreSQL")
        run_pg("DROP SCHEMA IF EXISTS bosco_test CASCADE")


def table_of(base: Base) -> str:
    return "bosco_test.trips" if base.name == "PostgreSQL" else "trips"


def filled(base: Base, seed: int = 0, n: int = N) -> pa.Table:
    """A table of many kinds of columns, and the same rows fetched."""
    rng = np.random.default_rng(seed)
    many, few = rng.normal(size=n), rng.integers(0, 10, n)
    text = rng.choice(["x", "y", "it's", 'a "b"', "é;--"], n)
    signal = many + few / 5 + (text == "x") * 2 + rng.normal(size=n)
    late = np.select([signal > 1.5, signal < 0], ["high", "low"], "middle")
    rows = []
    for i in range(n):
        said = {
            "many": "NULL" if rng.random() < 0.1 else _real(many[i]),
            "few": str(few[i]),
            "text": "NULL" if rng.random() < 0.05 else "'" + text[i].replace("'", "''") + "'",
            "tenths": f"{rng.normal():.1f}",
            "truth": "NULL" if rng.random() < 0.02 else str(bool(rng.random() > 0.5)),
            "late": f"'{late[i]}'",
            "minutes": _real(signal[i]),
            "copies": str(rng.integers(0, 3)),
            "heavy": _real(rng.random()),
        }
        rows.append("(" + ", ".join(said.values()) + ")")
    real = "DOUBLE PRECISION"
    base.run(
        f"CREATE TABLE {table_of(base)} (many {real}, few INTEGER, text VARCHAR, "
        f"tenths DECIMAL(8, 1), truth BOOLEAN, late VARCHAR, minutes {real}, copies INTEGER, "
        f"heavy {real})"
    )
    base.run(f"INSERT INTO {table_of(base)} VALUES {', '.join(rows)}")
    return base.fetch(f"SELECT * FROM {table_of(base)}")


def _real(x: float) -> str:
    return f"CAST('{float(x)!r}' AS DOUBLE PRECISION)"


X_COLUMNS = ["many", "few", "text", "tenths", "truth"]


def same(base: Base, rows: pa.Table, estimator: Any, y: str, weight: str | None, tmp: Path) -> Any:
    """Fit there and here; the files are the same."""
    own = None if weight is None else rows[weight].to_numpy()
    here = clone(estimator).set_params(fingerprint=False)
    fitted(here, rows.select(X_COLUMNS), rows[y], sample_weight=own)
    there = clone(estimator)
    fitted(there, bosco.in_database(base.place, table_of(base), columns=X_COLUMNS), y, weight)
    assert file_of(there.model_, tmp) == file_of(here.model_, tmp), (estimator, y, weight)
    return there


CASES = [
    ("late", None, {}),
    ("late", None, {"class_weight": "balanced"}),
    ("late", "copies", {}),
    ("late", "copies", {"weights": "copies"}),
    ("late", "heavy", {"class_weight": {"high": 2.5, "low": 0.1}}),
    ("minutes", None, {}),
    ("minutes", "heavy", {}),
    ("minutes", "copies", {"weights": "copies"}),
]


ALGORITHMS = ["cart", "id3", "c45", "hunt", "best_first", "stump"]
POLICIES = ["learn", "surrogate", "branch", "majority"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_file_is_that_of_the_fetched_rows(base: Base, algorithm: str, tmp_path: Path) -> None:
    rows = filled(base)
    done = 0
    for k, missing in enumerate(POLICIES):
        for c in (0, 2, 5):  # by turns, so that every preset meets all of them
            y, weight, more = CASES[(c + k + ALGORITHMS.index(algorithm)) % len(CASES)]
            kind = DecisionTreeClassifier if y == "late" else DecisionTreeRegressor
            settings = {"algorithm": algorithm, "missing": missing, "pruning": "none"} | more
            estimator = kind(max_depth=3, **settings)
            try:
                fitted(clone(estimator), rows.select(X_COLUMNS), rows[y])
            except ValueError:
                continue  # these settings do not go together
            same(base, rows, estimator, y, weight, tmp_path)
            done += 1
    assert done >= 4


KINDS = {
    "DuckDB": {
        "a TINYINT": "CAST({i} % 7 - 3 AS TINYINT)",
        "b UBIGINT": "{i} * 3",
        "c HUGEINT": "CAST({i} % 11 AS HUGEINT)",
        "d DECIMAL(18, 4)": "CAST('{r:.4f}' AS DECIMAL(18, 4))",
        "e FLOAT": "CAST('{r:.3f}' AS FLOAT)",
        "f ENUM('z', 'y', 'x', 'unused')": "'{l}'",
        "g DATE": "DATE '2020-01-01' + {i} % 30",
        "h TIMESTAMP": "TIMESTAMP '2020-01-01 01:02:03.000004' + INTERVAL ({i} * 7) MINUTE",
        "j TIMESTAMPTZ": "TIMESTAMPTZ '2020-01-01 00:00:00+02' + INTERVAL ({i}) SECOND",
        "k TIME": "TIME '00:00:01' + INTERVAL ({i} % 50) MINUTE",
        "m UUID": "CAST('00000000-0000-0000-0000-00000000000' || ({i} % 3) AS UUID)",
        "n TIMESTAMP_S": "CAST(TIMESTAMP '1969-01-01 00:00:00' + INTERVAL ({i}) DAY AS TIMESTAMP_S)",
    },
    "PostgreSQL": {
        "a SMALLINT": "{i} % 7 - 3",
        "b BIGINT": "{i} * 3",
        "c NUMERIC": "CASE WHEN {i} % 9 = 0 THEN CAST('NaN' AS NUMERIC) ELSE {i} % 11 END",
        "d NUMERIC(18, 4)": "CAST('{r:.4f}' AS NUMERIC(18, 4))",
        "e REAL": "CAST('{r:.3f}' AS REAL)",
        "f CHAR(3)": "'{l}'",
        "g DATE": "DATE '2020-01-01' + {i} % 30",
        "h TIMESTAMP": "TIMESTAMP '2020-01-01 01:02:03.000004' + {i} * INTERVAL '7 minutes'",
        "j TIMESTAMPTZ": "TIMESTAMPTZ '2020-01-01 00:00:00+02' + {i} * INTERVAL '1 second'",
        "k TIME": "TIME '00:00:01' + {i} % 50 * INTERVAL '1 minute'",
        "m UUID": "CAST('00000000-0000-0000-0000-00000000000' || ({i} % 3) AS UUID)",
        "n bosco_test.mood": "CAST('{l}' AS bosco_test.mood)",
        "p bosco_test.small": "{i} % 4",
    },
}
SHARED = {
    "q DOUBLE PRECISION": "CASE WHEN {i} % 7 = 0 THEN CAST('NaN' AS DOUBLE PRECISION) "
    "WHEN {i} % 11 = 0 THEN CAST('Infinity' AS DOUBLE PRECISION) "
    "WHEN {i} % 13 = 0 THEN CAST('-Infinity' AS DOUBLE PRECISION) "
    "WHEN {i} % 5 = 0 THEN CAST('-0.0' AS DOUBLE PRECISION) "
    "WHEN {i} % 3 = 0 THEN 0.0 ELSE CAST('{r!r}' AS DOUBLE PRECISION) END",
    "r INTEGER": "CASE WHEN {i} % 6 = 0 THEN NULL ELSE {i} % 5 END",
    "s VARCHAR": "NULL",
    "t DATE": "NULL",
    "u BOOLEAN": "{i} % 4 = 0",
    '"v""; DROP TABLE trips; --" VARCHAR': "'o''{l}; --'",
    "w DOUBLE PRECISION": "1e300 * {i}",
}
FETCHED = {"m": "CAST(m AS TEXT)", "n": "CAST(n AS TEXT)"}  # what the driver gives no text of


def kinds_filled(base: Base, n: int = 200) -> pa.Table:
    rng = np.random.default_rng(5)
    if base.name == "PostgreSQL":
        base.run("CREATE TYPE bosco_test.mood AS ENUM ('x', 'y', 'z')")
        base.run("CREATE DOMAIN bosco_test.small AS INT CHECK (VALUE < 9)")
    columns = KINDS[base.name] | SHARED | {"late BIGINT": "{y}", "heavy NUMERIC(6, 3)": "{h}"}
    rows = []
    for i in range(n):
        r, late = float(rng.normal() * 10), int(rng.integers(0, 2))
        more = {"i": i, "r": r, "l": "xyz"[int(r > 0) + late], "y": late + int(r > 5), "h": i % 3 + 0.125}
        rows.append("(" + ", ".join(what.format(**more) for what in columns.values()) + ")")
    base.run(f"CREATE TABLE {table_of(base)} ({', '.join(columns)})")
    base.run(f"INSERT INTO {table_of(base)} VALUES {', '.join(rows)}")
    names = [column.rpartition(" ")[0].partition(" ")[0] for column in columns]
    odd = FETCHED if base.name == "PostgreSQL" else {}
    said = ", ".join(f"{odd[n]} AS {n}" if n in odd else n for n in names if '"' not in n)
    hostile = '"v""; DROP TABLE trips; --"'
    return base.fetch(f"SELECT {said}, {hostile} FROM {table_of(base)}")


@pytest.mark.parametrize("settings", [{}, {"missing": "surrogate"}, {"threshold": "round"}])
def test_columns_of_all_kinds(base: Base, settings: dict[str, Any], tmp_path: Path) -> None:
    rows = kinds_filled(base)
    names = [name for name in rows.column_names if name not in ("late", "heavy")]
    table = bosco.in_database(base.place, table_of(base), columns=names)
    for kind in (DecisionTreeClassifier, DecisionTreeRegressor):
        for weight in (None, "heavy"):
            own = None if weight is None else rows[weight].to_numpy().astype(float)
            estimator = kind(max_depth=5, fingerprint=False, **settings)
            here = fitted(clone(estimator), rows.select(names), rows["late"], sample_weight=own)
            there = fitted(clone(estimator), table, "late", weight)
            assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path)
    assert len({column.unit for column in there.model_.schema.columns}) >= 6


def test_every_column_alone(base: Base, tmp_path: Path) -> None:
    """So that each of them is asked about, to the last of its values."""
    rows = kinds_filled(base)
    for name in rows.column_names:
        if name in ("late", "heavy"):
            continue
        table = bosco.in_database(base.place, table_of(base), columns=[name])
        estimator = DecisionTreeClassifier(fingerprint=False, criterion="entropy")
        here = fitted(clone(estimator), rows.select([name]), rows["late"])
        there = fitted(clone(estimator), table, "late")
        assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path), name
