"""Rows in parts as one source of tables: what parts say is added up here, and only here.

A source remembers the steps that its parts were told. An *engine* carries requests to the parts:
in this process, or on a cluster, where it may ask any worker, twice, or again after a death.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bosco.scale.part import merged

Step = tuple[Any, ...]


class Answers(Protocol):
    """A part: it follows steps and answers requests."""

    def answer(self, steps: Sequence[Step], request: str, *args: Any) -> Any:
        """Follow the steps that are new, and answer."""


class Engine(Protocol):
    """Who carries requests to parts."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the parts, for messages."""

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order; those that add up may come as fewer."""

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""


class Here:
    """Parts in this process, asked one after the other."""

    def __init__(self, parts: Sequence[Answers], names: Sequence[str] | None = None):
        self.parts = list(parts)
        self.names = list(names or (f"part {k + 1}" for k in range(len(parts))))

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order."""
        return [part.answer(steps, request, *args) for part in self.parts]

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""
        self.parts = [self.parts[k] for k in numbers]
        self.names = [self.names[k] for k in numbers]


class Source:
    """The tables of all rows, whose codes of each column are known."""

    def __init__(self, engine: Engine, steps: Sequence[Step], layout: Any, n_weights: int):
        self.engine = engine
        self.steps = list(steps)
        self.layout = layout  # a frame of no rows with the codes of all
        self.n_weights = n_weights  # the first slots of a tally, which are weights
        self.n_columns = layout.n_columns
        self.n_codes = [layout.n_codes(j) for j in range(self.n_columns)]
        self.coarse = [layout.is_coarse(j) for j in range(self.n_columns)]
        self.values = [layout.values(j) for j in range(self.n_columns)]
        self.begin = np.concatenate([[0], np.cumsum([n + 1 for n in self.n_codes])])
        self.rounds = self.received = 0
        self.looked_into = 0  # values of bins

    def tell(self, *step: Any) -> None:
        """Add a step that all parts will follow."""
        self.steps.append(step)

    def ask(self, request: str, *args: Any) -> list[Any]:
        """Ask all parts; how often, and how much they said, is counted."""
        said = self.engine.ask(self.steps, request, *args)
        self.rounds += 1
        self.received += sum(map(_bytes, said))
        return said

    def count(
        self, nodes: list[int], held: list[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], list[tuple[NDArray[np.int64], int]]]:
        """The cells of some nodes (node, code, slot), the squares of each, and what others hold."""
        ((cells, squares, holds),) = merged("count", self.ask("count", nodes, held))
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
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The fine tables of marked bins, and the values next to edges."""
        if not fine and not near:
            return [], []
        ((tables, ends),) = merged("look", self.ask("look", fine, near))
        self.looked_into += sum(len(values) for values, _, _ in tables)
        return [(v, b.astype(np.uint32), c.astype(np.int64)) for v, b, c in tables], ends

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


def _bytes(said: Any) -> int:
    if isinstance(said, np.ndarray):
        return said.nbytes
    if isinstance(said, list | tuple):
        return sum(map(_bytes, said))
    return 8
