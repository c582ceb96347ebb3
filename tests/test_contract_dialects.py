"""SQL of databases that hold texts for equal which are not, or have no NaN, no truths, few steps.

MariaDB is asked for real. What is written for SQL Server, Oracle and Snowflake is read back by
sqlglot as each of them is read, and run in DuckDB: it is then the same statement, with the same
numbers, names and branches; what these databases do otherwise is held to what is written.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sqlglot
from sqlglot import exp

from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.errors import ModelError
from bosco.export.dialects import DIALECTS
from bosco.models.model import Model
from tests.contract import derived
from tests.contract.check import disagreements, readable
from tests.contract.databases import asked, in_duckdb, in_mariadb, run_in
from tests.contract.kinds import ODD_LEVELS, Case, case
from tests.contract.many import case_of_many
from tests.contract.runners import AbsentError, Answers

KINDS = [
    "id3, play-tennis", "id3, mixed", "c4.5, golf", "c4.5, fractional", "cart, iris",
    "cart, mixed", "majority", "surrogate", "regression", "intervals, branch", "groups",
    "odd names", "odd names, multiway", "numbers as levels", "orders, mixed", "one leaf",
    "costs, mixed", "costs, fractional", "cut-off", "calibrated, costs", "calibrated, cut-off",
    "calibrated, costs, cut-off, weights",
]  # fmt: skip
ELSEWHERE = ("tsql", "oracle", "snowflake")
FEW, FEWER = 1_200, 300
"""Points: of every kind, also at the edges; where rows go down several branches a walk is slow."""


def some(one: Any, n: int) -> Case:
    """Some of the points, spread over all."""
    rows = np.linspace(0, len(one.labels) - 1, min(n, len(one.labels))).astype(int)
    points = {name: [values[i] for i in rows] for name, values in one.points.items()}
    return Case(one.name, one.model, points, [one.labels[i] for i in rows], one.shares[rows])


def in_maria(one: Case) -> int:
    try:
        return disagreements(one, *run_in(in_mariadb)(one.model, one.points))
    except AbsentError as error:
        pytest.skip(str(error))


# MariaDB ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_mariadb_is_the_model(kind: str) -> None:
    one = case(kind)
    assert in_maria(some(one, FEWER if one.model.program().mixes else FEW)) == 0


@pytest.mark.parametrize("kind", ["forest, mean", "stumps, three classes"])
def test_mariadb_is_many_trees(kind: str) -> None:
    assert in_maria(case_of_many(kind, 60)) == 0


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_mariadb_derives_columns(kind: str) -> None:
    assert in_maria(some(sized(derived.case(kind)), FEWER)) == 0


def sized(one: Any) -> Any:
    """The points that a database computes without an error: nothing is too large to be squared."""
    fits = [
        all(v is None or not isinstance(v, float) or v != v or abs(v) < 1e60 for v in row)
        for row in zip(*one.points.values(), strict=True)
    ]
    points = {
        name: [v for v, fit in zip(vs, fits, strict=True) if fit] for name, vs in one.points.items()
    }
    labels = [label for label, fit in zip(one.labels, fits, strict=True) if fit]
    return Case(one.name, one.model, points, labels, one.shares[np.array(fits)])


def test_texts_that_mariadb_holds_for_equal_are_apart() -> None:
    """By case, by accents, by blanks at the end; backslashes, bytes and quotes are themselves."""
    levels = ["a", "A", "á", "a ", "ß", "ss", "\\", "\\\\", "'", '"', "木", "😀", "a\n", "-- "]
    rng = np.random.default_rng(0)
    x = np.array(levels)[rng.integers(0, len(levels) - 3, 800)]
    y = np.array([levels.index(v) % 4 for v in x])
    for how in ({"nominal_test": "multiway"}, {"nominal_test": "subset"}):
        model = DecisionTreeClassifier(**how).fit({"x": x}, y).model_  # type: ignore[arg-type]
        points: Any = {
            "x": [*levels, *(v.upper() for v in levels), *(f"{v} " for v in levels), None]
        }
        shares = model.predict_proba(points)
        one = Case("texts", model, points, model.predict(points).tolist(), shares)
        assert in_maria(one) == 0


def test_moments_of_mariadb_to_the_microsecond() -> None:
    rng = np.random.default_rng(1)
    n = 400
    day = np.datetime64("1999-12-30") + rng.integers(0, 200, n)
    at = np.datetime64("2024-03-01T10:00:00.000000", "us") + rng.integers(0, 50, n)
    y = (day > np.datetime64("2000-02-29")).astype(int) + 2 * (
        at > np.datetime64("2024-03-01T10:00:00.000021")
    )
    model = DecisionTreeClassifier().fit({"day": day, "at": at}, y).model_
    points: Any = {"day": [*day, None, day[0]], "at": [*at, at[0], None]}
    labels = model.predict(points).tolist()
    assert in_maria(Case("moments", model, points, labels, model.predict_proba(points))) == 0


# Read back, and run elsewhere ---------------------------------------------------------------------


def read_back(sql: str, dialect: str) -> str:
    """The statement as its own database reads it, in DuckDB's words."""
    (statement,) = sqlglot.parse(readable(sql, dialect), read=dialect)
    assert statement is not None
    for sum_ in list(statement.find_all(exp.Add)):
        if isinstance(sum_.expression, exp.National):  # SQL Server's word for text beside text
            sum_.replace(exp.DPipe(this=sum_.this, expression=sum_.expression))
    for steps in statement.find_all(exp.With):
        steps.set("recursive", True)  # neither SQL Server nor Oracle has the word
    return statement.transform(_plain).sql("duckdb")


