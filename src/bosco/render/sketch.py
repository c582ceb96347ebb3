"""Which boxes a picture of a tree has: the shown nodes, with what each says.

Several nodes may share a box: empty branches, and the light ones of a node that has too many.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.render.card import Branch, Card, card, show_amount, show_share
from bosco.render.edited import said_at
from bosco.render.text import line

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_BRANCHES = 16
"""A node of more branches is shown with the heaviest of them, the rest in one box."""

Kind = Literal["inner", "leaf", "folded", "empty", "gathered"]
"""Opened, a leaf, an inner node whose subtree is not shown, branches without rows, branches for
which there is no room."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a picture, which stands for one node or several."""

    node: int  # the first of them
    parent: int  # the number of the box above it; -1 for the root
    kind: Kind
    card: Card
    column: int  # that an inner node asks for, else -1
    label: str  # the condition that leads here without its column
    missing: bool  # whether missing values come here too
    marked: bool  # whether they would, though training had none
    only_missing: bool  # whether nothing but missing values comes here
    part: float  # of all training rows, that the nodes of the box have
    rows: str  # their number in words
    trained: str  # the same where other rows are told of, too
    share: str  # their part of all rows in words
    leaves: int  # at or below
    title: str  # everything in one line; what people did there in more


def sketch(model: "Model", opened: NDArray[np.bool_], max_levels: int) -> list[Box]:
    """The boxes of a picture, each after its parent, siblings in order."""
    boxes: list[Box] = []
    root = Branch("", (0,), False, "", False)
    queue: list[tuple[int, Branch, bool]] = [(-1, root, False)]
    for parent, branch, gathered in queue:  # it grows while it is walked through
        box = _box(model, parent, branch, gathered, opened, max_levels)
        boxes.append(box)
        if box.kind == "inner":
            shown, rest = _fewer(model, box.card.branches)
            queue += [(len(boxes) - 1, b, False) for b in shown]
            if rest:
                queue.append((len(boxes) - 1, rest, True))
    return boxes


def _box(
    model: "Model",
    parent: int,
    branch: Branch,
    gathered: bool,
    opened: NDArray[np.bool_],
    max_levels: int,
) -> Box:
    nodes, tree = list(branch.children), model.tree
    node = nodes[0]
    said = card(model, node, max_levels)
    kind: Kind = "leaf" if said.leaf else "inner" if opened[node] else "folded"
    if branch.empty:
        kind = "empty"
    if gathered:
        kind = "gathered"
    amounts = model.amounts.sum(axis=1)
    amount = float(amounts[nodes].sum())
    part = amount / float(amounts[0])
    test = tree.test(node) if kind == "inner" else None
    rows = show_amount(None if said.rows is None else amount, amount, said.noun)
    share = show_share(part)
    trained = show_amount(
        None if said.rows is None else amount, amount, said.noun.replace("row", "training row")
    )
    title = f"{branch.label}: {rows}, {tr('{share} of all', share=share)}"
    if not gathered:
        title = line(model, said, branch.children, branch.words, branch.empty, kind == "folded")
        title = "\n".join([title, *said_at(model, node)])
    return Box(
        node=node,
        parent=parent,
        kind=kind,
        card=said,
        column=-1 if test is None else test.column,
        label=branch.label,
        missing=branch.missing and branch.label != tr("missing") and not branch.marked,
        marked=branch.marked and branch.label != tr("missing"),
        only_missing=branch.label == tr("missing") and branch.missing,
        part=part,
        rows=rows,
        trained=trained,
        share=share,
        leaves=int(tree.leaves_below[nodes].sum()),
        title=title,
    )


def _fewer(
    model: "Model", branches: tuple[Branch, ...]
) -> tuple[tuple[Branch, ...], Branch | None]:
    """The branches that there is room for, in order, and the others as one."""
    if len(branches) <= MAX_BRANCHES:
        return branches, None
    weight = np.array([model.tree.node_weight[list(b.children)].sum() for b in branches])
    light = set(np.argsort(-weight, kind="stable")[MAX_BRANCHES - 1 :].tolist())
    rest = [b for at, b in enumerate(branches) if at in light]
    children = tuple(child for b in rest for child in b.children)
    label = tr("{n} more branches", n=len(children))
    missing, marked = any(b.missing for b in rest), any(b.marked for b in rest)
    shown = tuple(b for at, b in enumerate(branches) if at not in light)
    return shown, Branch(label, children, False, label, missing, marked)
