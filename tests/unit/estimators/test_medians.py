"""Leaves that say medians or quantiles: every figure from the rows, every word, what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import bosco
from bosco import DecisionTreeRegressor
from bosco.errors import ParameterError
from bosco.pruning import CostComplexity, CriticalValue, GeneralizationError, ReducedError

KINDS: list[dict[str, Any]] = [
    {"criterion": "absolute_error"},
    {"criterion": "quantile", "quantile": 0.9},
    {"criterion": "quantile", "quantile": 0.2},
]


def table(n: int = 500, seed: int = 0) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Numbers, levels and holes, and numbers that follow them, skewed."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    level = rng.integers(0, 5, n)
    y = 2 * X["a"] + (level > 2) + rng.exponential(size=n)
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    X["l"] = pd.Categorical([f"v{i}" for i in level])
    return X, np.round(y.to_numpy(), 3)


def share_of(kind: dict[str, Any]) -> float:
    return float(kind.get("quantile", 0.5))


def loss(y: Any, said: Any, kind: dict[str, Any]) -> Any:
    """Absolute error, or the loss of a quantile."""
    off, share = np.asarray(y) - said, share_of(kind)
    lost = np.where(off > 0, share * off, (share - 1) * off)
    return 2 * lost if kind["criterion"] == "absolute_error" else lost


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_nodes_say_what_the_rows_do(kind: dict[str, Any], weighted: bool) -> None:
    X, y = table()
    weight = np.random.default_rng(1).integers(1, 5, len(y)) if weighted else None
    tree = DecisionTreeRegressor(max_depth=3, min_samples_leaf=7, **kind)
    model = tree.fit(X, y, sample_weight=weight).model_
    w = np.ones(len(y)) if weight is None else weight
    leaf = model.apply(X)
    for node in range(model.tree.node_count):
        here = np.array([node in model.tree.path(int(k)) for k in leaf])
        said = float(model.tree.native.value[node, 0])
        own = float(w[here] @ loss(y[here], said, kind)) / w[here].sum()
        assert model.tree.impurity[node] == pytest.approx(own, rel=1e-9)
        others = [float(w[here] @ loss(y[here], other, kind)) for other in np.unique(y[here])]
        assert own * w[here].sum() <= min(others) * (1 + 1e-12)
        below = w[here & (y < said - 1e-9)].sum() / w[here].sum()
        upto = w[here & (y <= said + 1e-9)].sum() / w[here].sum()
        assert below <= share_of(kind) + 1e-9
        assert upto >= share_of(kind) - 1e-9


def test_two_middle_numbers_are_averaged() -> None:
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=1)
    tree.fit([[0], [0], [0], [0], [9], [9], [9]], [1.0, 2.0, 5.0, 90.0, 100.0, 102.0, 103.0])
    assert tree.predict([[0], [9]]).tolist() == [3.5, 102.0]
    high = DecisionTreeRegressor(criterion="quantile", quantile=0.75, max_depth=1)
    high.fit([[0], [0], [0], [0], [9]], [1.0, 2.0, 5.0, 90.0, 1000.0])
    assert high.predict([[0]]).tolist() == [47.5]  # anything from 5 to 90 costs as little
    heavy = tree.fit([[0], [0], [0]], [1.0, 2.0, 7.0], sample_weight=[1, 1, 2])
    assert heavy.predict([[0]]).tolist() == [4.5]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_copies_and_order_of_rows_change_nothing(kind: dict[str, Any]) -> None:
    X, y = table(300)
    weight = np.random.default_rng(2).integers(1, 4, len(y))
    times = np.repeat(np.arange(len(y)), weight)
    rows = np.random.default_rng(3).permutation(times)
    tree = DecisionTreeRegressor(max_depth=5, **kind)
    once = tree.fit(X, y, sample_weight=weight).tree_.digest()
    for jobs in (1, 2):
        tree.set_params(n_jobs=jobs)
        assert tree.fit(X.iloc[rows], y[rows]).tree_.digest() == once


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_file_keeps_what_leaves_say(kind: dict[str, Any], tmp_path: Any) -> None:
    X, y = table()
    model = DecisionTreeRegressor(max_depth=4, **kind).fit(X, y).model_
    for name in ("m.json", "m.bosco"):
        model.save(tmp_path / name)
        again: Any = bosco.load(tmp_path / name)
        assert again.growth == model.growth
        assert again.growth.quantile == share_of(kind)
        assert (again.predict(X) == model.predict(X)).all()
        assert str(again) == str(model)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ({"criterion": "absolute_error"}, "median"),
        ({"criterion": "quantile", "quantile": 0.9}, "0.9 quantile"),
    ],
)
def test_words(kind: dict[str, Any], word: str) -> None:
    X, y = table()
    model = DecisionTreeRegressor(max_depth=2, **kind).fit(X, y).model_
    root = float(model.tree.native.value[0, 0])
    assert f"500 rows, {word} {root:.4g}" in str(model)
    assert f"the {word} of " in str(model.explain(X.iloc[0]))
    assert f"rows, {word} " in str(model.trace())
    assert f"{word} " in str(model.to_dot())
    assert f"whose {word} is" in str(model.report(X, y))
    for text in (model.to_python(), model.to_c(), model.to_javascript()):
        assert f"{word} of the training rows of the leaf" in text
    for text in (str(model), str(model.explain(X.iloc[0])), str(model.trace()), model.to_dot()):
        assert "mean" not in str(text)
    weighted = DecisionTreeRegressor(max_depth=2, **kind).fit(X, y, sample_weight=y - y.min() + 1)
    assert f"weighted {word}" in str(weighted.model_)


def test_leaves_tell_the_mean_of_their_rows_apart() -> None:
    X, y = table()
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=2).fit(X, y).model_
    leaf = model.apply(X)
    for one in model.leaves():
        here = y[leaf == one.node]
        assert one.prediction == pytest.approx(np.median(here))
        assert one.values[0] == pytest.approx(here.mean())
        assert (one.low[0], one.high[0]) == (-np.inf, np.inf)
    assert "±" not in str(model.svg())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_pruning_counts_the_same_loss(kind: dict[str, Any]) -> None:
    X, y = table(800)
    other, truth = table(400, seed=7)
    weight = np.random.default_rng(5).uniform(0.5, 3, len(truth))
    grown = DecisionTreeRegressor(max_depth=6, **kind).fit(X, y).model_
    found = grown.sweep(other, truth)
    assert found.validation is not None
    assert found.training[0] == pytest.approx(loss(y, grown.predict(X), kind).mean())
    assert found.validation[0] == pytest.approx(loss(truth, grown.predict(other), kind).mean())
    root = float(grown.tree.native.value[0, 0])
    assert found.validation[-1] == pytest.approx(loss(truth, root, kind).mean())
    held = grown.subject().held_out(other, truth, weight)
    assert held.errors[0] == pytest.approx(weight @ loss(truth, root, kind))
    words = "absolute error" if kind["criterion"] == "absolute_error" else "quantile loss"
    for policy in (GeneralizationError(4), ReducedError(validation=(other, truth))):
        pruned = grown.prune(policy)
        assert 1 < pruned.n_leaves < grown.n_leaves
        assert words in str(pruned.pruning_log())
        nodes = pruned.tree.native
        assert loss(y, pruned.predict(X), kind).sum() == pytest.approx(
            float(nodes.impurity[nodes.test < 0] @ nodes.tally[nodes.test < 0, 0])
        )
    by_folds = DecisionTreeRegressor(pruning=CostComplexity(cv=3), **kind)
    assert 1 < by_folds.fit(X, y).get_n_leaves() < 200
    with pytest.raises(ParameterError, match="compares variances"):
        grown.prune(CriticalValue())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"missing": "fractional"}, "Use missing='learn', 'branch' or 'majority'"),
        ({"missing": "surrogate"}, "Use missing='learn', 'branch' or 'majority'"),
        ({"numeric_test": "intervals"}, "Use numeric_test='threshold'"),
        ({"numeric_test": "pairs"}, "Use numeric_test='threshold'"),
        ({"nominal_test": "group"}, "Use nominal_test='subset'"),
        ({"monotonic_cst": {"b": 1}}, "monotonic_cst does not hold"),
        ({"algorithm": "optimal"}, "is another measure"),
        ({"lookahead": 2}, "of numbers there are none"),
        ({"polish": True}, "of numbers there are none"),
    ],
)
def test_what_medians_do_not_go_with(settings: dict[str, Any], message: str) -> None:
    X, y = table(60)
    with pytest.raises(ParameterError, match=message):
        DecisionTreeRegressor(criterion="absolute_error", **settings).fit(X, y)


def test_what_needs_sums_is_refused() -> None:
    X, y = table(100)
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=2)
    with pytest.raises(ParameterError, match="A draft counts every node again"):
        bosco.draft(tree, X, y)
    with pytest.raises(ParameterError, match="are not made again from rows"):
        tree.fit(X, y).model_.trace(X, y)
    with pytest.raises(ParameterError, match=r"quantile=0.9 is what leaves say by"):
        DecisionTreeRegressor(quantile=0.9).fit(X, y)
    with pytest.raises(ParameterError, match=r"by six digits. Got 1e-08"):
        DecisionTreeRegressor(criterion="quantile", quantile=1e-8).fit(X, y)
    with pytest.raises(ParameterError, match="'quantile' parameter"):
        DecisionTreeRegressor(criterion="quantile", quantile=1.0).fit(X, y)
