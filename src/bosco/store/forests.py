"""A forest in a file: the core's arrays of nodes, or its trees node by node."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.arrays import Arrays, Pool, begins, keep_pool, take, take_pool
from bosco.store.check_forest import (
    CORE_NAMES,
    asked_of,
    check_state,
    core_criterion,
    filled,
    leaves_say,
)
from bosco.store.decisions import check_decision, read_decision
from bosco.store.grove import digest, grove_lines, read_grove
from bosco.store.header import Header, Kind, read_meaning, sealed
from bosco.store.values import mapping, real, reals, refusing, require, sequence
from bosco.tree.conditions import CUT
from bosco.tree.decision import HEAVIEST, Decision

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
    decision: Decision = HEAVIEST


def check_forest(parts: ForestParts) -> None:
    """Refuse parts that do not agree with each other."""
    state: dict[str, Any] = parts.native.state()
    check_state(state, parts.schema, parts.classes, parts.growth, parts.tree_weights, parts.vote)
    _check_empty(parts.native, state)
    check_decision(parts.decision, parts.classes)


def restored_forest(
    state: Any,
    schema: Any,
    classes: Any,
    growth: Any,
    tree_weights: Any,
    vote: Any,
    provenance: Any,
    decision: Any = None,
) -> ForestParts:
    """Make a forest's parts of what a pickle holds, by the same rules; labels may be any array."""
    n_classes = 0 if classes is None else len(classes)
    decided = HEAVIEST if decision is None else read_decision(decision, n_classes)
    meaning = read_meaning(schema, classes, growth)
    return _made(state, *meaning, tree_weights, vote, provenance, decided)


def forest_header(parts: ForestParts) -> dict[str, Any]:
    """Give the header of a forest, its fingerprint included."""
    scales = {name: float(getattr(parts.native, name)) for name in SCALES}
    own = {"scales": scales, "vote": parts.vote}
    version = 7 if parts.growth.medians else 1
    return sealed("forest", parts, own, digest(keep_forest(parts)), version)


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
    if parts.growth.medians:
        kept |= {"value": state["value"], "gain": state["gain"][inner]}
    if other.any():
        kept["other"] = other.astype(np.uint8)
        kept |= keep_pool(Pool(**state["tests"]), "tests")
    return kept


def take_forest(left: Arrays, header: Header) -> ForestParts:
    """Take the arrays of a file for a forest, trusting nothing in them."""
    state = _state(left, header)
    meaning = (header.schema, header.classes, header.growth)
    tree_weights = take(left, "tree_weights", np.float64)
    vote, about = header.vote, header.provenance
    return _made(state, *meaning, tree_weights, vote, about, header.decision)


