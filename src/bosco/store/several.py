"""Trees that answer several targets, in a file: their tests, and the sums of every leaf.

A leaf is a row of whole numbers: its samples, its weight, and a sum for each number and each class.
What the nodes above it hold are sums of those.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.data.outputs import Outputs
from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.arrays import NO_TESTS, Arrays, Pool, begins, keep_pool, take, take_pool
from bosco.store.check import MAX_DEPTH, all_hold, check_scales, check_tests
from bosco.store.grove import digest, grove_lines, read_grove, require_sound
from bosco.store.header import Header, Kind, read_growth, read_schema, sealed
from bosco.store.outputs import write_outputs
from bosco.store.states import CANDIDATE, POOLS, lay_out, native_tree
from bosco.store.values import require
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.tree import Tree, levels, spread

SCALES = ("weight_scale", "count_scale", "scale")


class SeveralParts(NamedTuple):
    """What such a model is made of, in the order in which `SeveralModel` takes it."""

    trees: tuple[Tree, ...]
    schema: Schema
    outputs: Outputs
    growth: Growth
    importances: NDArray[np.float64]
    provenance: dict[str, Any]

    @property
    def classes(self) -> None:
        """None for all outputs together."""
        return

    @property
    def decision(self) -> Decision:
        """The heaviest class of each output."""
        return HEAVIEST


def check_several(parts: SeveralParts) -> None:
    """Refuse parts that do not agree with each other."""
    require(parts.trees, "trees", "there is none")
    require(len(parts.outputs) >= 2, "outputs", "there must be several")
    kinds = {one.classes is None for one in parts.outputs.each}
    require(len(kinds) == 1, "outputs", "some are of classes and some of numbers")
    require(parts.growth.on_missing.one_way, "growth.missing", "not of several outputs")
    n_columns, worth = len(parts.schema.columns), parts.importances
    sound = worth.shape == (n_columns,) and bool(np.isfinite(worth).all() and (worth >= 0).all())
    require(sound, "importances", "a number, not negative, for each column is wanted")
    first = parts.trees[0].native
    scales = {name: getattr(first, name) for name in SCALES}
    check_scales(0.0, *scales.values())
    centers = parts.outputs.centers
    require(np.isfinite(centers).all(), "outputs", "a center is not finite")
    require(not (parts.outputs.of_classes and centers.any()), "outputs", "classes have no center")
    for t, tree in enumerate(parts.trees):
        at, native = f"trees[{t}]", tree.native
        require(tree.n_features == n_columns, at, "another number of columns")
        require(tree.max_depth <= MAX_DEPTH, at, f"the tree is deeper than {MAX_DEPTH}")
        require(all(getattr(native, k) == v for k, v in scales.items()), at, "another scale")
        inner = np.flatnonzero(native.test >= 0)
        in_order = np.array_equal(native.test[inner], np.arange(len(native.tests)))
        require(in_order, at, "tests must be in the order of nodes")
        check_tests(native.tests, parts.schema, parts.growth, f"{at}.nodes[{{}}].test", inner)
        require(not len(native.surrogates), at, "stand-ins are not of several outputs")
        _check_sums(parts.outputs, native, at)


def _check_sums(outputs: Outputs, native: Any, at: str) -> None:
    """What the leaves hold can be summed up, and the classes of an output share its weight."""
    tally = native.tally
    require(tally.shape[1] == 1 + outputs.n_sums, at, "another number of sums")
    leaf = native.test < 0
    whole = np.column_stack((native.count, tally))[leaf].astype(np.float64)
    require((np.abs(whole).sum(axis=0) < 2.0**62).all(), at, "sums pass 62 bits")
    weight, sums = tally[:, 0], tally[:, 1:]
    require(weight[0] > 0, at, "there are no rows")
    all_hold((weight >= 0) & (native.count >= 0), f"{at}.nodes[{{}}]", "a weight is negative")
    all_hold((weight > 0) | ~tally.any(axis=1), f"{at}.nodes[{{}}]", "sums of no rows")
    if outputs.of_classes:
        shared = all_of = (sums >= 0).all(axis=1)
        for own in outputs.parted(sums):
            shared = shared & (own.sum(axis=1) == weight)
        all_hold(all_of & shared, f"{at}.nodes[{{}}]", "classes do not add up to the weight")


def restored_several(
    trees: Any, schema: Any, outputs: Any, growth: Any, worth: Any, provenance: Any
) -> SeveralParts:
    """Make the parts of what a pickle holds, by the same rules; labels may be any array."""
    for t, tree in enumerate(trees):
        require(isinstance(tree, Tree), f"trees[{t}]", "it is not one")
    require(isinstance(outputs, Outputs), "outputs", "they are not")
    columns = read_schema(schema)
    how = read_growth(growth, len(columns.columns), 2 * outputs.of_classes)
    parts = SeveralParts(
        tuple(trees), columns, outputs, how, np.asarray(worth, np.float64), provenance
    )
    check_several(parts)
    return parts


def several_header(parts: SeveralParts) -> dict[str, Any]:
    """Give the header, its fingerprint included."""
    native = parts.trees[0].native
    own = {
        "outputs": write_outputs(parts.outputs),
        "scales": {name: float(getattr(native, name)) for name in SCALES},
        "importances": parts.importances.tolist(),
    }
    return sealed("several", parts, own, digest(keep_several(parts)), 6)


def _leaves(tree: Tree) -> NDArray[np.int64]:
    native = tree.native
    return np.column_stack((native.count, native.tally))[native.test < 0]


def keep_several(parts: SeveralParts) -> Arrays:
    """Give the arrays to be kept."""
    natives = [tree.native for tree in parts.trees]
    pool = Pool.joined([Pool.of(native.tests) for native in natives])
    return {
        "nodes": np.array([native.n_nodes for native in natives]),
        "first": np.concatenate([native.first_child for native in natives]),
        "leaves": np.concatenate([_leaves(tree) for tree in parts.trees]),
        **keep_pool(pool, "tests"),
    }


def take_several(left: Arrays, header: Header) -> SeveralParts:
    """Take the arrays of a file, trusting nothing in them."""
    assert header.outputs is not None
    assert header.importances is not None
    first = take(left, "first", np.int32)
    begin = begins(left, "nodes", len(first))
    leaves = take(left, "leaves", np.int64, 2)
    pool = take_pool(left, "tests")
    require_sound(begin, first, pool.branches, "trees")
    require((first >= -1).all(), "first", "a leaf is marked wrongly")
    shape = (int(np.count_nonzero(first < 0)), 2 + header.outputs.n_sums)
    require(leaves.shape == shape, "leaves", "another shape")
    whole = np.abs(leaves.astype(np.float64)).sum(axis=0)
    require((whole < 2.0**62).all(), "leaves", "sums pass 62 bits")
    trees, tests, done = [], 0, 0
    for a, b in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        own = first[a:b]
        n_inner = int(np.count_nonzero(own >= 0))
        n_leaves = len(own) - n_inner
        asked = pool.part(np.arange(tests, tests + n_inner))
        rows = leaves[done : done + n_leaves]
        trees.append(Tree(_native(own, asked, rows, header.scales), len(header.schema.columns)))
        tests, done = tests + n_inner, done + n_leaves
    parts = SeveralParts(
        tuple(trees),
        header.schema,
        header.outputs,
        header.growth,
        header.importances,
        header.provenance,
    )
    check_several(parts)
    return parts


def _native(
    first: NDArray[np.int32], tests: Pool, rows: NDArray[np.int64], scales: dict[str, float]
) -> Any:
    """A native tree of which leaves hold such rows; nodes above them hold their sums."""
    n = len(first)
    branches = np.zeros(n, np.int64)
    branches[first >= 0] = tests.branches
    held = np.zeros((n, rows.shape[1]), np.int64)
    held[first < 0] = rows
    below = list(levels(np.zeros(1, np.int64), first, branches))
    parent = np.full(n, -1, np.int64)
    inner = np.flatnonzero(first >= 0)
    parent[spread(first[inner], branches[inner])] = np.repeat(inner, branches[inner])
    for nodes in reversed(below[1:]):
        np.add.at(held, parent[nodes], held[nodes])
    weight, sums = held[:, 1], held[:, 2:]
    with np.errstate(all="ignore"):
        value = sums / weight[:, None] / scales["scale"]
    for node in np.flatnonzero(weight == 0).tolist():  # parents come first
        value[node] = value[max(parent[node], 0)]
    kept: dict[str, Any] = {
        "n_classes": 0,
        "sums": sums.shape[1],
        "center": 0.0,
        **scales,
        "first_child": first,
        "tally": np.ascontiguousarray(held[:, 1:]).reshape(-1),
        "count": np.ascontiguousarray(held[:, 0]),
        "known": np.ascontiguousarray(weight),
        "value": value,
        **dict.fromkeys(("impurity", "gain"), np.zeros(n)),
        **dict.fromkeys(CANDIDATE, np.zeros(0)),
        **dict.fromkeys(("surrogate_begin", "candidate_begin"), np.zeros(n + 1, np.int64)),
        **dict.fromkeys(POOLS, NO_TESTS) | {"tests": tests},
    }
    return native_tree(lay_out(kept))


def several_lines(parts: SeveralParts) -> Iterator[str]:
    """Write the trees, one node a line of text."""
    trees = (
        (
            {"tree": t},
            tree.native.tests,
            tree.native.first_child.tolist(),
            _leaves(tree).tolist(),
        )
        for t, tree in enumerate(parts.trees)
    )
    return grove_lines(trees, "trees", "holds", parts.schema)


def read_several(said: dict[str, Any], header: Header) -> Arrays:
    """Read the trees into the arrays that are kept, trusting nothing in them."""
    assert header.outputs is not None
    width = 2 + header.outputs.n_sums
    grove, _ = read_grove(said["trees"], "trees", ("tree",), "holds", width, header.schema)
    return {
        "nodes": grove.sizes,
        "first": grove.first,
        "leaves": grove.leaves,
        **keep_pool(grove.tests, "tests"),
    }


_VERBS = (check_several, several_header, several_lines, read_several, keep_several, take_several)
KIND = Kind("several", SeveralParts, ("trees",), *_VERBS)
