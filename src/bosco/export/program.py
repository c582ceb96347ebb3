"""A model as plain nodes: what every export says, before any language is chosen.

A node asks a column: a number is placed among cuts, a level is looked up, and either way the answer
is the next node. Questions that stand in follow the first; then comes where a missing value goes.
Levels of ordinal columns are looked up too, so that no language needs to know their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from bosco.base.language import ENGLISH, speaking
from bosco.data.columns import Level, plain
from bosco.data.expressions.formula import Formula
from bosco.data.schema import Column, Schema
from bosco.errors import ModelError
from bosco.render.card import statistic
from bosco.tree.conditions import Interval, Test
from bosco.tree.decision import HEAVIEST, Decision, Sum
from bosco.tree.edits import Order
from bosco.tree.family import AnyModel
from bosco.tree.tree import Tree
from bosco.version import __version__

__all__ = ["Ask", "Guard", "Inner", "Program", "guards", "node_of", "program_of"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question. A number `x` leads to ``to[how many cuts are < x]``, level i to ``to[i]``.

    `cuts` is None for levels. A value that is missing, or a level that is not known, has no answer.
    """

    column: int
    cuts: tuple[float, ...] | None
    to: tuple[int, ...]

    def sets(self) -> dict[int, list[int]]:
        """For each node it leads to, the positions (of intervals, of levels) that lead there."""
        found: dict[int, list[int]] = {}
        for position, child in enumerate(self.to):
            found.setdefault(child, []).append(position)
        return found


