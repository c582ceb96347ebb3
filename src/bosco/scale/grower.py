"""A tree over rows that lie in parts, grown level by level: a pure function of their tables.

What is done here is what the native driver does with rows of its own, by the same verbs; so the
tree is the same, to the bit. Two rounds a level: *count* (the histograms of one sibling each; the
other's are the difference), and *look* (the values of the bins that may hold a better cut than was
found between bins). Random cuts take three: after counting, the *extremes* between which cuts are
drawn, and what lies *up to* them in their bins. Other tests without a bound cost a look at all
values.

A grower asks nobody: it yields its requests, so that those of several trees go together
(`bosco.scale.stepping`).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.recipe import Recipe
from bosco.growth import MISSING
from bosco.scale.drawing import draw
from bosco.scale.finish import Aside, Kinds, Plan
from bosco.scale.source import Asking, Source, Step
from bosco.scale.zoom import ALL, Bin, Floor, Mark, Span, cut

__all__ = ["Grower"]


@dataclass(slots=True)
class Open:
    """A node whose test is looked for."""

    number: int
    node: Any
    cells: NDArray[np.int64]
    squares: NDArray[np.float64]
    tables: list[Any] = field(default_factory=list)
    fine: dict[int, Any] = field(default_factory=dict)
    looks: dict[int, Any] = field(default_factory=dict)
    found: dict[int, Any] = field(default_factory=dict)
    near: dict[tuple[int, int, int], tuple[float, float]] = field(default_factory=dict)
    ends: dict[int, tuple[float, float]] = field(default_factory=dict)


class Grower:
    """Grows one tree over a source.

    Parameters
    ----------
    source : Source
        The rows.
    like : native target
        What the target is; none of its rows is looked at.
    settings : dict
        As the core takes them.
    unit : int
        Fixed-point units of one sample.
    finish : tuple of Recipe and list, or None
        How rows that go to one place are read (`Plan`): small nodes may be finished there.
    number : int
        Of the tree, among those that the source grows.
    sample : tuple
        Which rows the tree has, and how classes count in it: see `bosco.scale.growing.Growing`.
    """

    def __init__(
        self,
        source: Source,
        like: Any,
        settings: dict[str, Any],
        unit: int,
        finish: tuple[Recipe, Kinds] | None = None,
        number: int = 0,
        sample: tuple[Any, ...] = (),
    ):
        self.source, self.like, self.settings, self.unit = source, like, settings, unit
        # By `best` nodes compare with each other by more digits than a finished tree has.
        alone = settings["max_leaf_nodes"] < 0 and settings["order"] != "best"
        self.finish = finish if alone else None
        self.aside: Aside | None = None
        self.number = number
        self.steps: list[Step] = [("begin", unit, *sample)]
        self.drawn = settings["splitter"] == "random"
        self.bounded = (
            settings["numeric_test"] == "threshold" and not self.drawn and not settings["penalty"]
        )
        asking = settings.get("asking")  # where prices decide, each column says its own best
        self.own = settings["score"] != "gain" or bool(asking and asking["weight"] > 0)
        self.on_missing = MISSING[settings["missing"]]
        self.cells: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}  # of nodes
        self.chosen: dict[int, Any] = {}  # the tests of nodes

    @property
    def held(self) -> int:
        """Bytes of the tables at hand."""
        return sum(cells.nbytes + squares.nbytes for cells, squares in self.cells.values())

    def run(self) -> Asking[Any]:
        """Yield requests until there is the native tree."""
        source, settings = self.source, self.settings
        cells, squares, (root,) = yield from source.count([0], [0])
        weight = int(root[0][: source.n_weights].sum())
        self.task = _core.Task(settings, self.like, self.unit, weight)
        self.sketch = _core.Sketch(self.task, root)
        self.cells[0] = (cells[0], squares[0])
        self.subtracts = squares.size == 0
        if self.finish is not None:
            plan = Plan(*self.finish, settings, self.unit, weight, self.number)
            self.aside = Aside(source, plan)
        if settings["max_leaf_nodes"] >= 0:
            yield from self._run_limited(settings["max_leaf_nodes"])
        else:
            nodes = yield from self._find([0])
            while nodes:
                nodes = yield from self._find((yield from self._split(nodes)))
        tree = self.sketch.tree()
        return tree if self.aside is None else (yield from self.aside.grafted(tree))

    def _run_limited(self, most: int) -> Asking[None]:
        """As long as there are at most so many leaves: one node after the other, in their order."""
        order, sketch = self.settings["order"], self.sketch
        waiting = {0}
        found = set((yield from self._find([0])))
        leaves = 1

        def next_(node: int) -> Any:
            path = sketch.path(node)
            return (
                (-sketch.decrease(node) if node in found else 0.0, node)
                if order == "best"
                else (path if order == "depth" else node, node)
            )

        while waiting:
            node = min(waiting, key=next_)
            waiting.remove(node)
            if node not in found:
                continue
            branches = self.chosen[node].branches
            if leaves + branches - 1 > most:
                continue
            leaves += branches - 1
            below = yield from self._split([node])
            found |= set((yield from self._find(below)))
            waiting |= set(below)

    # A level -----------------------------------------------------------------------------------

    def _find(self, nodes: list[int]) -> Asking[list[int]]:
        """Choose the tests of some nodes; returns those that have one."""
        opened = []
        for number in nodes:
            node = self.sketch.open(number)
            cells = self.cells.pop(number)
            if not self.sketch.weight(number) or node.leaf:
                continue
            if self.aside is None or not self.aside.takes(self.sketch, number):
                opened.append(Open(number, node, *cells))
                self.cells[number] = cells
        for one in opened:
            one.tables = self.source.tables(one.cells, one.squares)
        if self.drawn:
            yield from draw(self.source, opened, self._columns)
        else:
            yield from self._take_fine(opened)
        for one in opened:
            self._look_between(one)
        yield from self._look_into(opened)
        chosen = yield from self._choose(opened)
        self.source.done(len(nodes))
        return chosen

    def _take_fine(self, opened: list[Open]) -> Asking[None]:
        """The whole tables of coarse columns that bounds say nothing of."""
        asked = [
            (one, j, table[0].tolist())
            for one in opened
            for j, (table, _) in enumerate(one.tables)
            if self.source.coarse[j] and (not self.bounded or len(table[0]) < 2)
        ]
        made, _ = yield from self.source.look(
            [(one.number, j, codes, *ALL) for one, j, codes in asked], []
        )
        for (one, j, _), (values, _, cells) in zip(asked, made, strict=True):
            codes = np.arange(1, len(values) + 1, dtype=np.uint32)
            one.fine[j] = (codes, cells, one.tables[j][0][2], values, len(values))

    def _look_between(self, one: Open) -> None:
        """What is found between bins, and where tables are fine."""
        for j in self._columns(one):
            table, squares = one.tables[j]
            if self.source.coarse[j] and j not in one.fine:
                one.looks[j] = one.node.look(j, table, squares)
            else:
                one.found[j] = one.node.propose(j, one.fine.get(j, table))

    def _columns(self, one: Open) -> Any:
        """The columns that a node looks at."""
        values = [
            1 + (one.ends[j][0] < one.ends[j][1])
            if j in one.ends
            else len(one.fine.get(j, table)[0])
            for j, (table, _) in enumerate(one.tables)
        ]
        learns = self.on_missing.learned
        varies = [
            n + (learns and bool(table[2].any())) > 1
            for n, (table, _) in zip(values, one.tables, strict=True)
        ]
        banned = self.sketch.banned(one.number, self.source.n_columns) != 0
        return one.node.columns(~banned, np.array(varies))

    def _look_into(self, opened: list[Open]) -> Asking[None]:
        """The bins that may hold something better."""
        marks: list[Mark] = []
        near = []
        for one in opened:
            weight = self.sketch.weight(one.number)
            own = self.own or self.sketch.records_all(one.number)
            best = max(
                [look.decrease for look in one.looks.values()]
                + [c.net(weight) for c in one.found.values()],
                default=float("-inf"),
            )
            of_all = Floor(best)
            if not own and self.sketch.records(one.number):
                of_all = Floor(_core.near(best), _core.near)
            for j, look in one.looks.items():
                floor = Floor(look.decrease) if own else of_all
                marked = look.mark(floor.decrease, True)
                if marked:
                    marks.append(Mark(one, j, floor, self._crowded(one, j, marked, floor)))
                edge = look.settle().edge
                if edge is not None and (own or look.decrease >= of_all.decrease):
                    near.append((one, (j, *edge)))
        ends = yield from self._look_at_values(marks, [(one.number, *edge) for one, edge in near])
        for (one, edge), values in zip(near, ends, strict=True):
            one.near[edge] = values
        for one in opened:
            one.found |= {j: look.settle() for j, look in one.looks.items()}

    def _look_at_values(
        self, marks: list[Mark], near: list[Any]
    ) -> Asking[list[tuple[float, float]]]:
        """Look into marked bins: those of many rows are cut again first; the values at edges."""
        spans = [span for mark in marks for span in mark.spans]
        yield from cut(self.source, spans, self.source.engine.crowd, self._rows)
        asked = [mark.asked() for mark in marks]
        made, ends = yield from self.source.look([one for some in asked for one in some], near)
        tables = iter(made)
        for mark, some in zip(marks, asked, strict=True):
            mark.take([next(tables) for _ in some])
        return ends

    def _crowded(self, one: Open, j: int, marked: list[int], floor: Floor) -> list[Span]:
        """Those of marked bins that hold many rows."""
        codes, cells = one.tables[j][0][:2]
        crowded = codes[self._rows(cells) > self.source.engine.crowd].tolist()
        return [self._span(one, j, code, floor) for code in sorted({*marked} & {*crowded})]

    def _rows(self, cells: NDArray[np.int64]) -> Any:
        """How many rows a cell of a table has, or each of some, at most."""
        apart = cells.shape[-1] > max(2, self.source.n_weights)
        weights = cells[..., : self.source.n_weights]
        samples = cells[..., -1] if apart else weights.sum(axis=-1)
        return samples // self.unit

    def _span(self, one: Open, j: int, code: int, floor: Floor) -> Span:
        """A whole bin that is to be cut."""
        table, ends = one.tables[j], self.source.values[j]
        place = int(np.searchsorted(table[0][0], code))
        low = float(np.nextafter(ends[code - 2], np.inf)) if code > 1 else -np.inf
        high = float(ends[code - 1]) if code <= len(ends) else np.inf
        left = table[0][1][:place].sum(axis=0)
        return Span(one.node, one.number, table, j, Bin(code), low, high, left, floor)

    def _compared(self, one: Open) -> list[Any]:
        """The candidates of a node; where not all are to be kept, those near the best."""
        found = [c for _, c in sorted(one.found.items()) if c.found]
        if self.sketch.records_all(one.number) or not self.sketch.records(one.number):
            return found
        weight = self.sketch.weight(one.number)
        best = max((c.net(weight) for c in found), default=float("-inf"))
        return [c for c in found if c.net(weight) >= _core.near(best)]

    def _choose(self, opened: list[Open]) -> Asking[list[int]]:
        """The best column of each node; what is recorded is located, like what wins."""
        compared = [self._compared(one) for one in opened]
        best = [one.node.choose(cs) for one, cs in zip(opened, compared, strict=True)]
        records = [self.sketch.records(one.number) for one in opened]
        at_edge = [
            (one, c)
            for one, cs, k, all_ in zip(opened, compared, best, records, strict=True)
            for c in (cs if all_ else [] if k is None else [cs[k]])
            if c.edge is not None
        ]
        lost = [(one, c) for one, c in at_edge if (c.column, *c.edge) not in one.near]
        _, ends = yield from self.source.look(
            [], [(one.number, c.column, *c.edge) for one, c in lost]
        )
        for (one, c), values in zip(lost, ends, strict=True):
            one.near[(c.column, *c.edge)] = values
        for one, c in at_edge:
            c.locate(*one.near[(c.column, *c.edge)])
        chosen = []
        for one, cs, k, all_ in zip(opened, compared, best, records, strict=True):
            if all_:
                self.sketch.record(one.number, cs)
            if k is not None:
                self.sketch.choose(one.number, cs[k])
                self.chosen[one.number] = self.task.test(cs[k])
                chosen.append(one.number)
            else:
                del self.cells[one.number]
        return chosen

    def _split(self, nodes: list[int]) -> Asking[list[int]]:
        """Give nodes their tests; returns their branches, counted."""
        tests = [(node, self.chosen[node]) for node in nodes]
        surrogates: list[list[Any]] = [[] for _ in nodes]
        if self.on_missing.stand_ins:
            tables = yield from self.source.branches_by(tests)
            surrogates = [
                self.task.imitate(made, test) for made, (_, test) in zip(tables, tests, strict=True)
            ]
        known: list[list[int]] = [[] for _ in nodes]
        if self.unit > 1:
            known = yield from self.source.known(tests)
        first = len(self.sketch)
        steps, families = [], []
        for (node, test), others, own in zip(tests, surrogates, known, strict=True):
            steps.append((node, test, others, first, own))
            families.append((node, test, others, own, list(range(first, first + test.branches))))
            first += test.branches
        self.steps.append(("split", steps))
        return (yield from self._count(families))

    def _count(self, families: list[Any]) -> Asking[list[int]]:
        """What branches hold: their cells, if they may be split; returns those."""
        most = self.settings["max_depth"]
        deepest = [most >= 0 and len(self.sketch.path(one[0])) + 1 >= most for one in families]
        asked: list[int] = []
        held: list[int] = []
        for (node, test, _, _, branches), ends in zip(families, deepest, strict=True):
            if ends:
                held += branches
            elif self.subtracts and len(branches) == 2:  # the other is the difference
                asked.append(branches[self._smaller(node, test)])
            else:
                asked += branches
                held += [] if self.subtracts else branches
        cells, squares, holds = yield from self.source.count(asked, held)
        at = {branch: k for k, branch in enumerate(asked)}
        hold_of = dict(zip(held, holds, strict=True))
        result: list[int] = []
        for (node, _, others, own, branches), ends in zip(families, deepest, strict=True):
            here, _ = self.cells.pop(node)
            counted = {b: (cells[at[b]], squares[at[b]]) for b in branches if b in at}
            for b in branches:
                if not ends and b not in counted:
                    (rest,) = counted.values()
                    counted[b] = (here - rest[0], rest[1])
            column = slice(self.source.begin[0], self.source.begin[1])
            tallies = [
                hold_of[b] if b in hold_of else (counted[b][0][column].sum(axis=0), 0)
                for b in branches
            ]
            self.sketch.split(node, others, tallies, own)
            self.cells |= counted
            result += [] if ends else branches
        return result

    def _smaller(self, node: int, test: Any) -> int:
        """Which of two branches has fewer rows, as far as bins tell: either may be counted."""
        here = self.cells[node][0][
            self.source.begin[test.column] : self.source.begin[test.column + 1]
        ]
        weight = here[:, : self.source.n_weights].sum(axis=1)
        if len(test.jumps):
            right = weight[np.array(test.jumps) == 1].sum()
        else:
            code = np.searchsorted(self.source.values[test.column], test.thresholds[0]) + 1
            right = weight[int(code) + 1 :].sum()
        return int(2 * right < weight.sum())
