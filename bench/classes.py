"""Many classes, beside scikit-learn: ``python -m bench.classes [--rows 60000] [--columns 20]``.

Default settings, one thread, each fit alone in its process, the two by turns; times are medians of
processor time, since machines are busy. The aim: at most scikit-learn's time for any number of
classes. A line that misses it is marked, and the exit code says so.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np

CLASSES = (2, 30, 300, 3_000, 10_000)
LIBRARIES = ("bosco", "scikit-learn")
TARGETS = ("noise", "clusters")


def make(target: str, classes: int, rows: int, columns: int) -> tuple[Any, Any]:
    """Return X, y: classes drawn blindly, or each around a middle of its own."""
    random = np.random.default_rng(0)
    y = random.integers(0, classes, rows)
    x = random.normal(size=(rows, columns))
    if target == "clusters":
        x += 2 * random.normal(size=(classes, columns))[y]
    return x, y


def fit(library: str, target: str, classes: int, rows: int, columns: int) -> dict[str, float]:
    """Time one fit, and say how far memory grew."""
    from sklearn.tree import DecisionTreeClassifier as Theirs

    from bosco import DecisionTreeClassifier as Ours

    x, y = make(target, classes, rows, columns)
    learner = Ours(n_jobs=1) if library == "bosco" else Theirs(random_state=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are many classes
        learner.fit(x, y)
    taken = time.process_time() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": taken, "megabytes": grown / 1024, "nodes": int(learner.tree_.node_count)}


def run(library: str, *case: Any) -> dict[str, float]:
    """Do the same in a process of its own."""
    command = [sys.executable, "-m", "bench.classes", "--job", json.dumps([library, *case])]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def main() -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.classes")
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        print(json.dumps(fit(*json.loads(given.job))))
        return 0
    missed = 0
    print(f"{given.rows} rows, {given.columns} columns")
    print(
        "target    classes   nodes   bosco s  sklearn s  ratio   bosco MB  sklearn MB", flush=True
    )
    for target in TARGETS:
        for classes in given.classes:
            case = (target, classes, given.rows, given.columns)
            turns: list[list[dict[str, float]]] = []
            while len(turns) < given.runs:
                turns.append([run(library, *case) for library in LIBRARIES])
                if turns[-1][1]["seconds"] > 20:
                    break  # what is slow runs once
            ours, theirs = (
                {k: statistics.median(turn[i][k] for turn in turns) for k in turns[0][0]}
                for i in range(2)
            )
            ratio = ours["seconds"] / theirs["seconds"]
            missed += ratio > 1
            print(
                f"{target:<9} {classes:>7} {ours['nodes']:>7.0f} {ours['seconds']:>9.2f} "
                f"{theirs['seconds']:>10.2f} {ratio:>6.2f} {ours['megabytes']:>10.0f} "
                f"{theirs['megabytes']:>11.0f}{'  missed' if ratio > 1 else ''}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
