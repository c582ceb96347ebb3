"""One tree from a cluster beside the peers: ``python -m bench.cluster [--rows N] [--rounds N]``.

A tree of depth 8 from ten Parquet files, and from the same rows persisted, on two Dask workers of
one thread each: `bosco.dask`, `xgboost.dask` and `lightgbm.dask` by turns, in an order that changes
from round to round. Printed are medians of seconds and the peers' over ours; they are kept in
bench/results/cluster.json. ``--workers N`` goes from 1 to N of them with the first number of rows,
and plots it: bench/results/cluster-workers.svg.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, FILES, DEPTH, WORKERS = 20, 10, 8, 2
RESULTS = Path(__file__).parent / "results"
PLACE = RESULTS / "cluster.json"


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


Seconds = dict[str, dict[str, list[float]]]

LEARNERS: dict[str, Callable[[Any, Any], None]] = {
    "bosco": bosco,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
}


def measure(rows: int, rounds: int, names: list[str], workers: int = WORKERS) -> Seconds:
    """Seconds of every learner, from files and from memory of the workers."""
    import dask.dataframe as dd
    import pandas as pd
    from distributed import Client, LocalCluster, wait

    found: Seconds = {"files": {}, "persisted": {}}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
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


def shown(found: Seconds, label: str) -> dict[str, dict[str, float]]:
    """Print medians, and those of the peers over ours; returns them."""
    told = {}
    for where, seconds in found.items():
        told[where] = {name: statistics.median(times) for name, times in seconds.items()}
        for name, median in told[where].items():
            ratio = median / told[where].get("bosco", median)
            print(f"{label} {where:10} {name:9} {median:7.2f} s {ratio:6.2f}", flush=True)
    return told


def by_workers(rows: int, rounds: int, names: list[str], most: int) -> dict[str, Any]:
    """Medians of seconds with 1 worker, 2, and so on; plotted."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    numbers = range(1, most + 1)
    told = {n: shown(measure(rows, rounds, names, n), f"{n} workers") for n in numbers}
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained", sharey=True)
    for side, where in zip(axes, told[1], strict=True):
        for name in names:
            side.plot(numbers, [told[n][where][name] for n in numbers], "o-", label=name)
        side.set_title(f"{rows:,} rows, {where}")
        side.set_xlabel(f"workers of one thread, on {os.cpu_count()} cores")
        side.set_xticks(list(numbers))
    axes[0].set_ylabel("seconds, median")
    axes[0].set_ylim(bottom=0)
    axes[0].legend()
    figure.savefig(RESULTS / "cluster-workers.svg")
    return {"rows": rows, "rounds": rounds, "cores": os.cpu_count(), "workers": told}


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("--rows", type=int, action="append", help="800,000 and 5,000,000")
    parser.add_argument("--rounds", type=int, default=5, help="of each learner (default 5)")
    parser.add_argument("--only", action="append", choices=list(LEARNERS))
    parser.add_argument("--workers", type=int, metavar="MOST", help="from 1 up to this many")
    asked = parser.parse_args()
    kept: dict[str, Any] = {}
    sizes, names = asked.rows or [800_000, 5_000_000], asked.only or list(LEARNERS)
    if asked.workers:
        kept = by_workers(sizes[0], asked.rounds, names, asked.workers)
        (RESULTS / "cluster-workers.json").write_text(json.dumps(kept, indent=1) + "\n")
        return
    for rows in sizes:
        kept[str(rows)] = measure(rows, asked.rounds, names)
        shown(kept[str(rows)], f"{rows:>10,}")
    if asked.only is None:  # other numbers of rows stay as they were
        before = json.loads(PLACE.read_text()) if PLACE.exists() else {}
        PLACE.write_text(json.dumps(before | kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
