"""One tree where the rows stay in a database, beside the same rows fetched, in one run.

    python -m bench.database [--rows 100000] [--depth 6] [--rounds 3] [--postgresql ADDRESS]

Twenty columns of numbers and two classes, in DuckDB and, where an address is given, in a PostgreSQL
server whose role may make a table. Printed are medians of seconds, how often what the fetched rows
take (growing alone), the number of queries, and the hash of the model's file, which is one.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import bosco
from bench.engines import digest
from bosco.scale.connection import Connection

NAME, COLUMNS = "bosco_bench", 20
RESULTS = Path(__file__).parent / "results"


def table(rows: int) -> pa.Table:
    """Numbers, and a class that some of them tell."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(COLUMNS, rows)).astype(np.float32)
    told = x[0] * x[1] + x[2] + 0.5 * np.sin(3 * x[3]) + rng.normal(size=rows)
    return pa.table({f"x{j}": x[j] for j in range(COLUMNS)} | {"late": (told > 0).astype(np.int16)})


def places(rows: pa.Table, address: str | None) -> Iterator[tuple[str, Any]]:
    """Databases that hold the table, one after the other."""
    import duckdb

    with duckdb.connect() as base:
        base.register("given", rows)
        base.execute(f"CREATE TABLE {NAME} AS SELECT * FROM given")
        yield "DuckDB", base
    if address is None:
        return
    from adbc_driver_postgresql import dbapi

    with closing(dbapi.connect(address, autocommit=True)) as server, server.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {NAME}")
        cursor.adbc_ingest(NAME, rows, mode="create")
        cursor.execute(f"ANALYZE {NAME}")
        yield "PostgreSQL", address
        cursor.execute(f"DROP TABLE {NAME}")


def timed(fit: Callable[[], Any], rounds: int) -> tuple[float, str]:
    """The median of seconds, and the hash of the model."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        model = fit().model_
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), digest(model)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.database", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--postgresql", metavar="ADDRESS")
    asked = parser.parse_args()
    rows = table(asked.rows)
    X, y = rows.drop_columns("late"), rows["late"]
    tree = bosco.DecisionTreeClassifier(max_depth=asked.depth, record=False, fingerprint=False)
    local, want = timed(lambda: tree.fit(X, y), 3 * asked.rounds)
    print(f"{asked.rows:,} rows, fetched: {local:.3f} s, {want}", flush=True)
    kept: dict[str, Any] = {"rows": asked.rows, "depth": asked.depth, "fetched": local}
    queries: list[Connection] = []
    begin = Connection.__init__

    def noted(self: Connection, *args: Any) -> None:
        queries.append(self)
        begin(self, *args)

    Connection.__init__ = noted  # type: ignore[method-assign]
    for name, place in places(rows, asked.postgresql):
        there = bosco.in_database(place, NAME)
        seconds, found = timed(lambda there=there: tree.fit(there, y="late"), asked.rounds)  # type: ignore[misc]
        n = queries[-1].asked
        same = "" if found == want else " WRONG"
        print(f"{name}: {seconds:.2f} s, {seconds / local:.1f}x, {n} queries, {found}{same}")
        kept[name] = {"seconds": seconds, "queries": n, "hash": found, "same": found == want}
    (RESULTS / "database.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
