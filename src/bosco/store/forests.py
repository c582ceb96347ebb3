"""A forest in a file: the core's arrays of nodes, or its trees node by node."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.arrays import EMPTY, Arrays, begins, keep_pool, take, take_pool
from bosco.store.check_forest import CORE_NAMES, check_state, core_criterion, filled
from bosco.store.grove import digest, grove_lines, read_grove
from bosco.store.header import Header, read_growth, read_schema, refuse_hash, sealed
from bosco.store.values import mapping, real, refuse, refusing, require
from bosco.tree.conditions import CUT

MISSING_RIGHT, OTHER_TEST = np.uint32(_core.missing_right), np.uint32(_core.other_test)
SCALES = ("weight_scale", "center", "scale")


class ForestParts(NamedTuple):
    """What a forest is made of, in the order in which `ForestModel` takes it."""

    native: _core.Forest
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    tree_weights: NDArray[np.float64]
    vote: str
    provenance: dict[str, Any]


def check_forest(parts: ForestParts) -> None:
    """Refuse parts that do not agree with each other."""
    state: dict[str, Any] = parts.native.state()
    check_state(state, parts.schema, parts.classes, parts.growth, parts.tree_weights, parts.vote)
    sound = _same(state, filled(parts.native, state))
    require(sound, "trees", "a leaf without rows does not say what the node above it says")


def restored_forest(state: Any, schema: Any, classes: Any, growth: Any, *rest: Any) -> ForestParts:
    """Make a forest's parts of what a pickle holds, by the same rules; labels may be any array."""
    columns = read_schema(schema)
    n_classes = 0 if classes is None else len(classes)
    settings = read_growth(growth, len(columns.columns), n_classes)
    tree_weights, vote, provenance = rest
    return _made(state, columns, classes, settings, tree_weights, vote, provenance)


def forest_header(parts: ForestParts) -> dict[str, Any]:
    """Give the header of a forest, its fingerprint included."""
    scales = {name: float(getattr(parts.native, name)) for name in SCALES}
    own = {"scales": scales, "vote": parts.vote}
    meaning = (parts.schema, parts.classes, parts.growth, parts.provenance)
    return sealed("forest", *meaning, own, digest(keep_forest(parts)))


# The compact form -----------------------------------------------------------------------------


def keep_forest(parts: ForestParts) -> Arrays:
    """Give the arrays of a forest to be kept."""
    state: dict[str, Any] = parts.native.state()
    first, what, slot = state["first"], state["what"], state["slot"]
    inner = first >= 0
    asked = what[inner]
    other = (asked & OTHER_TEST) != 0
    plain = asked[~other]
    kept: Arrays = {
        "nodes": np.diff(state["begin"]),
        "first": first,
        "column": plain & ~MISSING_RIGHT,
        "missing": (plain >> 31).astype(np.uint8),
        "threshold": slot[inner][~other].view(np.float64),
        "tally": what[~inner],
        "tallies": state["tallies"].reshape(-1, max(1, state["n_classes"])),
        "tree_weights": parts.tree_weights,
    }
    if parts.classes is None:
        kept["sum"] = slot[~inner]
    if other.any():
        kept["other"] = other.astype(np.uint8)
        kept |= keep_pool(state["tests"], "tests")
    return kept


