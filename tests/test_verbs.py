"""The verbs of a growth one by one: tables of parts add up, and whole trees grown by nothing else
but the verbs, over any parts of the rows, are the grower's.

Over 400 lines, so that all verbs are held to the grower in one place.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import _core
from tests.parts import grower_of, tree_of
from tests.strategies import Problem, askings, examples, growth, in_order, problems


def split_up(problem: Problem, n: int, seed: int) -> list[Problem]:
    """The same rows in parts, some of which may be empty."""
    part_of = np.random.default_rng(seed).integers(0, n, len(problem.target.weight))
    return [in_order(problem, np.flatnonzero(part_of == k).tolist()) for k in range(n)]


def frame_of(problem: Problem, like: Any) -> Any:
    """The frame of a part, by the edges of the whole."""
    frame = _core.Frame(len(problem.target.weight))
    for column in problem.columns:
        if column.kind == "numeric":
            frame.add_numeric(np.array(column.numbers, dtype=np.float64))
        else:
            codes = np.array(column.codes, dtype=np.uint8)
            frame.add_coded(codes, column.n_codes, column.kind == "ordinal")
    edges = [(like.values(j), like.is_coarse(j)) for j in range(like.n_columns)]
    frame.encode(1, 255, edges)
    return frame


def same_arrays(a: Any, b: Any) -> None:
    state, other = a.state(), b.state()
    assert state.keys() == other.keys()
    for name, value in state.items():
        if isinstance(value, dict):
            assert {k: v.tolist() for k, v in value.items()} == {
                k: v.tolist() for k, v in other[name].items()
            }, name
        else:
            assert np.array_equal(value, other[name]), name


@examples(250)
@given(problems(n_classes=(0, 2, 3, 5, 70)), st.integers(1, 4), st.integers(0, 9), st.data())
def test_a_tree_grown_by_the_verbs_alone_is_the_growers(
    problem: Problem, n: int, seed: int, data: st.DataObject
) -> None:
    """Over any parts of the rows, whose tables are added up."""
    if data.draw(st.booleans()):
        prices = data.draw(askings(len(problem.columns)))
        problem = replace(problem, growth=problem.growth | {"asking": prices})
    frame, goal = problem.native_frame(_core), problem.native_target(_core)
    tree = _core.grow(frame, goal, problem.growth, 1)
    parts = [part for part in split_up(problem, n, seed) if len(part.target.weight)]
    frames = [frame_of(part, frame) for part in parts]
    goals = [part.native_target(_core) for part in parts]
    unit = _core.sample_unit(frame, problem.growth)
    grower = grower_of(frames, goals, problem.target.n_classes, problem.growth, unit)
    same_arrays(tree_of(grower), tree)


def large(kind: str) -> tuple[Any, Any, dict[str, Any], int]:
    """A frame whose columns are coarse, a target, and settings."""
    random = np.random.default_rng(3)
    n = 3000
    x = random.normal(size=(n, 4))
    x[random.random(n) < 0.1, 0] = np.nan
    level = random.integers(0, 12, n).astype(np.uint8)
    signal = np.nan_to_num(x[:, 0]) + x[:, 1] * x[:, 2] + (level % 3) + random.normal(size=n)
    frame = _core.Frame(n)
    frame.add_matrix(x)
    frame.add_coded(level, 11, False)
    weight = random.integers(1, 5, n).astype(np.int64) if kind == "weighted" else None
    if kind == "real":
        goal = _core.Target.real(np.round(100 * signal).astype(np.int64), None, None, scale=100.0)
        return frame, goal, growth(criterion="squared_error", max_depth=5), 0
    classes = np.digitize(signal, [-1, 1] if kind == "three" else [0]).astype(np.uint32)
    k = 3 if kind == "three" else 2
    goal = _core.Target.classes(classes, k, weight, None)
    changes: dict[str, Any] = {"missing": "fractional"} if kind == "shared" else {}
    return frame, goal, growth(max_depth=5, **changes), k


@pytest.mark.parametrize("kind", ["two", "three", "weighted", "real", "shared"])
def test_bounds_leave_out_nothing_that_wins(kind: str) -> None:
    """Many values a bin, of which few are looked into."""
    frame, goal, settings, k = large(kind)
    frame.encode(1)
    tree = _core.grow(frame, goal, settings, 1)
    unit = _core.sample_unit(frame, settings)
    part_of = np.random.default_rng(1).integers(0, 3, frame.n_rows)
    rows = [np.flatnonzero(part_of == p) for p in range(3)]
    grower = grower_of([frame] * 3, [goal] * 3, k, settings, unit, rows)
    same_arrays(tree_of(grower), tree)
    assert 0 < grower.source.looked_into < 0.1 * 5 * 4 * frame.n_rows


def rows_by_node(frame: Any, tree: Any) -> list[Any]:
    """The rows of every node of a tree in which each row has one way."""
    leaf = _core.route(tree, frame)
    rows: list[Any] = [leaf == i for i in range(tree.n_nodes)]
    for i in range(tree.n_nodes - 1, 0, -1):
        rows[tree.parent[i]] = rows[tree.parent[i]] | rows[i]
    return [np.flatnonzero(mask).astype(np.uint32) for mask in rows]


def standing(tree: Any, node: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Where a node stands, for a growth that begins there."""
    path: list[int] = []
    asked: list[tuple[int, int]] = []
    banned = np.zeros(int(tree.tests.column.max(initial=-1)) + 1, bool)
    up = node
    while up > 0:
        path.insert(0, up - int(tree.first_child[tree.parent[up]]))
        up = int(tree.parent[up])
        column = int(tree.tests.column[tree.test[up]])
        banned[column] = not settings["reuse"]
        tally = tree.tally[up]
        asked.insert(0, (column, int(tally.sum() if tree.n_classes else tally[0])))
    whole = int(tree.tally[0].sum() if tree.n_classes else tree.tally[0][0])
    return {"path": path, "weight": whole, "used": banned, "asked": asked}


