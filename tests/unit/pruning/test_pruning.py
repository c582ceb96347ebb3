"""Policies on trees whose numbers can be worked out by hand, and on odd input."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, f_oneway
from sklearn import tree as peers
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, _core
from bosco.datasets import golf, play_tennis
from bosco.errors import ModelError
from bosco.models.model import Model
from bosco.pruning import (
    CostComplexity,
    CriticalValue,
    GeneralizationError,
    MinimumDescriptionLength,
    Pessimistic,
    ReducedError,
    SameAnswer,
)


def noisy(n: int = 300, seed: int = 0) -> tuple[Any, Any]:
    X, y = make_classification(n, 6, n_informative=3, flip_y=0.2, random_state=seed)
    return np.round(X, 1), y


def grown(**settings: Any) -> Model:
    model: Model = DecisionTreeClassifier(**settings).fit(*noisy()).model_
    return model


def tallies(model: Model) -> list[list[float]]:
    """The weight of every class at every node."""
    native = model.tree.native
    counted: list[list[float]] = (native.tally / native.weight_scale).tolist()
    return counted


def upper(n: float, e: float, confidence: float = 0.25) -> float:
    """C4.5's bound again, as docs/pruning.md says it."""
    if e < 1:
        none = n * (1 - confidence ** (1 / n))
        return none + e * (upper(n, 1, confidence) - none) if e else none
    if e + 0.5 >= n:
        return n
    z = NormalDist().inv_cdf(1 - confidence)
    f = (e + 0.5) / n
    root = math.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * (f + z * z / (2 * n) + z * root) / (1 + z * z / n)


# What each policy weighs ----------------------------------------------------------------------


