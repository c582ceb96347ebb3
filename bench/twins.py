"""``c45`` and Weka's J48 node by node: ``python -m bench.twins``.

What J48 does differently by design is evened out first: thresholds are moved down to a value of the
training set, leaves where classes are tied (or an empty leaf's parent's are) take any class, and
columns are scaled so that no two values are within J48's tolerance of 0.00001.
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
from bosco.models.model import Model
from bosco.tree.conditions import Interval

SETS = [
    "golf", "play_tennis", "contact_lenses", "vote", "iris", "glass", "car", "soybean",
    "breast_cancer", "letter", "credit_g",
]  # fmt: skip
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
            shares = model.tree.native.value[node]  # of an empty leaf: its parent's
            tied = np.count_nonzero(shares == shares.max()) > 1
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
    """J48's tree without its counts."""
    body = said[said.index("------------------") + 18 : said.index("Number of Leaves")]
    return [re.sub(r" \([\d./]+\)$", "", line) for line in body.strip().splitlines()]


def by_path(lines: list[str]) -> list[tuple[str, ...]]:
    """The conditions from the root down to each line, its own without the class."""
    path: list[str] = []
    paths = []
    for line in lines:
        depth = line.count("|   ")
        path[depth:] = [re.sub(r": .*$", "", line)]
        paths.append(tuple(path))
    return paths


def evened(theirs: list[str], ours: list[str]) -> list[str]:
    """Their lines, with any class where ours are tied."""
    tied = {p for p, line in zip(by_path(ours), ours, strict=True) if line.endswith(": ?")}
    return [
        re.sub(r": .*$", ": ?", line) if path in tied else line
        for path, line in zip(by_path(theirs), theirs, strict=True)
    ]


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
        theirs = evened([line.replace("'", "") for line in theirs], ours)
        same = ours == theirs
        print(f"{name:<16}{len(ours):>5} lines  {'the same' if same else 'different'}")
        if not same:
            print("\n".join(difflib.unified_diff(theirs, ours, "J48", "c45", n=1, lineterm="")))


if __name__ == "__main__":
    main()
