"""How well forests predict, same folds for both: ``python -m bench.quality [--only SET]``.

Repeated 10-fold cross-validation of our forest and scikit-learn's (levels one-hot encoded, missing
numbers filled in) on the sets of ``../shared/data``; adult uses its own test part. The difference
is judged by the corrected resampled t-test (Nadeau & Bengio 2003), which allows for folds that
share their training rows. Beside them stand published figures, in % error.
"""

import argparse
import json
import math
from typing import Any

import numpy as np

from bench.forests import CASES as SPEED
from bench.forests import SHARED, load
from bench.run import HERE, keep, machine

# Error in %: Breiman 2001, table 2 (100 trees, 100 × 90/10); Freund & Schapire 1996, table 2
# (boosted and bagged C4.5, 100 rounds, 10 × 10-fold). As `PUBLISHED.md` beside the data has them.
PUBLISHED: dict[str, dict[str, float]] = {
    "glass": {"Breiman": 20.6, "boosted C4.5": 22.7, "bagged C4.5": 25.7},
    "sonar": {"Breiman": 15.9, "boosted C4.5": 19.0, "bagged C4.5": 24.3},
    "vehicle": {"boosted C4.5": 22.6, "bagged C4.5": 26.1},
    "segment": {"boosted C4.5": 1.4, "bagged C4.5": 2.7},
}
LEAVE = {"bike_sharing_hour": ["casual", "registered", "dteday"]}
SETS = [
    "wine",
    "glass",
    "sonar",
    "vehicle",
    "segment",
    "letter",
    "satimage",
    "spambase",
    "soybean",
    "splice",
    "credit_g",
    "abalone",
    "california_housing",
    "bike_sharing_hour",
]


def table(name: str) -> tuple[Any, np.ndarray, bool]:
    """Columns, target, and whether it is a number."""
    import pandas as pd

    index = json.loads((SHARED / "index.json").read_text())
    about = next(entry for entry in index if entry["name"] == name)
    data = pd.read_csv(SHARED / about["file"], na_values=["?", "NA"], skipinitialspace=True)
    y = data.pop(about["target"])
    data = data.drop(columns=[c for c in [*about["id_columns"], *LEAVE.get(name, [])] if c in data])
    for column in data:
        if about["types"].get(column) == "cat" or data[column].dtype.kind not in "iuf":
            data[column] = data[column].astype("category")
    real = about["task"] == "regression"
    return data, y.to_numpy(float) if real else y.astype(str).to_numpy(), real


def forests(real: bool, trees: int) -> dict[str, Any]:
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import RandomForestClassifier as TheirClassifier
    from sklearn.ensemble import RandomForestRegressor as TheirRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    from bosco import RandomForestClassifier, RandomForestRegressor

    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
        sparse_threshold=0,
    )
    theirs = (TheirRegressor if real else TheirClassifier)(trees, n_jobs=2, random_state=0)
    ours = RandomForestRegressor if real else RandomForestClassifier
    return {
        "bosco": ours(trees, n_jobs=2, random_state=0),
        "scikit-learn": make_pipeline(encode, theirs),
    }


def compare(name: str, repeats: int, trees: int, folds: int = 10) -> dict[str, Any]:
    """Errors of both on every fold: share of wrong classes, or 1 - R²."""
    from sklearn.base import clone
    from sklearn.model_selection import KFold, StratifiedKFold

    X, y, real = table(name)
    errors: dict[str, list[float]] = {"bosco": [], "scikit-learn": []}
    for repeat in range(repeats):
        split = (KFold if real else StratifiedKFold)(folds, shuffle=True, random_state=repeat)
        for train, test in split.split(X, y):
            for library, forest in forests(real, trees).items():
                fitted = clone(forest).fit(X.iloc[train], y[train])
                errors[library].append(1 - fitted.score(X.iloc[test], y[test]))
    return {
        "rows": len(y),
        "nominal": int((X.dtypes == "category").sum()),
        **{library: float(np.mean(values)) for library, values in errors.items()},
        **corrected_t(np.subtract(errors["bosco"], errors["scikit-learn"]), 1 / (folds - 1)),
    }


def corrected_t(differences: np.ndarray, test_to_train: float) -> dict[str, float]:
    """Mean difference and two-sided p of the corrected resampled t-test."""
    from scipy.stats import t

    n, mean = len(differences), float(differences.mean())
    variance = float(differences.var(ddof=1)) * (1 / n + test_to_train)
    p = 1.0 if variance == 0 else float(2 * t.sf(abs(mean) / math.sqrt(variance), n - 1))
    return {"difference": mean, "p": p}


def adult(trees: int) -> dict[str, Any]:
    """The official split."""
    X, y, X_test, y_test = load(next(c for c in SPEED if c.set == "adult"))
    result: dict[str, Any] = {"rows": len(y), "nominal": int((X.dtypes == "category").sum())}
    for library, forest in forests(False, trees).items():
        result[library] = 1 - forest.fit(X, y).score(X_test, y_test)
    wide = math.sqrt(result["scikit-learn"] * (1 - result["scikit-learn"]) / len(y_test))
    return result | {
        "difference": result["bosco"] - result["scikit-learn"],
        "standard error of one": wide,
    }


def wine_of_the_notes(repeats: int, trees: int) -> str:
    """70/30 drawn many times: mean accuracy and 2σ (SPEC E5)."""
    from sklearn.model_selection import train_test_split

    X, y, real = table("wine")
    right = []
    for seed in range(repeats):
        a, b, ya, yb = train_test_split(X, y, test_size=0.3, random_state=seed)
        right.append(forests(real, trees)["bosco"].fit(a, ya).score(b, yb))
    return f"wine, 70/30 × {repeats}: {np.mean(right):.4f} ± {2 * np.std(right, ddof=1):.4f} (2σ)"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--only", action="append", metavar="SET", help=", ".join([*SETS, "adult"]))
    parser.add_argument("--repeats", type=int, default=10, help="of the ten folds")
    parser.add_argument("--trees", type=int, default=100)
    asked = parser.parse_args()
    if not SHARED.exists():
        parser.exit(message=f"left out: {SHARED} is not there\n")
    results = {}
    print(f"{'set':20} {'rows':>6} {'bosco':>8} {'sklearn':>8} {'diff':>8} {'p':>7}")
    for name in [*SETS, "adult"]:
        if asked.only and name not in asked.only:
            continue
        done = adult(asked.trees) if name == "adult" else compare(name, asked.repeats, asked.trees)
        results[name] = done
        said = ", ".join(f"{who} {error}" for who, error in PUBLISHED.get(name, {}).items())
        p = f"{done['p']:7.3f}" if "p" in done else ""
        print(
            f"{name:20} {done['rows']:6} {100 * done['bosco']:8.2f} "
            f"{100 * done['scikit-learn']:8.2f} {100 * done['difference']:+8.2f} {p}  {said}",
            flush=True,
        )
    if not asked.only or "wine" in asked.only:
        print(wine_of_the_notes(10 * asked.repeats, asked.trees))
    if not asked.only and asked.repeats >= 10:
        keep(HERE / "results" / "quality.json", {"machine": machine(), "sets": results})


if __name__ == "__main__":
    main()
