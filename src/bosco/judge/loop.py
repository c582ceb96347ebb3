"""Many independent tasks, one after the other or several at a time, that Ctrl-C may cut short."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from bosco.judge.progress import track

__all__ = ["do_all"]

T = TypeVar("T")


def do_all(
    act: Callable[..., T],
    tasks: Iterable[tuple[object, ...]],
    total: int,
    *,
    n_jobs: int | None,
    what: str,
) -> tuple[list[T], bool]:
    """Do every task; give the results in order, and whether Ctrl-C ended it early.

    Parameters
    ----------
    act : callable
        What to do with the arguments of one task.
    tasks : iterable of tuples
        The arguments, made as they are needed.
    total : int
        How many there are.
    n_jobs : int or None
        Tasks done at the same time; None is 1, -1 all cores.
    what : str
        What to call the work in the progress bar.

    Examples
    --------
    >>> do_all(pow, [(2, 3), (3, 2)], 2, n_jobs=1, what="powers")
    ([8, 9], False)
    """
    if effective_n_jobs(n_jobs) == 1:
        results: Iterable[T] = (act(*task) for task in tasks)
    else:
        # Threads, unless the user says otherwise: growing a tree leaves Python's lock, X is shared.
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        results = parallel(delayed(act)(*task) for task in tasks)
    done: list[T] = []
    try:
        for result in track(results, total, what):
            done.append(result)  # noqa: PERF402 (what came before Ctrl-C is kept)
    except KeyboardInterrupt:
        if not done:
            raise
        return done, True
    return done, False
