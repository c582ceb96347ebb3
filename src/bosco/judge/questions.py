"""Whether two trees ask the same question at a node.

Two tests are the same question if they are about the same column and

* cut it at thresholds that are close: no further apart than half the interquartile range of the
  column among the rows at the reference node (a window as wide as the middle half of the rows,
  around the reference threshold), or with no such row between them;
* or map its levels to branches in the same way, as far as rows at the reference node have them.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.data.columns import Coded
from bosco.figures.intervals import Floats
from bosco.render.card import say_test
from bosco.tree.conditions import CUT

if TYPE_CHECKING:
    from bosco.data.frame import Frame
    from bosco.models.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a node of the reference tree asks, and what would be the same.

    `windows` has the bounds of each threshold, `branch_of` the branch of each level that rows at
    the node have; the other one is empty.
    """

    node: int
    column: str
    words: str
    children: range
    windows: Floats
    branch_of: dict[Any, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """What another tree asks in the place of a question."""

    same_column: bool
    same: bool
    threshold: float


def questions(model: "Model", frame: "Frame", path: Any) -> dict[int, Question]:
    """The questions of a tree by node; `path` marks which rows pass which node, in columns."""
    native, found = model.tree.native, {}
    for node in np.flatnonzero(native.test >= 0).tolist():
        test = model.tree.test(node)
        assert test is not None
        rows = path.indices[path.indptr[node] : path.indptr[node + 1]]
        cells = frame.table.column(test.column)
        index, pool = int(native.test[node]), native.tests
        windows, branch_of = np.empty((0, 2)), {}
        if pool.kind[index] == CUT:
            known = cells.codes[rows] if isinstance(cells, Coded) else cells.values[rows]
            # The core's thresholds on levels count from 0, codes from 1 (0 is missing).
            x = known[known > 0] - 1.0 if isinstance(cells, Coded) else known[~np.isnan(known)]
            windows = _windows(_cuts(pool, index), np.asarray(x, np.float64))
        else:
            assert isinstance(cells, Coded)
            jumps = pool.jumps[pool.jump_begin[index] : pool.jump_begin[index + 1]]
            codes = np.unique(cells.codes[rows])
            branch_of = {cells.levels[c - 1]: int(jumps[c]) for c in codes[codes > 0].tolist()}
        found[node] = Question(
            node=node,
            column=model.schema.columns[test.column].name,
            words=say_test(model.schema, test),
            children=model.tree.children(node),
            windows=windows,
            branch_of=branch_of,
        )
    return found


def _cuts(pool: Any, index: int) -> Floats:
    cuts: Floats = pool.thresholds[pool.threshold_begin[index] : pool.threshold_begin[index + 1]]
    return cuts


def _windows(cuts: Floats, x: Floats) -> Floats:
    """Lowest and highest threshold that counts as the same, for each cut."""
    if not len(x) or np.isinf(cuts).any():
        return np.stack([cuts, cuts], axis=1)
    x = np.sort(x)
    finite = x[np.isfinite(x)]
    low, high = np.quantile(finite, [0.25, 0.75]) if len(finite) else (0.0, 0.0)
    half = (high - low) / 2
    place = np.searchsorted(x, cuts, side="right")
    # x ≤ t goes left: a threshold at the value above would send that value the other way.
    below = x[np.maximum(place - 1, 0)]
    above = np.nextafter(x[np.minimum(place, len(x) - 1)], -np.inf)
    return np.stack([np.minimum(cuts - half, below), np.maximum(cuts + half, above)], axis=1)


def walk(asked: dict[int, Question], other: "Model") -> dict[int, Answer]:
    """What another tree asks at the nodes that it reaches by the same questions."""
    native = other.tree.native
    pool, test, first, count = native.tests, native.test, native.first_child, native.n_children
    names = [column.name for column in other.schema.columns]
    answers: dict[int, Answer] = {}
    open_nodes = [(0, 0)]
    while open_nodes:
        node, place = open_nodes.pop()
        question, index = asked.get(node), int(test[place])
        if question is None:
            continue
        same_column = index >= 0 and names[int(pool.column[index])] == question.column
        branches = _same_branches(question, other, index, int(count[place])) if same_column else {}
        cuts = _cuts(pool, index) if same_column else np.empty(0)
        threshold = float(cuts[0]) if len(cuts) == 1 else float("nan")
        answers[node] = Answer(same_column, bool(branches), threshold)
        for ours, theirs in branches.items():
            open_nodes.append((question.children[ours], int(first[place]) + theirs))
    return answers


def _same_branches(
    question: Question, other: "Model", index: int, n_children: int
) -> dict[int, int]:
    """Which branch of the other test each branch is, if the tests are the same; else empty."""
    pool, n_branches = other.tree.native.tests, len(question.children)
    if pool.kind[index] == CUT:
        cuts = _cuts(pool, index)
        if len(cuts) != len(question.windows) or n_children != n_branches:
            return {}
        low, high = question.windows.T
        if not ((low <= cuts) & (cuts <= high)).all():
            return {}
        return {b: b for b in range(n_branches)}
    if not question.branch_of:
        return {}
    levels = other.schema.columns[int(pool.column[index])].levels or ()
    jumps = pool.jumps[pool.jump_begin[index] : pool.jump_begin[index + 1]].tolist()
    missing = int(pool.missing[index])
    theirs = dict(zip(levels, jumps[1:], strict=True))
    pairs = {(ours, theirs.get(level, missing)) for level, ours in question.branch_of.items()}
    one_to_one = len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    return dict(pairs) if one_to_one and min(b for _, b in pairs) >= 0 else {}
