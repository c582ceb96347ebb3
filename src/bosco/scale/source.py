"""Rows in parts as one source of tables: what parts say is added up here, and only here.

A source remembers the steps that its parts were told, those of each growing tree by themselves. An
*engine* carries requests to the parts: in this process, or on a cluster, where it may ask any
worker, twice, or again after a death.
"""

from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bosco.scale.adding import merged
from bosco.scale.finish import Plan, Seed, batches, finished
from bosco.scale.levels import Tell
from bosco.scale.part import Part, named

SMALL = 50_000
"""Rows that may go to one place, unless an engine says otherwise."""

T = TypeVar("T")
Step = tuple[Any, ...]
Grown = tuple[dict[str, Any], int]
Asking = Generator[tuple[str, tuple[Any, ...]], Any, T]
"""Yields requests to a tree's rows, is sent what all parts say to each, and returns its result."""


class Engine(Protocol):
    """Who carries requests to parts.

    Attributes
    ----------
    names : sequence of str
        Those of the parts, for messages.
    small : int
        Nodes of so many rows may be finished in one place; 0: rows stay where they are.
    """

    names: Sequence[str]
    small: int = SMALL

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order; those that add up may come as fewer."""

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""

    def finish(self, steps: Sequence[Step], plan: Plan, seeds: Sequence[Seed]) -> dict[int, Grown]:
        """Grow all that is below some nodes, by node: in this process, unless there are others."""
        made = {}
        for some in batches(seeds, self.small):
            said = self.ask(steps, "bundles", plan.tree, [seed.node for seed in some])
            for seed, *bundles in zip(some, *said, strict=True):
                made[seed.node] = finished(plan, seed, bundles)
        return made


class Here(Engine):
    """Parts in this process, asked one after the other."""

    def __init__(self, parts: Sequence[Part], names: Sequence[str] | None = None):
        self.names = list(names or (f"part {k + 1}" for k in range(len(parts))))
        self.parts = list(parts)
        self._number()

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order."""
        answers = []
        for part, name in zip(self.parts, self.names, strict=True):
            with named(name):
                answers.append(part.answer(steps, request, *args))
        return answers

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""
        self.parts = [self.parts[k] for k in numbers]
        self.names = [self.names[k] for k in numbers]
        self._number()

    def _number(self) -> None:
        for number, part in enumerate(self.parts):
            part.number = number


class Source:
    """The tables of all rows, whose codes of each column are known."""

    def __init__(
        self,
        engine: Engine,
        steps: Sequence[Step],
        layout: Any,
        n_weights: int,
        tell: Tell | None = None,
    ):
        self.engine, self._tell = engine, tell
        self.steps = list(steps)  # that all trees share
        self.trees: dict[int, list[Step]] = {}  # and those of each tree that grows
        self.layout = layout  # a frame of no rows with the codes of all
        self.n_weights = n_weights  # the first slots of a tally, which are weights
        self.n_columns = layout.n_columns
        self.n_codes = [layout.n_codes(j) for j in range(self.n_columns)]
        self.coarse = [layout.is_coarse(j) for j in range(self.n_columns)]
        self.values = [layout.values(j) for j in range(self.n_columns)]
        self.begin = np.concatenate([[0], np.cumsum([n + 1 for n in self.n_codes])])
        self.rounds = self.received = self.carried = 0  # questions, bytes here, bytes of bundles
        self.looked_into = 0  # values of bins

    def done(self, nodes: int) -> None:
        """A level of so many nodes is done, which somebody may want to know."""
        if self._tell is not None:
            self._tell(nodes, self.rounds, self.received + self.carried)

    @property
    def told(self) -> list[Step]:
        """All that parts are told."""
        return [*self.steps, *(("tree", tree, own) for tree, own in self.trees.items())]

    def each(self, asked: list[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        """Ask all parts about several trees; how often, and how much they said, is counted."""
        said = self.engine.ask(self.told, "each", asked)
        self.rounds += 1
        self.received += sum(map(_bytes, said))
        (all_,) = merged("each", said)
        return [answer for _, answer in all_]

    def finish(self, plan: Plan, seeds: Sequence[Seed]) -> list[dict[str, Any]]:
        """The trees below some nodes, as states; the bytes of rows that went there are counted."""
        made = self.engine.finish(self.told, plan, seeds)
        self.rounds += 1
        self.carried += sum(n for _, n in made.values())
        self.received += sum(_bytes(list(state.values())) for state, _ in made.values())
        return [made[seed.node][0] for seed in seeds]

    # What a tree asks --------------------------------------------------------------------------

    def count(self, nodes: list[int], held: list[int]) -> Asking[tuple[Any, Any, list[Any]]]:
        """The cells of some nodes (node, code, slot), the squares of each, and what others hold."""
        cells, squares, holds = yield "count", (nodes, held)
        cells, k = cells.astype(np.int64), len(nodes)
        if not k:
            return cells, squares, holds
        return cells.reshape(k, -1, cells.shape[-1]), squares.reshape(k, -1), holds

    def table(
        self, cells: NDArray[np.int64], squares: NDArray[np.float64], j: int
    ) -> tuple[Any, NDArray[np.float64]]:
        """The table of a column of a node, in bins where it is coarse, and the squares of each."""
        here = cells[self.begin[j] : self.begin[j + 1]]
        codes = np.flatnonzero(here[1:, : self.n_weights].any(axis=1)).astype(np.uint32) + 1
        values = None
        if len(self.values[j]) and not self.coarse[j]:
            values = self.values[j][codes - 1]
        table = (codes, here[codes], here[0].copy(), values, self.n_codes[j])
        own = squares[self.begin[j] : self.begin[j + 1]][codes] if len(squares) else squares
        return table, np.ascontiguousarray(own)

    def look(
        self, fine: list[tuple[int, int, list[int]]], near: list[tuple[int, int, int, int]]
    ) -> Asking[tuple[list[Any], list[tuple[float, float]]]]:
        """The fine tables of marked bins, and the values next to edges."""
        if not fine and not near:
            return [], []
        tables, ends = yield "look", (fine, near)
        self.looked_into += sum(len(values) for values, _, _ in tables)
        return [(v, b.astype(np.uint32), c.astype(np.int64)) for v, b, c in tables], ends

    def each_node(self, request: str, asked: list[tuple[int, list[Any]]]) -> Asking[list[Any]]:
        """Ask something of columns of nodes, where there are any."""
        some = [(node, columns) for node, columns in asked if columns]
        said = iter((yield request, (some,)) if some else [])
        return [next(said) if columns else [] for _, columns in asked]

    def known(self, asked: list[tuple[int, Any]]) -> Asking[list[list[int]]]:
        """For tests of nodes, the weights that came to each branch by a value of their own."""
        if not asked:
            return []
        weights = (yield "known", (asked,)).tolist()
        ends = np.cumsum([test.branches for _, test in asked]).tolist()
        return [weights[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def branches_by(self, asked: list[tuple[int, Any]]) -> Asking[list[list[Any]]]:
        """For tests of nodes, the tables of all other columns against their branches."""
        if not asked:
            return []
        said = yield "branches_by", (asked,)
        return [[None if one is None else _against(one) for one in tables] for tables in said]


def _against(said: Any) -> Any:
    """A table as the core takes it."""
    codes, cells, values, n_codes = said
    return codes, cells, np.zeros(2, np.int64), values if len(values) else None, n_codes


def _bytes(said: Any) -> int:
    if isinstance(said, np.ndarray):
        return said.nbytes
    if isinstance(said, list | tuple):
        return sum(map(_bytes, said))
    return 8
