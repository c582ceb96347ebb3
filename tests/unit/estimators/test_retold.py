"""Rounds of boosting and trees of a forest, told again: every figure from the rows."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import golf, loans
from bosco.errors import DataError, ParameterError


def test_the_coefficients_of_the_method() -> None:
    """Error 0.2 gives 0.6931; weights 1.9 right and 0.5 wrong give 0.2083 and 0.6675."""
    X, y = loans()
    first = AdaBoostClassifier(n_estimators=1).fit(X, y).trace(X, y)[0]
    assert (round(first.error, 4), round(first.coefficient, 4)) == (0.2, 0.6931)
    assert "½ ln((1 − 0.2000)/0.2000) = 0.6931" in str(first)
    Z, z, weight = {"a": [0, 0, 1]}, ["no", "yes", "yes"], [0.9, 0.5, 1.0]
    told = AdaBoostClassifier(n_estimators=1).fit(Z, z, weight).trace(Z, z, weight)[0]
    assert (round(told.error, 4), round(told.coefficient, 4)) == (0.2083, 0.6675)


CASES = {
    "loans": (AdaBoostClassifier(n_estimators=8), *loans()),
    "half rate": (AdaBoostClassifier(n_estimators=8, learning_rate=0.5), *loans()),
    "samme": (AdaBoostClassifier(n_estimators=6, algorithm="samme"), *loans()),
    "deeper": (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4), *loans()),
    "three classes": (AdaBoostClassifier(n_estimators=6), *load_wine(return_X_y=True)),
    "another library": (
        AdaBoostClassifier(LogisticRegression(max_iter=5000), n_estimators=3),
        load_breast_cancer().data[:, :3],
        load_breast_cancer().target,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_figure_from_the_rows(case: str) -> None:
    """Weights, errors, coefficients, bound and margins by their definitions, in plain floats."""
    boosted, X, y = CASES[case]
    boosted.fit(X, y)
    trace, label = boosted.trace(X, y), np.asarray(y)
    classes = boosted.classes_
    k, weight = len(classes), np.full(len(label), 1 / len(label))
    votes, bound = np.zeros((len(label), k)), 1.0
    half = k == 2 and boosted.algorithm == "discrete"
    assert len(trace) == len(boosted.estimators_)
    for told, learner in zip(trace, boosted.estimators_, strict=True):
        said = learner.predict(X)
        wrong = said != label
        error = weight[wrong].sum()
        odds = boosted.learning_rate * (np.log((1 - error) / error) + np.log(k - 1))
        assert told.weights == pytest.approx(weight, rel=1e-9)
        assert told.error == pytest.approx(error)
        assert told.coefficient == pytest.approx(odds / 2 if half else odds)
        assert (told.wrong == wrong).all()
        if half:
            changed = weight * np.exp(np.where(wrong, odds / 2, -odds / 2))
        else:
            changed = weight * np.exp(np.where(wrong, odds, 0))
        assert told.normaliser == pytest.approx(changed.sum())
        if half and boosted.learning_rate == 1:
            assert told.normaliser == pytest.approx(2 * np.sqrt(error * (1 - error)))
        weight = changed / changed.sum()
        assert told.after == pytest.approx(weight, rel=1e-9)
        votes[np.arange(len(label)), np.searchsorted(classes, said)] += told.coefficient
        own = votes[np.arange(len(label)), np.searchsorted(classes, label)]
        rest = np.where(classes[None] == label[:, None], -np.inf, votes).max(axis=1)
        assert told.margins == pytest.approx((own - rest) / votes.sum(axis=1), abs=1e-9)
        sure = np.abs(own - rest) > 1e-9  # equal votes are not rounded alike here
        assert told.training_error == pytest.approx(np.mean(own < rest), abs=1 - sure.mean() + 1e-9)
        if k == 2:
            bound *= (1 - error) * np.exp(-odds / 2) + error * np.exp(odds / 2)
            assert told.bound == pytest.approx(bound)
            assert told.training_error <= told.bound + 1e-12
        else:
            assert np.isnan(told.bound)
    assert [1 - t.training_error for t in trace] == pytest.approx(list(boosted.staged_score(X, y)))


def test_stumps_that_were_tried() -> None:
    """The weighted error of each column's stump, the winner's first."""
    X, y = loans()
    for told in AdaBoostClassifier(n_estimators=3).fit(X, y).trace(X, y):
        tried = told.tried()
        assert tried[0][1] == pytest.approx(told.error)
        assert [error for _, error in tried] == sorted(error for _, error in tried)
        assert told.steps[0].columns[0].best.test in told.head()
        assert told.steps[0].weight == pytest.approx(1)


def test_rounds_that_end_early_and_rows_of_others() -> None:
    X, y = loans()
    sure = AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=5)
    Z, z = [[0], [1], [2]], ["a", "b", "a"]
    told = sure.fit(Z, z).trace(Z, z)
    assert (told.ended, told[-1].error, told[-1].training_error) == ("perfect", 0, 0)
    assert "no error: it decides alone" in str(told[-1])
    stops = AdaBoostClassifier(n_estimators=30, early_stopping=True, random_state=0).fit(X, y)
    assert len(stops.trace(X, y)) == len(stops.history_["error"])
    with pytest.raises(DataError, match="as they were given to fit"):
        stops.trace(X, y[::-1])
    watched = AdaBoostClassifier(n_estimators=4, watch=[0, 7]).fit(X, y)
    noted = np.array([one.weights[[0, 7]] for one in watched.trace(X, y)])
    assert noted == pytest.approx(watched.history_["weights"], rel=1e-12)


FORESTS: dict[str, Any] = {
    "forest": RandomForestClassifier(4, random_state=1),
    "balanced": RandomForestClassifier(4, random_state=1, class_weight="balanced_subsample"),
    "weighted": RandomForestClassifier(4, random_state=1, class_weight="balanced"),
    "extra": ExtraTreesClassifier(4, random_state=1),
    "few rows": RandomForestClassifier(4, random_state=1, max_samples=7, bootstrap="once"),
}


@pytest.mark.parametrize("name", FORESTS)
def test_a_tree_of_a_forest(name: str) -> None:
    """Its rows as it drew them, its columns as it drew them, and the tree's own tests."""
    X, y = golf()
    forest = FORESTS[name].fit(X, y)
    for t in range(4):
        trace = forest.trace(X, y, tree=t)
        tree = forest.estimators_[t]
        times = np.bincount(forest.estimators_samples_[t], minlength=14)
        assert (trace.drawn is None) or (trace.drawn == times).all()
        leaf = tree.apply(X)
        for step in trace:
            here = np.array([step.node in tree.tree_.path(k) for k in leaf.tolist()]) & (times > 0)
            assert step.rows.tolist() == np.flatnonzero(here).tolist()
            if name in ("forest", "few rows"):
                assert step.weight == times[here].sum()
            for tried in step.columns:
                assert tried.best.column in step.drawn
                rest = sum(way.weight * way.impurity for way in tried.ways) / step.weight
                assert tried.best.gain == pytest.approx(step.impurity - rest, abs=1e-9)
        looked = [step for step in trace if step.columns]
        assert all(len(step.drawn) <= 2 for step in looked)
    with pytest.raises(ParameterError, match="from 0 to 3"):
        forest.trace(X, y, tree=4)
    with pytest.raises(DataError, match="training rows"):
        forest.trace({k: v[:9] for k, v in X.items()}, y[:9])


def test_numbers_and_votes() -> None:
    X, y = load_wine(return_X_y=True)
    forest = RandomForestRegressor(3, random_state=0, max_features=3).fit(X, y * 1.5)
    step = forest.trace(X, y * 1.5, tree=2)[0]
    drawn = np.repeat(y * 1.5, np.bincount(forest.estimators_samples_[2], minlength=len(y)))
    assert step.impurity == pytest.approx(drawn.var())
    votes = forest.model_.votes(X[0])
    assert votes.total[0] == pytest.approx(np.mean([v.says[0] for v in votes.votes]))
    assert votes.prediction == forest.predict(X[:1])[0]
    by_class = RandomForestClassifier(15, random_state=0, vote="mode").fit(X, y)
    votes = by_class.model_.votes(X[5])
    assert votes.total == pytest.approx(by_class.predict_proba(X[5:6])[0].tolist())
    assert [v.leaf for v in votes.votes] == by_class.apply(X[5:6])[0].tolist()
    total = np.sum([np.multiply(v.says, v.weight) for v in votes.votes], axis=0)
    assert votes.total == pytest.approx(total.tolist())
    assert "… and 5 more" in str(votes)
    assert "so 0" in str(votes)
