"""Medians and other quantiles: the trees of docs/growing.md, whatever the order and the threads."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import _core
from tests.reference import grow, same_tree
from tests.strategies import MEDIANS, Problem, examples, in_order, problems

SOME = examples(60)
PLAIN: dict[str, Any] = {"numeric_test": "threshold", "penalty": False, "monotonic": []}
POLICIES = ("learn", "branch", "majority", "error")


def compare(problem: Problem, n_threads: int = 1) -> Any:
    """Fail with the first difference from the reference."""
    expected = grow(problem.reference_columns(), problem.target, problem.growth)
    frame, target = problem.native_frame(_core), problem.native_target(_core)
    found = _core.grow(frame, target, problem.growth, n_threads)
    assert same_tree(found, expected) == ""
    return found


def drawn(data: st.DataObject, **fixed: Any) -> Problem:
    """A problem of medians, or of a quantile with few or many digits."""
    missing = fixed.pop("missing", None) or data.draw(st.sampled_from(POLICIES))
    criterion = data.draw(st.sampled_from(MEDIANS))
    share = data.draw(st.sampled_from([0.5, 0.9, 0.25, 0.1, 0.123457, 1 / 3]))
    nominal = fixed.pop("nominal_test", None) or data.draw(
        st.sampled_from(["subset", "one_vs_rest", "multiway"])
    )
    made = data.draw(
        problems(
            n_classes=(0,), criterion=criterion, missing=missing, nominal_test=nominal,
            **PLAIN, **fixed,
        )
    )  # fmt: skip
    return replace(made, growth=made.growth | {"quantile": share})


@given(data=st.data())
@SOME
def test_any_settings(data: st.DataObject) -> None:
    compare(drawn(data))


@pytest.mark.parametrize("missing", POLICIES)
@given(data=st.data())
@SOME
def test_numeric_columns(missing: str, data: st.DataObject) -> None:
    compare(drawn(data, missing=missing, kinds=("numeric", "ordinal"), splitter="best"))


@pytest.mark.parametrize("nominal_test", ["subset", "one_vs_rest", "multiway"])
@given(data=st.data())
@SOME
def test_nominal_columns(nominal_test: str, data: st.DataObject) -> None:
    compare(drawn(data, nominal_test=nominal_test, kinds=("nominal",), splitter="best"))


@given(data=st.data())
@SOME
def test_random_tests(data: st.DataObject) -> None:
    compare(drawn(data, splitter="random"))


@given(data=st.data())
@SOME
def test_leaf_limits_and_orders(data: st.DataObject) -> None:
    compare(drawn(data, max_leaf_nodes=data.draw(st.integers(2, 6))))


@given(data=st.data())
@SOME
def test_order_of_rows_and_threads_change_nothing(data: st.DataObject) -> None:
    problem = drawn(data)
    found = compare(problem, 2)
    order = list(range(len(problem.target.weight)))
    Random(7).shuffle(order)
    again = in_order(problem, order)
    other = _core.grow(again.native_frame(_core), again.native_target(_core), again.growth, 1)
    for name in ("tally", "value", "impurity", "gain", "first_child", "test"):
        assert np.array_equal(getattr(found, name), getattr(other, name)), name


def test_threads_share_large_nodes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 6))
    X[rng.random(X.shape) < 0.05] = math.nan
    frame = _core.Frame(len(X))
    for column in X.T:
        frame.add_numeric(np.ascontiguousarray(column))
    frame.encode(1, 255)
    y = rng.integers(-1000, 1000, len(X)) + 500 * (np.nan_to_num(X[:, 0]) > 0)
    target = _core.Target.real(y, None, None, loss="absolute")
    from tests.strategies import growth

    settings = growth(criterion="absolute_error", max_depth=6, record=False)
    one, two = (_core.grow(frame, target, settings, n) for n in (1, 2))
    assert one.n_nodes > 60
    for name in ("tally", "value", "impurity", "gain", "first_child"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
