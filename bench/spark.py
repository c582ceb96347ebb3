"""One tree on Spark beside its peers: ``python -m bench.spark [--rows N] [--rounds N]``.

Rows of 20 numbers in files of Parquet, two slots of one machine, the learners by turns in one
session, in an order that changes from round to round. Printed are medians of the seconds from the
files to the model, with the column of vectors for whom needs one. The first round warms Java up
and does not count. Needs Java, pyspark and xgboost.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = 20


def written(folder: Path, rows: int, files: int = 4) -> str:
    """Files with numbers and a label that half of them explain."""
    rng = np.random.default_rng(0)
    for k in range(files):
        X = rng.normal(size=(rows // files, COLUMNS))
        signal = X[:, 0] + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + X[:, 4:10].sum(axis=1) / 4
        y = (signal + rng.normal(size=len(X)) > 1).astype(np.float64)
        columns = {f"x{j}": X[:, j] for j in range(COLUMNS)}
        pq.write_table(pa.table(columns | {"label": y}), folder / f"{k}.parquet")
    return str(folder)


def session() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    return made


def learners(depth: int) -> dict[str, Callable[[Any], Any]]:
    """What fits a tree to a DataFrame of plain columns."""
    from pyspark.ml.classification import DecisionTreeClassifier as Theirs
    from pyspark.ml.feature import VectorAssembler

    from bosco.spark import DecisionTreeClassifier

    names = [f"x{j}" for j in range(COLUMNS)]

    def mllib(df: Any) -> Any:
        vectors = VectorAssembler(inputCols=names, outputCol="features").transform(df)
        return Theirs(maxDepth=depth, maxBins=256).fit(vectors)

    def xgboost(df: Any) -> Any:
        from xgboost.spark import SparkXGBClassifier

        one = {"n_estimators": 1, "max_depth": depth, "tree_method": "hist", "num_workers": 2}
        return SparkXGBClassifier(features_col=names, label_col="label", **one).fit(df)

    return {
        "bosco": lambda df: DecisionTreeClassifier(maxDepth=depth).fit(df),
        "MLlib": mllib,
        "xgboost": xgboost,
    }


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument("--rows", type=int, default=800_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--only", action="append", metavar="NAME", help="a learner")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = written(Path(folder), given.rows)
        spark = session()
        fits = [
            one for one in learners(given.depth).items() if not given.only or one[0] in given.only
        ]
        for turn in range(given.rounds + 1):
            for k in range(len(fits)):
                name, fit = fits[(k + turn) % len(fits)]
                start = time.perf_counter()
                fit(spark.read.parquet(place))
                seconds = time.perf_counter() - start
                print(f"round {turn}  {name:8} {seconds:7.2f} s", flush=True)
                if turn:
                    took.setdefault(name, []).append(seconds)
        spark.stop()
    ours = statistics.median(took.get("bosco", [float("nan")]))
    for name, times in took.items():
        median = statistics.median(times)
        print(f"{name:8} median {median:6.2f} s, {median / ours:5.2f} × bosco")


if __name__ == "__main__":
    main()
