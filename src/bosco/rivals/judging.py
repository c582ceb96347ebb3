"""What good trees say of rows: on which they agree, and what they get wrong elsewhere."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.frame import Frame
from bosco.data.readers import given_to_fit
from bosco.data.schema import show_label
from bosco.figures.figure import codes_of, truth_of
from bosco.models.model import Model
from bosco.rivals.values import Agreement, Elsewhere
from bosco.tree.missed import Missed

SHOWN = 10
"""Rows that are named, the first ones on which good trees disagree."""


def said(model: Model, frame: Frame) -> NDArray[np.intp]:
    """The class that a model gives each row, by its place."""
    assert model.classes is not None
    return codes_of(model.predict_frame(frame), model.classes)


def missed(model: Model, frame: Frame, target: Any) -> Missed:
    """The weight of the rows that a model gets wrong, and what they cost."""
    weight, n = target.weights.weight, target.n_classes
    cells = target.codes * n + said(model, frame)
    tally = np.bincount(cells, weight, n * n).reshape(n, n) / float(target.weights.scale)
    wrong, costs = float(tally.sum() - tally.trace()), model.decision.costs
    return Missed(wrong, None if costs is None else float((tally * np.array(costs)).sum()))


def agreement(trees: Mapping[str, Model], frame: Frame, numbers: NDArray[np.intp]) -> Agreement:
    """On how many rows trees agree, and the first of those on which they do not.

    `numbers` are those of the rows, as they were given.
    """
    if not trees:
        return Agreement(0, frame.n_rows, 0, ())
    answers = np.array([said(model, frame) for model in trees.values()])
    apart = np.flatnonzero((answers != answers[0]).any(axis=0))
    classes = next(iter(trees.values())).classes
    assert classes is not None
    first = []
    for place in apart[:SHOWN].tolist():
        votes = np.bincount(answers[:, place], minlength=len(classes)).tolist()
        order = sorted(range(len(classes)), key=lambda c: (-votes[c], c))
        shown = {show_label(classes[c]): votes[c] for c in order if votes[c]}
        first.append((int(numbers[place]), shown))
    return Agreement(len(trees), frame.n_rows, len(apart), tuple(first))


def elsewhere(model: Model, trees: Mapping[str, Model], X: Any, y: Any) -> Elsewhere:
    """What a model and the good trees get wrong on other rows."""
    X, y, _ = given_to_fit(X, y, None)
    frame = model.read(X)
    truth = truth_of(model, frame, y)
    return Elsewhere(
        rows=frame.n_rows,
        own=int((said(model, frame) != truth).sum()),
        wrong={name: int((said(one, frame) != truth).sum()) for name, one in trees.items()},
        seen=model.seen(X, y).state,
    )
