"""The same model from anywhere: ``python -m bench.engines [--rows N]``.

Prints the hash of the model's file, by engine and by how the rows are parted. One hash a line of
models is what is promised.
"""

import argparse
import contextlib
import hashlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bosco

PARTS = (1, 2, 3, 7, 50)
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "tree": ("DecisionTreeClassifier", {"max_depth": 8}),
    "c45": ("DecisionTreeClassifier", {"algorithm": "c45", "pruning": "none", "max_depth": 5}),
    "numbers": ("DecisionTreeRegressor", {"max_depth": 6}),
    "forest": ("RandomForestClassifier", {"n_estimators": 6, "random_state": 1}),
    "extra": ("ExtraTreesClassifier", {"n_estimators": 6, "random_state": 1}),
    "boost": ("AdaBoostClassifier", {"n_estimators": 8}),
}


def table(rows: int) -> pd.DataFrame:
    """Numbers of many and of few values, text, missing ones; sorted by the label."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, 5)).astype(np.float32), columns=list("abcde"))
    X["few"] = rng.integers(0, 9, rows)
    X["town"] = rng.choice(["Bari", "Como", "Lodi", "Pisa"], rows)
    signal = X["a"] + X["b"] * X["c"] + (X["town"] == "Pisa") + rng.normal(size=rows)
    X.loc[rng.random(rows) < 0.1, "a"] = np.nan
    X["late"] = np.where(signal > 1, "yes", "no")
    X["minutes"] = signal.astype(np.float64)
    return X.sort_values("late", ignore_index=True)


def asked(name: str) -> tuple[str, dict[str, Any], str]:
    """The estimator of a model, its settings, and the column that it learns."""
    kind, settings = MODELS[name]
    y = "minutes" if kind.endswith("Regressor") else "late"
    return kind, settings | {"fingerprint": False}, y  # databases keep none


def digest(model: Any) -> str:
    """A few digits of the hash of the model's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def in_memory(frame: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """All rows in one table."""

    def fit(name: str) -> Any:
        kind, settings, y = asked(name)
        return getattr(bosco, kind)(**settings).fit(frame[columns], frame[y]).model_

    yield "memory", fit


def files(frame: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Parquet files."""
    for parts in PARTS:

        def fit(name: str, parts: int = parts) -> Any:
            kind, settings, y = asked(name)
            with tempfile.TemporaryDirectory() as folder:
                for k, some in enumerate(np.array_split(np.arange(len(frame)), parts)):
                    frame[[*columns, y]].iloc[some].to_parquet(f"{folder}/{k:03}.parquet")
                rows = bosco.scan(f"{folder}/*.parquet")
                return getattr(bosco, kind)(**settings).fit(rows, y=y).model_

        yield f"files, {parts}", fit


def on_dask(frame: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Partitions at two worker processes."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import bosco.dask

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for parts in PARTS:

            def fit(name: str, parts: int = parts) -> Any:
                kind, settings, y = asked(name)
                ddf = dd.from_pandas(frame[[*columns, y]], npartitions=parts, sort=False)
                made = getattr(bosco.dask, kind)(client=client, **settings)
                return made.fit(ddf, y=y).model_

            yield f"Dask, {parts}", fit


def on_spark(frame: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Partitions at two Python workers."""
    from pyspark.sql import SparkSession

    import bosco.spark
    from bosco.spark.params import camel

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    try:
        for parts in (1, 2):

            def fit(name: str, parts: int = parts) -> Any:
                kind, settings, y = asked(name)
                rows = spark.createDataFrame(frame[[*columns, y]])
                ordered = rows.coalesce(parts)  # in their order, which samples go by
                given = {camel(key): value for key, value in settings.items()}
                return getattr(bosco.spark, kind)(labelCol=y, **given).fit(ordered).model_

            yield f"Spark, {parts}", fit
    finally:
        spark.stop()


def in_databases(
    frame: pd.DataFrame, columns: list[str]
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Counted where the rows are."""
    import duckdb

    places: dict[str, Any] = {"DuckDB": duckdb.connect()}
    places["DuckDB"].register("given", frame)
    places["DuckDB"].execute("CREATE TABLE trips AS SELECT * FROM given")
    if address := os.environ.get("BOSCO_POSTGRESQL"):
        places["PostgreSQL"] = address
    for where, place in places.items():

        def fit(name: str, place: Any = place) -> Any:
            kind, settings, y = asked(name)
            if not kind.startswith("DecisionTree") or settings.get("algorithm") == "c45":
                return None  # of c45 missing values go down all branches
            rows = bosco.in_database(place, "trips", columns=columns)
            return getattr(bosco, kind)(**settings).fit(rows, y=y).model_

        yield f"in {where}", fit


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    frame = table(parser.parse_args().rows)
    columns = [*"abcde", "few", "town"]
    print(f"{'':14}" + "".join(f"{name:14}" for name in MODELS))
    for engine in (in_memory, files, on_dask, in_databases, on_spark):
        with contextlib.suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for where, fit in engine(frame, columns):
                made = [fit(name) for name in MODELS]
                said = [f"{'–' if model is None else digest(model):14}" for model in made]
                print(f"{where:14}" + "".join(said), flush=True)


if __name__ == "__main__":
    main()