@examples(150)
@given(problems(n_classes=(0, 2, 3, 70)), st.integers(0, 10**6), st.data())
def test_a_growth_from_any_node_grafted_back_is_the_whole_tree(
    problem: Problem, pick: int, data: st.DataObject
) -> None:
    """Cut a tree at a node, grow from there on its rows alone, graft: nothing has changed."""
    settings = problem.growth | {"max_leaf_nodes": -1}
    if data.draw(st.booleans()):
        settings |= {"asking": data.draw(askings(len(problem.columns)))}
    alone = settings["missing"] in ("fractional", "surrogate") or any(settings["monotonic"])
    frame, goal = problem.native_frame(_core), problem.native_target(_core)
    tree = _core.grow(frame, goal, settings, 1)
    node = 0 if alone else pick % tree.n_nodes
    rows = (
        rows_by_node(frame, tree)[node] if not alone else np.arange(frame.n_rows, dtype=np.uint32)
    )
    if not len(rows):
        return
    place = standing(tree, node, settings)
    banned = np.zeros(frame.n_columns, bool)
    banned[: len(place["used"])] = place["used"]
    weight = place["weight"] if node else None
    about = {"path": place["path"], "weight": weight, "banned": banned, "asked": place["asked"]}
    below = _core.grow(frame, goal, settings, 1, rows=rows, **about)
    cut = np.arange(tree.n_nodes) == node
    stump = _core.prune(tree, cut & (tree.test >= 0))
    again = _core.graft(
        stump, [int(_core.survivors(tree, cut & (tree.test >= 0))[node])], [below], settings
    )
    same_arrays(again, tree)


def forgotten(tree: Any) -> Any:
    """The same questions, and nothing of what the nodes held."""
    state = dict(tree.state())
    for name in ("tally", "count", "value", "impurity", "gain"):
        state[name] = np.zeros_like(state[name])
    state["known"] = np.ones_like(state["known"])
    return _core.tree_from_state(state)


@examples(250)
@given(problems(n_classes=(0, 2, 3, 5, 70)))
def test_a_tree_counted_again_on_its_own_rows_is_itself(problem: Problem) -> None:
    """Classes and numbers, weights, missing values of any policy, monotone bounds: bit for bit."""
    frame, goal = problem.native_frame(_core), problem.native_target(_core)
    tree = _core.grow(frame, goal, problem.growth, 1)
    same_arrays(_core.recount(forgotten(tree), frame, goal, problem.growth), tree)


