"""What large tables keep of a node: tests near the best, each the best of its column."""

from typing import Any

import numpy as np
import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor

NEAR = 0.99


def table(n: int, classes: int) -> tuple[Any, Any]:
    """Columns that say nearly the same, so that many nodes have near ties."""
    rng = np.random.default_rng(classes)
    signal = rng.normal(size=n)
    X = np.stack([signal + rng.normal(scale=s, size=n) for s in (0.02, 0.02, 0.03, 0.05, 0.4)], 1)
    noisy = signal + rng.normal(scale=0.5, size=n)
    if classes == 0:
        return X, noisy
    return X, np.digitize(noisy, np.quantile(noisy, np.linspace(0, 1, classes + 1)[1:-1]))


def compared(tree: Any, node: int) -> dict[str, tuple[float, str]]:
    """By column: the gain and the words of what was compared at a node."""
    return {c.column: (c.gain, c.test) for c in tree.model_.why(node).candidates}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_near_ties_are_exact(classes: int, n_jobs: int) -> None:
    X, y = table(24_000, classes)
    kind: Any = DecisionTreeClassifier if classes else DecisionTreeRegressor
    auto = kind(max_depth=4, n_jobs=n_jobs).fit(X, y)
    whole = kind(max_depth=4, n_jobs=n_jobs, record=True).fit(X, y)
    assert (auto.tree_.threshold == whole.tree_.threshold).all()
    large, ties = 0, 0
    for node in np.flatnonzero(auto.tree_.feature >= 0).tolist():
        kept, all_of_them = compared(auto, node), compared(whole, node)
        best = max(gain for gain, _ in all_of_them.values())
        near = {name: told for name, told in all_of_them.items() if told[0] >= NEAR * best}
        if len(kept) < len(all_of_them):
            assert kept == near, node
            large += 1
            ties += len(kept) - 1
        else:
            assert kept == all_of_them, node
    assert large > 2
    assert ties > 2
