"""A query gives the model's answers wherever it is run: on a table scored before, through views and
joins, beside columns that have its own names; and never an answer where it reads a wrong column."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.errors import ModelError, ParameterError
from bosco.export.dialects import DIALECTS
from bosco.export.sql_parts import DATA
from bosco.models.model import Model
from tests.contract.check import disagreements, readable
from tests.contract.contexts import CONTEXTS, hijacked, query, rescored_keeping, rescored_plainly
from tests.contract.databases import DATABASES, Base, asked
from tests.contract.kinds import KINDS, Case, as_frame, points_of
from tests.contract.many import MANY, points_of_many
from tests.contract.runners import AbsentError

POINTS = 120
NAMED_LIKE_THE_QUERY = [
    "prediction", "p_a", "bosco_leaf", "leaf", "answer", "nr", "x0", "k0", "share", DATA,
]  # fmt: skip


def confusing(learner: Any) -> Any:
    """Columns that have the names of what the query adds and of what it works with."""
    rng = np.random.default_rng(5)
    X = {name: rng.normal(size=200).round(1) for name in NAMED_LIKE_THE_QUERY}
    total = sum(X.values()) + rng.normal(size=200)
    return learner.fit(X, np.where(total > 0, "a", "b")).model_


MODELS: dict[str, Any] = {
    **{k: KINDS[k] for k in (
        "cart, mixed", "regression", "c4.5, fractional", "one leaf", "moments", "odd names",
    )},
    **{k: MANY[k] for k in ("forest, mean", "extra trees, real", "stumps, three classes")},
    "named like the query": lambda: confusing(DecisionTreeClassifier(max_depth=6)),
    "named like the query, walked": lambda: confusing(
        DecisionTreeClassifier(missing="fractional", max_depth=4)),
    "named like the query, many": lambda: confusing(
        RandomForestClassifier(3, random_state=0, max_depth=3)),
}  # fmt: skip
ON_A_SERVER = {"cart, mixed", "c4.5, fractional", "forest, mean", "named like the query, walked"}
"""It is asked by starting a program each time: fewer, but of every kind of query."""


@cache
def case_of(name: str) -> Case:
    model = MODELS[name]()
    many = model.kind != "tree"
    points = (points_of_many if many else points_of)(model, POINTS)
    frame = as_frame(model, points)
    ask = model.points if hasattr(model, "points") else model.predict_proba
    return Case(name, model, points, model.predict(frame).tolist(), ask(frame))


def in_context(database: str, one: Case, context: Any) -> int:
    try:
        with DATABASES[database](one.model, one.points) as base:
            return disagreements(one, *context(base, one.model))
    except AbsentError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(
    ("database", "kind"),
    [(d, k) for d in DATABASES for k in MODELS if d != "PostgreSQL" or k in ON_A_SERVER],
)
def test_the_answers_are_the_models(database: str, kind: str, context: str) -> None:
    assert in_context(database, case_of(kind), CONTEXTS[context]) == 0


# What makes it so, in every dialect ---------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind not in MANY])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_column_has_its_table(dialect: str, kind: str) -> None:
    """And the table's own columns meet the query's names in the outermost query only."""
    try:
        sql = case_of(kind).model.to_sql(dialect)
    except ModelError as error:
        refused = {"mysql": "instant", "oracle": "time|empty text"}
        assert re.search(refused.get(dialect, "^$"), str(error))  # noqa: PT017
        return
    (statement,) = sqlglot.parse(readable(sql, dialect), read=dialect)
    assert statement is not None
    stars = []
    for column in statement.find_all(exp.Column):
        if column.name.startswith("BINARY_DOUBLE_"):  # Oracle's words for NaN and the infinities
            continue
        assert column.table, column.sql()
        if isinstance(column.this, exp.Star):
            assert column.parent is statement
            stars.append(column.table)
    assert stars == [DATA]
    for star in statement.find_all(exp.Star):
        if not isinstance(star.parent, exp.Column | exp.Count):
            select = star.find_ancestor(exp.Select)
            assert select is not None
            rows = select.args["from_"].this  # or, where a database has no rows of its own, a union
            tables = {table.name.lower() for table in rows.find_all(exp.Table)}
            union = isinstance(rows, exp.Subquery) and tables <= {"dual"}
            assert isinstance(rows, exp.Values | exp.Unnest) or union


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_kept_is_listed(dialect: str) -> None:
    model = case_of("named like the query, many").model
    sql = model.to_sql(dialect, keep=["id", "prediction"], prefix="v2_")
    statement = sqlglot.parse_one(readable(sql, dialect), read=dialect)
    names = [column.alias_or_name for column in statement.selects]
    shares = ["v2_p_a", "v2_p_b"]
    assert names == ["v2_prediction", *shares, "id", "prediction"]
    model = case_of("c4.5, fractional").model
    sql = model.to_sql(dialect, keep=["id", "Prediction"])
    statement = sqlglot.parse_one(readable(sql, dialect), read=dialect)
    names = [column.alias_or_name for column in statement.selects]
    assert names[0] == "prediction_2"
    assert model.to_sql(dialect, keep=[]).count(f"{DATA}.*") == 0


# Columns that are not the model's -----------------------------------------------------------------


def test_x_and_X_are_told_apart_or_refused() -> None:
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=80), "X": rng.normal(size=80), "é": rng.normal(size=80)}
    y = np.where(X["x"] - X["X"] > 0, "a", "b")
    for learner in (DecisionTreeClassifier(), RandomForestClassifier(2, random_state=0)):
        model = learner.fit(X, y).model_
        for dialect in ("duckdb", "sqlite", "bigquery", "spark"):
            with pytest.raises(ModelError, match=r"'X' and 'x' are one name to .*ignores the case"):
                model.to_sql(dialect)
        points = {name: [*column.tolist()[:40], None] for name, column in X.items()}
        frame = as_frame(model, points)
        shares = model.predict_proba(frame)
        one = Case("x and X", model, points, model.predict(frame).tolist(), shares)
        assert in_context("PostgreSQL", one, rescored_keeping) == 0
    with pytest.raises(ModelError, match="one name"):
        model.to_sql("sqlite", kind="select", keep=["x"])


def test_a_column_beside_its_twin_is_refused_too() -> None:
    """DuckDB calls the second of X and x x_1, and reads X where the query says x."""
    rows = pa.table([pa.array([1.0, 2.0]), pa.array([20.0, 10.0])], names=["X", "x"])  # noqa: F841
    assert duckdb.sql('SELECT "x" FROM rows').fetchall() == [(1.0,), (2.0,)]
    X = {"X": [1.0, 1.0, 1.0, 1.0], "x": [1.0, 2.0, 3.0, 4.0]}
    model = DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"]).model_
    with pytest.raises(ModelError, match=r"'X' and 'x' are one name to duckdb.*Hint: rename"):
        model.to_sql("duckdb")
    with pytest.raises(ModelError, match="one name"):
        model.to_sql("sqlite", kind="case")
    alone = DecisionTreeClassifier().fit({"x": X["x"]}, ["a", "a", "b", "b"]).model_
    with pytest.raises(ModelError, match="one name"):
        alone.to_sql("duckdb", keep=["X"])


def test_accents_are_told_apart_where_the_database_does() -> None:
    X = {"é": [1.0, 2.0, 3.0, 4.0], "É": [2.0, 2.0, 1.0, 4.0]}
    model = DecisionTreeClassifier().fit(X, ["a", "b", "b", "a"]).model_
    points = {name: [*column, None] for name, column in X.items()}
    frame = as_frame(model, points)
    shares = model.predict_proba(frame)
    one = Case("accents", model, points, model.predict(frame).tolist(), shares)
    for database in ("DuckDB", "SQLite"):
        assert in_context(database, one, rescored_keeping) == 0
    for dialect in ("bigquery", "spark"):
        with pytest.raises(ModelError, match="one name"):
            model.to_sql(dialect)


def test_long_names_that_postgres_cuts_alike() -> None:
    long = "how many times in the last sixty days did the customer call us on "
    X = {f"{long}Monday": [1.0, 2.0, 3.0, 4.0], f"{long}Friday": [1.0, 1.0, 2.0, 2.0]}
    model = DecisionTreeClassifier().fit(X, ["a", "b", "b", "b"]).model_
    with pytest.raises(ModelError, match="reads the first 63 bytes"):
        model.to_sql("postgres")
    assert "Monday" in model.to_sql("duckdb")


def renamed(base: Base, model: Model, change: Any) -> str:
    names = [f'"{c.name}" AS "{change(c.name)}"' for c in model.schema.columns]
    base.run(f'CREATE TABLE "renamed" AS SELECT {", ".join(names)}, bosco_test_id FROM "data"')
    return "renamed"


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("kind", ["cart, mixed", "c4.5, fractional", "forest, mean"])
def test_names_in_capitals(database: str, kind: str) -> None:
    """Found where the database ignores case, refused by the one that does not."""
    one = case_of(kind)

    def capitals(base: Base, model: Model) -> Any:
        return asked(base, model, query(base, model, table=renamed(base, model, str.upper)))

    if database == "PostgreSQL":
        with pytest.raises(subprocess.CalledProcessError) as error:
            in_context(database, one, capitals)
        assert b"does not exist" in error.value.stderr
    else:
        assert in_context(database, one, capitals) == 0


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("kind", ["cart, mixed", "c4.5, fractional", "forest, mean"])
def test_a_column_that_is_not_there_is_an_error(database: str, kind: str) -> None:
    """SQLite would take "dose" for the text 'dose'."""
    one = case_of(kind)

    def other_names(base: Base, model: Model) -> Any:
        return asked(base, model, query(base, model, table=renamed(base, model, "{}_1".format)))

    def other_names_in_a_case(base: Base, model: Model) -> Any:
        case = model.to_sql(base.dialect, kind="case")
        table = renamed(base, model, "{}_1".format)
        return base.fetch(f"SELECT {case} FROM {table}")

    contexts = [other_names] if kind != "cart, mixed" else [other_names, other_names_in_a_case]
    for context in contexts:
        with pytest.raises(Exception, match=r"no such column|not have a column|not found|psql"):
            in_context(database, one, context)


def test_names_with_two_meanings_are_refused() -> None:
    model = case_of("cart, mixed").model
    with pytest.raises(ParameterError, match=r"'BOSCO_leaves' has two meanings.*schema"):
        model.to_sql("duckdb", table="BOSCO_leaves")
    assert '"main"."bosco_leaves"' in model.to_sql("duckdb", table="main.bosco_leaves")
    with pytest.raises(ParameterError, match="two meanings"):
        model.to_sql("sqlite", kind="view", table="scores", view="Scores")
    with pytest.raises(ParameterError, match=r"keep must be a list of names.*keep=\['id'\]"):
        model.to_sql("sqlite", keep="id")
    with pytest.raises(ParameterError, match="name a column once"):
        model.to_sql("sqlite", keep=["id", "id"])
    for prefix in ("a b", "n" * 17):
        with pytest.raises(ParameterError, match="prefix must"):
            model.to_sql("sqlite", prefix=prefix)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_refused_rows_stay(dialect: str) -> None:
    """Where missing values are refused, a row that has one has no answer, of many trees either."""
    rng = np.random.default_rng(0)
    X, y = {"x": rng.normal(size=60), "z": rng.normal(size=60)}, rng.integers(0, 2, 60)
    database = {"duckdb": "DuckDB", "sqlite": "SQLite", "postgres": "PostgreSQL"}[dialect]
    points = {"x": [0.5, None, -0.5], "z": [0.1, 0.2, None]}
    for learner in (DecisionTreeClassifier, RandomForestClassifier):
        model = learner(missing="error", random_state=0).fit(X, y).model_
        try:
            with DATABASES[database](model, points) as base:
                sql = f"SELECT q.prediction, q.p_0 FROM ({query(base, model)}) AS q"
                rows = base.fetch(f"{sql} ORDER BY q.bosco_test_id")
        except AbsentError as error:
            pytest.skip(str(error))
        label = model.predict({"x": [0.5], "z": [0.1]})[0]
        assert int(rows[0][0]) == label
        assert [list(row) for row in rows[1:]] in ([[None, None]] * 2, [["", ""]] * 2)


# Faults planted: the harness sees them ------------------------------------------------------------


class Faulty:
    """A model whose text is changed on its way."""

    def __init__(self, model: Any, change: Any) -> None:
        self.model, self.change = model, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def to_sql(self, *words: Any, **more: Any) -> str:
        text: str = self.change(self.model.to_sql(*words, **more))
        return text


def names_bare(sql: str) -> str:
    return sql.replace(f'"{DATA}".', "").replace(f"`{DATA}`.", "")


def numbers_beside_the_rows(sql: str) -> str:
    """The form that once was: a made-up column after all of the table's own."""
    steps, rows = sql.rsplit("FROM", 1)
    table, leaf = re.fullmatch(rf' ("\w+") AS "{DATA}".*"leaf" = (.*?);?\n*', rows, re.S).groups()
    inner = f'SELECT *, {names_bare(leaf)} AS "bosco_leaf" FROM {table}'
    join = f'JOIN "bosco_leaves" ON "bosco_leaves"."leaf" = "{DATA}"."bosco_leaf"'
    return f'{steps} FROM ({inner}) AS "{DATA}" {join}'


