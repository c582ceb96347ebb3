"""Deciding on one tree: the ways through it are boxes that hold every case once.

They are those of its rules (`bosco.rules.extract`), of the region alone that a policy speaks of:
where missing values go several ways, a region without them has few.
"""

from collections.abc import Iterator

import numpy as np

from bosco.models.model import Model
from bosco.policies.ground import Ground, Suspect
from bosco.policies.policy import Pair
from bosco.rules.extract import Walk
from bosco.rules.space import Box, Near
from bosco.rules.work import Work


def boxes_of(ground: Ground, model: Model, work: Work) -> tuple[list[Box], list[float]]:
    """The boxes of a region, and what the tree answers in each: places of classes, or numbers.

    OutOfWorkError if there are more of them than steps are left for.
    """
    by_class = model.classes is not None
    votes, decision = model.decided, model.decision
    walk = Walk(model.tree, ground.space, by_class=by_class, votes=votes, decision=decision)
    boxes: list[Box] = []
    said: list[float] = []
    stack = [walk.start(ground.region)]
    while stack:
        work.need(ground.space.step)
        way = stack.pop()
        if not walk.ended(way):
            stack.extend(reversed(walk.steps(way)))
            continue
        boxes.append(way.box)
        said.append(walk.answer(way) if by_class else float(walk.value(way)[0]))
    return boxes, said


def suspects(ground: Ground, boxes: list[Box], said: list[float], work: Work) -> Iterator[Suspect]:
    """All boxes, or pairs of them, that break a policy; none: it is proved.

    OutOfWorkError if it takes more steps than are left.
    """
    space, policy = ground.space, ground.policy
    answers = np.array(said)
    if not isinstance(policy, Pair):
        for i in np.flatnonzero(policy.breaks(answers)).tolist():
            yield boxes[i], None
        return
    near = Near(space, boxes, work)
    free = ground.free
    for i, box in enumerate(boxes):
        work.need(space.step)
        meeting = near.meeting(box & ~free | ground.region & free)
        others = answers[meeting]
        work.need(len(meeting))
        for j in np.flatnonzero(policy.breaks(np.full_like(others, said[i]), others)).tolist():
            common = box & boxes[meeting[j]] & ~free
            ordered = ground.in_order(common | box & free, common | boxes[meeting[j]] & free)
            if ordered is not None:
                yield ordered