def _state(left: Arrays, header: Header) -> dict[str, Any]:
    """The state of a native forest."""
    first = take(left, "first", np.int32)
    begin = begins(left, "nodes", len(first))
    inner, leaf = np.flatnonzero(first >= 0), first < 0
    other = take(left, "other", np.uint8) if "other" in left else np.zeros(len(inner), np.uint8)
    sound = len(other) == len(inner) and not (other > 1).any()
    require(sound, "other", "0 or 1 for each inner node is wanted")
    others, plain = inner[other > 0], inner[other == 0]
    column = take(left, "column", np.uint32)
    missing = take(left, "missing", np.uint8)
    threshold = take(left, "threshold", np.float64)
    sizes = {len(column), len(missing), len(threshold), len(plain)}
    require(len(sizes) == 1, "column", "one for each test with one threshold is wanted")
    require(not (column >= OTHER_TEST).any(), "column", "one is out of range")
    require(not (missing > 1).any(), "missing", "0 or 1 is wanted")
    tally = take(left, "tally", np.uint32)
    tallies = take(left, "tallies", np.int64, 2)
    sums = np.zeros(len(tally), np.int64) if header.n_classes else take(left, "sum", np.int64)
    sound = len(tally) == len(first) - len(inner) == len(sums)
    require(sound, "tally", "one for each leaf is wanted")
    require(tallies.shape[1] == max(1, header.n_classes), "tallies", "another shape")
    value, gain = np.zeros((2, len(first) if header.growth.medians else 0))
    if header.growth.medians:
        value, own = take(left, "value", np.float64), take(left, "gain", np.float64)
        require(len(own) == len(inner), "gain", "one for each inner node is wanted")
        gain[inner] = own
    pool = take_pool(left, "tests")
    wanted = "one for each test that is not one threshold is wanted"
    require(len(pool) == len(others), "tests", wanted)
    slot, what = np.zeros(len(first), np.int64), np.zeros(len(first), np.uint32)
    what[plain], slot[plain] = column | missing.astype(np.uint32) << 31, threshold.view(np.int64)
    what[others], slot[others] = asked_of(pool), np.arange(len(others))
    what[leaf], slot[leaf] = tally, sums
    return {
        "n_classes": header.n_classes,
        **header.scales,
        "criterion": core_criterion(header.growth),
        "begin": begin,
        "slot": slot,
        "first": first,
        "what": what,
        "tallies": tallies.reshape(-1),
        "tests": vars(pool),
        "value": value,
        "gain": gain,
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
            if parts.growth.medians:
                head |= {"value": tree.value[:, 0].tolist(), "gain": tree.gain[first >= 0].tolist()}
            yield head, tree.tests, first.tolist(), tally[first < 0].tolist()

    return grove_lines(trees(), "trees", "tally", parts.schema)


def read_trees(said: dict[str, Any], header: Header) -> Arrays:
    """Read the trees into the arrays that are kept, trusting nothing in them."""
    medians, width = ("value", "gain") * header.growth.medians, header.n_classes or 2
    heads = ("tree", "weight", *medians)
    grove, trees = read_grove(said["trees"], "trees", heads, "tally", width, header.schema)
    weights = [real(tree["weight"], f"trees[{t}].weight") for t, tree in enumerate(trees)]
    pool, first, rows = grove.tests, grove.first, grove.leaves
    empty = ~rows.any(axis=1)
    first[np.flatnonzero(first < 0)[empty]] = -2
    other = ~((pool.kind == CUT) & (pool.branches == 2))
    plain = pool.part(np.flatnonzero(~other))
    arrays: Arrays = {
        "nodes": grove.sizes,
        "first": first,
        "other": other.astype(np.uint8),
        "column": plain.column,
        "missing": plain.missing,
        "threshold": plain.thresholds,
        "tree_weights": np.array(weights),
        **keep_pool(pool.part(np.flatnonzero(other)), "tests"),
    }
    for name in medians:
        of_trees = (sequence(tree[name], f"trees[{t}].{name}") for t, tree in enumerate(trees))
        arrays[name] = reals([x for some in of_trees for x in some], f"trees, {name} {{}}")
    if empty.any() and not empty.all():  # they say what the nodes above them say
        rows[empty] = rows[np.argmin(empty)]  # for the time being
        state = _state(arrays | _interned(rows, header.n_classes), header)
        meaning = (header.schema, header.classes, header.growth)
        check_state(state, *meaning, arrays["tree_weights"], header.vote)
        rows = filled(_native(state), state)
    return arrays | _interned(rows, header.n_classes)


def _interned(rows: NDArray[np.int64], n_classes: int) -> Arrays:
    """Which tally each leaf has, its sum, and the tallies, each once, by first appearance."""
    tallies = rows if n_classes else rows[:, :1]
    unique, at, number = np.unique(tallies, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(at)
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order))
    found: Arrays = {"tally": rank[number.reshape(-1)], "tallies": unique[order]}
    return found if n_classes else found | {"sum": rows[:, 1]}


# Both -----------------------------------------------------------------------------------------


def _made(
    state: Any,
    schema: Schema,
    classes: NDArray[Any] | None,
    growth: Growth,
    tree_weights: Any,
    vote: str,
    provenance: dict[str, Any],
    decision: Decision,
) -> ForestParts:
    """Make the parts of a forest, all rules but the hash checked."""
    names = ("n_classes", *SCALES, "criterion", *CORE_NAMES, "tests")
    mapping(state, "trees", names)
    with refusing("tree_weights", TypeError, ValueError):
        tree_weights = np.asarray(tree_weights, np.float64)
    check_state(state, schema, classes, growth, tree_weights, vote)
    native = _native(state)
    _check_empty(native, state)
    check_decision(decision, classes)
    return ForestParts(native, schema, classes, growth, tree_weights, vote, provenance, decision)


def _check_empty(native: _core.Forest, state: dict[str, Any]) -> None:
    if (state["first"] != -2).all():
        return
    same = np.array_equal(leaves_say(state), filled(native, state))
    require(same, "trees", "a leaf without rows does not say what the node above it says")


def _native(state: dict[str, Any]) -> _core.Forest:
    """Make the native forest; it checks every index."""
    with refusing("trees", _core.CoreError):
        return _core.forest_from_state(state)


_VERBS = (check_forest, forest_header, forest_lines, read_trees, keep_forest, take_forest)
KIND = Kind("forest", ForestParts, ("trees",), *_VERBS)
