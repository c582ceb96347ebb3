"""What people did to a tree, as plain values; and whether it fits the tree that it is said of."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ModelError
from bosco.store.values import (
    check_plain,
    integer,
    mapping,
    real,
    refuse,
    refusing,
    require,
    sequence,
)
from bosco.tree.edits import ByHand, Edits, Order, require_chain
from bosco.tree.tree import Tree

_KEYS = ("chosen", "orders", "notes", "locked", "log")


def write_edits(edits: Edits, *, classes: bool) -> dict[str, Any]:
    """Give edits as values that JSON can hold, by node; the answer of an order is an index."""
    as_answer = int if classes else float
    return {
        "chosen": [
            {"node": node, "instead": by.instead, "loss": float(by.loss), "reason": by.reason}
            for node, by in sorted(edits.chosen.items())
        ],
        "orders": [
            {"node": node, "answer": as_answer(order.answer), "reason": order.reason}
            for node, order in sorted(edits.orders.items())
        ],
        "notes": [{"node": node, "text": text} for node, text in sorted(edits.notes.items())],
        "locked": sorted(edits.locked),
        "log": [dict(entry) for entry in edits.log],
    }


def read_edits(said: Any, *, classes: bool) -> Edits:
    """Read what `write_edits` gave, trusting nothing in it; its nodes are checked with the tree."""
    said = mapping(said, "edits", _KEYS)
    chosen, orders, notes = {}, {}, {}
    for where, one, node in _by_node(said, "chosen", ("instead", "loss", "reason")):
        loss = real(one["loss"], f"{where}.loss")
        chosen[node] = ByHand(_text(one, where, "instead"), loss, _text(one, where, "reason"))
    for where, one, node in _by_node(said, "orders", ("answer", "reason")):
        at = f"{where}.answer"
        answer = integer(one["answer"], at, 0) if classes else real(one["answer"], at)
        orders[node] = Order(answer, _text(one, where, "reason"))
    for where, one, node in _by_node(said, "notes", ("text",)):
        notes[node] = _text(one, where, "text")
    locked = [integer(n, "edits.locked", 0) for n in sequence(said["locked"], "edits.locked")]
    _require_rising(locked, "edits.locked")
    log = sequence(said["log"], "edits.log")
    for i, entry in enumerate(log):
        require(isinstance(entry, dict), f"edits.log[{i}]", "a mapping is wanted")
    check_plain(log, "edits.log")
    edits = Edits(chosen, orders, notes, frozenset(locked), tuple(log))
    require(edits, "edits", "there are none: leave it out")
    with refusing("edits.log", ModelError, UnicodeEncodeError):
        require_chain(log)
    return edits


def check_edits(edits: Edits, tree: Tree, classes: NDArray[Any] | None) -> None:
    """Refuse edits of nodes that are not there, or that cannot be what is said of them."""
    inner = tree.native.test >= 0
    for name in ("chosen", "orders", "notes", "locked"):
        for node in getattr(edits, name):
            sound = isinstance(node, int | np.integer) and 0 <= node < tree.node_count
            require(sound, f"edits.{name}", f"there is no node {node!r:.60}")
    for node in edits.chosen:
        require(inner[node], "edits.chosen", f"node {node} has no test")
    for node, order in edits.orders.items():
        where = f"edits.orders, node {node}"
        require(not inner[node], where, "only leaves answer")
        if classes is None:
            require(np.isfinite(order.answer), where, "a finite number is wanted")
        elif not 0 <= order.answer < len(classes):
            refuse(where, f"there is no class {order.answer}: there are {len(classes)}")


def _by_node(
    said: dict[str, Any], name: str, keys: tuple[str, ...]
) -> list[tuple[str, dict[str, Any], int]]:
    """The entries of a list, each with its place and its node; nodes rise."""
    found = []
    for i, one in enumerate(sequence(said[name], f"edits.{name}")):
        where = f"edits.{name}[{i}]"
        mapping(one, where, ("node", *keys))
        found.append((where, one, integer(one["node"], f"{where}.node", 0)))
    _require_rising([node for *_, node in found], f"edits.{name}")
    return found


def _require_rising(nodes: list[int], where: str) -> None:
    rising = all(a < b for a, b in itertools.pairwise(nodes))
    require(rising, where, "nodes must be in order, each once")


def _text(said: dict[str, Any], where: str, key: str) -> str:
    text = said[key]
    if not isinstance(text, str):
        refuse(f"{where}.{key}", f"a text is wanted, got {text!r:.60}")
    return text
