"""Parts at the workers of a Dask cluster.

Tasks are pure: they carry all that they need but the rows, which the scheduler brings or makes
again wherever a task runs. So it may run on any worker, twice, or again after one died. There is no
rank, no barrier, no socket of our own.
"""

import importlib.metadata
import pickle
import sys
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask

from bosco.errors import BoscoError, ClusterError, DataError
from bosco.scale.adding import adds_up, merged, ordered
from bosco.scale.finish import Plan, Seed, batches, finished
from bosco.scale.part import Rows
from bosco.scale.patience import Patience
from bosco.scale.source import Engine, Grown, Step
from bosco.scale.workers import answer, forget
from bosco.version import __version__

_ATTEMPTS = 5  # of a request; each outlives some deaths (Dask's `allowed-failures`)
_TOGETHER = 8  # batches of small nodes that a worker may have before it
_BATCH = 1_000_000  # rows of small nodes that go to one place at once
_KEPT = 4  # rounds whose answers may stay at workers when they are here
_FAN_IN = 16  # answers that are added up at once, where there are more

Home = tuple[str, int]
Answered = tuple[dict[int, Home], list[Any]]  # who answered for which parts, and what


class DaskEngine(Engine):
    """Carries requests to parts that a Dask client's cluster holds.

    Parameters
    ----------
    patience : Patience
        With the client, and how long it is waited for.
    held : sequence of delayed values
        The rows of each part, as `rows_of` takes them; they are made when this is.
    rows_of : callable
        Makes `Rows` of what a future holds; found by name on the workers.
    names : sequence of str
        Of the parts, for messages.
    """

    def __init__(
        self,
        patience: Patience,
        held: Sequence[Any],
        rows_of: Callable[[Any], Rows],
        names: Sequence[str],
    ):
        self.patience, self.client = patience, patience.client
        self.held, self.rows_of, self.names = list(held), rows_of, list(names)
        self.parts = self.client.compute(self.held)  # futures
        self.job = uuid.uuid4().hex
        self.homes: dict[int, Home] = {}  # who answered last for a part, and its threads
        self._done: list[Any] = []  # futures whose results are here

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order; those that add up may come as fewer."""

        def submitted() -> list[Any]:
            answers = self._submit_all(self._groups(), steps, request, args)
            while len(answers) > _FAN_IN and adds_up(request):  # at the workers, not all here
                some = [answers[k : k + _FAN_IN] for k in range(0, len(answers), _FAN_IN)]
                answers = [self.client.submit(_added, request, few, pure=False) for few in some]
            return answers

        said = self._gathered(submitted)
        self.homes |= {number: home for homes, _ in said for number, home in homes.items()}
        if not steps:  # nobody has begun
            self._balance()
        return ordered((list(homes), answers) for homes, answers in said)

    def finish(self, steps: Sequence[Step], plan: Plan, seeds: Sequence[Seed]) -> dict[int, Grown]:
        """Grow all that is below some nodes, by node: each batch of them at one worker."""
        places = max(1, len(self._groups()))
        total = sum(seed.rows for seed in seeds)
        todo = list(batches(seeds, min(_BATCH, max(1, total // (2 * places)))))
        made: dict[int, Grown] = {}
        for first in range(0, len(todo), _TOGETHER * places):
            some = todo[first : first + _TOGETHER * places]
            trees = self._gathered(partial(self._finishing, steps, plan, some))
            made |= {
                seed.node: tree
                for batch, grown in zip(some, trees, strict=True)
                for seed, tree in zip(batch, grown, strict=True)
            }
        return made

    def _finishing(
        self, steps: Sequence[Step], plan: Plan, todo: Sequence[Sequence[Seed]]
    ) -> list[Any]:
        """Futures of the trees of batches; the rows go from worker to worker."""
        made = []
        for batch in todo:
            nodes = [seed.node for seed in batch]
            rows = self._submit_all(self._groups(), steps, "bundles", (plan.tree, nodes))
            made.append(self.client.submit(_finished, plan, batch, rows, pure=False))
        return made

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""
        self.parts = [self.parts[k] for k in numbers]
        self.held = [self.held[k] for k in numbers]
        self.names = [self.names[k] for k in numbers]
        self.homes = {new: self.homes[k] for new, k in enumerate(numbers) if k in self.homes}
        self._forgotten()
        self.job = uuid.uuid4().hex  # parts have other numbers now

    def close(self) -> None:
        """Let the parts go."""
        self._released()
        self.parts = []
        self._forgotten()

    def _forgotten(self) -> None:
        self.patience.try_once(self.client.run(forget, self.job, asynchronous=True))

    def _groups(self) -> list[tuple[str | None, list[int]]]:
        """Parts by the worker that is asked for them, which has them, and by its threads.

        Before anybody has answered, each part is asked for wherever Dask has it.
        """
        groups: dict[Home, list[int]] = {}
        alone: list[tuple[str | None, list[int]]] = []
        for number in range(len(self.parts)):
            if number in self.homes:
                groups.setdefault(self.homes[number], []).append(number)
            else:
                alone.append((None, [number]))
        for (address, threads), numbers in groups.items():
            alone += [(address, some) for k in range(threads) if (some := numbers[k::threads])]
        return alone

    def _balance(self) -> None:
        """Give threads that have fewer parts than others some of theirs: Dask brings the rows."""
        threads = self.patience.try_once(self.client.scheduler.ncores()) or {}
        if any(home not in threads for home, _ in self.homes.values()):
            return  # somebody has died
        load: dict[str, list[int]] = {address: [] for address in threads}
        for number, (address, _) in self.homes.items():
            load[address].append(number)

        def share(address: str) -> float:
            return len(load[address]) / int(threads[address])

        while share(most := max(load, key=share)) - share(least := min(load, key=share)) > 1:
            number = load[most].pop()
            load[least].append(number)
            self.homes[number] = least, threads[least]

    def _submit_all(
        self,
        groups: Sequence[tuple[str | None, list[int]]],
        steps: Sequence[Step],
        request: str,
        args: Sequence[Any],
    ) -> list[Any]:
        """Futures of what groups of parts say, each at its home if that lives.

        They go in one message: of several the client would hold back all but the first, for as long
        as a round may take.
        """
        keys = [f"bosco-{request}-{uuid.uuid4().hex}" for _ in groups]
        wanted = [[] if home is None else [home] for home, _ in groups]
        homes = dict(zip(keys, wanted, strict=True))
        told = pickle.dumps((list(steps), request, args))  # Dask would look through it all
        with dask.annotate(workers=homes.get, allow_other_workers=True):
            futures: list[Any] = self.client.map(
                _answered,
                [__version__] * len(groups),
                [self.job] * len(groups),
                [[(k, self.names[k], self.parts[k]) for k in numbers] for _, numbers in groups],
                [self.rows_of] * len(groups),
                [told] * len(groups),
                key=keys,
            )
        return futures

    def _gathered(self, submitted: Callable[[], list[Any]]) -> list[Any]:
        """The results of what is submitted; again, if workers die too often for Dask."""
        from distributed import KilledWorker

        for _ in range(_ATTEMPTS):
            futures = submitted()
            try:
                said = self.patience.gather(futures)
            except KilledWorker:
                self._make_again([k for k, part in enumerate(self.parts) if part.status == "error"])
                continue
            except BoscoError:
                raise
            except MemoryError as error:
                raise ClusterError(f"A worker has too little memory.{_SMALLER}") from error
            except Exception as error:
                raise self._blamed(error) from error
            finally:
                self._let_go(futures)
            return said
        raise ClusterError(
            f"Workers died again and again while they were asked for one thing.{_SMALLER}"
        )

    def _let_go(self, futures: Sequence[Any]) -> None:
        """What is here is not wanted there any longer, nor what still runs.

        That is said now and then: the client holds back what follows a message for a while.
        """
        self._done += futures
        if len(self._done) > _KEPT * max(1, len(self._groups())) or sys.exc_info()[0]:
            self._released()

    def _released(self) -> None:
        for future in self._done:
            future.release()
        self._done = []

    def _make_again(self, numbers: Sequence[int]) -> None:
        """Make the rows of parts whose workers died too often while they were made."""
        failed = [self.parts[k] for k in numbers]
        self.patience.wait(self.client.cancel(failed, asynchronous=True))
        for k, part in zip(
            numbers, self.client.compute([self.held[k] for k in numbers]), strict=True
        ):
            self.parts[k] = part

    def _blamed(self, error: Exception) -> Exception:
        """What went wrong: a partition that cannot be made is named."""
        for part, name in zip(self.parts, self.names, strict=True):
            if part.status == "error":
                return DataError(f"{name} cannot be made: {type(error).__name__}: {error}")
        return error


_SMALLER = " Hint: they may lack memory; more partitions are smaller ones."


def require_versions(patience: Patience) -> None:
    """Refuse a cluster whose workers have another bosco, or none, before anything is asked."""
    call = patience.client.run(
        importlib.metadata.version, "bosco", on_error="return", asynchronous=True
    )
    for worker, version in (patience.try_once(call) or {}).items():
        if isinstance(version, importlib.metadata.PackageNotFoundError):
            raise ClusterError(f"The worker {worker} has no bosco. Here is {__version__}.")
        if isinstance(version, str):
            _require_version(version, worker)


def _require_version(version: str, worker: str) -> None:
    if version != __version__:
        raise ClusterError(
            f"The worker {worker} has bosco {version}, but here is {__version__}. Models are the "
            f"same for any workers only if their versions are."
        )


def _answered(
    version: str,
    job: str,
    parts: list[tuple[int, str, Any]],
    rows_of: Callable[[Any], Rows],
    told: bytes,
) -> Answered:
    """Answer at a worker what it is told, and asked."""
    from distributed import get_worker

    worker = get_worker()
    if version != __version__:  # of the client; this worker came later than it looked
        raise ClusterError(
            f"The worker {worker.address} has bosco {__version__}, but the client {version}."
        )
    steps, request, args = pickle.loads(told)
    made = [(number, name, partial(rows_of, held)) for number, name, held in parts]
    home = worker.address, worker.state.nthreads
    return {number: home for number, _, _ in parts}, answer(job, made, steps, request, args)


def _added(request: str, answers: Sequence[Answered]) -> Answered:
    """Add answers up at a worker."""
    homes = {number: home for own, _ in answers for number, home in own.items()}
    return homes, merged(request, [one for _, some in answers for one in some])


def _finished(plan: Plan, batch: Sequence[Seed], rows: Sequence[Any]) -> list[Grown]:
    """Grow at a worker what is below some nodes, from what all parts say of their rows."""
    said = [bundles for _, answers in rows for bundles in answers]
    return [finished(plan, seed, of) for seed, *of in zip(batch, *said, strict=True)]
