"""One error beside the constant answer, and apart for rows seen: every number again by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.stats import binomtest, ttest_1samp

from bosco import (
    AdaBoostClassifier,
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestClassifier,
    RandomForestRegressor,
    evaluate,
)
from bosco.data import fingerprint
from bosco.figures.constant import constant_answer, say_verdict
from bosco.figures.figure import Judged, judge, truth_of
from bosco.figures.intervals import mean_interval, paired_interval, wilson


def data(n: int, seed: int = 0, share: float = 0.7) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    signal = X["a"] + rng.normal(size=n)
    return X, np.where(signal > np.quantile(signal, 1 - share), "good", "bad")


def judged(model: Any, X: Any, y: Any, weight: Any = None, **more: Any) -> Judged:
    frame = model.read(X)
    return judge(model, frame, truth_of(model, frame, y), weight, **more)


CLASSIFIERS = {
    "tree": DecisionTreeClassifier(max_depth=4),
    "balanced": DecisionTreeClassifier(max_depth=4, class_weight="balanced"),
    "forest": RandomForestClassifier(10, random_state=0),
    "boosted": AdaBoostClassifier(n_estimators=10),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes(name: str) -> None:
    X, y = data(500)
    model = CLASSIFIERS[name].fit(X[:400], y[:400]).model_
    found = judged(model, X, y)
    wrong = model.predict(X) != y
    for figure, rows in ((found.whole, slice(None)), (found.known, slice(400)),
                         (found.fresh, slice(400, None))):  # fmt: skip
        assert figure is not None
        here, true = wrong[rows], y[rows]
        n = len(here)
        assert figure.rows == n
        assert figure.value == pytest.approx(here.mean())
        assert (figure.low, figure.high) == pytest.approx([*map(float, wilson(here.mean(), n))])
        assert figure.says == "good"  # most of the training rows, whatever their weights
        assert figure.baseline == pytest.approx(np.mean(true != "good"))
        assert figure.gain == pytest.approx(figure.baseline - figure.value)
        better = np.count_nonzero(~here & (true != "good"))
        worse = np.count_nonzero(here & (true == "good"))
        p = binomtest(better, better + worse).pvalue
        assert (figure.verdict == "no better") == (p > 0.05)
        assert (figure.gain_low > 0) == (p < 0.05 and better > worse)
    text = str(found)
    assert text.startswith("400 of 500 rows equal training rows in every column and the target.\n")
    flattered, tested = text.splitlines()[1:3]
    assert flattered.startswith("error on those: ")
    assert "(not a test); always saying good: " in flattered
    assert tested.startswith("test error on the 100 others: ")
    plain = found.to_dict()
    assert plain["seen"]["rows"] == 400
    assert plain["unseen"]["value"] == pytest.approx(wrong[400:].mean())
    assert plain["training_rows"]["equal_training_rows"] == 400


def test_numbers() -> None:
    X, _ = data(300)
    y = X["a"].to_numpy() * 3 + np.random.default_rng(1).normal(size=300)
    for learner in (DecisionTreeRegressor(max_depth=3), RandomForestRegressor(5, random_state=0)):
        model = learner.fit(X[:200], y[:200]).model_
        found = judged(model, X, y)
        figure = found.fresh
        assert figure is not None
        said, mean = model.predict(X[200:]), constant_answer(model, y)[0]
        if isinstance(learner, DecisionTreeRegressor):
            assert mean == pytest.approx(y[:200].mean())
        off, idle = np.abs(said - y[200:]), np.abs(mean - y[200:])
        assert figure.value == pytest.approx(off.mean())
        assert figure.baseline == pytest.approx(idle.mean())
        bounds = ttest_1samp(idle - off, 0).confidence_interval()
        assert (figure.gain_low, figure.gain_high) == pytest.approx((bounds.low, bounds.high))
        bounds = [float(b) for b in mean_interval(off.mean(), off.std(ddof=1), 100)]
        assert (figure.low, figure.high) == pytest.approx(bounds)
        assert figure.verdict == "better"
        assert found.known is not None
        assert found.known.value == pytest.approx(np.abs(model.predict(X[:200]) - y[:200]).mean())


def test_weights() -> None:
    X, y = data(300)
    weight = np.random.default_rng(2).integers(0, 4, 300).astype(float)
    model = DecisionTreeClassifier(max_depth=2).fit(X[:200], y[:200]).model_
    figure = judged(model, X, y, weight).fresh
    assert figure is not None
    w, wrong = weight[200:], (model.predict(X) != y)[200:]
    assert figure.value == pytest.approx(np.average(wrong, weights=w))
    assert figure.weighted
    assert figure.rows == np.count_nonzero(w)
    told = str(judged(model, X, y, weight))
    assert "\nweighted error on those: " in told
    assert f"\nweighted test error on the {figure.rows} others: " in told
    assert "95 % interval about " in told
    once = judged(model, X, y, np.ones(300)).fresh
    bare = judged(model, X, y).fresh
    assert once is not None
    assert bare is not None
    assert (once.gain_low, once.gain_high) == pytest.approx((bare.gain_low, bare.gain_high))


def test_noise_is_no_better_and_words_say_so() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = np.where(rng.random(400) < 0.7, "good", "bad")
    full = judged(DecisionTreeClassifier().fit(X[:200], y[:200]).model_, X[200:], y[200:])
    assert full.test is not None
    assert full.test.verdict == "worse"
    assert "\nWorse than always saying good: worse by " in str(full)
    leaf = judged(DecisionTreeClassifier(min_samples_leaf=150).fit(X[:200], y[:200]).model_,
                  X[200:], y[200:])  # fmt: skip
    assert leaf.test is not None
    assert leaf.test.verdict == "no better"
    assert "\nNo better than always saying good: it does the same on these rows." in str(leaf)
    clear = judged(DecisionTreeClassifier().fit(X[:200], X[:200, 0] > 0).model_,
                   X[200:], X[200:, 0] > 0)  # fmt: skip
    assert clear.test is not None
    assert clear.test.verdict == "better"
    assert "better than" not in str(clear).lower()


def test_the_word_test_is_for_rows_not_seen() -> None:
    X, y = data(300)
    model = DecisionTreeClassifier(max_depth=3).fit(X[:200], y[:200]).model_
    seen, fresh = judged(model, X[:200], y[:200]), judged(model, X[200:], y[200:])
    assert seen.test is None
    assert "test error" not in str(seen)
    assert "(not a test)" in str(seen)
    assert "All 200 rows equal training rows" in str(seen)
    assert str(fresh).startswith("test error: ")
    assert "(100 rows, none of which equals a training row)" in str(fresh)
    without = DecisionTreeClassifier(max_depth=3, fingerprint=False).fit(X[:200], y[:200]).model_
    unknown = judged(without, X, y)
    assert unknown.test is None
    assert "this model does not remember its training rows" in str(unknown)
    assert "test error" not in str(unknown)
    part = judged(model, X[150:], y[150:], untouched=True)
    assert part.test is part.whole
    assert str(part).startswith("test error: ")
    assert "50 of 150 rows equal training rows in every column and the target: error on" in str(
        part
    )


def test_of_a_sample_the_figures_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 200)
    X, y = data(2000)
    model = DecisionTreeClassifier().fit(X[:1000], y[:1000]).model_
    found = judged(model, X, y)
    assert found.seen.sampled
    known, fresh = found.seen.parts()
    assert (known < 1000).all()
    assert (fresh >= 1000).all()
    assert found.known is not None
    assert found.fresh is not None
    assert (found.known.rows, found.fresh.rows) == (len(known), len(fresh))
    wrong = model.predict(X) != y
    assert found.fresh.value == pytest.approx(wrong[fresh].mean())
    assert "They are those of the 2,000 rows that can be told of" in str(found)
    others = judged(model, X[1000:], y[1000:])
    assert others.test is others.whole
    assert others.whole.rows == 1000
    looked = others.seen.n_looked
    assert f"(1,000 rows, none of the {looked} that can be told of equals a" in str(others)
    alone = judged(model, X[1000:1001], y[1000:1001])
    if not alone.seen.known:
        assert "cannot be told" in str(alone)


def test_a_balanced_tree_is_beside_what_most_rows_are() -> None:
    X, y = data(200, share=0.8)
    model = DecisionTreeClassifier(max_depth=1, class_weight="balanced").fit(X, y).model_
    assert constant_answer(model, np.zeros(1, np.uint32))[1] == "good"


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (5, 0), (6, 0), (20, 9), (20, 8), (3, 30)])
def test_pairs_are_judged_exactly(better: int, worse: int) -> None:
    low, high = paired_interval(better, worse, 100)
    assert low <= (better - worse) / 100 <= high
    if better + worse:
        p = binomtest(better, better + worse).pvalue
        assert (low > 0 or high < 0) == (p < 0.05)
    weighted = paired_interval(better * 7.0, worse * 7.0, 700.0, float(better + worse) or None)
    assert weighted == pytest.approx((low, high))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_models_judge_themselves(name: str) -> None:
    X, y = data(200)
    model = CLASSIFIERS[name].fit(X[:150], y[:150]).model_
    weight = np.arange(200) % 2 + 1
    assert str(model.judge(X, y)) == str(judged(model, X, y))
    assert model.judge(X, y, weight).to_dict() == judged(model, X, y, weight).to_dict()
    with pytest.raises(DataError, match="equally many"):
        model.judge(X, y[:5])
    with pytest.raises(ParameterError, match=r"Hint: a finished model is judged by model\.judge"):
        evaluate(model, X, y)


def test_a_row_of_weight_0_is_absent() -> None:
    model = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]).model_
    found = model.judge([[9.0], [0.0], [8.0], [7.0]], ["a", "a", "b", "b"], [0, 1, 1, 1])
    assert found.whole.rows == found.seen.rows == 3
    assert not found.whole.weighted
    assert "(3 rows, none of which equals a training row)" in str(found)


def test_rows_that_cannot_be_told_of_are_not_said_to_be_learned_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 100)
    X, y = data(2000)
    model = DecisionTreeClassifier().fit(X[:1000], y[:1000]).model_
    hidden = 1000 + np.flatnonzero(~model.seen(X[1000:], y[1000:]).looked)[:50]
    known = np.flatnonzero(model.seen(X[:1000], y[:1000]).equal)[:2]
    rows = np.r_[hidden, known]
    found = judged(model, X.iloc[rows], y[rows])
    wrong = (model.predict(X) != y)[rows]
    assert found.known is not None
    assert (found.known.rows, found.known.value) == (2, 0.0)  # a full tree knows them by heart
    assert found.test is None
    assert found.fresh is None
    share = f"{100 * wrong.mean():.1f} %"
    assert f"\nerror on all 52, of which 50 cannot be told: {share}; always" in str(found)
    page = str(model.report(X.iloc[rows], y[rows]))
    assert "It was judged by rows that it learned from" not in page
    assert "those that can be told of (2 of 52) are rows that it learned from; if the" in page


def test_a_gain_that_may_be_chance_is_called_so() -> None:
    """A heavy row decides: better by much on paper, and no better for all that one can tell."""
    said = say_verdict("no better", "always saying p", 40.1, -45.4, 57.5, " points")
    how = "better by 40.1 points on the same rows, which may be chance"
    assert said == f"No better than always saying p, for all one can tell: {how}, " + (
        "95 % interval -45.4 to 57.5."
    )
    worse = say_verdict("no better", "always saying p", -1.0, -3.0, 1.0, " points")
    assert worse == (
        "No better than always saying p: worse by 1 points on the same rows, 95 % interval -3 to 1."
    )


def test_where_answers_go_by_costs_it_is_costs_that_are_compared() -> None:
    """A model that answers by cost may be worse by errors than a constant, and much cheaper."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=1200)
    y = np.where(x + rng.normal(size=1200) > 1.2, "bad", "good")
    costs = {"bad": {"good": 6}}
    for price, cheaper in ((costs, True), ({"bad": {"good": 6}, "good": {"bad": 0.001}}, False)):
        tree = DecisionTreeClassifier(max_depth=2, costs=price)
        model = tree.fit(x[:600, None], y[:600]).model_
        found = model.judge(x[600:, None], y[600:])
        table = {("bad", "good"): 6.0, ("good", "bad"): price.get("good", {}).get("bad", 1.0)}
        said, true = model.predict(x[600:, None]).tolist(), y[600:].tolist()
        paid = np.array([table.get((t, k), 0.0) for t, k in zip(true, said, strict=True)])
        assert found.cost is not None
        idle = np.array([table.get((t, found.cost.says), 0.0) for t in true])
        less = idle - paid
        assert found.cost.value == pytest.approx(paid.mean())
        assert found.cost.gain == pytest.approx(less.mean())
        assert found.cost.says == "bad"
        assert not found.whole.against
        if cheaper:
            half = stats.t.ppf(0.975, 599) * less.std(ddof=1) / np.sqrt(600)
            assert found.cost.gain_low == pytest.approx(less.mean() - half)
            assert found.cost.gain_low > 0
            assert "better than" not in str(found)
        else:
            assert "always saying bad by its costs: it does the same on these rows." in str(found)
