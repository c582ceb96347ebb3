"""Deciding on one tree: its rules are boxes that hold every case once, compared with the policy."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from bosco.policies.ground import Ground, Suspect
from bosco.policies.policy import Pair
from bosco.rules.rule import Rule
from bosco.rules.space import Near
from bosco.rules.work import Work


def suspects(ground: Ground, rules: list[Rule], work: Work) -> Iterator[Suspect]:
    """All boxes, or pairs of them, that break a policy; none: it is proved.

    OutOfWorkError if it takes more steps than are left.
    """
    space, policy = ground.space, ground.policy
    work.need((len(rules) + sum(len(rule.conditions) for rule in rules)) * space.step)
    boxes = [space.box(rule.conditions) & ground.region for rule in rules]
    held = [i for i, box in enumerate(boxes) if space.holds_any(box)]
    said = _answers(ground, [rules[i] for i in held])
    boxes = [boxes[i] for i in held]
    if not isinstance(policy, Pair):
        for i in np.flatnonzero(policy.breaks(said)).tolist():
            yield boxes[i], None
        return
    near = Near(space, boxes, work)
    free = ground.free
    for i, box in enumerate(boxes):
        work.need(space.step)
        meeting = near.meeting(box & ~free | ground.region & free)
        others = said[meeting]
        work.need(len(meeting))
        for j in np.flatnonzero(policy.breaks(np.full_like(others, said[i]), others)).tolist():
            common = box & boxes[meeting[j]] & ~free
            ordered = ground.in_order(common | box & free, common | boxes[meeting[j]] & free)
            if ordered is not None:
                yield ordered


def _answers(ground: Ground, rules: list[Rule]) -> Any:
    """What rules answer: places of classes, or numbers."""
    classes = ground.model.classes
    if classes is None:
        return np.array([rule.answer for rule in rules], np.float64)
    place = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([place[rule.answer] for rule in rules], np.int64)
