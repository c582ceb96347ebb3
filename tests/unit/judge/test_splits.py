"""Rows of any table, and splits that are keyed, stratified and kept apart by groups."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from bosco.errors import DataError, ParameterError
from bosco.judge.data import read_data, take_rows
from bosco.judge.splits import METHODS, plan

BY_CHANCE = [method for method in METHODS if method != "rolling"]  # which goes by time
COLUMNS = {"a": [1, 2, 3], "b": ["x", None, "z"]}
ROWS = np.array([2, 0, 2])


def data_of(y: Any, **more: Any) -> Any:
    return read_data(np.zeros((len(y), 1)), y, "classification", **more)


def test_rows_keep_their_form() -> None:
    frame = pd.DataFrame(COLUMNS).astype({"a": "Int8", "b": "category"})
    taken = take_rows(frame, ROWS)
    assert taken.dtypes.equals(frame.dtypes)
    assert taken["a"].tolist() == [3, 1, 3]
    polars = pl.DataFrame(COLUMNS, schema={"a": pl.UInt16, "b": pl.Categorical})
    assert take_rows(polars, ROWS).schema == polars.schema
    assert take_rows(polars, ROWS)["b"].to_list() == ["z", "x", "z"]
    arrow = pa.table({"a": pa.array([1, 2, 3], pa.int8()), "b": COLUMNS["b"]})
    assert take_rows(arrow, ROWS).schema == arrow.schema
    assert take_rows(arrow, ROWS).to_pydict() == {"a": [3, 1, 3], "b": ["z", "x", "z"]}
    assert take_rows(COLUMNS, ROWS) == {"a": [3, 1, 3], "b": ["z", "x", "z"]}
    dicts = [{"a": i} for i in range(3)]
    assert take_rows(dicts, ROWS) == [{"a": 2}, {"a": 0}, {"a": 2}]
    assert take_rows(dicts, ROWS[:1]) == [{"a": 2}]
    assert take_rows(csr_matrix(np.eye(3)), ROWS).toarray()[0].tolist() == [0, 0, 1]


LABELS = st.lists(st.integers(0, 3), min_size=12, max_size=60).filter(
    lambda y: len(set(y)) > 1 and min(np.bincount(y)[np.unique(y)]) > 1
)


@settings(deadline=None, max_examples=30)
@given(LABELS, st.sampled_from(BY_CHANCE), st.integers(0, 5), st.booleans())
def test_parts(y: list[int], method: str, seed: int, stratify: bool) -> None:
    repeats = 1 if method == "holdout" else 3
    folds = 3 if method == "k_fold" else None
    made = plan(data_of(y), method, repeats=repeats, folds=folds, stratify=stratify, seed=seed)
    try:
        splits = list(made)
    except DataError:  # more classes than rows to test on
        return
    assert len(splits) == len(made)
    for split in splits:
        assert len(split.test)
        assert not set(split.train) & set(split.test)
        assert {*split.train, *split.test} == set(range(len(y)))
        if stratify and method in ("holdout", "monte_carlo"):
            all_counts, counts = np.bincount(y), np.bincount(np.array(y)[split.test], minlength=4)
            wanted = all_counts * len(split.test) / len(y)
            assert np.abs(counts[: len(wanted)] - wanted).max() <= 1
    if method == "k_fold":
        tested = np.concatenate([split.test for split in splits[:3]])
        assert sorted(tested) == list(range(len(y)))
    if method == "bootstrap_632":
        assert all(len(split.train) == len(y) for split in splits)
    again = list(made)
    assert all((a.train == b.train).all() for a, b in zip(splits, again, strict=True))


@pytest.mark.parametrize("method", ["monte_carlo", "k_fold", "bootstrap_632"])
def test_a_repeat_does_not_depend_on_how_many_there_are(method: str) -> None:
    data = data_of([0, 1] * 20)
    few, many = (list(plan(data, method, repeats=n)) for n in (2, 5))
    assert all((a.train == b.train).all() for a, b in zip(few, many, strict=False))
    assert not (
        many[0].train.shape == many[-1].train.shape and (many[0].train == many[-1].train).all()
    )


@pytest.mark.parametrize("method", BY_CHANCE)
@pytest.mark.parametrize("stratify", [True, False])
def test_groups_are_kept_together(method: str, stratify: bool) -> None:
    groups = [f"g{i // 4}" for i in range(60)]
    data = data_of([0, 1, 1] * 20, groups=pl.Series(groups))
    folds = 5 if method == "k_fold" else None
    for split in plan(data, method, folds=folds, stratify=stratify):
        assert not {groups[i] for i in split.train} & {groups[i] for i in split.test}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "kfold"}, "Did you mean 'k_fold'"),
        ({"method": "holdout", "repeats": 2}, "method='monte_carlo' repeats it"),
        ({"method": "monte_carlo", "repeats": 0}, "repeats must be a whole number, 1 or more"),
        ({"method": "monte_carlo", "repeats": 1.5}, "repeats must be"),
        ({"method": "monte_carlo", "test_size": 1.0}, "must lie between 0 and 1"),
        ({"method": "monte_carlo", "test_size": 10}, "between 1 and 9"),
        ({"method": "monte_carlo", "test_size": "third"}, "a share or a number of rows"),
        ({"method": "k_fold", "test_size": 0.2}, "has no meaning"),
        ({"method": "bootstrap_632", "test_size": 0.2}, "has no meaning"),
        ({"method": "monte_carlo", "folds": 3}, "method='k_fold' only"),
        ({"method": "k_fold", "folds": 1}, "2 or more"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        plan(data_of([0, 1] * 5), **settings)


def test_data_are_checked() -> None:
    with pytest.raises(DataError, match="one class only, 'a'"):
        data_of(["a", "a"])
    with pytest.raises(DataError, match=r"groups must have a value for each of the 4 rows. Got 3"):
        data_of([0, 1] * 2, groups=[1, 2, 3])
    with pytest.raises(DataError, match="one group only"):
        data_of([0, 1] * 2, groups=[1] * 4)
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        read_data(np.zeros((3, 1)), [0, 1], "classification")
    with pytest.raises(DataError, match="row 1 is missing"):
        data_of(["a", None, "b"])
    with pytest.raises(DataError, match="expected"):
        data_of([0, 1], sample_weight=[1, 2, 3])
    with pytest.raises(DataError, match="Class 'rare' has 1 row"):
        plan(data_of(["a", "b"] * 5 + ["rare"]), "monte_carlo")
    with pytest.raises(DataError, match=r"cannot be split as asked: .* Hint: another test_size"):
        list(plan(data_of([0, 1, 2] * 5), "monte_carlo", test_size=2))
    with pytest.raises(DataError, match="cannot be split as asked"):
        list(plan(data_of([0, 1] * 5), "k_fold", folds=100))
