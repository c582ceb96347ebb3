"""What people put into a tree by hand: tests, answers, notes, locks, by node; and the log of it.

The log is a chain: every entry holds the hash of the one before, so that a change or an omission
shows. Entries are plain values, as a file keeps them; who makes them is `bosco.draft`.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ModelError

Entry = Mapping[str, Any]
"""One act: plain values, with ``before`` (the hash of the entry before) and ``hash``."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """A test that a person chose.

    Attributes
    ----------
    instead : str
        The test that the learner would have taken, in words; empty if none.
    loss : float
        How much more that one gains, by the score of the growth.
    reason : str
        Why it was chosen.
    """

    instead: str
    loss: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """A leaf's answer by order; what the rows say stays in the tree.

    Attributes
    ----------
    answer : int or float
        The index of the class, or the number.
    reason : str
        Why it was ordered.
    """

    answer: int | float
    reason: str


@dataclass(frozen=True, slots=True)
class Edits:
    """What was done by hand to a tree, by number of the node; nothing, by default.

    Attributes
    ----------
    chosen : mapping of int to ByHand
        Tests that people chose.
    orders : mapping of int to Order
        Leaves that answer by order.
    notes : mapping of int to str
        What people wrote beside nodes.
    locked : frozenset of int
        Nodes that must not change.
    log : tuple of entries
        All acts, from the first.
    """

    chosen: Mapping[int, ByHand] = field(default_factory=dict)
    orders: Mapping[int, Order] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    locked: frozenset[int] = frozenset()
    log: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.chosen or self.orders or self.notes or self.locked or self.log)

    def touch(self, node: int) -> bool:
        """Whether anything was done at a node."""
        said = (self.chosen, self.orders, self.notes, self.locked)
        return any(node in nodes for nodes in said)

    def decided(self, said: NDArray[np.float64], *, classes: bool) -> NDArray[np.float64]:
        """What nodes say, but where it was ordered: all for one class, or the number."""
        decided = said.copy()
        for node, order in self.orders.items():
            if classes:
                decided[node] = 0.0
                decided[node, int(order.answer)] = 1.0
            else:
                decided[node] = order.answer
        decided.flags.writeable = False
        return decided

    def renumbered(self, places: Mapping[int, int]) -> "Edits":
        """The same of a tree whose nodes have moved; those that are not in `places` are gone."""
        chosen, orders, notes = (
            {places[node]: what for node, what in by_node.items() if node in places}
            for by_node in (self.chosen, self.orders, self.notes)
        )
        locked = frozenset(places[node] for node in self.locked if node in places)
        return Edits(chosen, orders, notes, locked, self.log)  # type: ignore[arg-type]  # one loop


def hash_of(entry: Entry) -> str:
    """The hash of an entry, of all that it holds but its own hash."""
    content = {key: value for key, value in entry.items() if key != "hash"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def chained(log: Sequence[Entry], entry: Entry) -> Entry:
    """An entry that follows a log, with the hash of the one before and its own."""
    before = log[-1]["hash"] if log else ""
    linked = {**entry, "before": before}
    return {**linked, "hash": hash_of(linked)}


def require_chain(log: Iterable[Entry]) -> None:
    """Refuse a log that was changed after it was written, naming the first entry that shows it."""
    before = ""
    for number, entry in enumerate(log, 1):
        if entry.get("before") != before or entry.get("hash") != hash_of(entry):
            raise ModelError(
                f"The log of edits was changed: entry {number} does not follow from those before "
                f"it, or is not what was written."
            )
        before = entry["hash"]
