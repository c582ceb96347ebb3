"""The bar between two classes, beside plain counting on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bosco
from bosco import AdaBoostClassifier, DecisionTreeClassifier, RandomForestClassifier
from bosco.datasets import golf
from bosco.errors import DataError, ParameterError
from bosco.figures.intervals import wilson
from bosco.tree.chosen import Chosen


def rows(seed: int, n: int = 400) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    X = {"a": rng.normal(size=n), "b": rng.integers(0, 5, n), "c": rng.normal(size=n)}
    ill = X["a"] + 0.5 * X["b"] + rng.normal(0, 1.2, n) > 2
    return X, np.where(ill, "ill", "well")


LEARNERS = {
    "tree": DecisionTreeClassifier(max_depth=5, min_samples_leaf=5),
    "shared": DecisionTreeClassifier(max_depth=4, missing="fractional"),
    "forest": RandomForestClassifier(15, random_state=0, max_depth=5),
    "points": AdaBoostClassifier(n_estimators=15),
}


def fitted(name: str) -> Any:
    return LEARNERS[name].fit(*rows(0)).model_


def scores(model: Any, X: Any, k: int) -> Any:
    if model.kind == "score_table":
        points = model.points(X)
        return points[:, k] - points[:, 1 - k]
    return model.predict_proba(X)[:, k]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("positive", ["ill", "well"])
def test_the_highest_bar_that_finds_so_many(name: str, positive: str) -> None:
    model, (X, y) = fitted(name), rows(1)
    moved = model.at(X, y, recall=0.9, positive=positive)
    own = scores(model, X, model.classes.tolist().index(positive))
    found = {bar: float(np.mean(own[y == positive] >= bar)) for bar in set(own.tolist())}
    assert moved.decision.cut.at == max(bar for bar, recall in found.items() if recall >= 0.9)
    assert (moved.predict(X) == positive).tolist() == (own >= moved.decision.cut.at).tolist()
    told = Chosen.read(moved.decision.cut.about)
    said = moved.predict(X) == positive
    truth = y == positive
    assert told.recall[0] == pytest.approx(np.mean(said[truth]))
    assert told.recall[1:] == pytest.approx([float(e) for e in wilson(told.recall[0], truth.sum())])
    assert told.precision[0] == pytest.approx(np.mean(truth[said]))
    assert told.answered[0] == pytest.approx(said.mean())
    assert told.cost[0] == pytest.approx(np.mean(said != truth))
    assert told.rows == len(y)


@pytest.mark.parametrize("name", LEARNERS)
def test_so_many_alarms_at_most(name: str) -> None:
    model, (X, y) = fitted(name), rows(1)
    own = scores(model, X, 0)
    for most in (60, 0.3):
        moved = model.at(X, y, alarms=most, positive="ill")
        n = int(np.count_nonzero(moved.predict(X) == "ill"))
        limit = most if most >= 1 else most * len(y)
        assert n <= limit
        below = max((s for s in own.tolist() if s < moved.decision.cut.at), default=None)
        assert below is None or np.count_nonzero(own >= below) > limit
        asked = "at most 60 times there" if most == 60 else "to 30 % of them at most"
        assert any(f"to answer ill {asked}: " in line for line in moved.deciding)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_least_cost(name: str) -> None:
    model, (X, y) = fitted(name), rows(1)
    moved = model.at(X, y, cost={"ill": 7}, positive="ill")
    own = scores(model, X, 0)

    def cost(bar: float) -> float:
        said = own >= bar
        return float(np.mean(7 * (~said & (y == "ill")) + (said & (y == "well"))))

    assert cost(moved.decision.cut.at) == pytest.approx(min(map(cost, set(own.tolist()))))
    told = Chosen.read(moved.decision.cut.about)
    assert told.cost[0] == pytest.approx(cost(moved.decision.cut.at))
    assert told.cost[1] < told.cost[0] < told.cost[2]
    if name != "points":
        assert any("mean cost" in line for line in moved.deciding)


def test_weights_are_copies_of_rows() -> None:
    model, (X, y) = fitted("tree"), rows(1)
    w = np.random.default_rng(2).integers(0, 4, len(y))
    twice = {name: np.repeat(values, w) for name, values in X.items()}
    one = model.at(X, y, recall=0.8, sample_weight=w).decision.cut
    other = model.at(twice, np.repeat(y, w), recall=0.8).decision.cut
    assert one.at == other.at
    assert one.about["recall"][0] == pytest.approx(other.about["recall"][0])


def test_seen_rows_are_said_or_refused() -> None:
    model, (X, y) = fitted("tree"), rows(0)
    with pytest.raises(DataError, match="equal training rows"):
        model.at(X, y, recall=0.9)
    X1, y1 = rows(1)
    both = {name: np.concatenate([X[name], X1[name]]) for name in X}
    moved = model.at(both, np.concatenate([y, y1]), recall=0.9)
    assert moved.decision.cut.about["seen"] == len(y)
    assert any("the figures flatter it" in line for line in moved.deciding)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "takes one of"),
        ({"recall": 0.9, "alarms": 3}, "Got recall, alarms"),
        ({"recall": 1.5}, "a share above 0, 1 at most"),
        ({"recall": True}, "a share above 0"),
        ({"alarms": 0}, "a whole number of rows"),
        ({"alarms": 2.5}, "a whole number of rows"),
        ({"threshold": 0}, "a share above 0"),
        ({"recall": 0.9, "positive": "il"}, "Did you mean 'ill'"),
        ({"cost": {"il": 5}}, "Did you mean 'ill'"),
        ({"recall": 0.9, "rows": False}, "chosen on rows"),
    ],
)
def test_what_is_refused(how: dict[str, Any], message: str) -> None:
    X, y = rows(1)
    given = () if how.pop("rows", True) is False else (X, y)
    with pytest.raises(ParameterError, match=message):
        fitted("tree").at(*given, **how)


def test_what_has_no_bar() -> None:
    X, y = rows(1)
    with pytest.raises(ParameterError, match="predicts numbers"):
        bosco.DecisionTreeRegressor(max_depth=2).fit(X, X["a"]).model_.at(threshold=0.5)
    with pytest.raises(ParameterError, match="predicts 3 classes"):
        DecisionTreeClassifier(max_depth=2).fit(X, X["b"] % 3).model_.at(threshold=0.5)
    with pytest.raises(DataError, match="rows of both classes"):
        fitted("tree").at(X, ["ill"] * len(y), recall=0.5)
    pure = DecisionTreeClassifier().fit(*rows(0)).model_
    with pytest.raises(DataError, match="share of 0"):
        pure.at(X, y, recall=1.0)


def test_a_bar_stays_through_pruning_and_says_so() -> None:
    model = DecisionTreeClassifier().fit(*golf()).model_.at(threshold=0.9)
    assert model.prune("same_answer").decision == model.decision
    assert "Play where its share is at least 0.9, else Don't Play." in str(model)
    points = fitted("points").at(threshold=1.5, positive="ill")
    assert "ill if the points sum to -1.5 or less, else well" in str(points)
    case = {"a": 0.0, "b": 2, "c": 0.0}
    assert "ill if the points sum to -1.5 or less" in str(points.explain(case))
