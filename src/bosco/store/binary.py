"""The compact form: the arrays of the tree in a safetensors file, the header in its metadata.

safetensors is JSON that names arrays, then their bytes: nothing in it is executed, and its reader
is written for files from strangers. Integers are kept in the narrowest type that holds them, and
what follows from the rest is left out, as in the readable form.
"""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ModelError
from bosco.store.check import checked
from bosco.store.header import KEYS, Header, Parts, read_header, write_header
from bosco.store.json import parse
from bosco.store.states import derived_values, lay_out, same_bits, weights
from bosco.store.values import mapping, refuse, require

_POOLS = ("tests", "surrogates", "candidates")
_POOL = {"kind": np.uint8, "column": np.int32, "branches": np.int32, "missing": np.int32,
         "flip": np.uint8, "thresholds": np.float64, "jumps": np.uint32}  # fmt: skip

_NODES = {"first_child": np.int32, "tally": np.int64, "impurity": np.float64, "gain": np.float64}
_MAY = {"count": np.int64, "known": np.int64, "value": np.float64}
_CANDIDATE = ("candidate_gain", "candidate_split_info", "candidate_penalty")


def is_binary(data: bytes) -> bool:
    """Tell the compact form from the readable one.

    Examples
    --------
    >>> is_binary(b'{"format": "bosco model"}')
    False
    """
    return data[8:9] == b"{" and 8 + int.from_bytes(data[:8], "little") <= len(data)


def to_binary(parts: Parts) -> bytes:
    """Write a model as safetensors."""
    save = _library().numpy.save
    arrays = {name: _narrow(array) for name, array in _keep(parts).items()}
    # One entry only: the library does not promise an order for several.
    data: bytes = save(arrays, {"bosco": json.dumps(write_header(parts), allow_nan=False)})
    return data


def from_binary(data: bytes) -> Parts:
    """Read a model from safetensors, trusting nothing in it."""
    library = _library()
    length = int.from_bytes(data[:8], "little")
    named = parse(data[8 : 8 + length])
    require(isinstance(named, dict), "the file", "its header is not a mapping")
    metadata = mapping(named.get("__metadata__"), "__metadata__", ("bosco",))
    require(isinstance(metadata["bosco"], str), "__metadata__.bosco", "a text is wanted")
    header = read_header(
        mapping(parse(metadata["bosco"].encode("utf-8", "replace")), "header", KEYS)
    )
    try:
        arrays = library.numpy.load(data)
    except (library.SafetensorError, ValueError, KeyError, TypeError) as error:
        refuse("the file", f"safetensors cannot read it: {error!s:.200}")
    return checked(header, _state(arrays, header))


def _library() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise ModelError(
            "The compact form of a model file needs the package safetensors. "
            "Hint: pip install 'bosco[binary]', or save as .json."
        ) from None
    return safetensors


def _keep(parts: Parts) -> dict[str, NDArray[Any]]:
    """The arrays from which the others follow."""
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
        if not len(pool):
            continue
        kept |= {f"{name}.{key}": getattr(pool, key) for key in _POOL}
        kept[f"{name}.n_thresholds"] = np.diff(pool.threshold_begin)
        kept[f"{name}.n_jumps"] = np.diff(pool.jump_begin)
        if name != "tests":
            begin = native.surrogate_begin if name == "surrogates" else native.candidate_begin
            kept[f"{name}.per_node"] = np.diff(begin)
    if len(native.candidates):
        kept |= {name: getattr(native, name) for name in _CANDIDATE}
    return kept


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "iu" or not array.size:
        return np.ascontiguousarray(array)
    low, high = int(array.min()), int(array.max())
    kind = np.min_scalar_type(high if low >= 0 else min(low, -high - 1))
    return np.ascontiguousarray(array, kind)


