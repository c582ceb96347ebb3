"""What a worker does: answers requests to parts, which it keeps as long as it can.

A part is a pure function of its rows and of what it was told, so what is kept here is a cache. Any
worker may be asked at any time, also for a part it has never seen, and twice at once.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bosco.scale.adding import merged
from bosco.scale.part import Part, Rows, named

_MOST_JOBS = 8  # whose parts are kept; an older one is forgotten

_parts: OrderedDict[str, dict[int, tuple[Part, threading.Lock]]] = OrderedDict()
_lock = threading.Lock()


def answer(
    job: str,
    parts: Sequence[tuple[int, str, Callable[[], Rows]]],
    steps: Sequence[tuple[Any, ...]],
    request: str,
    args: Sequence[Any],
    places: Mapping[int, int] | None = None,
) -> Any:
    """Answer a request to some parts, added up where answers can be.

    Parameters
    ----------
    job : str
        Of which fit the parts are.
    parts : sequence of (number, name, callable)
        Which parts, and what gives their rows.
    steps, request, args
        What they are told, and asked.
    places : mapping, optional
        Of the numbers among the parts that are asked, where numbers are of others, too.

    Returns
    -------
    list
        One answer for each part, or one for all of them.
    """
    answers = []
    for number, name, read in parts:
        part, lock = _kept(job, number, read)
        part.number = number if places is None else places[number]
        with lock, named(name):
            answers.append(part.answer(steps, request, *args))
    return merged(request, answers)


def holds(job: str, number: int) -> bool:
    """Whether a part is kept here."""
    with _lock:
        return number in _parts.get(job, ())


def forget(job: str) -> None:
    """Let the parts of a fit go."""
    with _lock:
        _parts.pop(job, None)


def _kept(job: str, number: int, read: Callable[[], Rows]) -> tuple[Part, threading.Lock]:
    with _lock:
        of_job = _parts.setdefault(job, {})
        _parts.move_to_end(job)
        while len(_parts) > _MOST_JOBS:
            _parts.popitem(last=False)
        if number not in of_job:
            of_job[number] = (Part(read, number), threading.Lock())
        return of_job[number]
