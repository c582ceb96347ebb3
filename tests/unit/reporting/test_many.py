"""The report of forests and boosted trees: what is in it is the model's, and nothing else."""

import json
import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape
from sklearn.datasets import load_diabetes, load_wine

import bosco
from bosco.data.frame import Frame
from bosco.datasets import loans
from bosco.figures.figure import judge, truth_of
from bosco.render.card import show_share
from bosco.reporting import importance, many
from bosco.reporting.case import typical_case
from bosco.reporting.many import FOREST, POINTS
from bosco.reporting.scores import Scores, score_many
from tests.unit.reporting.test_reporting import EVIL, Reader


def scored(model: Any, frame: Any, y: Any) -> Scores:
    truth = truth_of(model, frame, y)
    return score_many(model, frame, truth, judge(model, frame, truth))


def wine() -> tuple[Any, Any, Any]:
    data = load_wine(as_frame=True)
    y = data.target_names[data.target]
    forest = bosco.RandomForestClassifier(15, random_state=0).fit(data.data[::2], y[::2])
    return forest, data.data[1::2], y[1::2]


@pytest.mark.parametrize("kind", ["forest", "regression", "boosted", "deep"])
def test_one_well_formed_file_with_and_without_rows(kind: str) -> None:
    forest, X, y = wine()
    made: Any = forest
    if kind == "regression":
        y = np.asarray(X["hue"])
        X = X.drop(columns="hue")
        made = bosco.ExtraTreesRegressor(5, random_state=0).fit(X, y)
    elif kind != "forest":
        weak = bosco.DecisionTreeClassifier(max_depth=1 + (kind == "deep"))
        made = bosco.AdaBoostClassifier(weak, n_estimators=40).fit(X, y)
    for given in ((X, y), ()):
        report = bosco.report(made, *given)
        page = Reader(str(report))
        assert page.open == []
        assert len(set(page.ids)) == len(page.ids)
        assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
        assert len(page.scripts) == 5  # facts and words, the model, how words are found, the form
        assert ("How good it is" in page.text) == bool(given)
        assert str(report) == str(made.model_.report(*given))


def test_figures_are_those_of_the_model() -> None:
    forest, X, y = wine()
    model = forest.model_
    frame = model.read(X)
    scores = scored(model, frame, y)
    assert scores.confusion is not None
    accuracy = float(np.mean(model.predict(X) == y))
    assert scores.figures[1].name == "accuracy"
    assert scores.figures[1].value == pytest.approx(accuracy)
    sure = model.predict_proba(X).max(axis=1)
    assert sum(p.rows for p in scores.points) == len(y)
    mean = sum(p.rows * p.predicted for p in scores.points) / len(y)
    assert mean == pytest.approx(sure.mean())
    right = sum(p.rows * p.observed for p in scores.points)
    assert right == pytest.approx(np.trace(scores.confusion))
    assert all(0 <= p.low <= p.observed <= p.high <= 1 for p in scores.points)


def test_a_real_target_and_points() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = bosco.RandomForestRegressor(5, random_state=0).fit(X[::2], y[::2]).model_
    frame = model.read(X[1::2])
    scores = scored(model, frame, y[1::2])
    assert scores.figures[0].value == pytest.approx(np.abs(model.predict(X[1::2]) - y[1::2]).mean())
    assert len(scores.points) == 10
    X_, y_ = loans()
    table = bosco.AdaBoostClassifier(n_estimators=20).fit(X_, y_).model_
    frame = table.read(X_)
    scores = scored(table, frame, y_)
    points = table.points(X_)
    ahead = np.abs(points[:, 1] - points[:, 0])
    assert scores.points == ()
    assert sum(p.rows * p.predicted for p in scores.ahead) == pytest.approx(ahead.sum())
    with pytest.raises(bosco.DataError, match="none of the model's classes"):
        table.report(X_, ["safe"] * (len(y_) - 1) + ["saf"])
    with pytest.raises(bosco.DataError, match="equally many"):
        table.report(X_, y_[:-1])


