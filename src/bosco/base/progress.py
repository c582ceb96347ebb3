"""A sign of life on long runs: a bar by rich, or a line on stderr, or nothing."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

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


@contextmanager
def counting(total: int | None, what: str) -> Iterator[Callable[[int], None]]:
    """Give a function that is told how much more is done; shown on a terminal, after a second.

    Examples
    --------
    >>> with counting(10, "rows") as done:
    ...     done(4)
    """
    start, so_far = time.monotonic(), 0
    show: Callable[[int], None] | None = None
    finish: Callable[[], None] | None = None
    to_see = sys.stderr.isatty()

    def done(more: int) -> None:
        nonlocal so_far, show, finish
        so_far += more
        if show is None and to_see and time.monotonic() - start > PATIENCE:
            show, finish = _with_rich(total, what) or _plain(total, what)
        if show is not None:
            show(so_far)

    try:
        yield done
    finally:
        if finish is not None:
            finish()


Display = tuple[Callable[[int], None], Callable[[], None]]


def _with_rich(total: int | None, what: str, stays: bool = False) -> Display | None:
    """A bar, if rich is installed."""
    try:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, ProgressColumn, TimeRemainingColumn
        from rich.text import Text
    except ImportError:
        return None

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(
                "" if speed is None else f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s"
            )

    first = Progress.get_default_columns()[:2]
    columns = (*first, MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=not stays)
    task = bar.add_task(what, total=total)
    bar.start()
    return lambda done: bar.update(task, completed=done), bar.stop


def _plain(total: int | None, what: str, stays: bool = False) -> Display:
    """One line, written over, and wiped at the end unless it stays."""
    start = time.monotonic()

    def show(done: int) -> None:
        rate = done / max(time.monotonic() - start, 1e-3)
        left = "" if not total or not done else f", {(total - done) / rate:,.0f} s left"
        of = "" if total is None else f" of {total:,}"
        sys.stderr.write(f"\r{what}: {done:,}{of}, {rate:,.0f}/s{left}")
        sys.stderr.flush()

    def finish() -> None:
        sys.stderr.write("\n" if stays else "\r\x1b[K")
        sys.stderr.flush()

    return show, finish
