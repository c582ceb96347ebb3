"""Rows in parts: whatever the parts, the model's file is that of one table."""

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.data.readers import read_table
from bosco.errors import DataError, ParameterError
from bosco.scale.part import Part, Rows
from bosco.scale.parts import fit_parts
from bosco.scale.source import Here

N = 900


def table(seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Numbers of many and of few values, text, truth values, missing ones; and a signal."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "many": rng.normal(size=N),
            "few": rng.integers(0, 10, N),
            "text": rng.choice(list("xyzuv"), N),
            "tenths": rng.normal(size=N).round(1),
            "true": rng.random(N) > 0.5,
        }
    )
    signal = X["many"] + X["few"] / 5 + (X["text"] == "x") * 2 + rng.normal(size=N)
    X.loc[rng.random(N) < 0.1, "many"] = np.nan
    X.loc[rng.random(N) < 0.05, "text"] = None
    return X, signal.to_numpy()


class Sent(Here):
    """Parts in this process, but what they are told and what they say is sent as to a cluster."""

    def ask(self, steps: Any, request: str, *args: Any) -> list[Any]:
        sent = pickle.loads(pickle.dumps((list(steps), args)))
        said: list[Any] = pickle.loads(pickle.dumps(super().ask(sent[0], request, *sent[1])))
        return said


def parted(X: Any, y: Any, weight: Any, part_of: Any) -> Here:
    """An engine of parts in this process; a part may have no rows."""

    def reader(k: int) -> Callable[[], Rows]:
        here = part_of == k
        if not here.any():
            return lambda: Rows(None, None)
        own = None if weight is None else weight[here]
        return lambda: Rows(read_table(X[here]), y[here], own)

    return Sent([Part(reader(k)) for k in range(int(part_of.max()) + 2)])  # the last is empty


def file_of(model: Any, folder: Path) -> bytes:
    place = folder / "model.json"
    model.save(place)
    return place.read_bytes()


def fitted(estimator: Any, *data: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*data, **more)


def partings(y: Any, rng: Any) -> list[Any]:
    """One part; three and fifty at random; sorted by the target."""
    order = np.empty(N, np.int64)
    order[np.argsort(y, kind="stable")] = np.arange(N)
    return [np.zeros(N, int), rng.integers(0, 3, N), rng.integers(0, 50, N), order * 5 // N]


ALGORITHMS = ["cart", "id3", "c45", "hunt", "best_first", "stump"]
POLICIES = ["learn", "fractional", "surrogate", "branch", "majority"]
TWO_BRANCHES = ["cart", "hunt", "best_first"]  # whose tests can have stand-ins


@pytest.mark.parametrize(
    ("algorithm", "missing"),
    [(a, m) for a in ALGORITHMS for m in POLICIES if m != "surrogate" or a in TWO_BRANCHES],
)
def test_the_file_is_the_same_for_any_parts(algorithm: str, missing: str, tmp_path: Path) -> None:
    X, signal = table()
    rng = np.random.default_rng(1)
    labels = np.select([signal > 1.5, signal < 0], ["high", "low"], "middle")
    settings = {"algorithm": algorithm, "missing": missing, "max_depth": 4, "pruning": "none"}
    cases: list[tuple[Any, Any, Any]] = [
        (DecisionTreeClassifier(**settings), labels, None),
        (DecisionTreeClassifier(**settings, class_weight="balanced"), labels, None),
        (DecisionTreeClassifier(**settings), labels, rng.integers(0, 3, N)),
        (DecisionTreeClassifier(**settings, weights="copies"), labels, rng.integers(0, 3, N)),
        (DecisionTreeRegressor(**settings), signal, None),
        (DecisionTreeRegressor(**settings), signal, rng.random(N)),
    ]
    done = 0
    for estimator, y, weight in cases:
        try:
            whole = fitted(clone(estimator), X, y, sample_weight=weight)
        except ValueError:
            continue  # these settings do not go together
        want = file_of(whole.model_, tmp_path)
        for part_of in partings(y, rng):
            made = fit_parts(clone(estimator), parted(X, y, weight, part_of))
            assert file_of(made.model_, tmp_path) == want, (estimator, int(part_of.max()) + 1)
            done += 1
    assert done >= 4


@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 7},
        {"max_leaf_nodes": 6, "order": "breadth"},
        {"algorithm": "best_first", "max_leaf_nodes": 9},
        {"max_features": 2, "random_state": 3},
        {"min_samples_leaf": 20, "min_impurity_decrease": 0.003},
        {"ccp_alpha": 0.004},
        {"monotonic_cst": {"many": 1}, "class_weight": {"high": 2.5}},
        {"class_weight": {"high": 0, "low": 0.3}},
        {"record": True, "max_depth": 3},
        {"criterion": "entropy", "score": "gain_ratio", "numeric_test": "intervals"},
        {"splitter": "random", "random_state": 1, "max_depth": 5},
    ],
)
def test_settings_hold_over_parts(settings: dict[str, Any], tmp_path: Path) -> None:
    X, signal = table(2)
    y = np.where(signal > 1, "high", "low")
    rng = np.random.default_rng(0)
    estimator = DecisionTreeClassifier(**{"max_depth": 6} | settings)
    want = file_of(fitted(clone(estimator), X, y).model_, tmp_path)
    for part_of in partings(signal, rng):
        made = fit_parts(clone(estimator), parted(X, y, None, part_of))
        assert file_of(made.model_, tmp_path) == want


