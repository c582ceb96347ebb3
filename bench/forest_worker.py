"""One library on one case of many trees, alone in its process.

``python -m bench.forest_worker '<job as JSON>'`` prints the figures as its last line.
"""

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench import sets
from bench.ensembles import LIBRARIES, LackError, ranger
from bench.learners import LEARNERS, OnnxRuntime
from bench.worker import SLOW, forget_peak, medians, memory, repeat, score

Data = tuple[Any, np.ndarray, Any, np.ndarray]


def load(name: str, rows: int) -> Data:
    """Rows to fit and rows held out."""
    if name != "adult":
        data = sets.load(name, rows)
        return *data.train, *data.test
    import pandas as pd

    parts: list[Any] = []
    for part in ("train", "test"):
        table = pd.read_csv(sets.SHARED / f"adult_{part}.csv.gz", skipinitialspace=True)
        y = table.pop("income").str.contains(">50K").to_numpy().astype(np.int64)
        text = table.select_dtypes(exclude="number").columns
        parts += [table.astype(dict.fromkeys(text, "category")), y]
    X, y, X_test, y_test = parts
    for name in X.select_dtypes("category"):  # the same levels on both sides
        levels = X[name].cat.categories.union(X_test[name].cat.categories)
        X[name] = X[name].cat.set_categories(levels)
        X_test[name] = X_test[name].cat.set_categories(levels)
    return X[:rows], y[:rows], X_test, y_test


def fit(job: dict[str, Any], data: Data) -> dict[str, Any]:
    """Seconds, memory beyond X, the score, and the one out of the bag."""
    X, y, X_test, y_test = data
    kind, trees, threads = job["kind"], job["trees"], job["threads"]
    sizes = {"fitted": len(y), "tested": len(y_test)}
    if job["library"] == "ranger":
        return ranger(kind, trees, threads, data) | sizes
    make = LIBRARIES[job["library"]]

    def grow(**settings: Any) -> Any:
        model = make(kind, trees, threads, **settings)
        model.fit(X, y)
        return model

    warm_up(make, job, data)
    forget_peak()
    before = memory("VmRSS")
    start = time.perf_counter()
    model = grow()
    times = [time.perf_counter() - start]
    result: dict[str, Any] = {"peak": memory("VmHWM") - before}
    result["score"] = score(False, y_test, model.predict(X_test, threads))
    if kind != "boost" and hasattr(model, "bytes_per_node"):
        result["node"] = model.bytes_per_node()
    if job["oob"] and job["library"] in {"bosco", "scikit-learn"}:
        result["oob"] = float(grow(oob_score=True).model.oob_score_)
    if times[0] <= SLOW:
        times += repeat(grow, job["runs"] - 1)
    return {**result, **sizes, **medians({"fit": times})}


def warm_up(make: Any, job: dict[str, Any], data: Data) -> None:
    """What is loaded or started on first use is not the trees' cost."""
    model = make(job["kind"], 2, job["threads"])
    model.fit(data[0][:500], data[1][:500])
    model.predict(data[2][:500], job["threads"])
    del model
    gc.collect()


def predict(job: dict[str, Any], data: Data) -> dict[str, Any]:
    """Seconds for all rows of the set, by number of threads."""
    X, y, X_test, y_test = data
    make = LIBRARIES[job["library"]]
    warm_up(make, job, data)
    model = make(job["kind"], job["trees"], job["threads"])
    model.fit(X, y)
    many = sets.load(job["set"]).X[: job["ask"]]
    times = {
        f"predict {threads}": repeat(partial(model.predict, many, threads), job["runs"])
        for threads in (1, job["threads"])
    }
    right = score(False, y_test, model.predict(X_test, job["threads"]))
    return {**medians(times), "score": right}


def one_row(job: dict[str, Any], data: Data) -> dict[str, Any]:
    """Seconds that the prediction of one row takes through the Python interface."""
    X, y, X_test, _ = data
    library, one = job["library"], np.ascontiguousarray(X_test[:1])
    if job["kind"] == "tree":
        grower = "scikit-learn" if library == "onnxruntime" else library
        model = LEARNERS[grower](False, 1)
        model.fit(X, y)
        ask: Callable[[Any], Any] = model.predict
    else:
        forest = LIBRARIES["scikit-learn" if library == "onnxruntime" else library](
            job["kind"], job["trees"], 1
        )
        forest.fit(X, y)
        model = forest.model
        ask = model.predict if hasattr(model, "get_params") else partial(forest.predict, threads=1)
    if library == "onnxruntime":
        session = OnnxRuntime(model.model if job["kind"] == "tree" else model)
        session.use(1)
        ask = session.predict
    for _ in range(20):
        ask(one)
    times = []
    for _ in range(2000):
        start = time.perf_counter()
        ask(one)
        times.append(time.perf_counter() - start)
        if sum(times) > 5:
            break
    return {"row": statistics.median(times), "runs": len(times)}


def contributions(job: dict[str, Any], data: Data) -> dict[str, Any]:
    """Seconds for what each column added to each of many predictions, on one thread."""
    X, y, _, _ = data
    rows, library, shape = X[: job["ask"]], job["library"], {"max_leaf_nodes": job["leaves"]}
    grower = LIBRARIES["bosco" if library == "bosco" else "scikit-learn"]
    forest = grower(job["kind"], job["trees"], job["threads"], **shape)
    forest.fit(X, y)
    if library == "bosco":
        explain: Callable[[Any], Any] = partial(forest.model.model_.contributions, n_jobs=1)
    elif library == "shap":
        import shap

        explain = partial(shap.TreeExplainer(forest.model).shap_values, check_additivity=False)
    else:
        import fasttreeshap

        explainer = fasttreeshap.TreeExplainer(forest.model, algorithm="v2", n_jobs=1)
        explain = partial(explainer.shap_values, check_additivity=False)
    explain(rows[:10])
    return medians({"explain": repeat(partial(explain, rows), job["runs"])})


ACTS: dict[str, Callable[[dict[str, Any], Data], dict[str, Any]]] = {
    "fit": fit,
    "predict": predict,
    "row": one_row,
    "explain": contributions,
}


def main() -> None:
    job = json.loads(sys.argv[1])
    try:
        found = ACTS[job["act"]](job, load(job["set"], job["rows"]))
    except LackError as lack:
        found = {"skipped": str(lack)}
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main()
