"""Derived columns in every estimator: fitted, applied, kept in files."""

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.errors import ParameterError

DERIVE = {"bmi": "weight / height ** 2", "heavy": "bmi > 25", "free": "wind != 'gale' or heavy"}


def people(n: int = 200) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "weight": random.integers(40, 120, n).astype(float),
            "height": random.integers(140, 200, n) / 100,
            "wind": random.choice(["calm", "gale"], n),
        }
    )
    X.loc[::17, "weight"] = np.nan
    X.loc[5, "height"] = 0.0
    y = np.where(X["weight"] / X["height"] ** 2 > 25, "yes", "no")
    y[::13] = "no"
    return X, y


def with_columns(X: pd.DataFrame) -> pd.DataFrame:
    """The same columns, made by pandas before the fit."""
    with np.errstate(all="ignore"):
        bmi = (X["weight"] / (X["height"] * X["height"])).replace([np.inf, -np.inf], np.nan)
    heavy = (bmi > 25).astype("boolean").mask(bmi.isna())
    free = ((X["wind"] != "gale") | heavy.fillna(False)).astype("boolean").mask(bmi.isna())
    return X.assign(bmi=bmi, heavy=heavy, free=free)


ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(algorithm="c45"),
    DecisionTreeClassifier(missing="surrogate", max_depth=4),
    RandomForestClassifier(8, random_state=1),
    ExtraTreesClassifier(8, random_state=1),
    AdaBoostClassifier(n_estimators=6),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6),
]


@pytest.mark.parametrize("plain", ESTIMATORS, ids=repr)
def test_it_is_the_model_of_columns_that_were_there(plain: Any) -> None:
    X, y = people()
    own = clone(plain).set_params(derive=DERIVE).fit(X, y)
    there = clone(plain).fit(with_columns(X), y)
    assert np.array_equal(own.predict(X), there.predict(with_columns(X)))
    assert np.array_equal(own.predict_proba(X), there.predict_proba(with_columns(X)))
    assert np.array_equal(own.feature_importances_, there.feature_importances_)
    assert own.n_features_in_ == 3
    assert list(own.feature_names_in_) == list(X.columns)
    assert len(own.feature_importances_) == 6
    model = own.model_
    assert set(model.columns_asked) <= set(X.columns)
    one = X.iloc[3].to_dict()
    assert model.predict(one) == own.predict(X)[3]


@pytest.mark.parametrize("plain", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("form", ["json", "bosco"])
def test_files_hold_them(plain: Any, form: str, tmp_path: Path) -> None:
    X, y = people()
    model = clone(plain).set_params(derive=DERIVE).fit(X, y).model_
    path = tmp_path / f"model.{form}"
    model.save(path)
    again = bosco.load(path)
    assert again.schema == model.schema
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    second = tmp_path / f"again.{form}"
    again.save(second)
    assert second.read_bytes() == path.read_bytes()
    pickled = pickle.loads(pickle.dumps(model))
    assert np.array_equal(pickled.predict_proba(X), model.predict_proba(X))


def test_numbers_as_targets() -> None:
    X, _ = people()
    X["weight"] = X["weight"].fillna(70.0)
    y = with_columns(X)["bmi"].fillna(0.0)
    for plain in (DecisionTreeRegressor(max_depth=4), RandomForestRegressor(5, random_state=0)):
        own = clone(plain).set_params(derive=DERIVE).fit(X, y)
        there = clone(plain).fit(with_columns(X), y)
        assert np.array_equal(own.predict(X), there.predict(with_columns(X)))


def test_a_matrix_of_more_columns_is_not_taken_for_a_derived_one() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    tree = DecisionTreeClassifier(derive={"sum": "x0 + x1"}).fit(X, X.sum(axis=1) > 0)
    assert tree.get_n_leaves() == 2
    assert tree.score(X, X.sum(axis=1) > 0) == 1.0
    assert tree.predict(X[:3]).tolist() == (X[:3].sum(axis=1) > 0).tolist()
    with pytest.raises(ValueError, match="X has 3 features"):
        tree.predict(np.zeros((2, 3)))


def test_trees_of_forests_take_the_columns_of_X() -> None:
    X, y = people()
    forest = RandomForestClassifier(40, random_state=0, derive=DERIVE).fit(X, y)
    assert len(forest.estimators_[0].predict(X)) == len(X)
    paths, _ = forest.decision_path(X)
    assert paths.shape[0] == len(X)
    drops = forest.permutation_importances_oob(X, y).importances
    assert drops.shape == (6, 5)


def test_folds_of_a_policy_and_rows_set_apart() -> None:
    X, y = people()
    for pruning in (bosco.pruning.CostComplexity(cv=3), bosco.pruning.ReducedError(validation=0.3)):
        tree = DecisionTreeClassifier(derive=DERIVE, pruning=pruning).fit(X, y)
        assert len(tree.predict(X)) == len(X)


def test_constraints_go_by_columns_of_X_or_by_name() -> None:
    X, y = people()
    short = DecisionTreeClassifier(derive=DERIVE, monotonic_cst=[1, -1, 0]).fit(X, y)
    named = DecisionTreeClassifier(derive=DERIVE, monotonic_cst={"weight": 1, "height": -1})
    assert str(short.model_) == str(named.fit(X, y).model_)
    DecisionTreeClassifier(derive=DERIVE, monotonic_cst={"bmi": 1}).fit(X, y)
    with pytest.raises(ParameterError, match="has 3 features"):
        DecisionTreeClassifier(derive=DERIVE, monotonic_cst=[1, 0]).fit(X, y)


def test_a_foreign_learner_derives_nothing() -> None:
    from sklearn.linear_model import LogisticRegression

    X, y = people()
    with pytest.raises(ParameterError, match="LogisticRegression reads X as it is"):
        AdaBoostClassifier(LogisticRegression(), derive=DERIVE).fit(X, y)
    twice = AdaBoostClassifier(DecisionTreeClassifier(derive=DERIVE), derive=DERIVE)
    with pytest.raises(ParameterError, match="derive is said twice"):
        twice.fit(X, y)


def test_no_derived_column_leaves_a_file_as_it_was() -> None:
    X, y = people()
    with_none, without = io.BytesIO(), io.BytesIO()
    for derive, place in (({}, with_none), (None, without)):
        DecisionTreeClassifier(derive=derive).fit(X, y).model_.save(place, form="json")
    assert with_none.getvalue() == without.getvalue()
    assert b"expression" not in without.getvalue()
