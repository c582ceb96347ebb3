"""Whether two trees ask the same question at a node.

Two tests are the same question if they are about the same column and

* cut it at thresholds that are close: no further apart than half the interquartile range of the
  column among the rows at the reference node (a window as wide as the middle half of the rows,
  around the reference threshold), or with no such row between them;
* or map its levels to branches in the same way, as far as rows at the reference node have them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.figures.intervals import Floats
from bosco.models.model import Model
from bosco.render.card import say_test
from bosco.tree.conditions import Interval, Members, Test


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


def questions(model: Model, frame: Frame, path: Any) -> dict[int, Question]:
    """The questions of a tree by node; `path` marks which rows pass which node, in columns."""
    found = {}
    for node in np.flatnonzero(model.tree.native.test >= 0).tolist():
        test = model.tree.test(node)
        assert test is not None
        rows = path.indices[path.indptr[node] : path.indptr[node + 1]]
        cells, cuts = frame.table.column(test.column), _cuts(test)
        branch_of = {}
        if not isinstance(cells, Coded):
            x = cells.values[rows]
            x = x[~np.isnan(x)]
        else:
            codes = np.unique(cells.codes[rows]) if not len(cuts) else cells.codes[rows]
            x = codes[codes > 0] - 1.0  # thresholds on levels count from 0, codes from 1
            if not len(cuts):
                there = set(codes.tolist())
                branch_of = {cells.levels[c - 1]: b for c, b in _codes(test) if c in there}
        found[node] = Question(
            node=node,
            column=model.schema.columns[test.column].name,
            words=say_test(model.schema, test),
            children=model.tree.children(node),
            windows=_windows(cuts, np.asarray(x, np.float64)),
            branch_of=branch_of,
        )
    return found


def _cuts(test: Test) -> Floats:
    """Where a test cuts; nowhere if it sends levels by name, at ∞ if it asks what is known."""
    highs = [branch.high for branch in test.branches if isinstance(branch, Interval)]
    cuts = sorted(high for high in highs if high is not None)
    return np.array(cuts or [np.inf] * bool(highs), np.float64)


def _codes(test: Test) -> Iterator[tuple[int, int]]:
    """The codes of levels that a test tells apart, each with its branch."""
    for at, branch in enumerate(test.branches):
        yield from ((code, at) for code in branch.codes) if isinstance(branch, Members) else ()


def _windows(cuts: Floats, x: Floats) -> Floats:
    """Lowest and highest threshold that counts as the same, for each cut."""
    if not len(x) or not len(cuts) or np.isinf(cuts).any():
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


def walk(asked: dict[int, Question], other: Model) -> dict[int, Answer]:
    """What another tree asks at the nodes that it reaches by the same questions."""
    names, first = other.schema.names, other.tree.native.first_child
    answers: dict[int, Answer] = {}
    open_nodes = [(0, 0)]
    while open_nodes:
        node, place = open_nodes.pop()
        if (question := asked.get(node)) is None:
            continue
        test = other.tree.test(place)
        if test is None or names[test.column] != question.column:
            answers[node] = Answer(False, False, float("nan"))
            continue
        branches, cuts = _same_branches(question, other.schema, test), _cuts(test)
        threshold = float(cuts[0]) if len(cuts) == 1 else float("nan")
        answers[node] = Answer(True, bool(branches), threshold)
        for ours, theirs in branches.items():
            open_nodes.append((question.children[ours], int(first[place]) + theirs))
    return answers


def _same_branches(question: Question, schema: Schema, test: Test) -> dict[int, int]:
    """Which branch of another test each branch is, if the tests are the same; else empty."""
    cuts, n_branches = _cuts(test), len(question.children)
    if len(cuts):
        if len(cuts) != len(question.windows) or len(test.branches) != n_branches:
            return {}
        low, high = question.windows.T
        return {b: b for b in range(n_branches)} if ((low <= cuts) & (cuts <= high)).all() else {}
    if not question.branch_of:
        return {}
    levels = schema.columns[test.column].levels or ()
    theirs = {levels[code - 1]: branch for code, branch in _codes(test)}
    pairs = {(ours, theirs.get(level, test.missing)) for level, ours in question.branch_of.items()}
    one_to_one = len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    return dict(pairs) if one_to_one and min(b for _, b in pairs) >= 0 else {}
