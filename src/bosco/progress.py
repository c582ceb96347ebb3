"""How far a long work is: a bar with rich, else a plain line."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TextIO

__all__ = ["progress"]


@contextmanager
def progress(total: int, what: str, show: bool) -> Iterator[Callable[[int], None] | None]:
    """Give a function that is told how much is done; None if nothing is to be shown.

    Parameters
    ----------
    total : int
        How much there is to do.
    what : str
        What is counted, such as "trees".
    show : bool
        Whether to show anything.

    Examples
    --------
    >>> with progress(10, "trees", show=False) as done:
    ...     print(done)
    None
    """
    if not show:
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        line = _Line(total, what, sys.stderr)
        yield line.done
        line.end()
        return
    columns: list[Any] = [*Progress.get_default_columns()[:2], MofNCompleteColumn()]
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


class _Line:
    """One line, written over itself a few times a second."""

    def __init__(self, total: int, what: str, stream: TextIO) -> None:
        self._text = f"\r{{}} of {total} {what}"
        self._total = total
        self._stream = stream
        self._shown = 0.0

    def done(self, count: int) -> None:
        now = monotonic()
        if now - self._shown > 0.2 or count == self._total:
            self._shown = now
            self._stream.write(self._text.format(count))
            self._stream.flush()

    def end(self) -> None:
        self._stream.write("\n")
