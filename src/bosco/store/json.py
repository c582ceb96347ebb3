"""The readable form: JSON with one node a line.

Python's own reader makes the values; what JSON leaves open is closed here: a key comes once, a
number is finite, the text is UTF-8 without a mark.
"""

import json
from collections.abc import Iterator
from typing import Any

from bosco.errors import ModelError
from bosco.store.check import checked
from bosco.store.header import KEYS, Parts, read_header, write_header
from bosco.store.nodes import read_state, write_candidates, write_nodes
from bosco.store.values import mapping, refuse


def to_json(parts: Parts) -> bytes:
    """Write a model as JSON."""
    header = write_header(parts)
    lines = ["{"]
    for key in KEYS:
        if key == "schema":
            named = json.dumps(header[key]["named"])
            lines += [f' "schema": {{"named": {named}, "columns": [']
            lines += [*_lines(header[key]["columns"]), " ]},"]
        else:
            lines.append(f' "{key}": {_line(header[key])},')
    lines += [' "nodes": [', *_lines(write_nodes(parts.tree, parts.schema)), " ],"]
    candidates = write_candidates(parts.tree, parts.schema)
    lines += [' "candidates": [', *_lines(candidates), " ]", "}", ""]
    return "\n".join(lines).encode()


def _lines(values: list[Any]) -> Iterator[str]:
    for i, value in enumerate(values, start=1):
        yield f"  {_line(value)}{',' if i < len(values) else ''}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def from_json(data: bytes) -> Parts:
    """Read a model from JSON, trusting nothing in it."""
    said = mapping(parse(data), "the file", (*KEYS, "nodes", "candidates"))
    header = read_header(said)
    return checked(header, read_state(said["nodes"], said["candidates"], header))


def parse(data: bytes) -> Any:
    """Read JSON strictly.

    Examples
    --------
    >>> parse(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    bosco.errors.ModelError: This is not a sound model: the file: the key 'a' comes twice.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        refuse("the file", "it begins with a byte order mark", " Hint: save it as plain UTF-8.")
    try:
        return json.loads(
            data.decode(), object_pairs_hook=_once, parse_constant=_no_word, parse_float=_finite
        )
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
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        refuse("the file", f"the key {twice!r:.60} comes twice")
    return found


def _no_word(word: str) -> Any:
    refuse("the file", f"{word} is not JSON", " Hint: such numbers are the texts 'inf' and 'nan'.")


def _finite(digits: str) -> float:
    x = float(digits)
    if x - x != 0:
        refuse("the file", f"{digits:.60} is beyond a float64")
    return x
