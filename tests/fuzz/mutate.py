"""Sound files made unsound on purpose: one or a few changes that leave the rest as it was."""

from __future__ import annotations

import copy
import json
import marshal
import random
import re
from functools import lru_cache
from typing import Any

import numpy as np
import safetensors.numpy

from bosco.store.arrays import Arrays
from bosco.store.forms import is_binary

INTEGERS = [0, 1, 2, 3, -1, -2, 255, 256, 2**31 - 1, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 10**30]
FLOATS = [0.0, -0.0, 0.5, 1.0, 1.5, -1.0, 1e-320, 1e300, 1e308, -1e308, 0.1, 2.0**24, 2.0**62]
# fmt: off
WORDS = [
    "inf", "-inf", "nan", "share", "missing", "x0", "nominal", "numeric", "ordinal", "fractional",
    "surrogate", "branch", "learn", "majority", "error", "date", "number", "text", "int64", "str",
    "object", "datetime64[D]", "squared_error", "", "é\u0000", "\ud800", "a" * 1000,
]
# fmt: on
CODES = {"f8": "F64", "f4": "F32", "f2": "F16", "b1": "BOOL"}
CODES |= {f"{kind}{size}": f"{kind.upper()}{size * 8}" for kind in "iu" for size in (1, 2, 4, 8)}
BODY = ("nodes", "candidates", "trees", "lines")
OTHERS = [None, True, False, [], {}, [[]], {"float": "inf"}]


def mutant(data: bytes, other: bytes, draw: random.Random) -> bytes:
    """A changed file of the form of `data`; parts of `other` are grafted on it."""
    if draw.random() < 0.1:
        return change_bytes(data, draw)
    try:
        return _binary(data, draw) if is_binary(data) else _json(data, other, draw)
    except (ValueError, TypeError, LookupError, RecursionError, safetensors.SafetensorError):
        return change_bytes(data, draw)  # it was no sound file any more


@lru_cache(512)  # the same few files are changed again and again
def _said(data: bytes) -> bytes:
    return marshal.dumps(json.loads(data))


def _json(data: bytes, other: bytes, draw: random.Random) -> bytes:
    said = marshal.loads(_said(data))  # a copy, quicker than by reading it again
    graft = said if is_binary(other) else marshal.loads(_said(other))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        change(said, graft, draw)
    text = json.dumps(said, ensure_ascii=False)
    if draw.random() < 0.03:
        key = draw.choice(re.findall(r'"(\w+)": ', text))
        text = text.replace(f'"{key}": ', f'"{key}": null, "{key}": ', 1)  # a key twice
    return text.encode("utf-8", "surrogatepass")


def change(said: Any, other: Any, draw: random.Random) -> None:
    """Change one place of a nest of lists and mappings."""
    holder, key = _place(said, draw)
    old = holder[key]
    act = draw.randrange(9)
    if act == 0:
        holder[key] = draw.choice(INTEGERS)
    elif act == 1:
        holder[key] = draw.choice(FLOATS)
    elif act == 2:
        holder[key] = draw.choice(WORDS)
    elif act == 3:
        holder[key] = copy.deepcopy(draw.choice(OTHERS))
    elif act == 4 and type(old) in (int, float):
        holder[key] = old + draw.choice((1, -1, 2)) if type(old) is int else old * 2 + 0.25
    elif act == 5:  # two places trade
        there, place = _place(said, draw)
        holder[key], there[place] = copy.deepcopy(there[place]), copy.deepcopy(old)
    elif act == 6:
        there, place = _place(other, draw)
        holder[key] = copy.deepcopy(there[place])
    elif act == 7:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(draw.randrange(len(holder) + 1), copy.deepcopy(old))
    else:
        holder[draw.choice(WORDS)] = copy.deepcopy(old)


