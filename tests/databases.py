"""Databases for the time of a test, with tables to learn from."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

import bosco
from bosco.scale.connection import connected
from tests.contract.postgres import postgres
from tests.contract.runners import AbsentError
from tests.test_scale import file_of, fitted

duckdb = pytest.importorskip("duckdb", reason="needs bosco[tables]")
pytest.importorskip("sqlglot", reason="needs bosco[sql]")

N = 400
SCHEMA = f"bosco_test_{os.getpid()}"  # of PostgreSQL, where others may be testing too


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
    """How statements are run on a server."""
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="needs bosco[tables]")

    def run(script: str) -> None:
        with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in filter(str.strip, script.split("\n;\n")):
                cursor.execute(statement)

    return run


@pytest.fixture(params=["DuckDB", "PostgreSQL"])
def base(request: pytest.FixtureRequest) -> Iterator[Base]:
    if request.param == "DuckDB":
        with duckdb.connect() as memory:
            yield Base(memory, memory.execute, "DuckDB")
    else:
        yield from elephant()


def elephant() -> Iterator[Base]:
    """A schema of our own on a server."""
    address = server()
    run = run_there(address)
    run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE\n;\nCREATE SCHEMA {SCHEMA}")
    yield Base(address, run, "PostgreSQL")
    run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


far = pytest.fixture(elephant)


def table_of(base: Base) -> str:
    """The name of its table."""
    return f"{SCHEMA}.trips" if base.name == "PostgreSQL" else "trips"


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
            "many": "NULL" if rng.random() < 0.1 else real(many[i]),
            "few": str(few[i]),
            "text": "NULL" if rng.random() < 0.05 else "'" + text[i].replace("'", "''") + "'",
            "tenths": f"{rng.normal():.1f}",
            "truth": "NULL" if rng.random() < 0.02 else str(bool(rng.random() > 0.5)),
            "late": f"'{late[i]}'",
            "minutes": real(signal[i]),
            "copies": str(rng.integers(0, 3)),
            "heavy": real(rng.random()),
        }
        rows.append("(" + ", ".join(said.values()) + ")")
    double = "DOUBLE PRECISION"
    base.run(
        f"CREATE TABLE {table_of(base)} (many {double}, few INTEGER, text VARCHAR, "
        f"tenths DECIMAL(8, 1), truth BOOLEAN, late VARCHAR, minutes {double}, copies INTEGER, "
        f"heavy {double})"
    )
    base.run(f"INSERT INTO {table_of(base)} VALUES {', '.join(rows)}")
    return base.fetch(f"SELECT * FROM {table_of(base)}")


def real(x: float) -> str:
    """A float64 as a literal."""
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
