"""The verbs of a growth one by one: tables of parts add up, the choice is the grower's."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bosco import _core
from bosco.frame import Frame
from bosco.growth import resolve
from bosco.schema import Schema
from bosco.target import encode_labels, encode_values
from tests.strategies import Problem, examples, growth, problems
from tests.test_same_model import labels, mixed


def native(real: bool) -> tuple[Any, Any]:
    X = mixed(5_000)
    frame = Frame.read(X, Schema.infer(X)).native
    frame.encode(1)
    y = labels(X, classes=3)
    goal = encode_values(y * 0.5, None, False) if real else encode_labels(y, None, None, False)
    return frame, goal.native


@pytest.mark.parametrize("real", [False, True])
def test_tables_of_parts_add_up(real: bool) -> None:
    frame, goal = native(real)
    part_of = np.random.default_rng(1).integers(0, 3, frame.n_rows)
    for column in range(frame.n_columns):
        codes, tally, missing = _core.tabulate(frame, goal, column, None)
        whole = dict(zip(codes.tolist(), tally.tolist(), strict=True))
        summed: dict[int, np.ndarray[Any, Any]] = {}
        lost = np.zeros_like(missing)
        for part in range(3):
            rows = np.flatnonzero(part_of == part).astype(np.uint32)
            codes, tally, missing_part = _core.tabulate(frame, goal, column, rows)
            lost += missing_part
            for code, cell in zip(codes.tolist(), tally, strict=True):
                summed[code] = summed.get(code, 0) + cell
        assert {code: cell.tolist() for code, cell in summed.items()} == whole
        assert (lost == missing).all()


@pytest.mark.parametrize("real", [False, True])
def test_fine_tables_of_parts_add_up(real: bool) -> None:
    frame, goal = native(real)
    coarse = [j for j in range(frame.n_columns) if frame.is_coarse(j)]
    assert coarse
    part_of = np.random.default_rng(1).integers(0, 3, frame.n_rows)
    for column in coarse[:3]:
        codes, coarse_tally, _ = _core.tabulate(frame, goal, column, None)
        for at in (0, len(codes) // 2):
            values, tally = _core.refine(frame, goal, column, int(codes[at]))
            assert (tally.sum(axis=0) == coarse_tally[at]).all()
            summed: dict[float, np.ndarray[Any, Any]] = {}
            for part in range(3):
                rows = np.flatnonzero(part_of == part).astype(np.uint32)
                some, cells = _core.refine(frame, goal, column, int(codes[at]), rows)
                for value, cell in zip(some.tolist(), cells, strict=True):
                    summed[value] = summed.get(value, 0) + cell
            assert sorted(summed) == values.tolist()
            assert [summed[v].tolist() for v in values.tolist()] == tally.tolist()


def table_of(frame: Any, goal: Any, column: int, parts: list[Any], unit: int = 1) -> Any:
    """The finest table of a column, each part of the rows tabulated (and refined) on its own."""
    cells: dict[Any, Any] = {}
    missing: Any = 0
    coarse, values = frame.is_coarse(column), frame.values(column)
    for rows in parts:
        codes, tally, lost = _core.tabulate(frame, goal, column, rows, unit)
        missing = missing + lost
        for code, cell in zip(codes.tolist(), tally, strict=True):
            fine: Any = [(code, cell)]
            if coarse:
                fine = zip(*_core.refine(frame, goal, column, code, rows, unit), strict=True)
            for key, part in fine:
                cells[key] = cells.get(key, 0) + part
    keys = sorted(cells)
    tally = np.array([cells[key] for key in keys], np.int64).reshape(len(keys), len(missing))
    if coarse:
        numbers = np.arange(1, len(keys) + 1, dtype=np.uint32)
        return numbers, tally, missing, np.array(keys, np.float64), len(keys)
    codes = np.array(keys, dtype=np.uint32)
    ordered = values[codes - 1] if len(values) else None
    return codes, tally, missing, ordered, frame.n_codes(column)


def in_parts(rows: Any, n: int) -> list[Any]:
    part_of = np.random.default_rng(1).integers(0, n, len(rows))
    return [rows[part_of == part].astype(np.uint32) for part in range(n)]


def chosen(frame: Any, goal: Any, settings: Any, parts: list[Any], **node: Any) -> Any:
    """What `choose` says of the rows of a node, known by their parts alone."""
    unit = _core.sample_unit(frame, settings)
    banned = node.pop("banned", ())
    tables = [
        None if j in banned else table_of(frame, goal, j, parts, unit)
        for j in range(frame.n_columns)
    ]
    squares = None
    if settings["criterion"] == "squared_error":
        squares = sum(_core.squares(goal, rows, unit) for rows in parts)
    return _core.choose(tables, goal, settings, squares, unit=unit, **node)


def same_test(pool: Any, index: int, found: Any) -> None:
    """A test of a tree's pool is that of `choose`."""
    column, _, thresholds, jumps, missing = found
    assert (column, missing) == (pool.column[index], pool.missing[index])
    begin, end = pool.threshold_begin[index : index + 2]
    assert pool.thresholds[begin:end].tolist() == list(thresholds)
    begin, end = pool.jump_begin[index : index + 2]
    assert pool.jumps[begin:end].tolist() == list(jumps)


