"""Files of every kind of model: read whole within a limit, written whole or not at all."""

from pathlib import Path
from typing import Any, BinaryIO, Literal

from bosco.base.safe_files import whole_file
from bosco.errors import ModelError, ParameterError
from bosco.store import forests, scoretables, several, trees
from bosco.store.forms import from_binary, is_binary, parse, to_binary, to_json
from bosco.store.header import Kind, keys_of, kind_said, read_header, refuse_hash
from bosco.store.values import mapping, refuse

Form = Literal["json", "binary"]

MAX_BYTES = 2**28
"""The readable form takes some twenty times its size of memory while it is read."""

MAX_BYTES_BINARY = 2**32

_SUFFIXES: dict[str, Form] = {".json": "json", ".bosco": "binary"}


KINDS = (trees.KIND, forests.KIND, scoretables.KIND, several.KIND)


def kind_of(parts: Any) -> Kind:
    """The kind of model that parts make."""
    return next(kind for kind in KINDS if isinstance(parts, kind.parts))


def fingerprint(parts: Any) -> str:
    """The hash that the file of a model carries."""
    return str(kind_of(parts).header(parts)["hash"])


def save_parts(parts: Any, target: Any, form: Form | None) -> None:
    """Write a model to a path or an open binary file; see `Model.save`."""
    path = None if hasattr(target, "write") else Path(target)
    form = _form(path, form)
    kind = kind_of(parts)
    kind.check(parts)
    header = kind.header(parts)
    read_header(header)  # what is written can be read
    if form == "json":
        data = to_json(header, kind.lines(parts))
    else:
        data = to_binary(header, kind.keep(parts))
    if path is None:
        target.write(data)
    else:
        with whole_file(path) as file:
            file.write(data)


def load_parts(source: Any, max_bytes: int | None) -> Any:
    """Read the parts of a model from a path or an open binary file; see `bosco.load`."""
    if hasattr(source, "read"):
        return decode(_read(source, max_bytes))
    with Path(source).open("rb") as file:
        return decode(_read(file, max_bytes))


def decode(data: bytes) -> Any:
    """Read the parts of a model from the bytes of a file of either form."""
    if is_binary(data):
        header, left = from_binary(data)
        kind = next(kind for kind in KINDS if kind.name == header.kind)
    else:
        said = parse(data)
        kind = next(kind for kind in KINDS if kind.name == kind_said(said))
        needed, may = keys_of(kind.name)
        header = read_header(mapping(said, "the file", (*needed, *kind.keys), may))
        left = kind.read(said, header)
    parts = kind.take(left, header)
    if left:
        refuse("the file", f"it has the unknown array {min(left)!r:.60}")
    refuse_hash(kind.header(parts)["hash"], header.hash)
    return parts


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
