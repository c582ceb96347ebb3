"""Many trees side by side: ``python -m bench.forests [--only NAME] [--rows N] [--trees N]``.

Every library grows the same number of trees on the same rows, alone in its process; fitting
includes all encoding. Printed: seconds, ratio to ours, score on rows held out,
memory beyond X, and seconds for predicting the rows held out. Figures are kept in
``bench/results/forests.json``.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench import sets
from bench.learners import as_labels
from bench.run import HERE, THREADS, keep, machine
from bench.worker import forget_peak, memory, score

SHARED = HERE.parent.parent / "shared" / "data"


@dataclass(frozen=True)
class Case:
    """A learner on a set; the aims are how many times faster than each peer we mean to be."""

    name: str
    kind: str
    set: str
    rows: int
    trees: int
    aims: dict[str, float | None] = field(default_factory=dict)


FOREST_AIMS: dict[str, float | None] = {"scikit-learn": 10, "ydf": 5, "xgboost": 5}
CASES = [
    Case("forest", "forest", "continuous", 80_000, 100, FOREST_AIMS),
    Case("forest, many rows", "forest", "continuous", 800_000, 10, FOREST_AIMS),
    Case("extra-trees", "extra", "continuous", 80_000, 100, {"scikit-learn": 3}),
    Case("adult", "forest", "adult", 32_561, 300, {"scikit-learn": 5, "ydf": None}),
    Case("adaboost", "boost", "continuous", 80_000, 100, {"scikit-learn": 60}),
    Case("adaboost, many rows", "boost", "continuous", 800_000, 10, {"scikit-learn": 80}),
]


# The libraries: make(kind, trees) gives an object with fit and predict.


def bosco(kind: str, trees: int) -> Any:
    from bosco import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier

    if kind == "boost":
        return AdaBoostClassifier(n_estimators=trees, n_jobs=THREADS)
    if kind == "extra":
        return ExtraTreesClassifier(trees, n_jobs=THREADS, random_state=0)
    return RandomForestClassifier(trees, n_jobs=THREADS, random_state=0)


def scikit_learn(kind: str, trees: int) -> Any:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import AdaBoostClassifier, ExtraTreesClassifier, RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    if kind == "boost":
        return AdaBoostClassifier(n_estimators=trees)
    cls = ExtraTreesClassifier if kind == "extra" else RandomForestClassifier
    forest = cls(trees, n_jobs=THREADS, random_state=0)
    levels = OneHotEncoder(handle_unknown="ignore", dtype=np.float32)
    encode = make_column_transformer(
        (levels, make_column_selector(dtype_include=["category", object])), remainder="passthrough"
    )
    return OnFrames(forest, make_pipeline(encode, forest))


class OnFrames:
    """One estimator for arrays, another for dataframes."""

    def __init__(self, plain: Any, encoding: Any) -> None:
        self.plain, self.encoding = plain, encoding

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model = self.plain if isinstance(X, np.ndarray) else self.encoding
        self.model.fit(X, y)

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X)


class Ydf:
    """YDF's random forest: exact splits, unlimited depth, rows drawn with replacement."""

    def __init__(self, kind: str, trees: int) -> None:
        import ydf

        if kind != "forest":
            raise NotImplementedError(f"no {kind} here")
        ydf.verbose(0)
        self.learner = ydf.RandomForestLearner(
            label="y",
            num_trees=trees,
            max_depth=-1,
            min_examples=1,
            num_threads=THREADS,
            winner_take_all=False,
            compute_oob_performances=False,
        )

    @staticmethod
    def columns(X: Any) -> dict[str, np.ndarray]:
        if isinstance(X, np.ndarray):
            return {"x": X}
        numbers = {"f", "i", "u"}
        return {
            name: X[name].to_numpy()
            if X[name].dtype.kind in numbers
            else X[name].astype(str).to_numpy()
            for name in X
        }

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model = self.learner.train({**self.columns(X), "y": y})

    def predict(self, X: Any) -> np.ndarray:
        return as_labels(False, self.model.predict(self.columns(X)))


class XGBoost:
    """XGBoost's random forest: one round of parallel trees on samples of the rows."""

    def __init__(self, kind: str, trees: int) -> None:
        import xgboost

        if kind != "forest":
            raise NotImplementedError(f"no {kind} here")
        self.model = xgboost.XGBRFClassifier(
            n_estimators=trees,
            max_depth=1000,
            min_child_weight=0,
            reg_lambda=0,
            n_jobs=THREADS,
            enable_categorical=True,
        )

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model.set_params(colsample_bynode=float(np.sqrt(X.shape[1]) / X.shape[1]))
        self.model.fit(X, y)

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X)


