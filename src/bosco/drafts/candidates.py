"""The tests that were compared at a node, written into a finished tree."""

from typing import Any

import numpy as np

from bosco import _core


def with_candidates(native: Any, node: int, leaf: Any) -> Any:
    """The tree with the tests compared at a node, taken from the node as a leaf; None: no tests."""
    state = dict(native.state())
    other = _none_of(state) if leaf is None else leaf.state()
    begin, end = native.candidate_begin[node : node + 2].tolist()
    n = int(other["candidate_begin"][-1])
    for name in ("candidate_gain", "candidate_split_info", "candidate_penalty"):
        state[name] = np.concatenate((state[name][:begin], other[name][:n], state[name][end:]))
    after = state["candidate_begin"].copy()
    after[node + 1 :] += n - (end - begin)
    state["candidate_begin"] = after
    state["candidates"] = _spliced(state["candidates"], other["candidates"], begin, end)
    return _core.tree_from_state(state)


def _none_of(state: dict[str, Any]) -> dict[str, Any]:
    """No tests at all, in the form of a tree's."""
    pool = {name: part[:0] for name, part in state["candidates"].items()}
    starts = {name: np.zeros(1, np.int64) for name in ("threshold_begin", "jump_begin")}
    gains = ("candidate_gain", "candidate_split_info", "candidate_penalty")
    none = {name: state[name][:0] for name in gains}
    return {**none, "candidate_begin": np.zeros(1, np.int64), "candidates": pool | starts}


def _spliced(pool: dict[str, Any], new: dict[str, Any], begin: int, end: int) -> dict[str, Any]:
    """A pool of tests in which those of a range are others."""
    made = {
        name: np.concatenate((pool[name][:begin], new[name], pool[name][end:]))
        for name in ("kind", "column", "branches", "missing", "flip")
    }
    for values, starts in (("thresholds", "threshold_begin"), ("jumps", "jump_begin")):
        low, high = pool[starts][begin], pool[starts][end]
        made[values] = np.concatenate((pool[values][:low], new[values], pool[values][high:]))
        sizes = [np.diff(pool[starts])[:begin], np.diff(new[starts]), np.diff(pool[starts])[end:]]
        made[starts] = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)
    return made
