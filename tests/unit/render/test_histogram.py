"""Histograms count what they are given."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bosco import DataError, DecisionTreeClassifier, Model, ParameterError
from bosco.export.drawing import picture_of
from bosco.render.histogram import given_rows
from bosco.render.marks import Text
from tests.pictures import wine


def test_histograms_count_the_rows_given() -> None:
    model, X, y = wine()
    leaf = model.apply(X)
    inner = [n for n in range(model.tree.node_count) if model.tree.test(n) is not None]
    found = given_rows(model, X, y, inner).histograms
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
    (root,) = given_rows(model, X, None, [0]).histograms.values()
    below = root.right <= root.cuts[0] + 1e-9
    assert (root.counts[below].sum(), root.counts[~below].sum()) == (3, 2)


def test_histograms_of_levels_and_holes() -> None:
    X = {"s": ["a", "b", "b", None, "c", "c"], "x": [1.0, np.nan, 2.0, np.inf, 4.0, -np.inf]}
    y = ["p", "q", "q", "q", "p", "p"]
    model = DecisionTreeClassifier().fit({"s": X["s"]}, y).model_
    (root,) = given_rows(model, {"s": X["s"]}, y, [0]).histograms.values()
    assert root.counts.sum() + root.missing.sum() == 6
    assert root.missing.tolist() == [0, 1]
    assert len(root.cuts) == 1
    numeric = DecisionTreeClassifier(max_depth=1).fit({"x": [1.0, 2, 3, 4]}, [0, 0, 1, 1]).model_
    (root,) = given_rows(numeric, {"x": X["x"]}, None, [0]).histograms.values()
    assert (root.counts.sum(), root.missing.sum()) == (3, 1)
    assert given_rows(numeric, {"x": [np.nan]}, None, [0]).histograms[0].counts.sum() == 0


def test_histograms_want_fitting_data() -> None:
    model, X, y = wine()
    with pytest.raises(DataError, match="one value for each of the 178 rows"):
        model.svg(X=X, y=y[:5])
    with pytest.raises(DataError, match="label 7, which is none of the model's classes"):
        model.svg(X=X, y=np.where(y == 0, 7, y))
    with pytest.raises(ParameterError, match="y is given without X"):
        model.svg(y=y)


def words(model: Model, **given: Any) -> dict[int, list[str]]:
    """What stands in the boxes of a picture, by node; -1: above and below them."""
    said: dict[int, list[str]] = {}
    for group in picture_of(model, **given).groups:
        texts = [mark.text for mark in group.marks if isinstance(mark, Text)]
        said.setdefault(group.node, []).extend(texts)
    return said


def test_a_picture_of_the_training_rows_names_them() -> None:
    model, X, y = wine()
    said = words(model, X=X, y=y)
    assert "Boxes and histograms: the 178 training rows." in said[-1]
    assert "[0] 178 rows" in said[0]
    assert not any("given" in text for texts in said.values() for text in texts)


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_a_picture_of_other_rows_says_whose_each_number_is(orientation: str) -> None:
    model, X, y = wine()
    rng = np.random.default_rng(0)
    other = X[:30] + rng.normal(size=(30, X.shape[1]))
    leaf = model.apply(other)
    given = given_rows(model, other, y[:30], [0])
    said = words(model, X=other, y=y[:30], orientation=orientation)
    head = "Boxes: the 178 training rows. Histograms: the 30 rows given. None of 30 rows equals a"
    assert any(text.startswith(head) for text in said[-1])
    for node in range(model.tree.node_count):
        here = sum(node in model.tree.path(int(n)) for n in leaf)
        assert given.passing[node] == here
        text = f"{here or 'none'} of the 30 rows given"
        grown = f"[{node}] {int(model.tree.n_node_samples[node])} training row"
        if model.tree.test(node) is not None:
            assert f"histogram: {text}" in said[node]
        else:
            assert any(words.endswith(text) for words in said[node])
        assert any(words.startswith(grown) for words in said[node])
    assert 0 in given.passing  # an empty histogram, or leaf, among them


def test_a_model_that_remembers_nothing_names_both() -> None:
    model, X, y = wine()
    bare = replace(model, provenance={"rows": 178})
    (head,) = [text for text in words(bare, X=X, y=y)[-1] if text.startswith("Boxes: ")]
    assert head.endswith("178 rows given. This model does not remember its training rows.")
