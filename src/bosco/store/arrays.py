"""Arrays of the compact form: integers as narrow as they can be, tests as a pool of flat arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.store.values import refuse, require
from bosco.tree.tree import spread

Arrays = dict[str, NDArray[Any]]

POOL = {"kind": np.uint8, "column": np.int32, "branches": np.int32, "missing": np.int32,
        "flip": np.uint8, "threshold_begin": np.int64, "thresholds": np.float64,
        "jump_begin": np.int64, "jumps": np.uint32}  # fmt: skip
"""The arrays of a native pool of tests, and their types."""

_RAGGED = {"thresholds": "threshold_begin", "jumps": "jump_begin"}
_EACH = tuple(POOL)[:5]


@dataclass(frozen=True, eq=False)
class Pool:
    """Tests as flat arrays, by the names of a native pool; ``vars`` is its state."""

    kind: NDArray[Any]
    column: NDArray[Any]
    branches: NDArray[Any]
    missing: NDArray[Any]
    flip: NDArray[Any]
    threshold_begin: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    jump_begin: NDArray[np.int64]
    jumps: NDArray[Any]

    @classmethod
    def of(cls, native: Any) -> "Pool":
        """The arrays of a native pool."""
        return cls(**{name: getattr(native, name) for name in POOL})

    @classmethod
    def joined(cls, pools: Sequence["Pool"]) -> "Pool":
        """The tests of some pools, end to end."""
        found = {
            name: np.concatenate([vars(pool)[name] for pool in pools])
            for name in (*_EACH, *_RAGGED)
        }
        for begin in _RAGGED.values():
            found[begin] = offsets(np.concatenate([np.diff(vars(pool)[begin]) for pool in pools]))
        return cls(**found)

    def part(self, chosen: NDArray[np.intp]) -> "Pool":
        """Some tests, by their numbers."""
        found = {name: vars(self)[name][chosen] for name in _EACH}
        for name, begin in _RAGGED.items():
            starts = vars(self)[begin]
            lengths = starts[chosen + 1] - starts[chosen]
            found[name] = vars(self)[name][spread(starts[chosen], lengths)]
            found[begin] = offsets(lengths)
        return Pool(**found)

    def __len__(self) -> int:
        return len(self.kind)

    def require_whole(self) -> None:
        """Refuse arrays that do not agree in length."""
        lengths = {len(vars(self)[name]) for name in _EACH}
        lengths |= {len(vars(self)[begin]) - 1 for begin in _RAGGED.values()}
        require(len(lengths) == 1, "tests", "their arrays differ in length")


def offsets(lengths: Any) -> NDArray[np.int64]:
    """Where parts of such lengths begin, and where the last one ends."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


NO_TESTS = Pool(**{key: np.zeros(int("begin" in key), dtype) for key, dtype in POOL.items()})


def narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Give integers in the narrowest type that holds them."""
    if array.dtype.kind not in "iu" or not array.size:
        return np.ascontiguousarray(array)
    low, high = int(array.min()), int(array.max())
    kind = np.min_scalar_type(high if low >= 0 else min(low, -high - 1))
    return np.ascontiguousarray(array, kind)


def keep_pool(pool: Pool, name: str) -> Arrays:
    """The arrays of a pool to be kept, if there are any tests."""
    if not len(pool):
        return {}
    kept = {f"{name}.{key}": vars(pool)[key] for key in POOL if key not in _RAGGED.values()}
    kept[f"{name}.n_thresholds"] = np.diff(pool.threshold_begin)
    kept[f"{name}.n_jumps"] = np.diff(pool.jump_begin)
    return kept


def take_pool(left: Arrays, name: str) -> Pool:
    """The pool that was kept, empty if none of its arrays is there."""
    if not any(key.startswith(f"{name}.") for key in left):
        return NO_TESTS
    found = {
        key: take(left, f"{name}.{key}", dtype)
        for key, dtype in POOL.items()
        if key not in _RAGGED.values()
    }
    for key, begin in _RAGGED.items():
        found[begin] = begins(left, f"{name}.n_{key}", len(found[key]))
    pool = Pool(**found)
    pool.require_whole()
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
    return offsets(lengths)
