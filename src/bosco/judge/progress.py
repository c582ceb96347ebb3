"""A sign of life on long runs: a bar by rich, or a line on stderr, or nothing.

Nothing is shown where stderr is not a terminal, nor in the first second.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["track"]

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds before anything is shown."""


def track(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Hand on items, showing how many have come.

    Parameters
    ----------
    items : iterable
        What is being worked on, made as it is asked for.
    total : int
        How many there will be.
    what : str
        What to call the work.

    Examples
    --------
    >>> list(track(range(3), 3, "counting"))
    [0, 1, 2]
    """
    if not sys.stderr.isatty():
        yield from items
        return
    start, show, finish = time.monotonic(), None, None
    try:
        for done, item in enumerate(items, 1):
            if show is None and done < total and time.monotonic() - start > PATIENCE:
                show, finish = _with_rich(total, what) or _plain(total, what)
            if show is not None:
                show(done)
            yield item
    finally:
        if finish is not None:
            finish()


Display = tuple[Callable[[int], None], Callable[[], None]]


def _with_rich(total: int, what: str) -> Display | None:
    """A bar, if rich is installed."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return None
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    bar.start()
    return lambda done: bar.update(task, completed=done), bar.stop


def _plain(total: int, what: str) -> Display:
    """One line, written over and wiped at the end."""

    def show(done: int) -> None:
        sys.stderr.write(f"\r{what}: {done} of {total}")
        sys.stderr.flush()

    def finish() -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return show, finish
