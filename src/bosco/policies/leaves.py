"""The leaves of many trees side by side: which a box reaches, and between what bounds they vote.

Every tree gives a case to one leaf; what the leaves say is added up. Trees with points that ask for
one column alone, as stumps do, are added up first, atom by atom: of a table of stumps one tree for
each column is left, and since columns are free of each other the bounds of a box are then exact.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.models.forest import ForestModel
from bosco.models.model import Model
from bosco.models.scoretable import ScoreTable
from bosco.rules.space import Box, Field, Space
from bosco.rules.work import Work
from bosco.tree.decision import POINT
from bosco.tree.family import AnyModel
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree

Alive = NDArray[np.intp]
"""Numbers of leaves, ascending, so tree by tree; of every tree there is one at least."""


def spoken(model: AnyModel) -> Iterator[tuple[Tree, NDArray[Any]]]:
    """The trees of a model, each with what its nodes add to the answer."""
    if isinstance(model, ForestModel):
        for tree, weight in zip(model.trees(), model.tree_weights.tolist(), strict=True):
            says = tree.native.value
            if model.vote == "mode" and model.classes is not None:
                says = np.eye(says.shape[1])[heaviest(says)]
            yield tree, _compared(model, says) * weight
    elif isinstance(model, ScoreTable):
        bars: Any = _bars(model)
        for nth, line in enumerate(model.lines):
            points = np.zeros((line.tree.node_count, len(model.classes)), np.int64)
            points[line.tree.native.first_child < 0] = line.points
            yield line.tree, points + bars * (nth == 0)
    else:
        assert isinstance(model, Model)
        yield model.tree, model.decided


def _compared(model: ForestModel, says: NDArray[Any]) -> NDArray[Any]:
    """What the nodes of a tree add to what is compared; the weights of the trees are 1 in all."""
    return says if model.classes is None else model.decision.compared(says)


def _bars(model: ScoreTable) -> NDArray[np.int64]:
    """Whole points that each class has beforehand, so that who has more is who is decided for."""
    cut = model.decision.cut
    if cut is None:
        return np.zeros(len(model.classes), np.int64)
    # Of equal points the second class wins; a cut-off of the first is one point more for it.
    lead = round(cut.at / POINT)
    return np.array([lead, 0] if cut.of == 1 else [0, lead - 1], np.int64)


@dataclass(frozen=True, slots=True)
class _Reach:
    """The atoms of one field that leaves hold: from first to last, or one of some sets."""

    first: NDArray[np.int32]
    last: NDArray[np.int32]
    gap: NDArray[np.bool_]
    sets: NDArray[np.bool_]  # of a field without an order: one set a row
    which: NDArray[np.int32]


class Leaves:
    """All leaves of all trees, in a space made of their tests.

    Parameters
    ----------
    space : Space
        The cells.
    trees : iterable of (Tree, array)
        The trees and what their nodes add to the answer.
    work : Work
        Every node is a step.
    """

    def __init__(
        self, space: Space, trees: Iterable[tuple[Tree, NDArray[Any]]], work: Work
    ) -> None:
        self.space = space
        boxes: list[dict[int, int]] = []  # of each leaf: the atoms of the fields that it asks for
        says: list[NDArray[Any]] = []
        begins: list[int] = []
        alone: dict[int, NDArray[Any]] = {}  # by field: what is added for each atom
        for tree, said in trees:
            work.need(tree.node_count * space.step)
            found = list(_paths(tree, space))
            fields = {f for _, path in found for f in path}
            if (
                len(fields) == 1 and said.dtype.kind == "i"
            ):  # another order of floats rounds otherwise
                self._add(alone, fields.pop(), found, said)
                continue
            begins.append(len(boxes))
            boxes += [path for _, path in found]
            says += [said[leaf] for leaf, _ in found]
        for at, table in alone.items():
            begins.append(len(boxes))
            for atoms, said in _runs(space.fields[at], table):
                boxes.append({at: atoms})
                says.append(said)
        self.says: NDArray[Any] = np.array(says)
        self.begins: NDArray[np.intp] = np.array(begins, np.intp)
        self._boxes = boxes
        self._reach = {f.column: _reach(f, at, boxes) for at, f in enumerate(space.fields)}
        self.all: Alive = np.arange(len(boxes))

    def _add(
        self,
        alone: dict[int, NDArray[Any]],
        at: int,
        found: list[tuple[int, dict[int, int]]],
        said: NDArray[Any],
    ) -> None:
        """Add a tree that asks for one column to what that column says."""
        field = self.space.fields[at]
        table = alone.setdefault(at, np.zeros((field.known + 1, said.shape[1]), said.dtype))
        for leaf, path in found:
            atoms = path.get(at, field.full)
            table[members(atoms, field.known + 1)] += said[leaf]

    def asks(self, mask: int) -> NDArray[np.bool_]:
        """Which leaves ask for a field that has some bits."""
        fields = {at for at, field in enumerate(self.space.fields) if field.mask & mask}
        return np.array([not fields.isdisjoint(box) for box in self._boxes], bool)

    def within(self, alive: Alive, before: Box, box: Box) -> Alive:
        """Those of some leaves of a box that a smaller box in it reaches."""
        for field in self.space.fields_of(before & ~box):
            atoms = box >> field.shift & field.full
            alive = alive[self._meets(field, self._reach[field.column], atoms, alive)]
        return alive

    @staticmethod
    def _meets(field: Field, reach: _Reach, atoms: int, alive: Alive) -> NDArray[np.bool_]:
        held = members(atoms, field.known + 1)
        if not field.ordered:
            meets: NDArray[np.bool_] = np.any(reach.sets & held, axis=1)
            return meets[reach.which[alive]]
        up_to = np.concatenate([[0], np.cumsum(held[:-1])])
        inside = up_to[reach.last[alive] + 1] > up_to[reach.first[alive]]
        found: NDArray[np.bool_] = inside | (reach.gap[alive] & held[-1])
        return found

    def starts(self, alive: Alive) -> NDArray[np.intp]:
        """Where each tree begins among some leaves."""
        return np.searchsorted(alive, self.begins)

    def apart(self, one: int, other: int, box: Box) -> tuple[Field, int]:
        """A field and atoms of it, some of a box's, that hold one leaf of a tree and not another.

        Unshifted; an order is kept: they are the lower values, or the higher, or the missing one.
        """
        for at, field in enumerate(self.space.fields):
            inside = box >> field.shift & field.full
            a, b = (self._boxes[leaf].get(at, field.full) & inside for leaf in (one, other))
            if a & b:
                continue
            if not field.ordered:
                return field, a
            low, high = a & field.values, b & field.values
            if not low or not high:  # one of them holds the missing value alone
                return field, inside & field.gap
            if low > high:
                low, high, a = high, low, b
            below = inside & ((1 << low.bit_length()) - 1)
            return field, below | (a & field.gap)
        raise AssertionError("two leaves of a tree that hold one case")


def members(atoms: int, n: int) -> NDArray[np.bool_]:
    """Which of n bits are set, lowest first.

    Examples
    --------
    >>> members(0b101, 4).tolist()
    [True, False, True, False]
    """
    octets = np.frombuffer(atoms.to_bytes(1 + n // 8, "little"), np.uint8)
    return np.unpackbits(octets, bitorder="little")[:n].astype(bool)


def _paths(tree: Tree, space: Space) -> Iterator[tuple[int, dict[int, int]]]:
    """Every leaf that can be reached with the atoms that it holds of the fields asked for."""
    place = {field.column: at for at, field in enumerate(space.fields)}
    stack: list[tuple[int, dict[int, int]]] = [(0, {})]
    while stack:
        node, path = stack.pop()
        test = tree.test(node)
        if test is None:
            yield node, path
            continue
        at = place[test.column]
        now = path.get(at, space.fields[at].full)
        for branch, child in zip(test.branches, tree.children(node), strict=True):
            if atoms := now & space.atoms(branch):
                stack.append((child, path | {at: atoms}))


def _runs(field: Field, table: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    """The atoms of a field, neighbours that say the same together, and what they say."""
    begin = 0
    for k in range(1, field.known + 1):
        if k == field.known or not field.ordered or (table[k] != table[begin]).any():
            yield (1 << k) - (1 << begin), table[begin]
            begin = k
    if field.gap:
        yield field.gap, table[field.known]


def _reach(field: Field, at: int, boxes: list[dict[int, int]]) -> _Reach:
    atoms = [box.get(at, field.full) for box in boxes]
    values = [a & field.values for a in atoms]
    first = [(a & -a).bit_length() - 1 if a else 0 for a in values]
    last = [a.bit_length() - 1 for a in values]  # -1: none
    gap = [bool(a & field.gap) for a in atoms]
    sets, which = np.zeros((1, 1), bool), np.zeros(1, np.int32)
    if not field.ordered:
        unique = {a: k for k, a in enumerate(dict.fromkeys(atoms))}
        which = np.array([unique[a] for a in atoms], np.int32)
        sets = np.array([members(a, field.known + 1) for a in unique])
    return _Reach(
        np.array(first, np.int32), np.array(last, np.int32), np.array(gap, bool), sets, which
    )