def take_forest(left: Arrays, header: Header) -> ForestParts:
    """Take the arrays of a file for a forest, trusting nothing in them."""
    first = take(left, "first", np.int32)
    begin = begins(left, "nodes", len(first))
    inner = first >= 0
    n_inner = int(np.count_nonzero(inner))
    other = take(left, "other", np.uint8) if "other" in left else np.zeros(n_inner, np.uint8)
    sound = len(other) == n_inner and not (other > 1).any()
    require(sound, "other", "0 or 1 for each inner node is wanted")
    column = take(left, "column", np.uint32)
    missing = take(left, "missing", np.uint8)
    threshold = take(left, "threshold", np.float64)
    sizes = {len(column), len(missing), len(threshold), n_inner - int(other.sum())}
    require(len(sizes) == 1, "column", "one for each test with one threshold is wanted")
    require(not (column >= OTHER_TEST).any(), "column", "one is out of range")
    require(not (missing > 1).any(), "missing", "0 or 1 is wanted")
    tally = take(left, "tally", np.uint32)
    tallies = take(left, "tallies", np.int64, 2)
    real_target = header.n_classes == 0
    sums = take(left, "sum", np.int64) if real_target else np.zeros(len(tally), np.int64)
    sound = len(tally) == len(first) - n_inner == len(sums)
    require(sound, "tally", "one for each leaf is wanted")
    require(tallies.shape[1] == max(1, header.n_classes), "tallies", "another shape")
    asked = column | (missing.astype(np.uint32) << 31)
    state = _state(
        header,
        begin=begin,
        first=first,
        other=other > 0,
        plain=(asked, threshold),
        pool=take_pool(left, "tests"),
        leaves=(tally, sums, tallies),
    )
    return _checked(header, state, take(left, "tree_weights", np.float64))


def _state(
    header: Header,
    *,
    begin: NDArray[np.int64],
    first: NDArray[np.int32],
    other: NDArray[np.bool_],
    plain: tuple[NDArray[np.uint32], NDArray[np.float64]],
    pool: dict[str, Any],
    leaves: tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]],
) -> dict[str, Any]:
    """The state of a native forest."""
    n_others = int(np.count_nonzero(other))
    lengths = {len(pool[key]) for key in ("kind", "column", "branches", "missing", "flip")}
    lengths |= {len(pool[key]) - 1 for key in ("threshold_begin", "jump_begin")}
    require(lengths == {n_others}, "tests", "one for each test that is not one threshold is wanted")
    inner = np.flatnonzero(first >= 0)
    slot, what = np.zeros(len(first), np.int64), np.zeros(len(first), np.uint32)
    what[inner[~other]], slot[inner[~other]] = plain[0], plain[1].view(np.int64)
    right = np.where(pool["missing"] == 1, MISSING_RIGHT, np.uint32(0))
    what[inner[other]] = pool["column"].astype(np.uint32) | right | OTHER_TEST
    slot[inner[other]] = np.arange(n_others)
    tally, sums, tallies = leaves
    what[first < 0], slot[first < 0] = tally, sums
    return {
        "n_classes": header.n_classes,
        **header.scales,
        "criterion": core_criterion(header.growth),
        "begin": begin,
        "slot": slot,
        "first": first,
        "what": what,
        "tallies": np.ascontiguousarray(tallies).reshape(-1),
        "tests": pool,
    }


# The readable form ----------------------------------------------------------------------------


def forest_lines(parts: ForestParts) -> Iterator[str]:
    """Write the trees, one node a line; a leaf without rows has a tally of zeros."""
    state: dict[str, Any] = parts.native.state()
    begin, empty = state["begin"].tolist(), state["first"] == -2

    def trees() -> Iterator[tuple[dict[str, Any], Any, list[int], list[list[int]]]]:
        for t, weight in enumerate(parts.tree_weights.tolist()):
            tree = parts.native.tree(t)
            first = tree.first_child
            tally = np.where(empty[begin[t] : begin[t + 1], None], 0, tree.tally)
            head = {"tree": t, "weight": weight}
            yield head, tree.tests, first.tolist(), tally[first < 0].tolist()

    return grove_lines(trees(), "trees", "tally", parts.schema)


