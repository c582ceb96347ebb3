"""Whether the parts of a model from outside agree with each other.

The core has checked every index of the tree by itself (`core/tree/tree.cpp`). Here the tree is held
against the columns, the settings and its own numbers, so that whatever is accepted can be printed,
asked and applied, and says what it does. docs/format.md lists the rules.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.dates import LIMITS
from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.store.decisions import check_decision, read_decision
from bosco.store.edits import check_edits, read_edits
from bosco.store.header import Parts, read_log, read_meaning
from bosco.store.states import derived_values, weights
from bosco.store.values import require
from bosco.tree.census import Census
from bosco.tree.certificate import check_certificate, searched_by
from bosco.tree.conditions import BY_SHARE, MAP
from bosco.tree.decision import HEAVIEST
from bosco.tree.edits import Edits
from bosco.tree.missed import Missed
from bosco.tree.polished import check_polished
from bosco.tree.tree import Tree, spread

MAX_DEPTH = 2**16
"""A deeper tree is refused: nobody reads it, and drawing it whole costs the square of its depth."""


def check_file(parts: Parts) -> None:
    """Refuse parts that do not agree with each other, or that a file may not hold."""
    check(parts)
    require(parts.tree.max_depth <= MAX_DEPTH, "nodes", f"the tree is deeper than {MAX_DEPTH}")


def restored(
    tree: Tree,
    schema: Any,
    classes: Any,
    growth: Any,
    provenance: Any,
    log: Any,
    rows: Any = None,
    effective: Any = None,
    edits: Any = None,
    decision: Any = None,
) -> Parts:
    """Make a model's parts of what a pickle holds, by the same rules; labels may be any array."""
    require(isinstance(tree, Tree), "tree", "it is not one")
    counted = None
    if rows is not None:
        counted = Census(np.asarray(rows, np.int64), effective, float(tree.native.count_scale))
    meaning = read_meaning(schema, classes, growth)
    done = Edits() if edits is None else read_edits(edits, classes=classes is not None)
    n_classes = 0 if classes is None else len(classes)
    decided = HEAVIEST if decision is None else read_decision(decision, n_classes)
    parts = Parts(tree, *meaning, provenance, read_log(log), counted, done, decided)
    check(parts)
    return parts


def check(parts: Parts) -> None:
    """Refuse parts that do not agree with each other."""
    native = parts.tree.native
    n_classes = 0 if parts.classes is None else len(parts.classes)
    require(native.n_classes == n_classes, "classes", f"the tree has {native.n_classes}")
    require(parts.tree.n_features == len(parts.schema.columns), "schema", "columns are missing")
    check_scales(native.center, native.weight_scale, native.count_scale, native.scale)
    most = 2**_core.share_bits if parts.growth.on_missing.shared else 2**62
    whole = float(native.count_scale).is_integer() and native.count_scale <= most
    require(whole, "scales", "one is out of range")
    inner = native.test[native.test >= 0]
    in_order = np.array_equal(inner, np.arange(len(native.tests)))
    require(in_order, "nodes", "tests must be in the order of nodes")
    _check_numbers(native, parts.growth)
    if parts.counted is not None:
        _check_rows(native, parts.counted)
    numbers = np.arange(native.n_nodes)
    per_node = np.diff(native.surrogate_begin)
    schema, growth = parts.schema, parts.growth
    check_tests(native.tests, schema, growth, "nodes[{}].test", numbers[native.test >= 0])
    at = np.repeat(numbers, per_node)
    check_tests(native.surrogates, schema, growth, "nodes[{}].surrogates", at)
    at = np.arange(len(native.candidates))
    check_tests(native.candidates, schema, growth, "candidates[{}]", at)
    _check_surrogates(native)
    check_edits(parts.edits, parts.tree, parts.classes)
    check_decision(parts.decision, parts.classes, one=True)
    _check_candidates(native, parts.edits)
    _check_certificate(parts)
    _check_polished(parts)


def check_scales(center: float, *scales: float) -> None:
    """What numbers are divided by, and by what they are multiplied."""
    sound = all(0 < s < np.inf and 0 < 1 / s < np.inf for s in scales)
    require(sound and np.isfinite(center), "scales", "one is out of range")


