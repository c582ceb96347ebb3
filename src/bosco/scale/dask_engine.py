"""Parts at the workers of a Dask cluster.

Tasks are pure: they carry all that they need but the rows, which the scheduler brings or makes
again wherever a task runs. So it may run on any worker, twice, or again after one died. There is no
rank, no barrier, no socket of our own.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from bosco.errors import ClusterError
from bosco.scale.part import Rows
from bosco.scale.source import Step
from bosco.scale.workers import answer, forget

PATIENCE = 60.0
"""Seconds without a worker, after which a fit gives up."""

_ATTEMPTS = 20  # of a request whose workers die
_ASK_AGAIN = 2.0  # seconds between looks at the workers


class DaskEngine:
    """Carries requests to parts that a Dask client's cluster holds.

    Parameters
    ----------
    client : distributed.Client
    parts : sequence of futures
        The rows of each part, as `rows_of` takes them.
    rows_of : callable
        Makes `Rows` of what a future holds; found by name on the workers.
    names : sequence of str
        Of the parts, for messages.
    patience : float
        Seconds without a worker, after which a fit gives up.
    """

    def __init__(
        self,
        client: Any,
        parts: Sequence[Any],
        rows_of: Callable[[Any], Rows],
        names: Sequence[str],
        patience: float = PATIENCE,
    ):
        self.client, self.parts, self.rows_of = client, list(parts), rows_of
        self.names, self.patience = list(names), patience
        self.job = uuid.uuid4().hex
        self.homes: dict[int, str] = {}

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order; those that add up may come as fewer."""
        for _ in range(_ATTEMPTS):
            groups = self._groups()
            futures = [
                self.client.submit(
                    _answer,
                    self.job,
                    [(number, self.parts[number]) for number in numbers],
                    self.rows_of,
                    list(steps),
                    request,
                    args,
                    workers=None if home is None else [home],
                    allow_other_workers=home is not None,
                    pure=False,
                )
                for home, numbers in groups
            ]
            said = self._gathered(futures)
            if said is not None:
                return _in_order(said, [numbers for _, numbers in groups])
        raise ClusterError(
            f"The workers died {_ATTEMPTS} times while they were asked for one thing. Hint: they "
            f"may lack memory; more partitions are smaller ones."
        )

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""
        self.parts = [self.parts[k] for k in numbers]
        self.names = [self.names[k] for k in numbers]
        self.homes.clear()
        self.job = uuid.uuid4().hex  # parts have other numbers now

    def close(self) -> None:
        """Let the parts go."""
        with suppress(Exception):  # a cluster that is gone has forgotten already
            self.client.run(forget, self.job)
        self.parts = []

    def _groups(self) -> list[tuple[str | None, list[int]]]:
        """Parts by the worker that is to be asked for them: where they were, if that one lives."""
        workers = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            return [(None, [number]) for number in range(len(self.parts))]
        groups: dict[str, list[int]] = {}
        for number in range(len(self.parts)):
            if self.homes.get(number) not in workers:
                self.homes[number] = workers[number % len(workers)]
            groups.setdefault(self.homes[number], []).append(number)
        return list(groups.items())

    def _gathered(self, futures: list[Any]) -> list[Any] | None:
        """The results; None if workers died too often for Dask, and all is to be asked again."""
        from distributed import KilledWorker, wait

        alone = None  # since when there is no worker
        try:
            while True:
                try:
                    wait(futures, timeout=_ASK_AGAIN)
                    return list(self.client.gather(futures))
                except TimeoutError:
                    there = self.client.scheduler_info(n_workers=-1)["workers"]
                    alone = None if there else alone or time.monotonic()
                    if alone is not None and time.monotonic() - alone > self.patience:
                        raise ClusterError(
                            f"The cluster has had no worker for {self.patience:g} seconds."
                        ) from None
        except KilledWorker:
            return None
        finally:
            self.client.cancel(futures)


def _answer(
    job: str,
    parts: list[tuple[int, Any]],
    rows_of: Callable[[Any], Rows],
    steps: Sequence[Step],
    request: str,
    args: Sequence[Any],
) -> Any:
    """Answer at a worker."""
    made = [(number, partial(rows_of, held)) for number, held in parts]
    return answer(job, made, steps, request, args)


def _in_order(said: list[Any], numbers: list[list[int]]) -> list[Any]:
    """Answers in the order of parts, where each has one."""
    if any(len(some) != len(of) for some, of in zip(said, numbers, strict=True)):
        return [one for some in said for one in some]
    by_number = {
        number: one
        for some, of in zip(said, numbers, strict=True)
        for number, one in zip(of, some, strict=True)
    }
    return [by_number[number] for number in sorted(by_number)]
