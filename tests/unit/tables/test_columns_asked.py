"""Rows need only the columns that a model asks for."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco import DataError
from bosco.cli.app import app
from bosco.tables import read_chunks

typer_testing = pytest.importorskip("typer.testing")

RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "amount": RNG.random(200),
        "duration": RNG.random(200),
        "education": RNG.choice(["a", "b"], 200),
        "age": RNG.integers(18, 90, 200),
        "unused": RNG.choice(["p", "q", "r"], 200),
        "constant": 1.0,
    }
)
Y = np.where((X.amount > 0.5) & (X.education == "a"), "good", "bad")

MODELS = {
    "tree": bosco.DecisionTreeClassifier(max_depth=2),
    "error": bosco.DecisionTreeClassifier(max_depth=2, missing="error"),
    "surrogate": bosco.DecisionTreeClassifier(max_depth=2, missing="surrogate"),
    "fractional": bosco.DecisionTreeClassifier(max_depth=2, missing="fractional"),
    "forest": bosco.RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0),
    "points": bosco.AdaBoostClassifier(n_estimators=4),
}


def model_of(name: str) -> Any:
    return MODELS[name].fit(X, Y).model_


def run(*words: str) -> Any:
    return typer_testing.CliRunner().invoke(app, words)


@pytest.mark.parametrize("name", list(MODELS))
def test_a_frame_without_the_others(name: str) -> None:
    model = model_of(name)
    asked = list(model.columns_asked)
    assert "constant" not in asked
    few = X[asked[::-1]].assign(something="new")
    assert (model.predict(few) == model.predict(X)).all()
    assert (model.predict_proba(few) == model.predict_proba(X)).all()
    one = few.iloc[0].to_dict()
    assert model.predict(one) == model.predict(X)[0]
    # An estimator is scikit-learn's: it is given the columns that it was fitted with.
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        MODELS[name].predict(X[asked])
    with pytest.raises(ValueError, match="expecting 6 features"):
        model.predict(np.zeros((2, 3)))


def test_stand_ins_are_asked() -> None:
    plain, standing = model_of("tree"), model_of("surrogate")
    assert set(plain.columns_asked) == {"amount", "education"}
    stand_ins = {
        X.columns[test.column]
        for node in range(standing.tree.node_count)
        for test in standing.tree.surrogates(node)
    }
    assert stand_ins
    assert set(standing.columns_asked) == {"amount", "education"} | stand_ins
    assert (
        bosco.DecisionTreeClassifier(max_leaf_nodes=2)
        .fit(X, Y)
        .model_.prune(bosco.pruning.CostComplexity(alpha=9.0))
        .columns_asked
        == ()
    )


def test_all_that_is_missing_is_named() -> None:
    with pytest.raises(DataError) as caught:
        model_of("tree").predict(X[["duration", "age"]].assign(Amount=1.0))
    said = "X lacks 2 columns that this model asks for: 'amount' (did you mean 'Amount'?), "
    assert str(caught.value) == said + "'education'."  # and not: did you mean 'duration'


@pytest.fixture
def _saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = model_of("tree")
    bosco.Model(**{**vars(model), "provenance": {**model.provenance, "target": "y"}}).save("m.json")


@pytest.mark.usefixtures("_saved")
def test_files_without_the_others() -> None:
    X.assign(y=Y).to_csv("all.csv", index=False)
    few = X[["education", "amount"]].assign(y=Y, duration="not a number")
    few.to_csv("few.csv", index=False)
    few.to_parquet("few.parquet")
    answers = run("predict", "m.json", "all.csv").stdout
    for file in ("few.csv", "few.parquet"):
        assert run("predict", "m.json", file).stdout == answers
        judged = run("evaluate", file, "--model", "m.json")
        assert judged.exit_code == 0, judged.output
        whole = run("evaluate", "all.csv", "--model", "m.json").stdout
        assert (
            judged.stdout.partition("true \\ predicted")[2].splitlines()[:3]
            == (whole.partition("true \\ predicted")[2].splitlines()[:3])
        )
        assert "cannot be told: they lack columns that the training rows had" in judged.stdout
        told = run("explain", "m.json", "--table", file, "--row", "3")
        assert told.exit_code == 0, told.output
    X[["duration", "age"]].assign(y=Y).to_csv("lost.csv", index=False)
    for words in (("predict", "m.json", "lost.csv"), ("evaluate", "lost.csv", "--model", "m.json")):
        result = run(*words)
        assert result.exit_code == 1
        assert "lacks 2 columns that the model asks for: 'amount', 'education'." in result.output


@pytest.mark.usefixtures("_saved")
def test_a_leaf_asks_for_nothing() -> None:
    leaf = (
        bosco.DecisionTreeClassifier()
        .fit(X, ["a"] * 199 + ["b"])
        .model_.prune(bosco.pruning.CostComplexity(alpha=9.0))
    )
    leaf.save("leaf.json")
    X[["age"]].to_csv("age.csv", index=False)
    assert run("predict", "leaf.json", "age.csv").stdout.split() == ['"prediction"', *['"a"'] * 200]
    pd.DataFrame({"other": [1, 2]}).to_csv("other.csv", index=False)
    assert "none of the columns" in run("predict", "leaf.json", "other.csv").output


def test_chunks_need_what_is_needed(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("amount,education\n0.5,a\n")
    schema = model_of("tree").schema
    with pytest.raises(DataError, match="lacks 4 columns"):
        next(read_chunks(file, schema))
    chunk = next(read_chunks(file, schema, needed=["amount"]))
    assert chunk.X.column_names == ["amount", "education"]


def in_sqlite(rows: pd.DataFrame, query: str) -> list[Any]:
    """What a query predicts of a table, in order."""
    with closing(sqlite3.connect(":memory:")) as base:
        rows.to_sql("data", base, index=False)
        return sorted(pd.read_sql(query, base)["prediction"])


def test_refusing_missing_values_asks_for_no_more() -> None:
    """The model and what it is exported to refuse the same rows, and need the same columns."""
    model = model_of("error")
    assert set(model.columns_asked) == {"amount", "education"}
    rows = X[["amount", "education"]].head(4)
    answers = model.predict(rows).tolist()
    holes = X.head(4).assign(unused=None, age=np.nan)
    assert model.predict(holes).tolist() == answers
    code: dict[str, Any] = {}
    exec(model.to_python(), code)
    for given in (rows, holes):
        assert [code["predict"](row) for row in given.to_dict("records")] == answers
    with pytest.raises(ValueError, match="'education' is missing or unknown"):
        code["predict"]({"amount": 1.0})
    case = f"SELECT {model.to_sql('sqlite', kind='case')} AS prediction FROM data"
    assert in_sqlite(rows, model.to_sql("sqlite")) == in_sqlite(rows, case) == sorted(answers)
    forest: Any = bosco.RandomForestClassifier(2, max_depth=1, missing="error", random_state=0)
    many = forest.fit(X, Y).model_
    some = X[list(many.columns_asked)].head(4)
    assert in_sqlite(some, many.to_sql("sqlite")) == sorted(many.predict(some))
    leaf = model.prune(bosco.pruning.CostComplexity(alpha=9.0))
    assert in_sqlite(rows, leaf.to_sql("sqlite")) == ["bad"] * 4
    assert leaf.predict(holes).tolist() == ["bad"] * 4
    with pytest.raises(DataError, match="column 'age', row 0 is missing"):
        MODELS["error"].predict(holes.assign(unused="p"))
