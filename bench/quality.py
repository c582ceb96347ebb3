"""How well forests predict: ``python -m bench.quality [--only SET] [--repeats N]``.

Ten-fold cross-validation, repeated: our forest and scikit-learn's (levels one-hot encoded, missing
numbers filled in) on the same folds of the sets of ``../shared/data``, and boosted C4.5 where
Freund and Schapire published figures. Every score is kept in ``bench/results/quality.json`` as soon
as a repeat is done: a run that was cut short goes on where it ended. Remove the file to begin anew.
The first repeat of all sets comes before the second of any.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.run import HERE, THREADS, keep, machine
from bench.sets import SHARED

KEPT = HERE / "results" / "quality.json"
TREES, FOLDS, REPEATS = 100, 10, 10

# Test error in %, as `PUBLISHED.md` beside the data has them. Breiman 2001, table 2: 100 trees,
# 100 × 90/10. Freund & Schapire 1996, table 2: boosted C4.5, 100 rounds, 10 × 10-fold.
PUBLISHED: dict[str, dict[str, float]] = {
    "glass": {"Breiman": 20.6, "Freund & Schapire": 22.7},
    "sonar": {"Breiman": 15.9, "Freund & Schapire": 19.0},
    "vehicle": {"Freund & Schapire": 22.6},
    "segment": {"Freund & Schapire": 1.4},
}
LEAVE_OUT = {"bike_sharing_hour": ["casual", "registered", "dteday"]}  # they tell the target
PARTS = {"adult": ["adult_train", "adult_test"]}  # files that are one set

# Sets, and how many repeats where ten take hours.
SETS: dict[str, int] = {
    "wine": REPEATS,
    "glass": REPEATS,
    "sonar": REPEATS,
    "wdbc": REPEATS,
    "vehicle": REPEATS,
    "segment": REPEATS,
    "satimage": REPEATS,
    "spambase": REPEATS,
    "letter": 3,
    "soybean": REPEATS,
    "splice": REPEATS,
    "credit_g": REPEATS,
    "adult": 2,
    "abalone": REPEATS,
    "california_housing": 2,
    "bike_sharing_hour": 2,
}


@dataclass(frozen=True)
class Table:
    """A set: columns, target, and the rows to fit where its authors said which."""

    X: Any
    y: np.ndarray
    fitted: int | None = None

    @property
    def real(self) -> bool:
        return bool(self.y.dtype.kind == "f")

    @property
    def nominal(self) -> int:
        return int((self.X.dtypes == "category").sum())


def load(name: str) -> Table:
    """Read a set; integer codes that stand for levels become levels."""
    import pandas as pd

    if name == "wdbc":  # like ionosphere: two classes, few rows, continuous columns
        from sklearn.datasets import load_breast_cancer

        bundled = load_breast_cancer(as_frame=True)
        return Table(bundled.data, bundled.target.astype(str).to_numpy(object))
    index = {entry["name"]: entry for entry in json.loads((SHARED / "index.json").read_text())}
    about = [index[part] for part in PARTS.get(name, [name])]
    parts = [
        pd.read_csv(SHARED / a["file"], na_values=["?", "NA"], skipinitialspace=True) for a in about
    ]
    data, first = pd.concat(parts, ignore_index=True), about[0]
    y = data.pop(first["target"])
    gone = {*first["id_columns"], *LEAVE_OUT.get(name, [])}
    data = data.drop(columns=[column for column in data if column in gone])
    for column in data:
        if first["types"].get(column) == "cat" or data[column].dtype.kind not in "iuf":
            data[column] = data[column].astype("category")
    fitted = {"adult": len(parts[0]), "satimage": 4435}.get(name)
    if first["task"] == "regression":
        return Table(data, y.to_numpy(float))
    return Table(data, y.astype(str).str.rstrip(".").to_numpy(object), fitted)


# The learners: each takes whether the target is a number, and how many trees.


def bosco_forest(real: bool, trees: int) -> Any:
    from bosco import RandomForestClassifier, RandomForestRegressor

    return (RandomForestRegressor if real else RandomForestClassifier)(trees, n_jobs=THREADS)


def scikit_learn_forest(real: bool, trees: int) -> Any:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    levels = OneHotEncoder(handle_unknown="ignore", dtype=np.float32, sparse_output=False)
    encode = make_column_transformer(
        (levels, make_column_selector(dtype_include="category")),
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
    )
    forest = (RandomForestRegressor if real else RandomForestClassifier)(trees, n_jobs=THREADS)
    return make_pipeline(encode, forest)


def boosted_c45(_real: bool, rounds: int) -> Any:
    from bosco import AdaBoostClassifier, DecisionTreeClassifier

    tree = DecisionTreeClassifier(algorithm="c45")
    return AdaBoostClassifier(tree, n_estimators=rounds, n_jobs=THREADS)


Maker = Callable[[bool, int], Any]
FORESTS: dict[str, Maker] = {"bosco": bosco_forest, "scikit-learn": scikit_learn_forest}


def learners(name: str) -> dict[str, Maker]:
    """Both forests, and boosted C4.5 where a figure is published."""
    return {**FORESTS, "boosted C4.5": boosted_c45} if name in PUBLISHED else FORESTS


# What is measured.


def cross_validate(table: Table, make: Maker, repeat: int) -> list[float]:
    """Accuracy or R² on each of the ten folds that belong to a repeat."""
    import bosco

    found = bosco.evaluate(
        make(table.real, TREES),
        table.X,
        table.y,
        method="k_fold",
        folds=FOLDS,
        metrics="r2" if table.real else "accuracy",
        random_state=repeat,
    )
    (scores,) = found.scores.values()
    return [float(score) for score in scores]


def official(table: Table) -> dict[str, Any]:
    """Both forests on the authors' split, and the rows that only one of them gets wrong."""
    n = table.fitted
    right = {}
    for library, make in FORESTS.items():
        forest = make(False, 3 * TREES)
        forest.set_params(**{k: 0 for k in forest.get_params() if k.endswith("random_state")})
        forest.fit(table.X[:n], table.y[:n])
        right[library] = forest.predict(table.X[n:]) == table.y[n:]
    a, b = right.values()
    wrong = {library: 1 - float(np.mean(r)) for library, r in right.items()}
    return {**wrong, "only we": int((b & ~a).sum()), "only they": int((a & ~b).sum())}


