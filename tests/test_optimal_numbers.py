"""The best small tree of numbers: against plain enumeration, and told as it is."""

import os
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import bosco
from bosco import DataError, DecisionTreeRegressor, ParameterError
from tests.reference.optimal import best
from tests.test_optimal import mixed, table


@pytest.mark.parametrize("seed", range(60 * int(os.environ.get("EXAMPLES", "1"))))
def test_no_tree_of_numbers_is_better(seed: int) -> None:
    draw = random.Random(seed)
    columns, classes, weights, wanted = table(draw)
    wanted = replace(wanted, depth=min(wanted.depth, 2), numbers=True, costs=())
    y = [c * 10 + draw.randrange(4) for c in classes]
    tree = DecisionTreeRegressor(
        algorithm="optimal",
        max_depth=wanted.depth,
        max_leaf_nodes=wanted.leaves if wanted.leaves < 1 << 30 else None,
        alpha=float(wanted.alpha),
        min_samples_leaf=wanted.least,
        nominal_test="subset" if wanted.subsets else "one_vs_rest",
    ).fit(columns, y, sample_weight=weights)
    objective, _ = best(list(columns.values()), y, weights, wanted)
    known = tree.model_.certificate
    assert known is not None
    assert known.proved
    assert known.objective == pytest.approx(float(objective), rel=1e-7, abs=1e-7)
    assert known.leaves == tree.get_n_leaves()
    error = float(np.asarray(weights) @ (np.asarray(y) - tree.predict(columns)) ** 2)
    assert known.wrong == pytest.approx(error, rel=1e-7, abs=1e-7)
    assert tree.get_depth() <= wanted.depth
    # The same for rows in another order.
    order = list(range(len(y)))
    draw.shuffle(order)
    turned = {name: [cells[i] for i in order] for name, cells in columns.items()}
    again = clone(tree).fit(turned, [y[i] for i in order], [weights[i] for i in order])
    assert str(again.model_) == str(tree.model_)


def test_numbers_are_told_and_kept(tmp_path: Any) -> None:
    X, y = mixed(200, 12)
    tree = DecisionTreeRegressor(algorithm="optimal", alpha=0.5).fit(X, y)
    model = tree.model_
    text = str(model)
    assert "Proved optimal: the squared error of the training rows is" in text
    model.save(tmp_path / "m.json")
    assert str(bosco.load(tmp_path / "m.json")) == text
    stopped = DecisionTreeRegressor(algorithm="optimal", work_limit=1).fit(X, y).model_.certificate
    assert stopped is not None
    assert stopped.end == "work_limit"
    assert 0 <= stopped.bound <= stopped.objective
    with pytest.raises(ParameterError, match="max_depth must be 1 or 2"):
        DecisionTreeRegressor(algorithm="optimal", max_depth=3).fit(X, y)
    constant = DecisionTreeRegressor(algorithm="optimal").fit(X, np.full(len(y), 1e9))
    assert constant.get_n_leaves() == 1
    large = DecisionTreeRegressor(algorithm="optimal").fit(X, np.asarray(y) * 1e140)
    assert large.get_n_leaves() > 1
    with pytest.raises(DataError, match="passes what a float64 holds"):
        DecisionTreeRegressor(algorithm="optimal").fit(X, np.asarray(y) * 1e200)
