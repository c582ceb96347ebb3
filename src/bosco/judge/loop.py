"""Many independent tasks, one after the other or several at a time, that Ctrl-C may cut short."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import effective_n_jobs
from sklearn import config_context, get_config

from bosco.base.progress import track
from bosco.errors import ParameterError

__all__ = ["do_all"]

T = TypeVar("T")


def do_all(
    act: Callable[..., T],
    tasks: Iterable[tuple[Any, ...]],
    total: int,
    *,
    n_jobs: int | None,
    what: str,
) -> tuple[list[T], bool]:
    """Do every task; give the results in order, and whether Ctrl-C ended it early.

    Tasks are the arguments of `act`, made as they are needed, `total` in all; `n_jobs` of them are
    done at the same time, in threads. `what` is the name of the work in the progress bar.

    Examples
    --------
    >>> do_all(pow, [(2, 3), (3, 2)], 2, n_jobs=1, what="powers")
    ([8, 9], False)
    """
    n = _check_jobs(n_jobs)
    results = (act(*task) for task in tasks) if n == 1 else _in_threads(act, tasks, n)
    done: list[T] = []
    try:
        for result in track(results, total, what):
            done.append(result)  # noqa: PERF402 (what came before Ctrl-C is kept)
    except KeyboardInterrupt:
        if not done:
            raise
        return done, True
    return done, False


def _in_threads(act: Callable[..., T], tasks: Iterable[tuple[Any, ...]], n: int) -> Iterator[T]:
    """Results in order, never more than a few tasks ahead.

    Threads, because growing a tree leaves Python's lock and X need not be copied.
    """
    config = get_config()  # scikit-learn keeps it per thread

    def configured(*task: Any) -> T:
        with config_context(**config):
            return act(*task)

    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(n)
    try:
        for task in tasks:
            waiting.append(pool.submit(configured, *task))
            if len(waiting) > 2 * n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _check_jobs(n_jobs: Any) -> int:
    try:
        return int(effective_n_jobs(n_jobs))
    except (TypeError, ValueError):
        raise ParameterError(
            f"n_jobs must be a whole number, -1 for all cores, or None. Got {n_jobs!r}."
        ) from None