_CONSTANTS = {"BINARY_DOUBLE_NAN": "NaN", "BINARY_DOUBLE_INFINITY": "Infinity"}


def _plain(node: Any) -> Any:
    """Texts are compared exactly in DuckDB without more words."""
    if isinstance(node, exp.Collate):
        return _plain(node.this)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "COLLATE":
        return node.expressions[0]
    if isinstance(node, exp.DataType) and node.sql("oracle").upper() in ("BINARY_DOUBLE", "FLOAT"):
        return exp.DataType.build("double")  # SQL Server's FLOAT has 53 bits
    if isinstance(node, exp.Column) and node.name in _CONSTANTS:
        return exp.cast(exp.Literal.string(_CONSTANTS[node.name]), "double")
    return node


def run_read_back(dialect: str, one: Case) -> Answers:
    with in_duckdb(one.model, one.points) as base:
        base.run("CREATE TABLE dual AS SELECT 1 AS dummy")  # as Oracle has it
        return asked(base, one.model, read_back(one.model.to_sql(dialect), dialect))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_what_is_written_reads_back_as_the_model(dialect: str, kind: str) -> None:
    one = some(case(kind), FEWER)
    if dialect == "oracle" and "odd" in kind:
        with pytest.raises(ModelError, match=r"empty text for a missing one|quotation marks"):
            one.model.to_sql(dialect)
        return
    if dialect == "tsql" or DIALECTS[dialect].nan == "none":
        one = without_nan(one)
    assert disagreements(one, *run_read_back(dialect, one)) == 0


def without_nan(one: Case) -> Case:
    """NaN is NULL in a database that has none, and nothing is infinite."""

    def value(v: Any) -> Any:
        if not isinstance(v, float):
            return v
        return None if v != v else min(max(v, -1.7e308), 1.7e308)

    points = {name: list(map(value, values)) for name, values in one.points.items()}
    model: Any = one.model
    rows = as_given(model, points)
    shares = getattr(model, "points", model.predict_proba)(rows)
    return replace(one, points=points, labels=model.predict(rows).tolist(), shares=shares)


def as_given(model: Model, points: Any) -> Any:
    from tests.contract.kinds import as_frame

    return as_frame(model, points)


@pytest.mark.parametrize("kind", ["forest, mean", "stumps, three classes"])
@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_many_trees_read_back(dialect: str, kind: str) -> None:
    one: Any = case_of_many(kind, 60)
    one = without_nan(Case(one.name, one.model, one.points, one.labels, one.shares))
    assert disagreements(one, *run_read_back(dialect, one)) == 0


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_derived_columns_read_back(dialect: str) -> None:
    one = some(without_nan(sized(derived.case("numbers"))), FEWER)
    assert disagreements(one, *run_read_back(dialect, one)) == 0


# What each of them needs --------------------------------------------------------------------------


def test_how_texts_are_compared() -> None:
    x = ["a"] * 5 + ["b"] * 5
    model = DecisionTreeClassifier().fit({"x": x}, x).model_

    def sql(dialect: str) -> str:
        return " ".join(model.to_sql(dialect, kind="case").split())

    assert "CAST(CAST(`x` AS CHAR CHARACTER SET utf8mb4) AS BINARY) = 'b'" in sql("mysql")
    assert "( [x] + N'.' ) COLLATE Latin1_General_100_BIN2 = N'b.'" in sql("tsql")
    assert "\"x\" COLLATE BINARY = 'b'" in sql("oracle")
    assert "COLLATE(\"x\", '') = 'b'" in sql("snowflake")


