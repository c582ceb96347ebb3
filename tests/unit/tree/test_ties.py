"""Ties of classes have one answer: the second of two, the first of more."""

from typing import Any

import numpy as np
import pytest

import bosco
from bosco.tree.ties import heaviest, of_equals


@pytest.mark.parametrize(
    ("shares", "place"),
    [([0.5, 0.5], 1), ([0.6, 0.4], 0), ([1.0], 0), ([1, 3, 3], 1), ([2, 2, 2, 2], 0)],
)
def test_the_heaviest(shares: list[float], place: int) -> None:
    assert heaviest(np.array([shares])).tolist() == [place]
    assert heaviest(np.array([shares, shares[::-1]])).shape == (2,)


def test_how_it_is_called() -> None:
    assert [of_equals(n) for n in (2, 3, 9)] == ["last", "first", "first"]


@pytest.mark.parametrize(("y", "says"), [([-1, 1], 1), ([*"abc"], "a"), ([*"bbcca"], "b")])
@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_everywhere_the_same(y: list[Any], says: Any, missing: str) -> None:
    """A leaf of a tie, asked in every way there is."""
    X = {"x": np.zeros(len(y))}
    row = {"x": 0.0}
    tree = bosco.DecisionTreeClassifier(missing=missing).fit(X, y)
    forest = bosco.RandomForestClassifier(3, bootstrap=False).fit(X, y)
    modes = bosco.RandomForestClassifier(3, bootstrap=False, vote="mode").fit(X, y)
    for model in (tree.model_, forest.model_, modes.model_):
        assert model.predict(row) == says
        told: dict[str, Any] = {}
        exec(model.to_python(), told)
        assert told["predict"](row) == says
    assert {rule.answer for rule in tree.model_.rules().rules} == {says}
    assert tree.model_.explain(row).prediction == says


def test_points_tie_too() -> None:
    X, y = {"x": [0.0, 1.0, 2.0]}, ["a", "b", "c"]
    boosted = bosco.AdaBoostClassifier(n_estimators=2).fit(X, y)
    points = boosted.model_.points(X)
    assert (boosted.predict(X) == boosted.classes_[np.argmax(points, axis=1)]).all()


def test_importances_of_huge_numbers() -> None:
    x = np.arange(8.0)
    small = bosco.DecisionTreeRegressor().fit({"x": x, "z": x % 3}, x**2)
    large = bosco.DecisionTreeRegressor().fit({"x": x, "z": x % 3}, x**2 * 2.0**505)
    assert large.feature_importances_.tolist() == small.feature_importances_.tolist()
    raw = large.tree_.compute_feature_importances(normalize=False)
    assert raw == pytest.approx(
        2.0**1010 * small.tree_.compute_feature_importances(normalize=False)
    )
