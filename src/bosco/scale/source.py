"""Rows in parts as one source of tables: what parts say is added up here, and only here.

A source remembers the steps that its parts were told. An *engine* carries requests to the parts:
in this process, or on a cluster, where it may ask any worker, twice, or again after a death.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bosco.scale.finish import Plan, Seed, batches, finished
from bosco.scale.levels import Tell
from bosco.scale.part import Part, merged, named
from bosco.scale.zoom import Pieces, joined

SMALL = 50_000
"""Rows that may go to one place, unless an engine says otherwise."""

CROWD = 4_000
"""Rows of a bin that may be asked for value by value, unless an engine says otherwise."""

Step = tuple[Any, ...]
Grown = tuple[dict[str, Any], int]


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
            said = self.ask(steps, "bundles", [seed.node for seed in some])
            for seed, *bundles in zip(some, *said, strict=True):
                made[seed.node] = finished(plan, seed, bundles)
        return made


class Here(Engine):
    """Parts in this process, asked one after the other."""

    def __init__(self, parts: Sequence[Part], names: Sequence[str] | None = None):
        self.parts = list(parts)
        self.names = list(names or (f"part {k + 1}" for k in range(len(parts))))

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
        self.steps = list(steps)
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
        self.counted = self.looked_into = 0  # nodes; values of bins

    def done(self, nodes: int) -> None:
        """A level of so many nodes is done, which somebody may want to know."""
        if self._tell is not None:
            self._tell(nodes, self.rounds, self.received + self.carried)

    def tell(self, *step: Any) -> None:
        """Add a step that all parts will follow."""
        self.steps.append(step)

    def ask(self, request: str, *args: Any) -> list[Any]:
        """Ask all parts; how often, and how much they said, is counted."""
        said = self.engine.ask(self.steps, request, *args)
        self._heard(request, said)
        return said

    def _heard(self, request: str, said: Any) -> None:
        self.rounds += 1
        self.heard[request] += _bytes(said)

    @property
    def received(self) -> int:
        """All bytes that came here."""
        return sum(self.heard.values())

    def count(
        self, nodes: list[int], held: list[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], list[tuple[NDArray[np.int64], int]]]:
        """The cells of some nodes (node, code, slot), the squares of each, and what others hold."""
        ((cells, squares, holds),) = merged("count", self.ask("count", nodes, held))
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
        fine: list[tuple[int, int, list[int], float, float]],
        near: list[tuple[int, int, int, int]],
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The fine tables of marked bins (node, column, codes, least and largest value)."""
        if not fine and not near:
            return [], []
        ((tables, ends),) = merged("look", self.ask("look", fine, near))
        self.looked_into += sum(len(values) for values, _, _ in tables)
        return [
            (v.astype(np.float64), b.astype(np.uint32), c.astype(np.int64)) for v, b, c in tables
        ], ends

    def zoom(self, asked: list[tuple[int, int, int, float, float]]) -> list[Pieces]:
        """What the pieces of spans of bins hold: (node, column, code, ends)."""
        said = self.ask("zoom", asked)
        return [joined(of_span) for of_span in zip(*said, strict=True)]

    def known(self, asked: list[tuple[int, Any]]) -> list[list[int]]:
        """For tests of nodes, the weights that came to each branch by a value of their own."""
        if not asked:
            return []
        weights = merged("known", self.ask("known", asked))[0].tolist()
        ends = np.cumsum([test.branches for _, test in asked]).tolist()
        return [weights[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def branches_by(self, asked: list[tuple[int, Any]]) -> list[list[Any]]:
        """For tests of nodes, the tables of all other columns against their branches."""
        if not asked:
            return []
        said = self.ask("branches_by", asked)
        return [
            [
                None if j == test.column else self._against([s[k][j] for s in said], j)
                for j in range(self.n_columns)
            ]
            for k, (_, test) in enumerate(asked)
        ]

    def _against(self, parts: list[Any], j: int) -> Any:
        ordered = len(self.values[j]) > 0
        keys = np.concatenate([p[2] if ordered else p[0] for p in parts])
        values, place = np.unique(keys, return_inverse=True)
        cells = np.zeros((len(values), 2), np.int64)
        np.add.at(cells, place, np.concatenate([p[1] for p in parts]))
        n, codes = len(values), np.arange(1, len(values) + 1, dtype=np.uint32)
        if not ordered:
            codes, n = values.astype(np.uint32), self.n_codes[j]
        return codes, cells, np.zeros(2, np.int64), values if ordered else None, n

    def finish(self, plan: Plan, seeds: Sequence[Seed]) -> list[dict[str, Any]]:
        """The trees below some nodes, as states; the bytes of rows that went there are counted."""
        made = self.engine.finish(self.steps, plan, seeds)
        self._heard("finish", [list(state.values()) for state, _ in made.values()])
        self.carried += sum(n for _, n in made.values())
        return [made[seed.node][0] for seed in seeds]


def _bytes(said: Any) -> int:
    if isinstance(said, np.ndarray):
        return said.nbytes
    if isinstance(said, Pieces):
        return sum(getattr(said, name).nbytes for name in said.__slots__)
    if isinstance(said, list | tuple):
        return sum(map(_bytes, said))
    return 8