def test_generalization_error_weighs_a_leaf_against_wrong_rows() -> None:
    X, y = [[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 0, 1]
    model = DecisionTreeClassifier(criterion="error").fit(X, y).model_
    assert model.n_leaves == 4
    # x <= 3.5 is worth one wrong row; the two tests below it save one between them.
    sizes = [model.prune(GeneralizationError(a)).n_leaves for a in (0, 0.4, 0.6, 1, 1.1)]
    assert sizes == [4, 4, 2, 1, 1]
    log = model.prune(GeneralizationError(0.6)).pruning_log()
    entry = log.cut[0]
    assert (entry.kept, entry.pruned) == (pytest.approx(1.8), pytest.approx(1.6))
    assert (entry.leaves_before, entry.leaves_after) == (3, 1)
    # The root was weighed too, and kept; so was what hangs below the node that went.
    told = [(e.action, e.node, e.now, round(e.kept, 9), round(e.pruned, 9)) for e in log]
    assert told == [
        ("kept", 0, 0, 2.2, 2.6),
        ("collapsed", 2, 2, 1.8, 1.6),
        ("kept", 4, None, 1.2, 1.6),
    ]


def test_ties_that_rounding_hides_go_to_the_smaller_tree() -> None:
    """Eleven leaves at 0.1 cost 1.1, though they sum to 1.0999999999999999 in floating point."""
    grower = DecisionTreeClassifier(algorithm="id3", criterion="error")
    model = grower.fit({"level": list("abcdefghijabcdefghijk")}, [0] * 20 + [1]).model_
    assert model.n_leaves == 11
    pruned = model.prune(GeneralizationError(alpha=0.1))
    (entry,) = pruned.pruning_log()
    assert (entry.kept, entry.pruned, pruned.n_leaves) == (sum([0.1] * 11), 1.1, 1)
    assert model.prune(GeneralizationError(alpha=0.1 - 1e-9)).n_leaves == 11


def test_ties_go_to_the_smaller_tree() -> None:
    model = DecisionTreeClassifier().fit([[1], [2], [3]], [0, 0, 1]).model_
    assert model.prune(GeneralizationError(alpha=1)).n_leaves == 1
    assert model.prune(GeneralizationError(alpha=0.999)).n_leaves == 2


def test_quinlans_figures() -> None:
    """The worked example of his book: 6, 9 and 1 cases without an error."""
    assert [round(upper(n, 0), 3) for n in (6, 9, 1)] == [1.238, 1.285, 0.75]
    # All 16 rows of one class but one, parted 6 + 9 + 1: the leaf is the better guess.
    X = {"v": ["a"] * 6 + ["b"] * 9 + ["c"]}
    y = ["democrat"] * 15 + ["republican"]
    grow = DecisionTreeClassifier(algorithm="c45", min_samples_leaf=1, pruning="none")
    model = grow.fit(X, y).model_
    assert model.n_leaves == 3
    pruned = model.prune(Pessimistic(raising=False))
    (entry,) = pruned.pruning_log()
    assert entry.kept == pytest.approx(6 * 0.2063 + 9 * 0.1428 + 0.75, abs=2e-3)
    assert entry.pruned == pytest.approx(upper(16, 1))
    assert pruned.n_leaves == 1


@pytest.mark.parametrize("confidence", [0.01, 0.1, 0.25, 0.5])
def test_the_bound_is_the_written_one(confidence: float) -> None:
    for n, e in [(1, 0), (2, 1), (10, 0), (10, 3), (10, 10), (250, 7), (7, 6)]:
        y = [0] * (n - e) + [1] * e
        model = DecisionTreeClassifier(max_depth=1).fit([[i] for i in range(n)], y).model_
        if model.n_leaves == 1:
            continue
        cut = np.array([True, False, False])
        *_, pruned = _core.pessimistic(model.tree.native, cut, confidence)
        assert pruned[0] == pytest.approx(upper(n, min(e, n - e), confidence))


@pytest.mark.parametrize("raising", [False, True])
def test_what_saves_no_error_is_collapsed_before_weighing_and_not_after(raising: bool) -> None:
    """As in C4.5 and J48, so pruning the pruned tree may make it smaller.

    Grown, the tree saves an error: two rows of b below `h = s`. That test does not pay and goes,
    and then both leaves say a. But 60 rows without an error beside 26 with 20 are charged less than
    86 with 20: an error rate near 0 or 1 varies less than one in between. So weighing keeps the
    root, as often as it is done; what saves no error is looked for only in the tree as given.
    """
    X = {"g": ["p"] * 60 + ["q"] * 26, "h": ["s"] * 6 + ["t"] * 54 + ["s"] * 3 + ["t"] * 23}
    y = list("a" * 60 + "bba" + "aaaaabbbcccccdddddeeeee")
    policy = Pessimistic(raising=raising)
    full = DecisionTreeClassifier(algorithm="c45", pruning="none").fit(X, y).model_
    root, p, q = [66, 5, 5, 5, 5], [60, 0, 0, 0, 0], [6, 5, 5, 5, 5]
    assert tallies(full) == [root, p, q, [1, 2, 0, 0, 0], [5, 3, 5, 5, 5]]
    assert upper(26, 20) <= upper(3, 1) + upper(23, 18) + 0.1
    assert upper(86, 20) > upper(60, 0) + upper(26, 20) + 0.1

    once = full.prune(policy, X, y)
    assert tallies(once) == [root, p, q]
    first, _ = once.pruning_log()
    assert first.kept == pytest.approx(upper(60, 0) + upper(26, 20))
    assert first.pruned == pytest.approx(upper(86, 20))
    cut, stand_in, *_ = _core.pessimistic(once.tree.native, np.zeros(3, bool), 0.25)
    assert not cut.any()
    assert stand_in.tolist() == [0, 1, 2]

    twice = once.prune(policy, X, y)
    assert twice.n_leaves == once.prune(GeneralizationError(0)).n_leaves == 1
    assert twice.prune(policy, X, y).tree == twice.tree


def test_raising_finds_what_leaves_cannot() -> None:
    model = DecisionTreeClassifier(criterion="error", nominal_test="multiway", pruning="none")
    X, y = noisy(400, seed=3)
    table = {"v": np.array(list("abcdefgh"))[np.arange(400) % 8], "x": X[:, 0], "z": X[:, 1]}
    full = model.fit(table, y).model_
    raised = full.prune(Pessimistic(), table, y)
    plain = full.prune(Pessimistic(raising=False))
    log = raised.pruning_log()
    assert {entry.action for entry in log} == {"collapsed", "raised", "kept"}
    inner = np.flatnonzero(raised.tree.native.test >= 0).tolist()
    assert {e.now for e in log if e.action != "collapsed" and e.now is not None} == set(inner)
    assert all(e.kept + 0.1 < e.pruned for e in log if e.action == "kept")
    assert raised.n_leaves <= plain.n_leaves
    frame = raised.subject().trained_on(table, y).training
    assert frame is not None
    tally, count = _core.tallies(raised.tree.native, frame.frame.native, frame.target.native)
    assert (tally == raised.tree.native.tally).all()
    assert (count == raised.tree.native.count).all()
    node = next(e.now for e in log.cut if e.action == "raised")
    assert node is not None
    with pytest.raises(ModelError, match="raised the test of node"):
        raised.why(node)
    # Below it, what was compared was compared on fewer rows, and so it ended.
    tops = log.raised()
    below = [
        n for n in range(raised.tree.node_count) if n not in tops and tops & {*raised.tree.path(n)}
    ]
    for n in below:
        why = raised.why(n)
        if why.ended not in ("pure", "pruned", "empty"):
            assert "held fewer rows" in why.reason
    assert {raised.why(n).ended for n in below} > {None}


def test_reduced_error_counts_validation_rows() -> None:
    X, y = noisy()
    model = grown()
    held = noisy(200, seed=1)
    pruned = model.prune(ReducedError(validation=held))
    wrong = [(m.predict(held[0]) != held[1]).sum() for m in (model, pruned)]
    assert wrong[1] <= wrong[0]
    assert pruned.n_leaves < model.n_leaves
    for entry in pruned.pruning_log():
        assert (entry.pruned <= entry.kept) == (entry.action == "collapsed")
    # Weights count: rows of weight 2 are rows twice.
    twice = tuple(np.concatenate([part, part[:50]]) for part in held)
    weight = np.r_[np.full(50, 2.0), np.ones(150)]
    assert model.prune(ReducedError((*held, weight))).tree == model.prune(ReducedError(twice)).tree
    # Judged by its own rows, nothing that helps goes.
    assert (model.prune(ReducedError((X, y))).predict(X) == model.predict(X)).all()


def test_reduced_error_of_numbers() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor().fit(X[:300], y[:300]).model_
    pruned = model.prune(ReducedError(validation=(X[300:], y[300:])))
    square = [np.sum((m.predict(X[300:]) - y[300:]) ** 2) for m in (model, pruned)]
    assert square[1] < square[0]
    root = model.collapse(0)
    (entry,) = model.subject().held_out(X[300:], y[300:]).errors[:1]
    assert entry == pytest.approx(np.sum((root.predict(X[300:]) - y[300:]) ** 2))


def test_description_length_of_a_leaf_and_a_test() -> None:
    X, y = play_tennis()
    tree = DecisionTreeClassifier(algorithm="id3").fit(X, y).tree_
    leaf, test = _core.description_bits(tree.native, 4)
    assert leaf[0] == pytest.approx(1 + math.log2(15) + math.log2(math.comb(14, 9)), rel=1e-14)
    assert test[0] == 1 + 2  # a node with a test, one of four columns
    X, y = golf()
    tree = DecisionTreeClassifier(algorithm="c45", pruning="none").fit(X, y).tree_
    assert _core.description_bits(tree.native, 4)[1][3] == pytest.approx(
        1 + 2 + math.log2(4)
    )  # humidity, one of 4 gaps of 5 rows


def test_description_length_keeps_what_pays() -> None:
    x = np.arange(200.0)[:, None]
    model = DecisionTreeClassifier().fit(x, x[:, 0] > 99).model_
    assert model.prune(MinimumDescriptionLength()).n_leaves == 2
    noise = np.random.default_rng(0).integers(0, 2, 200)
    model = DecisionTreeClassifier().fit(x, noise).model_
    assert model.prune(MinimumDescriptionLength()).n_leaves == 1


def test_critical_values_are_scipys() -> None:
    X, y = play_tennis()
    model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    p = _core.p_values(model.tree.native)
    children = model.tree.native.tally[[1, 2, 3]]
    assert p[0] == pytest.approx(chi2_contingency(children, correction=False).pvalue)
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(max_depth=1).fit(X, y)
    leaf = tree.apply(X)
    p = _core.p_values(tree.tree_.native)
    assert p[0] == pytest.approx(f_oneway(y[leaf == 1], y[leaf == 2]).pvalue, rel=1e-9)
    assert p[1:].tolist() == [1, 1]


def test_stopping_is_what_growing_with_the_test_would_give() -> None:
    """Each node that is left has a test that passes, and each parent of one that went has none."""
    model = grown()
    stopped = model.prune(CriticalValue(0.05, stop=True))
    p = _core.p_values(stopped.tree.native)
    assert (p[stopped.tree.native.test >= 0] <= 0.05).all()
    mingers = model.prune(CriticalValue(0.05))
    assert stopped.n_leaves <= mingers.n_leaves <= model.n_leaves
    p = _core.p_values(mingers.tree.native)
    least = mingers.subject().below(p, "least")
    assert (least[mingers.tree.native.test >= 0] <= 0.05).all()


def test_the_scale_of_weights_does_not_matter_to_tests_of_significance() -> None:
    X, y = noisy()
    for policy in (CriticalValue(0.05), Pessimistic(raising=False), MinimumDescriptionLength()):
        trees = [
            DecisionTreeClassifier(pruning=policy).fit(X, y, sample_weight=np.full(len(y), w))
            for w in (0.25, 0.5)
        ]
        assert trees[0].get_n_leaves() == trees[1].get_n_leaves() > 1


def test_same_answer_changes_no_prediction() -> None:
    X, y = noisy()
    model = DecisionTreeClassifier(min_samples_leaf=10).fit(X, y).model_
    same = model.prune(SameAnswer())
    assert same.n_leaves < model.n_leaves
    assert (same.predict(X) == model.predict(X)).all()
    assert (same.predict_proba(X) != model.predict_proba(X)).any()
    kept = model.prune(SameAnswer(probabilities=True))
    assert (kept.predict_proba(X) == model.predict_proba(X)).all()


def test_same_answer_where_rows_are_shared_out() -> None:
    """Joined leaves would agree in class, but not in the shares that a row mixes."""
    X = {"a": [2.0, 0, 0, 0, 1], "b": [1.0, 0, 1, 1, 0]}
    model = DecisionTreeClassifier(missing="fractional").fit(X, [0, 1, 1, 0, 0]).model_
    row = {"a": None, "b": 0.0}
    same = model.prune(SameAnswer())
    assert same.predict(row) == model.predict(row) == 1
    assert same.predict_proba(row).tolist() == model.predict_proba(row).tolist()


def test_one_standard_error_is_smaller() -> None:
    X, y = noisy()
    sizes = [
        DecisionTreeClassifier(pruning=CostComplexity(cv=5, one_standard_error=rule)).fit(X, y)
        for rule in (False, True)
    ]
    least, within = (tree.get_n_leaves() for tree in sizes)
    assert 1 < within <= least < grown().n_leaves


# Agreement with scikit-learn ------------------------------------------------------------------


SETS = [load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes]


@pytest.mark.parametrize("load", SETS, ids=lambda f: f.__name__)
def test_the_path_is_scikit_learns(load: Any) -> None:
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    # Weights that nothing ties under, so that both grow the same tree to prune.
    weight = rng.integers(2**12, 2**16, len(y)) / 2**14
    X = X.astype(np.float32).astype(np.float64)
    limits = {"min_samples_leaf": 5}
    real = load is load_diabetes
    ours: Any = (DecisionTreeRegressor if real else DecisionTreeClassifier)(**limits)
    theirs: Any = (peers.DecisionTreeRegressor if real else peers.DecisionTreeClassifier)(
        random_state=0, **limits
    )
    path = ours.cost_complexity_pruning_path(X, y, weight)
    peer = theirs.cost_complexity_pruning_path(X, y, weight)
    assert path.ccp_alphas == pytest.approx(peer.ccp_alphas, rel=1e-6, abs=1e-9)
    assert path.impurities == pytest.approx(peer.impurities, rel=1e-6, abs=1e-9)
    for alpha in path.ccp_alphas[:: max(1, len(path.ccp_alphas) // 4)] * (1 + 1e-6):
        a = clone(ours).set_params(pruning=CostComplexity(alpha=float(alpha))).fit(X, y, weight)
        b = clone(theirs).set_params(ccp_alpha=alpha).fit(X, y, weight)
        assert a.get_n_leaves() == b.get_n_leaves()


# Error against size ---------------------------------------------------------------------------


def test_sweep_is_what_its_trees_say() -> None:
    X, y = noisy()
    model, held = grown(), noisy(200, seed=1)
    sweep = model.sweep(*held, price=2)
    assert (np.diff(sweep.leaves) < 0).all()
    assert sweep.leaves[-1] == 1
    assert sweep.validation is not None
    for i in range(0, len(sweep), 5):
        price = float(sweep.alpha[i]) * (1 + 1e-9)  # in wrong rows
        tree = model.prune(GeneralizationError(alpha=price))
        assert tree.n_leaves == sweep.leaves[i]
        same = model.prune(CostComplexity(alpha=price / len(y), risk="error"))
        assert same.tree == tree.tree
        assert sweep.training[i] == pytest.approx((tree.predict(X) != y).mean())
        assert sweep.validation[i] == pytest.approx((tree.predict(held[0]) != held[1]).mean())
        estimate = sweep.training[i] + 2 * tree.n_leaves / len(y)
        assert sweep.generalization[i] == pytest.approx(estimate)
    assert "validation" in str(sweep)
    assert "validation" not in model.sweep().to_dict()


def test_sweep_of_numbers() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=4).fit(X[:300], y[:300]).model_
    sweep = model.sweep(X[300:], y[300:])
    assert sweep.validation is not None
    assert sweep.training[0] == pytest.approx(np.mean((model.predict(X[:300]) - y[:300]) ** 2))
    assert sweep.validation[0] == pytest.approx(np.mean((model.predict(X[300:]) - y[300:]) ** 2))


def test_cost_complexity_says_that_it_counts_costs() -> None:
    """What is told is what was compared: the cost of the root, not its error."""
    X, y = golf()
    model = DecisionTreeClassifier(costs={"Don't Play": {"Play": 5}}).fit(X, y).model_
    log = model.prune(CostComplexity(alpha=10.0, risk="error")).pruning_log()
    (root,) = (entry for entry in log if entry.node == 0)
    assert root.pruned == 9 / 14 + 10  # all nine that could have played do not
    assert root.measure == "cost + 10 per leaf, as shares of the whole"
    plain = DecisionTreeClassifier().fit(X, y).model_
    log = plain.prune(CostComplexity(alpha=10.0, risk="error")).pruning_log()
    assert log.cut[0].measure == "error + 10 per leaf, as shares of the whole"
