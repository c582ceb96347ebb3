"""Derived columns of rows that lie in parts: the model's file is that of one table, to the byte."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco import AdaBoostClassifier, DecisionTreeClassifier, RandomForestClassifier
from bosco.errors import ParameterError
from tests.unit.estimators.test_derive import DERIVE, people

LEARNERS = [
    DecisionTreeClassifier(derive=DERIVE),
    RandomForestClassifier(3, derive=DERIVE, random_state=0),
    AdaBoostClassifier(n_estimators=4, derive=DERIVE),
]


def written(model: Any) -> bytes:
    place = io.BytesIO()
    model.save(place, form="json")
    return place.getvalue()


def files(folder: Path) -> pd.DataFrame:
    X, y = people(300)
    table = X.assign(answer=y)
    for k, start in enumerate(range(0, 300, 110)):
        table[start : start + 110].to_parquet(folder / f"part{k}.parquet")
    return table


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_files_in_parts(learner: Any, tmp_path: Path) -> None:
    from sklearn.base import clone

    table = files(tmp_path)
    rows = bosco.scan(str(tmp_path / "*.parquet"))
    there = clone(learner).fit(rows, "answer")
    here = clone(learner).fit(table.drop(columns="answer"), table["answer"])
    assert written(there.model_) == written(here.model_)
    assert np.array_equal(there.predict(rows), here.predict(table.drop(columns="answer")))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_parts_of_a_cluster(learner: Any) -> None:
    from sklearn.base import clone

    dask = pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    import bosco.dask

    X, y = people(300)
    y = y.astype(object)  # as Dask has them
    frame = dask.from_pandas(X.assign(answer=y), npartitions=3)
    of_dask = getattr(bosco.dask, type(learner).__name__)
    with distributed.Client(n_workers=1, processes=False, dashboard_address=":0") as client:
        there = of_dask(client=client, **clone(learner).get_params(deep=False))
        there.fit(frame[list(X.columns)], frame["answer"])
    here = clone(learner).fit(X, y)
    assert written(there.model_) == written(here.model_)


def test_a_database_is_not_asked_for_them(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    X, y = people(50)
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as base:
        base.register("given", X.assign(answer=y))
        base.execute("CREATE TABLE data AS SELECT * FROM given")
        rows = bosco.in_database(base, "data")
        with pytest.raises(ParameterError, match=r"not computed in a database .* bosco\.scan"):
            DecisionTreeClassifier(derive=DERIVE).fit(rows, "answer")
