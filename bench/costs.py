"""What trees cost on new rows where mistakes have prices: ``python -m bench.costs [--only SET]``.

The same folds for all: a tree of bosco with ``costs``; scikit-learn's with class weights and, of
two classes, a tuned threshold; rpart with a loss matrix, where R has it; C5.0 with its costs, where
its program runs. Each chooses its size by cross-validation inside the training rows. Every figure
is the mean cost of a test row; differences are judged by the paired, corrected resampled t test.
Kept in ``bench/results/costs.json``.
"""

import argparse
import contextlib
import json
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import c50
from bench.quality import load
from bench.run import HERE, THREADS, keep, machine

KEPT = HERE / "results" / "costs.json"
FOLDS = {"credit_g": 10, "hypothyroid": 10, "bank_additional_full": 5, "adult": 5}

Costs = dict[str, dict[str, float]]

ILL = ("compensated_hypothyroid", "primary_hypothyroid", "secondary_hypothyroid")
SETS: dict[str, dict[str, Costs]] = {
    "credit_g": {f"bad {n}:1": {"bad": {"good": n}} for n in (5, 2, 10)},
    "bank_additional_full": {f"yes {n}:1": {"yes": {"no": n}} for n in (2, 5, 10)},
    "adult": {
        ">50K 2:1": {">50K": {"<=50K": 2}},
        ">50K 5:1": {">50K": {"<=50K": 5}},
        "<=50K 3:1": {"<=50K": {">50K": 3}},
    },
    "hypothyroid": {
        "missed 10": {ill: {"negative": 10} for ill in ILL},
        "by kind": {
            "primary_hypothyroid": {"negative": 20, "compensated_hypothyroid": 5},
            "compensated_hypothyroid": {"negative": 5, "primary_hypothyroid": 2},
            "secondary_hypothyroid": {"negative": 20},
        },
        "false alarm 5": {"negative": dict.fromkeys(ILL, 5)},
    },
}
"""Sets, and what mistakes cost there, by the true class and the answer; all others cost 1."""


@dataclass(frozen=True)
class Task:
    """One set with one matrix, parted into folds."""

    X: Any
    y: np.ndarray
    costs: Costs
    matrix: np.ndarray
    classes: list[str]
    folds: list[tuple[np.ndarray, np.ndarray]]

    def cost(self, rows: np.ndarray, said: Any) -> float:
        """The mean cost of the answers to some rows."""
        place = {label: k for k, label in enumerate(self.classes)}
        true = [place[label] for label in self.y[rows]]
        answer = [place[label] for label in said]
        return float(self.matrix[true, answer].mean())


