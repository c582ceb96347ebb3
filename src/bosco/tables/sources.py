"""Where a table comes from, and the format it is in; what a reader of that format hands over.

A source is a file, standard input or a database. Addresses of databases are written into models,
reports, messages and commands to repeat, which people mail: whoever shows one shows it through
`shown`, and what a driver says of it through `unsaid`.

The first bytes decide the format before the name does: a Parquet file called .csv is read as the
Parquet file it is. Standard input is kept in a temporary file, so that every format can be read
from it and no more than a block of it is in memory.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

import pyarrow as pa

from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.tables.sizes import unpacked_limit

HEAD = 1 << 18
"""So many bytes are looked at to find out how a file is written."""

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\x04\x22\x4d\x18": "lz4",
}
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "arrow",
    b"\xff\xff\xff\xff": "arrow stream",
    b"SQLite format 3\x00": "sqlite",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "excel",
}
SUFFIXES = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "excel": (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"),
    "sqlite": (".sqlite", ".sqlite3"),
    "duckdb": (".duckdb", ".ddb"),
}
"""What names of files promise, but for text."""
_MOST_PACKED = 200  # times that text is smaller when packed; only large files are asked
_POSTGRESQL = ("postgresql://", "postgres://")
_FILES = ("duckdb:///", "sqlite:///")
_SECRETS = frozenset(
    {"password", "passwd", "pwd", "pass", "sslpassword", "oauth_client_secret", "token", "secret"}
    | {"access_token", "scram_client_key", "scram_server_key"}
)
"""Names of what an address may say after its ``?`` and nobody else should read."""


@dataclass(frozen=True)
class Source:
    """A place to read a table from: its name for messages, and the file (or the address)."""

    name: str
    path: str = field(repr=False)  # an address with its password

    @cached_property
    def compression(self) -> str | None:
        """How the bytes are packed, by the first of them."""
        if self.path.startswith(_POSTGRESQL):
            return None
        with Path(self.path).open("rb") as stream:
            start = stream.read(4)
        return next((c for magic, c in _COMPRESSED.items() if start.startswith(magic)), None)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked."""
        with self.open() as stream:
            return bytes(stream.read(HEAD))

    @cached_property
    def format(self) -> str:
        """What the file is: csv, parquet, arrow, json, excel, arff, sqlite, duckdb, postgresql."""
        if self.path.startswith(_POSTGRESQL):
            return "postgresql"
        head, suffixes = self.head, [s.lower() for s in Path(self.name).suffixes[-2:]]
        for magic, found in _MAGIC.items():
            if head.startswith(magic):
                return found
        if head[8:12] == b"DUCK":
            return "duckdb"
        if head.startswith(b"PK\x03\x04"):
            return "excel"
        for promised, known in SUFFIXES.items():
            called = next((suffix for suffix in known if suffix in suffixes), None)
            if called is not None and b"\x00" in head:  # no text
                raise DataError(
                    f"{self.name} is called {called}, but is not a file of {promised}. It begins "
                    f"with {head[:8]!r}."
                )
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if ".arff" in suffixes or start[:9].lower() == b"@relation":
            return "arff"
        if start[:1] == b"{" or (start[:1] == b"[" and ".json" in suffixes):
            return "json"
        return "csv"

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Open the bytes, unpacked, as a stream that is read once."""
        # A stream of pyarrow's own: its threads would wait for the interpreter to read Python's.
        with pa.input_stream(self.path, compression=self.compression) as stream:
            try:
                yield stream
            except OSError as error:
                if self.compression is None:
                    raise
                raise DataError(
                    f"{self.name} cannot be unpacked ({self.compression}): {error}. "
                    f"Hint: the file may be cut off or damaged."
                ) from None

    @contextmanager
    def seek(self) -> Iterator[Any]:
        """The bytes, unpacked, as a file in which any part is read; nothing else is in memory."""
        packed = self.compression is not None
        with pa.BufferReader(self.read()) if packed else pa.OSFile(self.path) as file:
            yield file

    def read(self) -> bytes:
        """All bytes, unpacked."""
        with self.open() as stream:
            if self.compression is None:
                return bytes(stream.read())
            most = unpacked_limit(Path(self.path).stat().st_size, per_packed=_MOST_PACKED)
            data = bytes(stream.read(most + 1))
        if len(data) > most:
            raise DataError(
                f"{self.name} unpacks ({self.compression}) to more than {_MOST_PACKED} times its "
                f"size. Hint: if it is meant so, unpack it first."
            )
        return data


@contextmanager
def open_source(place: str | Path) -> Iterator[Source]:
    """Find a source by its path or address; ``-`` is standard input.

    Examples
    --------
    >>> with open_source("lons.csv") as source: pass
    Traceback (most recent call last):
    bosco.errors.ParameterError: There is no file lons.csv...
    """
    text = str(place)
    if text.startswith(_POSTGRESQL):
        yield Source(shown(text), text)
        return
    if text == "-":
        with tempfile.NamedTemporaryFile(prefix="bosco-stdin-") as kept:
            stream: IO[bytes] = sys.stdin.buffer
            shutil.copyfileobj(stream, kept)
            kept.flush()
            yield Source("standard input", kept.name)
        return
    for scheme in _FILES:  # a path after three slashes, absolute after four
        text = text.removeprefix(scheme)
    path = Path(text)
    if is_address(text) and not path.exists():
        raise ParameterError(
            f"{shown(text)} is no address that can be read. Hint: a file, postgresql://…, or "
            f"duckdb:///file and sqlite:///file."
        )
    if path.is_dir():
        raise ParameterError(f"{path} is a folder, not a file.")
    if not path.exists():
        folder = path.parent
        near = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        raise ParameterError(f"There is no file {path}.{did_you_mean(path.name, near)}")
    yield Source(path.name, str(path))


def is_address(place: str) -> bool:
    """Tell an address from the name of a file."""
    return "://" in place


def shown(place: str) -> str:
    """Write an address without its passwords; anything else as it is.

    Examples
    --------
    >>> shown("postgresql://ada:secret@host/db?sslmode=require&password=x")
    'postgresql://ada@host/db?sslmode=require'
    """
    if not is_address(place):
        return place
    scheme, _, rest = place.partition("://")
    user, at, rest = _parted(rest)
    rest, mark, said = rest.partition("?")
    kept = "&".join(part for part in said.split("&") if not _is_secret(part))
    return f"{scheme}://{user.partition(':')[0]}{at}{rest}{mark if kept else ''}{kept}"


def unsaid(message: str, place: str) -> str:
    """Take the secrets of an address out of what was said about it.

    Examples
    --------
    >>> unsaid("cannot find 'secret@host'", "postgresql://ada:secret@host/db")
    "cannot find '…@host'"
    """
    if not is_address(place):
        return message
    user, _, rest = _parted(place.partition("://")[2])
    secrets = [user.partition(":")[2]]
    secrets += [p.partition("=")[2] for p in rest.partition("?")[2].split("&") if _is_secret(p)]
    # A driver may part an address elsewhere, where a password holds signs that mean something.
    secrets += [piece for secret in secrets for piece in re.split("[/@?#:&=]", secret)]
    spelled = {way for secret in secrets for way in (secret, unquote(secret)) if len(way) > 2}
    for secret in sorted({place, *spelled}, key=len, reverse=True):
        message = message.replace(secret, shown(place) if secret == place else "…")
    return message


def _parted(rest: str) -> tuple[str, str, str]:
    """Who, ``@``, and where. A password may hold any sign unescaped, so the last ``@`` counts."""
    user, at, where = rest.rpartition("@")
    return user, at, where


def _is_secret(part: str) -> bool:
    return unquote(part.partition("=")[0]).strip().casefold() in _SECRETS


def row_number(row: int) -> str:
    """Say where a row is in a file that has no lines."""
    return f"row {row + 1}"


@dataclass(frozen=True, slots=True)
class Raw:
    """Columns of a file."""

    names: tuple[str, ...]  # as in the file: they may be empty or repeated
    columns: Sequence[Any]  # of pyarrow; text where the format has nothing else
    format: str  # with its details, in words
    notes: tuple[str, ...] = ()  # what was odd about the file
    typed: bool = False  # the format says what its columns are, so that text is meant as text
    where: Callable[[int], str] = row_number  # says where a row is, for messages: "line 7"
    layout: Mapping[str, Any] = field(default_factory=dict)  # of text: delimiter, encoding, header


def rename(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give every column a name of its own; say what was changed.

    Examples
    --------
    >>> rename(["x", "", " x "])
    (('x', 'column_2', 'x_2'), ("column 2 has no name: called 'column_2'", ...))
    """
    trimmed = [name.strip() for name in names]
    taken = set(trimmed)
    seen: set[str] = set()
    last: dict[str, int] = {}  # of each name, the number that its namesakes have come to
    result, notes = [], []
    for place, name in enumerate(trimmed, 1):
        chosen = name or f"column_{place}"
        if not name or name in seen:
            base = chosen
            while chosen in taken:
                last[base] = last.get(base, 1) + 1
                chosen = f"{base}_{last[base]}"
            what = f"is a second {name!r}" if name else "has no name"
            notes.append(f"column {place} {what}: called {chosen!r}")
        seen.add(chosen)
        taken.add(chosen)
        result.append(chosen)
    return tuple(result), tuple(notes)
