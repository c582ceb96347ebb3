"""Derived columns are computed to the same bits by every export; or it says why it cannot."""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
import pytest
import sqlglot

from bosco import DecisionTreeClassifier
from bosco.data.frame import Frame
from bosco.errors import ModelError
from tests.contract.check import disagreements
from tests.contract.databases import RUNNERS
from tests.contract.derived import DERIVED, OF_TIMES, Case, case
from tests.contract.kinds import as_frame
from tests.contract.runners import AbsentError

CALM = ("PostgreSQL",)
"""What answers a number that is too large or too small with an error."""


def run(export: str, one: Case) -> int:
    try:
        answers = RUNNERS[export](one.model, one.points)
    except AbsentError as error:
        pytest.skip(str(error))
    return disagreements(one, *answers)


@pytest.mark.parametrize("kind", [*DERIVED, *OF_TIMES])
@pytest.mark.parametrize("export", RUNNERS)
def test_the_export_computes_what_the_model_does(export: str, kind: str) -> None:
    one = case(kind, export in CALM)
    if export == "PMML" and one.model.kind != "tree":
        return
    if export == "PMML":
        with pytest.raises(ModelError, match=r"derived columns .* PMML leaves open"):
            one.model.to_pmml()
        return
    if export == "ONNX" and one.model.program().mixes:
        with pytest.raises(ModelError, match="several branches, in shares"):
            one.model.to_onnx()
        return
    if export == "SQLite" and kind in OF_TIMES:
        with pytest.raises(ModelError, match="sqlite has no exact number for them"):
            one.model.to_sql("sqlite")
        return
    assert run(export, one) == 0


@pytest.mark.parametrize("kind", ["numbers", "mixed"])
def test_points_lie_on_the_cuts_and_one_step_beside(kind: str) -> None:
    one = case(kind)
    frame = Frame.read(as_frame(one.model, one.points), one.model.schema)
    on = below = above = missing = 0
    for ask in one.model.program().asks():
        if ask.cuts and one.model.schema.columns[ask.column].formula is not None:
            values: Any = frame.table.column(ask.column).values  # type: ignore[union-attr]
            for cut in ask.cuts:
                on += int((values == cut).sum())
                below += int((values == np.nextafter(cut, -np.inf)).sum())
                above += int((values == np.nextafter(cut, np.inf)).sum())
            missing += int(np.isnan(values).sum())
    assert min(on, above, missing) > 20, (on, below, above, missing)
    assert below > 0


@pytest.mark.parametrize("kind", DERIVED)
@pytest.mark.parametrize("dialect", ["bigquery", "spark"])
def test_dialects_that_cannot_be_run_here_parse(dialect: str, kind: str) -> None:
    (statement,) = sqlglot.parse(case(kind).model.to_sql(dialect), read=dialect)
    assert statement is not None


@pytest.mark.parametrize("flags", [["-O3", "-march=native", "-ffp-contract=fast"], ["-O0"]])
def test_no_compiler_fuses_what_is_rounded_apart(flags: list[str], monkeypatch: Any) -> None:
    """Fused, x * x - y * y of equal numbers would be what rounding took away, not 0."""
    import tests.contract.runners as runners

    plain = subprocess.run

    def with_flags(command: Any, **how: Any) -> Any:
        more = flags if any(str(part).endswith("model.c") for part in command) else []
        return plain([*command[:1], *(c for c in command[1:] if c != "-O1"), *more], **how)

    monkeypatch.setattr(runners.subprocess, "run", with_flags)
    assert run("C", case("numbers")) == 0
    X = {"x": [0.1, 0.1, 0.3, 0.3] * 5, "y": [0.1, 0.2, 0.3, 0.2] * 5}
    y = ["same", "other", "same", "other"] * 5
    model = DecisionTreeClassifier(derive={"d": "abs(x * x - y * y)"}).fit(X, y).model_
    assert model.columns_asked == ("x", "y")
    values = (np.arange(2000) / 997).tolist()
    points: Any = {"x": values, "y": values}
    one = Case("fused", model, points, model.predict(points).tolist(), model.predict_proba(points))
    assert set(one.labels) == {"same"}
    assert run("C", one) == 0


