"""The two forms of a model file: JSON with one node a line, and arrays as safetensors.

JSON: Python's own reader makes the values; what JSON leaves open is closed here: a key comes once,
a number is finite, the text is UTF-8 without a mark. safetensors is JSON that names arrays, then
their bytes: nothing in it is executed, and its reader is written for files from strangers. Integers
are kept in the narrowest type that holds them, and what follows from the rest is left out, as in
the readable form.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bosco.errors import ModelError
from bosco.store.arrays import Arrays, narrow
from bosco.store.header import Header, keys_of, kind_said, read_header
from bosco.store.values import mapping, refuse, require

# The readable form ----------------------------------------------------------------------------


def to_json(header: dict[str, Any], body: Iterable[str]) -> bytes:
    """Write a header and the lines of what follows it as JSON."""
    lines = ["{"]
    for key, value in header.items():
        if key == "schema":
            named = json.dumps(value["named"])
            lines += [f' "schema": {{"named": {named}, "columns": [']
            lines += [*listed(value["columns"]), " ]},"]
        elif key == "edits":
            lines.append(' "edits": {')
            lines += [f'  "{name}": {one_line(value[name])},' for name in value if name != "log"]
            lines += ['  "log": [', *listed(value["log"]), " ]},"]
        else:
            lines.append(f' "{key}": {one_line(value)},')
    return "\n".join([*lines, *body, "}", ""]).encode()


def listed(values: Sequence[Any]) -> Iterator[str]:
    """Values of a list, one a line."""
    for i, value in enumerate(values, start=1):
        yield f"  {one_line(value)}{',' if i < len(values) else ''}"


def one_line(value: Any) -> str:
    """Write a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def parse(data: bytes) -> Any:
    """Read JSON strictly."""
    if data.startswith(b"\xef\xbb\xbf"):
        refuse("the file", "it begins with a byte order mark", " Hint: save it as plain UTF-8.")
    try:
        return _STRICT.decode(data.decode())
    except UnicodeDecodeError as error:
        refuse(f"byte {error.start}", "the text is not UTF-8")
    except RecursionError:
        refuse("the file", "it is nested too deep")
    except json.JSONDecodeError as error:
        refuse(f"line {error.lineno}, column {error.colno}", f"not JSON: {error.msg}")
    except ModelError:
        raise
    except ValueError:  # Python makes no whole number of more than 4300 digits
        refuse("the file", "it holds a whole number of thousands of digits")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, n in times.items() if n > 1)
        refuse("the file", f"the key {twice!r:.60} comes twice")
    return found


def _no_word(word: str) -> Any:
    refuse("the file", f"{word} is not JSON", " Hint: such numbers are the texts 'inf' and 'nan'.")


def _finite(digits: str) -> float:
    x = float(digits)
    if x - x != 0:
        refuse("the file", f"{digits:.60} is beyond a float64")
    return x


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_word, parse_float=_finite)


# The compact form -----------------------------------------------------------------------------


def is_binary(data: bytes) -> bool:
    """Tell the compact form from the readable one."""
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
    header = read_header(mapping(said, "header", *keys_of(kind_said(said))))
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
