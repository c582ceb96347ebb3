"""What people did to a tree, in words: which tests are by hand, which answers by order, and why."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bosco.base.language import phrase, retold, tr
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.render.card import BY_HAND, BY_ORDER, card, say_own
from bosco.tree.edits import ByHand

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_EDITS = 12
"""How many nodes the notes below a text tell of, of each kind."""

WHAT_BY_HAND = phrase("by hand: a person chose the test of the node, not the learner.")
WHAT_BY_ORDER = phrase("by order: the leaf answers what a person ordered, not what its rows say.")


def edit_notes(model: "Model", limit: int = MAX_EDITS) -> list[str]:
    """What the marks mean, and each edit with its reason; at most so many of each kind."""
    edits = model.edits
    notes = []
    for what, lines in (
        (WHAT_BY_HAND(), list(said_by_hand(model))),
        (WHAT_BY_ORDER(), list(said_by_order(model))),
        (tr("Notes:"), [f"[{node}] {visible(edits.notes[node])}" for node in sorted(edits.notes)]),
    ):
        if lines:
            notes += [what, *(f"  {line}" for line in lines[:limit])]
        if len(lines) > limit:
            more = len(lines) - limit
            notes.append(f"  {tr('… {n} more: `model.edits` has them all', n=more)}")
    return [*notes, say_locked(edits.locked)] if edits.locked else notes


def mark_notes(model: "Model") -> list[str]:
    """What the marks mean, where another place tells of each edit."""
    marks = ((WHAT_BY_HAND, model.edits.chosen), (WHAT_BY_ORDER, model.edits.orders))
    return [what() for what, nodes in marks if nodes]


def said_at(model: "Model", node: int) -> list[str]:
    """What people did at one node, a line each: for whoever points at it."""
    edits, said = model.edits, []
    if by_hand := edits.chosen.get(node):
        said.append(f"{tr('Test by hand')}, {say_chosen(by_hand)}")
    if order := edits.orders.get(node):
        said.append(f"{tr('Answer by order')}{say_reason(order.reason)}")
    if node in edits.notes:
        said.append(f"{tr('Note')}: {visible(edits.notes[node])}")
    return [*said, tr("Locked")] if node in edits.locked else said


def said_below(model: "Model", node: int) -> str:
    """How much of what lies below a node is by hand or by order: ``, 2 by order``."""
    parts = []
    for word, nodes in ((BY_HAND, model.edits.chosen), (BY_ORDER, model.edits.orders)):
        n = sum(node in model.tree.path(other)[:-1] for other in nodes)
        parts += [f", {n} {word()}"] if n else []
    return "".join(parts)


def said_by_hand(model: "Model") -> Iterator[str]:
    """Each node whose test is by hand, with the learner's own choice and the reason."""
    for node in sorted(model.edits.chosen):
        yield f"[{node}] {say_chosen(model.edits.chosen[node])}"


def say_chosen(by_hand: ByHand) -> str:
    """What the learner would have taken instead of a test by hand, and why it was not."""
    if not by_hand.instead:
        said = tr("where the learner would have stopped")
    elif by_hand.loss > 0:
        said = tr(
            "instead of {test}, which gains {n} more",
            test=visible(retold(by_hand.instead)),
            n=say_loss(by_hand),
        )
    else:
        said = tr("instead of {test}, which gains no more", test=visible(retold(by_hand.instead)))
    return said + say_reason(by_hand.reason)


def say_loss(by_hand: ByHand) -> str:
    """How much more the learner's own test gains; nothing where it had none."""
    return show_figure(max(by_hand.loss, 0.0)) if by_hand.instead else ""


def said_by_order(model: "Model") -> Iterator[str]:
    """Each leaf that answers by order, with what its rows say and the reason."""
    for node in sorted(model.edits.orders):
        said = card(model, node)
        assert said.order is not None
        yield f"[{node}] {said.prediction}, {say_own(said)}{say_reason(said.order.reason)}"


def say_reason(reason: str) -> str:
    """A reason as the end of a sentence; nothing if none was given."""
    return f": {visible(reason)}" if reason else ""


def say_locked(nodes: Iterable[int]) -> str:
    """Which nodes must not change."""
    locked = ", ".join(f"[{n}]" for n in sorted(nodes))
    return tr("Locked, so that no verb changes them: {nodes}.", nodes=locked)
