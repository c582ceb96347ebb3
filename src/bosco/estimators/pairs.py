"""Tests on two columns: pairs of numbers that are worth a column of their own.

A test on two columns is a cut of a derived column, ``petal_length + 2.3 * petal_width``, which the
schema remembers; to the core it is a column like any other. Here those columns are found. A tree is
grown; at each of its nodes the best test on two columns is looked for, by the same proposals that
all columns have; where one pays for its freedom its column is added, and the tree is grown again,
until no node asks for another. docs/growing.md has the rules.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.numerals import show_number
from bosco.data.columns import Numbers
from bosco.data.deriving import derived
from bosco.data.expressions.value import MAX_LENGTH
from bosco.data.expressions.write import write_name
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.growth import Growth
from bosco.reasons.held import Held
from bosco.tree.tree import Tree

WORTH = 1.1
"""A test on two columns gains at least so many times what the best on one does, its price off."""

PLAIN = 1.05
"""One with a coefficient gains more than so many times what the best without one does."""

MOST = 100
"""Columns that a tree is given; no tree that people read asks for so many."""

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """The best test on two columns at a node: the column it cuts, and what it decreases."""

    text: str
    decrease: float


def with_pairs(schema: Schema, table: Any, target: Any, growth: Growth, n_threads: int) -> Schema:
    """The schema with the columns of pairs that a tree of these rows asks for, and no others."""
    plain = replace(growth, record=False, record_leaves=False)
    known: dict[tuple[int, bytes], Pair | None] = {}
    added: dict[str, str] = {}
    while True:
        wider = derived(schema, added)
        frame = Frame.read(table, wider)
        frame.native.encode(n_threads)
        tree = Tree(
            _core.grow(frame.native, target.native, plain.for_core(), n_threads),
            len(wider.columns),
        )
        search = _Search(frame, target, plain, schema, known)
        wanted = [text for text in search.wanted(tree) if text not in added.values()]
        room = MOST - len(added)
        if not wanted or not room:
            used = {wider.columns[j].name for j in tree.columns_asked}
            return derived(schema, {name: text for name, text in added.items() if name in used})
        added |= {_name(text, schema): text for text in wanted[:room]}


def _name(text: str, schema: Schema) -> str:
    """A derived column is called what it is, unless a column is called so."""
    while text in schema.names:
        text = f"({text})"
    return text


class _Search:
    """Looks for pairs at the nodes of a tree; `known` are what earlier rounds found."""

    def __init__(
        self,
        frame: Frame,
        target: Any,
        growth: Growth,
        schema: Schema,
        known: dict[tuple[int, bytes], Pair | None],
    ):
        self.held, self.target, self.growth, self.known = (
            Held(frame, target, growth),
            target,
            growth,
            known,
        )
        self.columns: dict[str, Values] = {}
        for j, column in enumerate(schema.columns):
            cells = frame.table.column(j)
            if isinstance(cells, Numbers) and column.unit == "number":
                values = np.array(cells.values, np.float64)
                values[~np.isfinite(values)] = np.nan  # as expressions read them
                self.columns[write_name(column.name)] = values
        self.room = np.full(frame.n_rows, np.nan)

    def wanted(self, tree: Tree) -> list[str]:
        """The columns that nodes ask for, none below a node that asks for one."""
        found: list[str] = []
        paths: dict[int, list[int]] = {0: []}
        for node in range(tree.node_count):
            if node not in paths:
                continue
            text = self._asked(node, paths[node])
            if text is not None:
                found.append(text)
            elif tree.native.test[node] >= 0:
                self.held.split(tree, node)
                for branch, child in enumerate(tree.children(node)):
                    paths[child] = [*paths[node], branch]
        return list(dict.fromkeys(found))

    def _asked(self, number: int, path: list[int]) -> str | None:
        """The column of the pair that a node is better off with, if any."""
        if not self.held.weight(number):
            return None
        node = self.held.node(number, path, (-math.inf, math.inf))
        if node.leaf:
            return None
        rows, _ = self.held.rows.numbers(number)
        key = (len(rows), rows.tobytes())
        if key not in self.known:
            self.known[key] = self._best(number, node, rows)
        pair = self.known[key]
        if pair is None:
            return None
        tables = self.held.tables(number)
        single = max(
            (c.decrease for c in map(node.propose, range(len(tables)), tables) if c.found),
            default=0.0,
        )
        price = self._price(node, self._samples(number)) * self.held.weight(number)
        pays = pair.decrease - price >= WORTH * max(single, 0.0) and pair.decrease > price
        return pair.text if pays else None

    def _samples(self, number: int) -> float:
        """The samples of a node, which may be apart from the weights."""
        tally, _ = self.held.rows.hold(number)
        apart = len(tally) > max(2, self.held.n_weights)
        unit: float = self.held.scale / self.target.weights.scale
        return float(tally[-1] if apart else tally[: self.held.n_weights].sum()) / unit

    def _price(self, node: Any, samples: float) -> float:
        """What looking at so many more columns gains by chance, in units of the impurity.

        The logarithm of how many times more there are to choose from, in natural units, each worth
        twice what one degree of freedom gains by chance.
        """
        n = len(self.columns)
        times = 1 + 5 * (n - 1) / 2  # five forms of n (n - 1) / 2 pairs, to n columns
        psi = float(node.impurity)
        nat = {
            "entropy": 1 / math.log(2),
            "log_loss": 1 / math.log(2),
            "scaled_entropy": 0.5 / math.log(2),
            "sqrt": 1 / (4 * psi) if psi > 0 else 0.0,
            "poisson": float(self.held.task.measure),
        }.get(self.growth.criterion, 2 * psi)
        return nat * math.log(times) / samples

    def _best(self, number: int, node: Any, rows: NDArray[np.uint32]) -> Pair | None:
        """The best test on two columns; of equals the first, plain forms before others."""
        some = {name: values[rows] for name, values in self.columns.items()}
        varying = {
            name: x
            for name, x in some.items()
            if np.nanmin(x, initial=np.inf) < np.nanmax(x, initial=-np.inf)
        }
        weights = self.target.weights.weight
        spread = {
            name: _spread(x, None if weights is None else weights[rows])
            for name, x in varying.items()
        }
        best: dict[bool, Pair | None] = {True: None, False: None}
        for a, b in combinations(varying, 2):
            for plain, text, values in _forms(a, b, varying[a], varying[b], spread[a], spread[b]):
                if len(text) > MAX_LENGTH:  # of very long names
                    continue
                self.room[rows] = values
                made = self.held.rows.propose(number, node, self.room)
                before = best[plain]
                if made.found and (before is None or made.decrease > before.decrease):
                    best[plain] = Pair(text, made.decrease)
        simple, scaled = best[True], best[False]
        if simple is None or (scaled is not None and scaled.decrease > PLAIN * simple.decrease):
            return scaled
        return simple


def _forms(
    a: str, b: str, x: Values, y: Values, wide: float, other: float
) -> Iterator[tuple[bool, str, Values]]:
    """The readable tests on two columns: whether without a coefficient, the text, the values."""
    with np.errstate(all="ignore"):
        yield True, f"{a} - {b}", _finite(x - y)
        yield True, f"{a} + {b}", _finite(x + y)
        if _one_sign(y):
            yield True, f"{a} / {b}", _finite(x / y)
        elif _one_sign(x):
            yield True, f"{b} / {a}", _finite(y / x)
        if not min(wide, other) > 0:  # numbers so small that their spread is 0
            return
        ratio = _rounded(max(wide, other) / min(wide, other))
        if not 1 < ratio < math.inf:
            return
        shown = show_number(ratio)
        if wide >= other:  # the coefficient is at the narrower one
            yield False, f"{a} - {shown} * {b}", _finite(x - _finite(ratio * y))
            yield False, f"{a} + {shown} * {b}", _finite(x + _finite(ratio * y))
        else:
            yield False, f"{shown} * {a} - {b}", _finite(_finite(ratio * x) - y)
            yield False, f"{shown} * {a} + {b}", _finite(_finite(ratio * x) + y)


def _finite(values: Values) -> Values:
    """As expressions have it: what is not finite is missing."""
    values[~np.isfinite(values)] = np.nan
    return values


def _one_sign(values: Values) -> bool:
    known = values[~np.isnan(values)]
    return bool((known > 0).all() or (known < 0).all())


def _rounded(ratio: float) -> float:
    """Two significant digits."""
    return float(f"{ratio:.1e}")


def _spread(values: Values, weights: NDArray[np.int64] | None) -> float:
    """The standard deviation of what is known, in sums that have no order.

    Sums are rounded once, and a weight is taken bit by bit: neither the order of rows nor copies of
    a row instead of its weight change a digit.
    """
    known = ~np.isnan(values)
    x = values[known]
    w = np.ones(len(x), np.int64) if weights is None else weights[known]
    total = int(w.sum())
    scale = float(np.abs(x).max()) or 1.0
    x = x / scale  # so that no square is too large
    mean = _sum(x, w) / total
    return math.sqrt(_sum((x - mean) ** 2, w) / total) * scale


def _sum(x: Values, w: NDArray[np.int64]) -> float:
    parts: list[float] = []
    for bit in range(int(w.max()).bit_length()):
        parts += (x[(w >> bit) & 1 == 1] * 2.0**bit).tolist()
    return math.fsum(parts)
