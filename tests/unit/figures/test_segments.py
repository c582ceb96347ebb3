"""Segments: every figure again from the rows, and how often chance is taken for a difference."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from bosco import (
    AdaBoostClassifier,
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestClassifier,
    segments,
)
from bosco.figures.grouping import groupings
from bosco.figures.intervals import holm, wilson


def data(n: int = 1200, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=list("ab"))
    X["sex"] = rng.choice(["f", "m"], n)
    X["a"] += (X["sex"] == "m") * 0.8
    X["age"] = rng.integers(18, 80, n).astype(float)
    X.loc[rng.random(n) < 0.05, "age"] = np.nan
    y = np.where(X["a"] + rng.normal(size=n) > 0.3, "yes", "no")
    return X, y


MODELS = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "shared": DecisionTreeClassifier(max_depth=3, missing="fractional"),
    "forest": RandomForestClassifier(10, random_state=0),
    "boosted": AdaBoostClassifier(n_estimators=10),
}


def by_hand(key: str, label: Any, y: Any, said: Any, score: Any, w: Any) -> tuple[float, float]:
    """A figure of rows, and how many effective rows it rests on."""
    of = {
        "error": (y != said, slice(None)),
        "answered": (said == label, slice(None)),
        "recall": (said == label, y == label),
        "precision": (y == label, said == label),
        "promised": (score - (y == label), slice(None)),
    }
    what, rows = of[key]
    what, v = np.asarray(what, float)[rows], w[rows]
    return float(np.average(what, weights=v)), float(v.sum() ** 2 / (v @ v))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_figures_of_classes(name: str, weighted: bool) -> None:
    X, y = data()
    w = np.random.default_rng(3).choice([0.0, 0.5, 2.0], len(y)) if weighted else None
    model = MODELS[name].fit(X[["a", "b"]][:400], y[:400]).model_
    found = segments(model, X, y, w, by=["sex", "age"])
    keep = np.arange(400, len(y))
    keep = keep if w is None else keep[w[keep] > 0]
    X, y = X.iloc[keep], y[keep]
    w = np.ones(len(y)) if w is None else w[keep]
    said, score = model.predict(X), model.predict_proba(X)[:, 1]
    edges = np.quantile(data()[0]["age"].dropna(), [0.25, 0.5, 0.75], method="lower")
    age = np.where(np.isnan(X["age"]), 4, np.searchsorted(edges, X["age"]))
    assert found.n_rows == len(y)
    assert found["sex"].segments == ("f", "m")
    assert found["age"].segments[-1] == "missing"
    p, kept = [], []
    for group, place in ((found["sex"], (X["sex"] == "m").to_numpy(int)), (found["age"], age)):
        assert group.rows.tolist() == np.bincount(place).tolist()
        labels = ["error", "answered", "recall", "recall", "precision", "promised"]
        assert [row[0].key for row in group.figures] == labels
        for row in group.figures:
            for one in row:
                inside = place == one.segment
                here, n = by_hand(
                    one.key, one.label, y[inside], said[inside], score[inside], w[inside]
                )
                there, m = by_hand(
                    one.key, one.label, y[~inside], said[~inside], score[~inside], w[~inside]
                )
                assert one.value == pytest.approx(here)
                assert one.others == pytest.approx(there)
                if one.key != "promised":
                    assert [one.low, one.high] == pytest.approx([*map(float, wilson(here, n))])
                    both = (here * n + there * m) / (n + m)
                    least = min(n, m) * min(both, 1 - both)
                    assert one.few == (min(n, m) < 30 or least < 5)
                if not one.few and (group.column == "age" or one.segment == 0):
                    p.append(one.p)
                    kept.append(one.p_holm)
    assert found.compared == len(p)
    assert kept == pytest.approx(holm(np.array(p)).tolist())
    table = found.to_dict()
    assert len(table["value"]) == sum(len(r) for g in found for r in g.figures)
    assert ("go by weight" in str(found)) == weighted
    assert "equal no training row" in str(found)


def test_the_p_of_a_mean_is_welchs() -> None:
    X, y = data()
    truth = X["a"] + np.random.default_rng(1).normal(size=len(y)) * (1 + (X["sex"] == "m"))
    model = DecisionTreeRegressor(max_depth=3).fit(X[["a", "b"]][:300], truth[:300]).model_
    found = segments(model, X[300:], truth[300:], by="sex")
    off = (truth - model.predict(X))[300:]
    men = (X["sex"] == "m")[300:]
    absolute, residual = found["sex"].figures
    for row, x in ((absolute, np.abs(off)), (residual, off)):
        assert row[0].p == pytest.approx(ttest_ind(x[~men], x[men], equal_var=False).pvalue)
        assert [row[0].value, row[1].value] == pytest.approx([x[~men].mean(), x[men].mean()])
    assert absolute[0].differs
    assert absolute[1].differs
    assert not found["sex"].fairness
    assert "demographic" not in str(found)


def test_chance_is_seldom_taken_for_a_difference() -> None:
    rng = np.random.default_rng(0)
    X, y = data(1500)
    model = DecisionTreeClassifier(max_depth=3).fit(X[["a", "b"]][:300], y[:300]).model_
    X, y = X[300:], y[300:]
    alarms = 0
    for _ in range(60):
        alarms += bool(segments(model, X, y, by={"g": rng.integers(0, 5, len(y))}).differing)
    assert alarms <= 8  # of 60, 3 are to be expected


def test_fairness_is_what_its_definitions_say() -> None:
    X, y = data(3000)
    model = DecisionTreeClassifier(max_depth=3).fit(X[["a", "b"]][:500], y[:500]).model_
    X, y = X[500:], y[500:]
    found = segments(model, X, y, by="sex")["sex"]
    said, men = model.predict(X) == "yes", (X["sex"] == "m").to_numpy()
    true = y == "yes"

    def gap(what: Any, rows: Any) -> float:
        return abs(what[rows & men].mean() - what[rows & ~men].mean())

    every = np.ones(len(y), bool)
    expected = {
        "demographic parity": gap(said, every),
        "equal opportunity": gap(said, true),
        "equalised odds": max(gap(said, true), gap(said, ~true)),
        "predictive parity": gap(true, said),
    }
    assert {one.name: one.gap for one in found.fairness} == pytest.approx(expected)
    first = found.fairness[0]
    assert (found.segments[first.most], found.segments[first.least]) == ("m", "f")
    assert first.low < first.gap < first.high
    assert first.ratio == pytest.approx(said[~men].mean() / said[men].mean())
    text = str(segments(model, X, y, by="sex"))
    assert "These exclude each other" in text


def test_where_groups_part_is_counted() -> None:
    X, y = data(2000)
    X["hint"] = np.where(np.random.default_rng(2).random(2000) < 0.9, X["sex"], "m")
    y = np.where((X["hint"] == "m") ^ (np.random.default_rng(4).random(2000) < 0.1), "yes", "no")
    model = DecisionTreeClassifier(max_depth=2).fit(X[["a", "hint"]], y).model_
    X2, y2 = X.assign(a=X["a"] + 1e-9), y
    found = segments(model, X2, y2, by="sex")["sex"].parting
    assert found[0].node == 0
    assert "hint" in found[0].question
    cells = pd.crosstab(X2["hint"], X2["sex"]).to_numpy()
    assert sorted(found[0].rows.ravel().tolist()) == sorted(cells.ravel().tolist())

    def bits(counts: Any) -> float:
        p = counts[counts > 0] / counts.sum()
        return float(-(p * np.log2(p)).sum() * counts.sum())

    whole = bits(cells.sum(axis=0))
    tells = (whole - sum(bits(row) for row in cells)) / whole
    assert found[0].tells == pytest.approx(tells)
    forest = RandomForestClassifier(5, random_state=0).fit(X[["a", "hint"]], y)
    assert segments(forest, X2, y2, by="sex")["sex"].parting == ()


def test_small_segments_say_so() -> None:
    X, y = data(300)
    model = DecisionTreeClassifier(max_depth=3).fit(X[["a", "b"]][:100], y[:100]).model_
    office = np.where(np.arange(200) < 4, "tiny", "large")
    found = segments(model, X[100:], y[100:], by={"office": office})
    assert all(one.few for row in found["office"].figures for one in row)
    assert "too few to tell" in str(found)
    assert "Too few to tell:" in str(found)
    assert found.compared == 0
    assert not found.differing
    one = segments(model, X[100:], y[100:], by={"office": ["here"] * 200})
    assert one["office"].segments == ("here",)
    assert all(figure.few for row in one["office"].figures for figure in row)


def test_levels_are_seen_and_told_from_what_is_missing() -> None:
    (one,) = groupings({"k": ["a", "  ", "missing", None, "", " b"]}, "k")
    assert len(set(one.names)) == len(one.names) == 6
    assert {"a", "missing", '"missing"', '"  "', '""', '" b"'} == set(one.names)
    assert one.names[one.place[3]] == "missing"


def test_how_rows_are_grouped() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, np.nan], "g": list("aabbccdd")}
    (x,) = groupings(X, "x")
    assert x.names == ("≤ 2", "above 2 to 4", "above 4 to 5", "> 5", "missing")
    assert x.place.tolist() == [0, 0, 1, 1, 2, 3, 3, 4]
    (x,) = groupings(X, "x", cuts=[3])
    assert x.names == ("≤ 3", "> 3", "missing")
    (g,) = groupings(X, ["g"])
    assert (g.names, g.place.tolist()) == (("a", "b", "c", "d"), [0, 0, 1, 1, 2, 2, 3, 3])
    (few,) = groupings({"k": [2, 1, 2]}, "k")
    assert few.names == ("1", "2")
    levels = [f"level {k:02}" for k in range(40)]
    many = groupings({"k": [*levels, *["level 33"] * 4]}, "k")[0]
    assert len(many.names) == 20
    assert many.names[-1] == "21 other levels"
    assert "level 33" in many.names
    (skewed,) = groupings({"k": [0.0] * 90 + [1.0, 2.0, 3.0, 4.0, 5.0]}, "k")
    assert skewed.names == ("≤ 0", "> 0")
    dates = groupings({"d": np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")}, "d")[0]
    assert dates.names == ("2020-01-01", "2021-01-01")
    days = np.datetime64("2023-01-01") + np.arange(400)
    (quarters,) = groupings({"d": days}, "d")
    assert quarters.names[:2] == ("≤ 2023-04-10", "above 2023-04-10 to 2023-07-19")
    assert np.bincount(quarters.place).tolist() == [100] * 4
    (halves,) = groupings({"d": days}, "d", cuts=["2023-07-01"])
    assert halves.names == ("≤ 2023-07-01", "> 2023-07-01")
    assert np.bincount(halves.place).tolist() == [182, 218]


def test_identifiers_make_no_segments() -> None:
    ids = [f"P{k % 5000}" for k in range(10_000)]
    with pytest.raises(DataError, match="'who' has 5,000 values, of which none stands in more tha"):
        groupings({"who": ids}, "who")
    with pytest.raises(DataError, match="none stands in more than 1 row: "):
        groupings({"who": ids[:100]}, "who")
    assert groupings({"who": [*ids[:100], *["P7"] * 4]}, "who")[0].names[-1] == "81 other levels"


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"by": "sxe"}, "Did you mean 'sex'"),
        ({"by": 3.5}, "by must name columns"),
        ({"by": []}, "by names no column"),
        ({"by": "sex", "cuts": [1]}, "cuts are for numbers"),
        ({"by": "age", "cuts": {"sex": [1]}}, "not among by"),
        ({"by": "age", "cuts": ["x"]}, "must be numbers"),
        (
            {"by": {"d": np.array(["2020-01-01"] * 100, "M8[D]")}, "cuts": [["x"]]},
            "a date each, su",
        ),
        ({"by": ["age", "sex"], "cuts": [1]}, "must map columns"),
        ({"by": "age", "parts": 1}, "2 or more"),
        ({"by": {"g": [1, 2]}}, "equally many"),
        ({"by": "sex", "positive": "maybe"}, "positive must be"),
    ],
)
def test_what_is_refused(how: Any, says: str) -> None:
    X, y = data(100)
    model = DecisionTreeClassifier(max_depth=2).fit(X[["a", "b"]], y)
    with pytest.raises((ParameterError, DataError), match=says):
        segments(model, X, y, **how)


def test_several_classes() -> None:
    X, _ = data(900)
    y = np.array(["low", "mid", "high"])[np.digitize(X["a"], [0, 0.8])]
    model = DecisionTreeClassifier(max_depth=3).fit(X[["b", "sex"]][:300], y[:300]).model_
    found = segments(model, X[300:], y[300:], by="sex")["sex"]
    assert [row[0].key for row in found.figures] == ["error", *["answered"] * 3, *["recall"] * 3]
    assert not found.fairness
    one = segments(model, X[300:], y[300:], by="sex", positive="high")["sex"]
    keys = ["error", "answered", "recall", "alarms", "precision", "promised"]
    assert [row[0].key for row in one.figures] == keys
    said, men = model.predict(X)[300:] == "high", (X["sex"] == "m").to_numpy()[300:]
    others = y[300:] != "high"
    assert one.figures[3][1].value == pytest.approx(said[others & men].mean())
    assert len(one.fairness) == 4


def test_labels_of_any_kind() -> None:
    X, y = data(300)
    for labels in (np.array([0, 1]), np.array([False, True]), np.array([1.0, 2.0])):
        truth = labels[(y == "yes").astype(int)]
        model = DecisionTreeClassifier(max_depth=2).fit(X[["a", "b"]][:100], truth[:100])
        found = segments(model, X[100:], truth[100:], by="sex", positive=str(labels[0]))
        assert found.positive == labels[0]
        assert str(found)
