"""Many trees as plain values: where each begins, its tests, and whole numbers for each leaf.

Forests and score tables are kept so: the leaves of a forest hold tallies, those of a score table
points. Inner nodes hold their test and nothing that follows from the leaves.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import Schema
from bosco.store.arrays import Arrays
from bosco.store.check import MAX_DEPTH
from bosco.store.json import one_line
from bosco.store.nodes import keys_of_test
from bosco.store.tests import TestReader, write_tests
from bosco.store.values import integer, integers, mapping, require, sequence


class Grove(NamedTuple):
    """The trees of a model, end to end."""

    begin: NDArray[np.int64]  # of the nodes of each tree
    first: NDArray[np.int32]  # first child, numbered within the tree; below 0: a leaf
    tests: dict[str, Any]  # the state of a pool: the tests of inner nodes, in order
    leaves: NDArray[np.int64]  # a row of numbers for each leaf, in order


class Pool(NamedTuple):
    """Tests as `check_tests` looks at them."""

    kind: NDArray[Any]
    column: NDArray[Any]
    branches: NDArray[Any]
    missing: NDArray[Any]
    flip: NDArray[Any]
    threshold_begin: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    jump_begin: NDArray[np.int64]
    jumps: NDArray[Any]

    def __len__(self) -> int:
        return len(self.kind)


class Places:
    """Nodes of a grove as texts for messages, made when one is asked for."""

    def __init__(self, begin: NDArray[np.int64], nodes: NDArray[np.int64], what: str) -> None:
        self._begin, self._nodes, self._what = begin, nodes, what

    def __getitem__(self, at: Any) -> Any:
        nodes = self._nodes[at]
        if np.ndim(nodes):
            return Places(self._begin, nodes, self._what)
        tree = int(np.searchsorted(self._begin, nodes, "right")) - 1
        return f"{self._what}[{tree}].nodes[{int(nodes) - int(self._begin[tree])}]"


def require_sound(
    begin: NDArray[np.int64], first: NDArray[np.int32], branches: NDArray[Any], what: str
) -> None:
    """Refuse children out of range, nodes with two parents or none, and trees too deep."""
    sizes = np.diff(begin)
    require(len(sizes) >= 1, what, "there is none")
    require(sizes.min() >= 1 and sizes.max() < 2**31, what, "one has no nodes")
    inner = np.flatnonzero(first >= 0)
    require(len(branches) == len(inner), what, "there must be one test per inner node")
    fits = not len(branches) or (branches.min() >= 2 and branches.max() < sizes.max())
    whole = fits and int(branches.sum()) == len(first) - len(sizes)
    require(whole, what, "the children do not fit the tests")
    tree = np.searchsorted(begin, inner, "right") - 1
    low = first[inner].astype(np.int64) + begin[tree]
    inside = (low > inner) & (low + branches <= begin[tree + 1])
    if not inside.all():
        at = Places(begin, inner, what)[int(np.argmin(inside))]
        require(False, at, "its children are not after it, in its tree")
    children = _spread(low, branches)
    claimed = np.bincount(children, minlength=len(first))
    claimed[begin[:-1]] += 1
    if (claimed != 1).any():
        at = Places(begin, np.arange(len(first)), what)[int(np.argmax(claimed != 1))]
        require(False, at, "it has another number of parents than one")
    # From the roots down, all trees at once.
    width = np.zeros(len(first), np.int64)
    width[inner] = branches
    start = np.zeros(len(first), np.int64)
    start[inner] = low
    nodes, depth = begin[:-1], 0
    while nodes.size:
        require(depth <= MAX_DEPTH, what, f"a tree is deeper than {MAX_DEPTH}")
        nodes = nodes[width[nodes] > 0]
        nodes = _spread(start[nodes], width[nodes])
        depth += 1


def _spread(first: NDArray[np.int64], count: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each first on, so many of each."""
    count = count.astype(np.int64)
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    spread: NDArray[np.int64] = np.repeat(first, count) + within
    return spread


def grove_lines(
    trees: Iterable[tuple[dict[str, Any], Any, list[int], list[list[int]]]],
    what: str,
    key: str,
    schema: Schema,
) -> Iterator[str]:
    """Trees as JSON, one node a line; of each what is said of it, tests, children, leaves."""
    yield f' "{what}": ['
    before = ""
    for head, pool, first, leaves in trees:
        if before:
            yield f"{before},"
        yield f'  {one_line(head)[:-1]}, "nodes": ['
        tests, rows = iter(write_tests(pool, schema, surrogate=False)), iter(leaves)
        for i, child in enumerate(first):
            node: dict[str, Any] = {"node": i}
            node |= {key: next(rows)} if child < 0 else {"test": next(tests), "first_child": child}
            yield f"   {one_line(node)}{',' if i + 1 < len(first) else ''}"
        before = "  ]}"
    yield before
    yield " ]"


def read_grove(
    said: Any, what: str, heads: tuple[str, ...], key: str, width: int, schema: Schema
) -> tuple[Grove, list[dict[str, Any]]]:
    """Read what `grove_lines` gave, trusting nothing in it; what is said of each tree, too."""
    trees = sequence(said, what)
    tests = TestReader(schema)
    sizes: list[int] = []
    first: list[int] = []
    cells: list[Any] = []
    for t, tree in enumerate(trees):
        at = f"{what}[{t}]"
        mapping(tree, at, (*heads, "nodes"))
        integer(tree[heads[0]], f"{at}.{heads[0]}", t, t)
        nodes = sequence(tree["nodes"], f"{at}.nodes")
        sizes.append(len(nodes))
        for i, node in enumerate(nodes):
            where = f"{at}.nodes[{i}]"
            if isinstance(node, dict) and "test" in node:
                mapping(node, where, ("node", "test", "first_child"))
                test = mapping(node["test"], f"{where}.test", *keys_of_test(node["test"]))
                tests.add(test, f"{where}.test")
                child = integer(node["first_child"], f"{where}.first_child", i + 1, len(nodes) - 1)
                first.append(child)
            else:
                mapping(node, where, ("node", key))
                row = node[key]
                if type(row) is not list or len(row) != width:
                    require(False, f"{where}.{key}", f"a list of {width} numbers is wanted")
                cells += row
                first.append(-1)
            if node["node"] is not i:
                integer(node["node"], f"{where}.node", i, i)
    begin = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    leaves = integers(cells, f"{what}, {key} {{}}").reshape(-1, width)
    pool = tests.state(f"{what}, tests")
    require_sound(begin, np.array(first, np.int32), pool["branches"], what)
    return Grove(begin, np.array(first, np.int32), pool, leaves), trees


def digest(arrays: Arrays) -> str:
    """SHA-256 of arrays by name: equal for equal ones, on any machine."""
    sha = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        if array.dtype.kind in "iu":
            array = array.astype(np.int64)
        sha.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()
