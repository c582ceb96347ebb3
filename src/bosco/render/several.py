"""A tree that answers several targets, as text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import show_number
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.render.card import (
    NO_LIMIT,
    Branch,
    branches_of,
    count,
    say_columns,
    show_amount,
    show_share,
    stand_ins_of,
)
from bosco.render.text import MAX_NODES, general_notes, joined, opened_nodes, tree_lines
from bosco.tree.ties import heaviest

if TYPE_CHECKING:
    from bosco.models.several import SeveralModel

MAX_OUTPUTS = 8
"""How many outputs a leaf spells out."""


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of one node."""

    leaf: bool
    rows: str
    answer: str  # of each output
    empty: bool
    branches: tuple[Branch, ...]
    stand_ins: tuple[str, ...]


def to_text(
    model: "SeveralModel",
    *,
    max_depth: int | None = None,
    max_nodes: int | None = MAX_NODES,
    max_levels: int | None = 8,
    ascii: bool = False,  # noqa: A002
) -> str:
    """The first tree as text: one node a line, every output at the leaves.

    Parameters
    ----------
    max_depth : int or None, default=None
        Fold what lies deeper.
    max_nodes : int or None, default=200
        Fold larger trees to about so many nodes, the heaviest kept; None shows all.
    max_levels : int or None, default=8
        Spell out so many levels of a set; None spells out all.
    ascii : bool, default=False
        Draw with ASCII characters only.

    Examples
    --------
    >>> from bosco import DecisionTreeRegressor
    >>> y = [[1, 10], [1, 20], [4, 30]]
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[0], [1], [2]], y).model_
    >>> print(model.to_text(ascii=True))
    cart (squared_error); 3 rows, 1 column, 2 outputs; 2 leaves, depth 1
    <BLANKLINE>
    [0]; 3 rows
    |- [1] x0 <= 1.5 * -> y0 = 1, y1 = 15; 2 rows
    `- [2] x0 > 1.5 -> y0 = 4, y1 = 30; 1 row
    <BLANKLINE>
    * A missing value would go here; training had none in x0.
    """
    opened = opened_nodes(model, max_depth, max_nodes)
    levels = NO_LIMIT if max_levels is None else max_levels

    def write(said: Said, nodes: tuple[int, ...], words: str, empty: bool, fold: bool) -> str:
        number = f"[{', '.join(map(str, nodes))}]"
        head = f"{number} {words}" if words else number
        if empty or said.empty:
            return f"{head} → {said.answer} ({tr('no rows, as its parent')})"
        if said.leaf:
            return f"{head} → {said.answer} · {said.rows}"
        leaves = count(int(model.tree.leaves_below[nodes[0]]), "leaf")
        return f"{head} · {said.rows}" + (f" … {leaves}" if fold else "")

    lines = [
        headline(model),
        "",
        *tree_lines(opened, lambda node: _said(model, node, levels), write),
    ]
    notes = [*model.meanings, *general_notes(model)]
    hidden = int(np.count_nonzero((model.tree.native.first_child >= 0) & ~opened))
    if hidden or any("… " in line for line in lines):
        notes.append(tr("… is folded: to_text(max_nodes=None, max_levels=None) shows everything."))
    return joined([*lines, *([""] if notes else []), *notes], ascii=ascii)


def headline(model: "SeveralModel") -> str:
    """What was learned from what, in one line."""
    growth, about = model.growth, model.provenance
    how = growth.criterion if growth.score == "gain" else f"{growth.criterion}, {growth.score}"
    algorithm = visible(str(about.get("algorithm", "tree")))
    size = tr("depth {n}", n=max(tree.max_depth for tree in model.trees))
    trees = f"{count(model.n_trees, 'tree')}, " * (model.n_trees > 1)
    return (
        f"{algorithm} ({how}) · {count(visible(str(about.get('rows', '?'))), 'row')}, "
        f"{say_columns(model.schema)}, {count(len(model.outputs), 'output')} · "
        f"{trees}{count(model.n_leaves, 'leaf')}, {size}"
    )


def _said(model: "SeveralModel", node: int, levels: int) -> Said:
    test = model.tree.test(node)
    weight = float(model.tree.node_weight[node])
    rows = None if model.census is None else float(model.census.total[node])
    return Said(
        leaf=test is None,
        rows=show_amount(rows, weight),
        answer=_answer(model, node),
        empty=not weight,
        branches=() if test is None else branches_of(model, node, test, levels),
        stand_ins=stand_ins_of(model, node, test, levels),
    )


def _answer(model: "SeveralModel", node: int) -> str:
    """``y0 = a, y1 = no (75.0 %)``: a class has its share, where that is not all."""
    outputs, said = model.outputs, []
    for one, value in zip(outputs.each, outputs.parted(model.node_value[node]), strict=True):
        if one.classes is None:
            told = show_number(float(value[0]))
        else:
            best = int(heaviest(value[None])[0])
            share = "" if value[best] == 1 else f" ({show_share(float(value[best]))})"
            told = show_label(one.classes[best]) + share
        said.append(f"{visible(one.name)} = {told}")
    if len(said) > MAX_OUTPUTS:
        more = tr("{n} more outputs", n=len(said) - MAX_OUTPUTS)
        said = [*said[:MAX_OUTPUTS], f"… {more}"]
    return ", ".join(said)
