"""Whether the arrays of a forest from outside agree with each other, before the core takes them.

What is checked is what `check` asks of one tree, of all trees at once: no loop over nodes or trees.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.arrays import POOL, Pool
from bosco.store.check import all_hold, check_scales, check_tests
from bosco.store.grove import Places, require_sound
from bosco.store.states import weights
from bosco.store.values import mapping, require
from bosco.tree.conditions import CUT
from bosco.tree.tree import spread

CORE_NAMES: dict[str, Any] = {
    "begin": np.int64,
    "slot": np.int64,
    "first": np.int32,
    "what": np.uint32,
    "tallies": np.int64,
    "value": np.float64,
    "gain": np.float64,
}
"""The arrays of a native forest, and their types."""

MAX_CELLS = 2**27
"""Nodes of a tree times classes. Leaves of a forest share tallies, so that a small file could ask
for more memory than there is."""

_MISSING_RIGHT, _OTHER_TEST = np.uint32(_core.missing_right), np.uint32(_core.other_test)


def core_criterion(growth: Growth) -> str:
    """The criterion by the core's name."""
    return "entropy" if growth.criterion == "log_loss" else growth.criterion


def asked_of(pool: Pool) -> NDArray[np.uint32]:
    """What nodes say of tests that are kept in a pool."""
    right = np.where(pool.missing == 1, _MISSING_RIGHT, np.uint32(0))
    said: NDArray[np.uint32] = pool.column.astype(np.uint32) | right | _OTHER_TEST
    return said


def check_state(
    state: dict[str, Any],
    schema: Schema,
    classes: NDArray[Any] | None,
    growth: Growth,
    tree_weights: NDArray[np.float64],
    vote: str,
) -> None:
    """Refuse the state of a native forest that is not sound, or not as the settings say."""
    pool = mapping(state["tests"], "tests", tuple(POOL))
    for name, dtype in (CORE_NAMES | POOL).items():
        array = state[name] if name in CORE_NAMES else pool[name]
        sound = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == 1
        require(sound, name, "another type or shape")
    n_classes = 0 if classes is None else len(classes)
    require(state["n_classes"] == n_classes, "classes", f"the trees have {state['n_classes']!r}")
    require(growth.on_missing.one_way, "growth.missing", "not of forests")
    require(state["criterion"] == core_criterion(growth), "growth.criterion", "not the trees'")
    check_scales(state["center"], state["weight_scale"], state["scale"])
    begin, first, what = state["begin"], state["first"], state["what"]
    sound = len(begin) >= 2 and begin[0] == 0 and begin[-1] == len(first)
    sound = sound and len(first) == len(what) == len(state["slot"]) and (np.diff(begin) > 0).all()
    require(sound, "trees", "their nodes do not add up")
    sized = int(np.diff(begin).max()) * max(2, n_classes) <= MAX_CELLS
    require(sized, "trees", f"one has more than {MAX_CELLS:,} nodes times classes")
    n_trees = len(begin) - 1
    fine = tree_weights.shape == (n_trees,) and np.isfinite(tree_weights).all()
    fine = fine and (tree_weights >= 0).all() and abs(tree_weights.sum() - 1) < 1e-6
    require(fine, "tree_weights", "one for each tree is wanted, not negative, together 1")
    votes = ("mean", "mode") if n_classes else ("mean",)
    require(vote in votes, "vote", f"one of {', '.join(map(repr, votes))} is wanted")
    _check_all_tests(state, schema, growth)
    _check_leaves(state)
    _check_medians(state, growth)


def _check_all_tests(state: dict[str, Any], schema: Schema, growth: Growth) -> None:
    begin, first, what, slot = (state[name] for name in ("begin", "first", "what", "slot"))
    inner = np.flatnonzero(first >= 0)
    asked = what[inner]
    other = (asked & _OTHER_TEST) != 0
    pool = Pool(**state["tests"])
    pool.require_whole()
    in_order = np.array_equal(slot[inner[other]], np.arange(len(pool)))
    require(in_order, "tests", "not one for each test that is not one threshold, in their order")
    branches = np.full(len(inner), 2)
    branches[other] = pool.branches
    require_sound(begin, first, branches, "trees")
    for name, end in (("threshold_begin", len(pool.thresholds)), ("jump_begin", len(pool.jumps))):
        offsets = getattr(pool, name)
        sound = offsets[0] == 0 and offsets[-1] == end and (np.diff(offsets) >= 0).all()
        require(sound, f"tests.{name}", "the offsets do not fit")
    places = Places(begin, inner, "trees")
    binary_cut = (pool.kind == CUT) & (pool.branches == 2)
    all_hold(~binary_cut, "{}.test", "one threshold is kept with the node", places[other])
    sound = (pool.column >= 0) & (pool.column < len(schema.columns))
    all_hold(sound, "{}.test.column", "there is no such column", places[other])
    same = asked[other] == asked_of(pool)
    all_hold(same, "{}.test", "its column or missing branch is not the test's", places[other])
    check_tests(pool, schema, growth, "{}.test", places[other])
    n = int(np.count_nonzero(~other))
    cuts = Pool(
        kind=np.full(n, CUT),
        column=(asked[~other] & ~_MISSING_RIGHT).astype(np.int64),
        branches=np.full(n, 2),
        missing=(asked[~other] >> 31).astype(np.int64),
        flip=np.zeros(n, np.uint8),
        threshold_begin=np.arange(n + 1),
        thresholds=slot[inner[~other]].view(np.float64),
        jump_begin=np.zeros(n + 1, np.int64),
        jumps=np.zeros(0, np.uint32),
    )
    all_hold(~np.isnan(cuts.thresholds), "{}.test.thresholds", "one is NaN", places[~other])
    check_tests(cuts, schema, growth, "{}.test", places[~other])


