"""The same data give the same forest, bit for bit: threads, rows with keys, copies, weights."""

import pickle
from typing import Any

import numpy as np
import pytest

from bosco import (
    DataError,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ParameterError,
    RandomForestClassifier,
    RandomForestRegressor,
)
from tests.mixed import mixed

FORESTS = [
    RandomForestClassifier,
    ExtraTreesClassifier,
    RandomForestRegressor,
    ExtraTreesRegressor,
]


@pytest.mark.parametrize("cls", FORESTS)
def test_any_number_of_threads(cls: Any) -> None:
    X, y = mixed(3_000)
    forests = [cls(8, random_state=3, n_jobs=n).fit(X, y) for n in (1, 2, 4)]
    assert len({forest.model_.digest() for forest in forests}) == 1
    assert (forests[0].predict(X) == forests[2].predict(X)).all()


@pytest.mark.parametrize("cls", FORESTS)
@pytest.mark.parametrize("settings", [{}, {"bootstrap": "once", "max_samples": 0.5}])
def test_rows_move_with_their_keys(cls: Any, settings: dict[str, Any]) -> None:
    X, y = mixed(800)
    keys = np.random.default_rng(1).permutation(10_000)[:800]
    order = np.random.default_rng(2).permutation(800)
    weight = np.random.default_rng(3).integers(0, 3, 800)
    plain, moved = (
        cls(5, random_state=3, **settings).fit(X.iloc[o], y[o], weight[o], row_keys=keys[o])
        for o in (np.arange(800), order)
    )
    assert plain.model_.digest() == moved.model_.digest()
    if settings:
        other = cls(5, random_state=3, **settings).fit(X.iloc[order], y[order], weight[order])
        assert plain.model_.digest() != other.model_.digest()


@pytest.mark.parametrize("cls", FORESTS)
def test_a_copy_is_the_same(cls: Any) -> None:
    X, y = mixed(500)
    forest = cls(5, random_state=3, bootstrap=True, oob_score=True, n_jobs=2)
    with pytest.warns(UserWarning, match="Some inputs"):
        forest.fit(X, y)
    copy = pickle.loads(pickle.dumps(forest))
    assert copy.model_.digest() == forest.model_.digest()
    assert (copy.predict(X) == forest.predict(X)).all()
    assert (copy.apply(X) == forest.apply(X)).all()


@pytest.mark.parametrize("cls", FORESTS)
def test_weight_two_is_the_row_twice_where_nothing_is_drawn(cls: Any) -> None:
    X, y = mixed(500)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), weight)
    weighted = cls(5, random_state=1, bootstrap=False, max_features="sqrt").fit(X, y, weight)
    repeated = cls(5, random_state=1, bootstrap=False, max_features="sqrt").fit(
        X.iloc[again], y[again]
    )
    assert weighted.model_.digest() == repeated.model_.digest()


@pytest.mark.parametrize("cls", FORESTS)
def test_warm_start_is_growing_all_at_once(cls: Any) -> None:
    X, y = mixed(500)
    settings = {"random_state": 5, "bootstrap": True, "oob_score": True}
    whole = cls(60, **settings).fit(X, y)
    grown = cls(40, warm_start=True, **settings).fit(X, y)
    grown.set_params(n_estimators=60).fit(X, y)
    assert grown.model_.digest() == whole.model_.digest()
    assert grown.oob_score_ == whole.oob_score_
    assert (grown.oob_curve_ == whole.oob_curve_).all()
    with pytest.warns(UserWarning, match="does not fit new trees"):
        grown.fit(X, y)
    with pytest.raises(ParameterError, match="larger or equal"):
        grown.set_params(n_estimators=3).fit(X, y)


def test_warm_start_needs_the_same_classes() -> None:
    X, y = mixed(300)
    forest = RandomForestClassifier(5, warm_start=True).fit(X, y)
    with pytest.raises(DataError, match="classes"):
        forest.set_params(n_estimators=6).fit(X, y + 1)


@pytest.mark.parametrize("cls", FORESTS)
def test_trees_that_were_there_are_judged_too(cls: Any) -> None:
    X, y = mixed(500)
    settings = {"random_state": 5, "bootstrap": True}
    whole = cls(60, oob_score=True, **settings).fit(X, y)
    grown = cls(40, warm_start=True, **settings).fit(X, y)
    grown.set_params(n_estimators=60, oob_score=True).fit(X, y)
    assert grown.model_.digest() == whole.model_.digest()
    assert grown.oob_score_ == whole.oob_score_
    assert (grown.oob_curve_ == whole.oob_curve_).all()
