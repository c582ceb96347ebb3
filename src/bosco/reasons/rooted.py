"""Of a tree that was found as a whole: what the best subtree would cost with another column asked.

A node of such a tree did not choose its test alone. What can be said of it is what the best tree
of its rows costs with each column asked first, when the rest of the tree stays as it is.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr, trn
from bosco.base.numerals import lay_out, show_figure
from bosco.base.visible import visible
from bosco.errors import DataError, ModelError
from bosco.growth import Growth
from bosco.reasons.ending import ending
from bosco.render.card import say_test
from bosco.render.html import Shown, Table
from bosco.tree.decision import Decision
from bosco.tree.missed import Missed
from bosco.tree.searching import Found, Search
from bosco.tree.tree import Tree, node_of

if TYPE_CHECKING:
    from bosco.models.model import Model

WORK = 100_000_000
"""Entries of columns that the search for one column looks at, unless it is said."""


@dataclass(frozen=True, slots=True)
class Subtree:
    """The best subtree of a node's rows that asks one column first.

    Attributes
    ----------
    column, test : str
        The column, and the first question of the subtree, in words; "" where none was found.
    wrong, leaves : float, int
        The rows (or the weight) that the subtree gets wrong, and its leaves.
    objective : float
        ``wrong + alpha * leaves``; infinite where no subtree was found. With costs ``cost`` stands
        for ``wrong``.
    bound : float
        No subtree that asks the column first costs less.
    proved : bool
        Whether it is proved to be the best of these.
    margin : float
        How much more it costs than the node's own subtree.
    chosen : bool
        Whether the node asks this column.
    cost : float or None
        What the rows that are wrong cost, where mistakes have costs.
    """

    column: str
    test: str
    wrong: float
    leaves: int
    objective: float
    bound: float
    proved: bool
    margin: float
    chosen: bool
    cost: float | None = None

    @property
    def missed(self) -> Missed:
        """What is wrong, and what that costs."""
        return Missed(self.wrong, self.cost)


@dataclass(frozen=True, slots=True, eq=False)
class Subtrees(Shown):
    """What the best subtree at a node would cost, column by column, the node's own first.

    Attributes
    ----------
    node : int
        The node.
    wrong, leaves, objective : float, int, float
        Of the subtree that the tree has there.
    candidates : tuple of Subtree
        One for each column that can be asked there: its own, then by what they cost.
    weighted : bool
        Whether the unit is weight, and not rows.
    reason : str
        Which subtrees are meant; of a leaf, why it is one.
    ended : str or None
        Of a leaf, why it is one, in a word.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> X, y = golf()
    >>> model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    >>> why = model.why(0, X=X, y=y)
    >>> [(one.column, one.wrong, one.leaves) for one in why][:2]
    [('outlook', 1.0, 4), ('humidity', 1.0, 4)]
    """

    node: int
    wrong: float
    leaves: int
    objective: float
    candidates: tuple[Subtree, ...]
    weighted: bool = False
    reason: str = ""
    ended: str | None = None

    def __iter__(self) -> Iterator[Subtree]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def near_tie(self) -> bool:
        """Whether another column would cost no more."""
        return any(not one.chosen and one.margin <= 0 for one in self.candidates)

    def to_dict(self) -> dict[str, list[Any]]:
        """The candidates as columns."""
        return {name: [getattr(one, name) for one in self.candidates] for name in Subtree.__slots__}

    @property
    def sentence(self) -> str:
        """What was found of the node, in words."""
        if self.ended is not None:
            return self.reason
        own = self.candidates[0]
        said = tr(
            "{column} is asked: {wrong} below it, with {leaves}.",
            column=visible(own.column),
            wrong=own.missed.say(self.weighted),
            leaves=trn("{n} leaf", "{n} leaves", own.leaves),
        )
        others = [one for one in self.candidates if not one.chosen]
        if not others:
            return f"{said} {tr('No other column can be asked.')}"
        first = others[0]
        if isinf(first.objective):
            return f"{said} {tr('Of no other column a subtree was found in time.')}"
        if first.margin <= 0:
            level = [visible(one.column) for one in others if one.margin <= 0]
            as_good = trn(
                "{columns} first would cost no more",
                "{columns} first would cost no more, each of them",
                len(level),
                columns=", ".join(level),
            )
            return f"{said} {as_good}."
        return said + " " + tr(
            "The next is {column}: {more} more at best.",
            column=visible(first.column),
            more=show_figure(first.margin),
        )  # fmt: skip

    @property
    def _costly(self) -> bool:
        return any(one.cost is not None for one in self.candidates)

    def _heads(self) -> list[str]:
        return [*missed_heads(self.weighted, self._costly), tr("costs more"), ""]

    def _rows(self) -> list[list[str]]:
        return [
            [
                *missed_cells(one, self._costly),
                say_margin(one.margin, self.objective, one),
                tr("asked here") if one.chosen else "",
            ]
            for one in self.candidates
        ]

    def table(self) -> Table:
        """What a notebook or a report shows of it."""
        caption = f"{tr('Node {n}', n=self.node)}: {self.sentence}"
        return Table(self._heads(), self._rows(), caption, [] if self.ended else [0])

    def tables(self) -> tuple[Table, ...]:
        """What a notebook shows of it."""
        return (self.table(),)

    def to_text(self) -> str:
        """The same in lines."""
        lines = [f"{tr('node {n}', n=self.node)}: {self.sentence}"]
        if self.candidates:
            lines += [
                self.reason,
                *lay_out([self._heads(), *self._rows()], sides(self._costly, "><")),
            ]
        return "\n".join(lines)


def missed_heads(weighted: bool, costly: bool) -> list[str]:
    """The first columns of a table of trees: the question, what they get wrong, their leaves."""
    wrong = tr("weight wrong") if weighted else tr("rows wrong")
    return [tr("first question"), wrong, *([tr("cost")] if costly else []), tr("leaves")]


def missed_cells(one: Any, costly: bool) -> list[str]:
    """What these columns say of a tree; nothing of one that was not found."""
    figures = [one.wrong, *([one.cost] if costly else []), one.leaves]
    none = isinf(one.objective)
    return [
        one.test or visible(one.column),
        *("–" if none else show_figure(figure) for figure in figures),
    ]


def sides(costly: bool, others: str) -> str:
    """On which sides the columns of such a table stand."""
    return "<>>" + ">" * costly + others


def say_margin(margin: float, own: float, one: Any) -> str:
    """How much more a tree costs; how much at least, where that is all that is known."""
    if isinf(one.objective):
        least = one.bound - own
        return tr("at least {n}", n=show_figure(least)) if least > 0 else tr("not known")
    said = "0" if margin == 0 else f"{margin:+.4g}".replace("-", "−")
    least = max(0.0, one.bound - own)
    if one.bound < one.objective and least < margin:
        return tr("{n}, at least {least}", n=said, least=show_figure(least))
    return said


def left_to(model: "Model", node: int) -> Growth:
    """The settings of the subtrees that could stand at a node, when the rest stays as it is."""
    growth, tree = model.growth, model.tree
    depth, leaves = growth.max_depth, growth.max_leaf_nodes
    return replace(
        growth,
        max_depth=depth if depth < 0 else depth - int(tree.depth[node]),
        max_leaf_nodes=leaves
        if leaves < 0
        else leaves - tree.n_leaves + int(tree.leaves_below[node]),
    )


def subtrees(model: "Model", node: int, training: Any, work_limit: int | None = WORK) -> Subtrees:
    """What each column's best subtree costs at a node, by the training rows.

    `work_limit` is of the search for one column. Ctrl-C ends the search of a column, and with it
    all of them.
    """
    if model.classes is None:
        raise ModelError(
            "What other subtrees would cost is worked out for classes, and this tree predicts "
            "numbers. model.certificate says what is known of it."
        )
    if model.log.steps or model.edits:
        raise ModelError(
            "The tree was pruned or edited since it was found as a whole, so what others cost "
            "beside it says nothing of it. Hint: ask the model that was fitted."
        )
    tree, node = model.tree, node_of(model.tree, node)
    weighted = not training.target.weights.plain
    under = below(tree, node)
    costs = model.decision.costs
    missed = Missed.of(tree.native, Decision(costs), under)
    leaves = int(tree.leaves_below[node])
    objective = missed.counts + model.growth.alpha * leaves
    about: dict[str, Any] = {
        "node": node,
        "wrong": missed.wrong,
        "leaves": leaves,
        "objective": objective,
    }
    if tree.native.test[node] < 0:
        end = ending(model, node)
        return Subtrees(
            **about, candidates=(), weighted=weighted, reason=end.reason, ended=end.kind
        )
    leaf = model.apply_frame(training.frame)
    rows = np.flatnonzero(under[leaf]).astype(np.uint32)
    _require_same(tree, under, leaf, training)
    search = Search(
        training.frame, training.target, left_to(model, node), training.n_threads, costs=costs
    )
    test = tree.test(node)
    assert test is not None
    found = []
    for column in range(len(model.schema.names)):
        one = search.best(root=column, rows=rows, work_limit=work_limit)
        if one.end == "interrupted":
            raise KeyboardInterrupt
        if one.tree is not None or one.end != "proved":  # else the column cannot be asked
            found.append(_subtree(model, column, one, objective, column == test.column))
    if not any(one.chosen for one in found):
        raise DataError(
            f"These are not the rows that the tree was grown on: of these, node {node} cannot ask "
            f"{model.schema.names[test.column]!r}. Hint: give sample_weight, if it had some."
        )
    found.sort(key=lambda one: (not one.chosen, one.objective, one.bound))
    return Subtrees(**about, candidates=tuple(found), weighted=weighted, reason=_meant(model, node))


def _subtree(model: "Model", column: int, found: Found, objective: float, chosen: bool) -> Subtree:
    said = ""
    if found.tree is not None:
        test = Tree(found.tree, len(model.schema.names)).test(0)
        assert test is not None
        said = say_test(model.schema, test)
    return Subtree(
        column=model.schema.names[column],
        test=said,
        wrong=found.wrong if found.tree is not None else math.inf,
        leaves=found.leaves,
        objective=float(found.objective),
        bound=float(found.bound),
        proved=found.end == "proved",
        margin=float(found.objective) - objective,
        chosen=chosen,
        cost=found.cost,
    )


def _meant(model: "Model", node: int) -> str:
    """Which subtrees are compared."""
    growth = left_to(model, node)
    sizes = []
    if growth.max_depth >= 0:
        sizes.append(tr("depth up to {n}", n=growth.max_depth))
    if growth.max_leaf_nodes >= 0:
        sizes.append(tr("up to {n} leaves", n=growth.max_leaf_nodes))
    return tr(
        "For each column, the best subtree of these rows that asks it first ({size}), the rest of "
        "the tree as it is:",
        size=", ".join(sizes),
    )


def below(tree: Tree, node: int) -> NDArray[np.bool_]:
    """Which nodes are a node or below it; children come after their parent."""
    under = np.zeros(tree.node_count, bool)
    under[node] = True
    parent = tree.native.parent
    for child in range(node + 1, tree.node_count):
        under[child] = under[parent[child]]
    return under


def _require_same(tree: Tree, under: NDArray[np.bool_], leaf: NDArray[Any], training: Any) -> None:
    """Refuse rows that are not those that the leaves counted."""
    target, native = training.target, tree.native
    weight = target.weights.weight
    own = np.zeros(native.tally.shape)
    np.add.at(own, (leaf, target.codes), 1 if weight is None else weight)
    own /= 1 if weight is None else float(target.weights.scale)
    said = native.tally / float(native.weight_scale)
    ends = np.flatnonzero(under & (native.test < 0))
    off = ends[~np.isclose(own[ends], said[ends], rtol=1e-9).all(axis=1)]
    if len(off):
        node = int(off[0])
        raise DataError(
            f"These are not the rows that the tree was grown on: at node {node} it counted "
            f"{said[node].tolist()} by class, and of these rows {own[node].tolist()} come there."
        )