def task(name: str, costs: Costs, seed: int = 0) -> Task:
    """Read a set and part it."""
    from sklearn.model_selection import StratifiedKFold

    from bosco.tree.costs import cost_table

    table = load(name)
    X = table.X.drop(columns=[c for c in ("duration",) if name.startswith("bank") and c in table.X])
    classes = sorted(set(table.y.tolist()))
    matrix = np.array(cost_table(costs, classes))
    folds = StratifiedKFold(FOLDS[name], shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class of two rows
        parts = list(folds.split(X, table.y))
    return Task(X, table.y, costs, matrix, classes, parts)


# The learners: each gives its answers to the test rows of a fold ---------------------------------


def bosco_tree(
    one: Task, train: np.ndarray, test: np.ndarray, risk: str = "either", **how: Any
) -> Any:
    """Costs, and a size chosen by cross-validation: by which price of a leaf, too."""
    from bosco import DecisionTreeClassifier
    from bosco.pruning import CostComplexity

    pruning = CostComplexity(cv=10, one_standard_error=False, risk=risk)
    known = set(one.y[train].tolist())
    costs = {
        t: {k: c for k, c in row.items() if k in known}
        for t, row in one.costs.items()
        if t in known
    }
    tree = DecisionTreeClassifier(min_samples_leaf=5, pruning=pruning, costs=costs, **how)
    return tree.fit(one.X.iloc[train], one.y[train]).predict(one.X.iloc[test])


def by_impurity(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """The same, where leaves cost impurity."""
    return bosco_tree(one, train, test, "impurity")


def by_cost(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """The same, where leaves cost what their answers do."""
    return bosco_tree(one, train, test, "error")


def by_ratio(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """The same, where tests are compared as C4.5 does."""
    how = {"criterion": "entropy", "score": "gain_ratio_above_average"}
    return bosco_tree(one, train, test, **how)


def by_ratio_alone(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """The same, where the ratio alone decides."""
    return bosco_tree(one, train, test, criterion="entropy", score="gain_ratio")


def by_chosen(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """The same, where three folds inside choose between gain and ratio, as C5.0's options are."""
    from sklearn.model_selection import StratifiedKFold

    inner = StratifiedKFold(3, shuffle=True, random_state=0).split(train, one.y[train])
    parts = [(train[a], train[b]) for a, b in inner]
    ways: tuple[dict[str, Any], ...] = ({}, {"criterion": "entropy", "score": "gain_ratio"})

    def price(how: dict[str, Any]) -> float:
        return float(np.mean([one.cost(b, bosco_tree(one, a, b, **how)) for a, b in parts]))

    return bosco_tree(one, train, test, **min(ways, key=price))


def weighed_tree(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """Rows weighed by the cost of their class, as CART has it."""
    from bosco import DecisionTreeClassifier
    from bosco.pruning import CostComplexity

    tree = DecisionTreeClassifier(
        min_samples_leaf=5,
        pruning=CostComplexity(cv=10, one_standard_error=False),
        class_weight=weights(one, train),
    )
    return tree.fit(one.X.iloc[train], one.y[train]).predict(one.X.iloc[test])


def weights(one: Task, train: np.ndarray) -> dict[str, float]:
    """What a mistake costs on each class that there is, on average over the answers."""
    wrong = one.matrix.sum(axis=1) / (len(one.classes) - 1)
    known = set(one.y[train].tolist())
    return {label: float(wrong[k]) for k, label in enumerate(one.classes) if label in known}


def scikit_learn_tree(one: Task, train: np.ndarray, test: np.ndarray) -> Any:
    """Class weights, a chosen price of leaves, and of two classes a tuned threshold."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import (
        GridSearchCV,
        StratifiedKFold,
        TunedThresholdClassifierCV,
    )
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    place = {label: k for k, label in enumerate(one.classes)}

    def mean(y: Any, said: Any) -> float:
        return -float(one.matrix[[place[t] for t in y], [place[k] for k in said]].mean())

    levels = OneHotEncoder(handle_unknown="ignore", dtype=np.float32, sparse_output=False)
    encode = make_column_transformer(
        (levels, make_column_selector(dtype_include="category")),
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
    )
    X, y = encode.fit_transform(one.X.iloc[train]), one.y[train]
    weight = weights(one, train)
    tree = DecisionTreeClassifier(class_weight=weight, min_samples_leaf=5, random_state=0)
    inner = StratifiedKFold(3, shuffle=True, random_state=0)  # tables have an order
    grid = {"ccp_alpha": [0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01]}
    search = GridSearchCV(tree, grid, scoring=make_scorer(mean), cv=inner, n_jobs=THREADS).fit(X, y)
    best = search.best_estimator_
    if len(one.classes) == 2:
        tuned = TunedThresholdClassifierCV(best, scoring=make_scorer(mean), cv=inner)
        with contextlib.suppress(ValueError):  # it refuses trees of one leaf
            best = tuned.fit(X, y)
    return best.predict(encode.transform(one.X.iloc[test]))


LEARNERS: dict[str, Callable[[Task, np.ndarray, np.ndarray], Any]] = {
    "bosco": bosco_tree,
    "by impurity": by_impurity,
    "by cost": by_cost,
    "by gain ratio": by_ratio,
    "by ratio alone": by_ratio_alone,
    "score chosen": by_chosen,
    "rows weighed": weighed_tree,
    "scikit-learn": scikit_learn_tree,
}


def rpart_costs(one: Task) -> list[float] | None:
    """The mean cost of rpart's trees, fold by fold; None where R has it not."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_folds(one, folder)
        subprocess.run(["Rscript", str(HERE / "rpart.R"), name], check=True)
        said = [
            (folder / f"{k:02}" / "said.csv").read_text().splitlines()
            for k in range(len(one.folds))
        ]
    return [one.cost(test, answers) for (_, test), answers in zip(one.folds, said, strict=True)]


def _write_folds(one: Task, folder: Path) -> None:
    import pandas as pd

    kinds = ["factor" if str(t) == "category" else "numeric" for t in one.X.dtypes]
    pd.DataFrame({"type": [*kinds, "character"]}).to_csv(folder / "kinds.csv", index=False)
    pd.DataFrame(one.matrix, one.classes, one.classes).to_csv(folder / "costs.csv")
    for k, (train, test) in enumerate(one.folds):
        part = folder / f"{k:02}"
        part.mkdir()
        for rows, file in ((train, "train.csv"), (test, "test.csv")):
            one.X.iloc[rows].assign(y_=one.y[rows]).to_csv(part / file, index=False)


def measure(one: Task, names: list[str]) -> dict[str, list[float]]:
    """The mean cost on every fold, by learner."""
    found = {}
    for name in names:
        if name == "rpart":
            if (costs := rpart_costs(one)) is not None:
                found[name] = costs
            continue
        if name == "C5.0":
            if c50.program() is not None:
                found[name] = c50.fold_costs(one)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers = LEARNERS[name]
            found[name] = [one.cost(test, answers(one, a, test)) for a, test in one.folds]
    return found


# What the figures say ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A line of the table: mean costs by learner, and what a peer is against bosco."""

    set: str
    costs: str
    means: dict[str, float]
    words: dict[str, str]


def rows(kept: dict[str, Any], against: str = "bosco") -> Iterator[Row]:
    """Every set with every matrix; differences where the folds of both are there."""
    from bosco.figures.intervals import corrected_interval

    for name, matrices in kept["sets"].items():
        for matrix, found in matrices.items():
            words = {}
            for learner, costs in found.items():
                if learner != against and against in found:
                    more = np.array(costs) - np.array(found[against])
                    low, high = corrected_interval(more, 1 / (len(costs) - 1))
                    words[learner] = "worse" if low > 0 else "better" if high < 0 else "even"
            means = {learner: float(np.mean(costs)) for learner, costs in found.items()}
            yield Row(name, matrix, means, words)


def overall(kept: dict[str, Any]) -> Iterator[tuple[str, float, int]]:
    """Each learner's mean cost over bosco's, as the geometric mean, and over how many lines."""
    told = list(rows(kept))
    for name in SHOWN[1:]:
        both = [np.log(row.means[name] / row.means["bosco"]) for row in told if name in row.means]
        if both:
            yield name, float(np.exp(np.mean(both))), len(both)


def beside(kept: dict[str, Any], peer: str, own: str) -> str:
    """How a peer does against a design of ours, on the lines that both were measured on."""
    told = [row for row in rows(kept, own) if peer in row.words]
    ratio = np.exp(np.mean([np.log(row.means[peer] / row.means[own]) for row in told]))
    words = [row.words[peer] for row in told]
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("better", "even", "worse"))
    return f"{own} {ratio:.3f} ({counts})"


SHOWN = (
    *("bosco", "scikit-learn", "rpart", "C5.0"),
    *("by impurity", "by cost", "by gain ratio", "by ratio alone", "score chosen", "rows weighed"),
)
HEADINGS = ["set", "costs", *SHOWN]


def cells(row: Row) -> list[str]:
    """A line of the table."""
    told = [row.set, row.costs]
    for learner in SHOWN:
        mean, word = row.means.get(learner), row.words.get(learner)
        figure = "–" if mean is None else f"{mean:.4f}"
        told.append(f"{figure}, {word}" if word else figure)
    return told


def main() -> None:
    """Measure, and keep every figure as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="sets")
    parser.add_argument("--learner", nargs="*", help="learners")
    parser.add_argument("--again", action="store_true", help="also what is kept already")
    parser.add_argument("--fresh", action="store_true", help="on other folds, kept apart")
    given = parser.parse_args()
    part, seed = ("fresh", 1) if given.fresh else ("sets", 0)
    kept: dict[str, Any] = {"machine": machine(), "sets": {}}
    if KEPT.exists():
        kept = json.loads(KEPT.read_text())
    for name, matrices in SETS.items():
        for matrix, costs in matrices.items() if given.only is None or name in given.only else ():
            done = kept.get(part, {}).get(name, {}).get(matrix, {}) if not given.again else {}
            asked = given.learner or [*LEARNERS, "rpart", "C5.0"]
            if not (names := [learner for learner in asked if learner not in done]):
                continue
            found = measure(task(name, costs, seed), names)
            if KEPT.exists():  # another run may have kept more
                kept = json.loads(KEPT.read_text())
            there = kept.setdefault(part, {}).setdefault(name, {}).setdefault(matrix, {})
            there.update(found)
            keep(KEPT, kept)
            means = {learner: round(float(np.mean(c)), 4) for learner, c in there.items()}
            print(name, matrix, means, flush=True)


if __name__ == "__main__":
    main()
