"""Rows that go to one place to be finished, bins that are cut again: the grower's tree, still."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import _core
from tests.parts import finishing_grower_of, grower_of, tree_of
from tests.strategies import Problem, examples, growth, problems
from tests.test_verbs import frame_of, large, same_arrays, split_up


@examples(250)
@given(
    problems(n_classes=(0, 2, 3, 5, 70), numeric_test="threshold", splitter="best", penalty=False),
    st.integers(1, 3),
    st.sampled_from([0, 1, 3]),
)
def test_bins_that_are_cut_again_hide_nothing(problem: Problem, n: int, crowd: int) -> None:
    """However few rows a bin must have to be cut, and cut again, before it is looked into."""
    frame, goal = problem.native_frame(_core, 3), problem.native_target(_core)
    tree = _core.grow(frame, goal, problem.growth, 1)
    parts = [part for part in split_up(problem, n, crowd) if len(part.target.weight)]
    frames = [frame_of(part, frame) for part in parts]
    goals = [part.native_target(_core) for part in parts]
    unit = _core.sample_unit(frame, problem.growth)
    k = problem.target.n_classes
    grower = grower_of(frames, goals, k, problem.growth, unit, crowd=crowd)
    same_arrays(tree_of(grower), tree)


@examples(250)
@given(
    problems(n_classes=(0, 2, 3, 5, 70), max_leaf_nodes=-1),
    st.integers(1, 4),
    st.integers(0, 9),
    st.sampled_from([3, 8, 20, 50]),
)
def test_small_nodes_finished_in_one_place_change_nothing(
    problem: Problem, n: int, seed: int, small: int
) -> None:
    """Whole rows go where the rest of the tree is grown from them, and it is grafted."""
    same_when_finished(problem, n, seed, small)


NUMBERS: dict[str, Any] = {
    "kinds": ("numeric",),
    "n_classes": (0, 2),
    "max_leaf_nodes": -1,
    "order": "depth",
}


def rising(problem: Problem) -> Problem:
    """The same problem, its prediction rising with every column."""
    return replace(problem, growth=problem.growth | {"monotonic": [1] * len(problem.columns)})


@examples(100)
@given(problems(missing="fractional", **NUMBERS), st.integers(1, 4), st.sampled_from([3, 8]))
def test_small_nodes_keep_their_shares(problem: Problem, n: int, small: int) -> None:
    """Also where no value of the node itself is missing."""
    same_when_finished(problem, n, 1, small)


@examples(400)
@given(
    problems(missing="learn", numeric_test="threshold", monotonic=[], record=False, **NUMBERS).map(
        rising
    ),
    st.integers(1, 2),
    st.sampled_from([3, 8]),
)
def test_small_nodes_keep_their_bounds(problem: Problem, n: int, small: int) -> None:
    """Which the nodes above have set, not their own rows."""
    same_when_finished(problem, n, 1, small)


def same_when_finished(problem: Problem, n: int, seed: int, small: int) -> None:
    frame, goal = problem.native_frame(_core), problem.native_target(_core)
    tree = _core.grow(frame, goal, problem.growth, 1)
    parts = [part for part in split_up(problem, n, seed) if len(part.target.weight)]
    unit = _core.sample_unit(frame, problem.growth)
    grower = finishing_grower_of(parts, [frame_of(part, frame) for part in parts], unit, small)
    same_arrays(tree_of(grower), tree)


@pytest.mark.parametrize("kind", ["two", "three", "weighted", "real", "shared"])
def test_bins_of_many_values_are_cut_again(kind: str) -> None:
    """Less is looked into, and enough."""
    frame, goal, settings, k = large(kind)
    settings = settings | {"max_depth": 3}
    frame.encode(1, 3)
    tree = _core.grow(frame, goal, settings, 1)
    unit = _core.sample_unit(frame, settings)
    rows = [np.flatnonzero(np.arange(frame.n_rows) % 3 == p) for p in range(3)]
    looked = []
    for crowd in (10**9, 2):
        grower = grower_of([frame] * 3, [goal] * 3, k, settings, unit, rows, crowd=crowd)
        same_arrays(tree_of(grower), tree)
        looked.append(grower.source.looked_into)
    assert looked[1] < looked[0] / 2


def test_pieces_of_a_bin_may_all_hold_rows() -> None:
    """Values that lie evenly, so that no piece is empty, between others on either side."""
    n = 3000
    frame = _core.Frame(n)
    frame.add_numeric(np.linspace(1, 2, n, endpoint=False))
    frame.encode(1, 3)
    classes = np.random.default_rng(0).integers(0, 2, n).astype(np.uint32)
    goal, settings = _core.Target.classes(classes, 2, None, None), growth(max_depth=1)
    grower = grower_of([frame], [goal], 2, settings, 1, crowd=2)
    same_arrays(tree_of(grower), _core.grow(frame, goal, settings, 1))