def _check_numbers(native: _core.Tree, growth: Growth) -> None:
    """Tallies add up, and everything else about a node follows from them or is in range."""
    weight = weights(native.tally, native.n_classes)
    all_hold(weight >= 0, "nodes[{}].tally", "a weight is negative or passes 64 bits")
    inner = np.flatnonzero(native.test >= 0)
    all_hold(
        weight[[0, *inner.tolist()]] > 0, "nodes", "the root or a node with a test has no rows"
    )
    require(np.isfinite(weight[0] / native.weight_scale), "scales.weight_scale", "out of range")
    _check_sums(native, weight, inner)
    known = native.known <= weight if growth.on_missing.shared else native.known == weight
    all_hold(known, "nodes[{}].known", "it is not the weight, nor a part shared out of it")
    value, impurity, gain = native.value, native.impurity, native.gain
    if growth.medians:
        sound, what = np.isfinite(value).all(axis=1), "it is not finite"
    elif any(growth.monotonic):
        near_one = not native.n_classes or np.abs(value.sum(axis=1) - 1) < 1e-9
        sound = np.isfinite(value).all(axis=1) & near_one
        sound &= native.n_classes == 0 or (value >= 0).all(axis=1)
        what = "it is not finite, or not a share"
    else:
        scales = {"center": native.center, "scale": native.scale}
        wanted = derived_values(native.tally, weight, native.parent, native.n_classes, scales)
        same = value.view(np.int64) == wanted.view(np.int64)  # 0.0 and -0.0 told apart
        sound = (same & np.isfinite(value)).all(axis=1)
        what = "it is not what the tally says"
    all_hold(sound, "nodes[{}].value", what)
    all_hold(_decrease(impurity, native), "nodes[{}].impurity", "it is negative or not finite")
    all_hold(_decrease(gain, native), "nodes[{}].gain", "it is negative or not finite")
    none = (gain == 0) & ~np.signbit(gain)
    all_hold(none | (native.test >= 0), "nodes[{}].gain", "a leaf has none")


def _check_sums(native: _core.Tree, weight: NDArray[np.int64], inner: NDArray[np.int64]) -> None:
    """Children's tallies and counts add up to their parent's."""
    up, what = native.parent[1:], "the tallies or counts of its children do not add up to its own"
    whole = np.column_stack((native.tally, native.count))
    below = np.zeros_like(whole)
    np.add.at(below, up, whole[1:])
    all_hold((below == whole)[inner].all(axis=1), "nodes[{}]", what, inner)
    for total in (weight, native.count):  # in floats too: integers could wrap around
        own = total.astype(np.float64)
        below = np.bincount(up, own[1:], native.n_nodes)
        all_hold((np.abs(below - own) <= 1e-9 * own)[inner], "nodes[{}]", what, inner)


def _check_rows(native: _core.Tree, counted: Census) -> None:
    """Rows of children add up to their parent's, and there are some wherever there is weight."""
    rows, effective = counted.rows, counted.effective
    n, width = native.n_nodes, native.n_classes or 1
    require(rows.shape == (n, width), "nodes, rows", f"the shape {(n, width)} is wanted")
    total = weights(rows, width)
    all_hold(total >= 0, "nodes[{}].rows", "a number is negative or passes 64 bits")
    below = np.zeros_like(rows)
    np.add.at(below, native.parent[1:], rows[1:])
    inner = np.flatnonzero(native.test >= 0)
    what = "the rows of its children do not add up to its own"
    all_hold((below == rows)[inner].all(axis=1), "nodes[{}].rows", what, inner)
    some = weights(native.tally, native.n_classes) > 0
    all_hold((total > 0) == some, "nodes[{}].rows", "rows without weight, or weight without rows")
    if effective is None:
        return
    require(effective.shape == (n,), "nodes, effective", "one number per node is wanted")
    fits = (effective >= 0) & (effective <= total / counted.scale * (1 + 1e-6))
    all_hold(fits, "nodes[{}].effective", "it is negative or more than the rows")


def _decrease(x: NDArray[np.float64], native: _core.Tree) -> NDArray[np.bool_]:
    """Squares of large real targets may pass what a float64 holds; those of shares may not."""
    sound: NDArray[np.bool_] = ~(x < 0)
    return sound if native.n_classes == 0 else sound & np.isfinite(x)


