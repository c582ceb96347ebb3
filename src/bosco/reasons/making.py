"""The making of a tree again, from the rows that it was grown on, by the verbs that grew it.

A node whose winner is not the tree's own test says that these are other rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.errors import DataError
from bosco.reasons.compared import nothing, scored
from bosco.reasons.ending import ending, say_raised
from bosco.reasons.held import Held, Table, same, test_of
from bosco.reasons.listed import Listed
from bosco.reasons.order import as_grown, led_by
from bosco.reasons.trace import Step
from bosco.reasons.tried import Amount, Cuts, Levels, Tried, Way, digits
from bosco.reasons.why import Candidate, Why, candidates
from bosco.render.card import card, quote, say, say_own, say_short, say_test
from bosco.render.edited import say_chosen, say_reason
from bosco.tree.conditions import Condition, Interval, Members, test_from
from bosco.tree.edits import ByHand

if TYPE_CHECKING:
    from bosco.models.model import Model

_MAP = 2  # the kind of a native test that maps codes to branches


class Making:
    """A tree, made again from its rows; of more than `most_cuts` cuts, the best of each stretch."""

    def __init__(self, model: "Model", held: Held, most_cuts: int = 0):
        self.most_cuts = most_cuts  # 0: every one
        self.model, self.held, self.tree = model, held, model.tree
        self.scale, self.listed = held.scale, Listed(held.frame, held.target)
        classes = () if model.classes is None else tuple(map(show_label, model.classes))
        self.amount = Amount(classes, not held.target.weights.plain)
        self.bounds = {0: (-np.inf, np.inf)}
        self.paths: dict[int, list[int]] = {0: []}
        self.asked: dict[int, list[tuple[int, int]]] = {0: []}

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in words; none of numbers."""
        return self.amount.classes

    def steps(self) -> Iterator[Step]:
        """Every node, as it was grown."""
        for number, node in enumerate(as_grown(self.model), 1):
            yield self._step(number, node)
            if self.tree.native.test[node] >= 0:
                self._split(node)

    def why(self, node: int) -> Why:
        """What was compared at one node."""
        for above in self.tree.path(node)[:-1]:
            self._split(above)
        return self._step(0, node).why

    def column(self, node: int, j: int) -> tuple[Tried | None, Any, float, tuple[float, ...]]:
        """What one column offers at a node: its best test, every other, and what the node holds."""
        for above in self.tree.path(node)[:-1]:
            self._split(above)
        self._require_same(node)
        opened = self._open(node)
        (table,) = self.held.tables(node, [j])
        by_class, weight = self._weights(self.held.rows.hold(node)[0])
        made = opened.propose(j, table)
        if not made.found:
            return None, self._others(opened, node, j, table), weight, by_class
        test = self.held.task.test(made)
        (candidate,), _ = self._compared(node, [made], [test], None)
        tried = self._column(opened, node, candidate, table, test)
        return tried, tried.others, weight, by_class

    def _open(self, node: int) -> Any:
        return self.held.node(node, self.paths[node], self.bounds[node], self.asked[node])

    def _split(self, node: int) -> None:
        test = self.tree.test(node)
        assert test is not None
        children = self.tree.children(node)
        opened = self._open(node)
        asked = [*self.asked[node], (test.column, self.held.weight(node))]
        self.held.split(self.tree, node)
        for branch, child in enumerate(children):
            self.paths[child] = [*self.paths[node], branch]
            self.asked[child] = asked
            self.bounds[child] = self.bounds[node]
        if any(self.model.growth.monotonic) and len(children) == 2:
            tallies = (self.tree.native.tally[child] for child in children)
            bounds = opened.bounds(test.column, *tallies)
            self.bounds |= dict(zip(children, bounds, strict=True))

    def _step(self, number: int, node: int) -> Step:
        model, native = self.model, self.tree.native
        self._require_same(node)
        opened = self._open(node)
        columns: tuple[Tried, ...] = ()
        compared: tuple[Candidate, ...] = ()
        drawn: tuple[str, ...] | None = None
        if native.tally[node].any() and not opened.leaf:
            columns, compared, drawn = self._tried(opened, node)
        score, priced = model.growth.score, model.growth.weighs_prices
        if native.test[node] >= 0:
            if not compared:
                self._refuse(node)
            why = Why(node, score, compared, priced=priced)
            by_hand = model.edits.chosen.get(node)
            said = verdict(why) if by_hand is None else chosen_by_hand(why, by_hand)
            if by_hand is None and self._came_by_raising(node) and any(c.own for c in compared):
                said = raised_there(why, max(self._came_by_raising(node)))
        else:
            end = ending(model, node)
            why = Why(node, score, compared, end.kind, end.reason, priced)
            said = stays(model, node, end.reason)
        tally, weight = self._weights(self.held.rows.hold(node)[0])
        rows = self.held.rows.numbers(node)[0].astype(np.int64)
        impurity = self.held.impurity(node) if not self.classes else float(native.impurity[node])
        about = (number, node, led_by(model, node), weight, tally, impurity)
        return Step(*about, columns, why, said, self.amount, rows, drawn)

    def _tried(
        self, opened: Any, node: int
    ) -> tuple[tuple[Tried, ...], tuple[Candidate, ...], tuple[str, ...] | None]:
        growth, schema = self.model.growth, self.model.schema
        tables = self.held.tables(node)
        asked = {test.column for test in map(self.tree.test, self.tree.path(node)[:-1]) if test}
        open_ = np.array([growth.reuse or j not in asked for j in range(len(tables))])
        learns = growth.on_missing.learned
        varies = np.array([len(t[0]) + (learns and bool(t[2].any())) > 1 for t in tables])
        looked = opened.columns(open_, varies)
        made = {j: opened.propose(j, tables[j]) for j in looked}
        found = {j: candidate for j, candidate in made.items() if candidate.found}
        figures = [*found.values()]
        columns_of, tests = [*found], [self.held.task.test(proposal) for proposal in figures]
        best = opened.choose(figures)
        by_hand = node in self.model.edits.chosen
        moved = self.tree.native.test[node] >= 0 and bool(self._came_by_raising(node))
        if by_hand or moved:
            own = test_of(self.tree.native.tests, int(self.tree.native.test[node]))
            learned = best
            best = next((i for i, test in enumerate(tests) if same(own, test)), len(tests))
            if best == len(tests):  # not the best of its column, which stands beside it
                columns_of.append(test_from(*own.__getstate__()).column)
                figures.append(opened.weigh(tables[columns_of[-1]], own)[0])
                tests.append(own)
            moved = moved and best != learned
        else:
            self._require_own(node, None if best is None else tests[best])
        winner = best if self.tree.native.test[node] >= 0 else None
        side_by_side, places = self._compared(
            node, figures, tests, winner, by_hand=by_hand or moved
        )
        if not by_hand:
            side_by_side = tuple(replace(c, by_hand=False) for c in side_by_side)
        columns = tuple(
            self._column(opened, node, c, tables[columns_of[at]], tests[at])
            for c, at in zip(side_by_side, places, strict=True)
        )
        draws = 0 <= growth.max_features < len(tables)
        drawn = tuple(schema.columns[j].shown for j in looked) if draws else None
        return columns, side_by_side, drawn

    def _compared(
        self,
        node: int,
        figures: list[Any],
        tests: list[Any],
        winner: int | None,
        *,
        by_hand: bool = False,
    ) -> tuple[tuple[Candidate, ...], list[int]]:
        """Tests side by side, and the place that each had."""
        task, weight = self.held.task, self.held.weight(node)
        net = [task.gain(c.decrease, weight) - c.penalty for c in figures]
        read = [test_from(*test.__getstate__()) for test in tests]
        infos = [c.split_info for c in figures]
        penalties = [c.penalty for c in figures]
        compared = scored(self.model, node, read, net, penalties, infos)
        side_by_side = candidates(self.model, compared, winner, by_hand=by_hand)
        # A column may have two: its best test, and the one that a person chose.
        said = [(test.column, say_test(self.model.schema, test)) for test in read]
        names = self.model.schema.names
        return side_by_side, [said.index((names.index(c.column), c.test)) for c in side_by_side]

    def _require_same(self, node: int) -> None:
        """A node must hold what the tree has there, or its figures would be of other rows."""
        native, slots = self.tree.native, len(self.classes) or 1
        here = self.held.rows.hold(node)[0][:slots] / self.scale
        there = native.tally[node][:slots] / native.weight_scale
        if not np.allclose(here, there, rtol=1e-9, atol=0):
            raise DataError(
                f"At node {node} these rows weigh {show_figure(here.sum())}, and those that the "
                f"tree was grown on {show_figure(there.sum())}, or their classes differ. A trace "
                f"needs the same rows with the weights that they had. Hint: the trees of a forest "
                f"and of AdaBoost are traced by their estimator, which knows what they drew: "
                f"forest.trace(X, y, tree=0), boosted.trace(X, y)."
            )

    def _require_own(self, node: int, winner: Any) -> None:
        """The test that wins must be the tree's own."""
        native = self.tree.native
        if native.test[node] < 0:
            return
        own = test_of(native.tests, int(native.test[node]))
        if winner is None or not same(own, winner):
            self._refuse(node)

    def _came_by_raising(self, node: int) -> set[int]:
        """The nodes at or above it that pruning raised: rows came with them, after the growing."""
        return self.model.log.raised() & set(self.tree.path(node))

    @staticmethod
    def _refuse(node: int) -> NoReturn:
        raise DataError(
            f"At node {node} another test, or none, wins by these rows. Hint: a trace needs X, y "
            f"and sample_weight as they were given to fit."
        )

    def _column(self, opened: Any, node: int, best: Candidate, table: Table, native: Any) -> Tried:
        test = test_from(*native.__getstate__())
        _, branches, _ = opened.weigh(table, native)
        spreads = self.held.impurities(node, test, branches)
        ways = []
        for condition, tally, impurity in zip(test.branches, branches, spreads[1:], strict=True):
            by_class, weight = self._weights(tally)
            words = say(self.model.schema, condition, missing=_tells(condition, table))
            ways.append(Way(words, weight, by_class, impurity))
        others = self._others(opened, node, test.column, table)
        cuts, levels = (others, None) if isinstance(others, Cuts) else (None, others)
        several = sum(isinstance(condition, Interval) for condition in test.branches) > 2
        return Tried(best, spreads[0], tuple(ways), cuts, levels, several)

    # Every test of a column -------------------------------------------------------------------

    def _others(self, opened: Any, node: int, j: int, table: Table) -> Cuts | Levels | None:
        """Every test of a column that was tried: its cuts, or its levels one by one."""
        growth = self.model.growth
        if growth.splitter == "random":
            return None
        if table[3] is not None:
            return self._cuts(opened, node, j, table)
        one_by_one = growth.nominal_test == "one_vs_rest"
        absent = bool(table[2].any())
        if not one_by_one or (absent and not growth.on_missing.learned):
            return None
        return self._levels(opened, node, j, table, (0, 1) if absent else (1,))

    def _cuts(self, opened: Any, node: int, j: int, table: Table) -> Cuts:
        low, high, cut, decrease, info, allowed, _, left = opened.curve(j, table, self.most_cuts)
        worth = self._worth(decrease, info, node)
        schema = self.model.schema

        def words(threshold: float) -> str:
            return say_short(schema, Interval(j, None, threshold, False))

        return Cuts(*worth, allowed.astype(bool), left / self.scale, low, high, cut, words)

    def _levels(
        self, opened: Any, node: int, j: int, table: Table, missing: Sequence[int]
    ) -> Levels:
        """Each level against the others; of the two ways for missing values, the better one."""
        codes, n_codes = table[0].tolist(), table[4]
        decrease, info, allowed, left = [], [], [], []
        for code in codes:
            weighed = [
                opened.weigh(table, _one_against_rest(j, code, n_codes, way)) for way in missing
            ]
            best, branches, may = max(weighed, key=lambda one: (one[2], one[0].decrease))
            decrease.append(best.decrease)
            info.append(best.split_info)
            allowed.append(may)
            left.append(branches[0] / self.scale)
        worth = self._worth(np.array(decrease), np.array(info), node)
        known = self.model.schema.columns[j].levels or ()
        words = tuple(quote(known[code - 1]) for code in codes)
        return Levels(*worth, np.array(allowed, bool), np.array(left), words)

    def _worth(
        self, decrease: NDArray[np.float64], info: NDArray[np.float64], node: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Gain, split information, gain ratio."""
        gain = decrease / self.held.weight(node) / self.held.task.measure
        gain = np.where(gain > nothing(self.model, node), gain, 0.0)  # what rounding leaves is none
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(info > 0, gain / info, np.nan)
        return gain, info, ratio

    def _weights(self, tally: NDArray[np.int64]) -> tuple[tuple[float, ...], float]:
        """A tally as weights: by class, and in all; of numbers, the sum and the weight."""
        if self.classes:
            by_class = tally[: len(self.classes)] / self.scale  # samples may follow
            return tuple(by_class.tolist()), float(by_class.sum())
        weight = float(tally[0] / self.scale)
        offsets = float(tally[1]) / self.scale / self.held.target.scale
        return (offsets + weight * self.held.target.center,), weight


def _one_against_rest(column: int, code: int, n_codes: int, missing: int) -> Any:
    """The native test that one level goes the first way, and all others the second."""
    from bosco import _core

    jumps = [missing, *(0 if other == code else 1 for other in range(1, n_codes + 1))]
    made = _core.Test.__new__(_core.Test)
    made.__setstate__((_MAP, column, 2, missing, False, [], jumps))
    return made


def _tells(condition: Condition, table: Table) -> bool:
    """Whether to tell where missing values go: some are there, or they have a branch."""
    return bool(table[2].any()) or (isinstance(condition, Members) and not condition.codes)


def chosen_by_hand(why: Why, by_hand: ByHand) -> str:
    """Which test a person chose, and what the learner would have taken."""
    test, instead = why.candidates[0].test, say_chosen(by_hand)
    return tr("{test} was chosen by hand, {instead}.", test=test, instead=instead)


def raised_there(why: Why, node: int) -> str:
    """Which test a node has that is not the best by its rows, because pruning raised it."""
    test = why.candidates[0].test
    return tr("{test} was not chosen by these rows: {how}.", test=test, how=say_raised(node))


def by_what(why: Why) -> str:
    """What tests were compared by, as sentences have it."""
    by = tr("gain") if why.score == "gain" else tr("gain ratio")
    return tr("{score} for its price", score=by) if why.priced else by


def verdict(why: Why) -> str:
    """Which test won, and by which rule."""
    first, *others = why.candidates
    by = by_what(why)
    score = digits(first.score)
    ties = [c for c in others if c.margin <= 1e-12 * abs(first.score)]
    if ties and first.price < min(c.price for c in ties):
        return tr(
            "{column} wins a tie with {others}: their {by} is {score}, it is cheaper.",
            column=visible(first.column),
            others=", ".join(visible(c.column) for c in ties),
            by=by,
            score=score,
        )
    if ties:
        return tr(
            "{column} wins a tie with {others}: their {by} is {score}, it comes first.",
            column=visible(first.column),
            others=", ".join(visible(c.column) for c in ties),
            by=by,
            score=score,
        )
    rest = [c for c in others if c.score == c.score]
    if not rest:
        return tr(
            "{column} wins: its {by}, {score}, is the largest.",
            column=visible(first.column),
            by=by,
            score=score,
        )
    return tr(
        "{column} wins: its {by}, {score}, is the largest; the next is that of {next}, {less}.",
        column=visible(first.column),
        by=by,
        score=score,
        next=visible(rest[0].column),
        less=digits(rest[0].score),
    )


def stays(model: "Model", node: int, reason: str) -> str:
    """What a leaf says, and why it is one."""
    leaf = card(model, node)
    if leaf.turned:
        said = tr(
            "It stays a leaf and says {says} {how} ({own}).",
            says=leaf.prediction,
            how=leaf.by,
            own=say_own(leaf),
        )
    elif leaf.order is None:
        said = tr("It stays a leaf and says {says}.", says=leaf.prediction)
    else:
        own = say_own(leaf) + say_reason(leaf.order.reason)
        said = tr(
            "It stays a leaf and says {says} by order ({own}).", says=leaf.prediction, own=own
        )
    return f"{said} {reason}"
