"""Which rule weighs gain against price best, and how much: ``python -m bench.asking [--only SET]``.

Real sets whose columns get generated prices: log-uniform between 1 and 100, drawn several times;
in every other draw a third of the columns are in two groups that are paid once. By each rule and
each weight a tree of leaves of at least 5 rows is grown on nine of ten folds; its share of wrong
rows and the mean price of what it asks are taken on the tenth. Kept in
``bench/results/asking.json``.

What is compared is the *area*: the least error that can be had for a price of at most p, from 0
(the constant answer) to what the tree costs that does not look at prices, on average over p.
"""

import argparse
import json
from typing import Any

import numpy as np

from bench.quality import load
from bench.run import HERE, keep, machine

KEPT = HERE / "results" / "asking.json"
SETS = ("heart", "wine", "wdbc", "credit_approval", "credit_g", "vehicle", "hypothyroid", "segment")
RULES = ("eg2", "idx", "cs_id3")
WEIGHTS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
DRAWS = 4
FOLDS = 10


def table(name: str) -> tuple[Any, np.ndarray]:
    """The columns and the classes of a set."""
    if name != "heart":
        found = load(name)
        return found.X, found.y
    found = load("heart_cleveland")  # whose target is a degree: 0 is healthy
    return found.X, np.where(found.y.astype(float) > 0, "ill", "healthy").astype(object)


def prices(columns: list[str], draw: int) -> dict[str, Any]:
    """What the answers of some columns cost, in one draw."""
    random = np.random.default_rng([draw, len(columns)])
    each = np.round(100 ** random.random(len(columns)), 2).tolist()
    costs = dict(zip(columns, each, strict=True))
    if draw % 2 == 0:
        return {"ask_costs": costs}
    members = random.permutation(columns)[: max(2, len(columns) // 3)].tolist()
    groups = {"first visit": members[::2], "second visit": members[1::2]}
    groups = {name: some for name, some in groups.items() if some}
    paid = {name: max(costs[column] for column in some) for name, some in groups.items()}
    costs = {column: price for column, price in costs.items() if column not in members}
    return {"ask_costs": costs | paid, "ask_groups": groups}


def measure(name: str) -> dict[str, Any]:
    """Error and price, on average over the folds, by draw, rule and weight."""
    from sklearn.model_selection import StratifiedKFold

    from bosco import DecisionTreeClassifier

    X, y = table(name)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    idle = float(np.mean([(y[b] != _most(y[a])).mean() for a, b in folds]))
    found: dict[str, Any] = {"rows": len(y), "columns": X.shape[1], "constant": idle, "draws": []}
    for draw in range(DRAWS):
        asked = prices(list(X.columns), draw)
        plain = DecisionTreeClassifier(
            min_samples_leaf=5, record=False, fingerprint=False, ask_weight=0.0, **asked
        )
        trees = {"plain": plain}
        for rule in RULES:
            for weight in WEIGHTS:
                said = plain.get_params() | {"ask_rule": rule, "ask_weight": weight}
                trees[f"{rule} {weight:g}"] = DecisionTreeClassifier(**said)
        told = {}
        for word, tree in trees.items():
            some = [_judged(tree, X, y, a, b) for a, b in folds]
            told[word] = np.mean(some, axis=0).tolist()
        found["draws"].append(told)
    return found


def _most(y: np.ndarray) -> Any:
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()]


def _judged(tree: Any, X: Any, y: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    model = tree.fit(X.iloc[a], y[a]).model_
    return float((model.predict(X.iloc[b]) != y[b]).mean()), float(model.price(X.iloc[b]).mean())


# What the figures say ----------------------------------------------------------------------------


def area(points: list[tuple[float, float]], constant: float, most: float) -> float:
    """The mean over prices up to `most` of the least error that can be had for them.

    >>> area([(0.2, 1.0), (0.1, 4.0)], 0.5, 4.0)
    0.275
    """
    best, at, sum_ = constant, 0.0, 0.0
    for error, price in sorted(points, key=lambda point: point[1]):
        if price > most:
            break
        sum_ += best * (price - at)
        best, at = min(best, error), price
    return (sum_ + best * (most - at)) / most


def areas(kept: dict[str, Any]) -> dict[str, dict[str, float]]:
    """By set and rule the mean area over the draws."""
    found: dict[str, dict[str, float]] = {}
    for name, one in kept["sets"].items():
        for rule in RULES:
            each = []
            for told in one["draws"]:
                plain = tuple(told["plain"])
                own = [tuple(told[f"{rule} {w:g}"]) for w in WEIGHTS]
                each.append(area([plain, *own], one["constant"], plain[1]))
            found.setdefault(name, {})[rule] = float(np.mean(each))
    return found


def against_plain(kept: dict[str, Any], rule: str, weight: float) -> tuple[float, float]:
    """Points of error more than a tree that does not look at prices, and the part of its price."""
    more, part = [], []
    for one in kept["sets"].values():
        for told in one["draws"]:
            error, price = told[f"{rule} {weight:g}"]
            more.append(error - told["plain"][0])
            part.append(price / told["plain"][1])
    return 100 * float(np.mean(more)), float(np.mean(part))


def say(kept: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = ["| set | " + " | ".join(RULES) + " |", "|---|" + "---:|" * len(RULES)]
    found = areas(kept)
    for name, by in found.items():
        lines.append(f"| {name} | " + " | ".join(f"{by[rule]:.4f}" for rule in RULES) + " |")
    means = [np.mean([by[rule] for by in found.values()]) for rule in RULES]
    lines.append("| mean | " + " | ".join(f"{mean:.4f}" for mean in means) + " |")
    lines += ["", "| w | " + " | ".join(RULES) + " |", "|---:|" + "---:|" * len(RULES)]
    for weight in WEIGHTS:
        told = [against_plain(kept, rule, weight) for rule in RULES]
        cells = [f"{more:+.1f} points, {100 * part:.0f} %" for more, part in told]
        lines.append(f"| {weight:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, keep every figure as soon as it is there, and say what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="sets")
    given = parser.parse_args()
    kept: dict[str, Any] = {"machine": machine(), "sets": {}}
    if KEPT.exists():
        kept = json.loads(KEPT.read_text())
    for name in SETS if given.only is None else given.only:
        kept["sets"][name] = measure(name)
        keep(KEPT, kept)
        print(name, "done", flush=True)
    print(say(kept))


if __name__ == "__main__":
    main()
