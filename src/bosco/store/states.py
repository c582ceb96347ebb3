"""The state of a native tree from what a file keeps, the rest derived."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.store.arrays import NO_TESTS, Pool
from bosco.store.values import refusing, require
from bosco.tree.tree import spread

POOLS = ("tests", "surrogates", "candidates")
CANDIDATE = ("candidate_gain", "candidate_split_info", "candidate_penalty")


def weights(tally: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Give the weight of every node; negative where the sum passes 64 bits."""
    if not n_classes:
        return np.ascontiguousarray(tally[:, 0])
    sums = np.cumsum(tally, axis=1)
    # Two numbers that are not negative pass 2**63 into the negative ones, and are caught there.
    wrong = (sums < 0).any(axis=1) | (tally < 0).any(axis=1)
    return np.where(wrong, -1, sums[:, -1])


def derived_values(
    tally: NDArray[np.int64],
    weight: NDArray[np.int64],
    parent: NDArray[np.int32],
    n_classes: int,
    scales: Mapping[str, float],
) -> NDArray[np.float64]:
    """Give the class shares, or the mean, of every node; of one without rows, its parent's."""
    with np.errstate(all="ignore"):
        if n_classes:
            values = tally / weight[:, None]
        else:
            values = (scales["center"] + tally[:, 1] / weight / scales["scale"])[:, None]
    for node in np.flatnonzero(weight == 0).tolist():  # parents come first
        values[node] = values[max(parent[node], 0)]
    return values


def same_bits(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether two arrays of one type hold the same, 0.0 and -0.0 told apart."""
    return a.shape == b.shape and np.array_equal(a.view(np.int64), b.view(np.int64))


def lay_out(kept: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from the rest: numbers of tests, parents and children, shares of classes."""
    first, branches = kept["first_child"], kept["tests"].branches
    n, inner = len(first), np.flatnonzero(first >= 0)
    require(len(inner) == len(branches), "nodes", "there must be one test per inner node")
    # Before anything is made as long as they say: every node but the root is the child of one.
    fits = not len(branches) or (branches.min() >= 2 and branches.max() < n)
    require(fits and int(branches.sum()) == n - 1, "nodes", "the children do not fit the tests")
    children = spread(first[inner], branches)
    in_range = not len(children) or children.max() < n
    require(in_range, "nodes", "a child is out of range")
    parent = np.full(n, -1, np.int32)
    parent[children] = np.repeat(inner, branches)
    test, n_children = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    test[inner], n_children[inner] = np.arange(len(inner)), branches
    value = kept["value"]
    if value is None:
        tally = kept["tally"].reshape(n, -1)
        n_classes = kept["n_classes"]
        value = derived_values(tally, weights(tally, n_classes), parent, n_classes, kept)
    return kept | {
        "test": test,
        "parent": parent,
        "n_children": n_children,
        "tally": kept["tally"].reshape(-1),
        "value": np.ascontiguousarray(value, np.float64).reshape(-1),
        **{name: vars(kept[name]) for name in POOLS},
    }


def questions(first: NDArray[np.int32], tests: Pool, n_classes: int) -> _core.Tree:
    """Give a tree that only asks: no rows are counted in it."""
    n = len(first)
    kept: dict[str, Any] = {
        "n_classes": n_classes,
        **dict.fromkeys(("weight_scale", "count_scale", "scale"), 1.0),
        "center": 0.0,
        "first_child": first,
        "tally": np.zeros(n * n_classes, np.int64),
        **dict.fromkeys(("count", "known"), np.zeros(n, np.int64)),
        "value": np.zeros(n * n_classes),
        **dict.fromkeys(("impurity", "gain"), np.zeros(n)),
        **dict.fromkeys(CANDIDATE, np.zeros(0)),
        **dict.fromkeys(("surrogate_begin", "candidate_begin"), np.zeros(n + 1, np.int64)),
        **dict.fromkeys(POOLS, NO_TESTS) | {"tests": tests},
    }
    return native_tree(lay_out(kept))


def native_tree(state: dict[str, Any]) -> _core.Tree:
    """Make the native tree; it checks every index."""
    with refusing("nodes", _core.CoreError):
        return _core.tree_from_state(state)
