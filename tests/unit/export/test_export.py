"""What the exports refuse, escape and keep exact, one thing at a time."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ModelError, ParameterError
from bosco.datasets import golf, play_tennis
from bosco.export import program as flat
from bosco.export import source
from bosco.export.dialects import DIALECTS
from bosco.models.model import Model
from bosco.tree.conditions import BY_SHARE
from tests.contract.runners import run_c, run_onnx, run_python
from tests.strategies import examples

floats = st.floats(allow_nan=False, allow_infinity=False)


def fitted(X: Any, y: Any, **settings: Any) -> Model:
    model: Model = DecisionTreeClassifier(**settings).fit(X, y).model_
    return model


def tree(**settings: Any) -> Model:
    return fitted(*golf(), **settings)


# Numbers ------------------------------------------------------------------------------------------


@examples(300)
@given(floats)
def test_literals_are_the_float64_they_stand_for(x: float) -> None:
    sql = f"SELECT {DIALECTS['sqlite'].double(x).sql('sqlite')}"
    assert sqlite3.connect(":memory:").execute(sql).fetchone()[0] == x
    sql = f"SELECT {DIALECTS['duckdb'].double(x).sql('duckdb')}"
    ((found,),) = duckdb.sql(sql).fetchall()
    assert type(found) is float
    assert found == x


@examples(100)
@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_fractions_stay_short_in_sqlite(top: int, bottom: int) -> None:
    x = top / bottom
    sql = DIALECTS["sqlite"].double(x).sql("sqlite")
    assert sqlite3.connect(":memory:").execute(f"SELECT {sql}").fetchone()[0] == x
    assert len(sql.split("/*")[0]) < 30


def test_a_negative_literal_after_a_minus_is_no_comment() -> None:
    sql = exp.Sub(this=exp.column("a"), expression=DIALECTS["duckdb"].double(-1.5)).sql("duckdb")
    assert "--" not in sql


# Any small tree, as Python ------------------------------------------------------------------------


@st.composite
def tables(draw: Any) -> tuple[pd.DataFrame, list[str], dict[str, Any]]:
    n = draw(st.integers(4, 24))

    # A column of nothing but missing values does not show that it is text: it is one of numbers.
    def some(*cells: Any) -> Any:
        column = st.lists(st.sampled_from([*cells, None]), min_size=n, max_size=n)
        return column.filter(lambda drawn: any(cell is not None for cell in drawn))

    number = st.one_of(st.none(), st.floats(-3, 3), st.sampled_from([np.inf, -np.inf, 0.5]))
    frame = pd.DataFrame(
        {
            "x": pd.Series(draw(st.lists(number, min_size=n, max_size=n)), dtype=float),
            "a": draw(some("p", "q", "r")),
            "b": draw(some(True, False)),
        }
    )
    y = draw(st.lists(st.sampled_from(["u", "v", "w"]), min_size=n, max_size=n))
    missing = draw(st.sampled_from(["learn", "branch", "majority", "fractional", "surrogate"]))
    nominal = draw(st.sampled_from(["subset", "one_vs_rest", "multiway", "group"]))
    numeric = draw(st.sampled_from(["threshold", "intervals"]))
    if missing == "surrogate":
        nominal, numeric = "subset", "threshold"
    return frame, y, {"missing": missing, "nominal_test": nominal, "numeric_test": numeric}


@examples(60)
@given(tables())
@pytest.mark.filterwarnings("ignore::bosco.DataWarning")
def test_python_is_the_model_on_any_small_table(
    problem: tuple[pd.DataFrame, list[str], dict[str, Any]],
) -> None:
    frame, y, settings = problem
    model = fitted(frame, y, **settings)
    code = model.program()
    cuts = {c for ask in code.asks() if ask.column == 0 for c in ask.cuts or ()}
    xs = [*cuts, *(float(np.nextafter(c, 9)) for c in cuts), np.inf, -np.inf, np.nan]
    points: dict[str, list[Any]] = {"x": [], "a": [], "b": []}
    for x in xs:
        for a in ("p", "q", "r", "unseen", None):
            for b in (True, False, None):
                for name, value in zip(points, (x, a, b), strict=True):
                    points[name].append(value)
    labels, shares = model.predict(points).tolist(), model.predict_proba(points)
    both = [run_python(model, points)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bosco.export.python.readable", lambda _: False)
        both.append(run_python(model, points))
    for got_labels, got_shares in both:
        assert got_labels == labels
        assert (got_shares == shares).all()


# Words --------------------------------------------------------------------------------------------


def test_names_become_identifiers() -> None:
    names = source.unique(["a b", "a-b", "A_B", "ä", "", "9", "x" * 99])
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z_]\w{0,45}", name, re.A) for name in names)


@pytest.mark.parametrize("text", ["a\nimport os", "*/ int x; /*", "??/", "x\\", "\u2028evil()"])
def test_no_comment_can_be_left(text: str) -> None:
    safe = flat.one_line(text)
    assert safe.isprintable()
    assert "*/" not in safe
    assert "/*" not in safe
    assert "??" not in safe
    assert not safe.endswith("\\")


def test_python_imports_nothing_and_loads_alone() -> None:
    for algorithm in ("id3", "c45"):
        text = tree(algorithm=algorithm).to_python()
        assert not re.search(r"^\s*(import|from)\b", text, re.M)
        done = subprocess.run([sys.executable, "-I", "-c", text + "\nprint(predict({}))"],
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stdout.strip() in {"Play", "Don't Play"}


def test_columns_may_have_the_names_of_the_header_itself() -> None:
    names = ["H", "columns", "Classes", "predict", "int", "shares", "row"]
    rng = np.random.default_rng(0)
    X = {name: rng.normal(size=60) for name in names}
    model = fitted(X, rng.integers(0, 2, 60))
    points = {name: column.tolist() for name, column in X.items()}
    assert run_c(model, points)[0] == model.predict(X).tolist()


def test_view_and_table_names() -> None:
    sql = tree(algorithm="id3").to_sql("duckdb", table='main.golf "x"', kind="view", view="seen")
    assert 'CREATE VIEW "seen" AS' in sql
    assert '"main"."golf ""x"""' in sql


