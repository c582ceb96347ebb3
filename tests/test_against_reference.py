"""The core grows the trees of ``docs/growing.md``: node by node those of the reference.

Every table is tiny, so coarse codes and refinement are forced by a small ``max_bins``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import grow, route, same_tree
from tests.strategies import (
    CLASSIFICATION,
    MISSING,
    NOMINAL_TESTS,
    NUMERIC_TESTS,
    ORDERS,
    REGRESSION,
    SCORES,
    THRESHOLDS,
    Problem,
    askings,
    examples,
    problems,
)

core = pytest.importorskip("bosco._core")

FEW = examples(25)
SOME = examples(100)


# The ways of counting the core chooses between by size, each forced on every table.
WAYS: dict[str, dict[str, Any]] = {
    "bins, bounds and refinement": {"small_rows": 0},
    "each node sorted": {"presort": False},
    "sorted once": {},
    "bins above, sorted below": {"small_rows": 7},
}


def native(problem: Problem, frame: Any, n_threads: int = 1, **way: Any) -> Any:
    """The core's tree."""
    return core.grow(frame, problem.native_target(core), problem.growth | way, n_threads)


def compare(problem: Problem, max_bins: int | None = None, n_threads: int = 1) -> None:
    """Fail with the first difference between the two trees of a problem."""
    expected = grow(problem.reference_columns(), problem.target, problem.growth)
    for name, way in WAYS.items():
        found = native(problem, problem.native_frame(core, max_bins), n_threads, **way)
        difference = same_tree(found, expected)
        assert not difference, f"{name}: {difference}"


Test = Callable[[str, st.DataObject], None]


def each(name: str, values: tuple[str, ...]) -> Callable[[Test], Test]:
    """Run a test with random problems for each value of a setting."""

    def decorate(test: Test) -> Test:
        random: Test = FEW(given(data=st.data())(test))
        return pytest.mark.parametrize(name, values)(random)

    return decorate


@given(problems())
@SOME
def test_any_settings(problem: Problem) -> None:
    compare(problem)


def legal(tests: tuple[str, ...], binary: set[str]) -> list[tuple[str, str]]:
    """Tests with the policies for missing values that go with them: surrogates are binary."""
    pairs = product(tests, MISSING)
    return [(test, policy) for test, policy in pairs if policy != "surrogate" or test in binary]


@pytest.mark.parametrize(("numeric_test", "missing"), legal(NUMERIC_TESTS, {"threshold"}))
@given(data=st.data())
@FEW
def test_numeric_columns(numeric_test: str, missing: str, data: st.DataObject) -> None:
    kinds = ("numeric", "ordinal")
    fixed: dict[str, Any] = {"numeric_test": numeric_test, "missing": missing, "splitter": "best"}
    compare(data.draw(problems(kinds=kinds, **fixed)))


@pytest.mark.parametrize(
    ("nominal_test", "missing"), legal(NOMINAL_TESTS, {"subset", "one_vs_rest"})
)
@given(data=st.data())
@FEW
def test_nominal_columns(nominal_test: str, missing: str, data: st.DataObject) -> None:
    fixed: dict[str, Any] = {"nominal_test": nominal_test, "missing": missing, "splitter": "best"}
    compare(data.draw(problems(kinds=("nominal",), **fixed)))


@pytest.mark.parametrize(("criterion", "score"), [*product(CLASSIFICATION, SCORES)])
@given(data=st.data())
@FEW
def test_scores(criterion: str, score: str, data: st.DataObject) -> None:
    fixed: dict[str, Any] = {"criterion": criterion, "score": score}
    compare(data.draw(problems(n_classes=(2, 3, 5), **fixed)))


@pytest.mark.parametrize("score", SCORES)
@given(data=st.data())
@SOME
def test_prices(score: str, data: st.DataObject) -> None:
    """Gains are weighed against prices alike, whatever counts the rows."""
    problem = data.draw(problems(score=score))
    asking = data.draw(askings(len(problem.columns)))
    compare(replace(problem, growth=problem.growth | {"asking": asking}))


