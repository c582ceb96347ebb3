"""Three small trees, shown and reported: ``python -m bosco.demo [folder]``.

Play-tennis by ID3 and by C4.5, then wine by CART with its error on rows it has not seen. Reports
that a browser opens go to the folder, by default ``demo`` in the working directory.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import bosco


def _title(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def _show(model: object, why: object) -> None:
    print(model)
    print("\nWhy this test at the root?\n")
    print(why)


def play_tennis(algorithm: str) -> bosco.Report:
    """Learn the 14 days of play-tennis and show the tree."""
    X, y = bosco.datasets.play_tennis()
    clf = bosco.DecisionTreeClassifier(algorithm=algorithm).fit(X, y)
    wrong = round((1 - clf.score(X, y)) * len(y))
    _title(f"Play-tennis, {algorithm}: {len(y)} days, {wrong} wrong in training")
    _show(clf.model_, clf.model_.why(0))
    return bosco.report(clf, X, y, title=f"When to play tennis, by {algorithm}")


def wine() -> bosco.Report:
    """Learn two thirds of the 178 wines, test on the others."""
    table = load_wine()
    labels = table.target_names[table.target]
    train, test = train_test_split(
        np.arange(len(labels)), test_size=1 / 3, stratify=labels, random_state=0
    )
    X, X_test = (
        dict(zip(table.feature_names, table.data[rows].T, strict=True)) for rows in (train, test)
    )
    clf = bosco.DecisionTreeClassifier(algorithm="cart").fit(X, labels[train])
    wrong = int((clf.predict(X_test) != labels[test]).sum())
    _title(f"Wine, cart: learned from {len(train)} wines")
    _show(clf.model_, clf.model_.why(0))
    print(f"\nTest error: {wrong} of {len(test)} wines ({wrong / len(test):.1%})")
    return bosco.report(
        clf,
        X_test,
        labels[test],
        evaluation=bosco.evaluate(clf, X, labels[train], repeats=20),
        stability=bosco.stability(clf, X, labels[train], repeats=30),
        title="Three kinds of wine",
    )


def main(folder: str = "demo") -> None:
    """Run the whole demo."""
    reports = {
        "tennis-id3": play_tennis("id3"),
        "tennis-c45": play_tennis("c45"),
        "wine": wine(),
    }
    _title("Reports to open in a browser")
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, report in reports.items():
        path = Path(folder, f"{name}.html")
        report.save(path)
        print(path.resolve())


if __name__ == "__main__":
    main(*sys.argv[1:2])
