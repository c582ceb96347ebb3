"""A sign of life on long runs: a bar by rich, or a line on stderr, or nothing."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds before anything is shown."""


def track(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Hand on items, showing how many have come.

    Nothing is shown where stderr is not a terminal, nor in the first second. `total` is how many
    there will be, `what` is what to call the work.
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


@contextmanager
def progress(
    total: int | None, what: str, show: bool, stays: bool = True
) -> Iterator[Callable[[int], None] | None]:
    """Give a function that is told how much is done; None if nothing is to be shown.

    Examples
    --------
    >>> with progress(10, "trees", show=False) as done:
    ...     print(done)
    None
    """
    if not show:
        yield None
        return
    told, finish = _with_rich(total, what, stays) or _plain(total, what, stays)
    try:
        yield told
    finally:
        finish()


Display = tuple[Callable[[int], None], Callable[[], None]]


def _with_rich(total: int | None, what: str, stays: bool = False) -> Display | None:
    """A bar, if rich is installed."""
    try:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        return None
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=not stays)
    task = bar.add_task(what, total=total)
    bar.start()
    return lambda done: bar.update(task, completed=done), bar.stop


def _plain(total: int | None, what: str, stays: bool = False) -> Display:
    """One line, written over, and wiped at the end unless it stays."""

    def show(done: int) -> None:
        sys.stderr.write(f"\r{what}: {done}" + ("" if total is None else f" of {total}"))
        sys.stderr.flush()

    def finish() -> None:
        sys.stderr.write("\n" if stays else "\r\x1b[K")
        sys.stderr.flush()

    return show, finish
