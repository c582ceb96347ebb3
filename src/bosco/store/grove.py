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
from bosco.store.arrays import Arrays, Pool
from bosco.store.check import MAX_DEPTH
from bosco.store.forms import one_line
from bosco.store.tests import TestReader, keys_of_test, write_tests
from bosco.store.values import integer, integers, mapping, require, sequence
from bosco.tree.tree import levels, spread


class Grove(NamedTuple):
    """The trees of a model, end to end."""

    sizes: NDArray[np.int64]  # the number of nodes of each tree
    first: NDArray[np.int32]  # first child, numbered within the tree; below 0: a leaf
    tests: Pool  # of inner nodes, in order
    leaves: NDArray[np.int64]  # a row of numbers for each leaf, in order


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
    claimed = np.bincount(spread(low, branches), minlength=len(first))
    claimed[begin[:-1]] += 1
    if (claimed != 1).any():
        at = Places(begin, np.arange(len(first)), what)[int(np.argmax(claimed != 1))]
        require(False, at, "it has another number of parents than one")
    start, width = np.zeros((2, len(first)), np.int64)
    start[inner], width[inner] = low, branches
    for depth, _ in enumerate(levels(begin[:-1], start, width)):  # of all trees at once
        require(depth <= MAX_DEPTH, what, f"a tree is deeper than {MAX_DEPTH}")


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
    require(trees, what, "there is none")
    tests = TestReader(schema)
    sizes: list[int] = []
    first: list[int] = []
    cells: list[Any] = []
    for t, tree in enumerate(trees):
        at = f"{what}[{t}]"
        mapping(tree, at, (*heads, "nodes"))
        integer(tree[heads[0]], f"{at}.{heads[0]}", t, t)
        nodes = sequence(tree["nodes"], f"{at}.nodes")
        require(nodes, what, "one has no nodes")
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
    leaves = integers(cells, f"{what}, {key} {{}}").reshape(-1, width)
    pool = tests.pool(f"{what}, tests")
    return Grove(np.array(sizes), np.array(first, np.int32), pool, leaves), trees


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
