"""Sparse tables: the same model, the same answers, and no dense table on the way."""

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
)
from bosco.data.readers import read_table
from bosco.errors import DataError, KindError

LEARNERS = [  # where missing values go is said: else they are refused in sparse tables
    DecisionTreeClassifier(max_depth=5, missing="learn"),
    DecisionTreeClassifier(algorithm="c45", missing="fractional"),
    DecisionTreeClassifier(missing="fractional", criterion="entropy", record=False),
    DecisionTreeClassifier(missing="surrogate", max_depth=3),
    DecisionTreeClassifier(splitter="random", random_state=3, missing="learn"),
    DecisionTreeClassifier(algorithm="optimal", max_depth=2, missing="learn"),
    DecisionTreeRegressor(min_samples_leaf=2, missing="learn"),
    RandomForestClassifier(4, random_state=1, missing="learn"),
    RandomForestRegressor(4, random_state=1, max_features=0.5, missing="learn"),
    RandomForestRegressor(3, random_state=1, criterion="absolute_error", missing="learn"),
    ExtraTreesClassifier(4, random_state=2, missing="learn"),
    AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1, criterion="error", missing="learn"), n_estimators=4
    ),
]
FORMS = [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array]


@given(data=st.data())
def test_sparse_is_dense(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**16))
    random = np.random.default_rng(seed)
    n, d = data.draw(st.integers(3, 300)), data.draw(st.integers(1, 6))
    dense = random.normal(size=(n, d)).round(data.draw(st.integers(0, 3)))
    dense *= random.random((n, d)) < data.draw(st.sampled_from([0.05, 0.4, 1.0]))
    dense[random.random((n, d)) < data.draw(st.sampled_from([0.0, 0.1]))] = np.nan
    X = data.draw(st.sampled_from(FORMS))(dense)
    learner = data.draw(st.sampled_from(LEARNERS))
    y = random.integers(0, 3, n) if hasattr(learner, "predict_proba") else random.normal(size=n)
    y[:2] = 0, 1
    try:
        other = learner.fit(dense, y).model_
    except DataError as error:  # AdaBoost finds nothing to learn
        with pytest.raises(DataError, match="^" + re.escape(str(error))):
            learner.fit(X, y)
        return
    one = learner.fit(X, y).model_
    if hasattr(one, "tree") and hasattr(learner, "tree_"):
        assert one.tree == other.tree
    for rows in (X, dense):
        np.testing.assert_array_equal(one.predict(rows), other.predict(dense))
        np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(dense))


def test_rows_keep_what_was_given() -> None:
    X = sparse.csc_array(([1.0, 2.0, 4.0], ([1, 0, 1], [0, 0, 0])), shape=(2, 1))  # one cell twice
    before = X.copy()
    table = read_table(X)
    assert table.column(0).values.tolist() == [2.0, 5.0]
    assert table.take(np.array([1, 1, 0])).column(0).values.tolist() == [5.0, 5.0, 2.0]
    assert (X.data.tolist(), X.indices.tolist()) == (before.data.tolist(), before.indices.tolist())


def test_what_is_not_plain_numbers_is_refused() -> None:
    X, y = sparse.csr_array(np.eye(4)), [0, 1, 0, 1]
    for settings in ({"derive": {"a": "x0 + x1"}}, {"categorical_features": [0]}):
        with pytest.raises(KindError, match="toarray"):
            DecisionTreeClassifier(**settings).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(KindError, match="toarray"):
        DecisionTreeClassifier().fit([["x", 1], ["y", 2]], [0, 1]).predict(
            sparse.csr_array(np.eye(2))
        )


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (sparse.csr_array((0, 3)), "0 sample"),
        (sparse.csr_array(([2**53 + 1], ([0], [1])), shape=(2, 2)), "beyond 2"),
        (sparse.csr_array((2**20, 2**20)), "1,024.0 GiB"),
    ],
)
def test_what_cannot_be_read_is_refused(X: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_table(X)


@pytest.mark.parametrize("form", FORMS)
def test_missing_values_that_nobody_speaks_of_are_refused(form: Any) -> None:
    dense = np.array([[0, 1.0], [0, 0], [2, np.nan], [0, np.nan]])
    y = [0, 1, 0, 1]
    for learner in (DecisionTreeClassifier(), RandomForestClassifier(2), AdaBoostClassifier()):
        learner.fit(dense, y)
        with pytest.raises(DataError, match=r"Input X contains NaN: .* column 1, row 2 is missing"):
            learner.fit(form(dense), y)
    tree = DecisionTreeClassifier(missing="learn").fit(form(dense), y)
    assert (tree.predict(form(dense)) == tree.predict(dense)).all()


def test_nothing_is_dense_on_the_way() -> None:
    X = sparse.random_array((2_000, 500), density=0.01, rng=np.random.default_rng(0), format="csr")
    y = np.arange(2_000) % 2
    DecisionTreeClassifier(max_depth=2).fit(X[:10], y[:10])  # what is imported once
    tracemalloc.start()
    learner = DecisionTreeClassifier(max_depth=3).fit(X, y)
    learner.predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000 * 500  # of Python's arrays: less than a byte a cell, and not 8


@pytest.mark.parametrize(
    ("begin", "rows", "words"),
    [
        ([0, 2], [1, 0], "ascend"),
        ([0, 2], [0, 0], "ascend"),
        ([0, 1], [3], "not there"),
        ([0, 1], [-1], "not there"),
        ([0, 2], [0], "fit together"),
        ([1, 1], [0], "fit together"),
        ([0, 2, 1], [0], "overlap"),
    ],
)
def test_the_core_checks_the_parts(begin: Any, rows: Any, words: str) -> None:
    frame = _core.Frame(3)
    with pytest.raises(Exception, match=words):
        frame.add_sparse(np.array(begin, np.int32), np.array(rows, np.int32), np.ones(len(rows)))
