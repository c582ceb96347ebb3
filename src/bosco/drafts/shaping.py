"""Trees put together from pieces: a node with a test of one's own, parts of other trees below it.

What nodes hold is not known here; `Ground.recounted` counts it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bosco import _core

_POOL = ("kind", "column", "branches", "missing", "flip")


def as_leaf(native: Any, node: int = 0) -> Any:
    """The tree in which a node is a leaf."""
    return _core.prune(native, np.arange(native.n_nodes) == node)


def one_level(leaf: Any, test: Any, stand_ins: Sequence[Any]) -> Any:
    """A tree of a node with a test and its branches, from the node as a leaf."""
    state, k = leaf.state(), test.branches
    made = dict(state)
    for name, other in (("test", -1), ("parent", 0), ("first_child", -1), ("n_children", 0)):
        made[name] = np.array([-1 if name == "parent" else 0, *[other] * k], np.int32)
    made["first_child"][0], made["n_children"][0] = 1, k
    for name in ("tally", "count", "impurity", "gain"):
        made[name] = np.concatenate(
            (state[name], np.zeros(len(state[name]) * k, state[name].dtype))
        )
    made["known"] = np.concatenate((state["known"], np.ones(k, np.int64)))
    made["value"] = np.tile(state["value"], k + 1)
    made["tests"] = pool_of([test])
    made["surrogates"] = pool_of(stand_ins)
    made["surrogate_begin"] = np.array([0, *[len(stand_ins)] * (k + 1)], np.int64)
    seen = state["candidate_begin"][-1]
    made["candidate_begin"] = np.array([0, *[seen] * (k + 1)], np.int64)
    return _core.tree_from_state(made)


def pool_of(tests: Sequence[Any]) -> dict[str, Any]:
    """Tests as parallel arrays."""
    parts = [test.__getstate__() for test in tests]
    columns = list(zip(*parts, strict=True)) if parts else [()] * 7
    kinds = (np.uint8, np.int32, np.int32, np.int32, np.uint8)
    pool = {
        name: np.array(columns[i], kind)
        for i, (name, kind) in enumerate(zip(_POOL, kinds, strict=True))
    }
    for name, begin, i, kind in (
        ("thresholds", "threshold_begin", 5, np.float64),
        ("jumps", "jump_begin", 6, np.uint32),
    ):
        lists = columns[i]
        pool[begin] = np.cumsum([0, *map(len, lists)]).astype(np.int64)
        pool[name] = np.array([x for one in lists for x in one], kind)
    return pool


def below(native: Any, node: int) -> Any:
    """A tree with the test of a node at its root and all that is below it."""
    n = native.n_nodes
    stand_in = np.arange(n, dtype=np.int32)
    stand_in[0] = node
    return _core.prune(native, np.zeros(n, bool), stand_in)


def grafted(native: Any, at: Sequence[int], trees: Sequence[Any], settings: dict[str, Any]) -> Any:
    """The tree in which some nodes and all below them are other trees."""
    return _core.graft(native, list(at), list(trees), settings)
