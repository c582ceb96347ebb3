"""The making of a tree again, from the rows that it was grown on, by the verbs that grew it.

A node whose winner is not the tree's own test says that these are other rows.
"""

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import show_figure, show_number
from bosco.data.readers import given_to_fit
from bosco.data.schema import show_label
from bosco.errors import DataError
from bosco.figures.recount import rows_given
from bosco.reasons.compared import scored
from bosco.reasons.ending import ending
from bosco.reasons.held import Held, Table, same, test_of
from bosco.reasons.trace import Cuts, Step, Trace, Tried, Way, digits
from bosco.reasons.why import Candidate, Why, candidates
from bosco.render.card import say
from bosco.tree.conditions import Condition, Members, test_from

if TYPE_CHECKING:
    from bosco.models.model import Model


def trace(model: "Model", X: Any, y: Any, sample_weight: Any = None) -> Trace:
    """The making of the tree, step by step, worked out from the rows that it was grown on.

    Parameters
    ----------
    X, y, sample_weight
        The training rows, as they were given to `fit`. Other weights than these, such as those of
        class_weight, of a sample or of a round of boosting, are not known here: such a tree is
        refused.

    Returns
    -------
    Trace
        One step per node, in the order in which the tree was grown: ``print`` a step to see what
        was tried with its arithmetic, or take ``to_dict()``.
    """
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    frame, target = rows_given(model, X, y, sample_weight, copies=False)
    return Trace(tuple(_Making(model, Held(frame, target, model.growth)).steps()))


