"""What looking ahead and polishing are worth: ``python -m bench.polish [SET …]``.

Accuracy of trees of eight leaves (``max_leaf_nodes=8, min_samples_leaf=5``) as they are grown,
with ``lookahead=2``, with ``polish=True`` and with both, on the same folds; the errors that
polishing saved in training; and what each takes, in times of growing alone. Sixteen sets of
``../shared/data``, then those on which nothing was chosen. Of larger sets `MOST_ROWS` rows, drawn
once.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bench.optimal import NUMERIC, rows_of
from bench.quality import load
from bosco import DecisionTreeClassifier

LEAVES, FOLDS, REPEATS, MOST_ROWS = 8, 10, 2, 5000
SETS = (
    "iris", "wine", "glass", "sonar", "wdbc", "vehicle", "segment", "heart", "credit_approval",
    "credit_g", "hypothyroid", "vote", "breast_cancer", "car", "splice", "spambase",
)  # fmt: skip
HELD_OUT = (
    "bank", "magic", "raisin", "rice", "wilt", "satimage", "mushroom", "soybean", "zoo", "nursery",
    "electricity", "adult_train", "letter",
)  # fmt: skip
WAYS: dict[str, dict[str, Any]] = {
    "grown": {},
    "lookahead": {"lookahead": 2},
    "polish": {"polish": True},
    "both": {"lookahead": 2, "polish": True},
}


def table_of(name: str) -> tuple[Any, np.ndarray]:
    """Some rows of a set, and their classes."""
    if name in (*NUMERIC, "heart"):
        X, y = rows_of(name)
    else:
        table = load(name)
        X, y = table.X, table.y
    if len(y) > MOST_ROWS:
        some = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y = X.iloc[some], y[some]
    return X, np.unique(y, return_inverse=True)[1]


def compared(name: str) -> tuple[dict[str, list[float]], dict[str, float], float]:
    """Accuracy in percent by fold and way, seconds of all fits, and errors saved in training."""
    X, y = table_of(name)
    scores: dict[str, list[float]] = {way: [] for way in WAYS}
    seconds = dict.fromkeys(WAYS, 0.0)
    saved = 0.0
    for repeat in range(REPEATS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
        for train, test in folds.split(X, y):
            here, there = X.iloc[train], X.iloc[test]
            for way, how in WAYS.items():
                tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES, min_samples_leaf=5, **how)
                start = time.process_time()
                tree.fit(here, y[train])
                seconds[way] += time.process_time() - start
                scores[way].append(100 * tree.score(there, y[test]))
                if way == "polish":
                    known = tree.model_.polished
                    saved += known.before - known.after
    return scores, seconds, saved / (FOLDS * REPEATS)


def main(names: tuple[str, ...]) -> None:
    """Print a line for every set, and the means."""
    warnings.simplefilter("ignore")
    for title, some in (("The sixteen", SETS), ("Held out", HELD_OUT)):
        gains: dict[str, list[float]] = {way: [] for way in WAYS if way != "grown"}
        times: dict[str, list[float]] = {way: [] for way in gains}
        print(f"\n{title}\n\n| set | grown | {' | '.join(gains)} | saved | times |")
        print("|---|---|" + "---|" * (len(gains) + 2))
        for name in some:
            if names and name not in names:
                continue
            scores, seconds, saved = compared(name)
            line = f"| {name} | {np.mean(scores['grown']):.1f} |"
            for way in gains:
                gain = np.mean(scores[way]) - np.mean(scores["grown"])
                gains[way].append(float(gain))
                times[way].append(seconds[way] / seconds["grown"])
                line += f" {gain:+.1f} |"
            ratios = ", ".join(f"{times[way][-1]:.1f}" for way in gains)
            print(f"{line} {saved:.1f} | {ratios} |", flush=True)
        for way in gains:
            if gains[way]:
                up, down = (sum(sign * g > 0.05 for g in gains[way]) for sign in (1, -1))
                print(
                    f"{way}: {np.mean(gains[way]):+.2f} points, {up} up, {down} down, "
                    f"{np.exp(np.mean(np.log(times[way]))):.1f} times growing"
                )


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