def test_a_column_that_decides_everything_is_missed_when_shuffled() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.random(400), "cause": rng.random(400)})
    y = np.where(X["cause"] > 0.5, "high", "low")
    forest = bosco.RandomForestClassifier(10, random_state=0).fit(X[:200], y[:200])
    frame = forest.model_.read(X[200:])
    truth = truth_of(forest.model_, frame, y[200:])
    drops = importance.drops_on(forest.model_, frame, truth)
    assert drops is not None
    assert drops.mean[1] > 0.35
    assert abs(drops.mean[0]) < 0.05
    oob = importance.drops_given(forest.permutation_importances_oob(X[:200], y[:200]), False)
    assert oob.mean[1] > 0.35
    first, second = (text.index(">cause<") < text.index(">noise<") for text in _columns(forest, X))
    assert first
    assert second


def _columns(forest: Any, X: Any) -> list[str]:
    """The section of columns, without rows and with them."""
    y = forest.predict(X)
    return [
        str(bosco.report(forest, *given)).partition('id="one-case"')[0] for given in ((), (X, y))
    ]


def test_few_rows_are_shuffled_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importance, "MAX_ROWS", 20)
    monkeypatch.setattr(importance, "MAX_SHUFFLED", 2)
    forest, X, y = wine()
    text = Reader(str(bosco.report(forest, X, y))).text
    assert "out anew among 20 of the rows given to the report" in text
    frame = forest.model_.read(X)
    drops = importance.drops_on(forest.model_, frame, truth_of(forest.model_, frame, y))
    assert drops is not None
    assert np.count_nonzero(~np.isnan(drops.mean)) == 2


def test_a_single_row_and_a_single_leaf() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = bosco.RandomForestRegressor(2, random_state=0).fit(X, y).model_
    assert "Shuffling" not in str(model.report(X[:1], y[:1]))
    for made in (
        bosco.ExtraTreesClassifier(2, max_depth=1).fit([[1.0], [1.0]], ["a", "b"]),
        bosco.AdaBoostClassifier(n_estimators=3).fit([[1.0], [1.0], [1.0]], ["a", "b", "b"]),
    ):
        page = Reader(str(bosco.report(made, [[1.0], [1.0]], ["a", "b"])))
        assert page.open == []
        assert "There is nothing to type: the trees ask nothing." in page.text


def test_the_score_table_is_the_models() -> None:
    X, y = loans()
    model = bosco.AdaBoostClassifier(n_estimators=20).fit(X, y).model_
    html = str(model.report())
    points = [float(p) for p in re.findall(r'<td class="number">([+-][\d.]+)</td>', html)]
    exact = [(p[1] - p[0]) / 2**40 for line in model.lines for p in line.points]
    assert points == pytest.approx(exact, abs=5e-5)
    assert html.count("<tbody><tr><th") == len(model.lines)


def test_many_questions_are_folded_and_large_forests_get_no_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 8))
    y = (X @ rng.normal(size=8) > 0.2).astype(int)
    boosted = bosco.AdaBoostClassifier(n_estimators=200).fit(X, y).model_
    text = Reader(str(boosted.report())).text
    assert f"{len(boosted.lines) - 30} more questions" in text
    forest = wine()[0]
    assert 'id="case"' in str(bosco.report(forest))
    monkeypatch.setattr(many, "MAX_LEAVES", forest.model_.n_leaves - 1)
    html = str(bosco.report(forest))
    assert "too large to predict on this page" in html
    assert 'id="case"' not in html


def test_one_case_is_the_account_of_the_model() -> None:
    forest, X, y = wine()
    case = X.iloc[0].to_dict()
    text = Reader(str(bosco.report(forest, X, y, case=case))).text
    account = forest.model_.explain(case)
    for said, what in account.rows():
        assert said in text
        assert what in text
    made_up = typical_case(forest.model_.read(X))
    assert made_up["hue"] in set(X["hue"])
    text = Reader(str(bosco.report(forest, X, y))).text
    assert "A case made up from the rows given to the report" in text
    assert forest.model_.explain(made_up).rows()[0][0] in text


