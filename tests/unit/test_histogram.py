"""Histograms count what they are given."""

import numpy as np
import pytest

from bosco import DataError, DecisionTreeClassifier, ParameterError
from bosco.render.histogram import histograms
from tests.pictures import wine


def test_histograms_count_the_rows_given() -> None:
    model, X, y = wine()
    leaf = model.apply(X)
    inner = [n for n in range(model.tree.node_count) if model.tree.test(n) is not None]
    found = histograms(model, X, y, inner)
    for node in inner:
        here = np.array([node in model.tree.path(int(n)) for n in leaf])
        counted = found[node].counts
        assert counted.sum(axis=0).tolist() == np.bincount(y[here], minlength=3).tolist()
        (cut,) = found[node].cuts
        below = found[node].right <= cut + 1e-9
        x = X[here, model.tree.feature[node]]
        assert counted[below].sum() == (x <= model.tree.threshold[node]).sum()


def test_bars_own_their_upper_edge_as_branches_do() -> None:
    X = {"x": [1.0, 2.0, 2.0, 3.5, 3.5]}
    model = DecisionTreeClassifier(threshold="observed").fit(X, [0, 0, 0, 1, 1]).model_
    assert model.tree.threshold[0] == 2.0
    (root,) = histograms(model, X, None, [0]).values()
    below = root.right <= root.cuts[0] + 1e-9
    assert (root.counts[below].sum(), root.counts[~below].sum()) == (3, 2)


def test_histograms_of_levels_and_holes() -> None:
    X = {"s": ["a", "b", "b", None, "c", "c"], "x": [1.0, np.nan, 2.0, np.inf, 4.0, -np.inf]}
    y = ["p", "q", "q", "q", "p", "p"]
    model = DecisionTreeClassifier().fit({"s": X["s"]}, y).model_
    (root,) = histograms(model, {"s": X["s"]}, y, [0]).values()
    assert root.counts.sum() + root.missing.sum() == 6
    assert root.missing.tolist() == [0, 1]
    assert len(root.cuts) == 1
    numeric = DecisionTreeClassifier(max_depth=1).fit({"x": [1.0, 2, 3, 4]}, [0, 0, 1, 1]).model_
    (root,) = histograms(numeric, {"x": X["x"]}, None, [0]).values()
    assert (root.counts.sum(), root.missing.sum()) == (3, 1)
    assert histograms(numeric, {"x": [np.nan]}, None, [0])[0].counts.sum() == 0


def test_histograms_want_fitting_data() -> None:
    model, X, y = wine()
    with pytest.raises(DataError, match="one value for each of the 178 rows"):
        model.svg(X=X, y=y[:5])
    with pytest.raises(DataError, match="class 7, which the model does not know"):
        model.svg(X=X, y=np.where(y == 0, 7, y))
    with pytest.raises(ParameterError, match="y is given without X"):
        model.svg(y=y)