def _state(arrays: dict[str, NDArray[Any]], header: Header) -> dict[str, Any]:
    """The state of a native tree from the arrays of a file."""
    left = dict(arrays)
    kept: dict[str, Any] = {"n_classes": header.n_classes, **header.scales}
    for name, dtype in _NODES.items():
        kept[name] = _take(left, name, dtype, 2 if name == "tally" else 1)
    n = len(kept["first_child"])
    require(n >= 1, "first_child", "there are no nodes")
    _fits(kept["tally"], (n, header.n_classes or 2), "tally")
    gain, inner = np.zeros(n), kept["first_child"] >= 0
    require(len(kept["gain"]) == np.count_nonzero(inner), "gain", "one per inner node is wanted")
    gain[inner] = kept["gain"]
    kept["gain"] = gain
    for name, dtype in _MAY.items():
        ndim = 2 if name == "value" else 1
        kept[name] = _take(left, name, dtype, ndim) if name in left else None
    weight = weights(kept["tally"], header.n_classes)
    for name in ("count", "known"):
        kept[name] = weight if kept[name] is None else kept[name]
    if kept["value"] is not None:
        _fits(kept["value"], (n, header.n_classes or 1), "value")
    kept["tally"] = kept["tally"].reshape(-1)
    for name in _POOLS:
        present = any(key.startswith(f"{name}.") for key in left)
        kept[name] = _pool(left, name) if present else _EMPTY
        if name != "tests":
            begin = (
                _begins(left, f"{name}.per_node", len(kept[name]["kind"]))
                if present
                else (np.zeros(n + 1, np.int64))
            )
            kept[f"{name[:-1]}_begin"] = begin
    some = len(kept["candidates"]["kind"]) > 0
    for name in _CANDIDATE:
        kept[name] = _take(left, name, np.float64) if some else np.zeros(0)
    if left:
        refuse("the file", f"it has the unknown array {min(left)!r:.60}")
    return lay_out(kept)


def _pool(left: dict[str, NDArray[Any]], name: str) -> dict[str, Any]:
    pool: dict[str, Any] = {
        key: _take(left, f"{name}.{key}", dtype) for key, dtype in _POOL.items()
    }
    pool["threshold_begin"] = _begins(left, f"{name}.n_thresholds", len(pool["thresholds"]))
    pool["jump_begin"] = _begins(left, f"{name}.n_jumps", len(pool["jumps"]))
    return pool


_EMPTY: dict[str, Any] = {key: np.zeros(0, dtype) for key, dtype in _POOL.items()} | {
    "threshold_begin": np.zeros(1, np.int64),
    "jump_begin": np.zeros(1, np.int64),
}


def _take(left: dict[str, NDArray[Any]], name: str, dtype: Any, ndim: int = 1) -> NDArray[Any]:
    """An array by name, in the type of the core, no value changed."""
    require(name in left, "the file", f"it lacks the array {name!r}")
    array, wanted = left.pop(name), np.dtype(dtype)
    kinds = "f" if wanted.kind == "f" else "iu"
    require(array.ndim == ndim and array.dtype.kind in kinds, name, "another type or shape")
    if array.dtype.kind == "f":
        require(array.dtype == wanted, name, f"{wanted} is wanted, got {array.dtype}")
    elif array.size:
        info = np.iinfo(wanted)
        inside = int(array.min()) >= info.min and int(array.max()) <= info.max
        require(inside, name, f"a number does not fit {wanted}")
    return np.ascontiguousarray(array, wanted)


def _begins(left: dict[str, NDArray[Any]], name: str, total: int) -> NDArray[np.int64]:
    """Offsets from lengths that add up to a total."""
    lengths = _take(left, name, np.int64)
    sound = not lengths.size or (lengths.min() >= 0 and lengths.max() <= total)
    require(sound and int(lengths.sum()) == total, name, f"the lengths do not add up to {total}")
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def _fits(array: NDArray[Any], shape: tuple[int, int], name: str) -> None:
    require(array.shape == shape, name, f"the shape {shape} is wanted, got {array.shape}")
