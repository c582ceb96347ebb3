"""The readable form: JSON with one node a line.

Python's own reader makes the values; what JSON leaves open is closed here: a key comes once, a
number is finite, the text is UTF-8 without a mark.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bosco.errors import ModelError
from bosco.store.values import refuse


def to_json(header: dict[str, Any], body: Iterable[str]) -> bytes:
    """Write a header and the lines of what follows it as JSON."""
    lines = ["{"]
    for key, value in header.items():
        if key == "schema":
            named = json.dumps(value["named"])
            lines += [f' "schema": {{"named": {named}, "columns": [']
            lines += [*listed(value["columns"]), " ]},"]
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
