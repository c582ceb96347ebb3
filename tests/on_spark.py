"""Rows for the tests on Spark, and what they need: Java and pyspark, without which they skip."""

import os
import shutil
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="needs bosco[spark]")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

MARKS = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of py4j
]

N = 1500


def table(seed: int = 0, missing: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N).round(1)})
    X["few"] = rng.integers(0, 10, N)
    X["text"] = rng.choice(["red", "green", "blue"], N)
    X["true"] = rng.random(N) > 0.5
    signal = X["a"] + X["b"] * (X["few"] - 5) / 3 + (X["text"] == "red") + rng.normal(size=N)
    if missing:
        X.loc[rng.random(N) < 0.1, "a"] = np.nan
        X.loc[rng.random(N) < 0.05, "text"] = None
    X["late"] = np.select([signal > 1, signal < -1], ["yes", "no"], "perhaps")
    X["minutes"] = signal
    X["copies"] = rng.integers(0, 3, N)
    X["share"] = rng.random(N)
    return X


ROLES = ["late", "minutes", "copies", "share"]
FEATURES = [name for name in table().columns if name not in ROLES]


def frame(spark: Any, data: pd.DataFrame, parts: int) -> Any:
    """Of seven partitions some are empty, others have one class."""
    made = spark.createDataFrame(pa.Table.from_pandas(data, preserve_index=False))
    return made.repartition(7, "late") if parts == 7 else made.repartition(parts)
