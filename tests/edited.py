"""Models that people changed: answers by order, tests by hand, notes, locks, at many nodes."""

from dataclasses import replace
from typing import Any

import numpy as np

from bosco.models.model import Model
from bosco.tree.edits import ByHand, Edits, Order, chained


def leaves(model: Model) -> list[int]:
    """The numbers of all leaves."""
    found: list[int] = np.flatnonzero(model.tree.native.first_child < 0).tolist()
    return found


def inner(model: Model) -> list[int]:
    """The numbers of all nodes with a test."""
    found: list[int] = np.flatnonzero(model.tree.native.first_child >= 0).tolist()
    return found


def other_answer(model: Model, node: int) -> int | float:
    """An answer that the rows of a leaf would not give, if there is another."""
    if model.classes is None:
        return float(model.tree.native.value[node, 0]) * 2 + 1.25
    return int(model.node_class[node] + 1) % len(model.classes)


def ordered(model: Model, every: int = 2) -> Model:
    """The model with orders at every other leaf, the first included."""
    orders = {leaf: Order(other_answer(model, leaf), f"why {leaf}") for leaf in leaves(model)}
    return replace(model, edits=Edits(orders={k: orders[k] for k in leaves(model)[::every]}))


def log_of(*acts: str) -> tuple[Any, ...]:
    """A log of such acts, each chained to those before."""
    log: tuple[Any, ...] = ()
    for act in acts:
        log = (*log, chained(log, {"act": act, "who": "Anna", "figures": [0.5, 1, None]}))
    return log


def edited(model: Model) -> Model:
    """The model with all that people may do to it."""
    orders = ordered(model, every=3).edits.orders
    tested, ends = inner(model), leaves(model)
    chosen = {node: ByHand("another < test >", 0.0123, f"reason & {node}") for node in tested[1::2]}
    if tested:
        chosen[tested[0]] = ByHand("", 0.0)
    notes = {node: f'look "here" <{node}>' for node in (0, ends[-1])}
    locked = frozenset({ends[-1]})
    return replace(model, edits=Edits(chosen, orders, notes, locked, log_of("open", "split")))
