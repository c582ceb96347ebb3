"""What other tests than the best are worth: held to what proposals say, and to plain arithmetic."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, _core
from bosco.data.frame import Frame
from bosco.data.readers import read_table
from bosco.data.target import encode_labels, encode_values

POLICIES = ["learn", "fractional", "branch", "majority", "surrogate"]


def table(seed: int, n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 9, n).astype(float),
            "b": rng.normal(size=n),
            "c": list("xyzu") * (n // 4),
        }
    )
    for name in X:
        X.loc[rng.random(n) < 0.15, name] = None
    return X


def opened(clf: Any, X: pd.DataFrame, y: Any, weight: Any) -> tuple[Any, Any, list[Any]]:
    """The root of a fitted tree as the verbs see it: task, node, the table of each column."""
    model = clf.fit(X, y, sample_weight=weight).model_
    shared = model.growth.on_missing.shared
    encode = encode_values if model.classes is None else encode_labels
    more = () if model.classes is None else (None,)
    target = encode(y, weight, *more, shared)
    frame = Frame.read(read_table(X), model.schema, refuse_missing=False, owner="test").native
    frame.encode(1)
    unit = 2**_core.share_bits if shared else 1
    rows = _core.Rows(frame, target.native, unit)
    tally, squares = rows.hold(0)
    total = int(tally[: max(1, target.n_classes)].sum())
    task = _core.Task(model.growth.to_dict(), target.native, unit, total)
    cells, _ = rows.tabulate([0])
    begin = np.concatenate([[0], np.cumsum([frame.n_codes(j) + 1 for j in range(3)])])
    tables = []
    for j in range(3):
        here = cells[begin[j] : begin[j + 1]]
        codes = np.flatnonzero(here[1:].any(axis=1)).astype(np.uint32) + 1
        values = frame.values(j)[codes - 1] if len(frame.values(j)) else None
        tables.append((codes, here[codes], here[0].copy(), values, frame.n_codes(j)))
    return task, _core.Node(task, tally, squares, []), tables


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "sqrt", "squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_curve_and_weigh_agree_with_the_proposal(
    policy: str, criterion: str, weighted: bool
) -> None:
    for seed in range(4):
        rng = np.random.default_rng(100 + seed)
        X = table(seed)
        signal = X["b"].fillna(0) + X["a"].fillna(9) / 4 + rng.normal(size=len(X))
        weight = rng.integers(1, 4, len(X)) if weighted else None
        settings: dict[str, Any] = {"missing": policy, "min_samples_leaf": 3}
        if criterion in ("squared_error", "poisson"):
            reg = DecisionTreeRegressor(criterion=criterion, **settings)
            task, node, tables = opened(reg, X, signal.abs().to_numpy(), weight)
        else:
            y = np.digitize(signal, [1, 2])
            clf = DecisionTreeClassifier(criterion=criterion, **settings)
            task, node, tables = opened(clf, X, y, weight)
        for j, made in enumerate(tables):
            best = node.propose(j, made)
            figures, branches, allowed = node.weigh(made, task.test(best))
            assert allowed
            assert (figures.decrease, figures.split_info) == (best.decrease, best.split_info)
            rows = made[1].sum(axis=0) + (policy not in ("fractional", "surrogate")) * made[2]
            assert (branches.sum(axis=0) == rows).all()
            if made[3] is None:
                continue
            low, high, cut, decrease, info, may, _, left = node.curve(j, made)
            assert (low == made[3][:-1]).all()
            assert (high == made[3][1:]).all()
            if len(task.test(best).thresholds) == 1 and np.isfinite(task.test(best).thresholds[0]):
                at = int(np.argmax(np.where(may.astype(bool), decrease, -np.inf)))
                assert decrease[at] == best.decrease
                assert info[at] == best.split_info
                assert cut[at] == task.test(best).thresholds[0]
                assert low[at] <= cut[at] < high[at]
            known = made[1].cumsum(axis=0)[:-1]
            assert ((left == known) | (left == known + made[2])).all()


@pytest.mark.parametrize("score", ["gain", "gain_ratio"])
def test_of_many_cuts_the_best_of_each_stretch_is_kept(score: str) -> None:
    X = table(5)
    X["a"] += np.linspace(0, 0.5, len(X)).round(2)  # more values
    y = (X["a"].rank() + np.random.default_rng(5).normal(size=len(X)) * 30 > 40).to_numpy()
    clf = DecisionTreeClassifier(min_samples_leaf=20, score=score)
    _, node, tables = opened(clf, X, y, None)
    every = node.curve(0, tables[0])
    n = len(every[0])
    decrease, info, may = every[3], every[4], every[5].astype(bool)
    assert not may.all()
    assert (info > 0).all()
    worth = decrease if score == "gain" else decrease / info
    worth = np.where(may, worth, worth - 1e6)
    for most in (1, 5, 7, n - 1, n, n + 1, 0):
        kept = most if 0 < most < n else n
        stretch = np.arange(n) * kept // n
        best = [
            int(np.flatnonzero(stretch == k)[np.argmax(worth[stretch == k])]) for k in range(kept)
        ]
        for part, whole in zip(node.curve(0, tables[0], most), every, strict=True):
            assert part.tolist() == whole[best].tolist()


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("policy", ["learn", "branch", "majority"])
def test_one_split_needs_no_order_below_it(policy: str, classes: int) -> None:
    """Columns that are sorted one by one, by each thread, give what counting and sorting give."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(9000, 6))
    X[:, 2] = X[:, 2].round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    signal = np.nan_to_num(X[:, 1]) * 2 + np.nan_to_num(X[:, 2]) + rng.normal(size=len(X))
    if classes:
        est: Any = DecisionTreeClassifier(missing=policy)
        y, encode, more = (
            np.digitize(signal, range(classes - 1)),
            encode_labels,
            (None, None, False),
        )
    else:
        est, y = DecisionTreeRegressor(missing=policy), signal
        encode, more = encode_values, (None, False)
    model = est.fit(X[:50], y[:50]).model_
    frame = Frame.read(read_table(X), model.schema, refuse_missing=False, owner="test").native
    frame.encode(1)
    target = encode(y, *more).native
    growth = {**model.growth.to_dict(), "record": True, "max_depth": 1}
    found = [
        _core.grow(frame, target, growth | {"small_rows": n, "parallel_rows": 1}, threads).state()
        for n, threads in ((1 << 20, 1), (0, 1), (0, 3), (2000, 1), (2000, 3))
    ]
    assert len(found[0]["candidate_gain"]) == 6
    assert {repr(one) for one in found} == {repr(found[0])}