@pytest.mark.parametrize("context", [hijacked, rescored_plainly])
def test_a_made_up_column_beside_the_rows_is_caught(context: Any) -> None:
    one = case_of("cart, mixed")
    faulty: Any = Faulty(one.model, numbers_beside_the_rows)
    with DATABASES["DuckDB"](one.model, one.points) as base:
        assert len(asked(base, one.model, faulty.to_sql("duckdb"))[0]) == one.n_points
        labels, shares = context(base, faulty)
    assert len(labels) != one.n_points or disagreements(one, labels, shares) > 0


@pytest.mark.parametrize("database", ["DuckDB", "SQLite"])
@pytest.mark.parametrize("kind", ["named like the query", "named like the query, many"])
def test_bare_names_are_caught(database: str, kind: str) -> None:
    one = case_of(kind)
    faulty: Any = Faulty(one.model, names_bare)
    with (
        DATABASES[database](one.model, one.points) as base,
        pytest.raises(Exception, match="mbiguous"),
    ):
        hijacked(base, faulty)


def test_frames_of_pandas_scored_twice() -> None:
    """As in a notebook: the answers of a query are a frame, and the frame is scored again."""
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    model = DecisionTreeClassifier().fit(X, list("aabbcc")).model_
    once = duckdb.sql(model.to_sql("duckdb", table="X")).df()
    twice = duckdb.sql(model.to_sql("duckdb", table="once")).df()
    assert len(twice) == 6
    assert twice.sort_values("x")["prediction"].tolist() == list("aabbcc")
    assert list(once) == ["bosco_leaf", "prediction", "p_a", "p_b", "p_c", "x"]
