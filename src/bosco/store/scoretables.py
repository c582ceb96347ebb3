"""Boosted trees in a file: questions, and the points that each answer gives to each class."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.arrays import Arrays, Pool, begins, keep_pool, take, take_pool
from bosco.store.check import MAX_DEPTH, check_tests
from bosco.store.decisions import check_decision, read_decision
from bosco.store.grove import digest, grove_lines, read_grove, require_sound
from bosco.store.header import Header, Kind, read_meaning, sealed
from bosco.store.states import questions
from bosco.store.values import integer, require
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.tree import Tree


class LineParts(NamedTuple):
    """What a line is made of, in the order in which `ScoreLine` takes it."""

    tree: Tree
    points: NDArray[np.int64]
    rounds: int


class TableParts(NamedTuple):
    """What a score table is made of, in the order in which `ScoreTable` takes it."""

    lines: tuple[LineParts, ...]
    schema: Schema
    classes: NDArray[Any]
    growth: Growth
    provenance: dict[str, Any]
    decision: Decision = HEAVIEST


def check_table(parts: TableParts) -> None:
    """Refuse parts that do not agree with each other."""
    require(parts.lines, "lines", "there is none")
    require(parts.classes is not None, "classes", "a score table has some")
    require(parts.growth.on_missing.one_way, "growth.missing", "not of points")
    n_columns, n_classes = len(parts.schema.columns), len(parts.classes)
    most = 0.0
    for i, line in enumerate(parts.lines):
        at, native = f"lines[{i}]", line.tree.native
        require(line.tree.n_features == n_columns, at, "another number of columns")
        require(line.tree.max_depth <= MAX_DEPTH, at, f"the tree is deeper than {MAX_DEPTH}")
        inner = np.flatnonzero(native.test >= 0)
        in_order = np.array_equal(native.test[inner], np.arange(len(native.tests)))
        require(in_order, at, "tests must be in the order of nodes")
        check_tests(native.tests, parts.schema, parts.growth, f"{at}.nodes[{{}}].test", inner)
        whole = isinstance(line.points, np.ndarray) and line.points.dtype == np.int64
        shape = (line.tree.n_leaves, n_classes)
        require(
            whole and line.points.shape == shape, at, "points for each leaf and class are wanted"
        )
        integer(line.rounds, f"{at}.rounds", 1)
        most += float(np.abs(line.points.astype(np.float64)).max())
        require(most < 2.0**62, at, "points pass 62 bits when they are summed")
    rounds = sum(line.rounds for line in parts.lines)
    require(rounds < 2**31, "lines", "there are more rounds than can be")
    check_decision(parts.decision, parts.classes, points=True)


def restored_table(
    lines: Sequence[Any],
    schema: Any,
    classes: Any,
    growth: Any,
    provenance: Any,
    decision: Any = None,
) -> TableParts:
    """Make a score table's parts of what a pickle holds; labels may be any array."""
    made = tuple(LineParts(*line) for line in lines)
    for i, line in enumerate(made):
        require(isinstance(line.tree, Tree), f"lines[{i}].tree", "it is not one")
    n_classes = 0 if classes is None else len(classes)
    decided = HEAVIEST if decision is None else read_decision(decision, n_classes)
    parts = TableParts(made, *read_meaning(schema, classes, growth), provenance, decided)
    check_table(parts)
    return parts


def table_header(parts: TableParts) -> dict[str, Any]:
    """Give the header of a score table, its fingerprint included."""
    return sealed("score_table", parts, {}, digest(keep_table(parts)))


def keep_table(parts: TableParts) -> Arrays:
    """Give the arrays of a score table to be kept."""
    natives = [line.tree.native for line in parts.lines]
    pool = Pool.joined([Pool.of(native.tests) for native in natives])
    return {
        "nodes": np.array([native.n_nodes for native in natives]),
        "first": np.concatenate([native.first_child for native in natives]),
        "points": np.concatenate([line.points for line in parts.lines]),
        "rounds": np.array([line.rounds for line in parts.lines]),
        **keep_pool(pool, "tests"),
    }


def take_table(left: Arrays, header: Header) -> TableParts:
    """Take the arrays of a file for a score table, trusting nothing in them."""
    first = take(left, "first", np.int32)
    begin = begins(left, "nodes", len(first))
    points = take(left, "points", np.int64, 2)
    rounds = take(left, "rounds", np.int64)
    require(len(rounds) == len(begin) - 1, "rounds", "one for each line is wanted")
    pool = take_pool(left, "tests")
    require_sound(begin, first, pool.branches, "lines")
    require((first >= -1).all(), "first", "a leaf is marked wrongly")
    n_leaves = int(np.count_nonzero(first < 0))
    require(points.shape == (n_leaves, header.n_classes), "points", "another shape")
    require(header.classes is not None, "classes", "a score table has some")
    assert header.classes is not None
    lines, tests, leaves = [], 0, 0
    for i, times in enumerate(rounds.tolist()):
        own = first[begin[i] : begin[i + 1]]
        n_inner = int(np.count_nonzero(own >= 0))
        asked = pool.part(np.arange(tests, tests + n_inner))
        tree = Tree(questions(own, asked, header.n_classes), len(header.schema.columns))
        tests += n_inner
        given = np.ascontiguousarray(points[leaves : leaves + len(own) - n_inner])
        leaves += len(given)
        lines.append(LineParts(tree, given, times))
    meaning = (header.schema, header.classes, header.growth, header.provenance, header.decision)
    parts = TableParts(tuple(lines), *meaning)
    check_table(parts)
    return parts


def table_lines(parts: TableParts) -> Iterator[str]:
    """Write the lines, one node a line of text."""
    trees = (
        (
            {"line": i, "rounds": line.rounds},
            line.tree.native.tests,
            line.tree.native.first_child.tolist(),
            line.points.tolist(),
        )
        for i, line in enumerate(parts.lines)
    )
    return grove_lines(trees, "lines", "points", parts.schema)


def read_lines(said: dict[str, Any], header: Header) -> Arrays:
    """Read the lines into the arrays that are kept, trusting nothing in them."""
    require(header.n_classes > 0, "classes", "a score table has some")
    heads = ("line", "rounds")
    grove, lines = read_grove(
        said["lines"], "lines", heads, "points", header.n_classes, header.schema
    )
    rounds = [integer(line["rounds"], f"lines[{i}].rounds", 1) for i, line in enumerate(lines)]
    return {
        "nodes": grove.sizes,
        "first": grove.first,
        "points": grove.leaves,
        "rounds": np.array(rounds),
        **keep_pool(grove.tests, "tests"),
    }


_VERBS = (check_table, table_header, table_lines, read_lines, keep_table, take_table)
KIND = Kind("score_table", TableParts, ("lines",), *_VERBS)
