"""One library on one set, alone in its process: ``python -m bench.worker '<job as JSON>'``.

Prints, as its last line, the times of fitting and predicting in seconds, the score on rows held out
(accuracy or R²), and how far memory grew during the first fit.
"""

import contextlib
import gc
import json
import pickle
import resource
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench import sets
from bench.learners import LEARNERS, OnnxRuntime

SLOW = 10.0  # seconds; what takes longer runs once
QUICK = 0.5  # seconds; what is quick is repeated for at least so long
STATUS = Path("/proc/self/status")


def repeat(act: Callable[[], Any], runs: int) -> list[float]:
    times: list[float] = []
    while len(times) < runs or (sum(times) < QUICK and len(times) < 200):
        gc.collect()
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
        if times[0] > SLOW:
            break
    return times


def medians(times: dict[str, list[float]]) -> dict[str, Any]:
    """What was done so often, in a run or in several: the times, their medians, and how many."""
    found: dict[str, Any] = {"times": times, "runs": min(map(len, times.values()))}
    for key, list_ in times.items():
        act, _, threads = key.partition(" ")
        median = statistics.median(list_)
        if threads:  # "predict 2"
            found.setdefault(act, {})[threads] = median
        else:
            found[act] = median
    return found


def memory(field: str) -> int:
    """Bytes of the process now (VmRSS) or at most since it was last asked to forget (VmHWM)."""
    if not STATUS.exists():  # not Linux: the most ever
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    line = next(r for r in STATUS.read_text().splitlines() if r.startswith(field))
    return int(line.split()[1]) * 1024


def forget_peak() -> None:
    # Where that is not allowed the peak includes the loading of the data: still an upper bound.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def score(real: bool, y: np.ndarray, guess: np.ndarray) -> float:
    if real:
        return 1 - float(np.mean((y - guess) ** 2) / np.var(y))
    return float(np.mean(y == guess))


def fit(job: dict[str, Any]) -> dict[str, Any]:
    data = sets.load(job["set"], job["rows"])
    X, y = data.train
    real = y.dtype.kind == "f"
    library, threads, runs = job["library"], job["threads"], job["runs"]

    def grow(X: Any = X, y: np.ndarray = y) -> Any:
        model = LEARNERS[library](real, threads, **job["settings"])
        model.fit(X, y)
        return model

    grow(X[:200], y[:200])  # what is loaded or started on first use is not the tree's cost
    gc.collect()
    forget_peak()
    before = memory("VmRSS")
    start = time.perf_counter()
    model = grow()
    first = time.perf_counter() - start
    result: dict[str, Any] = {"peak": memory("VmHWM") - before, "cells": X.shape[0] * X.shape[1]}
    X_test, y_test = data.test
    if len(y_test):
        result["score"] = score(real, y_test, model.predict(X_test))
    if job["predict"]:
        result["predict"] = {}
        for n in job["predict"]:
            if library == "bosco":
                model.set_params(n_jobs=n)
            times = repeat(partial(model.predict, data.X), runs)
            result["predict"][str(n)] = statistics.median(times)
        if library == "scikit-learn":
            (Path(job["scratch"]) / OnnxRuntime.grown).write_bytes(pickle.dumps(model.model))
    del model
    times = [first] if first > SLOW else [first, *repeat(grow, runs - 1)]
    return {**result, "fit": statistics.median(times), "runs": len(times)}


def predict(job: dict[str, Any]) -> dict[str, Any]:
    """Time onnxruntime, which only predicts."""
    data = sets.load(job["set"], job["rows"])
    model = OnnxRuntime(pickle.loads((Path(job["scratch"]) / OnnxRuntime.grown).read_bytes()))
    result = {}
    for n in job["predict"]:
        model.use(n)
        model.predict(data.X[:200])
        result[str(n)] = statistics.median(repeat(partial(model.predict, data.X), job["runs"]))
    X_test, y_test = data.test
    return {"predict": result, "score": score(False, y_test, model.predict(X_test))}


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    print("\n" + json.dumps((predict if job["library"] == "onnxruntime" else fit)(job)))
