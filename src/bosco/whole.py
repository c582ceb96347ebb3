"""Files that appear whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bosco.errors import ParameterError

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when it is complete.

    It is written under another name in the same folder: a reader sees the old file or the new one.
    Whatever goes wrong inside, Ctrl-C included, leaves nothing new behind and the old one as it
    was. A link is followed, and an existing file keeps its permissions.

    Examples
    --------
    >>> from bosco.whole import whole_file
    >>> with whole_file("a.txt") as file:
    ...     _ = file.write(b"all of it")
    >>> Path("a.txt").read_text()
    'all of it'
    """
    path = Path(path).resolve()
    fresh = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        file = fresh.open("xb")
    except OSError as error:
        raise ParameterError(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with file:
            yield file
            if not file.closed:  # a stream that packs may have closed it
                file.flush()
                os.fsync(file.fileno())
        if path.exists():
            fresh.chmod(stat.S_IMODE(path.stat().st_mode))
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