def test_postgres_refuses_what_overflows_rather_than_answer_otherwise() -> None:
    from tests.contract.databases import in_postgres

    X = {"x": [-2.0, -1.0, 1.0, 2.0]}
    model = DecisionTreeClassifier(derive={"d": "x * x"}).fit(X, list("abba")).model_
    assert model.n_leaves == 2
    try:
        with in_postgres(model, {"x": [1e200]}) as base:
            with pytest.raises(subprocess.CalledProcessError) as refused:
                base.fetch(model.to_sql("postgres").strip().rstrip(";"))
            assert b"out of range" in refused.value.stderr
    except AbsentError as error:
        pytest.skip(str(error))


def test_what_would_be_too_long_a_query_is_refused() -> None:
    """Each column doubles the one before it: a name in Python, all of it again in SQL."""
    random = np.random.default_rng(0)
    X = {"x": random.normal(size=60), "y": random.normal(size=60)}
    derive = {"d0": "x - y"} | {f"d{k}": f"(d{k - 1} + d{k - 1}) / 2" for k in range(1, 31)}
    derive["last"] = "d30 * x"
    y = X["x"] * (X["x"] - X["y"]) > 0.1
    model = DecisionTreeClassifier(derive=derive, max_depth=1).fit(X, y).model_
    assert model.n_leaves == 2
    assert "last" in str(model)
    with pytest.raises(ModelError, match="more than 2,000 operations"):
        model.to_sql("duckdb")
    assert len(model.to_python()) < 10_000
    points: Any = {name: column.tolist() for name, column in X.items()}
    one = Case("", model, points, model.predict(X).tolist(), model.predict_proba(X))
    assert run("Python", one) == 0


def test_integers_and_decimals_of_a_table_become_float64() -> None:
    import duckdb

    X = {"a": [1, 2, 3, 4, 5, 6], "b": [4, 3, 3, 2, 7, 1]}
    y = ["p", "q", "p", "q", "p", "q"]
    model = DecisionTreeClassifier(derive={"q": "a / b"}).fit(X, y).model_
    with duckdb.connect() as base:
        base.execute('CREATE TABLE "data" (a DECIMAL(9, 1), b INTEGER)')
        base.executemany('INSERT INTO "data" VALUES (?, ?)', list(zip(X["a"], X["b"], strict=True)))
        rows = base.execute(f'SELECT {model.to_sql("duckdb", kind="case")} FROM "data"').fetchall()
    assert [row[0] for row in rows] == model.predict(X).tolist()
    code: dict[str, Any] = {}
    exec(model.to_python(), code)
    cases = [{"a": a, "b": b} for a, b in zip(X["a"], X["b"], strict=True)]
    assert [code["predict"](one) for one in cases] == model.predict(X).tolist()


def test_what_refuses_missing_values_refuses_what_has_no_value() -> None:
    X = {"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 3.0, 3.0, 2.0]}
    learner = DecisionTreeClassifier(derive={"q": "a / b"}, missing="error")
    model = learner.fit(X, ["p", "q", "p", "q"]).model_
    code: dict[str, Any] = {}
    exec(model.to_python(), code)
    assert code["predict"]({"a": 2, "b": 3}) == "q"
    used = model.program().used
    if model.schema.names.index("q") in used:
        with pytest.raises(ValueError, match="'q' is missing or unknown"):
            code["predict"]({"a": 2, "b": 0})
    for export in ("C", "JavaScript", "DuckDB", "SQLite"):
        points: Any = X
        one = Case("", model, points, model.predict(X).tolist(), model.predict_proba(X))
        assert run(export, one) == 0