def check_tests(pool: Any, schema: Schema, growth: Growth, where: str, at: Any) -> None:
    """The tests of a pool fit the kinds and levels of their columns, and the settings."""
    if not len(pool):
        return
    stand_in = where.endswith("surrogates")
    n_levels = np.array([len(column.levels or ()) for column in schema.columns])
    nominal = np.array([column.kind == "nominal" for column in schema.columns])
    all_hold(pool.column < len(n_levels), f"{where}.column", "there is no such column", at)
    levels, is_map = n_levels[pool.column], pool.kind == MAP
    all_hold(nominal[pool.column] == is_map, where, "it does not fit the kind of its column", at)
    n_jumps = np.diff(pool.jump_begin)
    all_hold(
        ~is_map | (n_jumps == levels + 1), where, "another number of levels than the column's", at
    )
    shared = growth.on_missing.shared
    all_hold(
        (pool.missing == BY_SHARE) == shared, f"{where}.missing", "not what the settings say", at
    )
    all_hold((pool.flip == 0) | stand_in, where, "only surrogates are flipped", at)

    n_cuts = np.diff(pool.threshold_begin)
    alone = ~is_map & (pool.branches == n_cuts + 2)
    own = growth.on_missing.own_branch
    all_hold(~alone | own, where, "no setting gives missing values a branch", at)
    test_of = np.repeat(np.arange(len(pool)), n_cuts)
    cuts, top = pool.thresholds, levels[test_of]
    # Every known value against the missing ones is the cut at infinity.
    known = (n_cuts == 1) & (pool.branches == 2) & (pool.missing == 1)
    known &= (not stand_in) & growth.on_missing.learned
    on_levels = (top == 0) | ((cuts >= 0) & (cuts <= top - 1))
    sound = np.where(cuts == np.inf, known[test_of], on_levels)
    all_hold(sound, f"{where}.thresholds", "one is out of range", at[test_of])
    # What is derived from dates may lie anywhere.
    units = ["number" if column.formula else column.unit for column in schema.columns]
    limits = [LIMITS.get(unit, (-np.inf, np.inf)) for unit in units]
    low, high = np.array(limits).T[:, pool.column[test_of]]
    told = (cuts == np.inf) | ((low <= cuts) & (cuts <= high))
    all_hold(told, f"{where}.thresholds", "one is no date or time", at[test_of])

    first = pool.jumps[pool.jump_begin[:-1][is_map]]
    missing = pool.missing[is_map]
    same = (missing == BY_SHARE) | (first == missing)
    all_hold(same, where, "jump 0 is not the missing branch", at[is_map])
    if stand_in:
        return
    # A branch holds a level or the missing values, or nobody could say what it is.
    jump_of = np.repeat(np.arange(len(pool)), n_jumps)
    of_level = np.ones(len(pool.jumps), bool)
    of_level[pool.jump_begin[:-1][is_map]] = False
    of_level |= np.repeat(pool.missing != BY_SHARE, n_jumps)
    taken = np.unique((jump_of * 2**32 + pool.jumps)[of_level]) // 2**32
    filled = np.bincount(taken, minlength=len(pool)) == pool.branches
    all_hold(~is_map | filled, where, "a branch has no level", at)


def _check_surrogates(native: _core.Tree) -> None:
    """Stand-ins send rows where their node's own test could, and ask another column."""
    if not len(native.surrogates):
        return
    per_node = np.diff(native.surrogate_begin)
    own = native.test[np.repeat(np.arange(native.n_nodes), per_node)]
    pool, tests = native.surrogates, native.tests
    sound = (pool.branches == 2) & (tests.branches[own] == 2) & (pool.missing == tests.missing[own])
    all_hold(sound, "surrogates[{}]", "it does not have the branches of its node's test")
    all_hold(pool.column != tests.column[own], "surrogates[{}]", "it asks its node's own column")


