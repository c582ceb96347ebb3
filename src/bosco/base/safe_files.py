"""Files that appear whole or not at all."""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bosco.errors import ParameterError

_OPEN_ALREADY = re.compile("/dev/fd|/proc/[^/]+/(task/[^/]+/)?fd")
"""Folders of what a process has open, where /dev/stdout leads to: never a place for a new file."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when it is complete.

    It is written under another name in the same folder: a reader sees the old file or the new one.
    Whatever goes wrong inside, Ctrl-C included, leaves nothing new behind and the old one as it
    was. A link is followed, and an existing file keeps its permissions. What is no file, such as a
    pipe, a terminal or /dev/null, is not replaced by one: it is written to as it is.
    """
    if is_stream(path):
        with _refusing(path):
            stream = open(path, "wb", opener=_as_it_is)  # noqa: SIM115
        with _naming(path), stream:
            yield stream
        return
    with _refusing(path):
        path = Path(path).resolve()
        fresh = path.with_name(f".{secrets.token_hex(8)}.part")
        file = fresh.open("xb")
    try:
        with _naming(path):
            with file:
                yield file
            with fresh.open("rb+") as written:  # a stream that packs has closed the first
                os.fsync(written.fileno())
            if path.exists():
                fresh.chmod(stat.S_IMODE(path.stat().st_mode))
            fresh.replace(path)
    except BaseException:
        with suppress(OSError):  # what went wrong first is what is told
            fresh.unlink(missing_ok=True)
        raise


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Tell whether a name stands for something that is written to and never replaced."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False  # there is nothing yet, or it cannot be reached: opening it will tell
    if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a disk"
        raise ParameterError(f"{path} cannot be written: it is {what}, not a file.")
    with _refusing(path):
        return not stat.S_ISREG(mode) or _is_open(Path(path))


def _is_open(path: Path) -> bool:
    """Tell whether the way to a file, link by link, leads through what a process has open."""
    while True:
        path = path.parent.resolve() / path.name
        if _OPEN_ALREADY.fullmatch(str(path.parent)):
            return True
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()


def _as_it_is(path: str, _: int) -> int:
    """Open what is there; at the end, if it has one: /dev/stdout may be a file of other lines."""
    return os.open(path, os.O_WRONLY | os.O_APPEND)


@contextmanager
def _refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say that a file cannot be opened."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, a NUL in a name
        said = getattr(error, "strerror", None) or error
        raise ParameterError(f"{os.fspath(path)!s} cannot be written: {said}.") from error


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say in errors of the system, such as a full disk, which file they are about."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = os.fspath(path)
        raise
