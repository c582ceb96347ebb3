"""Every library as an object that grows many trees, all encoding included: ``fit``, ``predict``.

The kinds are "forest", "extra" (extra-trees) and "boost" (AdaBoost of stumps); a library that lacks
one says so by `LackError`. Classes are 0 and 1.
"""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.learners import YDF, as_labels

RANGER = Path(__file__).with_name("ranger.R")
NAMES = {"forest": "random forest", "extra": "extra-trees", "boost": "AdaBoost"}


class LackError(Exception):
    """The library has no such learner."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"has no {NAMES[kind]}")


class Bosco:
    def __init__(self, kind: str, trees: int, threads: int, **settings: Any) -> None:
        import bosco

        if kind == "boost":
            self.model: Any = bosco.AdaBoostClassifier(n_estimators=trees, n_jobs=threads)
            return
        forest = bosco.ExtraTreesClassifier if kind == "extra" else bosco.RandomForestClassifier
        self.model = forest(trees, n_jobs=threads, random_state=0, **settings)

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model.fit(X, y)

    def predict(self, X: Any, threads: int) -> np.ndarray:
        return self.model.set_params(n_jobs=threads).predict(X)

    def bytes_per_node(self) -> float:
        forest = self.model.model_.native
        return float(forest.n_bytes / forest.n_nodes)


class ScikitLearn:
    """Levels are one-hot encoded; text that stands for missing is a level."""

    def __init__(self, kind: str, trees: int, threads: int, **settings: Any) -> None:
        from sklearn import ensemble

        self.last: Any
        if kind == "boost":
            self.last = ensemble.AdaBoostClassifier(n_estimators=trees)
        else:
            extra = kind == "extra"
            forest = ensemble.ExtraTreesClassifier if extra else ensemble.RandomForestClassifier
            self.last = forest(trees, n_jobs=threads, random_state=0, **settings)
        self.model = self.last

    def fit(self, X: Any, y: np.ndarray) -> None:
        if not isinstance(X, np.ndarray):
            from sklearn.compose import make_column_selector, make_column_transformer
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import OneHotEncoder

            levels = OneHotEncoder(handle_unknown="ignore", dtype=np.float32, sparse_output=False)
            encode = make_column_transformer(
                (levels, make_column_selector(dtype_include="category")), remainder="passthrough"
            )
            self.model = make_pipeline(encode, self.last)
        self.model.fit(X, y)

    def predict(self, X: Any, threads: int) -> np.ndarray:
        if "n_jobs" in self.last.get_params():
            self.last.set_params(n_jobs=threads)
        return self.model.predict(X)

    def bytes_per_node(self) -> float:
        trees = [tree.tree_.__getstate__() for tree in self.last.estimators_]
        size = sum(tree["nodes"].nbytes + tree["values"].nbytes for tree in trees)
        return float(size / sum(tree["node_count"] for tree in trees))


class Ydf:
    """YDF's random forest: exact splits, unlimited depth, the mean of the trees' shares."""

    columns = staticmethod(YDF.columns)

    def __init__(self, kind: str, trees: int, threads: int, **_settings: Any) -> None:
        import ydf

        if kind != "forest":
            raise LackError(kind)
        ydf.verbose(0)
        self.learner = ydf.RandomForestLearner(
            label="y",
            num_trees=trees,
            max_depth=-1,
            min_examples=1,
            num_threads=threads,
            winner_take_all=False,
            compute_oob_performances=False,
        )

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model = self.learner.train({**self.columns(X), "y": y})

    def predict(self, X: Any, threads: int) -> np.ndarray:
        return as_labels(False, self.model.predict(self.columns(X), num_threads=threads))


class XGBoost:
    """XGBoost's random forest: one round of trees on samples of the rows.

    From 256 bins a column, as its exact method draws no columns per node.
    """

    def __init__(self, kind: str, trees: int, threads: int, **_settings: Any) -> None:
        import xgboost

        if kind != "forest":
            raise LackError(kind)
        self.model = xgboost.XGBRFClassifier(
            n_estimators=trees,
            max_depth=0,  # unlimited
            min_child_weight=0,
            reg_lambda=0,
            subsample=0.632,  # without replacement: as many different rows as a bootstrap has
            n_jobs=threads,
        )

    def fit(self, X: Any, y: np.ndarray) -> None:
        columns = X.shape[1]
        self.model.set_params(colsample_bynode=int(np.sqrt(columns)) / columns)
        self.model.fit(X, y)

    def predict(self, X: Any, threads: int) -> np.ndarray:
        return self.model.set_params(n_jobs=threads).predict(X)


LIBRARIES: dict[str, Any] = {
    "bosco": Bosco,
    "scikit-learn": ScikitLearn,
    "ydf": Ydf,
    "xgboost": XGBoost,
}


def ranger(kind: str, trees: int, threads: int, data: tuple[Any, ...]) -> dict[str, Any]:
    """The figures of ranger, which fits and predicts in an R process of its own."""
    if kind == "boost":
        raise LackError(kind)
    X, y, X_test, y_test = data
    with tempfile.TemporaryDirectory() as folder:
        about: dict[str, Any] = {"kind": kind, "trees": trees, "threads": threads}
        for name, table in {"train": X, "test": X_test}.items():
            if isinstance(table, np.ndarray):
                np.asfortranarray(table, np.float64).T.tofile(f"{folder}/{name}.bin")
            else:
                table.to_csv(f"{folder}/{name}.csv", index=False)
        for name, labels in {"train": y, "test": y_test}.items():
            np.savetxt(f"{folder}/{name}.y", labels, "%d")
        about["columns"] = X.shape[1]
        words = [str(about[key]) for key in ("kind", "trees", "threads", "columns")]
        done = subprocess.run(
            ["Rscript", RANGER, folder, *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
