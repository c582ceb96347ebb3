"""Which stump AdaBoost is better off with: ``python -m bench.weak``.

The stump of the least weighted error, which the method asks for, beside that of the least Gini
impurity, which scikit-learn's default is: test error of fifty rounds on the sets of classes that
``bench.quality`` reads, five folds, twice. The table in docs/forests.md is what it prints.
"""

import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bench.quality import SETS, load
from bosco import AdaBoostClassifier, DecisionTreeClassifier

ROUNDS, FOLDS, REPEATS = 50, 5, 2


def errors(name: str, criterion: str) -> list[float]:
    """Test errors of every fold, in percent."""
    table = load(name)
    found = []
    for repeat in range(REPEATS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
        for train, test in folds.split(table.X, table.y):
            weak = DecisionTreeClassifier(max_depth=1, criterion=criterion)
            boosted = AdaBoostClassifier(weak, n_estimators=ROUNDS)
            boosted.fit(table.X.iloc[train], table.y[train])
            wrong = boosted.predict(table.X.iloc[test]) != table.y[test]
            found.append(100 * float(np.mean(wrong)))
    return found


def main() -> None:
    """Print a line for every set, and the means."""
    warnings.simplefilter("ignore")
    lines = []
    print("| set | Gini | error |\n|---|---|---|")
    for name in SETS:
        if load(name).real:
            continue
        lines.append([float(np.mean(errors(name, criterion))) for criterion in ("gini", "error")])
        print(f"| {name} | {lines[-1][0]:.1f} | {lines[-1][1]:.1f} |", flush=True)
    print("| mean | {:.1f} | {:.1f} |".format(*np.mean(lines, axis=0)))


if __name__ == "__main__":
    main()
