"""The data sets: real ones beside the project, and ones generated from fixed seeds.

Generated sets are kept in the system's folder for temporary files. Real ones are read from
``../shared/data``, or the folder that the variable ``BENCH_DATA`` names.
"""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

VERSION = 1  # part of the cached files' names: count up when a generator changes
CACHE = Path(tempfile.gettempdir()) / "bosco-bench"
SHARED = Path(os.environ.get("BENCH_DATA", Path(__file__).parents[2] / "shared" / "data"))

NUMERIC = 6
LEVELS = [2, 3, 4, 6, 8, 12, 20, 40, 1000]  # of the nominal columns of `mixed`

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Data:
    """A table the way its user holds it; the first ``n_train`` rows are for fitting."""

    X: Any  # a numpy array or a pandas frame
    y: np.ndarray
    n_train: int

    @property
    def train(self) -> tuple[Any, np.ndarray]:
        return self.X[: self.n_train], self.y[: self.n_train]

    @property
    def test(self) -> tuple[Any, np.ndarray]:
        return self.X[self.n_train :], self.y[self.n_train :]


def classes(rows: int, columns: int = 20, n_classes: int = 2, clusters: int = 4) -> Arrays:
    """Gaussian clusters at the corners of a cube, one label in twenty drawn anew.

    The full tree of 800,000 rows has about 70,000 leaves for two classes.
    """
    informative = min(10, columns)
    X, y = datasets.make_classification(
        rows,
        columns,
        n_informative=informative,
        n_redundant=min(4, columns - informative),
        n_classes=n_classes,
        n_clusters_per_class=clusters,
        flip_y=0.05,
        random_state=0,
    )
    return {"X": X.astype(np.float32), "y": y.astype(np.int64)}


def quantised(rows: int) -> Arrays:
    """``classes`` with at most 256 distinct values a column."""
    data = classes(rows)
    low, high = np.quantile(data["X"][:10_000], [0.001, 0.999], axis=0)
    step = (high - low) / 255
    codes = np.clip(np.round((data["X"] - low) / step), 0, 255)
    return {"X": (low + codes * step).astype(np.float32), "y": data["y"]}


def regression(rows: int) -> Arrays:
    """A linear part, bends, an interaction, and noise."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((rows, 20), dtype=np.float32)
    a, b, c, d = X[:, :4].T.astype(np.float64)
    y = X[:, 4:12] @ np.linspace(0.5, 2, 8) + 3 * np.sin(2 * a * b) + 2 * c**2 + 4 * np.abs(d)
    return {"X": X, "y": y + rng.standard_normal(rows)}


def mixed(rows: int) -> Arrays:
    """Numbers and levels, 5 % of the cells missing; every column says something of the class."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((rows, NUMERIC))
    codes = np.stack([rng.integers(0, n, rows) for n in LEVELS], axis=1)
    score = x[:, 0] + np.sin(2 * x[:, 1]) + 0.5 * x[:, 2] * (codes[:, 1] == 0)
    for j, n in enumerate(LEVELS):
        score += 0.6 * rng.standard_normal(n)[codes[:, j]]
    y = score + 0.5 * rng.standard_normal(rows) > np.median(score)
    x[rng.random(x.shape) < 0.05] = np.nan
    codes[rng.random(codes.shape) < 0.05] = -1
    return {"x": x, "codes": codes.astype(np.int16), "y": y.astype(np.int64)}


def bundled(load: Callable[[], Any]) -> Callable[[int], Arrays]:
    """A set that scikit-learn ships, shuffled."""

    def make(_rows: int) -> Arrays:
        table = load()
        order = np.random.default_rng(3).permutation(len(table.target))
        return {"X": table.data[order], "y": table.target[order].astype(np.int64)}

    return make


# name: (generator, rows, of which for fitting)
SETS: dict[str, tuple[Callable[[int], Arrays], int, int]] = {
    "continuous": (classes, 1_000_000, 800_000),
    "quantised": (quantised, 1_000_000, 800_000),
    "regression": (regression, 1_000_000, 800_000),
    "seven classes": (lambda n: classes(n, n_classes=7, clusters=2), 1_000_000, 800_000),
    "mixed": (mixed, 600_000, 500_000),
    "small": (classes, 2_000, 1_000),
    "wine": (bundled(datasets.load_wine), 178, 119),
    "iris": (bundled(datasets.load_iris), 150, 100),
    "digits": (bundled(datasets.load_digits), 1_797, 1_198),
    "wide": (lambda n: classes(n, columns=5_000), 2_500, 2_000),
    "broad": (lambda n: classes(n, columns=500), 25_000, 20_000),
    "two columns": (lambda n: classes(n, columns=2, clusters=1), 2_200_000, 2_000_000),
    # for scaling: cut to the rows asked for
    "rows": (classes, 10_000_000, 10_000_000),
    **{
        f"{d} columns": (lambda n, d=d: classes(n, columns=d), 200_000, 200_000)
        for d in (10, 20, 40, 80, 160, 320)
    },
    **{
        f"{k} classes": (lambda n, k=k: classes(n, n_classes=k, clusters=2), 200_000, 200_000)
        for k in (2, 4, 8, 16, 32, 64)
    },
}


def prepare(name: str) -> Path:
    """Generate a set unless it is there already; return its folder."""
    make, rows, _ = SETS[name]
    folder = CACHE / f"{name.replace(' ', '-')}-{rows}-v{VERSION}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        part.mkdir(parents=True, exist_ok=True)
        for key, values in make(rows).items():
            np.save(part / f"{key}.npy", values)
        part.rename(folder)
    return folder


def load(name: str, rows: int | None = None) -> Data:
    """Read a set, or its first rows: as many for fitting, and their share for testing."""
    folder = prepare(name)
    _, total, n_train = SETS[name]
    if rows is not None and rows < n_train:
        total, n_train = rows + (total - n_train) * rows // n_train, rows
    # A copy, so that the rows are in memory before any clock starts.
    part = {p.stem: np.array(np.load(p, mmap_mode="r")[:total]) for p in folder.glob("*.npy")}
    X = part["X"] if "X" in part else as_frame(part)
    return Data(X, part["y"], n_train)


def as_frame(part: Arrays) -> Any:
    import pandas as pd

    columns: dict[str, Any] = {f"x{j}": part["x"][:, j] for j in range(NUMERIC)}
    for j, n in enumerate(LEVELS):
        levels = [f"level {i}" for i in range(n)]
        columns[f"of {n}"] = pd.Categorical.from_codes(part["codes"][:, j], categories=levels)
    return pd.DataFrame(columns)