def test_numbers_are_exact_however_literals_are_read() -> None:
    """Many digits are a quotient of whole numbers, which no reader rounds."""
    t = 0.1 + 0.2
    y = np.array(["a", "b"])
    model = DecisionTreeClassifier(threshold="observed").fit({"x": [t, 1.0]}, y).model_
    for dialect, whole in (("tsql", r"(\d+)\.0e0"), ("oracle", r"(\d+)\.0d")):
        text = model.to_sql(dialect, kind="case")
        numbers = [int(n) for n in re.findall(whole, text)]
        quotient = float(numbers[0])
        for divisor in numbers[1:]:
            quotient /= divisor
        assert quotient == t
        assert f"/* {t!r} */" in text
    assert "CAST('0.30000000000000004' AS DOUBLE)" in model.to_sql("snowflake", kind="case")
    assert "0.30000000000000004e0" in model.to_sql("mysql", kind="case")


def test_what_cannot_be_exact_is_refused() -> None:
    endless = case("infinities").model
    for dialect in ("mysql", "tsql"):
        with pytest.raises(ModelError, match="has no infinite numbers"):
            endless.to_sql(dialect)
    with pytest.raises(ModelError, match=r"kind 'instant', which mysql does not have, or not the"):
        case("moments").model.to_sql("mysql")
    with pytest.raises(ModelError, match="kind 'time', which oracle does not have"):
        case("moments").model.to_sql("oracle")
    tiny = DecisionTreeClassifier(threshold="observed").fit({"x": [1e-310, 1.0]}, [0, 1]).model_
    with pytest.raises(ModelError, match="1e-310 is no number of tsql"):
        tiny.to_sql("tsql")
    for name in ("ends with a blank ", "face 😀"):
        model = DecisionTreeClassifier().fit({name: [1.0, 2.0]}, [0, 1]).model_
        with pytest.raises(ModelError, match="mysql has no names with such letters"):
            model.to_sql("mysql")
    empty = DecisionTreeClassifier().fit({"x": ["", "b"] * 3}, ["", "b"] * 3).model_
    with pytest.raises(ModelError, match="oracle takes the empty text for a missing one"):
        empty.to_sql("oracle")
    assert "" in ODD_LEVELS


def test_steps_that_a_database_counts() -> None:
    """A chain of 150 questions, and a forest of 120 trees."""
    n = 160
    chain = DecisionTreeClassifier(order="depth", threshold="observed").fit(
        {"x": np.arange(n, dtype=float)}, np.arange(n) % 2, 3.0 ** -np.arange(n) * 1e60
    )
    deep = chain.model_
    assert deep.depth > 101
    assert deep.to_sql("tsql").endswith("OPTION (MAXRECURSION 0);\n")
    with pytest.raises(ModelError, match="tsql makes 100 at most in a view"):
        deep.to_sql("tsql", kind="view")
    assert "MAXRECURSION" not in deep.to_sql("mysql")
    rng = np.random.default_rng(0)
    X, y = {"x": rng.normal(size=40)}, rng.integers(0, 2, 40)
    forest = RandomForestClassifier(n_estimators=120, max_depth=1, random_state=0).fit(X, y).model_
    assert "MAXRECURSION 0" in forest.to_sql("tsql")
    forest = RandomForestClassifier(n_estimators=1000, max_depth=1, random_state=0).fit(X, y).model_
    with pytest.raises(
        ModelError, match="1,001 steps that follow one another, and mysql makes 1,000"
    ):
        forest.to_sql("mysql")


def test_names_are_told_apart_as_each_database_does() -> None:
    X = {"Age": [1.0, 2.0] * 4, "age": [1.0, 1.0, 2.0, 2.0] * 2}
    model = DecisionTreeClassifier().fit(X, [0, 1, 1, 0] * 2).model_
    for dialect in ("mysql", "tsql"):
        with pytest.raises(ModelError, match="are one name to"):
            model.to_sql(dialect)
    for dialect in ("oracle", "snowflake"):  # which tell them apart, in quotation marks
        assert '"Age"' in model.to_sql(dialect)
        assert '"age"' in model.to_sql(dialect)
