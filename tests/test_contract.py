"""Every export gives the class and the shares that the model gives; `python -m tests.contract`
prints the table. What cannot be said exactly is refused, with the reason."""

from __future__ import annotations

import importlib
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlglot
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier as PeerClassifier
from sqlglot import exp

from bosco import DecisionTreeClassifier
from bosco.errors import ModelError
from bosco.models.model import Model
from tests.contract.check import disagreements
from tests.contract.databases import RUNNERS, TYPES
from tests.contract.kinds import KINDS, Case, case, points_of, program_of
from tests.contract.postgres import postgres
from tests.contract.runners import AbsentError, compile_c

PARSED = ("bigquery", "spark")


def run(export: str, one: Case) -> int:
    try:
        answers = RUNNERS[export](one.model, one.points)
    except AbsentError as error:
        pytest.skip(str(error))
    return disagreements(one, *answers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("export", RUNNERS)
def test_the_export_is_the_model(export: str, kind: str) -> None:
    one = case(kind)
    if export in ("ONNX", "PMML") and program_of(one.model).mixes:
        with pytest.raises(ModelError, match="several branches, in shares"):
            one.model.to_onnx() if export == "ONNX" else one.model.to_pmml()
        return
    assert run(export, one) == 0


def test_points_meet_what_matters() -> None:
    """Thresholds and their neighbours, every level, unseen ones, missing values, infinities."""
    one = case("cart, mixed")
    doses = [d for d in one.points["dose"] if d is not None]
    cuts = {c for a in program_of(one.model).asks() if a.column == 0 for c in a.cuts}
    beside = {float(np.nextafter(c, side)) for c in cuts for side in (-np.inf, np.inf)}
    assert cuts | beside | {np.inf, -np.inf} <= set(doses)
    assert None in one.points["dose"]
    assert any(d != d for d in doses)
    site = next(c for c in one.model.schema.columns if c.name == "site")
    assert {*site.levels, "unseen", None} <= set(one.points["site"])
    leaves = one.model.apply(as_rows(one))
    assert len(set(leaves.tolist())) > 0.8 * one.model.n_leaves


def as_rows(one: Case) -> Any:
    from tests.contract.kinds import as_frame

    return as_frame(one.model, one.points)


def test_a_wrong_answer_is_counted() -> None:
    one = case("cart, iris")
    shares = one.shares.copy()
    shares[3, 0] = np.nextafter(shares[3, 0], 2)
    assert disagreements(one, one.labels, shares) == 1
    assert disagreements(one, [*one.labels[:-1], "other"], one.shares) == 1


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.endswith("large")])
@pytest.mark.parametrize("dialect", PARSED)
def test_other_dialects_parse(dialect: str, kind: str) -> None:
    """What cannot be run here reads back as what was meant: the same texts and numbers."""
    model = case(kind).model
    (statement,) = sqlglot.parse(model.to_sql(dialect), read=dialect)
    assert statement is not None
    code = program_of(model)
    literals = list(statement.find_all(exp.Literal))
    if code.classes is not None and isinstance(code.classes[0], str):
        said = {code.classes[code.answers[leaf]] for leaf in code.leaves}
        assert said <= {literal.this for literal in literals if literal.is_string}
    names = {i.this for i in statement.find_all(exp.Identifier)}
    assert {model.schema.names[j] for j in code.used} <= names
    numbers = {float(literal.this) for literal in literals if literal.is_number}
    assert {abs(value) for leaf in code.leaves for value in code.values[leaf]} <= numbers


@pytest.mark.parametrize("kind", ["id3, play-tennis", "c4.5, golf"])
def test_views_are_accepted(kind: str) -> None:
    model = case(kind).model
    columns = ", ".join(f'"{c.name}" {TYPES[c.unit]}' for c in model.schema.columns)
    table = f'CREATE TABLE "data" ({columns}, bosco_test_id int);'
    for name, dialect in (("duckdb", "duckdb"), ("sqlite3", "sqlite")):
        base = importlib.import_module(name).connect(":memory:")
        base.execute(table)
        base.execute(model.to_sql(dialect, kind="view"))
        base.execute('INSERT INTO "data" (bosco_test_id) VALUES (1)')
        (found,) = base.execute('SELECT "prediction" FROM "predictions"').fetchall()
        assert found[0] == model.predict(dict.fromkeys(model.schema.names))
    try:
        server = postgres()
    except AbsentError:
        return
    view = model.to_sql("postgres", kind="view")
    server.ask(f'DROP TABLE IF EXISTS "data" CASCADE;{table}\n{view}\nDROP VIEW "predictions";')


