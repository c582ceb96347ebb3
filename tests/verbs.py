"""A grower made of the native verbs alone, for rows that lie in parts.

A part is a frame of its own, encoded by the edges of all; what is said about a node is summed over
the parts. Everything else is a pure function of tables: no row is looked at here.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bosco import _core

INFINITE = (float("-inf"), float("inf"))


@dataclass
class Grown:
    """A node of the tree: its test or None, what it holds, where it stands."""

    path: tuple[int, ...]
    tally: Any
    squares: int
    bounds: tuple[float, float] = INFINITE
    banned: frozenset[int] = frozenset()
    known: int | None = None  # the weight that came by its own value
    test: Any = None
    surrogates: list[Any] = field(default_factory=list)
    gain: float = 0.0
    decrease: float = 0.0
    impurity: float = 0.0
    children: list[int] = field(default_factory=list)


class Parts:
    """Rows in parts, and what they say together."""

    def __init__(
        self, frames: list[Any], goals: list[Any], n_classes: int, unit: int, rows: Any = None
    ):
        self.weights = max(1, n_classes)
        which = [None] * len(frames) if rows is None else [r.astype(np.uint32) for r in rows]
        self.rows = [
            _core.Rows(f, t, unit, r) for f, t, r in zip(frames, goals, which, strict=True)
        ]
        self.looked_into = 0  # values of bins
        first = frames[0]
        self.n_columns = first.n_columns
        self.n_codes = [first.n_codes(j) for j in range(self.n_columns)]
        self.coarse = [first.is_coarse(j) for j in range(self.n_columns)]
        self.values = [first.values(j) for j in range(self.n_columns)]
        self.begin = np.concatenate([[0], np.cumsum([n + 1 for n in self.n_codes])])

    def hold(self, node: int) -> tuple[Any, int]:
        held = [rows.hold(node) for rows in self.rows]
        return sum(h[0] for h in held), sum(h[1] for h in held)

    def tables(self, node: int) -> list[tuple[Any, Any]]:
        """The coarse (or only) table of every column, and the squares of its bins."""
        made = [rows.tabulate([node]) for rows in self.rows]
        cells = sum(m[0] for m in made)
        squares = sum(m[1] for m in made)
        found = []
        for j in range(self.n_columns):
            here = cells[self.begin[j] : self.begin[j + 1]]
            codes = np.flatnonzero(here[1:, : self.weights].any(axis=1)).astype(np.uint32) + 1
            values = None
            if len(self.values[j]) and not self.coarse[j]:
                values = self.values[j][codes - 1]
            table = (codes, here[codes].copy(), here[0].copy(), values, self.n_codes[j])
            own = squares[self.begin[j] : self.begin[j + 1]][codes] if len(squares) else np.zeros(0)
            found.append((table, np.ascontiguousarray(own)))
        return found

    def fine(self, node: int, column: int, codes: list[int]) -> tuple[Any, Any, Any]:
        made = [rows.refine(node, column, codes) for rows in self.rows]
        values, place = np.unique(np.concatenate([m[0] for m in made]), return_inverse=True)
        self.looked_into += len(values)
        cells = np.zeros((len(values), made[0][2].shape[1]), np.int64)
        bins = np.zeros(len(values), np.uint32)
        np.add.at(cells, place, np.concatenate([m[2] for m in made]))
        bins[place] = np.concatenate([m[1] for m in made])
        return values, bins, cells

    def near(self, node: int, column: int, low: int, high: int) -> tuple[float, float]:
        ends = [rows.near(node, column, low, high) for rows in self.rows]
        return max(e[0] for e in ends), min(e[1] for e in ends)

    def known(self, node: int, test: Any) -> list[int]:
        return np.sum([rows.known(node, test) for rows in self.rows], axis=0).tolist()  # type: ignore[no-any-return]

    def branches_by(self, node: int, test: Any) -> list[Any]:
        """The tables of all other columns against the branches of a test."""
        found: list[Any] = []
        for j in range(self.n_columns):
            if j == test.column:
                found.append(None)
                continue
            made = [rows.branches_by(node, test, j) for rows in self.rows]
            ordered = len(self.values[j]) > 0
            keys = [m[2] if ordered else m[0] for m in made]
            values, place = np.unique(np.concatenate(keys), return_inverse=True)
            cells = np.zeros((len(values), 2), np.int64)
            np.add.at(cells, place, np.concatenate([m[1] for m in made]))
            codes = np.arange(1, len(values) + 1, dtype=np.uint32)
            n = len(values)
            if not ordered:
                codes, n = values.astype(np.uint32), self.n_codes[j]
            found.append((codes, cells, np.zeros(2, np.int64), values if ordered else None, n))
        return found

    def split(self, node: int, test: Any, surrogates: list[Any], first: int, known: Any) -> None:
        for rows in self.rows:
            rows.split(node, test, surrogates, first, known)


class Grower:
    """The driver: which node is next, and what is done with it."""

    def __init__(
        self, parts: Parts, target: Any, n_classes: int, settings: dict[str, Any], unit: int
    ):
        self.parts, self.settings, self.unit = parts, settings, unit
        self.weights = max(1, n_classes)  # the first slots of a tally, which are weights
        tally, squares = parts.hold(0)
        self.weight = self._weight(tally)
        self.task = _core.Task(settings, target, unit, self.weight)
        self.nodes = [Grown((), tally, squares)]
        self.frontier: list[Any] = []

    def _weight(self, tally: Any) -> int:
        return int(tally[: self.weights].sum())

    def run(self) -> list[Grown]:
        most = self.settings["max_leaf_nodes"]
        leaves, order = 1, self.settings["order"]
        found = {0: self.find(0)} if order == "best" else {}
        queue = [self.key(0)]
        while queue:
            _, at = heapq.heappop(queue)
            choice = found.pop(at) if order == "best" else self.find(at)
            if choice is None:
                continue
            if most >= 0 and leaves + choice.branches - 1 > most:
                continue
            leaves += choice.branches - 1
            self.split(at, choice)
            for child in self.nodes[at].children:
                if order == "best":
                    found[child] = self.find(child)
                heapq.heappush(queue, self.key(child))
        return self.nodes

    def key(self, at: int) -> tuple[Any, int]:
        """Small is next; equals go by their number."""
        order = self.settings["order"]
        if order == "best":
            return (-self.nodes[at].decrease, at)
        return (self.nodes[at].path if order == "depth" else at, at)

    def find(self, at: int) -> Any:
        """The node's test, or None."""
        node = self.nodes[at]
        weight = self._weight(node.tally)
        if weight == 0:
            return None
        open_ = _core.Node(self.task, node.tally, node.squares, list(node.path), node.bounds)
        node.impurity = open_.impurity
        if open_.leaf:
            return None
        tables = self.parts.tables(at)
        candidates = self.candidates(at, open_, tables, node.banned, weight)
        best = open_.choose(candidates)
        if best is None:
            return None
        chosen = candidates[best]
        if chosen.edge is not None:
            chosen.locate(*self.parts.near(at, chosen.column, *chosen.edge))
        node.decrease = chosen.decrease
        node.gain = self.task.gain(chosen.decrease, weight)
        return self.task.test(chosen)

    def candidates(
        self, at: int, open_: Any, tables: Any, banned: frozenset[int], weight: int
    ) -> list[Any]:
        parts, settings = self.parts, self.settings
        learns = settings["missing"] == "learn"
        boundable = (
            settings["numeric_test"] == "threshold"
            and settings["splitter"] == "best"
            and not settings["penalty"]
        )
        fine = {}
        for j, (table, _) in enumerate(tables):
            if parts.coarse[j] and (not boundable or len(table[0]) < 2):
                values, _, cells = parts.fine(at, j, table[0].tolist())
                codes = np.arange(1, len(values) + 1, dtype=np.uint32)
                fine[j] = (codes, cells, table[2], values, len(values))
        varies = [
            len(fine.get(j, table)[0]) + (learns and bool(table[2].any())) > 1
            for j, (table, _) in enumerate(tables)
        ]
        takes_part = np.array([j not in banned for j in range(len(tables))])
        columns = open_.columns(takes_part, np.array(varies))
        looks, found = {}, {}
        for j in columns:
            table, squares = tables[j]
            if parts.coarse[j] and j not in fine:
                looks[j] = open_.look(j, table, squares)
            else:
                found[j] = open_.propose(j, fine.get(j, table))
        own = settings["score"] != "gain"
        floor = max(
            [look.decrease for look in looks.values()] + [c.net(weight) for c in found.values()],
            default=float("-inf"),
        )
        for j, look in looks.items():
            marked = look.mark(look.decrease if own else floor, True)
            if marked:
                look.into(*parts.fine(at, j, marked))
            found[j] = look.settle()
        return [found[j] for j in sorted(found) if found[j].found]

    def split(self, at: int, test: Any) -> None:
        node, parts = self.nodes[at], self.parts
        node.test = test
        if self.settings["missing"] == "surrogate":
            node.surrogates = self.task.imitate(parts.branches_by(at, test), test)
        known = parts.known(at, test) if self.unit > 1 else []
        first = len(self.nodes)
        parts.split(at, test, node.surrogates, first, known)
        banned = node.banned if self.settings["reuse"] else node.banned | {test.column}
        for b in range(test.branches):
            tally, squares = parts.hold(first + b)
            child = Grown((*node.path, b), tally, squares, node.bounds, banned)
            child.known = known[b] if known else None
            self.nodes.append(child)
            node.children.append(first + b)
        if any(self.settings["monotonic"]):  # of the first two branches; a third keeps its own
            open_ = _core.Node(self.task, node.tally, node.squares, list(node.path), node.bounds)
            left, right = self.nodes[first], self.nodes[first + 1]
            left.bounds, right.bounds = open_.bounds(test.column, left.tally, right.tally)
