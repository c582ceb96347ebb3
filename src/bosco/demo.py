"""Three small trees, shown: ``python -m bosco.demo``.

Play-tennis by ID3 and by C4.5, then wine by CART with its error on rows it has not seen.
"""

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


def play_tennis(algorithm: str) -> None:
    """Learn the 14 days of play-tennis and show the tree."""
    X, y = bosco.datasets.play_tennis()
    clf = bosco.DecisionTreeClassifier(algorithm=algorithm).fit(X, y)
    wrong = round((1 - clf.score(X, y)) * len(y))
    _title(f"Play-tennis, {algorithm}: {len(y)} days, {wrong} wrong in training")
    _show(clf.model_, clf.model_.why(0))


def wine() -> None:
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


def main() -> None:
    """Run the whole demo."""
    play_tennis("id3")
    play_tennis("c45")
    wine()


if __name__ == "__main__":
    main()
