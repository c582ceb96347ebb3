"""Pruned trees beside Weka's J48 and R's rpart, on the same folds of real sets.

``python -m bench.judges [--seeds 5] [--reverse] [set ...]`` prints errors and leaves, and by how
much ours is worse than the peer beside it (paired, with the corrected interval). What is not
installed is left out.
The sets are read from the folder ``../shared/data`` beside the project (or ``BOSCO_DATA``); Weka is
looked for as a jar (Debian's ``weka``, or ``WEKA_JAR``), rpart through Rscript (``r-cran-rpart``).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from bosco import DecisionTreeClassifier, IdentifierWarning
from bosco.figures.intervals import corrected_interval
from bosco.pruning import CostComplexity

DATA = Path(os.environ.get("BOSCO_DATA", Path(__file__).parents[2] / "shared" / "data"))
WEKA = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
SETS = [
    "adult", "vote", "hypothyroid", "soybean", "credit_g",
    "breast_cancer", "mushroom", "car", "letter", "glass",
]  # fmt: skip
LETTER_TRAIN = 15_000  # StatLog: the first rows train, the others test
FOLDS = 10
SEEDS = 5  # of the folds, for sets so small that one round says little
SMALL = 2_000
ALLOWED = 0.5  # points of error worse than a peer

# What rpart does unless told otherwise: how far it grows, what its cross-validation counts, where a
# missing value goes.
RPART_LIKE = {
    "algorithm": "cart",
    "min_samples_split": 20,
    "min_samples_leaf": 7,
    "missing": "surrogate",
    "pruning": CostComplexity(risk="error"),
}

Result = tuple[np.ndarray, float]  # errors of the parts in percent, leaves


@dataclass(frozen=True)
class Judged:
    """A set and the parts it is judged on."""

    X: pd.DataFrame
    y: pd.Series
    parts: list[tuple[np.ndarray, np.ndarray]]


def read(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """A set as its index describes it: numbers, or categories; ids left out."""
    entries = {entry["name"]: entry for entry in json.loads((DATA / "index.json").read_text())}
    entry = entries[name]
    table = pd.read_csv(DATA / entry["file"], dtype=str, keep_default_na=False)
    table = table.drop(columns=entry["id_columns"])
    table = table.mask(table.isin(entry["missing_tokens"]))
    for column, kind in entry["types"].items():
        if column not in table:
            continue
        is_number = kind == "num" and column != entry["target"]
        table[column] = table[column].astype(float if is_number else "category")
    return table.drop(columns=entry["target"]), table[entry["target"]]


def load(name: str, seeds: int = SEEDS) -> Judged:
    """A set with its official split, or stratified folds of every seed."""
    if name == "adult":
        (X, y), (X_test, y_test) = read("adult_train"), read("adult_test")
        y_test = y_test.astype(str).str.rstrip(".")
        n = len(y)
        whole = pd.concat([X.astype(object), X_test.astype(object)], ignore_index=True)
        for column in whole:
            kind = float if X[column].dtype.kind == "f" else "category"
            whole[column] = whole[column].astype(kind)
        labels = pd.concat([y.astype(str), y_test], ignore_index=True).astype("category")
        return Judged(whole, labels, [(np.arange(n), np.arange(n, len(labels)))])
    X, y = read(name)
    if name == "letter":
        rows = np.arange(len(y))
        return Judged(X, y, [(rows[:LETTER_TRAIN], rows[LETTER_TRAIN:])])
    parts = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer rows than folds
        for seed in range(seeds if len(y) < SMALL else 1):
            folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
            parts += list(folds.split(X, y))
    return Judged(X, y, parts)


def bosco(**settings: Any) -> Callable[[Judged], Result]:
    """Judge a tree of ours."""

    def judge(data: Judged) -> Result:
        errors, leaves = [], []
        for train, test in data.parts:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IdentifierWarning)
                tree = DecisionTreeClassifier(**settings, record=False, n_jobs=2)
                tree.fit(data.X.iloc[train], data.y.iloc[train])
            wrong = tree.predict(data.X.iloc[test]) != data.y.iloc[test].to_numpy()
            errors.append(100 * wrong.mean())
            leaves.append(tree.get_n_leaves())
        return np.array(errors), float(np.mean(leaves))

    return judge


def to_arff(X: pd.DataFrame, y: pd.Series, path: Path) -> None:
    """Write a table as Weka reads it."""

    def quoted(value: object) -> str:
        return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"

    table = X.assign(**{"class to learn": y})
    lines = ["@relation judged"]
    columns = []
    for name, column in table.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = ",".join(map(quoted, column.cat.categories))
            lines.append(f"@attribute {quoted(name)} {{{levels}}}")
            columns.append(["?" if pd.isna(v) else quoted(v) for v in column])
        else:
            lines.append(f"@attribute {quoted(name)} numeric")
            columns.append(["?" if pd.isna(v) else repr(float(v)) for v in column])
    lines += ["@data", *(",".join(row) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n")


def weka(folder: Path, *options: str) -> str:
    """What Weka prints for the files of a folder."""
    command = ["java", "-Xmx2g", "-cp", str(WEKA), "weka.classifiers.trees.J48"]
    files = ["-t", str(folder / "train.arff"), "-T", str(folder / "test.arff")]
    done = subprocess.run([*command, *files, *options], capture_output=True, text=True, check=True)
    return done.stdout


def j48(data: Judged, reverse: bool = False) -> Result:
    """Judge Weka's J48 as its users run it; in reverse, a tie of classes goes to the last."""
    errors, leaves = [], []
    y = data.y.cat.set_categories(data.y.cat.categories[:: -1 if reverse else 1])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for train, test in data.parts:
            to_arff(data.X.iloc[train], y.iloc[train], folder / "train.arff")
            to_arff(data.X.iloc[test], y.iloc[test], folder / "test.arff")
            said = weka(folder, "-M", "2", "-C", "0.25")
            tested = said[said.index("Error on test data") :]
            wrong = re.search(r"Incorrectly Classified Instances\s+(\d+)", tested)
            counted = re.search(r"Number of Leaves\s*:\s*(\d+)", said)
            errors.append(100 * (int(wrong[1]) if wrong else 0) / len(test))
            leaves.append(int(counted[1]) if counted else 1)
    return np.array(errors), float(np.mean(leaves))