@pytest.mark.parametrize("score", ["gain", "gain_ratio"])
@pytest.mark.parametrize("real", [False, True])
def test_the_choice_from_parts_is_the_choice_from_all(real: bool, score: str) -> None:
    frame, goal = native(real)
    settings = resolve(
        "cart",
        "regression" if real else "classification",
        samples=frame.n_rows,
        columns=frame.n_columns,
        weight=float(frame.n_rows),
        score=score,
        max_depth=1,
    ).to_dict()
    tree = _core.grow(frame, goal, settings, 1)
    found = chosen(frame, goal, settings, in_parts(np.arange(frame.n_rows), 4))
    same_test(tree.tests, 0, found)
    assert found[1] == tree.gain[0]


def test_many_levels_pay_by_the_spread_of_y() -> None:
    """What a subset of many levels is charged depends on the node's variance, hence on squares."""
    random = np.random.default_rng(0)
    levels, x = random.integers(1, 61, 600), random.normal(size=600)
    y = np.round(100 * (0.5 * (x > 0) + random.normal(size=600))).astype(np.int64)
    frame = _core.Frame(600)
    frame.add_coded(levels.astype(np.uint8), 60, False)
    frame.add_numeric(x)
    frame.encode(1)
    goal = _core.Target.real(y, None, None, scale=100.0)
    settings = growth(criterion="squared_error", subset_penalty=True, max_depth=1)
    tree = _core.grow(frame, goal, settings, 1)
    assert tree.tests.column[0] == 1
    same_test(tree.tests, 0, chosen(frame, goal, settings, in_parts(np.arange(600), 3)))


def rows_by_node(frame: Any, tree: Any) -> list[Any]:
    """The rows of every node of a tree in which each row has one way."""
    leaf = _core.route(tree, frame)
    rows: list[Any] = [leaf == i for i in range(tree.n_nodes)]
    for i in range(tree.n_nodes - 1, 0, -1):
        rows[tree.parent[i]] = rows[tree.parent[i]] | rows[i]
    return [np.flatnonzero(mask) for mask in rows]


@examples(150)
@given(problems(n_classes=(0, 2, 3, 5, 70)))
def test_every_node_has_the_test_that_is_chosen_from_its_tables(problem: Problem) -> None:
    """The root of any tree; and all nodes, leaves too, where rows go one way and have no bounds."""
    problem = replace(problem, growth=problem.growth | {"max_leaf_nodes": -1})
    frame, goal, settings = (
        problem.native_frame(_core),
        problem.native_target(_core),
        problem.growth,
    )
    tree = _core.grow(frame, goal, settings, 1)
    alone = settings["missing"] in ("fractional", "surrogate") or any(settings["monotonic"])
    whole = int(tree.tally[0].sum() if tree.n_classes else tree.tally[0][0])
    rows = [np.arange(frame.n_rows)] if alone else rows_by_node(frame, tree)
    path: list[list[int]] = [[]]
    used: list[set[int]] = [set()]
    for i, of_node in enumerate(rows):
        if i > 0:
            up = int(tree.parent[i])
            path.append([*path[up], i - int(tree.first_child[up])])
            used.append(used[up] | {int(tree.tests.column[tree.test[up]])})
        if not len(of_node):
            continue
        node: dict[str, Any] = {"path": path[i], "banned": () if settings["reuse"] else used[i]}
        if i > 0:
            node["weight"] = whole
        found = chosen(frame, goal, settings, in_parts(of_node, 2), **node)
        assert (found is None) == (tree.test[i] < 0), f"node {i}"
        if found is not None:
            same_test(tree.tests, int(tree.test[i]), found)
            assert found[1] == tree.gain[i]


def test_what_a_choice_must_be_told() -> None:
    frame, goal = native(real=True)
    settings = resolve(
        "cart", "regression", samples=5000, columns=frame.n_columns, weight=5000.0
    ).to_dict()
    table = table_of(frame, goal, 0, [None])
    with pytest.raises(_core.CoreError, match="squares"):
        _core.choose([table], goal, settings)
    with pytest.raises(_core.CoreError, match="real target"):
        _core.squares(native(real=False)[1])
    assert _core.choose([None], goal, settings, 1) is None