LIBRARIES: dict[str, Any] = {
    "bosco": bosco,
    "scikit-learn": scikit_learn,
    "ydf": Ydf,
    "xgboost": XGBoost,
}


def load(case: Case) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Rows to fit and rows held out."""
    if case.set != "adult":
        data = sets.load(case.set, case.rows)
        return *data.train, *data.test
    import pandas as pd

    parts = []
    for part in ("train", "test"):
        table = pd.read_csv(SHARED / f"adult_{part}.csv.gz", skipinitialspace=True)
        y = table.pop("income").str.contains(">50K").to_numpy().astype(np.int64)
        text = table.select_dtypes(exclude="number").columns
        parts += [table.astype(dict.fromkeys(text, "category")), y]
    X, y, X_test, y_test = parts
    for name in X.select_dtypes("category"):  # the same levels on both sides
        levels = X[name].cat.categories.union(X_test[name].cat.categories)
        X[name] = X[name].cat.set_categories(levels)
        X_test[name] = X_test[name].cat.set_categories(levels)
    return X[: case.rows], y[: case.rows], X_test, y_test


def work(job: dict[str, Any]) -> dict[str, Any]:
    """One library on one case, in this process."""
    case = Case(**job["case"])
    X, y, X_test, y_test = load(case)
    make = LIBRARIES[job["library"]]
    warm = make(case.kind, 2)
    warm.fit(X[:500], y[:500])  # what is loaded or started on first use is not the trees' cost
    del warm
    gc.collect()
    forget_peak()
    before = memory("VmRSS")
    model = make(case.kind, case.trees)
    start = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter() - start
    result = {"fit": fitted, "peak": memory("VmHWM") - before}
    start = time.perf_counter()
    said = model.predict(X_test)
    result["predict"] = time.perf_counter() - start
    result["score"] = score(False, y_test, said)
    return result


def run(case: Case, library: str) -> dict[str, Any]:
    threads = {f"{name}_NUM_THREADS": str(THREADS) for name in ("OMP", "OPENBLAS", "MKL")}
    job = json.dumps({"case": vars(case), "library": library})
    done = subprocess.run(
        [sys.executable, "-m", "bench.forests", "--job", job],
        cwd=HERE.parent,
        env={**os.environ, **threads},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"ended with {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def show(case: Case, results: dict[str, Any]) -> str:
    out = [f"\n{case.name}: {case.trees} on {case.rows:,} rows"]
    ours = results["bosco"].get("fit")
    for library, r in results.items():
        if "error" in r:
            out.append(f"  {library:14} {r['error']}")
            continue
        ratio = r["fit"] / ours if ours else float("nan")
        aim = case.aims.get(library)
        met = "" if aim is None else f"  aim ≥ {aim:g}×: {'met' if ratio >= aim else 'NOT MET'}"
        out.append(
            f"  {library:14} fit {r['fit']:8.3f} s  {ratio:6.1f}×  score {r['score']:.4f}  "
            f"predict {r['predict']:.3f} s  {r['peak'] / 2**20:.0f} MB{met}"
        )
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.forests", description=__doc__)
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="cases whose name holds NAME"
    )
    parser.add_argument("--rows", type=int, help="at most so many rows")
    parser.add_argument("--trees", type=int, help="at most so many trees")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.job:
        print("\n" + json.dumps(work(json.loads(asked.job))))
        return
    here, results = machine(), {}
    for case in CASES:
        if asked.only and not any(part in case.name for part in asked.only):
            continue
        if case.set == "adult" and not SHARED.exists():
            print(f"\n{case.name}: left out, {SHARED} is not there")
            continue
        cut = Case(
            **vars(case)
            | {
                "rows": min(case.rows, asked.rows or case.rows),
                "trees": min(case.trees, asked.trees or case.trees),
            }
        )
        if cut.set != "adult":
            sets.prepare(cut.set)
        results[case.name] = {
            library: run(cut, library) for library in ["bosco", *cut.aims] if library in LIBRARIES
        }
        print(show(cut, results[case.name]), flush=True)
    if not (asked.only or asked.rows or asked.trees):
        keep(HERE / "results" / "forests.json", {"machine": here, "cases": results})


if __name__ == "__main__":
    main()
