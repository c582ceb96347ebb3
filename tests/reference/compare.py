"""How a native tree differs from a reference tree: the first difference, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .tree import CUT, RefTree, Test

RELATIVE, ABSOLUTE = 1e-9, 1e-12


def same_tree(native_tree: Any, ref_tree: RefTree) -> str:
    """Empty if the trees are equal, else a description of the first difference.

    Structure, tests, thresholds, missing branches, tallies and counts must be equal; gains,
    impurities, split information and values to a relative 1e-9.
    """
    return next(differences(native_tree, ref_tree), "")


def differences(native: Any, ref: RefTree) -> Iterator[str]:
    for name in ("n_classes", "weight_scale", "count_scale", "center", "scale"):
        yield from unequal(f"tree: {name}", getattr(native, name), getattr(ref, name))
    for node in range(min(native.n_nodes, ref.n_nodes)):
        where = f"node {node} ({ref.path(node)}): "
        yield from node_differences(native, ref, node, where)
    yield from unequal("tree: number of nodes", native.n_nodes, ref.n_nodes)


def node_differences(native: Any, ref: RefTree, node: int, where: str) -> Iterator[str]:
    yield from unequal(where + "parent", int(native.parent[node]), ref.parent[node])
    yield from unequal(where + "tally", tuple(map(int, native.tally[node])), ref.tally[node])
    yield from unequal(where + "count", int(native.count[node]), ref.count[node])
    yield from unequal(where + "known weight", int(native.known[node]), ref.known[node])
    ours, theirs = ref.test[node], test_of(native.tests, int(native.test[node]))
    yield from unlike(where + "test", theirs, ours)
    if ref.candidates[node] or len(native.candidate_gain):
        yield from candidate_differences(native, ref, node, where)
    yield from unequal(where + "first child", int(native.first_child[node]), ref.first_child[node])
    yield from unequal(where + "children", int(native.n_children[node]), ref.n_children[node])
    yield from distant(where + "impurity", float(native.impurity[node]), ref.impurity[node])
    yield from distant(where + "gain", float(native.gain[node]), ref.gain[node])
    for i, value in enumerate(ref.value[node]):
        yield from distant(f"{where}value {i}", float(native.value[node][i]), value)
    if any(ref.surrogates) or len(native.surrogates.kind):
        begin, end = map(int, native.surrogate_begin[node : node + 2])
        theirs_ = [test_of(native.surrogates, i) for i in range(begin, end)]
        for i, (a, b) in enumerate(zip(theirs_, ref.surrogates[node], strict=False)):
            # A row without this column's value asks the next surrogate: no missing branch here.
            yield from unlike(
                f"{where}surrogate {i}", a and replace(a, missing=-1), replace(b, missing=-1)
            )
        yield from unequal(where + "number of surrogates", end - begin, len(ref.surrogates[node]))


def candidate_differences(native: Any, ref: RefTree, node: int, where: str) -> Iterator[str]:
    if not len(native.candidate_gain):
        yield f"{where}no candidates were recorded, the reference has {ref.candidates[node]}"
        return
    begin, end = map(int, native.candidate_begin[node : node + 2])
    theirs = [test_of(native.candidates, i) for i in range(begin, end)]
    ours = ref.candidates[node]
    columns = [test.column if test else -1 for test in theirs]
    yield from unequal(where + "candidate columns", columns, [c.test.column for c in ours])
    for i, candidate in enumerate(ours):
        label = f"{where}candidate of column {candidate.test.column}"
        yield from unlike(label, theirs[i], candidate.test)
        gain = float(native.candidate_gain[begin + i])
        yield from distant(label + ": gain", gain, candidate.gain)
        info = float(native.candidate_split_info[begin + i])
        yield from distant(label + ": split info", info, candidate.split_info)
        lost = float(native.candidate_penalty[begin + i])
        yield from distant(label + ": penalty", lost, candidate.penalty)


def test_of(pool: Any, index: int) -> Test | None:
    """A test of a native pool; None for index -1, a leaf's."""
    if index < 0:
        return None
    t0, t1 = map(int, pool.threshold_begin[index : index + 2])
    j0, j1 = map(int, pool.jump_begin[index : index + 2])
    return Test(
        int(pool.kind[index]),
        int(pool.column[index]),
        int(pool.branches[index]),
        int(pool.missing[index]),
        tuple(map(float, pool.thresholds[t0:t1])),
        tuple(map(int, pool.jumps[j0:j1])),
        bool(pool.flip[index]),
    )


test_of.__test__ = False  # type: ignore[attr-defined]


def unlike(what: str, native: Test | None, ref: Test | None) -> Iterator[str]:
    if native is None or ref is None:
        if native is not ref:
            yield f"{what}: native has {show(native)}, reference has {show(ref)}"
        return
    same_jumps = native.jumps[1:] == ref.jumps[1:]
    # Where missing values go down every branch, what a map holds for code 0 is nobody's business.
    if ref.missing >= 0:
        same_jumps = native.jumps == ref.jumps
    same = (
        (native.kind, native.column, native.branches) == (ref.kind, ref.column, ref.branches)
        and (native.thresholds, native.flip) == (ref.thresholds, ref.flip)
        and native.missing == ref.missing
        and same_jumps
    )
    if not same:
        yield f"{what}: native has {show(native)}, reference has {show(ref)}"


def show(test: Test | None) -> str:
    if test is None:
        return "a leaf"
    if test.kind == CUT:
        body = "cut at " + ", ".join(map(repr, test.thresholds)) + " flipped" * test.flip
    else:
        body = "map " + " ".join(f"{code}→{v}" for code, v in enumerate(test.jumps))
    return f"column {test.column}, {body}, {test.branches} branches, missing {test.missing}"


def unequal(what: str, native: object, ref: object) -> Iterator[str]:
    if native != ref:
        yield f"{what} is {native} in the native tree, {ref} in the reference"


def distant(what: str, native: float, ref: float) -> Iterator[str]:
    if not math.isclose(native, ref, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        yield f"{what} is {native!r} in the native tree, {ref!r} in the reference"
