"""Files: read whole within a limit, written whole or not at all."""

from pathlib import Path
from typing import Any, BinaryIO, Literal

from bosco.errors import ModelError, ParameterError
from bosco.store.binary import from_binary, is_binary, to_binary
from bosco.store.check import check_file
from bosco.store.header import Parts, read_header, write_header
from bosco.store.json import from_json, to_json
from bosco.whole import whole_file

Form = Literal["json", "binary"]

MAX_BYTES = 2**28
"""The readable form takes some twenty times its size of memory while it is read."""

MAX_BYTES_BINARY = 2**32

_SUFFIXES: dict[str, Form] = {".json": "json", ".bosco": "binary"}


def save_parts(parts: Parts, target: Any, form: Form | None) -> None:
    """Write a model to a path or an open binary file; see `Model.save`."""
    path = None if hasattr(target, "write") else Path(target)
    form = _form(path, form)
    check_file(parts)
    read_header(write_header(parts))  # what is written can be read
    data = to_json(parts) if form == "json" else to_binary(parts)
    if path is None:
        target.write(data)
    else:
        with whole_file(path) as file:
            file.write(data)


def load_parts(source: Any, max_bytes: int | None) -> Parts:
    """Read a model from a path or an open binary file; see `bosco.load`."""
    if hasattr(source, "read"):
        return decode(_read(source, max_bytes))
    with Path(source).open("rb") as file:
        return decode(_read(file, max_bytes))


def decode(data: bytes) -> Parts:
    """Read a model from the bytes of a file of either form."""
    return from_binary(data) if is_binary(data) else from_json(data)


def _form(path: Path | None, form: str | None) -> Form:
    found = _SUFFIXES.get(path.suffix.lower()) if form is None and path is not None else form
    if found not in ("json", "binary"):
        given = f"form={form!r}" if form is not None else f"a name without them: {path}"
        raise ParameterError(
            "A model is saved as form='json' or form='binary', or by the suffix .json or .bosco. "
            f"Got {given}."
        )
    return found  # type: ignore[return-value]


def _read(file: BinaryIO, max_bytes: int | None) -> bytes:
    """All bytes of a file, or a refusal before more than allowed are read."""
    start = file.read(16)
    if not isinstance(start, bytes):
        raise ModelError("A model is read from bytes. Hint: open the file with mode 'rb'.")
    limit = MAX_BYTES if start[8:9] != b"{" else MAX_BYTES_BINARY
    limit = limit if max_bytes is None else max_bytes
    data = start + file.read(max(limit - len(start), 0) + 1)
    if len(data) > limit:
        raise ModelError(
            f"The file has more than {limit:,} bytes. Hint: if you trust where it comes from, "
            f"raise the limit with max_bytes."
        )
    return data