@pytest.mark.parametrize("kind", ["three", "weighted", "real", "shared"])
def test_large_trees_are_counted_again_too(kind: str) -> None:
    """On any number of threads, as a whole or below some nodes only."""
    frame, goal, settings, _ = large(kind)
    frame.encode(1)
    tree = _core.grow(frame, goal, settings, 1)
    for threads in (1, 2):
        again = _core.recount(forgotten(tree), frame, goal, settings, None, threads)
        same_arrays(again, tree)
        below = np.isin(np.arange(tree.n_nodes), (3, 4))
        same_arrays(_core.recount(tree, frame, goal, settings, below, threads), tree)


def test_other_rows_give_other_numbers_to_the_same_questions() -> None:
    frame, goal, settings, _ = large("real")
    frame.encode(1)
    tree = _core.grow(frame, goal, settings, 1)
    n, half = frame.n_rows, frame.n_rows // 2
    x = np.random.default_rng(5).normal(size=(half, 4))
    y = np.round(100 * x[:, 1]).astype(np.int64)
    some = _core.Frame(half)
    some.add_matrix(x)
    some.add_coded(np.ones(half, np.uint8), 11, False)
    target = _core.Target.real(y, None, None, scale=100.0)
    again = _core.recount(tree, some, target, settings)
    tally, count = _core.tallies(tree, some, target, False)
    assert np.array_equal(again.tally, tally)
    assert np.array_equal(again.count, count)
    leaf = _core.route(tree, some)
    assert np.isclose(again.impurity[0], np.var(y / 100))
    for node in np.unique(leaf):
        own = y[leaf == node] / 100
        assert np.isclose(again.value[node, 0], own.mean(), atol=1e-12)
        assert np.isclose(again.impurity[node], own.var(), atol=1e-12)
    with pytest.raises(_core.CoreError, match="criterion"):
        _core.recount(tree, some, target, settings | {"criterion": "gini"})
    with pytest.raises(_core.CoreError, match="one entry per node"):
        _core.recount(tree, some, target, settings, np.ones(n, bool))


@pytest.mark.parametrize("kind", ["two", "real"])
@pytest.mark.parametrize("order", ["depth", "breadth", "best"])
def test_large_nodes_grow_again_too(kind: str, order: str) -> None:
    frame, goal, settings, _ = large(kind)
    frame.encode(1)
    settings = settings | {"order": order, "max_depth": 7}
    tree = _core.grow(frame, goal, settings, 2)
    rows = rows_by_node(frame, tree)
    for node in range(0, tree.n_nodes, 7):
        place = standing(tree, node, settings)
        below = _core.grow(
            frame, goal, settings, 2, rows=rows[node], path=place["path"], weight=place["weight"]
        )
        same_arrays(_core.graft(tree, [node], [below], settings), tree)


def test_what_verbs_refuse() -> None:
    frame, goal, settings, _ = large("two")
    with pytest.raises(_core.CoreError, match="encoded"):
        _core.Rows(frame, goal)
    frame.encode(1)
    with pytest.raises(_core.CoreError, match="no such row"):
        _core.Rows(frame, goal, 1, np.array([10**6], np.uint32))
    with pytest.raises(_core.CoreError, match="ascend"):
        _core.grow(frame, goal, settings, 1, rows=np.array([2, 1], np.uint32))
    with pytest.raises(_core.CoreError, match="no such node"):
        _core.Rows(frame, goal).hold(3)
    with pytest.raises(_core.CoreError, match="only coarse"):
        _core.Rows(frame, goal).refine(0, [4], [[1]])
    tree = _core.grow(frame, goal, settings, 1)
    with pytest.raises(_core.CoreError, match="no such node"):
        _core.graft(tree, [tree.n_nodes], [tree], settings)
    other = _core.Frame(2)
    other.add_numeric(np.array([1.0, 2.5]))
    with pytest.raises(_core.CoreError, match="none of those given"):
        other.encode(1, 255, [(np.array([1.0, 2.0]), False)])
    with pytest.raises(_core.CoreError, match="ascend"):
        other.encode(1, 255, [(np.array([2.0, 1.0]), True)])


