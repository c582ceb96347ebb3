"""Curves, residuals and segments on the page: the same figures as in Python, counted from rows."""

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestClassifier,
    report,
)
from bosco.reporting.bars import charts_of


def data(n: int = 600, classes: int = 2) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    X["office"] = rng.choice(["<north>", "south"], n)
    signal = X["a"] + rng.normal(size=n)
    edges = np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.array(["bad", "good", "<other>"])[np.searchsorted(edges, signal)]


def facts_of(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', html, re.S)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize(
    "learner",
    [DecisionTreeClassifier(max_depth=4), RandomForestClassifier(60, random_state=0)],
    ids=["tree", "forest"],
)
def test_the_bar_is_counted_from_the_rows(learner: Any) -> None:
    X, y = data()
    model = learner.fit(X[["a", "b"]][:300], y[:300]).model_
    costs = {"bad": {"good": 7}}
    html = str(report(model, X, y, positive="bad", costs=costs, by="office"))
    X, y = X[300:], y[300:]
    known = facts_of(html)["curves"]
    score, true = model.predict_proba(X)[:, 0], y == "bad"
    assert known["name"] == "bad"
    assert known["bars"][0] is None
    assert 2 < len(known["bars"]) <= 201
    for bar, (others, own) in zip(known["bars"][1:], known["rows"][1:], strict=True):
        assert own == np.count_nonzero(true & (score >= bar))
        assert others == np.count_nonzero(~true & (score >= bar))
    assert known["rows"] == known["above"]
    said = model.predict(X) == "bad"
    own = [np.count_nonzero(~true & said), np.count_nonzero(true & said)]
    assert known["rows"][known["own"]] == own
    assert 'id="bar-miss" inputmode="decimal" size="6" value="7"' in html
    area = bosco.curves(model, X, y, positive="bad")["bad"].area
    assert f"{area.value:.3f}" in html
    assert "&lt;north&gt;" in html
    assert "<north>" not in html
    assert "These exclude each other" in html
    assert html.count('data-curve="') == 5
    assert "promised bad, less seen (points)" in html


def test_lines_begin_and_end_where_figures_do() -> None:
    """Of no answer there is no precision, and a bar below all scores costs what all answers do."""
    X, y = data()
    model = DecisionTreeClassifier(max_depth=2).fit(X[["a", "b"]][:300], y[:300]).model_
    one = bosco.curves(model, X[300:], y[300:], positive="bad")["bad"]
    recall, precision = one.pr
    assert recall[0] == 0
    assert precision[0] == precision[1] < 1
    frames = {frame.kind: frame for frame in charts_of(one, np.arange(len(recall)), miss=7)}
    (_, across, up) = frames["pr"].drawn[-1]
    assert (across[0], up[0]) == (0, precision[1])
    (_, across, up) = frames["cost"].drawn[0]
    assert across[-1] == 0 < across[-2]
    assert up[-1] == pytest.approx(np.mean(y[300:] != "bad"))


def test_how_to_repeat_it_has_the_bar() -> None:
    X, y = data()
    model = DecisionTreeClassifier(max_depth=2).fit(X[["a", "b"]][:300], y[:300]).model_
    plain = str(report(model, command="bosco fit a.csv"))
    moved = model.at(X[300:], y[300:], recall=0.9, positive="bad")
    again = f"bosco at MODEL --threshold {moved.decision.cut.at:.17g} --positive bad"
    assert "bosco at" not in plain
    assert again in str(report(moved, command="bosco fit a.csv"))


def test_several_classes_have_no_slider() -> None:
    X, y = data(classes=3)
    model = DecisionTreeClassifier(max_depth=4).fit(X[["a", "b"]][:300], y[:300]).model_
    html = str(report(model, X[300:], y[300:]))
    assert "curves" not in facts_of(html)
    assert "bar-form" not in html.split("</style>")[-1]
    assert html.count('class="line-2') == 2
    one = str(report(model, X[300:], y[300:], positive="<other>"))
    assert facts_of(one)["curves"]["name"] == "<other>"


def test_rows_of_one_class_have_no_curve() -> None:
    X, y = data()
    model = DecisionTreeClassifier(max_depth=4).fit(X[["a", "b"]][:300], y[:300]).model_
    good = np.flatnonzero(y == "good")[-40:]
    html = str(report(model, X.iloc[good], y[good], lang="it"))
    assert "non c’è curva" in html
    assert "curves" not in facts_of(html)


def test_numbers_have_residuals_and_segments() -> None:
    X, _ = data()
    y = X["a"] * 2 + np.random.default_rng(1).normal(size=len(X))
    model = DecisionTreeRegressor(max_depth=3).fit(X[["a", "b"]][:300], y[:300]).model_
    html = str(report(model, X[300:], y[300:], by=["office"]))
    found = bosco.residuals(model, X[300:], y[300:])
    assert "What is left over" in html
    assert html.count('class="range thin"') == len(found.bins)
    assert "mean absolute error" in html
    assert "Whom it treats differently" in html
    assert "Fairness" not in html
    constant = DecisionTreeRegressor().fit(X[["a"]][:300], np.ones(300)).model_
    assert "What is left over" in str(report(constant, X[300:], np.ones(300)))


def test_segments_need_rows() -> None:
    X, y = data(50)
    model = DecisionTreeClassifier(max_depth=1).fit(X[["a"]], y)
    with pytest.raises(ParameterError, match="by needs X and y"):
        report(model, by="office")
