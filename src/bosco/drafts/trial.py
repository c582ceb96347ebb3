"""What a test would be worth at a node of a draft, by its training rows; nothing is done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import retold
from bosco.drafts.acts import do, require_learned, require_takes_part
from bosco.drafts.advice import judged, say, spot_of
from bosco.drafts.ground import Ground, Weighed
from bosco.drafts.saying import Said, native_of
from bosco.drafts.state import Path, State, node_at
from bosco.errors import ModelError
from bosco.models.model import Model
from bosco.render.card import say as say_condition
from bosco.tree.conditions import test_from

UNKNOWN = object()
"""Stands for a test that nobody has looked for yet; None is that there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """A branch that a test would make.

    Attributes
    ----------
    words : str
        Its condition.
    rows : float
        Training rows that would take it; their number, unless missing values share rows out.
    by_class : ndarray or None
        The same by class; None of a real target.
    says : int or float
        The class that most of them are, by its place, or their mean; of none, what the node says.
    """

    words: str
    rows: float
    by_class: NDArray[np.float64] | None
    says: int | float


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What a test would be worth at a node.

    Attributes
    ----------
    words : str
        The test.
    score, gain : float
        What tests are compared by, and the decrease of impurity less the penalty.
    parts : bool
        Whether it parts the rows at all.
    allowed : bool
        Whether each branch would hold what the settings of growth ask for.
    best : str
        The learner's own test; empty if it has none.
    best_score, loss : float
        The score of that one, and how much more it is.
    overrides : bool
        Whether that is more than a near-tie, so that a reason is asked for.
    branches : tuple of Limb
        What would go each way.
    missing : int
        The branch of missing values; -1: all, in shares.
    """

    words: str
    score: float
    gain: float
    parts: bool
    allowed: bool
    best: str
    best_score: float
    loss: float
    overrides: bool
    branches: tuple[Limb, ...]
    missing: int


def trial_of(
    ground: Ground,
    state: State,
    path: Path,
    said: Said,
    model_of: Callable[[State], Model],
    learned: Any = UNKNOWN,
) -> Trial:
    """Weigh a test at a node; `learned`: the learner's own there, if it is known already."""
    spot = spot_of(ground, state, path)
    require_learned(ground, said)
    test = native_of(ground.schema, said)
    require_takes_part(ground, state, path, test.column)
    own = ground.learned(ground.stump(spot)) if learned is UNKNOWN else learned
    yours, *others = ground.weigh(state.tree, spot, [test] if own is None else [test, own])
    _, facts = judged(ground, yours, others, "")
    return Trial(
        words=retold(say(ground, yours.test)),
        score=yours.score,
        gain=yours.gain,
        parts=yours.holding > 1,
        allowed=yours.allowed,
        best=retold(facts.best),
        best_score=others[0].score if others else float("nan"),
        loss=facts.loss,
        overrides=facts.overrides,
        branches=_limbs(ground, state, path, said, yours, model_of),
        missing=yours.test.missing,
    )


def _limbs(
    ground: Ground,
    state: State,
    path: Path,
    said: Said,
    yours: Weighed,
    model_of: Callable[[State], Model],
) -> tuple[Limb, ...]:
    """The branches: by their tallies where these are rows, else as the act would leave them."""
    branches = test_from(*yours.test.__getstate__()).branches
    missing = not ground.growth.on_missing.refused
    unseen = model_of(state).never_missing
    words = [say_condition(ground.schema, b, missing=missing, unseen=unseen) for b in branches]
    counted = ground.weights.plain and ground.unit == 1 and not ground.growth.on_missing.stand_ins
    if not counted:
        return _done(ground, state, path, said, words, model_of)
    node = node_at(state.tree, path)
    found = []
    for condition, tally in zip(words, yours.tallies / ground.goal.weights.scale, strict=True):
        if ground.classes is None:
            rows = float(tally[0])
            mean = float(state.tree.native.value[node, 0])
            if rows:
                mean = ground.goal.center + float(tally[1]) / ground.goal.scale / rows
            found.append(Limb(condition, rows, None, mean))
        else:
            by_class = np.asarray(tally[: ground.n_classes], np.float64)
            shares = by_class / (by_class.sum() or 1.0)
            shares = shares if by_class.any() else state.tree.native.value[node]
            says = int(ground.decision.answers(shares[None, :])[0])
            found.append(Limb(condition, float(by_class.sum()), by_class, says))
    return tuple(found)


def _done(
    ground: Ground,
    state: State,
    path: Path,
    said: Said,
    words: list[str],
    model_of: Callable[[State], Model],
) -> tuple[Limb, ...]:
    """The branches as the act would leave them; none if it would be refused."""
    try:
        made, _ = do(ground, state, {"verb": "split", "path": list(path), "test": said})
    except ModelError:
        return ()
    model = model_of(made)
    below = model.tree.children(node_at(made.tree, path))
    answers = model.decided[:, 0] if model.classes is None else model.node_class
    return tuple(
        Limb(
            condition,
            float(model.amounts[child].sum()),
            None if model.classes is None else model.amounts[child],
            answers[child].item(),
        )
        for condition, child in zip(words, below, strict=True)
    )
