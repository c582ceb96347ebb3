"""Rows in parts as one source of tables: what parts say is added up here, and only here.

A source remembers the steps that its parts were told, those of each growing tree by themselves. An
*engine* carries requests to the parts: in this process, or on a cluster, where it may ask any
worker, twice, or again after a death.
"""

from collections import Counter
from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bosco.scale.adding import merged
from bosco.scale.finish import Plan, Seed, batches, finished
from bosco.scale.levels import Tell
from bosco.scale.part import named
from bosco.scale.zoom import Pieces

SMALL = 50_000
"""Rows that may go to one place, unless an engine says otherwise."""

CROWD = 4_000
"""Rows of a bin that may be asked for value by value, unless an engine says otherwise."""

T = TypeVar("T")
Step = tuple[Any, ...]
Grown = tuple[dict[str, Any], int]
Asking = Generator[tuple[str, tuple[Any, ...]], Any, T]
"""Yields requests to a tree's rows, is sent what all parts say to each, and returns its result."""


class Answers(Protocol):
    """A part: it follows steps and answers requests; its number is that among all."""

    number: int

    def answer(self, steps: Sequence[Step], request: str, *args: Any) -> Any:
        """Follow the steps that are new, and answer."""


class Engine(Protocol):
    """Who carries requests to parts.

    Attributes
    ----------
    names : sequence of str
        Those of the parts, for messages.
    small : int
        Nodes of so many rows may be finished in one place; 0: rows stay where they are.
    crowd : int
        Bins of more rows are cut again before their values are asked for.
    """

    names: Sequence[str]
    small: int = SMALL
    crowd: int = CROWD

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

    def __init__(self, parts: Sequence[Answers], names: Sequence[str] | None = None):
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
        steps: list[Step],
        layout: Any,
        n_weights: int,
        tell: Tell | None = None,
    ):
        self.engine, self._tell = engine, tell
        self.steps = steps  # that all trees share; whoever gave the list may add to it
        self.trees: dict[int, list[Step]] = {}  # and those of each tree that grows
        self.layout = layout  # a frame of no rows with the codes of all
        self.n_weights = n_weights  # the first slots of a tally, which are weights
        self.n_columns = layout.n_columns
        self.n_codes = [layout.n_codes(j) for j in range(self.n_columns)]
        self.coarse = [layout.is_coarse(j) for j in range(self.n_columns)]
        self.values = [layout.values(j) for j in range(self.n_columns)]
        self.begin = np.concatenate([[0], np.cumsum([n + 1 for n in self.n_codes])])
        self.code_at = np.concatenate([np.arange(n + 1, dtype=np.uint32) for n in self.n_codes])
        self.heard: Counter[str] = Counter()  # bytes that came here, by request
        self.rounds = self.carried = 0  # questions; bytes of rows that went to one place
        self.counted = self.looked_into = self.cut = 0  # nodes; values of bins; spans of them

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
        for request, answer in (one for part in said for one in part):
            self.heard[request] += _bytes(answer)
        (all_,) = merged("each", said)
        return [answer for _, answer in all_]

    @property
    def received(self) -> int:
        """All bytes that came here."""
        return sum(self.heard.values())

    def finish(self, plan: Plan, seeds: Sequence[Seed]) -> list[dict[str, Any]]:
        """The trees below some nodes, as states; the bytes of rows that went there are counted."""
        made = self.engine.finish(self.told, plan, seeds)
        self.rounds += 1
        self.heard["finish"] += _bytes([list(state.values()) for state, _ in made.values()])
        self.carried += sum(n for _, n in made.values())
        return [made[seed.node][0] for seed in seeds]

    # What a tree asks --------------------------------------------------------------------------

    def count(self, nodes: list[int], held: list[int]) -> Asking[tuple[Any, Any, list[Any]]]:
        """The cells of some nodes (node, code, slot), the squares of each, and what others hold."""
        cells, squares, holds = yield "count", (nodes, held)
        self.counted += len(nodes)
        cells, k = cells.astype(np.int64), len(nodes)
        if not k:
            return cells, squares, holds
        return cells.reshape(k, -1, cells.shape[-1]), squares.reshape(k, -1), holds

    def tables(
        self, cells: NDArray[np.int64], squares: NDArray[np.float64]
    ) -> list[tuple[Any, NDArray[np.float64]]]:
        """The tables of a node's columns, in bins where they are coarse, with their squares."""
        met: NDArray[np.bool_] = np.any(cells[:, : self.n_weights], axis=1)
        met[self.begin[:-1]] = False  # what is missing stands apart
        places = np.flatnonzero(met)
        ends = np.searchsorted(places, self.begin).tolist()
        codes = self.code_at[places]
        kept = cells[places]
        own = squares[places] if len(squares) else squares
        made = []
        for j, first in enumerate(self.begin[:-1].tolist()):
            here = slice(ends[j], ends[j + 1])
            exact = len(self.values[j]) and not self.coarse[j]
            values = self.values[j][codes[here] - 1] if exact else None
            table = (codes[here], kept[here], cells[first], values, self.n_codes[j])
            made.append((table, own[here]))
        return made

    def look(
        self,
        fine: list[tuple[int, int, list[int], Any, Any]],
        near: list[tuple[int, int, int, int]],
    ) -> Asking[tuple[list[Any], list[tuple[float, float]]]]:
        """The fine tables of marked bins (node, column, codes, ends of ranges), and edges."""
        if not fine and not near:
            return [], []
        tables, ends = yield "look", (fine, near)
        self.looked_into += sum(len(values) for values, _, _ in tables)
        return [
            (v.astype(np.float64), b.astype(np.uint32), c.astype(np.int64)) for v, b, c in tables
        ], ends

    def zoom(self, asked: list[tuple[int, int, int, float, float]]) -> Asking[Pieces]:
        """What the pieces of spans of bins hold: (node, column, code, ends)."""
        self.cut += len(asked)
        made: Pieces = yield "zoom", (asked,)
        return made

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
    if isinstance(said, Pieces):
        return sum(getattr(said, name).nbytes for name in said.__slots__)
    if isinstance(said, list | tuple):
        return sum(map(_bytes, said))
    return 8