def node_of(frame: Any, goal: Any, settings: dict[str, Any]) -> tuple[Any, Any, Any]:
    """The rows, the task and the root of a growth."""
    rows = _core.Rows(frame, goal)
    tally, squares = rows.hold(0)
    task = _core.Task(settings, goal, 1, int(tally.sum()))
    return rows, task, _core.Node(task, tally, squares, [])


def test_no_argument_leads_outside_of_memory() -> None:
    """What does not belong together (tests of other columns, tables of other sizes) is refused."""
    frame, goal, settings, _ = large("two")
    frame.encode(1)
    settings = settings | {"monotonic": [1, 0, 0, 0, 0]}
    rows, task, node = node_of(frame, goal, settings)
    other = _core.Frame(frame.n_rows)
    other.add_coded(np.arange(frame.n_rows, dtype=np.uint8) % 3 + 1, 3, False)
    other.encode(1)
    cells, _ = _core.Rows(other, goal).tabulate([0])
    codes = np.arange(1, 4, dtype=np.uint32)
    table = (codes, cells[1:], np.zeros(2, np.int64), None, 3)
    plain = settings | {"monotonic": []}
    by_levels = task.test(node_of(other, goal, plain)[2].propose(0, table))
    for asked in (
        lambda: rows.split(0, by_levels, [], 1, []),
        lambda: rows.known(0, by_levels),
        lambda: rows.branches_by(0, by_levels, 1),
    ):
        with pytest.raises(_core.CoreError, match=r"another kind|other levels"):
            asked()
    more = _core.Frame(frame.n_rows)
    more.add_coded(np.arange(frame.n_rows, dtype=np.uint8) % 9, 9, False)
    more.encode(1)
    with pytest.raises(_core.CoreError, match="other levels"):
        _core.Rows(more, goal).split(0, by_levels, [], 1, [])
    for asked in (
        lambda: node.propose(5, table),
        lambda: node.bounds(5, *[np.ones(2, np.int64)] * 2),
    ):
        with pytest.raises(_core.CoreError, match="no such column"):
            asked()
    with pytest.raises(_core.CoreError, match="do not fit"):
        node.bounds(0, np.ones(1, np.int64), np.ones(2, np.int64))
    wide = (
        np.array([1, 300], np.uint32),
        np.ones((2, 2), np.int64),
        np.zeros(2, np.int64),
        None,
        300,
    )
    with pytest.raises(_core.CoreError, match="at most 255"):
        node.look(0, wide, np.zeros(0))
    with pytest.raises(_core.CoreError, match="every column"):
        node.columns(np.ones(5, bool), np.ones(4, bool))
    with pytest.raises(_core.CoreError, match="per column"):
        _core.grow(frame, goal, plain, 1, banned=np.zeros(2, bool))
    some = np.arange(3, dtype=np.uint32)
    with pytest.raises(_core.CoreError, match="share is more than 0"):
        _core.grow(frame, goal, plain, 1, rows=some, share=np.zeros(3, np.uint32))
    with pytest.raises(_core.CoreError, match="only coarse"):
        rows.near(0, 4, 1, 2)


def test_rows_are_shared_out_where_their_unit_is_a_share() -> None:
    frame, goal, settings, k = large("shared")
    frame.encode(1)
    unit = _core.sample_unit(frame, settings)
    grower = grower_of([frame], [goal], k, settings, unit)
    tree_of(grower)
    test = next(test for test in grower.chosen.values() if test.column == 0)
    assert test.missing == -1
    with pytest.raises(_core.CoreError, match="cannot be shared out"):
        _core.Rows(frame, goal, 1).split(0, test, [], 1, [])
    with pytest.raises(_core.CoreError, match="per branch"):
        _core.Rows(frame, goal, unit).split(0, test, [], 1, [1, 2, 3])
    with pytest.raises(_core.CoreError, match="no row is known"):
        _core.Rows(frame, goal, unit).split(0, test, [], 1, [0, 0])
