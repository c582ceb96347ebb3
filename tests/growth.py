"""How work grows with what is given: measured on sizes n, 2n and 4n.

Four times as much may cost some four times the work; what compares everything with everything costs
sixteen. The work is the processor's time of this thread, the least of a few runs, and only its
ratio counts: a busy machine slows all sizes alike. What seems to grow too fast is measured again
before it is believed.
"""

import gc
import time
from collections.abc import Callable
from typing import Any

SLACK = 2.5
"""So much faster than its input the work may grow; from n to 4n, the square grows four times so."""

WORTH = 0.02
"""Seconds. Less than that is noise, and nobody waits for it."""


def grows_no_faster(make: Callable[[int], Any], do: Callable[[Any], Any], n: int) -> None:
    """Assert that the work of `do` grows no faster than what `make(n)` gives it."""
    do(make(2))  # imports, and what is made once
    for _ in range(3):
        sizes = [n, 2 * n, 4 * n]
        seconds = [_work(do, make(size)) for size in sizes]
        if seconds[2] < WORTH or seconds[2] / seconds[0] <= 4 * SLACK:
            return
    raise AssertionError(
        f"four times as much took {seconds[2] / seconds[0]:.0f} times the work: "
        + ", ".join(f"{size:,} {s:.3f} s" for size, s in zip(sizes, seconds, strict=True))
    )


def _work(do: Callable[[Any], Any], given: Any) -> float:
    best = float("inf")
    for _ in range(3):
        gc.collect()
        gc.disable()
        try:
            start = time.thread_time()
            do(given)
            best = min(best, time.thread_time() - start)
        finally:
            gc.enable()
        if best > 0.3:  # that is no noise
            break
    return best
