"""What is told of a tree while it grows over parts: a line for each level, below them a bar."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bosco.base.progress import progress

__all__ = ["Tell", "levels"]

Tell = Callable[[int, int, int], None]
"""Told how many nodes a level had, and how often and how much parts have answered so far."""


@contextmanager
def levels(verbose: int) -> Iterator[Tell | None]:
    """Give a function that is told of every level; None if nothing is to be shown."""
    if not verbose:
        yield None
        return
    before = [0, 0, time.monotonic()]
    level = 0
    with progress(None, "levels", sys.stderr.isatty(), stays=False) as bar:

        def tell(nodes: int, rounds: int, received: int) -> None:
            nonlocal level, before
            now = time.monotonic()
            print(
                f"level {level}: {nodes} node{'s' * (nodes != 1)}, {rounds - before[0]} rounds, "
                f"{(received - before[1]) / 1e6:.2f} MB, {now - before[2]:.2f} s",
                file=sys.stderr,
            )
            before, level = [rounds, received, now], level + 1
            if bar is not None:
                bar(level)

        yield tell