def _check_candidates(native: _core.Tree, edits: Edits) -> None:
    """One candidate a column, in order; one of them is the node's test, unless that is by hand."""
    if not len(native.candidates):
        return
    per_node = np.diff(native.candidate_begin)
    nodes = np.repeat(np.arange(native.n_nodes), per_node)
    pool, tests = native.candidates, native.tests
    same_node = nodes[1:] == nodes[:-1]
    rising = pool.column[1:] > pool.column[:-1]
    all_hold(~same_node | rising, "candidates[{}]", "columns must be in order, each once")
    for name, sound in (
        ("gain", _decrease(native.candidate_gain, native)),
        ("split_info", np.isfinite(native.candidate_split_info)),
        ("penalty", np.isfinite(native.candidate_penalty)),
    ):
        all_hold(sound, f"candidates[{{}}].{name}", "it is out of range")
    own = native.test[nodes]  # a leaf's candidates won nothing
    asked = np.append(tests.column, -1)[own]
    by_hand = np.zeros(native.n_nodes, bool)
    by_hand[list(edits.chosen)] = True
    winner = np.flatnonzero((pool.column == asked) & ~by_hand[nodes])
    among = (per_node == 0) | (native.test < 0) | by_hand
    among[nodes[winner]] = True
    all_hold(among, "nodes[{}]", "its test is not among its candidates")
    own = own[winner]
    same = (pool.branches[winner] == tests.branches[own]) & (
        pool.missing[winner] == tests.missing[own]
    )
    same &= _same_parts(
        pool.thresholds, pool.threshold_begin, winner, tests.thresholds, tests.threshold_begin, own
    )
    same &= _same_parts(pool.jumps, pool.jump_begin, winner, tests.jumps, tests.jump_begin, own)
    all_hold(same, "candidates[{}]", "it is not the test of its node", winner)


def _same_parts(
    a: NDArray[Any],
    a_begin: NDArray[np.int64],
    a_at: NDArray[np.int64],
    b: NDArray[Any],
    b_begin: NDArray[np.int64],
    b_at: NDArray[Any],
) -> NDArray[np.bool_]:
    """Whether part a_at[i] of one ragged array equals part b_at[i] of another."""
    lengths = np.diff(a_begin)[a_at]
    same: NDArray[np.bool_] = lengths == np.diff(b_begin)[b_at]
    lengths = np.where(same, lengths, 0)
    differ = a[spread(a_begin[a_at], lengths)] != b[spread(b_begin[b_at], lengths)]
    same[np.repeat(np.arange(len(a_at)), lengths)[differ]] = False
    return same


def all_hold(sound: Any, where: str, what: str, of: Any = None) -> None:
    """Refuse the first place where something does not hold; `of` says what its places stand for."""
    sound = np.atleast_1d(sound)
    if not sound.all():
        at = int(np.argmin(sound))
        require(False, where.format(at if of is None else of[at]), what)


def _check_polished(parts: Parts) -> None:
    """Refuse what is said of polishing where the tree is not the one that it speaks of."""
    said = parts.provenance.get("polished")
    if said is None or parts.log.steps or parts.edits:
        return
    check_polished(said)
    own = parts.growth.polish and parts.classes is not None
    own = own and np.isclose(said["after"], _missed(parts, said, "polished").counts, rtol=1e-9)
    require(own, "provenance.polished", "it is of another tree")


def _missed(parts: Parts, said: Any, what: str) -> Missed:
    """What the leaves of a tree get wrong, in weight or in squared error, and what that costs."""
    native, decision = parts.tree.native, searched_by(said)
    fits = decision.costs is None or len(decision.costs) == native.n_classes
    require(fits, f"provenance.{what}.costs", "they are of other classes")
    if native.n_classes > 0:
        return Missed.of(native, decision)
    leaf = native.test < 0
    return Missed(float(native.impurity[leaf] @ native.tally[leaf][:, 0]) / native.weight_scale)


def _check_certificate(parts: Parts) -> None:
    """Refuse what is said of a search where the tree is not the one that it speaks of.

    Of a tree that was pruned or edited since, nothing is said any more.
    """
    said = parts.provenance.get("certificate")
    if said is None or parts.log.steps or parts.edits:
        return
    check_certificate(said)
    missed = _missed(parts, said, "certificate")
    leaves = parts.tree.n_leaves
    objective = missed.counts + parts.growth.alpha * leaves
    near: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-8}
    if parts.classes is None:  # impurities are rounded: near 0 says little of a leaf without error
        native = parts.tree.native
        whole = float(native.impurity[0]) * int(native.tally[0, 0]) / native.weight_scale
        near = {"rtol": 1e-6, "atol": 1e-9 * whole + 1e-300}
    own = (
        parts.growth.search == "optimal"
        and said["leaves"] == leaves
        and np.allclose(
            [said["wrong"], said.get("cost", said["wrong"]), said["objective"]],
            [missed.wrong, missed.counts, objective],
            **near,
        )
    )
    require(own, "provenance.certificate", "it is of another tree")