def test_an_output_does_not_hide_a_column() -> None:
    X = {"prediction": [1.0, 2.0], "P_a": [1.0, 1.0]}
    sql = fitted(X, ["a", "b"]).to_sql("duckdb")
    assert '"prediction_2"' in sql
    assert '"p_a_2"' in sql


# Refusals -----------------------------------------------------------------------------------------


def test_a_typo_gets_a_hint() -> None:
    with pytest.raises(ParameterError, match=r"dialect must be .* Did you mean 'postgres'"):
        tree().to_sql("postgre")
    with pytest.raises(ParameterError, match="kind must be"):
        tree().to_sql("duckdb", kind="selct")
    with pytest.raises(ParameterError, match="letters, digits and underscores"):
        tree().to_c("my model")


def test_shares_are_no_case_expression() -> None:
    with pytest.raises(ModelError, match=r"in shares\. Hint: kind='select'"):
        tree(algorithm="c45").to_sql("duckdb", kind="case")


@pytest.mark.parametrize("name", ["to_c", "to_sql"])
def test_nul_is_refused_where_it_ends_a_text(name: str) -> None:
    model = fitted({"a": ["x\0y", "z", "x\0y", "z"]}, ["u", "v", "u", "v"])
    with pytest.raises(ModelError, match="character NUL"):
        getattr(model, name)(*(["duckdb"] if name == "to_sql" else []))


@pytest.mark.parametrize("name", ["to_c", "to_sql", "to_onnx"])
def test_half_characters_are_refused(name: str) -> None:
    model = fitted({"a": ["\ud800", "z", "\ud800", "z"]}, ["u", "v", "u", "v"])
    with pytest.raises(ModelError, match="no valid Unicode"):
        getattr(model, name)(*(["duckdb"] if name == "to_sql" else []))


@pytest.mark.parametrize("name", ["to_c", "to_javascript", "to_onnx"])
def test_whole_numbers_beyond_float64_are_refused(name: str) -> None:
    ids = pd.Categorical([2**53 + 1, 5, 2**53 + 1, 5])
    model = fitted(pd.DataFrame({"id": ids}), ["u", "v", "u", "v"])
    with pytest.raises(ModelError, match="beyond 2\\*\\*53"):
        getattr(model, name)()
    assert run_python(model, {"id": [2**53 + 1, 5]})[0] == ["u", "v"]
    assert re.search(rf'"id" = ({2**53 + 1}|5)\b', model.to_sql("postgres"))


def test_mixed_levels_are_refused_by_typed_databases() -> None:
    model = fitted({"a": ["x", "y"] * 3}, ["u", "v"] * 3, domains={"a": ["x", "y", 3]})
    with pytest.raises(ModelError, match="both text and numbers"):
        model.to_sql("postgres")
    for refused in (model.to_onnx, model.to_c):
        with pytest.raises(ModelError, match="both text and numbers"):
            refused()
    assert re.search(r"`a` = \'[xy]\'|`a` IN", model.to_sql("sqlite"))


