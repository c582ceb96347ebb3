"""Tuned small trees beside each other: ``python -m bench.tuned [--only SET …] [--print]``.

Ten-fold cross-validation; inside every fold, each learner's own two settings are chosen by
cross-validation on the rows it learns from, with equal care. The same folds for all:

* trees of at most four levels: the best one (``optimal``: depth, price of a leaf), and CART so
  (``CART to 4``);
* trees of any size: CART (depth, price of a leaf), C4.5 as bosco grows it, J48 of Weka (confidence
  of pruning, rows of a leaf), and CART's best-first trees made better as a whole (``polished``:
  leaves, rows of a leaf).

J48 runs where Java has Weka (Debian's package ``weka``, or the file that ``BENCH_WEKA`` names).
Every fold is kept in ``bench/results/tuned.json`` as soon as it is done: a run that was cut short
goes on where it ended, and runs of several sets may go side by side. *Stability*: on how many of up
to 200 drawn rows the trees of two folds say the same, a mean over all pairs of folds.
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
from itertools import combinations
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
FOLDS, INNER, DRAWN = 10, 3, 200
SETS = (
    "iris", "zoo", "wine", "glass", "sonar", "breast_cancer", "heart", "vote", "monks1_test",
    "monks2_test", "monks3_test", "wdbc", "credit_approval", "soybean", "vehicle", "raisin",
    "credit_g", "bank", "car", "segment", "splice", "hypothyroid", "rice", "spambase", "wilt",
)  # fmt: skip
PRICES = (0.02, 0.01, 0.005, 0.002, 0.0)
WORK = 300_000_000
"""Entries that each search looks at at most, which ends most of depth 4."""
BESIDE = {
    "optimal": ("CART to 4", "CART", "C4.5", "J48"),
    "polished": ("CART", "C4.5", "J48"),
}
"""Whose trees are compared with whose."""


def grids(rows: int) -> dict[str, list[dict[str, Any]]]:
    """What each learner of bosco chooses from, the simplest first."""
    best = [
        {"algorithm": "optimal", "max_depth": d, "alpha": price * rows, "work_limit": WORK}
        for d in (2, 3, 4)
        for price in PRICES
    ]
    cart = [
        {"max_depth": d, "ccp_alpha": price / 2} for d in (2, 3, 4, 6, 8, None) for price in PRICES
    ]
    c45 = [
        {"algorithm": "c45", "pruning": Pessimistic(confidence=sure), "min_samples_leaf": least}
        for sure in (0.01, 0.05, 0.15, 0.25, 0.45)
        for least in (10, 5, 2)
    ]
    polished = [
        {"max_leaf_nodes": leaves, "min_samples_leaf": least, "polish": True}
        for leaves in (4, 8, 16, 32, 64)
        for least in (10, 5, 2)
    ]
    return {
        "optimal": best,
        "CART to 4": cart[: 3 * len(PRICES)],
        "CART": cart,
        "C4.5": c45,
        "polished": polished,
    }


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


def j48(X: Any, y: np.ndarray, train: np.ndarray, seed: int) -> tuple[np.ndarray, int]:
    """What Weka's J48, tuned by Weka's own inner cross-validation, says of all rows; its leaves."""
    with tempfile.TemporaryDirectory() as folder:
        learned, every, model = (str(Path(folder) / name) for name in ("a.arff", "b.arff", "model"))
        write_arff(Path(learned), X, y, train)
        write_arff(Path(every), X, y, np.arange(len(y)))
        call = ["java", "-cp", weka() or "", "weka.classifiers.meta.CVParameterSelection"]

        def answer(*more: str) -> str:
            return subprocess.run([*call, *more], capture_output=True, text=True, check=True).stdout

        grid = ("-P", "M 2 10 3", "-P", "C 0.05 0.45 5", "-W", "weka.classifiers.trees.J48")
        tuning = ("-S", str(seed), "-X", str(INNER), *grid)
        said = answer("-t", learned, "-no-cv", "-d", model, *tuning)
        rows = answer("-l", model, "-T", every, "-p", "0")
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", said)
    answers = re.findall(r"^\s*\d+\s+\d+:\S+\s+(\d+):", rows, re.MULTILINE)
    assert leaves is not None, said
    assert len(answers) == len(y), rows[:500]
    return np.array(answers, int) - 1, int(leaves.group(1))


def measure(name: str) -> None:
    """Every fold of a set that is not kept yet."""
    X, y = table_of(name)
    drawn = np.sort(np.random.default_rng(0).permutation(len(y))[:DRAWN])
    outer = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    own = read().get(name, {"rows": len(y), "columns": X.shape[1]})
    for fold, (train, test) in enumerate(outer.split(X, y)):
        grid = grids(len(train))
        for who in (*grid, *(["J48"] if weka() else [])):
            done = own.setdefault(who, {"accuracy": [], "leaves": [], "seconds": [], "said": []})
            if len(done["accuracy"]) > fold:
                continue
            start = time.perf_counter()
            if who == "J48":
                said, leaves = j48(X, y, train, fold)
            else:
                tree = tuned(X.iloc[train], y[train], grid[who], fold)
                said, leaves = tree.predict(X), tree.get_n_leaves()
            done["seconds"].append(round(time.perf_counter() - start, 2))
            done["accuracy"].append(float(np.mean(said[test] == y[test])))
            done["leaves"].append(leaves)
            done["said"].append("".join(chr(65 + int(code)) for code in said[drawn]))
            keep(KEPT, read() | {name: own})


def read() -> dict[str, Any]:
    """What is kept."""
    found: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return found


def against(own: list[float], other: list[float]) -> str:
    """The mean difference in points, with its 95 % interval, corrected for folds that overlap."""
    points = 100 * (np.asarray(own) - np.asarray(other))
    low, high = corrected_interval(points, 1 / (FOLDS - 1))
    return f"{points.mean():+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")


def stability(said: list[str]) -> float:
    """On which share of the drawn rows the trees of two folds say the same."""
    answers = [np.frombuffer(one.encode(), np.uint8) for one in said]
    return float(np.mean([np.mean(a == b) for a, b in combinations(answers, 2)]))


def complete(kept: dict[str, Any], who: str) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """The sets of which all folds are there, and beside which learners."""
    for name in SETS:
        own = kept.get(name, {})
        others = [o for o in BESIDE[who] if len(own.get(o, {}).get("leaves", ())) == FOLDS]
        if len(own.get(who, {}).get("leaves", ())) == FOLDS:
            yield name, own, others


def lines(kept: dict[str, Any], who: str) -> list[str]:
    """A line for every set of which all folds are there; docs/optimal.md shows them."""
    beside = " | ".join(f"beside {o}" for o in BESIDE[who])
    all_of = ", ".join((who, *BESIDE[who]))
    table = [f"| set | rows | {who} | {beside} | leaves: {all_of} | stability |"]
    table.append("|---|---|---|" + "---|" * (len(BESIDE[who]) + 2))
    for name, own, others in complete(kept, who):
        best = own[who]["accuracy"]
        cells = [name, f"{own['rows']:,}", f"{100 * np.mean(best):.1f}"]
        cells += [against(best, own[o]["accuracy"]) if o in others else "" for o in BESIDE[who]]
        cells.append(", ".join(f"{np.mean(own[o]['leaves']):.1f}" for o in (who, *others)))
        cells.append(", ".join(f"{100 * stability(own[o]['said']):.0f}" for o in (who, *others)))
        table.append(f"| {' | '.join(cells)} |")
    return table


def means(kept: dict[str, Any], who: str) -> list[str]:
    """What the sets say together."""
    said = []
    for other in BESIDE[who]:
        pairs = [(own[who], own[other]) for _, own, there in complete(kept, who) if other in there]
        if not pairs:
            continue
        gains = [100 * float(np.mean(a["accuracy"]) - np.mean(b["accuracy"])) for a, b in pairs]
        up, down = (sum(sign * g > 0.05 for g in gains) for sign in (1, -1))
        fewer = sum(np.mean(a["leaves"]) < np.mean(b["leaves"]) for a, b in pairs)
        steady = np.mean([stability(a["said"]) - stability(b["said"]) for a, b in pairs])
        said.append(
            f"{who} beside {other}, {len(pairs)} sets: {np.mean(gains):+.2f} points in the mean, "
            f"{up} up, {down} down; fewer leaves on {fewer}; stability {100 * steady:+.1f}"
        )
    return said


def main() -> None:
    """Measure what is not kept yet, and print what is."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", nargs="*", default=[])
    arguments.add_argument("--print", action="store_true", help="what is kept, and no more")
    how = arguments.parse_args()
    warnings.simplefilter("ignore")
    for name in [] if how.print else [s for s in SETS if s in (how.only or SETS)]:
        measure(name)
    for who in BESIDE:
        print("\n".join([*lines(read(), who), "", *means(read(), who), ""]))


if __name__ == "__main__":
    main()