def _place(said: Any, draw: random.Random) -> tuple[Any, Any]:
    """A random place: what holds it, and its key there. Every other time among the nodes."""
    body = [key for key in BODY if isinstance(said, dict) and said.get(key)]
    holder, key = said, draw.choice(body) if body and draw.random() < 0.5 else _key(said, draw)
    while isinstance(holder[key], dict | list) and holder[key] and draw.random() < 0.88:
        holder = holder[key]
        key = _key(holder, draw)
    return holder, key


def _key(holder: Any, draw: random.Random) -> Any:
    return draw.choice(list(holder)) if isinstance(holder, dict) else draw.randrange(len(holder))


def change_bytes(data: bytes, draw: random.Random) -> bytes:
    """Cut, add, replace or flip, anywhere."""
    act, at = draw.randrange(5), draw.randrange(len(data) or 1)
    if act == 0:
        return data[:at]
    if act == 1:
        return data + draw.randbytes(draw.randrange(1, 9))
    if act == 2:
        return data[:at] + draw.randbytes(draw.randrange(1, 4)) + data[at + draw.randrange(3) :]
    if act == 3:
        return draw.choice([b"\xef\xbb\xbf", b"\xff\xfe", b" ", b"[" * 2000]) + data
    flipped = bytes(byte ^ (1 << draw.randrange(8)) for byte in data[at : at + 1])
    return data[:at] + flipped + data[at + 1 :]


@lru_cache(512)
def _parts(data: bytes) -> tuple[str, Arrays]:
    length = int.from_bytes(data[:8], "little")
    said = json.loads(data[8 : 8 + length])["__metadata__"]["bosco"]
    return said, safetensors.numpy.load(data)


def _binary(data: bytes, draw: random.Random) -> bytes:
    said, kept = _parts(data)
    arrays = dict(kept)
    changes = draw.choice((0, 1, 1, 1, 2, 2))  # of arrays; with none, of the header
    if not changes or draw.random() < 0.1:
        header = json.loads(said)
        change(header, header, draw)
        said = json.dumps(header)
    for _ in range(changes):
        _change_array(arrays, draw)
    return _laid_out(said, arrays, draw)


def _laid_out(said: str, arrays: Arrays, draw: random.Random) -> bytes:
    """What safetensors writes, and now and then what it does not."""
    named: dict[str, Any] = {"__metadata__": {"bosco": said}}
    end, parts = 0, []
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        code = CODES[array.dtype.str[1:]]
        named[name] = {"dtype": code, "shape": array.shape, "data_offsets": [begin, end]}
        parts.append(array.tobytes())
    if draw.random() < 0.03:
        change(named, named, draw)
    header = json.dumps(named).encode()
    return b"".join((len(header).to_bytes(8, "little"), header, *parts))


def _change_array(arrays: Arrays, draw: random.Random) -> None:
    name = draw.choice(sorted(arrays))
    array = arrays[name] = arrays[name].copy()
    act = draw.randrange(7)
    with np.errstate(all="ignore"):
        if act == 0 and array.size:
            array.reshape(-1)[draw.randrange(array.size)] = _number(array.dtype, draw)
        elif act == 1 and array.size:
            array.reshape(-1)[draw.randrange(array.size)] += array.dtype.type(1)
        elif act == 2:
            del arrays[name]
        elif act == 3:
            length = draw.choice([0, 1, len(array) + 1, max(0, len(array) - 1)])
            arrays[name] = np.resize(array, (length, *array.shape[1:]))
        elif act == 4:
            arrays[name] = array.astype(draw.choice("bBhiIqQfd?"))
        elif act == 5:
            arrays[draw.choice(sorted(arrays))] = array.copy()
        else:
            arrays[draw.choice(["count", "known", "value", "surrogates.kind", "odd"])] = (
                array.copy()
            )


def _number(dtype: Any, draw: random.Random) -> Any:
    if dtype.kind == "f":
        return draw.choice([*FLOATS, np.inf, -np.inf, np.nan])
    if dtype.kind == "b":
        return draw.random() < 0.5
    info = np.iinfo(dtype)
    return draw.choice([info.min, info.max, 0, 1, 2, info.max // 2])