@dataclass(frozen=True, slots=True)
class Inner:
    """A node with a test: the first question that has an answer decides.

    If none has, the row goes to `missing`; if that is None, it goes down all `shares`, each a node
    and the factor of the row's share that it gets.
    """

    asks: tuple[Ask, ...]
    missing: int | None
    shares: tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Program:
    """All nodes, None for a leaf; what leaves answer; what columns and classes are called.

    Of many trees, they stand end to end: `roots` are their first nodes with the weights of what
    they say, shares or points. `orders` are the leaves that answer by order, with the reasons:
    their values are the shares of their rows all the same, or the number ordered. `sums` are what
    is compared to decide, where that is not what is said itself; `turned` are the leaves of one
    tree that answer otherwise than their heaviest class by that.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_
    >>> model.program().nodes
    (Inner(asks=(Ask(column=0, cuts=(1.5,), to=(1, 2)),), missing=1, shares=()), None, None)
    >>> model.program().values[2], model.program().answers[2]
    ((0.0, 1.0), 1)
    """

    columns: tuple[Column, ...]
    classes: tuple[Level, ...] | None
    nodes: tuple[Inner | None, ...]
    values: tuple[tuple[float, ...], ...]
    answers: tuple[int, ...]
    refuses_missing: bool
    headline: str
    roots: tuple[tuple[int, float], ...] = ((0, 1.0),)
    adds: Literal["shares", "points"] = "shares"
    many: bool = False
    orders: Mapping[int, str] = field(default_factory=dict)
    decision: Decision = HEAVIEST
    turned: frozenset[int] = frozenset()
    statistic: str = "mean"  # what leaves of numbers say of their rows

    @property
    def apart(self) -> bool:
        """Whether classes are decided by other numbers than the shares that are given."""
        return bool(self.orders) and self.classes is not None

    def votes(self, leaf: int) -> tuple[float, ...]:
        """What a leaf gives to a decision: the shares of its rows, or all to the class ordered."""
        if leaf not in self.orders or self.classes is None:
            return self.values[leaf]
        return tuple(float(k == self.answers[leaf]) for k in range(len(self.classes)))

    def mark(self, leaf: int) -> str:
        """A leaf for a comment: its number, and whether it answers by order, or by cost."""
        by = "by order" if leaf in self.orders else self.decision.mark * (leaf in self.turned)
        return f"leaf {leaf}{', ' * bool(by)}{by}"

    @property
    def sums(self) -> tuple[Sum, ...]:
        """What is compared to decide, by class; none: what is said itself."""
        return self.decision.sums

    def said_of_choice(self, most: str, tie: str) -> str:
        """Which class is predicted, in words for a comment."""
        if not self.decision:
            return f"the class with the {most}, of equals the {tie}"
        with speaking(ENGLISH):
            said = " ".join(self.decision.say(self.classes or ())).rstrip(".")
        ordered = ", or the one ordered" if self.apart else ""
        return one_line(f"the class decided for{ordered}. {said}")

    @property
    def capped(self) -> bool:
        """Whether sums of shares are cut at 1, which weights may pass in the last digit."""
        return self.many and self.classes is not None and self.adds == "shares"

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The leaves from left to right: the order in which the shares of a mixture are added."""
        found, open_nodes = [], [root for root, _ in reversed(self.roots)]
        while open_nodes:
            number = open_nodes.pop()
            node = self.nodes[number]
            if node is None:
                found.append(number)
            else:
                open_nodes += sorted(children(node), reverse=True)
        return tuple(found)

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """Length of the longest path below every node."""
        heights = [0] * len(self.nodes)
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            if node is not None:
                heights[number] = 1 + max(heights[child] for child in children(node))
        return tuple(heights)

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that some question is about: rows need no others."""
        return tuple(sorted({ask.column for ask in self.asks()}))

    @cached_property
    def given(self) -> tuple[Column, ...]:
        """The columns that rows are given with; those that are derived come after them."""
        return tuple(column for column in self.columns if column.formula is None)

    @cached_property
    def derived(self) -> dict[int, Formula]:
        """The formulas of the derived columns that are asked for, or that others need, in order."""
        found: dict[int, Formula] = {}
        waiting = list(self.used)
        while waiting:
            j = waiting.pop()
            formula = self.columns[j].formula
            if formula is not None and j not in found:
                found[j] = formula
                waiting += formula.columns
        return dict(sorted(found.items()))

    @cached_property
    def needed(self) -> tuple[int, ...]:
        """The given columns that are asked for, or that others are derived from."""
        sources = {j for formula in self.derived.values() for j in formula.columns}
        given = range(len(self.given))
        return tuple(j for j in given if j in sources or j in self.used)

    @property
    def mixes(self) -> bool:
        """Whether some row goes down several branches of one tree."""
        return any(node is not None and node.missing is None for node in self.nodes)

    def inner(self) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """The nodes with a test, by number, as plain values: questions, missing, shares."""
        for number, node in enumerate(self.nodes):
            if node is not None:
                asks = tuple((ask.column, ask.cuts, ask.to) for ask in node.asks)
                yield number, (asks, node.missing, node.shares)

    def asks(self) -> Iterator[Ask]:
        """Every question of every node."""
        return (ask for node in self.nodes if node is not None for ask in node.asks)

    def levels(self) -> Iterator[tuple[Column, Level]]:
        """Every level of every column."""
        return ((column, level) for column in self.columns for level in column.levels or ())

    def texts(self) -> list[str]:
        """Every name, level and class that is a text."""
        texts: list[Any] = [c.name for c in self.columns] + [level for _, level in self.levels()]
        return [text for text in (*texts, *(self.classes or ())) if isinstance(text, str)]

    def require_unicode(self, language: str) -> None:
        """Refuse text that no file can hold."""
        for text in self.texts():
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise ModelError(
                    f"{text!r:.60} is no valid Unicode text (half of a surrogate pair), so "
                    f"{language} cannot hold it. Hint: rename the column or level, and fit again."
                )

    def require_no_nul(self, language: str) -> None:
        """Refuse text with the character NUL, which ends or is not allowed in a text."""
        for text in self.texts():
            if "\0" in text:
                raise ModelError(
                    f"{text!r:.60} contains the character NUL, which a text of {language} cannot. "
                    f"Hint: rename the column or level, and fit again."
                )

    def require_one_type(self, language: str) -> None:
        """Refuse columns that have both text and numbers among their levels."""
        for column in self.columns:
            if len({isinstance(level, str) for level in column.levels or ()}) > 1:
                raise ModelError(
                    f"Column {column.name!r} has both text and numbers among its levels, which no "
                    f"column of {language} can hold. Hint: make all levels text, and fit again."
                )

    def require_float_levels(self, language: str) -> None:
        """Refuse whole numbers as levels that a float64 cannot tell apart."""
        for column, level in self.levels():
            if isinstance(level, int) and int(float(level)) != level:
                raise ModelError(
                    f"Column {column.name!r} has the level {level}, a whole number beyond 2**53 "
                    f"that the numbers of {language} cannot hold. Hint: give the column as text."
                )


