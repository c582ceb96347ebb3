"""``c45`` and Weka's J48 node by node: ``python -m bench.twins``.

What J48 does differently by design is evened out first: thresholds are moved down to a value of the
training set, tied leaves take any class, and columns are scaled so that no two values are within
J48's tolerance of 0.00001.
"""

import difflib
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from bench.judges import DATA, WEKA, read, to_arff, weka
from bosco import DecisionTreeClassifier
from bosco.conditions import Interval
from bosco.model import Model

SETS = ["golf", "play_tennis", "contact_lenses", "vote", "iris", "glass", "car", "credit_g"]
FINE = 1000.0  # numbers are multiplied by this


def our_lines(model: Model, X: pd.DataFrame) -> list[str]:
    """Our tree in J48's words."""
    lines = []
    stack = [(0, -1)]
    words: dict[int, str] = {}
    while stack:
        node, depth = stack.pop()
        test = model.tree.test(node)
        if node:
            tally = model.tree.native.tally[node]
            tied = tally.max() > 0 and np.count_nonzero(tally == tally.max()) > 1
            label = "?" if tied else model.classes[model.node_class[node]]  # type: ignore[index]
            lines.append("|   " * depth + words[node] + ("" if test else f": {label}"))
        if test is None:
            continue
        name = model.schema.columns[test.column].name
        for branch, child in zip(test.branches, model.tree.children(node), strict=True):
            if isinstance(branch, Interval):
                sign, cut = ("<=", branch.high) if branch.high is not None else (">", branch.low)
                words[child] = f"{name} {sign} {X[name][X[name] <= cut].max():.10g}"
            else:
                level = model.schema.columns[test.column].levels[branch.codes[0] - 1]  # type: ignore[index]
                words[child] = f"{name} = {level}"
        stack += [(child, depth + 1) for child in reversed(model.tree.children(node))]
    return lines


def their_lines(said: str) -> list[str]:
    """J48's tree, tied leaves marked."""
    body = said[said.index("------------------") + 18 : said.index("Number of Leaves")]
    lines = []
    for line in body.strip().splitlines():
        counts = re.search(r" \(([\d.]+)(?:/([\d.]+))?\)$", line)
        line = re.sub(r" \([\d./]+\)$", "", line).replace("'", "")
        if counts and counts[2] and 2 * float(counts[2]) >= float(counts[1]):
            line = line[: line.rindex(":")] + ": ?"
        lines.append(line)
    return lines


def main() -> None:
    """Compare on every set; rows with missing values are left out."""
    if not (DATA.exists() and shutil.which("java") and WEKA.exists()):
        print(f"needs the sets in {DATA}, java, and Weka as {WEKA}")
        return
    for name in SETS:
        X, y = read(name)
        complete = X.notna().all(axis=1)
        X, y = X[complete].copy(), y[complete]
        numbers = X.select_dtypes(float).columns
        X[numbers] *= FINE
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            to_arff(X, y, folder / "train.arff")
            to_arff(X, y, folder / "test.arff")
            theirs = their_lines(weka(folder, "-M", "2", "-C", "0.25"))
        model = DecisionTreeClassifier(algorithm="c45").fit(X, y).model_
        ours = [line.replace("'", "") for line in our_lines(model, X)]
        same = [line.split() for line in ours] == [line.split() for line in theirs]
        print(f"{name:<16}{len(ours):>5} lines  {'the same' if same else 'different'}")
        if not same:
            print("\n".join(difflib.unified_diff(theirs, ours, "J48", "c45", n=1, lineterm="")))


if __name__ == "__main__":
    main()
