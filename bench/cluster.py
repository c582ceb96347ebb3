"""One tree from a cluster beside the peers: ``python -m bench.cluster [--rows N] [--rounds N]``.

A tree of depth 8 from ten Parquet files, and from the same rows persisted, on two Dask workers of
one thread each: `bosco.dask`, `xgboost.dask` and `lightgbm.dask` by turns, in an order that changes
from round to round. Printed are medians of seconds and the peers' over ours; they are kept in
bench/results/cluster.json.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, FILES, DEPTH, WORKERS = 20, 10, 8, 2
PLACE = Path(__file__).parent / "results" / "cluster.json"


def write(folder: Path, rows: int) -> None:
    """Files of numbers in four bytes and a target of two classes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for k in range(FILES):
        rng = np.random.default_rng((rows, k))
        n = rows // FILES
        x = rng.normal(size=(n, COLUMNS)).astype(np.float32)
        signal = x[:, 0] + x[:, 1] * x[:, 2] + np.abs(x[:, 3]) + 0.5 * rng.normal(size=n)
        columns = {f"x{j}": x[:, j] for j in range(COLUMNS)}
        table = pa.table(columns | {"y": (signal > 0.7).astype(np.int8)})
        pq.write_table(table, folder / f"{k:02}.parquet")


def bosco(client: Any, data: Any) -> None:
    from bosco.dask import DecisionTreeClassifier

    DecisionTreeClassifier(max_depth=DEPTH, client=client).fit(data, y="y")


def xgboost(client: Any, data: Any) -> None:
    from xgboost import dask as peer

    matrix = peer.DaskQuantileDMatrix(client, data.drop(columns="y"), data["y"])
    settings = {
        "tree_method": "hist",
        "max_depth": DEPTH,
        "objective": "binary:logistic",
        "nthread": 1,
    }
    peer.train(client, settings, matrix, num_boost_round=1)


def lightgbm(client: Any, data: Any) -> None:
    from lightgbm import DaskLGBMClassifier

    DaskLGBMClassifier(
        client=client, n_estimators=1, max_depth=DEPTH, num_leaves=2**DEPTH, n_jobs=1, verbose=-1
    ).fit(data.drop(columns="y"), data["y"])


LEARNERS: dict[str, Callable[[Any, Any], None]] = {
    "bosco": bosco,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
}


def measure(rows: int, rounds: int, names: list[str]) -> dict[str, dict[str, list[float]]]:
    """Seconds of every learner, from files and from memory of the workers."""
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster, wait

    found: dict[str, dict[str, list[float]]] = {"files": {}, "persisted": {}}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        write(Path(folder), rows)
        # dd.read_parquet joins small files, X in another way than y, which the peers cannot take.
        paths = sorted(map(str, Path(folder).iterdir()))
        files = dd.from_map(pd.read_parquet, paths, meta=pd.read_parquet(paths[0])[:0])
        for name in names:  # imports, and the files into the system's cache
            LEARNERS[name](client, files)
        for where, seconds in found.items():
            data = files if where == "files" else files.persist()
            wait(data)
            order = list(names)
            for _ in range(rounds):
                for name in order:
                    start = time.perf_counter()
                    LEARNERS[name](client, data)
                    seconds.setdefault(name, []).append(time.perf_counter() - start)
                order.reverse()
            del data
    return found


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("--rows", type=int, action="append", help="800,000 and 5,000,000")
    parser.add_argument("--rounds", type=int, default=5, help="of each learner (default 5)")
    parser.add_argument("--only", action="append", choices=list(LEARNERS))
    asked = parser.parse_args()
    kept: dict[str, Any] = {}
    for rows in asked.rows or (800_000, 5_000_000):
        found = measure(rows, asked.rounds, asked.only or list(LEARNERS))
        for where, seconds in found.items():
            medians = {name: statistics.median(times) for name, times in seconds.items()}
            for name, median in medians.items():
                ratio = median / medians.get("bosco", median)
                print(f"{rows:>10,} {where:10} {name:9} {median:7.2f} s {ratio:6.2f}", flush=True)
            kept.setdefault(str(rows), {})[where] = seconds
    if asked.only is None:  # other numbers of rows stay as they were
        before = json.loads(PLACE.read_text()) if PLACE.exists() else {}
        PLACE.write_text(json.dumps(before | kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
