"""A criterion of one's own: the same trees as the built-in ones, every way a tree can grow."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    _core,
)
from bosco.datasets import golf, play_tennis
from bosco.errors import CriterionWarning, ParameterError
from bosco.pruning import CostComplexity, Pessimistic
from tests.strategies import Problem, examples, problems

Shares = NDArray[np.float64]

TIE = 1e-11
"""Gains of a function are rounded to 2^-40; nearer ones are equal, and the order decides."""


def my_gini(p: Shares) -> Shares:
    return np.asarray(1 - (p**2).sum(axis=-1))


def my_entropy(p: Shares) -> Shares:
    return np.asarray(-(p * np.log2(np.where(p > 0, p, 1))).sum(axis=-1))


def my_error(p: Shares) -> Shares:
    return np.asarray(1 - p.max(axis=-1))


def my_sqrt(p: Shares) -> Shares:
    return np.asarray(np.sqrt(np.maximum(p * (1 - p), 0)).sum(axis=-1) / 2)


OWN = {"gini": my_gini, "entropy": my_entropy, "error": my_error, "sqrt": my_sqrt}


def native(problem: Problem, **psi: Any) -> Any:
    frame = problem.native_frame(_core)
    return _core.grow(frame, problem.native_target(_core), problem.growth | psi)


def score_of(tree: Any, node: int, ratio: bool) -> float:
    """What the test of a node won by."""
    test = int(tree.test[node])
    begin, end = tree.candidate_begin[node : node + 2]
    own = [i for i in range(begin, end) if tree.candidates.column[i] == tree.tests.column[test]]
    gain = tree.candidate_gain[own[0]] - tree.candidate_penalty[own[0]]
    info = tree.candidate_split_info[own[0]]
    return float(gain / info if ratio and info > 0 else gain)


def assert_same(a: Any, b: Any, problem: Problem) -> None:
    """Hold two trees to each other from the root on, down to where a tie was decided otherwise."""
    ratio = problem.growth["score"] != "gain"
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        assert a.tally[i].tolist() == b.tally[j].tolist()
        np.testing.assert_allclose(a.impurity[i], b.impurity[j], rtol=1e-9, atol=1e-12)
        if a.test[i] < 0 and b.test[j] < 0:
            continue
        least = [abs(score_of(t, n, False)) for t, n in ((a, i), (b, j)) if t.test[n] >= 0]
        if a.test[i] < 0 or b.test[j] < 0:  # a gain that rounding makes, or unmakes
            assert min(least) < TIE
            event("a gain of nothing")
            continue
        tests = [(t.tests, int(t.test[n])) for t, n in ((a, i), (b, j))]
        parts = [
            (
                pool.column[k],
                pool.branches[k],
                pool.missing[k],
                pool.thresholds[pool.threshold_begin[k] : pool.threshold_begin[k + 1]].tolist(),
                pool.jumps[pool.jump_begin[k] : pool.jump_begin[k + 1]].tolist(),
            )
            for pool, k in tests
        ]
        if parts[0] != parts[1]:
            scores = [score_of(a, i, ratio), score_of(b, j, ratio)]
            assert abs(scores[0] - scores[1]) < TIE * max(1, abs(scores[0])), (parts, scores)
            event("a tie")
            continue
        event("the same test")
        assert abs(a.gain[i] - b.gain[j]) < TIE
        below = (int(a.first_child[i]), int(b.first_child[j]))
        waiting += [(below[0] + k, below[1] + k) for k in range(a.n_children[i])]


COMMON: dict[str, Any] = {"subset_penalty": False, "max_leaf_nodes": -1, "record": True}
PROBLEMS = st.one_of(
    problems(n_classes=(2, 2, 3, 5), numeric_test="threshold", nominal_test="subset", **COMMON),
    problems(n_classes=(2, 3), numeric_test="threshold", nominal_test="one_vs_rest", **COMMON),
    problems(n_classes=(2, 3), numeric_test="threshold", nominal_test="multiway", **COMMON),
    # Of parts with equal sums any may be meant: what else decides between them, missing rows or the
    # ratio, must not come after.
    problems(n_classes=(2, 3), nominal_test="group", score="gain", missing="error", **COMMON),
)


@pytest.mark.parametrize("criterion", OWN)
@examples(60)
@given(data=PROBLEMS)
def test_a_function_grows_the_built_in_tree(criterion: str, data: Problem) -> None:
    """Any columns, weights, missing policy, kind of test, score, limit and draw."""
    problem = Problem(data.columns, data.target, data.growth | {"criterion": criterion}, 3)
    own = native(problem, criterion="custom: mine", psi=OWN[criterion])
    assert_same(native(problem), own, problem)


@pytest.mark.parametrize("criterion", OWN)
@pytest.mark.parametrize("order", ["depth", "breadth", "best"])
def test_limits_of_leaves_and_orders(criterion: str, order: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nansum(X[:, :2], axis=1) > 0.2).astype(int) + (rng.random(600) < 0.2)
    told = {"order": order, "max_leaf_nodes": 9, "min_samples_leaf": 7}
    a = DecisionTreeClassifier(criterion=criterion, **told).fit(X, y).model_
    b = DecisionTreeClassifier(criterion=OWN[criterion], **told, n_jobs=2).fit(X, y).model_
    assert str(b).splitlines()[1:] == str(a).splitlines()[1:]
    assert b.headline.startswith(f"cart (custom: my_{criterion})")
    assert str(b.why(0)) == str(a.why(0))


def test_it_is_asked_once_a_column_with_all_cuts() -> None:
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(300, 3)), []

    def counted(p: Shares) -> Shares:
        asked.append(p.shape)
        return my_gini(p)

    DecisionTreeClassifier(criterion=counted, max_depth=1).fit(X, rng.integers(0, 2, 300))
    # pure shares, both ends of chords, their middles; the root; its three columns
    shapes = asked[3:]
    assert len(shapes) == 4
    assert shapes[0] == (1, 2)
    assert all(n > 50 for n, _ in shapes[1:])  # equal shares are asked for once


def test_rows_in_any_order_and_threads() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 30, size=(400, 5)).astype(float), rng.integers(0, 3, 400)
    order = rng.permutation(400)
    first = DecisionTreeClassifier(criterion=my_entropy, max_depth=4).fit(X, y).model_
    again = DecisionTreeClassifier(criterion=my_entropy, max_depth=4, n_jobs=2)
    assert str(again.fit(X[order], y[order]).model_) == str(first)


def test_trace_prune_and_recount_ask_it() -> None:
    X, y = golf()
    clf = DecisionTreeClassifier(algorithm="c45", criterion=my_entropy).fit(X, y)
    plain = DecisionTreeClassifier(algorithm="c45").fit(X, y)
    assert str(clf.model_.trace(X, y)[0]) == str(plain.model_.trace(X, y)[0])
    for policy in (CostComplexity(alpha=0.05), Pessimistic()):
        pruned = DecisionTreeClassifier(criterion=my_gini, pruning=policy).fit(X, y).model_
        told = DecisionTreeClassifier(pruning=policy).fit(X, y).model_
        assert str(pruned).splitlines()[1:] == str(told).splitlines()[1:]


def test_a_file_has_its_name(tmp_path: Path) -> None:
    X, y = play_tennis()
    model = DecisionTreeClassifier(criterion=my_gini).fit(X, y).model_
    for form in ("json", "bosco"):
        model.save(tmp_path / f"m.{form}")
        back = bosco.load(tmp_path / f"m.{form}")
        assert back.growth.criterion == "custom: my_gini"
        assert back.growth.psi is None
        assert str(back) == str(model)
        assert str(back.why(0)) == str(model.why(0))
        assert list(back.predict(X)) == list(model.predict(X))
        with pytest.raises(ParameterError, match=r"'my_gini'.*name and not its code.*criterion="):
            back.trace(X, y)


def test_pickles_have_the_function_if_it_can_be_imported() -> None:
    X, y = play_tennis()
    clf = DecisionTreeClassifier(criterion=my_gini).fit(X, y)
    back = pickle.loads(pickle.dumps(clf))
    assert back.criterion is my_gini
    assert str(back.model_) == str(clf.model_)
    assert str(back.fit(X, y).model_.trace(X, y)[0]) == str(clf.model_.trace(X, y)[0])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(DecisionTreeClassifier(criterion=lambda p: my_gini(p)).fit(X, y))


# What a function may be ---------------------------------------------------------------------------


def fit(criterion: Any, n_classes: int = 2) -> Any:
    X = np.arange(30.0).reshape(-1, 1)
    return DecisionTreeClassifier(criterion=criterion).fit(X, np.arange(30) % n_classes)


def test_it_must_be_zero_where_one_class_has_all() -> None:
    with pytest.warns(CriterionWarning, match=r"is 0\.1, not 0, where class 1 has all rows"):
        fit(lambda p: my_gini(p) + 0.1 * p[:, 1])


def test_it_must_be_concave_and_is_told_where_not() -> None:
    with pytest.warns(CriterionWarning, match=r"not concave: at p = 0\.(\d+) it is (0\.\d+|0), "):
        fit(lambda p: (p[:, 0] * p[:, 1]) ** 2)
    for n_classes in (3, 7):
        with pytest.warns(CriterionWarning, match=r"not concave: at p = \("):
            fit(lambda p: my_gini(p) ** 2, n_classes)


@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_impurities_are_not_warned_of(n_classes: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for own in OWN.values():
            fit(own, n_classes)


def test_what_it_returns_is_checked() -> None:
    with pytest.raises(ParameterError, match=r"returns n impurities\. Of shape \(2, 2\) it made"):
        fit(lambda p: 1 - (p**2).sum())
    with pytest.raises(ParameterError, match=r"At p = 0 it is nan\. Hint: 0 · log 0"):
        fit(lambda p: np.where(p[:, 1] > 0, 0.0, np.nan))
    with pytest.raises(ParameterError, match="It returned an array of"):
        fit(lambda p: np.array(["a"] * len(p)))
    with pytest.raises(ZeroDivisionError):
        fit(lambda p: p[0, 0] if 1 / 0 else p)


def test_an_error_while_growing_comes_out_as_it_is() -> None:
    calls: list[int] = []

    def late(p: Shares) -> Shares:
        calls.append(1)
        if len(calls) == 5:  # at the first column
            raise RuntimeError("late")
        return my_gini(p)

    with pytest.raises(RuntimeError, match=r"^late$"):
        fit(late)


def test_who_takes_none() -> None:
    X, y = np.arange(12.0).reshape(-1, 1), np.arange(12) % 2
    with pytest.raises(ParameterError, match=r"my_gini is a function.*for single trees only"):
        RandomForestClassifier(criterion=my_gini).fit(X, y)
    with pytest.raises(ParameterError, match="'criterion' parameter of DecisionTreeRegressor"):
        DecisionTreeRegressor(criterion=my_gini).fit(X, y)


def test_boosting_takes_it_as_any_learner() -> None:
    X, y = golf()
    own = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1, criterion=my_error), n_estimators=5
    )
    told = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1, criterion="error"), n_estimators=5
    )
    assert list(own.fit(X, y).predict(X)) == list(told.fit(X, y).predict(X))


# Settings that were the presets' alone ------------------------------------------------------------


def test_zero_gain_and_reuse_are_settings() -> None:
    xor = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    y = [0, 1, 1, 0]
    leaves = [
        DecisionTreeClassifier(zero_gain=said).fit(xor, y).get_n_leaves()
        for said in (None, True, False)
    ]
    assert leaves == [4, 4, 1]
    X, y = golf()
    again = DecisionTreeClassifier(algorithm="id3", reuse=True).fit(X, y).model_
    once = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    for model, repeats in ((again, True), (once, False)):
        tree = model.tree
        paths = [
            [tree.test(n).column for n in tree.path(leaf)[:-1]]
            for leaf in np.flatnonzero(tree.native.test < 0)
        ]
        assert not any(len(set(path)) < len(path) for path in paths) or repeats


@examples(40)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=2),
    seed=st.integers(0, 5),
)
def test_the_recursive_stump_leaves_no_error_that_can_be_avoided(rows: Any, seed: int) -> None:
    """SPEC D4, D7: grown to the end, only rows that contradict each other are wrong."""
    a, b, noise = map(np.array, zip(*rows, strict=True))
    y = (a * 7 + b * 3 + seed) % 3 + noise.astype(int)
    X = {"a": a, "b": [f"l{level}" for level in b]}
    tree = DecisionTreeClassifier(algorithm="recursive_stump")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column may look like an identifier
        wrong = int((tree.fit(X, y).predict(X) != y).sum()) if len(set(y)) > 1 else 0
    least = 0
    for pair in set(zip(a.tolist(), b.tolist(), strict=True)):
        here = y[(a == pair[0]) & (b == pair[1])]
        least += len(here) - int(np.bincount(here).max())
    assert wrong == least


def test_what_is_asked_goes_by_the_scale_of_the_function() -> None:
    X, y = np.arange(40.0)[:, None], np.where(np.arange(40) > 20, "a", "b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DecisionTreeClassifier(criterion=lambda p: 1e8 * p.min(-1) / 3).fit(X, y)
    with pytest.warns(CriterionWarning):
        DecisionTreeClassifier(criterion=lambda p: 1e-3 * (p**2).sum(-1)).fit(X, y)
    for scale in (1e-12, 1e300):
        with pytest.raises(ParameterError, match="should be between"):
            DecisionTreeClassifier(criterion=lambda p, s=scale: s * p.min(-1)).fit(X, y)
    with pytest.raises(ParameterError, match="no array of numbers"):
        DecisionTreeClassifier(criterion=lambda _: [[1], [2, 3]]).fit(X, y)
