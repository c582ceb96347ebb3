"""A part whose rows stay in a database: it answers by queries that count there.

It is told and asked what any part is (`bosco.scale.part`), and says the same, to the bit.
"""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from bosco import _core
from bosco.errors import ParameterError
from bosco.export.program import Ask, Inner, node_of
from bosco.export.sql_parts import integer
from bosco.scale.asking import layout_of
from bosco.scale.edges import Edges
from bosco.scale.growing import Growing
from bosco.scale.sql_asked import Floats, SqlAsked
from bosco.scale.sql_words import (
    all_rows,
    binned,
    by_node,
    histogram,
    named,
    not_null,
    of,
    select,
    within,
)
from bosco.tree.census import Counted
from bosco.tree.tree import Tree

Held = tuple[NDArray[np.int64], int]


class SqlPart(SqlAsked):
    """All rows of a table in a database, and the tree so far."""

    # Steps ---------------------------------------------------------------------------------------

    def _edges(self, edges: Edges) -> None:
        """The values between which codes change."""
        assert self.rows.schema is not None
        layout = layout_of(self.rows.schema, edges)
        self.values = [values for values, _ in edges]
        self.coarse = [layout.is_coarse(j) for j in range(layout.n_columns)]
        sizes = [layout.n_codes(j) + 1 for j in range(layout.n_columns)]
        self.begin = np.concatenate([[0], np.cumsum(sizes)])
        self.keys: dict[int, exp.Expression] = {j: of(f"x{j}") for j in range(layout.n_columns)}
        self.histograms: dict[int, exp.Expression] = {}
        for j in np.flatnonzero(self.coarse).tolist():  # written once: they are long
            if self._counts_rows():
                made = histogram(self.keys.pop(j), self.values[j].tolist(), self.rows.speech)
            else:
                made = binned(self.keys[j].copy, self.values[j].tolist(), self.rows.speech)
            to = self.histograms if self._counts_rows() else self.keys
            to[j] = exp.Var(this=made.sql(dialect=self.connection.dialect))
        codes = {j: key for j, key in self.keys.items() if self.coarse[j]}
        if self._lay_out(codes):
            self.keys |= {j: of(f"k{j}") for j in codes}

    def _counts_rows(self) -> bool:
        """Whether tallies are numbers of rows by class, in a database that has histograms."""
        by_row = self.scaling.exponent is None and self.scaling.count == "weight"
        return bool(self.n_classes) and by_row and self.rows.speech.name == "duckdb"

    def _new_tree(self) -> "InQueries":
        return InQueries(self)

    def begin_tree(self, unit: int) -> None:
        """A tree begins: its root has all rows."""
        if unit != 1:
            raise ParameterError(
                "missing='fractional' sends rows with a missing value down all branches in shares, "
                "each row its own, which a database does not add up. Hint: missing='learn', "
                "'branch', 'majority' or 'surrogate'; or bosco.scan, which reads the rows."
            )
        self.rows.nodes = [None]

    def split(self, splits: list[tuple[int, Any, list[Any], int, list[int]]]) -> None:
        """Nodes got tests: (node, test, surrogates, first branch, known weights of branches)."""
        nodes = self.rows.nodes
        for node, test, surrogates, first, _ in splits:
            nodes.extend([None] * (first + test.branches - len(nodes)))
            asks = tuple(self._asked(one, first) for one in (test, *surrogates))
            nodes[node] = Inner(asks, first + test.missing, ())

    def _asked(self, test: Any, first: int) -> Ask:
        """A native test as a question whose answers are nodes from `first` on."""
        if len(test.jumps):
            return Ask(test.column, None, tuple(first + jump for jump in test.jumps[1:]))
        to = [first + branch for branch in range(len(test.thresholds) + 1)]
        if test.flip:
            to.reverse()
        levels = self.column(test.column).levels
        if levels is None:
            return Ask(test.column, tuple(test.thresholds), tuple(to))
        places = np.searchsorted(test.thresholds, np.arange(len(levels)))
        return Ask(test.column, None, tuple(to[place] for place in places.tolist()))

    # Requests: tables ----------------------------------------------------------------------------

    def count(
        self, nodes: list[int], held: list[int]
    ) -> tuple[NDArray[np.int64], Floats, list[Held]]:
        """The histograms of some nodes, and what others hold."""
        if self.n_now() != self.n_kept:
            self._changed()
        size = int(self.begin[-1])
        cells = np.zeros((len(nodes) * size, self.slots), np.int64)
        squares = np.zeros(0 if self.n_classes else len(nodes) * size)
        if nodes:
            for j, found in self._grouped(self.rows.located(nodes), self.keys):
                at = _places(nodes, found) * size + int(self.begin[j])
                at += self._codes_of(j, found.column(f"g{j}"))
                self._add(cells, at, found)
                if not self.n_classes:
                    np.add.at(squares, at, found.column("squares").to_numpy())
            if self.histograms:
                self._add_histograms(cells, nodes)
        return cells, squares, self._held(held)

    @property
    def slots(self) -> int:
        """Of a tally."""
        return (self.n_classes or 2) + (self.scaling.count != "weight")

    def _changed(self) -> NoReturn:
        self.refuse(
            "the rows changed while the tree grew, though the database promised a snapshot. "
            "Hint: a view of a volatile function, or a foreign table? Copy it into a table first."
        )

    def _codes_of(self, j: int, keys: Any) -> NDArray[np.int64]:
        """Codes of the keys that a column was counted by."""
        if self.coarse[j]:
            return np.asarray(keys.to_numpy(), np.int64)
        if self.column(j).levels is not None:
            return self.codes(j, keys)
        x = np.asarray(keys.cast("float64").to_numpy(), np.float64)
        codes = np.searchsorted(self.values[j], x) + 1
        known = codes <= len(self.values[j])
        known[known] = self.values[j][codes[known] - 1] == x[known]
        if not (known | np.isnan(x)).all():
            self._changed()
        return np.where(np.isnan(x), 0, codes)

    def _add_histograms(self, cells: NDArray[np.int64], nodes: list[int]) -> None:
        """Add up rows that the database counts by bin, all columns at once."""
        said = {f"h{j}": made.copy() for j, made in self.histograms.items()}
        found = self._at_nodes(nodes, {"weight": all_rows()} | said)
        begin = _places(nodes, found) * int(self.begin[-1])
        y, weight = found.column("y").to_numpy(), found.column("weight").to_numpy()
        for j in self.histograms:
            bins = found.column(f"h{j}").combine_chunks()  # maps: numbers of rows by edge
            sizes = np.diff(bins.offsets.to_numpy())
            group = np.repeat(np.arange(len(sizes)), sizes)
            keys = np.asarray(bins.keys.to_numpy(), np.float64)
            rows = np.asarray(bins.items.to_numpy(), np.int64)
            first = begin + int(self.begin[j])
            codes = np.searchsorted(self.values[j], keys) + 1
            np.add.at(cells, (first[group] + codes, y[group]), rows)
            known = np.bincount(group, rows, len(sizes)).astype(np.int64)
            np.add.at(cells, (first, y), weight - known)  # the missing ones

    def _add(self, cells: NDArray[np.int64], at: NDArray[Any], found: Any) -> None:
        """Add up what groups hold into cells."""
        weight = found.column("weight").to_numpy()
        if self.n_classes:
            np.add.at(cells, (at, found.column("y").to_numpy()), weight)
        else:
            np.add.at(cells[:, 0], at, weight)
            np.add.at(cells[:, 1], at, found.column("sum").to_numpy())
        if "samples" in found.column_names:
            np.add.at(cells[:, -1], at, found.column("samples").to_numpy())

    def _grouped(
        self, below: exp.Select, keys: dict[int, Any], said: Any = None, rare: bool = False
    ) -> Any:
        """For every key its groups; by default with all that tables hold."""
        beside = ["node", "y"] if self.n_classes else ["node"]
        said = self.rows.tallies() if said is None else said
        for some, query in self.rows.grouped(below, beside, keys, said, rare):
            found = self.ask(query)
            which = found.column("which").to_numpy()
            for k, j in enumerate(some):
                own = (1 << len(some)) - 1 - (1 << (len(some) - 1 - k))
                yield j, found.filter(which == own)

    def _at_nodes(self, nodes: list[int], said: dict[str, exp.Expression], tree: Any = None) -> Any:
        """What is said of nodes, by class."""
        keys = [of("node"), *([of("y")] if self.n_classes else [])]
        query = select([*keys, *named(said)], self.rows.located(nodes, tree))
        query = query.where(not_null(of("node")), copy=False)
        return self.ask(query.group_by(*(key.copy() for key in keys), copy=False))

    def _held(self, nodes: list[int]) -> list[Held]:
        if not nodes:
            return []
        found = self._at_nodes(nodes, self.rows.tallies(exact=True))
        cells, places = np.zeros((len(nodes), self.slots), np.int64), _places(nodes, found)
        self._add(cells, places, found)
        squares = [0] * len(nodes)
        if not self.n_classes:
            for place, digits in zip(places, found.column("squares").to_pylist(), strict=True):
                squares[place] = int(digits)
        return list(zip(cells, squares, strict=True))

    # Requests: values ----------------------------------------------------------------------------

    def look(
        self, fine: list[tuple[Any, ...]], near: list[tuple[int, int, int, int]]
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The values of marked bins, which are whole here, with their tallies; those at edges."""
        return self._fine([asked[:3] for asked in fine]), self._near(near)

    def _bin(self, j: int, first: int, last: int) -> exp.Expression:
        """Whether a row's value has a code from `first` to `last`."""
        ends = [-np.inf, *self.values[j].tolist(), np.inf]
        return within(of(f"x{j}"), ends[first - 1], ends[last], self.rows.speech)

    def _fine(self, asked: list[Any]) -> list[Any]:
        bins: dict[int, dict[int, exp.Expression]] = {}
        for node, j, codes in asked:
            if codes:
                runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
                ways = [self._bin(j, int(run[0]), int(run[-1])) for run in runs]
                ifs = [exp.If(this=way, true=of(f"x{j}")) for way in ways]
                bins.setdefault(j, {})[node] = exp.Case(ifs=ifs)
        none = (np.zeros(0), np.zeros(0, np.uint8), np.zeros((0, self.slots), np.int64))
        made: dict[tuple[int, int], Any] = {}
        for j, found in self._where(bins):
            node = found.column("node").to_numpy()
            for own in bins[j]:
                made[own, j] = self._fine_table(found.filter(node == own), j)
        return [made.get((node, j), none) for node, j, _ in asked]

    def _where(self, said: dict[int, dict[int, exp.Expression]], what: Any = None) -> Any:
        """For every column its groups by what is said of it at nodes, NULL left out."""
        if not said:
            return
        below = self.rows.located({node for nodes in said.values() for node in nodes})
        keys = {j: by_node(nodes) for j, nodes in said.items()}
        for j, found in self._grouped(below, keys, what, rare=True):
            yield j, found.filter(found.column(f"g{j}").is_valid())

    def _fine_table(self, found: Any, j: int) -> tuple[Floats, NDArray[np.uint8], Any]:
        values, place = np.unique(found.column(f"g{j}").to_numpy() + 0.0, return_inverse=True)
        cells = np.zeros((len(values), self.slots), np.int64)
        self._add(cells, place, found)
        return values, (np.searchsorted(self.values[j], values) + 1).astype(np.uint8), cells

    def _near(self, asked: list[tuple[int, int, int, int]]) -> list[tuple[float, float]]:
        sides: dict[int, dict[int, exp.Expression]] = {}
        for node, j, *codes in asked:
            ways = [self._bin(j, code, code) for code in codes]
            ifs = [exp.If(this=way, true=integer(side)) for side, way in enumerate(ways)]
            sides.setdefault(j, {})[node] = exp.Case(ifs=ifs)
        ends: dict[tuple[int, int], list[float]] = {
            (node, j): [-np.inf, np.inf] for node, j, _, _ in asked
        }
        said: dict[str, exp.Expression] = {}
        for j in sides:
            said |= {f"high{j}": exp.Max(this=of(f"x{j}")), f"low{j}": exp.Min(this=of(f"x{j}"))}
        for j, found in self._where(sides, said):
            for one in found.to_pylist():
                end = ends[one["node"], j]
                if one[f"g{j}"] == 0:
                    end[0] = max(end[0], one[f"high{j}"] + 0.0)
                else:
                    end[1] = min(end[1], one[f"low{j}"] + 0.0)
        return [(ends[node, j][0], ends[node, j][1]) for node, j, _, _ in asked]

    def extremes(self, asked: list[tuple[int, list[tuple[int, int, int]]]]) -> list[Floats]:
        """For columns of nodes the least value with one code, and the largest with another."""
        made = []
        for node, columns in asked:
            low = self._fine([(node, j, [first]) for j, first, _ in columns])
            high = self._fine([(node, j, [last]) for j, _, last in columns])
            ends = [(a[0].min(), b[0].max()) for a, b in zip(low, high, strict=True)]
            made.append(np.array(ends).reshape(-1, 2))
        return made

    def up_to(
        self, asked: list[tuple[int, list[tuple[int, int, float]]]]
    ) -> list[NDArray[np.int64]]:
        """For columns of nodes what has a code and lies not above a threshold."""
        made = []
        for node, cuts in asked:
            tables = self._fine([(node, j, [code]) for j, code, _ in cuts])
            sums = [
                t[2][t[0] <= cut].sum(axis=0) for t, (_, _, cut) in zip(tables, cuts, strict=True)
            ]
            made.append(np.array(sums, np.int64).reshape(-1, self.slots))
        return made

    def branches_by(self, asked: list[tuple[int, Any]]) -> list[list[Any]]:
        """For tests of nodes, the tables of all other columns against their branches."""
        nodes: list[Inner | None] = list(self.rows.nodes)
        goal: dict[int, tuple[int, int]] = {}
        for k, (node, test) in enumerate(asked):
            first = len(nodes)  # the two branches, and whoever has no value
            nodes[node] = Inner((self._asked(test, first),), first + 2, ())
            goal |= {first: (k, 0), first + 1: (k, 1)}
            nodes.extend([None] * 3)
        made: list[list[Any]] = [[None] * len(self.coarse) for _ in asked]
        weight = {"weight": self.rows.tallies()["weight"]}
        keys = {j: of(f"x{j}") for j in range(len(self.coarse))}
        for j, found in self._grouped(self.rows.located(goal, nodes), keys, weight):
            known = found.filter(found.column(f"g{j}").is_valid())
            levels, values = self.column(j).levels, known.column(f"g{j}")
            values = values.to_numpy() + 0.0 if levels is None else self.codes(j, values)
            ways = [goal[node] for node in known.column("node").to_pylist()]
            branch = np.array(ways, np.int64).reshape(-1, 2)
            weights = known.column("weight").to_numpy()
            for k, (_, test) in enumerate(asked):
                if j != test.column:
                    own = branch[:, 0] == k
                    seen, cells = _against(values[own], branch[own, 1], weights[own])
                    if levels is None:
                        codes = np.arange(1, len(seen) + 1, dtype=np.uint32)
                        made[k][j] = (codes, cells, seen, len(seen))
                    else:
                        made[k][j] = (seen.astype(np.uint32), cells, np.zeros(0), len(levels))
        return made

    def census(self, state: dict[str, Any], shared: bool) -> Counted:
        """The rows of every node of a tree, which go down one branch each."""
        assert self.rows.schema is not None
        assert not shared or not any(self.lacking)
        tree = Tree(_core.tree_from_state(state), len(self.rows.cells))
        nodes = [node_of(tree, self.rows.schema, number) for number in range(tree.node_count)]
        leaves = [number for number, node in enumerate(nodes) if node is None]
        own = self.scaling.own
        said = {"rows": self.rows.times(), **(self.rows.squared_weights() if own else {})}
        rows = np.zeros((tree.node_count, max(1, self.n_classes)), np.int64)
        weight = np.zeros(tree.node_count, np.int64)
        squares = [0] * tree.node_count
        parent = tree.native.parent.tolist()
        for one in self._at_nodes(leaves, said, nodes).to_pylist():
            node = one["node"]
            while node >= 0:
                rows[node, one.get("y", 0)] += one["rows"]
                weight[node] += one.get("weight", 0)
                squares[node] += int(one.get("squares", 0))
                node = parent[node]
        halves = np.array([[s & (2**64 - 1), s >> 64] for s in squares], np.uint64)
        return Counted(rows, weight, halves if own else halves[:0])


class InQueries(Growing):
    """The tree that grows in a database: what it is asked, its part asks there."""

    part: SqlPart

    def _begin(self, unit: int, draw: Any = None, factors: Any = None) -> None:
        assert draw is None
        assert factors is None
        self.part.begin_tree(unit)

    def _split(self, splits: list[Any]) -> None:
        self.part.split(splits)

    def count(self, nodes: list[int], held: list[int]) -> Any:
        """The histograms of some nodes, and what others hold."""
        return self.part.count(nodes, held)

    def look(self, fine: list[Any], near: list[Any]) -> Any:
        """The values of marked bins with their tallies, and the values next to edges."""
        return self.part.look(fine, near)

    def extremes(self, asked: list[Any]) -> Any:
        """For columns of nodes the least value with one code, and the largest with another."""
        return self.part.extremes(asked)

    def up_to(self, asked: list[Any]) -> Any:
        """For columns of nodes what has a code and lies not above a threshold."""
        return self.part.up_to(asked)

    def branches_by(self, asked: list[Any]) -> Any:
        """For tests of nodes, the tables of all other columns against their branches."""
        return self.part.branches_by(asked)


def _places(nodes: list[int], found: Any) -> NDArray[np.int64]:
    """The places of groups among nodes."""
    place = {node: k for k, node in enumerate(nodes)}
    return np.array([place[node] for node in found.column("node").to_pylist()], np.int64)


def _against(values: Any, branch: Any, weight: Any) -> tuple[Any, NDArray[np.int64]]:
    """The weight that goes either way, by value."""
    different, place = np.unique(values, return_inverse=True)
    cells = np.zeros((len(different), 2), np.int64)
    np.add.at(cells, (place, branch), weight)
    return different, cells
