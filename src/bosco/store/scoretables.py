"""Boosted trees in a file: questions, and the points that each answer gives to each class."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.arrays import Arrays, begins, keep_pool, take, take_pool
from bosco.store.check import MAX_DEPTH, check_tests
from bosco.store.grove import Grove, digest, grove_lines, read_grove, require_sound
from bosco.store.header import Header, read_growth, read_schema, refuse_hash, sealed
from bosco.store.states import native_tree, questions
from bosco.store.values import integer, require
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


def restored_table(
    lines: Sequence[Any], schema: Any, classes: Any, growth: Any, provenance: Any
) -> TableParts:
    """Make a score table's parts of what a pickle holds; labels may be any array."""
    columns = read_schema(schema)
    settings = read_growth(growth, len(columns.columns), len(classes))
    made = tuple(LineParts(*line) for line in lines)
    for i, line in enumerate(made):
        require(isinstance(line.tree, Tree), f"lines[{i}].tree", "it is not one")
    parts = TableParts(made, columns, classes, settings, provenance)
    check_table(parts)
    return parts


def table_header(parts: TableParts) -> dict[str, Any]:
    """Give the header of a score table, its fingerprint included."""
    meaning = (parts.schema, parts.classes, parts.growth, parts.provenance)
    return sealed("score_table", *meaning, {}, digest(keep_table(parts)))


def keep_table(parts: TableParts) -> Arrays:
    """Give the arrays of a score table to be kept."""
    natives = [line.tree.native for line in parts.lines]
    pools = [native.tests for native in natives]
    names = ("kind", "column", "branches", "missing", "flip", "thresholds", "jumps")
    pool = {name: np.concatenate([getattr(p, name) for p in pools]) for name in names}
    for name in ("threshold_begin", "jump_begin"):
        lengths = np.concatenate([np.diff(getattr(p, name)) for p in pools])
        pool[name] = np.concatenate(([0], np.cumsum(lengths)))
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
    lengths = {len(pool[key]) for key in ("kind", "column", "branches", "missing", "flip")}
    lengths |= {len(pool[key]) - 1 for key in ("threshold_begin", "jump_begin")}
    require(len(lengths) == 1, "tests", "their arrays differ in length")
    require_sound(begin, first, pool["branches"], "lines")
    require((first >= -1).all(), "first", "a leaf is marked wrongly")
    n_leaves = int(np.count_nonzero(first < 0))
    require(points.shape == (n_leaves, header.n_classes), "points", "another shape")
    return _checked(Grove(begin, first, pool, points), rounds.tolist(), header)


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


def read_table(said: dict[str, Any], header: Header) -> TableParts:
    """Read the lines, trusting nothing in them."""
    require(header.n_classes > 0, "classes", "a score table has some")
    heads = ("line", "rounds")
    grove, lines = read_grove(
        said["lines"], "lines", heads, "points", header.n_classes, header.schema
    )
    rounds = [integer(line["rounds"], f"lines[{i}].rounds", 1) for i, line in enumerate(lines)]
    return _checked(grove, rounds, header)


def _checked(grove: Grove, rounds: list[int], header: Header) -> TableParts:
    require(header.classes is not None, "classes", "a score table has some")
    assert header.classes is not None
    n_columns = len(header.schema.columns)
    lines, tests, leaves = [], 0, 0
    for i, times in enumerate(rounds):
        first = grove.first[grove.begin[i] : grove.begin[i + 1]]
        n_inner = int(np.count_nonzero(first >= 0))
        state = questions(first, _part(grove.tests, tests, tests + n_inner), header.n_classes)
        tests += n_inner
        points = np.ascontiguousarray(grove.leaves[leaves : leaves + len(first) - n_inner])
        leaves += len(first) - n_inner
        lines.append(LineParts(Tree(native_tree(state), n_columns), points, times))
    meaning = (header.schema, header.classes, header.growth, header.provenance)
    parts = TableParts(tuple(lines), *meaning)
    check_table(parts)
    refuse_hash(table_header(parts)["hash"], header.hash)
    return parts


def _part(pool: dict[str, Any], begin: int, end: int) -> dict[str, Any]:
    """The tests of a pool from one number to another."""
    names = ("kind", "column", "branches", "missing", "flip")
    found = {key: pool[key][begin:end] for key in names}
    for name, offsets in (("thresholds", "threshold_begin"), ("jumps", "jump_begin")):
        of = pool[offsets][begin : end + 1]
        found[name] = pool[name][of[0] : of[-1]]
        found[offsets] = of - of[0]
    return found