def _check_leaves(state: dict[str, Any]) -> None:
    """Tallies each once, by first use; weights that can be summed; means that are numbers."""
    begin, first, what, slot = (state[name] for name in ("begin", "first", "what", "slot"))
    n_classes = state["n_classes"]
    width = max(1, n_classes)
    require(len(state["tallies"]) % width == 0, "tallies", "another shape")
    tallies = state["tallies"].reshape(-1, width)
    leaf = np.flatnonzero(first < 0)
    require((first[leaf] >= -2).all(), "first", "a leaf is marked wrongly")
    number = what[leaf]
    require((number < len(tallies)).all(), "tally", "there is no such tally")
    used, at = np.unique(number, return_index=True)
    in_order = len(used) == len(tallies) and (np.diff(at) > 0).all()
    require(in_order, "tallies", "they are not in the order of their first use")
    once = len(np.unique(tallies, axis=0)) == len(tallies)
    require(once, "tallies", "one comes twice")
    weight = weights(tallies, n_classes)
    all_hold(weight > 0, "tallies[{}]", "a weight is not above 0 or passes 64 bits")
    require(
        np.isfinite(weight.max() / state["weight_scale"]), "scales.weight_scale", "out of range"
    )
    rows = np.where(first[leaf] == -1, 1.0, 0.0)  # the others have none of their own
    tree = np.searchsorted(begin, leaf, "right") - 1
    for of_leaf in (weight[number], slot[leaf] if not n_classes else None):
        if of_leaf is None:
            continue
        total = np.bincount(tree, np.abs(of_leaf.astype(np.float64)) * rows, len(begin) - 1)
        all_hold(total < 2.0**62 * 1.01, "trees[{}]", "its tallies pass 62 bits")
    total = np.bincount(tree, rows, len(begin) - 1)
    all_hold(total > 0, "trees[{}]", "it has no rows")
    if n_classes:
        require(not slot[leaf].any(), "sum", "leaves of classes have none")
    else:
        with np.errstate(over="ignore"):
            means = state["center"] + slot[leaf] / weight[number] / state["scale"]
        places = Places(begin, leaf, "trees")
        all_hold(np.isfinite(means), "{}.tally", "its mean is not finite", places)


def _check_medians(state: dict[str, Any], growth: Growth) -> None:
    """What nodes say that no tally says, and what their tests gain; else nothing of it."""
    first, value, gain = state["first"], state["value"], state["gain"]
    wanted = len(first) if growth.medians else 0
    sound = len(value) == len(gain) == wanted
    require(sound, "value", "one for each node is wanted where leaves say medians, else none")
    if not growth.medians:
        return
    places = Places(state["begin"], np.arange(len(first)), "trees")
    all_hold(np.isfinite(value), "{}.value", "it is not finite", places)
    all_hold((gain >= 0) & np.isfinite(gain), "{}.gain", "it is negative or not finite", places)
    all_hold((gain == 0) | (first >= 0), "{}.gain", "a leaf has none", places)
    same = (first != -2) | (value == value[_parents(state)])
    all_hold(same, "{}.value", "a leaf without rows does not say what its parent says", places)


def _parents(state: dict[str, Any]) -> NDArray[np.int64]:
    """The parent of every node, all trees end to end; roots are their own."""
    begin, first = state["begin"], state["first"]
    inner = np.flatnonzero(first >= 0)
    low = first[inner] + begin[np.searchsorted(begin, inner, "right") - 1]
    branches = np.full(len(inner), 2)
    branches[(state["what"][inner] & _OTHER_TEST) != 0] = state["tests"]["branches"]
    found = np.arange(len(first))
    found[spread(low, branches)] = np.repeat(inner, branches)
    return found


def leaves_say(state: dict[str, Any]) -> NDArray[np.int64]:
    """What every leaf says: its tally, of a real target its weight and sum."""
    leaf, n_classes = state["first"] < 0, state["n_classes"]
    rows: NDArray[np.int64] = state["tallies"].reshape(-1, max(1, n_classes))[state["what"][leaf]]
    return rows if n_classes else np.column_stack((rows, state["slot"][leaf]))


def filled(native: _core.Forest, state: dict[str, Any]) -> NDArray[np.int64]:
    """What every leaf is to say: its own, or what the last node above it says that has rows."""
    begin, first = state["begin"], state["first"]
    empty, rows = first == -2, leaves_say(state)
    place = np.cumsum(first < 0) - 1
    trees = np.unique(np.searchsorted(begin, np.flatnonzero(empty), "right") - 1)
    for t in trees.tolist():
        tree = native.tree(t)
        weight = weights(tree.tally, state["n_classes"])
        up = np.where(weight > 0, np.arange(len(weight)), np.maximum(tree.parent, 0))
        while (up != up[up]).any():
            up = up[up]
        of = np.flatnonzero(empty[begin[t] : begin[t + 1]])
        rows[place[begin[t] + of]] = tree.tally[up[of]]
    return rows