def test_a_curve_by_hand() -> None:
    """Entropy of ten rows, three of them of the second class, cut after four and after seven."""
    X = pd.DataFrame({"a": [1.0] * 4 + [2.0] * 3 + [4.0] * 3, "b": 0.0, "c": "x"})
    y = ["no"] * 7 + ["yes"] * 3
    clf = DecisionTreeClassifier(criterion="entropy", domains={"c": ["x", "y"]})
    _, node, tables = opened(clf, X, y, None)
    _, _, cut, decrease, info, allowed, _, left = node.curve(0, tables[0])
    assert cut.tolist() == [1.5, 3.0]
    assert decrease / 10 == pytest.approx([0.8812909 - 0.6, 0.8812909])
    assert info == pytest.approx([0.9709506, 0.8812909])
    assert allowed.all()
    assert left.tolist() == [[4, 0], [7, 0]]


def test_tests_that_do_not_fit_are_refused() -> None:
    X, y = table(0), np.arange(80) % 2
    task, node, tables = opened(DecisionTreeClassifier(), X, y, None)
    cut = task.test(node.propose(0, tables[0]))
    with pytest.raises(_core.CoreError, match="does not fit"):
        node.weigh(tables[2], cut)
    with pytest.raises(_core.CoreError, match="only ordered columns"):
        node.curve(2, tables[2])
