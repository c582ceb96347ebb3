"""Shares of leaves made less sure of themselves, beside the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

import bosco
from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.datasets import golf
from bosco.errors import DataError, ModelError, ParameterError
from bosco.render.card import show_share
from tests.unit.figures.test_operating import rows

TREE = DecisionTreeClassifier(min_samples_leaf=3)


def test_laplace_and_the_m_estimate_are_counts() -> None:
    model = TREE.fit(*rows(0)).model_
    tally, X = model.tree.native.tally, rows(1)[0]
    leaves = model.apply(X)
    laplace = (tally + 1) / (tally.sum(axis=1) + 2)[:, None]
    assert model.calibrated(method="laplace").predict_proba(X) == pytest.approx(laplace[leaves])
    prior = tally[0] / tally[0].sum()
    shares = (tally + 5 * prior) / (tally.sum(axis=1) + 5)[:, None]
    found = model.calibrated(method="m_estimate", m=5).predict_proba(X)
    assert found == pytest.approx(shares[leaves])
    assert model.calibrated(method="laplace").predict(X).tolist() == model.predict(X).tolist()


def test_isotonic_is_that_of_scikit_learn() -> None:
    model, (X, y) = TREE.fit(*rows(0)).model_, rows(1)
    own = model.predict_proba(X)[:, 1]
    peer = IsotonicRegression(y_min=0, y_max=1).fit(own, y == "well")
    moved = model.calibrated(X, y)
    assert moved.predict_proba(X)[:, 1] == pytest.approx(peer.predict(own))
    told = moved.decision.calibration
    assert told.before == pytest.approx(brier_score_loss(y == "well", own))
    assert told.after == pytest.approx(brier_score_loss(y == "well", peer.predict(own)))
    assert told.before == pytest.approx(bosco.curves(model, X, y)["well"].brier.value)
    assert told.after < told.before
    assert told.rows == len(y)


@pytest.mark.parametrize("method", ["isotonic", "laplace"])
def test_files_exports_and_rules_say_the_same(method: str, tmp_path: Any) -> None:
    model, (X, y) = TREE.fit(*rows(0)).model_, rows(1)
    moved = model.calibrated(X, y, method=method)
    moved.save(tmp_path / "m.json")
    again = bosco.load(tmp_path / "m.json")
    assert again.decision == moved.decision
    assert (again.predict_proba(X) == moved.predict_proba(X)).all()
    spoken: dict[str, Any] = {}
    exec(moved.to_python(), spoken)
    for i in range(0, 400, 7):
        row = {name: float(values[i]) for name, values in X.items()}
        assert spoken["predict"](row) == moved.predict(row)
        assert spoken["predict_proba"](row) == moved.predict_proba(row).tolist()
        assert str(moved.predict(row)) in str(moved.explain(row))
    rules = moved.rules()
    assert rules.predict(X).tolist() == moved.predict(X).tolist()
    assert not rules.equivalent_to(model, values=True)
    assert any("Brier" in line for line in moved.deciding)


@pytest.mark.parametrize("costs", [None, {"ill": 4}])
def test_explanations_keep_both_shares_apart(costs: Any) -> None:
    """What the rows of the leaf say stands beside what is predicted, and nothing mixes the two."""
    X, y = rows(0)
    model = DecisionTreeClassifier(min_samples_leaf=3, costs=costs).fit(X, y).model_
    moved = model.calibrated(*rows(1))
    for i in range(0, 400, 40):
        case = {name: float(values[i]) for name, values in X.items()}
        said = moved.explain(case)
        ill, well = (show_share(share) for share in moved.predict_proba(case))
        shares = ", ".join(
            f"{label} {share}" for label, share in (("ill", ill), ("well", well)) if share != "0 %"
        )
        assert f"predicted, as calibrated: {shares}" in str(said).splitlines()
        assert "rival" not in str(said)
        assert "| class | calibrated share | share of rows | 95 % interval |" in said.to_markdown()
        assert said.to_dict()["calibrated"]
        assert "calibrated:" not in str(model.explain(case))


def test_costs_go_by_calibrated_shares() -> None:
    X, y = rows(0)
    model = DecisionTreeClassifier(min_samples_leaf=3, costs={"ill": 4}).fit(X, y).model_
    moved = model.calibrated(*rows(1))
    shares = moved.predict_proba(X)
    wanted = np.where(shares[:, 1] >= shares[:, 0] * 4, "well", "ill")
    assert moved.predict(X).tolist() == wanted.tolist()
    barred = moved.at(*rows(2), recall=0.9, positive="ill")
    own = shares[:, 0]
    assert ((barred.predict(X) == "ill") == (own >= barred.decision.cut.at)).all()


def test_empty_leaves_say_what_their_parent_says() -> None:
    X, y = golf()
    tree = DecisionTreeClassifier(
        algorithm="id3", domains={"outlook": ["foggy", *set(X["outlook"])]}
    )
    model = tree.fit(X, y).model_.calibrated(method="laplace")
    native = model.tree.native
    empty = np.flatnonzero(model.tree.node_weight == 0)
    assert len(empty)
    assert (model.shares[empty] == model.shares[native.parent[empty]]).all()


def test_what_is_refused() -> None:
    X, y = rows(0)
    model = TREE.fit(X, y).model_
    with pytest.raises(DataError, match="too sure of themselves"):
        model.calibrated(X, y)
    with pytest.raises(ParameterError, match="needs rows"):
        model.calibrated()
    with pytest.raises(ParameterError, match="Did you mean 'laplace'"):
        model.calibrated(method="laplac")
    with pytest.raises(ParameterError, match="above 0"):
        model.calibrated(method="m_estimate", m=0)
    with pytest.raises(ModelError, match="of one tree only"):
        RandomForestClassifier(3).fit(X, y).model_.calibrated(X, y)
    with pytest.raises(ModelError, match="prune first"):
        model.calibrated(method="laplace").prune("same_answer")
    with pytest.raises(ParameterError, match="predicts a number"):
        bosco.DecisionTreeRegressor().fit(X, X["a"]).model_.calibrated(X, X["a"])
