"""Tuned small trees beside each other: ``python -m bench.tuned [--only SET …] [--print]``.

Ten-fold cross-validation; inside every fold, each learner's own two settings are chosen by
cross-validation on the rows it learns from, with equal care: the best small tree (depth, price of
a leaf), CART (depth, price of a leaf), C4.5 as bosco grows it, and J48 of Weka (confidence of
pruning, rows of a leaf). The same folds for all. J48 runs where Java has Weka (Debian's package
``weka``, or the file that ``BENCH_WEKA`` names). Every fold is kept in
``bench/results/tuned.json`` as soon as it is done: a run that was cut short goes on where it
ended.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bench.polish import table_of
from bench.run import HERE, keep
from bosco import DecisionTreeClassifier
from bosco.figures.intervals import corrected_interval
from bosco.pruning import Pessimistic

KEPT = HERE / "results" / "tuned.json"
FOLDS, INNER = 10, 3
OTHERS = ("CART", "C4.5", "J48")
SETS = (
    "iris", "zoo", "wine", "glass", "sonar", "breast_cancer", "heart", "vote", "wdbc",
    "credit_approval", "soybean", "vehicle", "raisin", "credit_g", "bank", "car", "segment",
    "splice", "hypothyroid", "rice", "spambase", "wilt",
)  # fmt: skip
PRICES = (0.0, 0.002, 0.005, 0.01, 0.02)
WORK = 300_000_000
"""Entries that each search looks at at most; on the largest sets that ends some of depth 3."""


def grids(rows: int, cells: int) -> dict[str, list[dict[str, Any]]]:
    """What each learner of bosco chooses from, the simplest first."""
    depths = (2, 3, 4) if cells < 2_000 else (2, 3)
    best = [
        {"algorithm": "optimal", "max_depth": d, "alpha": price * rows, "work_limit": WORK}
        for d in depths
        for price in reversed(PRICES)
    ]
    cart = [
        {"max_depth": d, "ccp_alpha": price / 2}
        for d in (2, 3, 4, 6, 8, None)
        for price in reversed(PRICES)
    ]
    c45 = [
        {"algorithm": "c45", "pruning": Pessimistic(confidence=sure), "min_samples_leaf": least}
        for sure in (0.01, 0.05, 0.15, 0.25, 0.45)
        for least in (10, 5, 2)
    ]
    return {"optimal": best, "CART": cart, "C4.5": c45}


def tuned(X: Any, y: np.ndarray, grid: list[dict[str, Any]], seed: int) -> DecisionTreeClassifier:
    """A tree of all rows by the settings that are best in inner folds; of equals the first."""
    sums = np.zeros(len(grid))
    for train, test in StratifiedKFold(INNER, shuffle=True, random_state=seed).split(X, y):
        for i, settings in enumerate(grid):
            tree = DecisionTreeClassifier(record=False, fingerprint=False, **settings)
            sums[i] += tree.fit(X.iloc[train], y[train]).score(X.iloc[test], y[test])
    return DecisionTreeClassifier(**grid[int(np.argmax(sums.round(9)))]).fit(X, y)


def weka() -> str | None:
    """Where Weka is, if it is."""
    places = (os.environ.get("BENCH_WEKA", ""), "/usr/share/java/weka.jar")
    return next((place for place in places if place and Path(place).exists()), None)


def write_arff(path: Path, X: Any, y: np.ndarray, rows: np.ndarray) -> None:
    """Some rows as Weka reads them; levels and classes are those of all rows."""
    lines = ["@relation rows"]
    cells = []
    for j, name in enumerate(X):
        column = X[name]
        if column.dtype == "category":
            codes = column.cat.codes.to_numpy()[rows]
            levels = ",".join(f"l{i}" for i in range(len(column.cat.categories)))
            lines.append(f"@attribute a{j} {{{levels}}}")
            cells.append(["?" if code < 0 else f"l{code}" for code in codes])
        else:
            lines.append(f"@attribute a{j} numeric")
            values = column.to_numpy(float)[rows]
            cells.append(["?" if np.isnan(v) else repr(float(v)) for v in values])
    lines.append(f"@attribute class {{{','.join(f'c{c}' for c in range(int(y.max()) + 1))}}}")
    lines.append("@data")
    cells.append([f"c{c}" for c in y[rows]])
    lines += [",".join(row) for row in zip(*cells, strict=True)]
    path.write_text("\n".join(lines) + "\n")


def j48(X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, seed: int) -> tuple[float, int]:
    """Accuracy and leaves of Weka's J48, tuned by Weka's own inner cross-validation."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [Path(folder) / "train.arff", Path(folder) / "test.arff"]
        for part, rows in zip(parts, (train, test), strict=True):
            write_arff(part, X, y, rows)
        call = ["java", "-cp", weka() or "", "weka.classifiers.meta.CVParameterSelection"]
        call += ["-t", str(parts[0]), "-T", str(parts[1]), "-S", str(seed), "-X", str(INNER)]
        call += ["-P", "M 2 10 3", "-P", "C 0.05 0.45 5", "-W", "weka.classifiers.trees.J48"]
        said = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    on_test = said[said.index("Error on test data") :]
    right = re.search(r"Correctly Classified Instances\s+(\d+)", on_test)
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", said)
    assert right is not None, said
    assert leaves is not None, said
    return int(right.group(1)) / len(test), int(leaves.group(1))


