"""The arrays of one tree in the compact form: those from which the others follow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.store.arrays import Arrays, begins, keep_pool, take, take_pool
from bosco.store.header import Header, Parts
from bosco.store.states import derived_values, lay_out, same_bits, weights
from bosco.store.values import require

_POOLS = ("tests", "surrogates", "candidates")
_NODES = {"first_child": np.int32, "tally": np.int64, "impurity": np.float64, "gain": np.float64}
_MAY = {"count": np.int64, "known": np.int64, "value": np.float64}
_COUNTED = {"rows": np.int64, "effective": np.float64}
_CANDIDATE = ("candidate_gain", "candidate_split_info", "candidate_penalty")


def keep_tree(parts: Parts) -> Arrays:
    """Give the arrays of a tree to be kept."""
    native = parts.tree.native
    weight = weights(native.tally, native.n_classes)
    kept = {name: getattr(native, name) for name in _NODES}
    kept["gain"] = native.gain[native.test >= 0]  # a leaf has none
    scales = {"center": native.center, "scale": native.scale}
    shares = derived_values(native.tally, weight, native.parent, native.n_classes, scales)
    for name, follows in (("count", weight), ("known", weight), ("value", shares)):
        if not same_bits(getattr(native, name), follows):
            kept[name] = getattr(native, name)
    for name in _POOLS:
        pool = getattr(native, name)
        kept |= keep_pool(pool, name)
        if len(pool) and name != "tests":
            begin = native.surrogate_begin if name == "surrogates" else native.candidate_begin
            kept[f"{name}.per_node"] = np.diff(begin)
    if len(native.candidates):
        kept |= {name: getattr(native, name) for name in _CANDIDATE}
    for name in _COUNTED if parts.counted is not None else ():
        if (array := getattr(parts.counted, name)) is not None:
            kept[name] = array
    return kept


def take_tree(left: Arrays, header: Header) -> dict[str, Any]:
    """Take the arrays of a file for the state of a native tree."""
    kept: dict[str, Any] = {"n_classes": header.n_classes, **header.scales}
    for name, dtype in _NODES.items():
        kept[name] = take(left, name, dtype, 2 if name == "tally" else 1)
    n = len(kept["first_child"])
    require(n >= 1, "first_child", "there are no nodes")
    _fits(kept["tally"], (n, header.n_classes or 2), "tally")
    gain, inner = np.zeros(n), kept["first_child"] >= 0
    require(len(kept["gain"]) == np.count_nonzero(inner), "gain", "one per inner node is wanted")
    gain[inner] = kept["gain"]
    kept["gain"] = gain
    for name, dtype in (_MAY | _COUNTED).items():
        ndim = 2 if name in ("value", "rows") else 1
        kept[name] = take(left, name, dtype, ndim) if name in left else None
    weight = weights(kept["tally"], header.n_classes)
    for name in ("count", "known"):
        kept[name] = weight if kept[name] is None else kept[name]
    if kept["rows"] is not None:
        _fits(kept["rows"], (n, header.n_classes or 1), "rows")
    if kept["value"] is not None:
        _fits(kept["value"], (n, header.n_classes or 1), "value")
    kept["tally"] = kept["tally"].reshape(-1)
    for name in _POOLS:
        present = any(key.startswith(f"{name}.") for key in left)
        kept[name] = take_pool(left, name)
        if name != "tests":
            begin = (
                begins(left, f"{name}.per_node", len(kept[name]["kind"]))
                if present
                else (np.zeros(n + 1, np.int64))
            )
            kept[f"{name[:-1]}_begin"] = begin
    some = len(kept["candidates"]["kind"]) > 0
    for name in _CANDIDATE:
        kept[name] = take(left, name, np.float64) if some else np.zeros(0)
    return lay_out(kept)


def _fits(array: NDArray[Any], shape: tuple[int, int], name: str) -> None:
    require(array.shape == shape, name, f"the shape {shape} is wanted, got {array.shape}")
