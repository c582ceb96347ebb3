"""Counted scores, their curves and areas: every number again from the rows, by scikit-learn."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn import metrics

from bosco import (
    AdaBoostClassifier,
    Curves,
    DataError,
    DecisionTreeClassifier,
    ParameterError,
    RandomForestClassifier,
    Scored,
    curves,
)
from bosco.figures.curves import ClassCurves, Prices
from bosco.figures.figure import truth_of
from bosco.figures.scored import positive_of, scored

ROWS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]),
        st.booleans(),
        st.sampled_from([0.5, 1.0, 2.0, 3.5]),
    ),
    min_size=2,
    max_size=40,
)


def arrays(rows: Any) -> tuple[Any, Any, Any]:
    s, y, w = zip(*rows, strict=True)
    return np.array(s), np.array(y), np.array(w)


@given(ROWS, st.booleans())
def test_counts_are_those_of_the_rows(rows: Any, weighted: bool) -> None:
    s, y, w = arrays(rows)
    found = Scored.of_rows(s, y, w if weighted else None)
    w = w if weighted else np.ones(len(y))
    assert (np.diff(found.scores) < 0).all()
    assert found.n_rows == len(y)
    for bar in (np.inf, *found.scores, -1.0, 0.3):
        cells = found.confusion(float(bar))
        for true in (0, 1):
            for said in (0, 1):
                here = (y == true) & ((s >= bar) == said)
                assert cells.rows[true, said] == here.sum()
                assert cells.weight[true, said] == w[here].sum()
                assert cells.squares[true, said] == (w[here] ** 2).sum()
        assert cells.error == pytest.approx(np.average((s >= bar) != y, weights=w))


@given(ROWS, st.integers(1, 5))
def test_parts_add_up(rows: Any, n: int) -> None:
    s, y, w = arrays(rows)
    whole = Scored.of_rows(s, y, w)
    parts = [Scored.of_rows(s[k::n], y[k::n], w[k::n]) for k in range(n)]
    for added in (Scored.total(parts), Scored.total(parts[::-1]), sum(parts[1:], parts[0])):
        assert added.weighted
        for name in ("scores", "rows", "weight", "squares"):
            assert np.array_equal(getattr(added, name), getattr(whole, name))


@given(ROWS, st.booleans())
def test_curves_are_those_of_scikit_learn(rows: Any, weighted: bool) -> None:
    s, y, w = arrays(rows)
    weights = w if weighted else None
    one = ClassCurves.of("yes", Scored.of_rows(s, y, weights), 0.5, Prices(5, 2))
    ones = np.ones(len(y)) if weights is None else weights
    if 0 < y.sum() < len(y):
        alarms, recall, bars = metrics.roc_curve(
            y, s, sample_weight=weights, drop_intermediate=False
        )
        assert one.roc[0] == pytest.approx(alarms)
        assert one.roc[1] == pytest.approx(recall)
        assert one.scored.thresholds == pytest.approx(bars)
        assert one.area.value == pytest.approx(metrics.roc_auc_score(y, s, sample_weight=weights))
        assert 0 <= one.area.low <= one.area.value + 1e-12
        assert one.area.value - 1e-12 <= one.area.high <= 1
        precision, recall, bars = metrics.precision_recall_curve(y, s, sample_weight=weights)
        assert one.precision[::-1] == pytest.approx(precision)
        assert one.recall[::-1] == pytest.approx(recall)
        mean = metrics.average_precision_score(y, s, sample_weight=weights)
        assert one.average_precision.value == pytest.approx(mean)
    else:
        assert math.isnan(one.area.value)
    loss = metrics.brier_score_loss(y.astype(int), s, sample_weight=weights, pos_label=1)
    assert one.brier.value == pytest.approx(loss)
    order = np.argsort(-s, kind="stable")
    for k, bar in enumerate(one.scored.thresholds):
        above = s >= bar
        assert one.answered[k] == pytest.approx(np.average(above, weights=ones))
        wrong = 5 * (y & ~above) + 2 * (~y & above)
        assert one.cost[k] == pytest.approx(np.average(wrong, weights=ones))
        assert one.cost_at(bar)[0] == pytest.approx(one.cost[k])
    assert one.cost_at(one.cheapest)[0] == pytest.approx(one.cost.min())
    assert len(order) == one.scored.n_rows


def delong(s: Any, y: Any) -> tuple[float, float]:
    """Area and its standard error, from the rows, by midranks."""
    a, b = s[y], s[~y]
    m, n = len(a), len(b)
    both, ra, rb = rankdata(np.concatenate([a, b])), rankdata(a), rankdata(b)
    v10, v01 = (both[:m] - ra) / n, 1 - (both[m:] - rb) / m
    variance = v10.var(ddof=1) / m + v01.var(ddof=1) / n
    return float(v10.mean()), float(variance**0.5)


def test_the_interval_of_the_area_is_delongs() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    s = np.round(rng.normal(size=300) + y, 1)
    found = ClassCurves.of("yes", Scored.of_rows(s, y), 0.5).area
    area, error = delong(s, y)
    assert found.value == pytest.approx(area)
    reach = 1.959963984540054 * error / (area * (1 - area))
    middle = math.log(area / (1 - area))
    expected = [1 / (1 + math.exp(-(middle + r))) for r in (-reach, reach)]
    assert [found.low, found.high] == pytest.approx(expected)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    truth = {"area": 0.7602499389065233, "average_precision": 0.0}
    big_y = rng.random(400_000) < 0.3
    big = ClassCurves.of("yes", Scored.of_rows(rng.normal(size=400_000) + big_y, big_y), 0.5)
    truth["average_precision"] = big.average_precision.value
    held = dict.fromkeys(truth, 0)
    for _ in range(400):
        y = rng.random(200) < 0.3
        one = ClassCurves.of("yes", Scored.of_rows(rng.normal(size=200) + y, y), 0.5)
        for name, value in truth.items():
            area = getattr(one, name)
            held[name] += area.low <= value <= area.high
    assert 370 <= held["area"] <= 394
    assert 365 <= held["average_precision"] <= 398


def test_where_rows_do_not_tell() -> None:
    perfect = ClassCurves.of("yes", Scored.of_rows([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0]), 0.5)
    assert perfect.area.value == 1
    assert perfect.area.low < 0.5  # two pairs share no row: that is little
    constant = ClassCurves.of("yes", Scored.of_rows([0.4] * 4, [1, 1, 0, 0]), 0.5)
    assert (constant.area.value, constant.area.low, constant.area.high) == (0.5, 0.5, 0.5)
    one_class = ClassCurves.of("yes", Scored.of_rows([0.4, 0.6], [1, 1]), 0.5)
    assert math.isnan(one_class.area.value)
    assert one_class.average_precision.value == 1
    none = ClassCurves.of("yes", Scored.of_rows([0.4, 0.6], [0, 0]), 0.5)
    assert math.isnan(none.average_precision.value)
    single = ClassCurves.of("yes", Scored.of_rows([0.9, 0.5, 0.1], [0, 1, 0]), 0.5)
    assert single.area.value == 0.5
    assert single.area.high - single.area.low > 0.8


@pytest.mark.parametrize(
    ("scores", "says"),
    [([0.1, np.nan], "row 1 has nan"), ([np.inf, 0.1], "row 0 has inf"), ([0.1], "equally many")],
)
def test_odd_scores_are_refused(scores: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        Scored.of_rows(scores, [True, False])
    with pytest.raises(ParameterError, match="NaN"):
        Scored.of_rows([0.1, 0.2], [True, False]).confusion(float("nan"))


def test_rows_of_weight_0_are_absent() -> None:
    found = Scored.of_rows([0.1, 0.2, np.nan], [0, 1, 1], [1.0, 2.0, 0.0])
    assert found.n_rows == 2
    assert found.scores.tolist() == [0.2, 0.1]


def test_the_class_is_found_by_itself_or_by_its_name() -> None:
    assert positive_of(np.array(["bad", "good"])) == 1
    assert positive_of(np.array([0, 1]), "0") == 0
    assert positive_of(np.array([False, True]), False) == 0
    assert positive_of(np.array([1.5, 2.0]), 2) == 1
    with pytest.raises(ParameterError, match="Did you mean 'good'"):
        positive_of(np.array(["bad", "good"]), "god")
    with pytest.raises(ParameterError, match="Which class"):
        positive_of(np.array(["a", "b", "c"]))


def data(n: int, seed: int = 0, classes: int = 2) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    signal = X["a"] + rng.normal(size=n)
    edges = np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.array(["bad", "good", "other"])[np.searchsorted(edges, signal)]


MODELS = {
    "tree": DecisionTreeClassifier(max_depth=4),
    "shared": DecisionTreeClassifier(max_depth=4, missing="fractional"),
    "balanced": DecisionTreeClassifier(max_depth=4, class_weight="balanced"),
    "forest": RandomForestClassifier(10, random_state=0),
    "boosted": AdaBoostClassifier(n_estimators=10),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_of_models(name: str, weighted: bool) -> None:
    X, y = data(600)
    w = np.random.default_rng(5).choice([0.0, 0.5, 2.0], 600) if weighted else None
    model = MODELS[name].fit(X[:300], y[:300]).model_
    share = model.predict_proba(X)
    frame = model.read(X)
    counted = scored(model, frame, truth_of(model, frame, y), 0, w)
    whole = Scored.of_rows(share[:, 0], y == "bad", w)
    assert counted.scores == pytest.approx(whole.scores)
    assert np.array_equal(counted.rows, whole.rows)
    found = curves(model, X, y, w, positive="bad")
    fresh = np.arange(300, 600)
    weight = None if w is None else w[fresh]
    one = found["bad"]
    area = metrics.roc_auc_score(y[fresh] == "bad", share[fresh, 0], sample_weight=weight)
    assert one.area.value == pytest.approx(area)
    known = None if w is None else w[:300]
    area = metrics.roc_auc_score(y[:300] == "bad", share[:300, 0], sample_weight=known)
    assert found.known[0].area.value == pytest.approx(area)
    said = model.predict(X)[fresh]
    kept = slice(None) if weight is None else weight > 0
    cells = metrics.confusion_matrix(y[fresh][kept], said[kept], labels=["good", "bad"])
    assert one.point.rows.tolist() == cells.tolist()
    assert found.n_rows == cells.sum()
    text = str(found)
    assert f"On {cells.sum()} rows that equal no training row." in text
    assert "on rows seen in training (no test)" in text
    assert ("go by weight" in text) == weighted
    points = one.calibration()
    assert points.rows.sum() == cells.sum()
    if weight is None:
        s, t = share[fresh, 0], y[fresh] == "bad"
        assert points.predicted @ points.rows == pytest.approx(s.sum())
        assert points.observed @ points.rows == pytest.approx(t.sum())


def test_several_classes_each_against_the_rest() -> None:
    X, y = data(600, classes=3)
    model = DecisionTreeClassifier(max_depth=4).fit(X[:300], y[:300])
    found = curves(model, X[300:], y[300:])
    share = model.predict_proba(X[300:])
    assert [one.label for one in found.curves] == ["bad", "good", "other"]
    for k, one in enumerate(found.curves):
        area = metrics.roc_auc_score(y[300:] == one.label, share[:, k])
        assert one.area.value == pytest.approx(area)
    assert len(curves(model, X[300:], y[300:], positive="other").curves) == 1
    assert len(found.summary()["class"]) == 3
    assert "class" in str(found)


def test_any_classifier_has_curves() -> None:
    from sklearn.linear_model import LogisticRegression

    X, y = data(400)
    X = X.fillna(0)
    other = LogisticRegression().fit(X[:200], y[:200])
    found = curves(other, X[200:], y[200:])
    area = metrics.roc_auc_score(y[200:] == "good", other.predict_proba(X[200:])[:, 1])
    assert found["good"].area.value == pytest.approx(area)
    assert "does not remember" in str(found)
    with pytest.raises(ParameterError, match="fit it first"):
        curves(LogisticRegression(), X, y)


def test_costs_and_the_bar() -> None:
    X, y = data(600)
    model = DecisionTreeClassifier(max_depth=4).fit(X[:300], y[:300])
    costs = {"bad": {"good": 5}}
    found = curves(model, X[300:], y[300:], positive="bad", costs=costs, threshold=0.2)
    one, share = found["bad"], model.predict_proba(X[300:])[:, 0]
    said, true = share >= 0.2, y[300:] == "bad"
    assert one.costs == Prices(5, 1)
    assert one.point.rows[1, 1] == (said & true).sum()
    by_bar = {bar: np.mean(5 * (true & (share < bar)) + (~true & (share >= bar))) for bar in share}
    assert one.cost_at(one.cheapest)[0] == pytest.approx(min(by_bar.values()))
    assert "A row costs least" in str(found)
    for bad in ({"bad": {"good": -1}}, {"bd": {"good": 1}}, {"bad": -3}, 7):
        with pytest.raises(ParameterError, match=r"[Cc]ost"):
            curves(model, X, y, costs=bad)
    for bad in (1.3, -0.1, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="between 0 and 1"):
            curves(model, X, y, threshold=bad)
    three = DecisionTreeClassifier().fit(*data(60, classes=3))
    with pytest.raises(ParameterError, match="two classes"):
        curves(three, *data(60, classes=3), costs=costs)


def test_ten_million_scores_stream_without_sorting_them_anew() -> None:
    """A hundredth of that here, in more chunks: work grows as the rows do, not as their square."""
    rng, merged = np.random.default_rng(0), []

    def chunks() -> Any:
        for _ in range(200):
            y = rng.random(500) < 0.5
            yield Scored.of_rows(rng.random(500), y)

    joined = Scored._joined.__func__

    class Watched(Scored):
        @classmethod
        def _joined(cls, parts: Any) -> Any:
            merged.append(sum(len(part.scores) for part in parts))
            return joined(Scored, parts)

    found = Watched.total(chunks())
    assert found.n_rows == 100_000
    assert len(found.scores) == 100_000
    assert sum(merged) < 5 * 100_000
    curve = Curves.of("yes", found)
    assert abs(curve["yes"].area.value - 0.5) < 0.01


def test_a_model_of_numbers_has_no_curves() -> None:
    from bosco import DecisionTreeRegressor

    X, _ = data(50)
    with warnings.catch_warnings():
        model = DecisionTreeRegressor(max_depth=2).fit(X, X["a"])
        with pytest.raises(ParameterError, match=r"bosco\.residuals"):
            curves(model, X, X["a"])