def measure(name: str, kept: dict[str, Any]) -> None:
    """Every fold of a set that is not kept yet."""
    X, y = table_of(name)
    names = ["optimal", "CART", "C4.5"] + (["J48"] if weka() else [])
    outer = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(outer.split(X, y)):
        own = kept.setdefault(name, {"rows": len(y), "columns": X.shape[1]})
        grid = grids(len(train), X.size)
        for who in names:
            done = own.setdefault(who, {"accuracy": [], "leaves": [], "seconds": []})
            if len(done["accuracy"]) > fold:
                continue
            start = time.perf_counter()
            if who == "J48":
                accuracy, leaves = j48(X, y, train, test, fold)
            else:
                tree = tuned(X.iloc[train], y[train], grid[who], fold)
                accuracy = float(tree.score(X.iloc[test], y[test]))
                leaves = tree.get_n_leaves()
            done["accuracy"].append(accuracy)
            done["leaves"].append(leaves)
            done["seconds"].append(round(time.perf_counter() - start, 2))
            keep(KEPT, kept)


def against(own: list[float], other: list[float]) -> str:
    """The mean difference in points, with its 95 % interval, corrected for folds that overlap."""
    points = 100 * (np.asarray(own) - np.asarray(other))
    low, high = corrected_interval(points, 1 / (FOLDS - 1))
    return f"{points.mean():+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")


def lines(kept: dict[str, Any]) -> list[str]:
    """A line of a table for every set of which all folds are there; docs/optimal.md shows them."""
    others = [o for o in OTHERS if any(o in own for own in kept.values())]
    leaves = ", ".join(("optimal", *others))
    beside = " | ".join(f"beside {o}" for o in others)
    table = [f"| set | rows | optimal | {beside} | leaves: {leaves} |"]
    table.append("|---|---|---|" + "---|" * (len(others) + 1))
    for name, own, there in complete(kept):
        best = own["optimal"]["accuracy"]
        cells = [name, f"{own['rows']:,}", f"{100 * np.mean(best):.1f}"]
        cells += [against(best, own[o]["accuracy"]) if o in there else "" for o in others]
        cells.append(", ".join(f"{np.mean(own[o]['leaves']):.1f}" for o in there))
        table.append(f"| {' | '.join(cells)} |")
    return table


def complete(kept: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """The sets of which all folds are there, and for which learners."""
    for name in SETS:
        own = kept.get(name, {})
        there = [o for o in ("optimal", *OTHERS) if len(own.get(o, {}).get("leaves", ())) == FOLDS]
        if "optimal" in there:
            yield name, own, there


def means(kept: dict[str, Any]) -> list[str]:
    """What the sets say together."""
    said = []
    for other in OTHERS:
        gains = [
            100 * float(np.mean(own["optimal"]["accuracy"]) - np.mean(own[other]["accuracy"]))
            for _, own, there in complete(kept)
            if other in there
        ]
        if gains:
            up, down = (sum(sign * g > 0.05 for g in gains) for sign in (1, -1))
            said.append(f"beside {other}: {np.mean(gains):+.2f} points, {up} up, {down} down")
    return said


def main() -> None:
    """Measure what is not kept yet, and print what is."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", nargs="*", default=[])
    arguments.add_argument("--print", action="store_true", help="what is kept, and no more")
    how = arguments.parse_args()
    warnings.simplefilter("ignore")
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for name in [] if how.print else [s for s in SETS if s in (how.only or SETS)]:
        measure(name, kept)
    print("\n".join([*lines(kept), *means(kept)]))


if __name__ == "__main__":
    main()