class _Making:
    """A tree, made again from its rows."""

    def __init__(self, model: "Model", held: Held):
        self.model, self.held, self.tree = model, held, model.tree
        self.scale = held.scale
        self.classes = () if model.classes is None else tuple(map(show_label, model.classes))
        self.conditions: dict[int, tuple[str, ...]] = {0: ()}
        self.bounds = {0: (-np.inf, np.inf)}
        self.paths: dict[int, list[int]] = {0: []}

    def steps(self) -> Iterator[Step]:
        for number, node in enumerate(self._order(), 1):
            yield self._step(number, node)
            if self.tree.native.test[node] >= 0:
                self._split(node)

    def _order(self) -> Iterator[int]:
        """The nodes as they were grown: `key` says which of those at hand is next."""
        native, order = self.tree.native, self.model.growth.order
        worth = native.gain * self.tree.node_weight
        waiting: list[tuple[Any, int]] = [((), 0)]
        while waiting:
            key, node = heapq.heappop(waiting)
            yield node
            for branch, child in enumerate(self.tree.children(node)):
                by = {"depth": (*key, branch), "best": (-worth[child],)}.get(order, (child,))
                heapq.heappush(waiting, (by, child))

    def _split(self, node: int) -> None:
        test = self.tree.test(node)
        assert test is not None
        children = self.tree.children(node)
        self.held.split(self.tree, node)
        for branch, (child, condition) in enumerate(zip(children, test.branches, strict=True)):
            said = say(self.model.schema, condition, missing=False)
            self.conditions[child] = (*self.conditions[node], said)
            self.paths[child] = [*self.paths[node], branch]
            self.bounds[child] = self.bounds[node]
        if any(self.model.growth.monotonic) and len(children) == 2:
            opened = self.held.node(node, self.paths[node], self.bounds[node])
            tallies = (self.tree.native.tally[child] for child in children)
            self.bounds |= dict(zip(children, opened.bounds(test.column, *tallies), strict=True))

    def _step(self, number: int, node: int) -> Step:
        model, native = self.model, self.tree.native
        self._require_same(node)
        opened = self.held.node(node, self.paths[node], self.bounds[node])
        columns: tuple[Tried, ...] = ()
        compared: tuple[Candidate, ...] = ()
        if native.tally[node].any() and not opened.leaf:
            columns, compared = self._tried(opened, node)
        score = model.growth.score
        if native.test[node] >= 0:
            if not compared:
                self._refuse(node)
            why = Why(node, score, compared)
            said = _verdict(why)
        else:
            end = ending(model, node)
            says = show_number(native.value[node, 0])
            if self.classes:
                says = self.classes[model.node_class[node]]
            why = Why(node, score, compared, end.kind, end.reason)
            said = f"It stays a leaf and says {says}. {end.reason}"
        tally, weight = self._weights(self.held.rows.hold(node)[0])
        conditions, impurity = self.conditions[node], float(native.impurity[node])
        about = (number, node, conditions, weight, tally, impurity)
        weighted = not self.held.target.weights.plain
        return Step(*about, columns, why, said, self.classes, weighted)

    def _tried(self, opened: Any, node: int) -> tuple[tuple[Tried, ...], tuple[Candidate, ...]]:
        model, task = self.model, self.held.task
        tables = self.held.tables(node)
        asked = {test.column for test in map(self.tree.test, self.tree.path(node)[:-1]) if test}
        open_ = np.array([model.growth.reuse or j not in asked for j in range(len(tables))])
        learns = model.growth.on_missing.learned
        varies = np.array([len(t[0]) + (learns and bool(t[2].any())) > 1 for t in tables])
        made = {j: opened.propose(j, tables[j]) for j in opened.columns(open_, varies)}
        found = {j: candidate for j, candidate in made.items() if candidate.found}
        tests = {j: task.test(candidate) for j, candidate in found.items()}
        best = opened.choose(list(found.values()))
        winner = None if best is None else list(found)[best]
        self._require_own(node, None if winner is None else tests[winner])
        weight = self.held.weight(node)
        net = [task.gain(c.decrease, weight) - c.penalty for c in found.values()]
        read = [test_from(*test.__getstate__()) for test in tests.values()]
        infos = [c.split_info for c in found.values()]
        compared = scored(model, node, read, net, [c.penalty for c in found.values()], infos)
        at = best if self.tree.native.test[node] >= 0 else None
        side_by_side = candidates(model, compared, at)
        names = {model.schema.columns[j].name: j for j in found}
        columns = tuple(
            self._column(opened, node, c, tables[names[c.column]], tests[names[c.column]])
            for c in side_by_side
        )
        return columns, side_by_side

    def _require_same(self, node: int) -> None:
        """A node must hold what the tree has there, or its figures would be of other rows."""
        native, slots = self.tree.native, len(self.classes) or 1
        here = self.held.rows.hold(node)[0][:slots] / self.scale
        there = native.tally[node][:slots] / native.weight_scale
        if not np.allclose(here, there, rtol=1e-9, atol=0):
            raise DataError(
                f"At node {node} these rows weigh {show_figure(here.sum())}, and those that the "
                f"tree was grown on {show_figure(there.sum())}, or their classes differ. A trace "
                f"needs the same rows with the weights that they had: a tree grown with "
                f"class_weight, on a sample, or in a round of boosting cannot be traced."
            )

    def _require_own(self, node: int, winner: Any) -> None:
        """The test that wins must be the tree's own, unless pruning put another there."""
        native = self.tree.native
        if native.test[node] < 0 or self.model.log.raised() & set(self.tree.path(node)):
            return
        own = test_of(native.tests, int(native.test[node]))
        if winner is None or not same(own, winner):
            self._refuse(node)

    @staticmethod
    def _refuse(node: int) -> NoReturn:
        raise DataError(
            f"At node {node} another test, or none, wins by these rows. Hint: a trace needs X, y "
            f"and sample_weight as they were given to fit."
        )

    def _column(
        self,
        opened: Any,
        node: int,
        best: Candidate,
        table: Table,
        native: Any,
    ) -> Tried:
        test = test_from(*native.__getstate__())
        _, branches, _ = opened.weigh(table, native)
        spreads = self.held.impurities(node, test, branches)
        ways = []
        for condition, tally, impurity in zip(test.branches, branches, spreads[1:], strict=True):
            by_class, weight = self._weights(tally)
            words = say(self.model.schema, condition, missing=_tells(condition, table))
            ways.append(Way(words, weight, by_class, impurity))
        cuts = None
        if table[3] is not None:
            cuts = self._cuts(opened, test.column, table, self.held.weight(node))
        return Tried(best, spreads[0], tuple(ways), cuts)

    def _cuts(self, opened: Any, j: int, table: Table, weight: int) -> Cuts:
        low, high, cut, decrease, info, allowed, _, left = opened.curve(j, table)
        gain = np.maximum(0.0, decrease) / weight / self.held.task.square
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(info > 0, gain / info, np.nan)
        return Cuts(low, high, cut, gain, info, ratio, allowed.astype(bool), left / self.scale)

    def _weights(self, tally: NDArray[np.int64]) -> tuple[tuple[float, ...], float]:
        """A tally as weights: by class, and in all; of numbers, the sum and the weight."""
        if self.classes:
            by_class = tally[: len(self.classes)] / self.scale  # samples may follow
            return tuple(by_class.tolist()), float(by_class.sum())
        weight = float(tally[0] / self.scale)
        offsets = float(tally[1]) / self.scale / self.held.target.scale
        return (offsets + weight * self.held.target.center,), weight


def _tells(condition: Condition, table: Table) -> bool:
    """Whether to tell where missing values go: some are there, or they have a branch."""
    return bool(table[2].any()) or (isinstance(condition, Members) and not condition.codes)


def _verdict(why: Why) -> str:
    """Which test won, and by which rule."""
    first, *others = why.candidates
    by = why.score.replace("_", " ").replace(" above average", "")
    score = digits(first.score)
    ties = [c for c in others if c.margin <= 1e-12 * abs(first.score)]
    if ties:
        names = ", ".join(c.column for c in ties)
        return f"{first.column} wins a tie with {names}: their {by} is {score}, it comes first."
    rest = [c for c in others if c.score == c.score]
    said = f"{first.column} wins: its {by}, {score}, is the largest"
    return said + (
        f"; the next is that of {rest[0].column}, {digits(rest[0].score)}." if rest else "."
    )
