"""`stability`: which questions come back, against counting by hand."""

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as Peer

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ParameterError, stability
from bosco.datasets import golf, play_tennis
from bosco.judge.splits import key

WINE = load_wine(return_X_y=True, as_frame=True)


def test_root_and_threshold_by_hand() -> None:
    X, y = (np.asarray(part) for part in WINE)
    found = stability(DecisionTreeClassifier(max_depth=2), X, y, repeats=40)
    reference = DecisionTreeClassifier(max_depth=2).fit(X, y)
    column, cut = reference.tree_.feature[0], reference.tree_.threshold[0]
    q1, q3 = np.quantile(X[:, column], [0.25, 0.75])
    columns, cuts, leaves, agree = [], [], [], []
    for repeat in range(1, 41):
        rows = np.random.default_rng(key(0, repeat)).integers(178, size=178)
        again = DecisionTreeClassifier(max_depth=2).fit(X[rows], y[rows])
        columns.append(again.tree_.feature[0])
        cuts.append(again.tree_.threshold[0])
        leaves.append(again.get_n_leaves())
        agree.append((again.predict(X) == reference.predict(X)).mean())
    same = np.array(columns) == column
    near = np.abs(np.array(cuts) - cut) <= (q3 - q1) / 2
    root = found.nodes[0]
    assert root.reached == 1
    assert root.same_column == found.root_same == same.mean()
    assert root.same_question == (same & near).mean()
    assert root.thresholds == pytest.approx(np.quantile(np.array(cuts)[same], [0.25, 0.75]))
    assert found.leaves.tolist() == leaves
    assert found.agreement == pytest.approx(agree)
    assert found.roots[f"x{column}"] == same.mean()
    assert found.row_agreement.mean() == pytest.approx(np.mean(agree))


def test_a_clear_tree_is_stable() -> None:
    X = pd.DataFrame({"x": np.arange(200.0), "noise": np.random.default_rng(0).normal(size=200)})
    y = np.where(X["x"] < 100, "low", "high")
    found = stability(DecisionTreeClassifier(), X, y, repeats=30)
    assert [n.same_question for n in found.nodes] == [1.0]
    assert found.roots == {"x": 1.0}
    assert found.agreement.min() > 0.97


def test_shares_never_grow_down_the_tree() -> None:
    found = stability(DecisionTreeClassifier(), *WINE, repeats=50)
    by_node = {n.node: n for n in found.nodes}
    for n in found.nodes:
        assert 0 <= n.same_question <= n.same_column <= n.reached <= 1
        if n.node:
            parent = int(found.model.tree.native.parent[n.node])
            assert n.reached == by_node[parent].same_question


def test_levels_are_compared_by_name() -> None:
    found = stability(DecisionTreeClassifier(algorithm="id3"), *play_tennis(), repeats=100)
    assert found.nodes[0].question == "Outlook, one branch per value"
    assert found.nodes[0].same_question > 0.4
    assert np.isnan(found.nodes[0].thresholds[0])
    colours = pd.DataFrame({"c": ["red", "blue", "green", "grey"] * 30})
    label = colours["c"].isin(["red", "grey"])
    for nominal_test in ("subset", "multiway"):
        tree = DecisionTreeClassifier(nominal_test=nominal_test)
        assert stability(tree, colours, label, repeats=20).nodes[0].same_question == 1


@pytest.mark.parametrize("missing", ["learn", "fractional", "branch", "surrogate", "majority"])
def test_missing_values(missing: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    X[rng.random(X.shape) < 0.1] = np.nan
    tree = DecisionTreeClassifier(missing=missing, max_depth=2)
    found = stability(tree, X, y, repeats=20)
    assert found.nodes[0].same_question > 0.9


def test_ordered_levels_and_intervals() -> None:
    sizes = pd.Categorical(list("SMLX") * 40, categories=list("SMLX"), ordered=True)
    X = pd.DataFrame({"size": sizes, "z": np.random.default_rng(0).normal(size=160)})
    y = np.isin(sizes, ["S", "M"])
    found = stability(DecisionTreeClassifier(), X, y, repeats=20)
    assert found.nodes[0].same_question == 1
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = DecisionTreeClassifier(numeric_test="intervals", max_branches=3, max_depth=1)
    assert sum(stability(tree, X, y, repeats=20).roots.values()) == pytest.approx(1)


def test_a_real_target() -> None:
    X, y = load_diabetes(return_X_y=True)
    found = stability(DecisionTreeRegressor(max_depth=2), X, y, repeats=20)
    assert found.agreement.max() <= 1
    assert "R² against its predictions" in str(found)


def test_one_leaf() -> None:
    found = stability(DecisionTreeClassifier(min_samples_split=1000), *WINE, repeats=5)
    assert found.nodes == ()
    assert found.roots == {"(no test)": 1.0}
    assert found.root_same == 1
    assert str(found)


def test_pipelines_weights_and_jobs() -> None:
    X, y = WINE
    piped = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2))
    plain = DecisionTreeClassifier(max_depth=2)
    a, b = (stability(t, X, y, repeats=10, sample_weight=np.ones(178)) for t in (piped, plain))
    assert a.agreement.tolist() == b.agreement.tolist()
    two = stability(plain, X, y, repeats=10, n_jobs=2)
    assert two.to_dict() == stability(plain, X, y, repeats=10).to_dict()


def test_a_table_and_a_report() -> None:
    found = stability(DecisionTreeClassifier(algorithm="c45"), *golf(), repeats=10)
    assert len(pd.DataFrame(found.to_dict())) == len(found.nodes)
    for word in ("first question: ", "leaves: ", "same predictions: ", "same question"):
        assert word in str(found)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="trees of bosco's"):
        stability(Peer(), *WINE)
    for wrong in (0, 1.5, True):
        with pytest.raises(ParameterError, match="repeats must be"):
            stability(DecisionTreeClassifier(), *WINE, repeats=wrong)  # type: ignore[arg-type]


def test_ctrl_c_gives_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    fit = DecisionTreeClassifier.fit

    def interrupted(self: Any, *data: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) > 4:
            raise KeyboardInterrupt
        return fit(self, *data, **more)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", interrupted)
    found = stability(DecisionTreeClassifier(), *WINE, repeats=50)
    assert found.interrupted
    assert found.repeats == 3
    assert "INTERRUPTED: 3 of 50" in str(found)


def test_wine_takes_less_than_two_seconds() -> None:
    start = time.process_time()
    stability(DecisionTreeClassifier(), *WINE, repeats=200)
    assert time.process_time() - start < 2
