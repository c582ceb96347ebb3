"""Accounts of one case of many trees: they add up, and say it in words."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from bosco import (
    AdaBoostClassifier,
    DataError,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import play_tennis
from tests.mixed import mixed

DAY = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}


@pytest.mark.parametrize("vote", ["mean", "mode"])
def test_columns_add_up_to_the_share(vote: str) -> None:
    X, y = mixed(80)
    model = RandomForestClassifier(8, vote=vote, max_depth=3, random_state=0).fit(X, y).model_
    rows = [{name: X[name][i] for name in X} for i in range(0, 80, 9)]
    for row in rows:
        told, shares = model.explain(row), model.predict_proba(row)
        assert told.prediction == model.predict(row)
        assert told.shares == dict(zip(model.classes.tolist(), shares.tolist(), strict=True))
        assert told.total == pytest.approx(told.shares[told.prediction], abs=1e-12)
        assert told.total == pytest.approx(told.base + sum(i.adds for i in told.items))
        sizes = [abs(item.adds) for item in told.items]
        assert sizes == sorted(sizes, reverse=True)


def test_of_a_number_by_position() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y).model_
    told = model.explain(X[7])
    assert told.unit == "number"
    assert told.shares == {}
    assert told.total == pytest.approx(model.predict(X[7:8])[0])
    lines = str(told).splitlines()
    assert lines[0] == "the mean that is predicted"
    assert lines[-1].endswith(f"so {told.prediction}")


def test_points_add_up_exactly() -> None:
    X, y = load_iris(return_X_y=True)
    for classes in (slice(0, 100), slice(None)):
        model = AdaBoostClassifier(n_estimators=12).fit(X[classes, 1:2], y[classes]).model_
        for row in X[classes, 1:2][::17]:
            told, points = model.explain(row), model.points(row[None])[0]
            two = len(points) == 2
            assert told.total == (points[1] - points[0] if two else points.max())
            assert told.total == sum(item.adds for item in told.items)  # no digit is lost
            assert told.prediction == model.predict(row[None])[0]


def test_words() -> None:
    model = RandomForestClassifier(25, random_state=0).fit(*play_tennis()).model_
    told = model.explain(DAY | {"Wind": None})
    assert "Wind is missing" in str(told)
    assert told.case == DAY | {"Wind": None}
    assert told.to_text() == str(told)
    table = told.to_markdown().splitlines()
    assert table[0] == f"**{told.prediction}**"
    assert sum(line.startswith("| ") for line in table) == len(told.items) + 3
    assert told.to_dict()["items"][0] == {
        "what": told.items[0].what,
        "adds": told.items[0].adds,
    }
    names: Any = np.array(["a|b", "c"])
    model = RandomForestClassifier(3, bootstrap=False).fit({"x_": [0.0, 1.0]}, names).model_
    assert "**a\\|b**" in model.explain({"x_": 0.0}).to_markdown()
    with pytest.raises(DataError, match="One case is wanted"):
        model.explain([1, 2, 3])


def test_an_account_says_what_was_counted_and_who_won_a_tie() -> None:
    X, y = [[0.0], [0.0], [1.0], [1.0]], [*"abab"]
    tie = ExtraTreesClassifier(n_estimators=2, random_state=0).fit(X, y).model_.explain([0.0])
    assert str(tie).startswith("the share of b, as large as that of a; of equals the last\n")
    voted = RandomForestClassifier(3, vote="mode", random_state=0).fit(X, [*"aabb"]).model_
    assert str(voted.explain([0.0])).startswith("the share of the votes for a, the largest of all")
    assert "is decided by the votes of all trees" in str(voted.report())