# The case that float32 gets wrong ----------------------------------------------------------------


def test_wine_of_issue_11165() -> None:
    """A wine that scikit-learn sends against its own rule goes by ours in every export."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(n_estimators=10, random_state=0).fit(X[:71].to_numpy(), y[:71])
    peer, wine = forest.estimators_[9], X[152:153]
    rule, value = peer.tree_.threshold[3], wine["malic_acid"].item()
    assert X.columns[peer.tree_.feature[3]] == "malic_acid"
    assert value > rule  # so it ought to go right, to node 5
    assert peer.decision_path(wine.to_numpy()).indices.tolist() == [0, 1, 3, 4]
    drawn = np.bincount(forest.estimators_samples_[9], minlength=71)
    drawn[(X["proline"][:71] > 765) | (X["proanthocyanins"][:71] <= peer.tree_.threshold[1])] = 0
    ours = DecisionTreeClassifier(max_depth=1).fit(X[["malic_acid"]][:71], y[:71], drawn).model_
    assert ours.tree.threshold[0] == value
    sides = [value, float(np.nextafter(value, 9)), float(np.nextafter(value, 0)), float(rule)]
    points = {"malic_acid": sides}
    labels, shares = ours.predict(points).tolist(), ours.predict_proba(points)
    assert labels == [1, 0, 1, 1]
    for export in RUNNERS:
        assert run_or_none(export, Case("wine", ours, points, labels, shares)) in (0, None)


def run_or_none(export: str, one: Case) -> int | None:
    try:
        return disagreements(one, *RUNNERS[export](one.model, one.points))
    except AbsentError:
        return None


def test_wine_just_above_a_threshold() -> None:
    """scikit-learn narrows rows to float32: just above a threshold they go the wrong way."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.columns = [name.replace("/", "_") for name in X]
    model = DecisionTreeClassifier(max_depth=1).fit(X, y).model_
    peer = PeerClassifier(max_depth=1, random_state=0).fit(X.to_numpy(), y)
    cut = model.tree.threshold[0]
    assert cut == peer.tree_.threshold[0] == 755.0
    above = X.iloc[[0]].assign(proline=np.nextafter(cut, np.inf))
    assert above["proline"].item() > cut
    left, right = (int(model.node_class[child]) for child in model.tree.children(0))
    assert left != right
    assert peer.predict(above.to_numpy())[0] == left  # though its own text says proline > 755
    points = {name: [float(above[name].item())] for name in X}
    one = Case("wine", model, points, model.predict(above).tolist(), model.predict_proba(above))
    assert one.labels == [right]
    for export in RUNNERS:
        assert run_or_none(export, one) in (0, None)


# Size -------------------------------------------------------------------------------------------


@cache
def huge() -> Case:
    """Noise, learned by heart: about 10,000 leaves."""
    rng = np.random.default_rng(0)
    X = {f"x{j}": rng.normal(size=40_000) for j in range(6)}
    model = DecisionTreeClassifier().fit(X, rng.integers(0, 2, 40_000)).model_
    return sampled("huge", model, 1500)


@cache
def deep() -> Case:
    """One level against the rest, again and again: a tree as deep as it has leaves."""
    rng = np.random.default_rng(1)
    site = [f"s{i}" for i in range(400)] * 5
    y = [f"{(int(s[1:]) * 7919) % 13 % 2 ^ int(rng.random() < 0.2)}" for s in site]
    settings: dict[str, Any] = {"nominal_test": "one_vs_rest", "min_samples_split": 6}
    model = DecisionTreeClassifier(**settings).fit({"site": site}, y).model_
    assert model.depth > 150
    return sampled("deep", model, 1500)


def sampled(name: str, model: Model, n: int) -> Case:
    points = points_of(model, n)
    one = Case(name, model, points, [], None)
    rows = as_rows(one)
    return Case(name, model, points, model.predict(rows).tolist(), model.predict_proba(rows))


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("tree", [huge, deep])
def test_large_trees_stay_usable(export: str, tree: Any) -> None:
    one = tree()
    assert tree is deep or one.model.n_leaves > 9_000
    if export == "PMML" and tree is deep:
        with pytest.raises(ModelError, match="levels deep"):
            one.model.to_pmml()
        return
    assert run(export, one) == 0


def test_a_large_header_compiles_quickly(tmp_path: Path) -> None:
    text = huge().model.to_c()
    start = time.monotonic()
    try:
        compile_c(text, tmp_path)
    except AbsentError as error:
        pytest.skip(str(error))
    assert time.monotonic() - start < 30