@each("criterion", CLASSIFICATION)
def test_many_classes(criterion: str, data: st.DataObject) -> None:
    """Nodes number their own classes, and read thresholds off the rows instead of a table."""
    compare(data.draw(problems(n_classes=(65, 130), criterion=criterion)))


@each("missing", ("learn", "majority", "branch", "error"))
def test_thresholds_of_many_classes(missing: str, data: st.DataObject) -> None:
    plain: dict[str, Any] = {"splitter": "best", "numeric_test": "threshold", "missing": missing}
    criterion = data.draw(st.sampled_from(["gini", "gini", "entropy", "error"]))
    kinds = ("numeric", "ordinal")
    compare(data.draw(problems(kinds=kinds, n_classes=(65,), criterion=criterion, **plain)))


@pytest.mark.parametrize(("criterion", "score"), [*product(REGRESSION, SCORES)])
@given(data=st.data())
@FEW
def test_regression(criterion: str, score: str, data: st.DataObject) -> None:
    compare(data.draw(problems(n_classes=(0,), criterion=criterion, score=score)))


@given(problems(kinds=("numeric",), n_classes=(0,), criterion="poisson", missing="learn"))
@SOME
def test_counts(problem: Problem) -> None:
    """Bounds of bins, quick scans and tables choose alike by Poisson's deviance."""
    compare(problem)


@each("order", ORDERS)
def test_orders(order: str, data: st.DataObject) -> None:
    compare(data.draw(problems(order=order)))


@each("order", ORDERS)
def test_leaf_limit(order: str, data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, 8))
    compare(data.draw(problems(order=order, max_leaf_nodes=limit)))


@each("threshold", THRESHOLDS)
def test_thresholds(threshold: str, data: st.DataObject) -> None:
    compare(data.draw(problems(kinds=("numeric", "ordinal"), threshold=threshold)))


@given(problems(penalty=True))
@FEW
def test_penalty(problem: Problem) -> None:
    compare(problem)


@given(problems(reuse=False, zero_gain=True))
@FEW
def test_columns_used_once(problem: Problem) -> None:
    compare(problem)


@given(problems(splitter="random"))
@SOME
def test_random_tests(problem: Problem) -> None:
    compare(problem)


@given(problems(max_features=1))
@FEW
def test_random_columns(problem: Problem) -> None:
    compare(problem)


@given(problems(n_classes=(0, 2), numeric_test="threshold"), st.data())
@SOME
def test_monotone(problem: Problem, data: st.DataObject) -> None:
    signs = [
        0 if column.kind == "nominal" else data.draw(st.sampled_from([-1, 0, 1]))
        for column in problem.columns
    ]
    policy = data.draw(st.sampled_from(["learn", "branch", "majority"]))
    growth = problem.growth | {"monotonic": signs, "missing": policy}
    compare(replace(problem, growth=growth))


@given(problems(kinds=("numeric",), max_rows=60, numeric_test="threshold", splitter="best"))
@SOME
def test_coarse_edges_change_nothing(problem: Problem) -> None:
    for max_bins in (2, 3, 4, 7, 255):
        compare(problem, max_bins=max_bins)


@given(problems(max_rows=60))
@FEW
def test_threads_change_nothing(problem: Problem) -> None:
    compare(problem, n_threads=2)


@given(problems())
@SOME
def test_rows_reach_the_same_leaves(problem: Problem) -> None:
    columns = problem.reference_columns()
    frame = problem.native_frame(core)
    found = native(problem, frame)
    expected = grow(columns, problem.target, problem.growth)
    assert same_tree(found, expected) == ""
    assert core.route(found, frame, 1).tolist() == route(expected, columns)


@given(problems())
@SOME
def test_counting_again_gives_the_same_counts(problem: Problem) -> None:
    frame = problem.native_frame(core)
    found = native(problem, frame)
    tally, count = core.tallies(found, frame, problem.native_target(core))
    assert np.array_equal(tally, found.tally)
    assert np.array_equal(count, found.count)
