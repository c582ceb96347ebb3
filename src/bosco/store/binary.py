"""The compact form: arrays in a safetensors file, the header in its metadata.

safetensors is JSON that names arrays, then their bytes: nothing in it is executed, and its reader
is written for files from strangers. Integers are kept in the narrowest type that holds them, and
what follows from the rest is left out, as in the readable form.
"""

import json
from typing import Any

from bosco.errors import ModelError
from bosco.store.arrays import Arrays, narrow
from bosco.store.header import KEYS, Header, kind_said, read_header
from bosco.store.json import parse
from bosco.store.values import mapping, refuse, require


def is_binary(data: bytes) -> bool:
    """Tell the compact form from the readable one.

    Examples
    --------
    >>> is_binary(b'{"format": "bosco model"}')
    False
    """
    return data[8:9] == b"{" and 8 + int.from_bytes(data[:8], "little") <= len(data)


def to_binary(header: dict[str, Any], arrays: Arrays) -> bytes:
    """Write a header and arrays as safetensors."""
    save = _library().numpy.save
    kept = {name: narrow(array) for name, array in arrays.items()}
    # One entry only: the library does not promise an order for several.
    data: bytes = save(kept, {"bosco": json.dumps(header, allow_nan=False)})
    return data


def from_binary(data: bytes) -> tuple[Header, Arrays]:
    """Read a header and arrays from safetensors, trusting nothing in them."""
    library = _library()
    length = int.from_bytes(data[:8], "little")
    named = parse(data[8 : 8 + length])
    require(isinstance(named, dict), "the file", "its header is not a mapping")
    metadata = mapping(named.get("__metadata__"), "__metadata__", ("bosco",))
    require(isinstance(metadata["bosco"], str), "__metadata__.bosco", "a text is wanted")
    said = parse(metadata["bosco"].encode("utf-8", "replace"))
    header = read_header(mapping(said, "header", KEYS[kind_said(said)]))
    try:
        arrays: Arrays = library.numpy.load(data)
    except (library.SafetensorError, ValueError, KeyError, TypeError) as error:
        refuse("the file", f"safetensors cannot read it: {error!s:.200}")
    return header, arrays


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