@pytest.mark.parametrize("module", ["sqlglot", "onnx"])
def test_what_is_absent_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match="pip install 'bosco"):
        tree().to_sql("duckdb") if module == "sqlglot" else tree().to_onnx()


# Missing values refused -------------------------------------------------------------------------


def test_refused_missing_values_get_no_prediction() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0], "a": ["p", "q", "p", "q"]}
    model = fitted(X, ["u", "v", "w", "v"], missing="error")
    rows = pd.DataFrame({"x": [1.0, np.nan, 3.0], "a": ["p", "p", "zz"]})
    found = duckdb.sql(f"FROM ({model.to_sql('duckdb', table='rows').rstrip().rstrip(';')})").df()
    assert len(found) == len(rows)
    predicted = dict(zip(found["x"].fillna(-1), found["prediction"], strict=True))
    assert predicted[1.0] == model.predict({"x": [1.0], "a": ["p"]})[0]
    assert pd.isna(predicted[-1])
    assert pd.isna(predicted[3.0])
    code: dict[str, Any] = {}
    exec(model.to_python(), code)
    with pytest.raises(ValueError, match="'a' is missing or unknown: 'zz'"):
        code["predict"]({"x": 1.0, "a": "zz"})
    with pytest.raises(ModelError, match="refuses missing values"):
        model.to_onnx()
    assert "throw new RangeError" in model.to_javascript()
    assert "return -1;" in model.to_c()


# Drawings -----------------------------------------------------------------------------------------


def test_drawings_show_every_node_and_arrow() -> None:
    model = fitted(*play_tennis(), algorithm="id3")
    dot, mermaid = model.to_dot(), model.to_mermaid()
    for node in range(model.tree.node_count):
        assert f"n{node} [label=" in dot
        assert re.search(rf"^  n{node}[\[(]", mermaid, re.M)
    assert dot.count("->") == mermaid.count("-->") == model.tree.node_count - 1


def test_drawings_escape() -> None:
    model = fitted({'q"<b>|\\n': ["x", "y"] * 3}, ["u", "v"] * 3)
    assert r"q\"<b>|\\n" in model.to_dot()
    assert '"q#34;#60;b>#124;#92;n = x' in model.to_mermaid()


# The flat form ------------------------------------------------------------------------------------


def test_shares_follow_the_known_weights() -> None:
    model = tree(algorithm="c45")
    root = model.program().nodes[0]
    assert root is not None
    assert model.tree.test(0).missing == BY_SHARE
    assert root.missing is None
    assert [share for _, share in root.shares] == [4 / 14, 5 / 14, 5 / 14]


def test_a_regression_tree_says_means() -> None:
    model = DecisionTreeRegressor().fit({"x": [1.0, 2.0, 3.0]}, [-1.5, 0.1, 2.0]).model_
    assert "-1.5e0" in model.to_sql("duckdb", kind="case")
    assert run_python(model, {"x": [1.0, 2.0, 3.0]})[0] == [-1.5, 0.1, 2.0]


@pytest.mark.parametrize("name", ["", "label", "probabilities", "bosco:x"])
def test_onnx_refuses_names_that_a_graph_cannot_have(name: str) -> None:
    model = fitted({name: ["x", "y"] * 3, "z": [1.0, 2, 3, 4, 5, 6]}, ["u", "v"] * 3)
    with pytest.raises(ModelError, match="rename the column"):
        model.to_onnx()


def test_onnx_takes_a_column_called_as_its_matrix() -> None:
    points = {"X": ["x", "y", "x"], "z": [1.0, 2.0, 3.0]}
    model = fitted(points, ["u", "v", "u"])
    assert run_onnx(model, points)[0] == ["u", "v", "u"]


def test_pmml_calls_whole_numbers_beyond_32_bits_doubles() -> None:
    """What evaluators take for an integer has 32 bits."""
    codes = pd.Categorical([2**40, 5, 2**40, 5])
    text = fitted(pd.DataFrame({"id": codes}), [2**35, 1, 2**35, 1]).to_pmml()
    assert text.count('dataType="double"') >= 2
    assert 'dataType="integer"' not in text
    with pytest.raises(ModelError, match="beyond 2\\*\\*53"):
        fitted(pd.DataFrame({"id": codes}), [2**60 + 1, 1, 2**60 + 1, 1]).to_pmml()


def test_databases_by_the_names_that_people_use() -> None:
    model = DecisionTreeClassifier().fit({"x": [1.0, 2.0]}, ["a", "b"]).model_
    for name, dialect in (("mariadb", "mysql"), ("sqlserver", "tsql"), ("postgresql", "postgres")):
        assert model.to_sql(name) == model.to_sql(dialect)
