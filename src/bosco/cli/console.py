"""What verbs print: text for people, JSON for programs."""

import json
import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from bosco.base.visible import harmless

_PLAIN = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "…": "...", "·": ";", "–": "-"})


Format = StrEnum("Format", "text json")
"""How a verb answers."""


def showable(text: str, stream: Any) -> str:
    """Write a text with what a stream can show, and nothing that acts on a terminal."""
    text = harmless(text)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def emit(form: Format, text: str, data: Any) -> None:
    """Print the answer of a verb."""
    if form is Format.json:
        sys.stdout.write(json.dumps(_plain(data), allow_nan=False, indent=1) + "\n")
        return
    sys.stdout.write(showable(text, sys.stdout) + "\n")


def note(text: str) -> None:
    """Say something that is not the answer, on standard error."""
    sys.stderr.write(showable(text, sys.stderr) + "\n")


def interrupted_at_last(found: Any) -> None:
    """End with the code of Ctrl-C if it cut a run short, whose figures so far were shown."""
    if found.interrupted:
        raise KeyboardInterrupt


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Turn warnings into one line each; those about identifiers were said with the columns."""
    from bosco.errors import IdentifierWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if not issubclass(warning.category, IdentifierWarning):
            note(f"warning: {' '.join(str(warning.message).split())}")


def _plain(value: Any) -> Any:
    """A value that JSON can hold; a number that is none becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, str):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value) if not isinstance(value, Path) else value.as_posix()