def test_the_middle_of_every_kind_of_column() -> None:
    n = 5
    X = {
        "number": [1.5, None, 3.5, 2.5, 9.0],
        "whole": [4, 5, 6, 7, 8],
        "text": ["a", "b", "b", None, "c"],
        "truth": [True, True, False, True, None],
        "day": np.datetime64("2020-01-01") + np.arange(n),
        "when": np.datetime64("2020-01-01T12:00", "us") + np.arange(n),
        "instant": [datetime(2020, 1, 1 + k, tzinfo=UTC) for k in range(n)],
        "time": [time(k) for k in range(n)],
        "span": [timedelta(hours=k) for k in range(n)],
        "none": [None] * n,
    }
    model = bosco.RandomForestClassifier(3, random_state=0).fit(X, list("ababa")).model_
    case = typical_case(model.read(X))
    assert case["number"] == 2.5
    assert (case["whole"], case["text"], case["truth"]) == (6, "b", True)
    assert case["none"] is None
    one: Frame = model.read([case])
    whole = model.read(X)
    for j, name in enumerate(model.schema.names):
        if name not in ("none", "number", "text", "truth"):
            middle = np.asarray(whole.table.column(j).values)[2]
            assert np.asarray(one.table.column(j).values)[0] == middle, name
    assert Reader(str(model.report(X, list("ababa")))).open == []


def test_nothing_that_is_given_becomes_markup() -> None:
    X = {EVIL: [EVIL, "b"] * 10, "n": list(range(20))}
    y = [f"yes {EVIL}", "no"] * 10
    for made in (bosco.RandomForestClassifier(3), bosco.AdaBoostClassifier(n_estimators=3)):
        html = str(bosco.report(made.fit(X, y), X, y, title=EVIL, command=EVIL))
        page = Reader(html)
        assert page.open == []
        assert len(page.scripts) == 6
        assert json.loads(page.scripts[0])["columns"][0]["name"] == EVIL
        text = re.sub(r"(<script[^>]*>).*?</script>", r"\1", html, flags=re.S)
        assert "<script>alert" not in text


def test_what_is_refused() -> None:
    X, y = loans()
    tree = bosco.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(bosco.ParameterError, match="importances and case are for many trees"):
        bosco.report(tree, case={"term": 3})
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(bosco.ParameterError, match="a fitted estimator that has one"):
        bosco.report(LogisticRegression())


def test_boosting_of_one_class_can_be_judged() -> None:
    X = np.arange(20.0)[:, None]
    model = bosco.AdaBoostClassifier(n_estimators=3).fit(X, ["a"] * 20).model_
    assert "How good it is" in str(bosco.report(model, X, ["a"] * 20))


def test_points_that_a_column_can_move_are_those_shown() -> None:
    u = np.arange(120.0) % 8
    y = np.where((u > 3) ^ (np.arange(120) % 5 == 0), "R", "S")
    model = bosco.AdaBoostClassifier(n_estimators=1).fit({"u": u}, y).model_
    shown = [float(n) for n in re.findall(r"[+-]\d\.\d{4}", str(model))]
    assert len(shown) == 2
    assert model.worth[0] == pytest.approx(max(shown) - min(shown), abs=2e-4)
    assert f"{model.worth[0]:.4f}" in escape(POINTS.sections(model, None)[1].body)


def test_a_tree_asks_for_a_column_that_gains_nothing() -> None:
    X = {"p": ["0", "0", "1", "1"] * 5, "q": ["0", "1", "0", "1"] * 5}
    y = ["n", "y", "y", "n"] * 5
    one = bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    rows = re.findall(r"<tr>.*?</tr>", str(bosco.report(one)))
    assert not any("unused" in row for row in rows)
    forest = bosco.RandomForestClassifier(
        5, bootstrap=False, max_features=None, random_state=0
    ).fit(X, y)
    asked = [tree.columns_asked.tolist() for tree in forest.model_.trees()]
    page = escape(FOREST.sections(forest.model_, None)[0].body)
    for j, name in enumerate("pq"):
        row = next(row for row in re.findall(r"<tr>.*?</tr>", page, re.S) if f">{name}<" in row)
        share = sum(j in columns for columns in asked) / 5
        assert show_share(share) in row.split("<td")[-1]
