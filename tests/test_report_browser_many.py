"""The report of many trees in a real browser; see `test_report_browser`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import bosco
from tests.browser import EVIL, FILL, SIZES, Open, typed
from tests.contract.kinds import mixed


def forest_report() -> Any:
    data = load_wine(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    forest = bosco.RandomForestClassifier(30, random_state=0).fit(X[::2], y[::2])
    return bosco.report(
        forest,
        X[1::2],
        y[1::2],
        importances=forest.permutation_importances_oob(X[::2], y[::2]),
        evaluation=bosco.evaluate(bosco.RandomForestClassifier(5), X, y, repeats=2),
        selection=bosco.select(bosco.ExtraTreesClassifier(5), {"max_features": [1, 2]}, X, y),
        command="bosco fit wine.csv --target kind --algorithm forest",
    )


def odd_forest_report() -> Any:
    X = pd.DataFrame({EVIL: [EVIL, "b", "c"] * 20, "ünï ☃ 木": range(60)})
    y = [f"{EVIL} {k // 7 % 3}" for k in range(60)]
    return bosco.RandomForestClassifier(5).fit(X, y).model_.report(X, y, title=EVIL, command=EVIL)


def boosted_report() -> Any:
    X, y = bosco.datasets.loans()
    return bosco.report(bosco.AdaBoostClassifier(n_estimators=20).fit(X, y), X, y)


def deep_report() -> Any:
    data = load_wine(as_frame=True)
    weak = bosco.DecisionTreeClassifier(max_depth=2)
    return (
        bosco.AdaBoostClassifier(weak, n_estimators=40)
        .fit(data.data, data.target)
        .model_.report(data.data, data.target)
    )


MANY = {
    "forest": forest_report,
    "odd forest": odd_forest_report,
    "boosted": boosted_report,
    "deep": deep_report,
}


@pytest.mark.parametrize(
    ("which", "size", "scheme"),
    [
        ("forest", "wide", "light"),
        ("forest", "narrow", "dark"),
        ("odd forest", "narrow", "light"),
        ("boosted", "wide", "dark"),
        ("boosted", "narrow", "light"),
        ("deep", "narrow", "light"),
    ],
)
def test_many_trees_open_and_everybody_can_use_them(
    show: Open, which: str, size: str, scheme: str
) -> None:
    page = show(MANY[which](), size, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert page.locator("h1").count() == 1
    assert page.locator("svg.bar rect").count() > 1
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found]
    assert page.pdf()[:4] == b"%PDF"


@pytest.mark.parametrize("kind", ["forest", "regression", "boosted", "boosted, 3 classes"])
def test_the_form_predicts_as_many_trees_do(show: Open, kind: str) -> None:
    X, y = mixed(n=300)
    X = X.drop(columns=["taken"])  # fields of the browser have milliseconds
    if kind == "regression":
        model: Any = bosco.RandomForestRegressor(5).fit(X, np.arange(300) % 17 / 7).model_
    elif kind == "forest":
        model = bosco.RandomForestClassifier(7, random_state=0).fit(X, y).model_
    else:
        y = y if kind != "boosted" else np.where(np.arange(300) % 3, "yes", "no")
        model = bosco.AdaBoostClassifier(n_estimators=9).fit(X, y).model_
    page = show(model.report())
    frame, n = mixed(seed=1, n=100)[0].drop(columns=["taken"]), 100
    cells = {name: [None if pd.isna(v) else v for v in frame[name]] for name in frame}
    cells["seen"] = [None if v is None else np.datetime64(v, "D") for v in cells["seen"]]
    labels = model.predict(frame).tolist()
    columns = json.loads(page.locator("#facts").text_content())["columns"]
    rows = [[typed(c, cells[c["name"]][at]) for c in columns] for at in range(n)]
    answers = page.evaluate(FILL, rows)
    assert [json.loads(answer["prediction"]) for answer in answers] == labels
    if kind == "forest":
        shares = model.predict_proba(frame).tolist()
        assert [json.loads(answer["shares"]) for answer in answers] == shares
    if kind.startswith("boosted"):
        points = model.points(frame).tolist()
        assert [json.loads(answer["points"]) for answer in answers] == points
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.querySelector('#answer').textContent === ''")
