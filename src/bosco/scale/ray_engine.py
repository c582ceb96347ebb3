"""Parts at the actors of a Ray cluster.

An actor keeps what it was told of its parts, as a cache: Ray may begin it anew anywhere after its
process or its machine died, and asks it again. Rows lie in Ray's own store, which makes lost blocks
again from what they came from. There is no rank, no barrier, no socket of our own.
"""

import pickle
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError

from bosco.errors import BoscoError, ClusterError
from bosco.scale.adding import merged, ordered
from bosco.scale.finish import Plan, Seed, batches, finished
from bosco.scale.part import Rows
from bosco.scale.source import Engine, Grown, Step
from bosco.scale.workers import answer
from bosco.version import __version__

_BATCH = 1_000_000  # rows of small nodes that go to one place at once
_LOOK = 1.0  # seconds between looks at the cluster


class RayEngine(Engine):
    """Carries requests to actors of Ray, which have the parts among them.

    Parameters
    ----------
    blocks : sequence of ObjectRef
        The rows of each part, as `rows_of` takes them.
    rows_of : callable
        Makes `Rows` of a block; found by name at the actors.
    actors : int
        How many.
    patience : float
        Seconds without an answer from an actor that lives, after which a fit gives up.
    """

    def __init__(
        self, blocks: Sequence[Any], rows_of: Callable[[Any], Rows], actors: int, patience: float
    ):
        self.blocks, self.rows_of, self.patience = list(blocks), rows_of, patience
        self.names = [f"block {k}" for k in range(len(blocks))]
        self.job = uuid.uuid4().hex
        alive = {"max_restarts": -1, "max_task_retries": -1}  # whoever dies begins anew
        made = ray.remote(Answering).options(**alive)
        self.actors = [made.remote() for _ in range(max(1, min(actors, len(blocks))))]

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order; those that add up may come as fewer."""
        said = self._gathered(self._asked(steps, request, args))
        numbers = [range(k, len(self.blocks), len(self.actors)) for k in range(len(self.actors))]
        return ordered(zip(numbers, said, strict=True))

    def _asked(self, steps: Sequence[Step], request: str, args: Sequence[Any]) -> list[Any]:
        """What will be the answers of each actor, for the parts that it has."""
        told = ray.put(pickle.dumps((list(steps), request, args)))
        n = len(self.actors)
        parts = list(zip(range(len(self.blocks)), self.names, self.blocks, strict=True))
        return [
            actor.answer.remote(__version__, self.job, parts[k::n], self.rows_of, told)
            for k, actor in enumerate(self.actors)
        ]

    def finish(self, steps: Sequence[Step], plan: Plan, seeds: Sequence[Seed]) -> dict[int, Grown]:
        """Grow all that is below some nodes, by node: each batch of them at one actor."""
        n = len(self.actors)
        total = sum(seed.rows for seed in seeds)
        made: dict[int, Grown] = {}
        todo = list(batches(seeds, min(_BATCH, max(1, total // (2 * n)))))
        for first in range(0, len(todo), 2 * n):
            some = todo[first : first + 2 * n]
            trees = []
            for k, batch in enumerate(some):
                nodes = [seed.node for seed in batch]
                rows = self._asked(steps, "bundles", (plan.tree, nodes))
                trees.append(self.actors[k % n].finish.remote(plan, batch, *rows))
            for batch, grown in zip(some, self._gathered(trees), strict=True):
                made |= {seed.node: tree for seed, tree in zip(batch, grown, strict=True)}
        return made

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""
        self.blocks = [self.blocks[k] for k in numbers]
        self.names = [self.names[k] for k in numbers]
        self.job = uuid.uuid4().hex  # parts have other numbers now

    def close(self) -> None:
        """Let the actors go, and what they keep."""
        for actor in self.actors:
            ray.kill(actor)

    def _gathered(self, said: list[Any]) -> list[Any]:
        """The answers, or one sentence about what went wrong."""
        lonely = time.monotonic()
        while True:
            try:
                answers: list[Any] = ray.get(said, timeout=_LOOK)
            except GetTimeoutError:
                if any(node["Alive"] and node["Resources"].get("CPU") for node in ray.nodes()):
                    lonely = time.monotonic()
                if time.monotonic() - lonely > self.patience:
                    raise ClusterError(
                        f"The cluster has had no machine with a processor for {self.patience:g} "
                        f"seconds."
                    ) from None
            except RayTaskError as error:
                cause = error.cause
                raise cause if isinstance(cause, BoscoError) else error from None
            except (RayActorError, RayError) as error:
                raise ClusterError(f"Ray cannot answer: {str(error).splitlines()[0]}") from error
            else:
                return answers


class Answering:
    """An actor: answers for parts, and grows what is below small nodes."""

    def answer(
        self,
        version: str,
        job: str,
        parts: Sequence[tuple[int, str, Any]],
        rows_of: Callable[[Any], Rows],
        told: bytes,
    ) -> list[Any]:
        """Answer what it is told, and asked; blocks are fetched when they are needed."""
        if version != __version__:
            raise ClusterError(f"A worker has bosco {__version__}, but the driver {version}.")
        steps, request, args = pickle.loads(told)
        made = [(number, name, partial(_read, rows_of, block)) for number, name, block in parts]
        return merged(request, answer(job, made, steps, request, args))

    def finish(self, plan: Plan, batch: Sequence[Seed], *said: Any) -> list[Grown]:
        """Grow what is below some nodes, from what all actors say of their rows."""
        bundles = [of_part for answers in said for of_part in answers]
        return [finished(plan, seed, of) for seed, *of in zip(batch, *bundles, strict=True)]


def _read(rows_of: Callable[[Any], Rows], block: Any) -> Rows:
    return rows_of(ray.get(block))
