"""The tree as text, the whole of it or as much as one can read.

Large trees are folded: the heaviest nodes are opened first, until enough lines are filled, and a
note at the end says how to see the rest. No recursion, so no tree is too deep.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.render.card import (
    BY_HAND,
    NO_LIMIT,
    Card,
    card,
    count,
    say_bounds,
    say_columns,
    say_empty,
    say_own,
    say_unseen,
    show_amount,
    show_share,
    show_weight,
)
from bosco.render.edited import edit_notes, said_below
from bosco.tree.certificate import Certificate
from bosco.tree.polished import Polished
from bosco.tree.prices import say_prices
from bosco.tree.ties import say_tie

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_NODES = 200
MAX_CLASSES = 5

_ASCII = str.maketrans(
    {"├": "|", "└": "`", "─": "-", "│": "|", "≤": "<=", "≠": "!=", "→": "->", "·": ";", "…": "..."}
)


def to_text(
    model: "Model",
    *,
    max_depth: int | None = None,
    max_nodes: int | None = MAX_NODES,
    max_levels: int | None = 8,
    ascii: bool = False,  # noqa: A002
) -> str:
    """The tree as text; ``print(model)`` is this with its defaults.

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

    Returns
    -------
    str
        One node a line: its number, the condition that leads to it, its training rows.

    Examples
    --------
    >>> from bosco import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[0], [1], [2]], [1.0, 1.0, 4.0]).model_
    >>> print(model.to_text(ascii=True))
    cart (squared_error); 3 rows, 1 column, a real target; 2 leaves, depth 1
    <BLANKLINE>
    [0]; 3 rows, mean 2
    |- [1] x0 <= 1.5 * -> 1; 2 rows
    `- [2] x0 > 1.5 -> 4; 1 row
    <BLANKLINE>
    * A missing value would go here; training had none in x0.
    """
    opened = opened_nodes(model, max_depth, max_nodes)
    levels = NO_LIMIT if max_levels is None else max_levels
    drawn = tree_lines(
        opened,
        lambda node: card(model, node, levels),
        lambda said, nodes, words, empty, fold: line(model, said, nodes, words, empty, fold),
    )
    lines = [headline(model), "", *drawn]
    shortened = any("… " in line for line in lines)
    ties = (tr(", a tie"), tr(", a tie") + ")")
    lines += _notes(model, opened, shortened, any(line.endswith(ties) for line in lines))
    return joined(lines, ascii=ascii)


def joined(lines: Iterable[str], *, ascii: bool) -> str:  # noqa: A002
    """Lines as one text, with ASCII characters only if so wanted."""
    text = "\n".join(lines)
    if ascii:
        text = text.replace(" · ", "; ").translate(_ASCII)
        text = text.encode("ascii", "backslashreplace").decode()
    return text


def tree_lines(
    opened: NDArray[np.bool_],
    say: Callable[[int], Any],
    write: Callable[[Any, tuple[int, ...], str, bool, bool], str],
) -> list[str]:
    """The nodes of a tree, one a line, each behind the branches that are drawn before it.

    `say` gives what there is to say of a node: ``leaf``, ``branches`` and ``stand_ins``, as a
    `Card` has them; `write` puts it into a line, with the nodes and words that lead there, whether
    they are empty, and whether what lies below is folded.
    """
    lines = []
    # (node, words that lead to it, what is printed before it, what is printed before its children)
    stack: list[tuple[tuple[int, ...], str, str, str, bool]] = [((0,), "", "", "", False)]
    while stack:
        nodes, words, lead, indent, empty = stack.pop()
        said = say(nodes[0])
        fold = not said.leaf and not opened[nodes[0]]
        lines.append(lead + write(said, nodes, words, empty, fold))
        if said.leaf or fold:
            continue
        if said.stand_ins:
            lines.append(f"{indent}│  {tr('if missing')}: {'; '.join(said.stand_ins)}")
        for branch in reversed(said.branches):
            own, below = ("└─ ", "   ") if branch is said.branches[-1] else ("├─ ", "│  ")
            drawn = (indent + own, indent + below)
            stack.append((branch.children, branch.words, *drawn, branch.empty))
    return lines


def opened_nodes(
    model: Any,
    max_depth: int | None,
    max_nodes: int | None,
    *,
    max_branches: int | None = None,
    keep: Iterable[int] = (),
) -> NDArray[np.bool_]:
    """Which inner nodes to open: not too deep, the heaviest first, while `max_nodes` lasts.

    A node of more than `max_branches` is shown with so many. Those to `keep`, such as the path of a
    case, are opened before all others, with their ancestors.
    """
    tree, native = model.tree, model.tree.native
    opened: NDArray[np.bool_] = native.first_child >= 0
    if max_depth is not None:
        opened &= tree.depth < max_depth
    if max_nodes is not None and tree.node_count > max_nodes:
        wanted = np.zeros(tree.node_count, dtype=bool)
        wanted[list(keep)] = True
        inner = np.flatnonzero(opened)
        # A parent weighs no less than its child and has a lower number, so it is opened before it.
        order = inner[np.lexsort((-tree.node_weight[inner], ~wanted[inner]))]
        width = native.n_children[order]
        if max_branches is not None:
            width = np.minimum(width, max_branches)
        fits = (1 + np.cumsum(width) <= max_nodes) | wanted[order]
        opened = np.zeros_like(opened)
        opened[order[fits]] = True
    return opened


def headline(model: "Model") -> str:
    """What was learned from what, in one line."""
    tree, growth = model.tree, model.growth
    root = card(model, 0)
    rows = show_amount(root.rows, root.weight, f"weighted {root.noun}" * root.weighted or root.noun)
    target = tr("a real target")
    if model.classes is not None:
        target = count(len(model.classes), "class")
    how = growth.criterion if growth.score == "gain" else f"{growth.criterion}, {growth.score}"
    algorithm = visible(str(model.provenance.get("algorithm", "tree")))
    if algorithm == "stump" and growth.max_depth >= 0:  # where None does not mean "no limit"
        how += f", max_depth={growth.max_depth}"
    return (
        f"{algorithm} ({how}) · {rows}, "
        f"{say_columns(model.schema)}, {target} · "
        f"{count(tree.n_leaves, 'leaf')}, {tr('depth {n}', n=tree.max_depth)}"
    )


def line(
    model: "Model", said: Card, nodes: tuple[int, ...], words: str, empty: bool, fold: bool
) -> str:
    """One node in one line."""
    number = f"[{', '.join(map(str, nodes))}]"
    head = f"{number} {words}" if words else number
    answer = f"{head} → {said.prediction}{f', {said.by}' if said.by else ''}"
    if empty or (said.leaf and not said.weight):
        return f"{answer} ({say_empty(said)})"
    body = _body(said)
    if said.leaf:
        return f"{answer} · {body}"
    below = ""
    if fold:
        leaves = count(int(model.tree.leaves_below[said.node]), "leaf")
        below = f" … {leaves}{said_below(model, said.node)}"
    return f"{head} · {body}{f' · {BY_HAND()}' if said.by_hand else ''}{below}"


def _body(said: Card) -> str:
    """How many rows, and of what."""
    rows = show_amount(said.rows, said.weight, said.noun)
    if said.by and said.leaf and (said.share is None or said.own_share == 1.0):
        return f"{rows}; {say_own(said)}"
    if said.share is None:
        return rows if said.leaf else f"{rows}, {said.statistic} {show_figure(said.mean or 0.0)}"
    if said.leaf and said.share == 1.0:
        return rows
    shown = []
    for label, amount in said.classes[:MAX_CLASSES]:
        number = show_weight(amount)
        # "Yes 9", but "9 of 1": two numbers in a row say nothing
        apart = label[:1] in set("+-.0123456789")
        shown.append(tr("{n} of {label}", n=number, label=label) if apart else f"{label} {number}")
    if len(said.classes) > MAX_CLASSES:
        shown.append(tr("{n} more classes", n=len(said.classes) - MAX_CLASSES))
    tie = tr(", a tie") if said.leaf and said.tie else ""
    share = f" ({show_share(said.share)}{tie})" if said.leaf else ""
    if said.weighted:
        share = f" · {tr('by weight')} {said.own} {show_share(said.own_share or 0.0)}{tie}"
    if said.order or (said.turned and said.leaf):
        share = f" ({say_own(said)})"
    return f"{rows}: {', '.join(shown)}{share}"


def _notes(model: "Model", opened: NDArray[np.bool_], shortened: bool, ties: bool) -> list[str]:
    native = model.tree.native
    known = Certificate.of(model)
    polished = Polished.of(model)
    notes = [*model.meanings, *(known.sentences if known else ())]
    notes += [polished.sentence] if polished else []
    notes += [*general_notes(model), *model.deciding, *say_prices(model), *edit_notes(model)]
    if ties and model.classes is not None:
        notes.append(say_tie(len(model.classes)))
    hidden = int(np.count_nonzero((native.first_child >= 0) & ~opened))
    if hidden or shortened:
        notes.append(tr("… is folded: to_text(max_nodes=None, max_levels=None) shows everything."))
    return ["", *notes] if notes else []


def general_notes(model: Any) -> list[str]:
    """What holds for the whole tree, said once."""
    native = model.tree.native
    notes = []
    if model.counted is not None:
        notes.append(
            tr("Rows are counted as rows. Means and what is gained go by their weights.")
            if model.classes is None
            else tr(
                "Rows are counted as rows. What is predicted and what is gained go by their "
                "weights."
            )
        )
    elif model.census is None:
        notes.append(tr("Only the weight of the training rows is known, not their number."))
    bounded = [c for c in model.schema.columns if c.bounds is not None]
    if bounded:
        notes.append(say_bounds(bounded))
    if native.tests.kind.size:
        policy = model.growth.on_missing
        if policy.refused:
            notes.append(tr("Missing values are refused."))
        elif policy.shared:
            notes.append(tr("A missing value goes down every branch, in shares of their weights."))
        sent = np.unique(native.tests.column[native.tests.missing >= 0]).tolist()
        unseen = [j for j in sent if j in model.never_missing]
        if unseen and not (policy.refused or policy.stand_ins):
            notes.append(say_unseen(model.schema, unseen))
        if (native.tests.kind == 2).any():
            notes.append(tr("A level the tree does not know is read as missing."))
    return notes
