"""AdaBoost: worked figures, scikit-learn's round by round, the promises, defined answers."""

import os
import pickle
import signal
import threading
import time
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import AdaBoostClassifier as TheirAdaBoost
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bosco import AdaBoostClassifier, DataError, DecisionTreeClassifier, ParameterError
from bosco.datasets import loans
from bosco.pruning import GeneralizationError
from tests.mixed import mixed
from tests.strategies import examples

TEN = np.arange(10.0).reshape(-1, 1)
SIGNS = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])


def digest(boosted: Any) -> list[Any]:
    return [
        *(learner.tree_.digest() for learner in boosted.estimators_),
        boosted.estimator_weights_.tobytes(),
        boosted.estimator_errors_.tobytes(),
    ]


# Worked figures ----------------------------------------------------------------------------------


def test_ten_points_by_hand() -> None:
    """docs/forests.md works this out with fractions."""
    boosted = AdaBoostClassifier(n_estimators=3, watch=range(10)).fit(TEN, SIGNS)
    cuts = [(2.5, 1), (8.5, 1), (5.5, -1)]  # the threshold, and what is said up to it
    weights = [Fraction(1, 10)] * 10
    for t, (cut, left) in enumerate(cuts):
        assert boosted.estimators_[t].tree_.threshold[0] == cut
        said = [left if x <= cut else -left for x in range(10)]
        assert boosted.estimators_[t].predict(TEN).tolist() == said
        wrong = [s != y for s, y in zip(said, SIGNS, strict=True)]
        error = sum(w for w, bad in zip(weights, wrong, strict=True) if bad)
        assert error == [Fraction(3, 10), Fraction(3, 14), Fraction(2, 11)][t]
        assert boosted.history_["error"][t] == pytest.approx(float(error), rel=1e-13)
        coefficient = log((1 - error) / error) / 2
        assert boosted.estimator_weights_[t] == pytest.approx(coefficient, rel=1e-13)
        assert boosted.history_["weights"][t] == pytest.approx(list(map(float, weights)), rel=1e-13)
        weights = [
            w / (2 * error) if bad else w / (2 * (1 - error))
            for w, bad in zip(weights, wrong, strict=True)
        ]
        assert sum(weights) == 1
    assert (boosted.predict(TEN) == SIGNS).all()
    exact = [log(7 / 3) / 2, log(11 / 3) / 2, log(9 / 2) / 2]
    margin = boosted.decision_function(TEN)
    assert margin[0] == pytest.approx(exact[0] + exact[1] - exact[2], abs=1e-11)
    assert margin[9] == pytest.approx(-exact[0] - exact[1] + exact[2], abs=1e-11)


def test_figures_of_the_notes() -> None:
    boosted = AdaBoostClassifier(n_estimators=1).fit(*loans())
    assert boosted.estimator_errors_[0] == pytest.approx(0.2, rel=1e-13)
    assert boosted.estimator_weights_[0] == pytest.approx(0.6931, abs=5e-5)
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 1, 1, 0]
    weighted = AdaBoostClassifier(n_estimators=1).fit(X, y, sample_weight=[1.0, 0.25, 0.9, 0.25])
    assert weighted.estimator_errors_[0] == pytest.approx(0.2083, abs=5e-5)  # 0.5 of 2.4
    assert weighted.estimator_weights_[0] == pytest.approx(0.6675, abs=5e-5)


