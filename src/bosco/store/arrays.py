"""Arrays of the compact form: integers as narrow as they can be, tests as a pool of flat arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.store.values import refuse, require

Arrays = dict[str, NDArray[Any]]

POOL = {"kind": np.uint8, "column": np.int32, "branches": np.int32, "missing": np.int32,
        "flip": np.uint8, "thresholds": np.float64, "jumps": np.uint32}  # fmt: skip

EMPTY: dict[str, Any] = {key: np.zeros(0, dtype) for key, dtype in POOL.items()} | {
    "threshold_begin": np.zeros(1, np.int64),
    "jump_begin": np.zeros(1, np.int64),
}
"""The state of a pool without tests."""


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Give integers in the narrowest type that holds them."""
    if array.dtype.kind not in "iu" or not array.size:
        return np.ascontiguousarray(array)
    low, high = int(array.min()), int(array.max())
    kind = np.min_scalar_type(high if low >= 0 else min(low, -high - 1))
    return np.ascontiguousarray(array, kind)


def keep_pool(pool: Any, name: str) -> Arrays:
    """The arrays of a native pool of tests, or of its state, if there are any tests."""
    state = pool if isinstance(pool, dict) else {key: getattr(pool, key) for key in EMPTY}
    if not len(state["kind"]):
        return {}
    kept = {f"{name}.{key}": state[key] for key in POOL}
    kept[f"{name}.n_thresholds"] = np.diff(state["threshold_begin"])
    kept[f"{name}.n_jumps"] = np.diff(state["jump_begin"])
    return kept


def take_pool(left: Arrays, name: str) -> dict[str, Any]:
    """The state of a native pool, empty if none of its arrays is there."""
    if not any(key.startswith(f"{name}.") for key in left):
        return EMPTY
    pool: dict[str, Any] = {key: take(left, f"{name}.{key}", dtype) for key, dtype in POOL.items()}
    pool["threshold_begin"] = begins(left, f"{name}.n_thresholds", len(pool["thresholds"]))
    pool["jump_begin"] = begins(left, f"{name}.n_jumps", len(pool["jumps"]))
    return pool


def take(left: Arrays, name: str, dtype: Any, ndim: int = 1) -> NDArray[Any]:
    """An array by name, in the type of the core, no value changed."""
    require(name in left, "the file", f"it lacks the array {name!r}")
    array, wanted = left.pop(name), np.dtype(dtype)
    kinds = "f" if wanted.kind == "f" else "iu"
    require(array.ndim == ndim and array.dtype.kind in kinds, name, "another type or shape")
    if array.dtype == wanted:
        return np.ascontiguousarray(array)
    if wanted.kind == "f":
        refuse(name, f"{wanted} is wanted, got {array.dtype}")
    if array.size and not np.can_cast(array.dtype, wanted):
        info = np.iinfo(wanted)
        if int(array.min()) < info.min or int(array.max()) > info.max:
            refuse(name, f"a number does not fit {wanted}")
    return np.ascontiguousarray(array, wanted)


def begins(left: Arrays, name: str, total: int) -> NDArray[np.int64]:
    """Offsets from lengths that add up to a total."""
    lengths = take(left, name, np.int64)
    sound = not lengths.size or (lengths.min() >= 0 and lengths.max() <= total)
    require(sound and int(lengths.sum()) == total, name, f"the lengths do not add up to {total}")
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