def wine_of_the_notes() -> dict[str, Any]:
    """70/30 drawn a hundred times (SPEC E5)."""
    import bosco

    table = load("wine")
    forest = bosco_forest(False, TREES)
    found = bosco.evaluate(forest, table.X, table.y, repeats=100, test_size=0.3, metrics="accuracy")
    return {"mean": found.mean, "two sigma": 2 * found.sd, "interval": list(found.interval)}


# What the scores say.


@dataclass(frozen=True)
class Row:
    """A line of the table: errors in %, and our difference to scikit-learn's forest."""

    set: str
    about: dict[str, Any]
    error: dict[str, float]
    difference: float
    interval: tuple[float, float]
    p: float
    repeats: dict[str, int]

    @property
    def word(self) -> str:
        if not self.p < 0.05:
            return "within the noise"
        return "better" if self.difference < 0 else "WORSE"


def rows(kept: dict[str, Any]) -> Iterator[Row]:
    """Compare on the repeats that both forests have done (corrected resampled t)."""
    from bosco.figures.intervals import corrected_interval, corrected_p

    for name in SETS:
        scores = kept["scores"].get(name, {})
        both = set(scores.get("bosco", {})) & set(scores.get("scikit-learn", {}))
        if not both:
            continue
        error = {
            library: np.concatenate(
                [100 * (1 - np.array(folds)) for repeat, folds in found.items() if repeat in both]
            )
            for library, found in scores.items()
            if both & set(found)
        }
        gap, ratio = error["bosco"] - error["scikit-learn"], 1 / (FOLDS - 1)
        yield Row(
            name,
            kept["sets"][name],
            {library: float(values.mean()) for library, values in error.items()},
            float(gap.mean()),
            corrected_interval(gap, ratio),
            corrected_p(gap, ratio),
            {library: len(values) // FOLDS for library, values in error.items()},
        )


HEADINGS = ["set", "rows", "nominal", "bosco", "scikit-learn", "difference (95 %)", "p", "ours is"]
HEADINGS += ["repeats", "Breiman", "boosted C4.5", "Freund & Schapire"]


def cells(row: Row) -> list[str]:
    """A line of the table, under the headings."""
    (low, high), published = row.interval, PUBLISHED.get(row.set, {})
    boosted = row.error.get("boosted C4.5")
    return [
        row.set,
        f"{row.about['rows']:,}",
        f"{row.about['nominal']} of {row.about['columns']}",
        f"{row.error['bosco']:.2f}",
        f"{row.error['scikit-learn']:.2f}",
        f"{row.difference:+.2f} ({low:+.2f} … {high:+.2f})",
        "< 0.001" if row.p < 0.001 else f"{row.p:.3f}",
        row.word,
        str(row.repeats["bosco"]),
        str(published.get("Breiman", "")),
        "" if boosted is None else f"{boosted:.2f} ({row.repeats['boosted C4.5']})",
        str(published.get("Freund & Schapire", "")),
    ]


def remarks(kept: dict[str, Any]) -> Iterator[str]:
    """What was measured beside the folds."""
    from scipy.stats import binomtest

    for name, found in kept["official"].items():
        one, other = found["only we"], found["only they"]
        p = binomtest(one, one + other).pvalue
        yield (
            f"{name}, the authors' split, {3 * TREES} trees: bosco {100 * found['bosco']:.2f}, "
            f"scikit-learn {100 * found['scikit-learn']:.2f}; of the rows that one gets wrong and "
            f"the other right {one} are ours, {other} theirs (sign test: p = {p:.2g})."
        )
    if "wine" in kept:
        mean, wide = 100 * kept["wine"]["mean"], 100 * kept["wine"]["two sigma"]
        met = "met" if mean > 93 else "NOT MET"
        yield (
            f"wine, 70/30 drawn 100 times: {mean:.2f} ± {wide:.2f} % right (mean, 2σ of a split), "
            f"aim > 93: {met}."
        )


def begin(path: Path) -> dict[str, Any]:
    """The scores kept so far."""
    if path.exists():
        kept: dict[str, Any] = json.loads(path.read_text())
        return kept
    return {"machine": machine(), "trees": TREES, "sets": {}, "scores": {}, "official": {}}


def jobs(names: list[str], repeats: int) -> Iterator[tuple[str, str, int]]:
    for repeat in range(repeats):
        for name in names:
            if repeat < SETS[name]:
                yield from ((name, library, repeat) for library in learners(name))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=SETS, metavar="SET", help=", ".join(SETS)
    )
    parser.add_argument("--repeats", type=int, default=REPEATS, help="of the ten folds, at most")
    parser.add_argument("--kept", type=Path, default=KEPT, help="file of the scores")
    asked = parser.parse_args()
    if not SHARED.exists():
        parser.exit(message=f"left out: {SHARED} is not there\n")
    kept, names = begin(asked.kept), asked.only or list(SETS)
    tables = {name: load(name) for name in names}
    for name, table in tables.items():
        rows_, columns = table.X.shape
        kept["sets"][name] = {"rows": rows_, "columns": columns, "nominal": table.nominal}
    for name, table in tables.items():
        if table.fitted and name not in kept["official"]:
            kept["official"][name] = official(table)
            keep(asked.kept, kept)
    if "wine" in names and "wine" not in kept:
        kept["wine"] = wine_of_the_notes()
        keep(asked.kept, kept)
    for name, library, repeat in jobs(names, asked.repeats):
        done = kept["scores"].setdefault(name, {}).setdefault(library, {})
        if str(repeat) not in done:
            start = time.perf_counter()
            done[str(repeat)] = cross_validate(tables[name], learners(name)[library], repeat)
            keep(asked.kept, kept)
            error, took = 100 * (1 - np.mean(done[str(repeat)])), time.perf_counter() - start
            print(f"{name}, {library}, repeat {repeat}: {error:.2f} % ({took:.0f} s)", flush=True)
    for line in [HEADINGS, *map(cells, rows(kept))]:
        print("  ".join(cell.rjust(n) for cell, n in zip(line, WIDTHS, strict=True)))
    print(*remarks(kept), sep="\n")


WIDTHS = [18, 6, 8, 7, 12, 24, 7, 16, 7, 7, 12, 17]

if __name__ == "__main__":
    main()
