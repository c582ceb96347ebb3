"""Properties of the reference: what must hold of every tree, whatever the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import RefColumn, RefTarget, RefTree, Test, grow, route, same_tree
from tests.reference.cuts import blocks_of, known_decrease, optimal_runs, propose_threshold
from tests.reference.data import Cell, Table, tabulate
from tests.reference.levels import partitions, propose_subset
from tests.reference.scores import decrease, impurity, purity
from tests.reference.trial import Setting, try_binary
from tests.strategies import (
    CLASSIFICATION,
    MISSING,
    ORDERS,
    Problem,
    examples,
    growth,
    in_order,
    problems,
)

FEW = examples(40)
LIMITS_OFF: dict[str, Any] = {
    "max_depth": -1,
    "max_leaf_nodes": -1,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_leaf": 0.0,
    "min_impurity_decrease": 0.0,
    "min_gain": 0.0,
}


def reference(problem: Problem) -> RefTree:
    return grow(problem.reference_columns(), problem.target, problem.growth)


def root_table(problem: Problem, column: RefColumn) -> Table:
    rows = [(row, 1) for row in range(len(problem.target.weight))]
    return tabulate(0, column.plain(), problem.target, rows)


# Trees -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", MISSING)
@given(data=st.data())
@FEW
def test_children_part_their_parent(missing: str, data: st.DataObject) -> None:
    tree = reference(data.draw(problems(missing=missing)))
    for node, test in enumerate(tree.test):
        children = tree.children(node)
        assert (len(children) == 0) == (test is None)
        if test is not None:
            assert len(children) == test.branches
            assert children.start > node
            tallies = zip(*(tree.tally[child] for child in children), strict=True)
            assert tuple(map(sum, tallies)) == tree.tally[node]
            assert sum(tree.count[child] for child in children) == tree.count[node]


@pytest.mark.parametrize("criterion", CLASSIFICATION)
@given(data=st.data())
@FEW
def test_a_split_never_raises_training_error(criterion: str, data: st.DataObject) -> None:
    tree = reference(data.draw(problems(n_classes=(2, 3), criterion=criterion)))
    for node, test in enumerate(tree.test):
        if test is None:
            continue
        parent = cell_of(tree, node)
        parts = [cell_of(tree, child) for child in tree.children(node)]
        assert sum(max(part.tally) for part in parts) >= max(parent.tally)
        for psi in CLASSIFICATION:  # Jensen, for every ψ, whichever chose the test
            before = parent.weight * impurity(parent, psi)
            after = sum(part.weight * impurity(part, psi) for part in parts)
            assert after <= before * (1 + 1e-12) + 1e-9


def cell_of(tree: RefTree, node: int) -> Cell:
    return Cell(tree.tally[node], tree.weight(node), tree.count[node])


@given(problems(n_classes=(2, 3), missing="learn", penalty=False, **LIMITS_OFF))
@FEW
def test_grown_to_the_end_it_knows_its_data_by_heart(problem: Problem) -> None:
    columns = problem.reference_columns()
    rows = list(zip(*(column.codes for column in columns), strict=True))
    first: dict[Any, int] = {}
    for row, label in zip(rows, problem.target.classes or [], strict=True):
        first.setdefault(row, label)
    target = replace(problem.target, classes=[first[row] for row in rows])
    # Exclusive or has no gain at its root, so only `zero_gain` gets below it.
    to_the_end = problem.growth | {"zero_gain": True, "reuse": True, "monotonic": []}
    if to_the_end["splitter"] == "random" or to_the_end["numeric_test"] == "intervals":
        # These have no test "known against missing": rows that differ by that alone stay together.
        to_the_end |= {"splitter": "best", "numeric_test": "threshold"}
    if to_the_end["nominal_test"] in ("multiway", "group"):
        to_the_end |= {"nominal_test": "subset"}
    tree = grow(columns, target, to_the_end)
    assert [tree.label(leaf) for leaf in route(tree, columns)] == list(target.classes or [])


@given(problems(max_leaf_nodes=-1))
@FEW
def test_order_changes_numbers_not_trees(problem: Problem) -> None:
    shapes = []
    for order in ORDERS:
        tree = reference(replace(problem, growth=problem.growth | {"order": order}))
        nodes = range(tree.n_nodes)
        shapes.append({tree.path(node): (tree.test[node], tree.tally[node]) for node in nodes})
    assert shapes[0] == shapes[1] == shapes[2]


@given(problems(), st.randoms(use_true_random=False))
@FEW
def test_rows_have_no_order(problem: Problem, random: Any) -> None:
    order = list(range(len(problem.target.weight)))
    random.shuffle(order)
    assert reference(in_order(problem, order)) == reference(problem)


@given(problems())
@FEW
def test_a_row_twice_is_a_row_of_weight_two(problem: Problem) -> None:
    target = replace(problem.target, count=None, weight_scale=1.0)
    n = len(target.weight)
    twice = in_order(replace(problem, target=target), [*range(n), *range(n)])
    heavy = replace(problem, target=replace(target, weight=[2 * w for w in target.weight]))
    # A share is rounded down for every row, so two halves of it are not always one whole.
    if problem.growth["missing"] != "fractional":
        assert reference(twice) == reference(heavy)


@given(problems())
@FEW
def test_limits_are_kept(problem: Problem) -> None:
    tree, limits = reference(problem), problem.growth
    if limits["max_leaf_nodes"] >= 0:
        assert len(tree.leaves) <= limits["max_leaf_nodes"]
    for node in range(tree.n_nodes):
        if limits["max_depth"] >= 0:
            assert tree.path(node).count("/") <= limits["max_depth"]
        if tree.test[node] is not None:
            assert tree.count[node] >= limits["min_samples_split"] * tree.count_scale


RISING: dict[str, Any] = {"monotonic": [1] * 4, "numeric_test": "threshold", "missing": "error"}


@given(problems(kinds=("numeric",), n_classes=(0, 2), **RISING))
@FEW
def test_monotone_trees_rise(problem: Problem) -> None:
    columns = problem.reference_columns()
    tree = reference(problem)
    values = [tree.value[leaf][-1] for leaf in route(tree, columns)]
    rows = list(zip(*(column.codes for column in columns), strict=True))
    for a, b in combinations(range(len(rows)), 2):
        if all(x <= y for x, y in zip(rows[a], rows[b], strict=True)):
            assert values[a] <= values[b] + 1e-12


# Proposals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch"])
@given(data=st.data())
@FEW
def test_boundary_points_suffice(missing: str, data: st.DataObject) -> None:
    """A cut inside a run of one class wins only if a neighbour of it is not feasible."""
    problem = data.draw(problems(kinds=("numeric",), n_classes=(2, 3), missing=missing))
    setting = Setting(problem.growth, problem.target, 1)
    table = root_table(problem, problem.columns[0].reference())
    found = propose_threshold(setting, table)
    if found is None or max(table.known.tally) == table.known.weight:
        return
    cut = sum(table.value(i) <= found.test.thresholds[0] for i in range(len(table.cells)))
    if cut == len(table.cells):
        return
    pair = table.cells[cut - 1] + table.cells[cut]
    if max(pair.tally) < pair.weight:
        return  # a boundary point
    neighbours = []
    for k in (cut - 1, cut + 1):
        left = setting.total(table.cells[:k])
        known = [left, table.known - left]
        neighbours.append(try_binary(setting, table, known, found.scored.place))
    assert not all(neighbours)


@given(problems(kinds=("numeric",), missing="error"))
@FEW
def test_intervals_are_optimal(problem: Problem) -> None:
    setting = Setting(problem.growth | {"min_samples_leaf": 1}, problem.target, 1)
    cells = root_table(problem, problem.columns[0].reference()).cells[:9]
    whole = setting.total(cells)
    for grouping in optimal_runs(setting, cells, whole):
        best = max(
            sum_of_purities(setting, cells, [0, *cuts, len(cells)])
            for cuts in combinations(range(1, len(cells)), len(grouping) - 1)
            if feasible(setting, cells, [0, *cuts, len(cells)])
        )
        ends = [0, *(run[-1] + 1 for run in grouping)]
        assert feasible(setting, cells, ends)
        if setting.growth["min_weight_leaf"] == 0.0:  # else a block may have been worth dividing
            assert sum_of_purities(setting, cells, ends) == pytest.approx(best, rel=1e-9, abs=1e-9)


def runs_of(setting: Setting, cells: Sequence[Cell], ends: list[int]) -> list[Cell]:
    return [setting.total(cells[a:b]) for a, b in pairwise(ends)]


def sum_of_purities(setting: Setting, cells: Sequence[Cell], ends: list[int]) -> float:
    of = setting.total(cells)
    return sum(purity(run, setting.criterion, of) for run in runs_of(setting, cells, ends))


def feasible(setting: Setting, cells: Sequence[Cell], ends: list[int]) -> bool:
    return all(setting.enough(run) for run in runs_of(setting, cells, ends))


@given(problems(kinds=("nominal",), n_classes=(0, 2), missing="error", **LIMITS_OFF))
@FEW
def test_subsets_are_optimal_for_two_classes(problem: Problem) -> None:
    setting = Setting(problem.growth, problem.target, 1)
    table = root_table(problem, problem.columns[0].reference())
    found = propose_subset(setting, table)
    if len(table.codes) > 8:
        return
    tried = [
        known_decrease(setting, table, grouping) for grouping in partitions(len(table.codes), 2)
    ]
    every = [d.value for d in tried if d is not None]  # a branch of counts that are all 0 is none
    assert (found is None) == (not every)
    if found is not None:
        best = max(every)
        assert found.scored.decrease.value == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_levels_are_grouped(n_classes: int) -> None:
    """Above 64 levels neighbours are merged first; every level still has its branch."""
    n = 80
    column = RefColumn("nominal", list(range(1, n + 1)) * 2, [], n)
    labels = [i % n_classes for i in range(n)] * 2
    settings_ = growth(nominal_test="group", max_branches=3)
    tree = grow([column], RefTarget([1] * 2 * n, labels, n_classes), settings_)
    assert tree.n_children[0] == n_classes
    assert all(max(tree.tally[leaf]) == tree.weight(leaf) for leaf in tree.leaves)


def test_many_blocks_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.reference.cuts.MAX_BLOCKS", 4)
    values = [float(i) for i in range(10)]
    setting = Setting(growth(), RefTarget([1] * 10, [i % 2 for i in range(10)], 2), 1)
    column = RefColumn("numeric", list(range(1, 11)), values, 10)
    table = tabulate(0, column, setting.target, [(row, 1) for row in range(10)])
    assert blocks_of(setting, table.cells) == [[0, 1, 2], [3, 4], [5, 6, 7], [8, 9]]


def test_partitions_come_in_lexicographic_order() -> None:
    strings = [
        [next(g for g, group in enumerate(grouping) if i in group) for i in range(4)]
        for grouping in partitions(4, 3)
    ]
    assert strings == sorted(strings)
    assert len(strings) == 7 + 6  # Stirling numbers of the second kind


def test_exact_ties_are_ties() -> None:
    # 1/3 against 2/3 in two shapes: rationals are equal where doubles of the parts are not
    a = decrease([Cell((1, 2), 3, 3), Cell((2, 1), 3, 3)], Cell((3, 3), 6, 6), "gini")
    b = decrease([Cell((2, 1), 3, 3), Cell((1, 2), 3, 3)], Cell((3, 3), 6, 6), "gini")
    assert not a.exceeds(b)
    assert not b.exceeds(a)


# The comparison ----------------------------------------------------------------------------------


def pool(tests: Sequence[Test]) -> SimpleNamespace:
    """Tests as the native pool holds them."""
    fields = ("kind", "column", "branches", "missing", "flip")
    out = SimpleNamespace(**{name: [getattr(t, name) for t in tests] for name in fields})
    out.thresholds = [x for t in tests for x in t.thresholds]
    out.threshold_begin = begins([len(t.thresholds) for t in tests])
    out.jumps = [x for t in tests for x in t.jumps]
    out.jump_begin = begins([len(t.jumps) for t in tests])
    return out


def begins(lengths: Sequence[int]) -> list[int]:
    return [sum(lengths[:i]) for i in range(len(lengths) + 1)]


def as_native(tree: RefTree) -> SimpleNamespace:
    """A reference tree dressed as a native one."""
    names: tuple[str, ...] = (
        "n_nodes",
        "n_classes",
        "weight_scale",
        "count_scale",
        "center",
        "scale",
        "parent",
    )
    names += ("first_child", "n_children", "tally", "count", "known", "value", "impurity", "gain")
    out = SimpleNamespace(**{name: getattr(tree, name) for name in names})
    inner = [test for test in tree.test if test is not None]
    numbers = iter(range(len(inner)))
    out.test = [-1 if test is None else next(numbers) for test in tree.test]
    out.tests = pool(inner)
    out.surrogates = pool([test for tests in tree.surrogates for test in tests])
    out.surrogate_begin = begins([len(tests) for tests in tree.surrogates])
    flat = [candidate for candidates in tree.candidates for candidate in candidates]
    out.candidates = pool([candidate.test for candidate in flat])
    out.candidate_begin = begins([len(candidates) for candidates in tree.candidates])
    out.candidate_gain = [candidate.gain for candidate in flat]
    out.candidate_split_info = [candidate.split_info for candidate in flat]
    out.candidate_penalty = [candidate.penalty for candidate in flat]
    return out


@given(problems())
@FEW
def test_a_tree_is_the_same_as_itself(problem: Problem) -> None:
    tree = reference(problem)
    assert same_tree(as_native(tree), tree) == ""


def test_a_difference_is_told_in_words() -> None:
    column = RefColumn("numeric", [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0], 4)
    tree = grow([column], RefTarget([1, 1, 1, 1], [0, 0, 1, 1], 2), growth())
    native = as_native(tree)
    native.tests.thresholds = [2.0]
    said = same_tree(native, tree)
    assert said == (
        "node 0 (root): test: native has column 0, cut at 2.0, 2 branches, missing 0, "
        "reference has column 0, cut at 2.5, 2 branches, missing 0"
    )
    native = as_native(tree)
    native.gain = [0.5 + 1e-6, 0.0, 0.0]
    assert "gain is 0.500001" in same_tree(native, tree)