RPART = """
library(rpart)
kinds <- scan("kinds.txt", "", quiet = TRUE)
d <- read.csv("all.csv", na.strings = "", stringsAsFactors = TRUE, colClasses = kinds)
parts <- read.csv("parts.csv")
for (k in unique(parts$part)) {
  set.seed(0)
  train <- d[parts$row[parts$part == k & parts$test == 0] + 1, ]
  test <- d[parts$row[parts$part == k & parts$test == 1] + 1, ]
  control <- rpart.control(cp = 0, xval = 10)
  fit <- rpart(class_to_learn ~ ., train, method = "class", control = control)
  path <- fit$cptable
  best <- which.min(path[, "xerror"])
  kept <- min(which(path[, "xerror"] <= path[best, "xerror"] + path[best, "xstd"]))
  small <- prune(fit, cp = path[kept, "CP"])
  said <- as.character(predict(small, test, type = "class"))
  wrong <- mean(said != as.character(test$class_to_learn))
  cat(100 * wrong, sum(small$frame$var == "<leaf>"), "\\n")
}
"""


def rpart(data: Judged) -> Result:
    """Judge R's rpart as its users run it: ten folds and one standard error choose the size."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        table = data.X.assign(class_to_learn=data.y)
        table.columns = [re.sub(r"\W", "_", name) for name in table.columns]
        table.to_csv(folder / "all.csv", index=False)
        kinds = ["numeric" if dtype.kind == "f" else "factor" for dtype in table.dtypes]
        (folder / "kinds.txt").write_text("\n".join(kinds) + "\n")
        rows = [
            pd.DataFrame({"part": k, "row": part, "test": int(is_test)})
            for k, pair in enumerate(data.parts)
            for is_test, part in enumerate(pair)
        ]
        pd.concat(rows).to_csv(folder / "parts.csv", index=False)
        (folder / "run.R").write_text(RPART)
        done = subprocess.run(
            ["Rscript", "run.R"], cwd=folder, capture_output=True, text=True, check=True
        )
    found = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    return found[:, 0], float(found[:, 1].mean())


def installed(reverse: bool) -> dict[str, Callable[[Judged], Result]]:
    """The peers that can be run here."""
    peers: dict[str, Callable[[Judged], Result]] = {}
    if shutil.which("java") and WEKA.exists():
        peers["J48"] = partial(j48, reverse=reverse)
    if shutil.which("Rscript"):
        has = subprocess.run(["Rscript", "-e", "library(rpart)"], capture_output=True, check=False)
        if has.returncode == 0:
            peers["rpart"] = rpart
    return peers


OURS = {
    "c45": ("J48", {"algorithm": "c45"}),
    "cart": ("rpart", RPART_LIKE),
}


LEARNERS = ("c45", "J48", "cart", "rpart")


@dataclass(frozen=True)
class Gap:
    """How much worse ours is than its peer, in points, and half the 95 % interval of that."""

    mean: float
    half: float  # NaN: one official split has no spread

    def __str__(self) -> str:
        return f"{round(self.mean, 2) + 0:+.2f}" + (
            "" if np.isnan(self.half) else f" ± {self.half:.2f}"
        )


def gap_of(data: Judged, ours: np.ndarray, peer: np.ndarray) -> Gap:
    """The paired difference on the same parts."""
    worse = ours - peer
    if len(worse) < 2:
        return Gap(float(worse.mean()), float("nan"))
    train, test = data.parts[0]
    low, high = corrected_interval(worse, ratio=len(test) / len(train))
    return Gap(float(worse.mean()), (high - low) / 2)


def joined(gaps: list[Gap]) -> Gap:
    """The mean over the sets; those with one split add no spread."""
    half = np.sqrt(np.nansum([gap.half**2 for gap in gaps])) / len(gaps)
    return Gap(float(np.mean([gap.mean for gap in gaps])), float(half))


def main(names: list[str], seeds: int, reverse: bool) -> None:
    """Judge all on the same parts, and print a table."""
    if not DATA.exists():
        print(f"there are no sets: {DATA} does not exist")
        return
    peers = installed(reverse)
    for peer in {"J48", "rpart"} - peers.keys():
        print(f"{peer} is not installed: left out")
    heads = "".join(f"{name:>16}" for name in (*LEARNERS, "c45 − J48", "cart − rpart"))
    print(f"{'set':<14}{heads}")
    sums: dict[str, list[float]] = {}
    gaps: dict[str, list[Gap]] = {}
    for name in names or SETS:
        data = load(name, seeds)
        found: dict[str, Result] = {}
        for ours, (peer, settings) in OURS.items():
            found[ours] = bosco(**settings)(data)
            if peer in peers:
                found[peer] = peers[peer](data)
                gap = gap_of(data, found[ours][0], found[peer][0])
                gaps.setdefault(ours, []).append(gap)
        cells = []
        for learner in LEARNERS:
            if learner not in found:
                cells.append(f"{'–':>16}")
                continue
            error, leaves = found[learner][0].mean(), found[learner][1]
            sums.setdefault(learner, []).append(error)
            worse = learner in gaps and gaps[learner][-1].mean > ALLOWED
            cells.append(f"{error:9.2f}{'!' if worse else ' '}{leaves:6.0f}")
        cells += [f"{gaps[ours][-1] if ours in gaps else '–'!s:>16}" for ours in OURS]
        print(f"{name:<14}" + "".join(cells), flush=True)
    means = [f"{np.mean(sums[k]):9.2f}       " if k in sums else f"{'–':>16}" for k in LEARNERS]
    means += [f"{joined(gaps[ours]) if ours in gaps else '–'!s:>16}" for ours in OURS]
    print(f"{'mean':<14}" + "".join(means))
    print("error in percent, leaves; ! more than half a point worse than the peer beside it")
    print(
        "±: 95 %, corrected for overlapping training sets; sets with one official split have none"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="set", help=f"of {', '.join(SETS)}")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of the folds of small sets")
    parser.add_argument(
        "--reverse",
        action="store_true",
        help="declare the classes to J48 from last to first: ties of two then go as ours do",
    )
    given = parser.parse_args()
    main(given.sets, given.seeds, given.reverse)
