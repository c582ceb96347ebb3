"""Every score beside that of the constant answer, on the same rows."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import LinearSVC

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, compare, evaluate, select
from bosco.figures.intervals import corrected_interval
from bosco.judge.constant import gain_on_rows

WINE = load_wine(return_X_y=True)
RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=(200, 3)), np.where(RNG.random(200) < 0.75, "good", "bad")


@pytest.mark.parametrize("method", ["monte_carlo", "k_fold", "bootstrap_632"])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_dummy_on_the_same_splits(method: str, weighted: bool) -> None:
    more: dict[str, Any] = {"method": method}
    more["folds" if method == "k_fold" else "repeats"] = 4
    if weighted:
        more["sample_weight"] = np.arange(178) % 5 + 1.0
    found = evaluate(DecisionTreeClassifier(max_depth=2), *WINE, **more)
    dummy = evaluate(DummyClassifier(), *WINE, **more)
    assert found.constant == "1"
    for s in found.summaries:
        assert s.constant == pytest.approx(dummy[s.metric].mean)
        gap = found.scores[s.metric] - dummy.scores[s.metric]
        assert s.gain == pytest.approx(corrected_interval(gap, found.ratio))
        assert s.verdict == "better"
    assert not found.no_better
    of = "what weighs most of the rows fitted to" if weighted else "what most rows fitted to are"
    assert f"Constant: always saying 1, {of}." in str(found)


def test_numbers() -> None:
    X, y = load_diabetes(return_X_y=True)
    found = evaluate(DecisionTreeRegressor(max_depth=2), X, y, repeats=4)
    dummy = evaluate(DummyRegressor(), X, y, repeats=4)
    assert [s.constant for s in found.summaries] == pytest.approx([s.mean for s in dummy.summaries])
    assert found.constant == f"{y.mean():.4g}"
    assert "the mean of the rows fitted to" in str(found)


def test_words_where_it_is_no_better() -> None:
    found = evaluate(DecisionTreeClassifier(), *NOISE, repeats=10)
    assert found["accuracy"].verdict == "worse"
    assert found["balanced_accuracy"].verdict == "no better"
    low, high = found["accuracy"].gain
    said = f"the 95 % interval of the difference is {low:.4f} to {high:.4f}."
    assert f"Worse than always saying good by accuracy: {said}" in " ".join(str(found).split())
    assert "No better than always saying good by balanced_accuracy" in str(found)
    html = found._repr_html_()
    assert "NO, worse" in html
    assert "always saying good" in html


def test_one_split_is_judged_row_by_row() -> None:
    for X, y in (WINE, NOISE):
        found = evaluate(DecisionTreeClassifier(), X, y, method="holdout")
        table, k = (
            found.confusion,
            list(found.classes or ()).index(type(y[0].item())(found.constant)),
        )
        assert table is not None
        better = int(table.trace() - table[k, k])
        worse = int(table[k].sum() - table[k, k])
        p = binomtest(better, better + worse).pvalue
        verdict = "no better" if p > 0.05 else "better" if better > worse else "worse"
        assert found["accuracy"].verdict == verdict
        assert found["f1_macro"].verdict == "unknown"


def test_a_metric_may_ask_for_more_than_the_constant_has() -> None:
    def leaves(estimator: Any, *_: Any) -> float:
        return float(estimator.get_n_leaves())

    found = evaluate(DecisionTreeClassifier(), *WINE, repeats=2, metrics=[leaves, "accuracy"])
    assert np.isnan(found["leaves"].constant)
    assert found["leaves"].verdict == "unknown"
    assert found["accuracy"].verdict == "better"


def test_compare() -> None:
    trees = {"full": DecisionTreeClassifier(), "leaf": DecisionTreeClassifier(min_samples_leaf=80)}
    found = compare(trees, *NOISE, repeats=5, metrics="accuracy")
    assert found.beside_constant[0].startswith(
        "full: no better than always saying good by accuracy"
    )
    assert found.beside_constant[1] == (
        "leaf: no better than always saying good by accuracy: it does the same on every split."
    )
    text = str(found)
    assert "always saying good" in text.splitlines()[5]
    assert f"{found['full'].summaries[0].constant:.4f}" in text.splitlines()[5]
    clear = compare(DecisionTreeClassifier(), LinearSVC(), *WINE, repeats=2, metrics="accuracy")
    assert not clear.beside_constant


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1_macro"])
def test_select(metric: str) -> None:
    X, y = NOISE
    found = select(DecisionTreeClassifier(), {"max_depth": [1, 8]}, X, y, metrics=metric)
    known = np.setdiff1d(np.arange(200), found.test_rows)
    dummy = evaluate(DummyClassifier(), X, y, method="holdout", test_size=0.2, metrics=metric)
    assert found.constant == "good"
    assert found.constant_scores[metric] == pytest.approx(dummy.mean, abs=0.03)
    said, truth = found.estimator.predict(X[found.test_rows]), y[found.test_rows]
    assert f"(always saying good: {found.constant_scores[metric]:.4f})" in str(found)
    if metric == "f1_macro":
        assert found.gain is None
        return
    assert found.gain is not None
    gap = np.mean(said == truth) - np.mean(truth == "good")
    if metric == "balanced_accuracy":
        gap = balanced_accuracy_score(truth, said) - 0.5
    assert found.gain[0] == pytest.approx(gap)
    assert found.gain[1] <= 0
    assert found.no_better in " ".join(str(found).split())
    assert "than always saying good" in found.no_better
    assert len(known) == 160


def test_rows_of_numbers() -> None:
    truth = np.array([1.0, 2.0, 4.0, 8.0])
    said = np.array([1.0, 2.5, 3.0, 8.0])
    absolute = gain_on_rows("neg_mean_absolute_error", said, 3.75, truth, None)
    squared = gain_on_rows("r2", said, 3.75, truth, None)
    assert absolute is not None
    assert squared is not None
    assert absolute[0] == pytest.approx((2.75 + 1.25 - 0.75 + 4.25) / 4)
    assert squared[0] == pytest.approx(np.mean((3.75 - truth) ** 2 - (said - truth) ** 2))
    assert gain_on_rows("max_error", said, 3.75, truth, None) is None


def test_a_gain_in_squared_errors_is_said_to_be_one() -> None:
    X, y = NOISE[0], RNG.normal(0, 30, 200)
    found = select(DecisionTreeRegressor(), {"max_depth": [3, 5]}, X, y, metrics="r2")
    assert " by " in found.no_better
    assert " in mean squared error on the same rows" in found.no_better
    plain = select(DecisionTreeRegressor(), {"max_depth": [3, 5]}, X, y, metrics="mae")
    assert "squared" not in plain.no_better