def program_of(
    model: AnyModel,
    trees: Iterable[tuple[Tree, Any, float]],
    *,
    answers: Iterable[int] = (),
    adds: Literal["shares", "points"] = "shares",
    orders: Mapping[int, Order] | None = None,
    turned: Iterable[int] = (),
) -> Program:
    """Flatten the trees of a model, each with what its nodes say and its weight, end to end.

    `answers` are the classes that the nodes of a single tree predict, `orders` its leaves that
    answer by order, `turned` those that answer another class than their heaviest.
    """
    orders = orders or {}
    nodes: list[Inner | None] = []
    values: list[tuple[float, ...]] = []
    roots = []
    for tree, says, weight in trees:
        offset = len(nodes)
        roots.append((offset, float(weight)))
        nodes += [node_of(tree, model.schema, number, offset) for number in range(tree.node_count)]
        values += map(tuple, says.tolist())
    with speaking(ENGLISH):  # programs are in one language
        english = model.headline
        word = statistic(model.growth)
    if model.kind == "forest" and model.growth.medians:
        word = f"mean over the trees of the {word}"
    return Program(
        columns=model.schema.columns,
        classes=None if model.classes is None else tuple(map(plain, model.classes.tolist())),
        nodes=tuple(nodes),
        values=tuple(values),
        answers=tuple(answers),
        refuses_missing=model.growth.on_missing.refused,
        headline=one_line(f"bosco {__version__}: {english}{_say_orders(len(orders))}"),
        roots=tuple(roots),
        adds=adds,
        many=model.kind != "tree",
        orders={leaf: order.reason for leaf, order in orders.items()},
        decision=model.decision,
        turned=frozenset(turned),
        statistic=word,
    )


def _say_orders(n: int) -> str:
    return f" · {n} {'leaf answers' if n == 1 else 'leaves answer'} by order" if n else ""


def one_line(text: str) -> str:
    """Text for a comment: whatever could end the line, or the comment, is made harmless."""
    plain_text = "".join(c if c.isprintable() else "?" for c in text)
    return plain_text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


@dataclass(frozen=True, slots=True)
class Guard:
    """What a row must have to go one way, after the ways before it were not for it.

    A number at most `cut`, a level at one of the positions `levels`, or any `known` value; with
    `missing`, no known value will do as well.
    """

    column: int
    cut: float | None = None
    levels: tuple[int, ...] | None = None
    missing: bool = False
    known: bool = False


def guards(ask: Ask, missing: int | None) -> list[tuple[Guard | None, int]]:
    """The answers of a question in order, each with the node it leads to.

    The last guard is None, "everything else": a row without an answer goes where `missing` says. If
    that is None, every answer has a guard, and a row without an answer passes none of them.

    Examples
    --------
    >>> guards(Ask(0, (2.5,), (1, 2)), 2)
    [(Guard(column=0, cut=2.5, levels=None, missing=False, known=False), 1), (None, 2)]
    """
    column = ask.column
    if ask.cuts is None:
        sets: list[tuple[Guard | None, int]] = [
            (Guard(column, levels=tuple(positions)), child)
            for child, positions in ask.sets().items()
            if child != missing
        ]
        return sets if missing is None else [*sets, (None, missing)]
    found: list[tuple[Guard | None, int]] = [
        (Guard(column, cut=cut, missing=child == missing), child)
        for cut, child in zip(ask.cuts, ask.to, strict=False)
    ]
    last = ask.to[-1]
    if missing is None:
        return [*found, (Guard(column, known=True), last)]
    if missing not in ask.to:
        found.append((Guard(column, missing=True), missing))
    return [*found, (None, last)]


def children(node: Inner) -> set[int]:
    """The nodes that a node leads to."""
    found = {child for ask in node.asks for child in ask.to}
    found.update(child for child, _ in node.shares)
    return found if node.missing is None else found | {node.missing}


def node_of(tree: Tree, schema: Schema, number: int, offset: int = 0) -> Inner | None:
    """One node; `offset` is added to the numbers of its children."""
    test = tree.test(number)
    if test is None:
        return None
    there = tree.children(number)
    below = range(there.start + offset, there.stop + offset)
    tests = [test, *tree.surrogates(number)]
    asks = tuple(_ask(one, below, schema.columns[one.column]) for one in tests)
    if not test.by_share:
        return Inner(asks, below[test.missing], ())
    return Inner(asks, None, tuple((child + offset, part) for child, part in tree.shares(number)))


def _ask(test: Test, below: Sequence[int], column: Column) -> Ask:
    ways = list(zip(test.branches, below, strict=False))
    if column.levels is not None:
        n = len(column.levels)
        to = [0] * n
        for condition, child in ways:
            for place in condition.places(n):
                to[place] = child
        return Ask(test.column, None, tuple(to))
    intervals = [(way, child) for way, child in ways if isinstance(way, Interval)]
    if len(intervals) > 1 and intervals[0][0].low is not None:  # a stand-in that is turned around
        intervals.reverse()
    cuts = tuple(way.high for way, _ in intervals if way.high is not None)
    return Ask(test.column, cuts, tuple(child for _, child in intervals))