def read_forest(said: dict[str, Any], header: Header) -> ForestParts:
    """Read the trees, trusting nothing in them."""
    width = header.n_classes or 2
    heads = ("tree", "weight")
    grove, trees = read_grove(said["trees"], "trees", heads, "tally", width, header.schema)
    weights = [real(tree["weight"], f"trees[{t}].weight") for t, tree in enumerate(trees)]
    pool = grove.tests
    other = ~((pool["kind"] == CUT) & (pool["branches"] == 2))
    right = np.where(pool["missing"] == 1, MISSING_RIGHT, np.uint32(0))
    asked = (pool["column"].astype(np.uint32) | right)[~other]
    cuts = pool["thresholds"][np.repeat(~other, np.diff(pool["threshold_begin"]))]
    first = grove.first.copy()
    leaf = np.flatnonzero(first < 0)
    first[leaf[~grove.leaves.any(axis=1)]] = -2
    rows, empty = grove.leaves, first[leaf] == -2

    def state_of(leaves: tuple[Any, Any, Any]) -> dict[str, Any]:
        return _state(
            header,
            begin=grove.begin,
            first=first,
            other=other,
            plain=(asked, cuts),
            pool=_subset(pool, other),
            leaves=leaves,
        )

    if empty.any() and not empty.all():  # they say what the nodes above them say
        rows[empty] = rows[np.argmin(empty)]  # for the time being
        state = state_of(_interned(rows, header.n_classes))
        meaning = (header.schema, header.classes, header.growth)
        check_state(state, *meaning, np.array(weights), header.vote)
        said_above = filled(_native(state), state)
        assert said_above is not None
        rows = said_above
    state = state_of(_interned(rows, header.n_classes))
    return _checked(header, state, np.array(weights))


def _interned(rows: NDArray[np.int64], n_classes: int) -> tuple[Any, Any, Any]:
    """Which tally each leaf has, its sum, and the tallies, each once, by first appearance."""
    tallies = rows if n_classes else rows[:, :1]
    sums = np.zeros(len(rows), np.int64) if n_classes else np.ascontiguousarray(rows[:, 1])
    unique, at, number = np.unique(tallies, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(at)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order))
    return rank[number.reshape(-1)], sums, unique[order]


def _subset(pool: dict[str, Any], mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Some tests of a pool."""
    found = {key: pool[key][mask] for key in ("kind", "column", "branches", "missing", "flip")}
    for name, begin in (("thresholds", "threshold_begin"), ("jumps", "jump_begin")):
        lengths = np.diff(pool[begin])
        found[name] = pool[name][np.repeat(mask, lengths)]
        found[begin] = np.concatenate(([0], np.cumsum(lengths[mask])))
    return found if mask.any() else EMPTY


# Both -----------------------------------------------------------------------------------------


def _checked(header: Header, state: dict[str, Any], tree_weights: Any) -> ForestParts:
    meaning = (header.schema, header.classes, header.growth)
    parts = _made(state, *meaning, tree_weights, header.vote, header.provenance)
    refuse_hash(forest_header(parts)["hash"], header.hash)
    return parts


def _made(
    state: Any,
    schema: Schema,
    classes: NDArray[Any] | None,
    growth: Growth,
    tree_weights: Any,
    vote: str,
    provenance: dict[str, Any],
) -> ForestParts:
    """Make the parts of a forest, all rules but the hash checked."""
    names = ("n_classes", *SCALES, "criterion", *CORE_NAMES, "tests")
    mapping(state, "trees", names)
    with refusing("tree_weights", TypeError, ValueError):
        tree_weights = np.asarray(tree_weights, np.float64)
    check_state(state, schema, classes, growth, tree_weights, vote)
    native = _native(state)
    require(_same(state, filled(native, state)), "trees", "a leaf without rows says something else")
    return ForestParts(native, schema, classes, growth, tree_weights, vote, provenance)


def _native(state: dict[str, Any]) -> _core.Forest:
    """Make the native forest; it checks every index."""
    try:
        return _core.forest_from_state(state)
    except _core.CoreError as error:
        refuse("trees", str(error).removeprefix("this is not a sound tree: "))


def _same(state: dict[str, Any], rows: NDArray[np.int64] | None) -> bool:
    """Whether the leaves of a state say what they should."""
    if rows is None:
        return True
    leaf = state["first"] < 0
    width = max(1, state["n_classes"])
    tally = state["tallies"].reshape(-1, width)[state["what"][leaf]]
    if state["n_classes"]:
        return bool(np.array_equal(tally, rows))
    return bool(np.array_equal(np.column_stack((tally[:, 0], state["slot"][leaf])), rows))