def test_the_default_learner_has_the_least_weighted_error() -> None:
    """Of all stumps, by counting: what the method asks of the weak learner."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 12, (120, 3)).astype(float)
    y = (X[:, 0] > 8) | ((X[:, 1] > 6) & (rng.random(120) < 0.4))  # where Gini errs
    watch = range(120)
    boosted = AdaBoostClassifier(n_estimators=6, watch=watch).fit(X, y)
    for weight, error in zip(boosted.history_["weights"], boosted.history_["error"], strict=True):
        least = min(
            min(wrong, 1 - wrong)
            for column in X.T
            for cut in np.unique(column)[:-1]
            for wrong in [weight[(column <= cut) != y].sum()]
        )
        constant = min(weight[y].sum(), weight[~y].sum())
        assert error == pytest.approx(min(least, constant), rel=1e-9)


@pytest.mark.parametrize("table", ["dict", "rows", "texts"])
def test_tables_that_a_learner_cannot_take(table: str) -> None:
    X, y = loans()
    given: Any = {
        "dict": X,
        "rows": [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)],
    }.get(table, pd.DataFrame(X))
    for settings in ({}, {"early_stopping": True}):
        weak = AdaBoostClassifier(GaussianNB(), n_estimators=3, **settings)
        with pytest.raises(DataError, match=r"GaussianNB did not take this table(.|\n)*Hint:"):
            weak.fit(given, y)
        # Trees of bosco take it, boosted by the core or not.
        for own in ({"max_depth": 2}, {"algorithm": "c45"}, {"pruning": "generalization_error"}):
            boosted = AdaBoostClassifier(DecisionTreeClassifier(**own), n_estimators=3, **settings)
            assert boosted.fit(given, y).score(given, y) > 0.6
    N = np.arange(40.0)[:, None] % 7
    fitted = AdaBoostClassifier(GaussianNB(), n_estimators=3).fit(N, N[:, 0] > 2)
    with pytest.raises(DataError, match="did not take this table, a dict"):
        fitted.predict({"x": N[:, 0]})


def test_a_pruned_learner_is_pruned() -> None:
    X, y = make_classification(400, flip_y=0.2, random_state=0)
    pruned = DecisionTreeClassifier(max_depth=6, pruning=GeneralizationError(5))
    first = AdaBoostClassifier(pruned, n_estimators=2).fit(X, y).estimators_[0]
    assert first.model_.pruning_log().cut
    assert first.get_n_leaves() < DecisionTreeClassifier(max_depth=6).fit(X, y).get_n_leaves()


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("classes", [2, 4])
def test_scikit_learns_rounds(classes: int, rate: float) -> None:
    X, y = make_classification(
        1_000, n_informative=8, n_classes=classes, flip_y=0.1, random_state=classes
    )
    X = X.astype(np.float32)  # theirs narrows
    theirs = TheirAdaBoost(n_estimators=25, learning_rate=rate).fit(X, y)
    gini = DecisionTreeClassifier(max_depth=1)  # as theirs has it; our default is the least error
    ours = AdaBoostClassifier(gini, n_estimators=25, learning_rate=rate, algorithm="samme").fit(
        X, y
    )
    assert np.allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    assert np.allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    for one, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert one.tree_.feature[0] == other.tree_.feature[0]
        assert one.tree_.threshold[0] == pytest.approx(other.tree_.threshold[0], rel=1e-5)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.999
    half = AdaBoostClassifier(gini, n_estimators=25, learning_rate=rate).fit(X, y)
    assert (half.predict(X) == ours.predict(X)).all()
    scale = 2 if classes == 2 else 1
    assert np.allclose(half.estimator_weights_ * scale, ours.estimator_weights_, rtol=1e-15)


def test_the_general_road_is_the_native_one() -> None:
    class Plain(DecisionTreeClassifier):
        """Not known to be native."""

    X, y = mixed(600)
    for settings in ({"max_depth": 1}, {"max_depth": 3, "min_samples_leaf": 4}):
        fast = AdaBoostClassifier(DecisionTreeClassifier(**settings), n_estimators=8).fit(X, y)
        slow = AdaBoostClassifier(Plain(**settings), n_estimators=8).fit(X, y)
        assert np.allclose(fast.estimator_errors_, slow.estimator_errors_, rtol=1e-9)
        assert (fast.predict(X) == slow.predict(X)).all()


# The promises ------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 3])
def test_threads_order_weights_and_copies(depth: int) -> None:
    X, y = mixed(6_000)
    weak = DecisionTreeClassifier(max_depth=depth)
    plain = AdaBoostClassifier(weak, n_estimators=12, n_jobs=1).fit(X, y)
    for n_jobs in (2, 4):
        assert digest(AdaBoostClassifier(weak, n_estimators=12, n_jobs=n_jobs).fit(X, y)) == digest(
            plain
        )
    order = np.random.default_rng(0).permutation(len(X))
    moved = AdaBoostClassifier(weak, n_estimators=12).fit(X.iloc[order], y[order])
    assert digest(moved) == digest(plain)
    copy = pickle.loads(pickle.dumps(plain))
    assert digest(copy) == digest(plain)
    assert (copy.decision_function(X) == plain.decision_function(X)).all()


@pytest.mark.parametrize("weak", [None, DecisionTreeClassifier(max_depth=2, min_samples_leaf=3)])
def test_weight_two_is_the_row_twice(weak: Any) -> None:
    X, y = mixed(700)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), weight)
    weighted = AdaBoostClassifier(weak, n_estimators=25).fit(X, y, sample_weight=weight)
    repeated = AdaBoostClassifier(weak, n_estimators=25).fit(X.iloc[again], y[again])
    assert digest(weighted) == digest(repeated)


rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 4)),
        st.sampled_from(["a", "b", "c", None]),
        st.integers(0, 2),
    ),
    min_size=4,
    max_size=30,
)


@examples(60)
@given(rows, st.sampled_from(["subset", "multiway"]), st.integers(1, 12))
def test_the_table_decides_as_the_ensemble(data: Any, nominal: str, n_rounds: int) -> None:
    X = {
        "n": np.array([np.nan if n is None else n for n, _, _ in data]),
        "c": [c for _, c, _ in data],
    }
    y = np.array([k for _, _, k in data])
    weak = DecisionTreeClassifier(max_depth=1, nominal_test=nominal, domains={"c": list("abcd")})
    try:
        boosted = AdaBoostClassifier(weak, n_estimators=n_rounds).fit(X, y)
    except DataError:  # no question is better than chance
        assume(False)
    table = boosted.model_
    tests = [line.test for line in table.lines]
    assert len(set(tests)) == len(tests)
    new = {"n": np.array([0.0, 2.0, 9.0, np.nan]), "c": ["d", "a", None, "zzz"]}
    for Z in (X, new):
        points = table.points(Z)
        assert (table.predict(Z) == boosted.predict(Z)).all()
        margin = boosted.decision_function(Z)
        k = len(table.classes)
        if k == 2:
            assert (points[:, 1] - points[:, 0] == margin).all()
        if k > 2:  # 1 where all points are for a class, -1 / (k - 1) where none is
            share = points / points.sum(axis=1, keepdims=True)
            assert margin == pytest.approx((k * share - 1) / (k - 1), abs=1e-12)
            assert (margin.argmax(axis=1) == points.argmax(axis=1)).all()
    assert (pickle.loads(pickle.dumps(table)).predict(X) == table.predict(X)).all()


# Defined answers ---------------------------------------------------------------------------------


def test_a_learner_without_error_decides_alone() -> None:
    first = AdaBoostClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert first.history_["ended"] == "perfect"
    assert first.estimator_weights_.tolist() == [1.0]
    assert first.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    X, y = TEN, SIGNS
    deep = AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=5).fit(X, y)
    assert len(deep.estimators_) == 1

    class Later(DecisionTreeClassifier):
        """Becomes perfect when the weights have changed."""

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            even = np.ptp(sample_weight) < 1e-9
            self.max_depth = 1 if even else None
            return super().fit(X, y, sample_weight)

    later = AdaBoostClassifier(Later(), n_estimators=5).fit(X, y)
    assert len(later.estimators_) == 1
    assert len(later.history_["error"]) == 2
    assert later.history_["coefficient"][1] == np.inf
    assert (later.predict(X) == y).all()


def test_no_better_than_chance() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.raises(DataError, match=r"worse than random.*weighted error .* is 0\.5"):
        AdaBoostClassifier().fit(X, y)
    with pytest.raises(DataError, match="worse than random"):
        AdaBoostClassifier(LogisticRegression()).fit(X, y)
    constant = AdaBoostClassifier().fit([[1.0]] * 3, [0, 0, 1])
    assert constant.history_["ended"] == "chance"
    assert len(constant.estimators_) == 1
    assert constant.predict([[1.0]]) == [0]
    assert "always" in str(constant.model_)


def test_any_learner() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weak = LogisticRegression(C=0.01)
    half = np.arange(len(y)) % 2 == 0
    single = weak.fit(X[half], y[half]).score(X[~half], y[~half])
    boosted = AdaBoostClassifier(weak, n_estimators=15).fit(X[half], y[half])
    assert boosted.score(X[~half], y[~half]) > single + 0.005
    bayes = AdaBoostClassifier(GaussianNB(), n_estimators=5).fit(X, y)
    assert bayes.score(X, y) > 0.9
    with pytest.raises(AttributeError, match="only trees of bosco"):
        _ = bayes.model_
    with pytest.raises(ParameterError, match="support sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(X, y)
    fractional = DecisionTreeClassifier(algorithm="c45", max_depth=2)
    assert AdaBoostClassifier(fractional, n_estimators=5).fit(X, y).score(X, y) > 0.9


def test_a_penalty_keeps_its_meaning() -> None:
    class Told(GaussianNB):  # type: ignore[misc]
        """Notes what it is told."""

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            self.told_ = sample_weight
            return super().fit(X, y, sample_weight)

    X, y = make_classification(200, flip_y=0.2, random_state=0)
    weight = np.random.default_rng(0).integers(1, 4, 200)
    boosted = AdaBoostClassifier(Told(), n_estimators=3).fit(X, y, weight)
    for learner in boosted.estimators_:
        assert learner.told_.sum() == pytest.approx(weight.sum())
    assert np.allclose(boosted.estimators_[0].told_, weight)


def test_early_stopping_in_any_order_of_the_rows() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] + random.normal(size=200) > 0).astype(int)
    order = random.permutation(200)
    model = AdaBoostClassifier(n_estimators=60, early_stopping=True, random_state=0)
    one = model.fit(X, y).history_
    two = clone(model).fit(X[order], y[order]).history_
    assert one["validation_score"].tolist() == two["validation_score"].tolist()
    assert one["coefficient"].tolist() == two["coefficient"].tolist()


def test_early_stopping() -> None:
    X, y = make_classification(1_000, flip_y=0.3, random_state=0)
    boosted = AdaBoostClassifier(
        n_estimators=300, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    scores = boosted.history_["validation_score"]
    assert boosted.history_["ended"] == "asked"
    assert len(boosted.estimators_) == np.argmax(scores) + 1
    assert len(scores) == len(boosted.estimators_) + 5
    slow = AdaBoostClassifier(
        LogisticRegression(), n_estimators=50, early_stopping=True, n_iter_no_change=3
    ).fit(X, y)
    assert len(slow.estimators_) <= 50
    with pytest.raises(DataError, match="early_stopping"):
        AdaBoostClassifier(early_stopping=True).fit([[0], [1], [2]], [0, 1, 1])


def test_stages_and_history() -> None:
    X, y = mixed(400)
    boosted = AdaBoostClassifier(n_estimators=9, watch=[3, 0]).fit(X, y)
    stages = list(boosted.staged_predict(X))
    assert len(stages) == 9
    assert (stages[-1] == boosted.predict(X)).all()
    assert list(boosted.staged_score(X, y))[-1] == boosted.score(X, y)
    assert boosted.history_["weights"].shape == (9, 2)
    assert boosted.history_["weights"][0] == pytest.approx([1 / 400, 1 / 400])
    for weak in (None, DecisionTreeClassifier(max_depth=2)):
        tree = AdaBoostClassifier(weak, n_estimators=2).fit(X, y).estimators_[1].tree_
        assert tree.n_node_samples[0] == 400
        assert tree.n_node_samples[tree.native.first_child < 0].sum() == 400
        assert tree.weighted_n_node_samples[0] == pytest.approx(1)
    last = list(boosted.staged_decision_function(X))[-1]
    assert (last == boosted.decision_function(X)).all()
    assert np.allclose(boosted.predict_proba(X).sum(axis=1), 1)
    assert boosted.feature_importances_.sum() == pytest.approx(1)
    weight = np.ones(400)
    weight[1] = 0
    again = AdaBoostClassifier(n_estimators=2, watch=[3, 0]).fit(X, y, weight)
    assert again.history_["weights"].shape == (2, 2)
    with pytest.raises(DataError, match="weight 0"):
        AdaBoostClassifier(watch=[1]).fit(X, y, weight)
    with pytest.raises(DataError, match="numbers of rows"):
        AdaBoostClassifier(watch=[400]).fit(X, y)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'samme'"):
        AdaBoostClassifier(algorithm="same").fit(TEN, SIGNS)
    with pytest.raises(ParameterError, match="learning_rate"):
        AdaBoostClassifier(learning_rate=0).fit(TEN, SIGNS)


def test_progress(capsys: Any) -> None:
    AdaBoostClassifier(n_estimators=3, verbose=1).fit(TEN, SIGNS)
    assert "3/3" in capsys.readouterr().err


@pytest.mark.parametrize("weak", [None, DecisionTreeClassifier(max_depth=4), GaussianNB()])
def test_ctrl_c_within_a_second(weak: Any) -> None:
    """Counted in processor time of this thread's work: machines are busy."""
    X, y = make_classification(20_000, flip_y=0.3, random_state=0)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            AdaBoostClassifier(weak, n_estimators=1_000_000, learning_rate=0.1).fit(X, y)
    finally:
        timer.cancel()
    assert time.process_time() - pressed[0] < 1
