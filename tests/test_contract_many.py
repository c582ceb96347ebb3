"""Every export of many trees gives the class and the shares, or points, that the model gives."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sqlglot

from bosco import AdaBoostClassifier, RandomForestClassifier
from bosco.errors import ModelError
from tests.contract import databases
from tests.contract.check import disagreements
from tests.contract.kinds import as_frame
from tests.contract.many import MANY, POINTS, case_of_many
from tests.contract.runners import AbsentError

RUNNERS = {name: run for name, run in databases.RUNNERS.items() if name != "PMML"}  # one tree only
IN_DATABASES = {"DuckDB": 1_000, "SQLite": 1_000, "PostgreSQL": 400}
"""A database walks every row down every tree: fewer points, but of every kind."""


@pytest.mark.parametrize("kind", MANY)
@pytest.mark.parametrize("export", RUNNERS)
def test_the_export_is_the_model(export: str, kind: str) -> None:
    one = case_of_many(kind, IN_DATABASES.get(export, POINTS))
    try:
        answers = RUNNERS[export](one.model, one.points)
    except AbsentError as error:
        pytest.skip(str(error))
    assert disagreements(one, *answers) == 0


def test_the_order_of_the_sum_matters() -> None:
    """Or the test above could not tell a sum in another order."""
    one = case_of_many("forest, mean")
    frame, shares = as_frame(one.model, one.points), np.zeros_like(one.shares)
    for t in reversed(range(one.model.n_trees)):
        shares += one.model.tree_weights[t] * one.model.tree(t).predict_proba(frame)
    assert disagreements(one, one.labels, shares) > 100


@pytest.mark.parametrize("kind", ["forest, mean", "stumps, three classes"])
@pytest.mark.parametrize("dialect", ["bigquery", "spark"])
def test_other_dialects_parse(dialect: str, kind: str) -> None:
    model = case_of_many(kind, 10).model
    (statement,) = sqlglot.parse(model.to_sql(dialect), read=dialect)
    assert statement is not None


def test_views_of_many() -> None:
    model = case_of_many("stumps, two classes", 10).model
    with sqlite3.connect(":memory:") as base:
        base.execute('CREATE TABLE "data" ("x", "z")')
        base.execute(model.to_sql("sqlite", kind="view"))
        base.execute('INSERT INTO "data" VALUES (1.5, NULL)')
        (row,) = base.execute('SELECT "prediction", "points_a", "points_b" FROM "predictions"')
    case = {"x": 1.5, "z": None}
    assert row[0] == model.predict(case)
    assert list(row[1:]) == model.points(case)[0].tolist()


def test_what_is_refused() -> None:
    model: Any = case_of_many("forest, mean", 10).model
    with pytest.raises(ModelError, match=r"adds up what many trees say.*kind='select'"):
        model.to_sql("duckdb", kind="case")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)
    large = RandomForestClassifier(40, random_state=0).fit(X, y).model_
    with pytest.raises(ModelError, match=r"leaves in all.*at most 20,000.*Hint"):
        large.to_sql("duckdb")
    strict = RandomForestClassifier(3, missing="error", random_state=0).fit(X, y).model_
    with pytest.raises(ModelError, match="refuses missing values"):
        strict.to_onnx()
    code: dict[str, Any] = {}
    exec(strict.to_python(), code)
    with pytest.raises(ValueError, match="missing or unknown"):
        code["predict"]({})
    table = AdaBoostClassifier(n_estimators=2).fit(X, y).model_
    line = table.lines[0]
    far = replace(table, lines=(replace(line, points=line.points * 2**20),))
    with pytest.raises(ModelError, match="what a float64 adds exactly"):
        far.to_c()


def test_many_leaves_stay_usable() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(2000, 4)), rng.integers(0, 3, 2000)
    model = RandomForestClassifier(10, random_state=0).fit(X, y).model_
    points = {f"x{j}": rng.normal(size=200).tolist() for j in range(4)}
    rows = np.column_stack(list(points.values()))
    for export in ("Python", "C", "JavaScript", "ONNX"):
        try:
            labels, shares = RUNNERS[export](model, points)
        except AbsentError:
            continue
        assert (np.asarray(shares) == model.predict_proba(rows)).all()
        assert labels == model.predict(rows).tolist()
