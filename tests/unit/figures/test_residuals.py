"""What a regression leaves over: every number again from the rows."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from bosco import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestRegressor,
    residuals,
)
from bosco.figures.intervals import mean_interval, wilson


def data(n: int = 800) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] * 3 + rng.normal(size=n)


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_and_reach(weighted: bool) -> None:
    X, y = data()
    w = np.random.default_rng(3).choice([0.0, 0.5, 2.0], len(y)) if weighted else None
    model = DecisionTreeRegressor(max_depth=4).fit(X[:300], y[:300]).model_
    found = residuals(model, X, y, w)
    keep = np.arange(300, len(y))
    keep = keep if w is None else keep[w[keep] > 0]
    y, said = y[keep], model.predict(X)[keep]
    w = np.ones(len(y)) if w is None else w[keep]
    off = y - said
    assert found.n_rows == len(y)
    assert found.absolute[0] == pytest.approx(np.average(np.abs(off), weights=w))
    assert found.residual[0] == pytest.approx(np.average(off, weights=w))
    assert sum(one.rows for one in found.bins) == len(y)
    begin = 0
    for one in found.bins:
        here = np.isin(said, np.sort(said)[begin : begin + one.rows])
        begin += one.rows
        assert here.sum() == one.rows  # equal predictions stay together
        assert one.predicted == pytest.approx(np.average(said[here], weights=w[here]))
        assert one.truth == pytest.approx(np.average(y[here], weights=w[here]))
        assert one.residual == pytest.approx(np.average(off[here], weights=w[here]))
        assert one.absolute == pytest.approx(np.average(np.abs(off[here]), weights=w[here]))
        assert one.spread == pytest.approx(np.quantile(off[here], [0.05, 0.25, 0.5, 0.75, 0.95]))
        if not weighted:
            low, high = mean_interval(off[here].mean(), off[here].std(ddof=1), one.rows)
            assert [one.low, one.high] == pytest.approx([float(low), float(high)])
    for share, reach in found.reach.items():
        assert np.average(np.abs(off) <= reach, weights=w) >= share - 1e-12
        assert np.average(np.abs(off) < reach, weights=w) < share
    leaves = model.apply(X)[keep]
    spread = np.sqrt(model.tree.native.impurity)[leaves]
    for one in found.coverage:
        held = np.abs(off) <= norm.ppf((1 + one.promised) / 2) * spread
        assert one.share == pytest.approx(np.average(held, weights=w))
        n = w.sum() ** 2 / (w @ w)
        assert [one.low, one.high] == pytest.approx([*map(float, wilson(one.share, n))])
    assert f"On {len(y)} rows that equal no training row." in str(found)


def test_a_forest_has_its_own_intervals() -> None:
    X, y = data()
    forest = RandomForestRegressor(20, leaf_rows=True, random_state=0).fit(X[:500], y[:500])
    found = residuals(forest, X[500:], y[500:])
    for one in found.coverage:
        low, high = forest.predict_interval(X[500:], coverage=one.promised).T
        assert one.share == pytest.approx(np.mean((low <= y[500:]) & (y[500:] <= high)))
        assert one.width == pytest.approx(np.mean(high - low))
    assert "quantiles that the forest gives" in str(found)
    assert residuals(forest.model_, X[500:], y[500:]).coverage == ()


def test_rows_seen_are_no_test() -> None:
    X, y = data(200)
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    assert "So this is no test" in str(residuals(tree, X, y))
    one = residuals(DecisionTreeRegressor(max_depth=1).fit(X, np.ones(200)), X[:1], [2.0])
    assert one.n_rows == 1
    assert str(one)
    with pytest.raises(ParameterError, match="Residuals are of numbers"):
        residuals(DecisionTreeClassifier().fit(X, y > 0), X, y > 0)
