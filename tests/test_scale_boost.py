"""AdaBoost over rows in parts: whatever the parts, all that is learned is that of one table."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier as TheirTree

from bosco import AdaBoostClassifier, DecisionTreeClassifier
from bosco.errors import DataError, ParameterError
from bosco.scale.fitting import fit_parts
from tests.strategies import examples
from tests.test_scale import N, file_of, fitted, parted, partings, table


def assert_same(made: Any, whole: Any, X: Any, folder: Path) -> None:
    """Every file, every round and what is said after each."""
    assert hasattr(made, "model_") == hasattr(whole, "model_")
    if hasattr(whole, "model_"):
        assert file_of(made.model_, folder) == file_of(whole.model_, folder)
    assert len(made.estimators_) == len(whole.estimators_)
    for one, other in zip(made.estimators_, whole.estimators_, strict=True):
        assert file_of(one.model_, folder) == file_of(other.model_, folder)
    assert made.history_.keys() == whole.history_.keys()
    for name, want in whole.history_.items():
        assert np.array_equal(made.history_[name], want), name
    for name in ("estimator_weights_", "estimator_errors_", "feature_importances_", "classes_"):
        assert np.array_equal(getattr(made, name), getattr(whole, name)), name
    for one, other in zip(made.staged_predict(X), whole.staged_predict(X), strict=True):
        assert (one == other).all()
    assert (made.predict_proba(X) == whole.predict_proba(X)).all()


def labels_of(signal: Any, classes: int) -> Any:
    if classes == 2:
        return np.where(signal > 1, "high", "low")
    return np.select([signal > 1.5, signal < 0], ["high", "low"], "middle")


TREES: list[dict[str, Any]] = [
    {"max_depth": 1, "criterion": "error"},
    {"max_depth": 1, "missing": "majority"},
    {"max_depth": 2, "criterion": "entropy", "missing": "branch"},
    {"max_depth": 3, "min_samples_leaf": 9},
    {"algorithm": "id3", "max_depth": 2, "pruning": "none"},
    {"algorithm": "hunt", "max_depth": 2, "min_samples_split": 30},
    {"algorithm": "c45", "max_depth": 2, "pruning": "none", "missing": "learn"},
    {"max_depth": 1, "record": True},
    {"max_depth": 3, "record": True, "max_leaf_nodes": 5},
    {"max_depth": 2, "max_features": 2, "random_state": 5, "min_weight_fraction_leaf": 0.05},
    {"max_depth": 2, "splitter": "random", "random_state": 1},
]


@pytest.mark.parametrize("settings", TREES, ids=str)
def test_the_file_is_the_same_for_any_parts(settings: dict[str, Any], tmp_path: Path) -> None:
    X, signal = table()
    rng = np.random.default_rng(3)
    for classes, weight, more in (
        (2, None, {"watch": [5, 899, 0]}),
        (3, rng.integers(0, 3, N), {"algorithm": "samme", "learning_rate": 0.6}),
        (2, rng.random(N), {"learning_rate": 0.5, "fingerprint": False}),
    ):
        y = labels_of(signal, classes)
        estimator = AdaBoostClassifier(DecisionTreeClassifier(**settings), n_estimators=4, **more)
        whole = fitted(clone(estimator), X, y, sample_weight=weight)
        assert len(whole.estimators_) > 1
        for part_of in partings(signal, rng):
            # Rows to watch are numbered from part to part.
            place = np.sort(part_of) if "watch" in more else part_of
            made = fit_parts(clone(estimator), parted(X, y, weight, place))
            assert_same(made, whole, X, tmp_path)


REFITTED: list[dict[str, Any]] = [
    {"max_depth": 2, "class_weight": "balanced"},
    {"max_depth": 2, "class_weight": {"middle": 0, "high": 2.5}},
    {"max_depth": 2, "missing": "fractional"},
    {"max_depth": 3, "missing": "surrogate", "min_samples_leaf": 9},
    {"max_depth": 4, "ccp_alpha": 0.003},
    {"max_depth": 3, "pruning": "generalization_error"},
    {"algorithm": "c45", "max_depth": 2, "pruning": "none"},
    {"max_depth": 2, "splitter": "random", "class_weight": "balanced"},
]


@pytest.mark.parametrize("settings", REFITTED, ids=str)
def test_trees_that_are_fitted_anew_each_round(settings: dict[str, Any], tmp_path: Path) -> None:
    """Those that the core's rounds do not know: all of their learners' files."""
    X, signal = table(6)
    y = labels_of(signal, 3)
    rng = np.random.default_rng(4)
    for weight, more in (
        (None, {"watch": [3, 888]}),
        (rng.integers(0, 3, N), {"early_stopping": True, "n_iter_no_change": 2}),
        (rng.random(N), {"learning_rate": 0.5}),
    ):
        learner = DecisionTreeClassifier(**settings)
        estimator = AdaBoostClassifier(learner, n_estimators=3, random_state=2, **more)
        whole = fitted(clone(estimator), X, y, sample_weight=weight)
        for part_of in (np.sort(rng.integers(0, 4, N)), np.minimum(np.arange(N) // 2, 30)):
            made = fit_parts(clone(estimator), parted(X, y, weight, part_of))
            assert_same(made, whole, X, tmp_path)


@pytest.mark.parametrize("weighted", [None, "whole", "real", "huge"])
def test_early_stopping_holds_back_the_same_rows(weighted: str | None, tmp_path: Path) -> None:
    """By what rows hold: equal rows in several parts, parts of which nothing is left to learn."""
    X, signal = table(4)
    if not weighted:  # many rows are equal
        X = X.assign(many=X["many"].round(0)).drop(columns="tenths")
    rng = np.random.default_rng(0)
    weight = {
        None: None,
        "whole": rng.integers(0, 3, N),
        "real": rng.random(N) * 10.0 ** rng.integers(-9, 9, N),
        "huge": np.where(np.arange(N) < 100, 1.0, 1e40),
    }[weighted]
    settings: dict[str, Any] = {"n_estimators": 25, "n_iter_no_change": 3, "random_state": 7}
    learner = DecisionTreeClassifier(max_depth=1, min_samples_leaf=2)
    estimator = AdaBoostClassifier(
        learner, early_stopping=True, validation_fraction=0.3, **settings
    )
    for classes in (2, 3):
        y = labels_of(signal, classes)
        whole = fitted(clone(estimator), X, y, sample_weight=weight)
        assert whole.history_["ended"] == "asked"
        single = np.minimum(np.arange(N) // 2, 40)  # parts of two rows
        for part_of in (partings(signal, rng)[3], np.arange(N) * 7 // N, single):
            made = fit_parts(clone(estimator), parted(X, y, weight, part_of))
            assert_same(made, whole, X, tmp_path)


@given(data=st.data())
@examples(40)
def test_any_table_any_parts(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    n = data.draw(st.integers(4, 60), label="rows")
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32), label="seed"))
    k = data.draw(st.integers(2, 4), label="classes")
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(data.draw(st.integers(0, 3), label="digits")),
            "text": rng.choice(["a", "b", "c", None], n),
            "whole": rng.integers(0, 5, n),
        }
    )
    X.loc[rng.random(n) < 0.2, "x"] = np.nan
    y = rng.integers(0, k, n)
    y[:2] = [0, 1]
    weights = [None, rng.integers(0, 4, n), rng.random(n), rng.random(n).round(1)]
    weight = data.draw(st.sampled_from(weights), label="weight")
    if weight is not None:
        weight[:2] = 1
    learner = DecisionTreeClassifier(
        max_depth=data.draw(st.integers(1, 3), label="depth"),
        criterion=data.draw(st.sampled_from(["error", "gini", "entropy"]), label="criterion"),
        missing=data.draw(st.sampled_from(["learn", "branch", "majority"]), label="missing"),
        min_samples_leaf=data.draw(st.integers(1, 3), label="leaf"),
    )
    estimator = AdaBoostClassifier(
        learner,
        n_estimators=data.draw(st.integers(1, 6), label="rounds"),
        algorithm=data.draw(st.sampled_from(["discrete", "samme"]), label="algorithm"),
        learning_rate=data.draw(st.sampled_from([1.0, 0.3]), label="rate"),
        early_stopping=data.draw(st.booleans(), label="early"),
        validation_fraction=0.4,
        random_state=1,
    )
    n_parts = data.draw(st.sampled_from([1, 2, 3, 7, 50]), label="parts")
    part_of = rng.integers(0, n_parts, n)
    if data.draw(st.booleans(), label="by class"):
        part_of = y * n_parts // k
    try:
        whole = fitted(clone(estimator), X, y, sample_weight=weight)
    except DataError:
        whole = None
    if whole is None:
        with pytest.raises(DataError):
            fit_parts(clone(estimator), parted(X, y, weight, part_of))
        return
    made = fit_parts(clone(estimator), parted(X, y, weight, part_of))
    assert_same(made, whole, X, tmp_path_factory.getbasetemp())


def test_a_tree_without_error_decides_alone(tmp_path: Path) -> None:
    X, y = pd.DataFrame({"x": np.arange(30.0)}), np.arange(30) > 12
    whole = AdaBoostClassifier(n_estimators=9).fit(X, y)
    made = fit_parts(AdaBoostClassifier(n_estimators=9), parted(X, y, None, np.arange(30) % 4))
    assert made.history_["ended"] == "perfect"
    assert_same(made, whole, X, tmp_path)


def test_mere_chance_is_refused() -> None:
    X, y = pd.DataFrame({"x": [0, 0, 1, 1]}), np.array([0, 1, 0, 1])
    with pytest.raises(DataError, match="worse than random"):
        fit_parts(AdaBoostClassifier(), parted(X, y, None, np.array([0, 0, 1, 2])))


def test_what_a_round_asks() -> None:
    """A stump costs its tables and one request for the update; steps that are done stay short."""
    X, signal = table()
    y = labels_of(signal, 2)
    engine = parted(X, y, None, np.arange(N) % 3)
    asked: list[str] = []
    longest: list[int] = []
    ask = engine.ask

    def counted(steps: Any, request: str, *args: Any) -> list[Any]:
        asked.extend([name for _, name, _ in args[0]] if request == "each" else [request])
        longest.append(sum(step[0] != "tree" for step in steps))
        return ask(steps, request, *args)

    engine.ask = counted  # type: ignore[method-assign]
    fit_parts(AdaBoostClassifier(n_estimators=20, fingerprint=False), engine)
    assert asked.count("count") == 40
    assert asked.count("look") <= 40
    assert asked.count("marked") == 20
    assert longest == sorted(longest)  # nobody is told to forget


def test_a_part_that_begins_anew_says_the_same(tmp_path: Path) -> None:
    """As another worker does, after one died: told all steps at once."""
    X, signal = table()
    y = labels_of(signal, 3)
    estimator = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6, watch=[3])
    estimator.set_params(early_stopping=True, random_state=0, n_iter_no_change=6)
    whole = fitted(clone(estimator), X, y)
    engine = parted(X, y, None, np.arange(N) * 3 // N)
    ask, requests = engine.ask, [0]

    def dying(*asked: Any) -> list[Any]:
        requests[0] += 1
        engine.parts[requests[0] % len(engine.parts)]._forget()
        return ask(*asked)

    engine.ask = dying  # type: ignore[method-assign]
    assert_same(fit_parts(clone(estimator), engine), whole, X, tmp_path)


def test_what_is_refused() -> None:
    X, signal = table()
    y = labels_of(signal, 2)
    engine = parted(X, y, None, np.arange(N) % 3)
    for learner, said in (
        (LogisticRegression(), r"for which tables of counts are enough.*Got sklearn.*LogisticReg"),
        (TheirTree(max_depth=1), r"Got sklearn\.tree.*DecisionTreeClassifier"),
        (DecisionTreeClassifier(algorithm="c45"), "Pessimistic.* goes back to the rows"),
    ):
        with pytest.raises(ParameterError, match=said):
            fit_parts(AdaBoostClassifier(learner), engine)


def test_rows_to_watch() -> None:
    X, signal = table()
    y = labels_of(signal, 2)
    weight = np.ones(N)
    weight[:300] = 0  # a part of its own
    part_of = np.arange(N) * 3 // N
    for watch, said in (
        ([900], "numbers of rows from 0 to 899"),
        ([-1], "numbers of rows from 0 to 899"),
        ([[1]], "numbers of rows"),
        ([5], "a row of weight 0, which takes no part"),
    ):
        with pytest.raises(DataError, match=said):
            fit_parts(AdaBoostClassifier(watch=watch), parted(X, y, weight, part_of))
    watch = [899, 300, 300, 650]
    whole = fitted(AdaBoostClassifier(n_estimators=4, watch=watch), X, y, sample_weight=weight)
    made = fit_parts(AdaBoostClassifier(n_estimators=4, watch=watch), parted(X, y, weight, part_of))
    assert np.array_equal(made.history_["weights"], whole.history_["weights"])
    estimator = AdaBoostClassifier(watch=range(300, 900), early_stopping=True, random_state=0)
    with pytest.raises(DataError, match="early_stopping holds back"):
        fit_parts(estimator, parted(X, y, weight, part_of))