def test_two_rounds_a_level() -> None:
    """What is asked of parts is counted, and so is what they say."""
    X, signal = table()
    y = np.where(signal > 1, "high", "low")
    for depth in (2, 5):
        estimator = DecisionTreeClassifier(max_depth=depth, record=False)
        engine = parted(X, y, None, np.arange(N) % 3)
        asked: list[str] = []
        ask = engine.ask
        engine.ask = lambda steps, request, *args, a=asked, f=ask: (  # type: ignore[method-assign]
            a.append(request) or f(steps, request, *args)
        )
        fit_parts(estimator, engine)
        assert asked.count("count") == depth + 1
        assert asked.count("look") <= depth + 1


def test_parts_that_do_not_go_together_are_named() -> None:
    def of(**columns: Any) -> Part:
        frame = pd.DataFrame(columns)
        return Part(lambda: Rows(read_table(frame), np.array([0, 1] * (len(frame) // 2))))

    estimator = DecisionTreeClassifier()
    for second, said in (
        (of(a=[1.0, 2.0], b=["x", "y"]), "part 2 has other columns than part 1: .'b'"),
        (of(a=["x", "y"]), "part 2, column 'a': it holds levels .text., but numbers in the parts"),
    ):
        with pytest.raises(DataError, match=said):
            fit_parts(estimator, Here([of(a=[1.0, 2.0]), second]))
    none = of(a=[None, None])  # of no kind
    text = fit_parts(clone(estimator), Here([none, of(a=["x", "y"]), of(a=["z", "x"])]))
    assert text.model_.schema.columns[0].levels == ("x", "y", "z")
    order = fit_parts(
        clone(estimator), Here([of(a=[1.0, 2.0], b=[1, 2]), of(b=[3, 4], a=[5.0, 6.0])])
    )
    assert order.model_.schema.names == ("a", "b")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"algorithm": "c45"}, "Pessimistic.* goes back to the rows"),
        ({"pruning": "reduced_error"}, "ReducedError.* goes back to the rows"),
        ({"pruning": "cost_complexity"}, "CostComplexity.* goes back to the rows"),
    ],
)
def test_pruning_that_needs_rows_is_refused(settings: dict[str, Any], said: str) -> None:
    X, signal = table()
    with pytest.raises(ParameterError, match=said):
        fit_parts(DecisionTreeClassifier(**settings), parted(X, signal > 1, None, np.zeros(N, int)))
