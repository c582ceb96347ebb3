"""`select`: chosen on validation, fitted again, tested once."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bosco import (
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestClassifier,
    select,
)
from bosco.datasets import golf
from bosco.judge.selection import Candidate, by_size

X, Y = load_wine(return_X_y=True, as_frame=True)
TREE = DecisionTreeClassifier()


class Spy(DecisionTreeClassifier):
    """A tree that writes down which rows it is given, by their index."""

    log: list[tuple[str, frozenset[int], Any]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        Spy.log.append(("fit", frozenset(X.index), self.max_depth))
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        Spy.log.append(("look", frozenset(X.index), self.max_depth))
        return super().predict(X)

    def predict_proba(self, X: Any) -> Any:
        Spy.log.append(("look", frozenset(X.index), self.max_depth))
        return super().predict_proba(X)


@pytest.mark.parametrize("prefer", ["accuracy", "small"])
@pytest.mark.parametrize("inner", ["validation", "k_fold", "monte_carlo"])
def test_the_test_part_is_looked_at_once_and_last(inner: str, prefer: str) -> None:
    Spy.log.clear()
    grid = {"max_depth": [1, 2, 3]}
    chosen = select(Spy(), grid, X, Y, inner=inner, metrics="accuracy", prefer=prefer)
    test = frozenset(chosen.test_rows)
    own = frozenset(range(178)) - test
    log = [event for event in Spy.log if event[:2] != ("look", own)]  # what it says of its own rows
    *before, refit, look = log
    assert all(not test & rows for _, rows, _ in before)
    assert refit == ("fit", own, chosen.best.parameters["max_depth"])
    assert look == ("look", test, chosen.best.parameters["max_depth"])
    said = [chosen.test_score, chosen.test_score, chosen.test_scores["accuracy"]]
    assert len(set(said)) == 1
    assert len(log) == len(before) + 2
    assert Spy.log[-1] == look  # asking again looks at nothing


def test_by_hand() -> None:
    chosen = select(TREE, {"max_depth": [1, 2, 3, 4]}, X, Y, metrics="accuracy")
    assert chosen.sizes == (106, 36, 36)
    known = np.setdiff1d(np.arange(178), chosen.test_rows)
    tree = clone(TREE).set_params(**chosen.best.parameters).fit(X.iloc[known], Y.iloc[known])
    assert chosen.estimator.tree_ == tree.tree_
    test = X.iloc[chosen.test_rows], Y.iloc[chosen.test_rows]
    assert chosen.test_score == tree.score(*test)
    counts = np.bincount(test[1])
    assert np.abs(counts - np.bincount(Y) * 0.2).max() <= 1
    assert chosen.best.score == max(c.score for c in chosen.candidates)


def test_ties_go_to_the_smaller_tree_then_to_the_earlier() -> None:
    def constant(*_: Any) -> float:
        return 0.5

    grid = [{"max_depth": [5, 2, 1]}, {"max_leaf_nodes": [2]}]
    chosen = select(TREE, grid, X, Y, metrics=constant)
    assert chosen.best.parameters == {"max_depth": 1}
    assert [c.rank for c in chosen.candidates] == [4, 3, 1, 2]


@pytest.mark.parametrize("inner", ["validation", "k_fold"])
def test_the_smallest_within_one_standard_error(inner: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    grid = {"max_depth": [1, 2, 3, 4, 5, 8, None]}
    args = (DecisionTreeRegressor(), grid, X, y)
    exact, small = (select(*args, inner=inner, prefer=p) for p in ("accuracy", "small"))
    assert np.isnan(exact.standard_error)
    assert exact.best is exact.most_exact
    assert exact.best.parameters == small.most_exact.parameters
    bound = small.most_exact.score - small.standard_error
    near = [c for c in small.candidates if c.score >= bound]
    assert small.best.leaves == min(c.leaves for c in near)
    assert small.estimator.max_depth == small.best.parameters["max_depth"]
    assert small.best.leaves < exact.best.leaves
    said = " ".join(str(small).split())
    assert f"the best has {small.most_exact.leaves:g} leaves" in said
    if inner == "k_fold":
        assert small.standard_error == pytest.approx(small.most_exact.sd / np.sqrt(10))


def test_trees_that_nobody_reads_are_a_last_resort() -> None:
    large, middle, small = (
        Candidate({}, score, float("nan"), leaves, rank)
        for score, leaves, rank in ((0.9, 500.0, 1), (0.8, 25.0, 2), (0.79, 3.0, 3))
    )
    assert by_size([small, large, middle], 0.05) == [middle]
    assert by_size([small, large, middle], 0.2) == [small, middle]
    assert by_size([large], 0.2) == [large]
    assert by_size([small, large, middle], float("nan")) == [large]


def test_forests_are_chosen_by_score() -> None:
    forest = RandomForestClassifier(n_estimators=3)
    chosen = select(forest, {"max_depth": [1, 5]}, X, Y, prefer="small")
    assert chosen.best is chosen.most_exact


def test_no_test_score_without_a_choice() -> None:
    calls = []

    def scorer(*_: Any) -> float:
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return 1.0

    chosen = select(TREE, {"max_depth": [1, 2, 3, 4]}, X, Y, metrics=scorer)
    assert chosen.interrupted
    assert len(chosen.candidates) == 2
    assert chosen.estimator is None
    assert chosen.test_scores == {}
    assert "not looked at" in str(chosen)
    with pytest.raises(ParameterError, match="no test score"):
        _ = chosen.test_score
    with pytest.raises(ParameterError, match="Nothing was chosen"):
        _ = chosen.best


def test_it_says_so() -> None:
    text = str(select(TREE, {"max_depth": range(1, 30)}, X, Y))
    assert "looked at once, after the choice" in " ".join(text.split())
    assert "… and 9 more" in text
    assert max(map(len, text.splitlines())) <= 100


def test_many_forms() -> None:
    columns, y = golf()
    rows = [dict(zip(columns, v, strict=True)) for v in zip(*columns.values(), strict=True)]
    assert sum(select(TREE, {"max_depth": [1, 2]}, rows, y).sizes) == 14
    table = select(DecisionTreeRegressor(), {"max_depth": [1, 2]}, *load_diabetes(return_X_y=True))
    assert list(pd.DataFrame(table.to_dict())["max_depth"]) == [1, 2]
    piped = make_pipeline(StandardScaler(), TREE)
    grid = {"standardscaler": ["passthrough"], "decisiontreeclassifier__max_depth": [1, 2]}
    found = select(piped, grid, X, Y, groups=np.arange(178) // 3, sample_weight=np.ones(178))
    groups = np.arange(178) // 3
    known = np.setdiff1d(np.arange(178), found.test_rows)
    assert not set(groups[found.test_rows]) & set(groups[known])


def test_jobs_do_not_matter() -> None:
    grid = {"max_depth": [1, 2, 3], "splitter": ["random"]}
    one, two = (select(TREE, grid, X, Y, inner="k_fold", n_jobs=n) for n in (1, 2))
    assert one.to_dict() == two.to_dict() or str(one.to_dict()) == str(two.to_dict())
    assert one.test_scores == two.test_scores


@pytest.mark.parametrize(
    ("grid", "more", "said"),
    [
        ({"max_dept": [1]}, {}, "Did you mean 'max_depth'"),
        ({"max_depth": 3}, {}, r"must be a list of values. Got 3. Hint: \[3\]"),
        ({"criterion": "gini"}, {}, "must be a list of values"),
        ({"max_depth": []}, {}, "is empty"),
        ([], {}, "nothing to choose from"),
        ("max_depth", {}, "grid must be a dict"),
        ({"max_depth": [0]}, {}, "'max_depth' parameter of DecisionTreeClassifier must be"),
        ({"max_depth": [1]}, {"split": (0.5, 0.5)}, "split must be three shares"),
        ({"max_depth": [1]}, {"split": (0.6, 0.4, 0)}, "split must be three shares"),
        ({"max_depth": [1]}, {"split": (0.6, 0.3, 0.3)}, "split must be three shares"),
        ({"max_depth": [1]}, {"split": 0.2}, "split must be three shares"),
        ({"max_depth": [1]}, {"inner": "kfold"}, "Did you mean 'k_fold'"),
        ({"max_depth": [1]}, {"repeats": 3}, "repeats is for inner="),
        ({"max_depth": [1]}, {"metrics": "acc"}, "Unknown metric"),
        ({"max_depth": [1]}, {"prefer": "smal"}, "Did you mean 'small'"),
    ],
)
def test_settings_are_checked(grid: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        select(TREE, grid, X, Y, **more)


def test_shares_that_leave_a_class_empty() -> None:
    rare = np.where(np.arange(178) < 2, "rare", Y.astype(str))
    with pytest.raises(DataError, match="test part would have no row of class 'rare'"):
        select(TREE, {"max_depth": [1]}, X, rare)
    with pytest.raises(DataError, match="cannot be split as asked"):
        select(TREE, {"max_depth": [1]}, X, Y, split=(0.98, 0.01, 0.01))


def test_scores_by_weight_are_called_so() -> None:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) < 150, "a", "b")
    weight = np.where(y == "b", 10.0, 1.0)
    found = select(TREE, {"max_depth": [1, 2]}, rng.random((200, 2)), y, sample_weight=weight)
    text = found.to_text()
    assert text.startswith("accuracy, by weight · ")
    assert "by weight: accuracy " in text.replace("\n", " ")
    assert "han always saying b, by weight, for all one can tell: " in text.replace("\n", " ")
