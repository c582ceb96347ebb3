"""Forests over rows in parts: the file of the model that one table gives, whatever the parts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from bosco import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.errors import DataWarning, ParameterError
from bosco.scale import stepping
from bosco.scale.adding import merged
from bosco.scale.fitting import fit_parts
from bosco.scale.source import Here
from tests.strategies import examples
from tests.test_scale import N, file_of, fitted, listened, parted, table

FORESTS = [
    RandomForestClassifier,
    ExtraTreesClassifier,
    RandomForestRegressor,
    ExtraTreesRegressor,
]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"bootstrap": True, "max_samples": 0.3},
    {"bootstrap": "once", "max_samples": 0.5, "max_features": 2},
    {"bootstrap": False, "max_features": None, "min_samples_leaf": 5},
    {"missing": "majority", "ccp_alpha": 0.002},
    {"missing": "branch", "max_leaf_nodes": 9},
    {"fingerprint": True, "min_impurity_decrease": 0.001},
]
CLASSES: list[dict[str, Any]] = [
    {"class_weight": "balanced"},
    {"class_weight": "balanced_subsample", "bootstrap": True},
    {"class_weight": "balanced_subsample", "bootstrap": False},
    {"class_weight": {"low": 0, "high": 2.5}, "criterion": "entropy"},
    {"vote": "mode", "bootstrap": True, "oob_score": True, "tree_weights": "oob_accuracy"},
]


def data_of(cls: Any, seed: int) -> tuple[Any, Any]:
    """Rows in the order of their parts, and a target."""
    X, signal = table(seed)
    if "Classifier" in cls.__name__:
        return X, np.select([signal > 1.5, signal < 0], ["high", "low"], "middle")
    return X, signal


class Grouped(Here):
    """Parts at two workers, each of which adds up what its own say."""

    def ask(self, steps: Any, request: str, *args: Any) -> list[Any]:
        said = super().ask(steps, request, *args)
        half = len(said) // 2
        one, two = (merged(request, some) for some in (said[:half], said[half:]))
        return [*one, *two]


def cut_at(cuts: Any) -> Any:
    """Which part each row is in, if a table is cut at some rows: order is what samples go by."""
    return np.searchsorted(np.sort(cuts), np.arange(N), side="right")


@pytest.mark.parametrize("cls", FORESTS)
def test_the_file_is_the_same_for_any_parts(cls: Any, tmp_path: Path) -> None:
    X, y = data_of(cls, 0)
    rng = np.random.default_rng(1)
    for settings in SETTINGS + (CLASSES if "Classifier" in cls.__name__ else []):
        estimator = cls(6, random_state=3, **{"max_depth": 4} | settings)
        for weight in (None, rng.integers(0, 3, N), rng.random(N)):
            want = file_of(fitted(clone(estimator), X, y, sample_weight=weight).model_, tmp_path)
            for small, cuts in ((0, rng.integers(0, N, 9)), (200, [])):
                made = over_parts(clone(estimator), X, y, weight, cut_at(cuts), small)
                assert file_of(made.model_, tmp_path) == want, (settings, small)


def over_parts(estimator: Any, X: Any, y: Any, weight: Any, part_of: Any, small: int = 0) -> Any:
    engine = Grouped(parted(X, y, weight, part_of, small).parts)
    engine.small = small
    return fitted(Fitting(estimator), engine)


class Fitting:
    """`fit_parts` under the name of `fit`, for `fitted`."""

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, engine: Any) -> Any:
        return fit_parts(self.estimator, engine)


@pytest.mark.parametrize("cls", FORESTS)
@pytest.mark.parametrize("small", [0, 100, N])
def test_trees_to_their_end(cls: Any, small: int, tmp_path: Path) -> None:
    """No limit on depth: level by level, or small nodes finished in one place."""
    X, y = data_of(cls, 4)
    estimator = cls(3, random_state=8, bootstrap=True)
    want = file_of(fitted(clone(estimator), X, y).model_, tmp_path)
    made = over_parts(estimator, X, y, None, cut_at([100, 101, 700]), small)
    assert file_of(made.model_, tmp_path) == want


@examples(25)
@given(st.data())
def test_any_settings_and_any_parts(data: st.DataObject) -> None:
    cls = data.draw(st.sampled_from(FORESTS))
    X, y = data_of(cls, data.draw(st.integers(0, 3)))
    X = X[data.draw(st.lists(st.sampled_from(list(X.columns)), min_size=1, unique=True))]
    bootstrap = data.draw(st.sampled_from([True, False, "once"]))
    estimator = cls(
        data.draw(st.integers(1, 12)),
        bootstrap=bootstrap,
        max_samples=data.draw(st.sampled_from([None, 0.1, 0.9, 1, 300])) if bootstrap else None,
        max_features=data.draw(st.sampled_from([None, 1, "sqrt", 0.7])),
        max_depth=data.draw(st.integers(1, 6)),
        min_samples_split=data.draw(st.sampled_from([2, 40])),
        missing=data.draw(st.sampled_from(["learn", "branch", "majority"])),
        random_state=data.draw(st.integers(0, 9)),
    )
    weight = data.draw(st.sampled_from([None, np.arange(N) % 4]))
    cuts = data.draw(st.lists(st.integers(0, N), max_size=8))
    want = fitted(clone(estimator), X, y, sample_weight=weight)
    small = data.draw(st.sampled_from([0, 30, 300, N]))
    made = over_parts(estimator, X, y, weight, cut_at(cuts), small)
    assert made.model_.digest() == want.model_.digest()


@pytest.mark.parametrize("cls", FORESTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_figures_out_of_the_bag(cls: Any, weighted: bool) -> None:
    """Counted where the rows are, added up: the figures of one table."""
    X, y = data_of(cls, 2)
    if weighted and y.dtype == float:
        y = np.rint(10 * y)  # whole numbers: errors are counted in finer units than those
    weight = np.arange(N) % 3 if weighted else None
    estimator = cls(25, max_depth=6, bootstrap=True, oob_score=True, random_state=0)
    whole = fitted(clone(estimator), X, y, sample_weight=weight)
    made = over_parts(estimator, X, y, weight, cut_at([50, 400, 401]))
    assert np.allclose(made.oob_curve_, whole.oob_curve_, rtol=1e-12, atol=0)
    assert np.isclose(made.oob_score_, whole.oob_score_, rtol=1e-12)
    assert 0.3 < whole.oob_score_ < 1
    if "Classifier" in cls.__name__:
        assert made.oob_curve_.tolist() == whole.oob_curve_.tolist()
    assert [rows.tolist() for rows in made.estimators_samples_] == [
        rows.tolist() for rows in whole.estimators_samples_
    ]


def test_rows_that_all_trees_have_seen() -> None:
    X, signal = table()
    forest = RandomForestClassifier(1, oob_score=True, max_depth=2, random_state=0)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        fit_parts(forest, parted(X, signal > 1, None, cut_at([300])))


def test_trees_go_in_step() -> None:
    """One round carries the requests of all trees at hand, and parts forget trees that are done."""
    X, signal = table()
    engine = parted(X, signal > 1, None, cut_at([300]))
    rounds = listened(engine)
    fit_parts(RandomForestClassifier(stepping.TOGETHER, max_depth=3, random_state=0), engine)
    assert len(rounds) <= 2 * 4 + 3  # as many as the slowest tree has
    assert {len(part.trees) for part in engine.parts} <= {0, 1, 2}


def test_what_is_held_is_limited_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, signal = table()
    forest = ExtraTreesClassifier(10, max_depth=4, random_state=0)
    digests, counts = set(), []
    for together, held in ((8, 2**28), (3, 2**28), (8, 1), (1, 0)):
        monkeypatch.setattr(stepping, "TOGETHER", together)
        monkeypatch.setattr(stepping, "HELD", held)
        engine = parted(X, signal > 1, None, cut_at([300]))
        rounds = listened(engine)
        digests.add(fit_parts(clone(forest), engine).model_.digest())
        counts.append(len(rounds))
    assert len(digests) == 1
    assert counts[0] < counts[1] < counts[3]
    assert counts[0] < counts[2]


def test_a_part_that_was_forgotten_draws_the_same() -> None:
    """Parts made anew before every request: what they keep is a cache, of several trees too."""
    X, signal = table()
    forest = RandomForestClassifier(9, max_depth=4, random_state=0)
    engine = parted(X, signal > 1, None, cut_at([300, 600]))
    ask = engine.ask

    def forgetful(steps: Any, request: str, *args: Any) -> Any:
        for part in engine.parts:
            part._forget()
        return ask(steps, request, *args)

    engine.ask = forgetful  # type: ignore[method-assign]
    made = fit_parts(clone(forest), engine)
    assert made.model_.digest() == forest.fit(X, signal > 1).model_.digest()


def test_an_interrupted_forest_keeps_whole_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    X, signal = table()
    monkeypatch.setattr(stepping, "TOGETHER", 2)
    forest = RandomForestClassifier(9, max_depth=3, random_state=0, keep_on_interrupt=True)
    engine = parted(X, signal > 1, None, cut_at([300]))
    ask, asked = engine.ask, []

    def broken(steps: Any, request: str, *args: Any) -> Any:
        asked.append(request)
        if asked.count("each") > 20:
            raise KeyboardInterrupt
        return ask(steps, request, *args)

    engine.ask = broken  # type: ignore[method-assign]
    with pytest.warns(DataWarning, match="of 9 trees were grown, and kept"):
        fit_parts(forest, engine)
    n = forest.model_.n_trees
    assert 0 < n < 9
    first = RandomForestClassifier(n, max_depth=3, random_state=0).fit(X, signal > 1)
    assert (first.predict_proba(X) == forest.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("cls", "settings"),
    [
        (RandomForestClassifier, {"warm_start": True}),
        (RandomForestClassifier, {"oob_score": max}),
        (RandomForestRegressor, {"leaf_rows": True}),
        (ExtraTreesClassifier, {"missing": "fractional"}),
        (ExtraTreesClassifier, {"oob_score": True}),
    ],
)
def test_what_is_refused(cls: Any, settings: dict[str, Any]) -> None:
    X, y = data_of(cls, 0)
    (name,) = settings
    with pytest.raises(ParameterError, match=f"{name}=|Out of bag"):
        fit_parts(cls(3, **settings), parted(X, y, None, cut_at([300])))
