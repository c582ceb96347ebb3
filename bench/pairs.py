"""What tests on two columns are worth to a tree of eight leaves: ``python -m bench.pairs [SET …]``.

``python -m bench.pairs optimal [SET …]``: to the best tree with three levels of tests.

Accuracy with ``numeric_test="threshold"`` and with ``"pairs"``, in the same folds,
of the sets of ``../shared/data`` that have two columns of numbers or more. The table in
docs/algorithms.md is what it prints.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bench.quality import load
from bosco import DecisionTreeClassifier

LEAVES, FOLDS, REPEATS = 8, 10, 2
SETS = (
    "iris", "wine", "glass", "sonar", "wdbc", "vehicle", "segment", "heart_cleveland",
    "credit_approval", "credit_g", "hypothyroid",
)  # fmt: skip
MOST_ROWS = 3000
"""Of larger sets so many rows, drawn once: every pair is looked at at every node."""


HOW: dict[str, dict[str, Any]] = {
    "grown": {"max_leaf_nodes": LEAVES, "min_samples_leaf": 5},
    "optimal": {"algorithm": "optimal", "max_depth": 3, "work_limit": 1_000_000_000},
}


def compared(name: str, how: str = "grown") -> tuple[Any, ...]:
    """Scores of both in percent, by fold; the share of tests on pairs; seconds a fit."""
    table = load(name)
    X, y = table.X, table.y
    if len(y) > MOST_ROWS:
        some = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y = X.iloc[some], y[some]
    scores: dict[str, list[float]] = {"threshold": [], "pairs": []}
    asked, inner, seconds = 0, 0, 0.0
    for repeat in range(REPEATS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
        for train, test in folds.split(X, y):
            for test_kind, found in scores.items():
                tree = DecisionTreeClassifier(numeric_test=test_kind, **HOW[how])
                start = time.perf_counter()
                tree.fit(X.iloc[train], y[train])
                if test_kind == "pairs":
                    seconds += time.perf_counter() - start
                found.append(100 * tree.score(X.iloc[test], y[test]))
            columns = tree.model_.schema.columns
            tests = tree.tree_.native.tests.column.tolist()
            asked += sum(columns[j].formula is not None for j in tests)
            inner += len(tests)
    numbers = int((X.dtypes != "category").sum())
    return scores["threshold"], scores["pairs"], asked / inner, seconds / (FOLDS * REPEATS), numbers


def main(names: tuple[str, ...], how: str) -> None:
    """Print a line for every set, and the means."""
    warnings.simplefilter("ignore")
    gains = []
    print(
        "| set | columns of numbers | one column | pairs | difference | tests on pairs | s a fit |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in names:
        one, two, share, seconds, numbers = compared(name, how)
        gains.append(float(np.mean(two) - np.mean(one)))
        print(
            f"| {name} | {numbers} | {np.mean(one):.1f} | {np.mean(two):.1f} | {gains[-1]:+.1f} "
            f"| {100 * share:.0f} % | {seconds:.1f} |",
            flush=True,
        )
    print(f"| mean | | | | {np.mean(gains):+.1f} | | |")


if __name__ == "__main__":
    asked = sys.argv[1:]
    kind = asked.pop(0) if asked[:1] == ["optimal"] else "grown"
    main(tuple(asked) or SETS, kind)
