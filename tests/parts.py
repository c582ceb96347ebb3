"""Rows in parts of this process, as `bosco.scale` has them at the workers of a cluster."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bosco import _core
from bosco.data.columns import Coded, Numbers
from bosco.data.recipe import Loss, Recipe, Scaling
from bosco.data.weights import Weights
from bosco.scale.grower import Grower
from bosco.scale.part import Part
from bosco.scale.source import CROWD, Here, Source
from bosco.scale.stepping import grown
from tests.strategies import Problem


class Ready(Part):
    """A part whose rows are coded already: all of them, or some by number."""

    def __init__(self, frame: Any, goal: Any, some: Any = None):
        super().__init__(no_rows)
        self.frame = SimpleNamespace(native=frame)
        self.goal, self.some = goal, some

    def rows(self, unit: int, times: Any, factors: Any) -> Any:
        assert times is None
        assert factors is None
        some = None if self.some is None else self.some.astype(np.uint32)
        return _core.Rows(self.frame.native, self.goal, unit, some)


def no_rows() -> Any:
    raise AssertionError("the part has its rows already")


def grower_of(
    frames: Sequence[Any],
    goals: Sequence[Any],
    n_classes: int,
    settings: dict[str, Any],
    unit: int,
    rows: Sequence[Any] | None = None,
    crowd: int = CROWD,
) -> Grower:
    """A grower over frames, coded alike, and targets; of each all rows, or some by number."""
    some = [None] * len(frames) if rows is None else rows
    parts = [Ready(*one) for one in zip(frames, goals, some, strict=True)]
    engine = Here(parts)
    engine.crowd = crowd
    source = Source(engine, [], frames[0], max(1, n_classes))
    return Grower(source, goals[0], settings, unit)


def tree_of(grower: Grower) -> Any:
    """The tree that a grower grows."""
    (tree,) = grown(grower.source, [grower])
    return tree


def finishing_grower_of(
    problems: Sequence[Problem], frames: Sequence[Any], unit: int, small: int
) -> Grower:
    """A grower over the parts of a problem that finishes nodes of at most so many rows."""
    parts = []
    for problem, frame in zip(problems, frames, strict=True):
        target = problem.target
        part = Ready(frame, problem.native_target(_core))
        cells = [
            Numbers(np.array(c.numbers))
            if c.kind == "numeric"
            else Coded(np.array(c.codes, np.uint8), tuple(range(c.n_codes)))
            for c in problem.columns
        ]
        table = SimpleNamespace(column=cells.__getitem__)
        part.frame = SimpleNamespace(native=frame, table=table)
        numbers = target.center + np.array(target.y or (), float) / target.scale
        weight = np.array(target.weight, np.int64)
        count = None if target.count is None else np.array(target.count, np.int64)
        part.target = SimpleNamespace(
            codes=np.array(target.classes or (), np.uint32),
            numbers=numbers,
            n_classes=target.n_classes,
            weights=Weights(weight, count, target.weight_scale, len(weight)),
        )
        parts.append(part)
    first, target = problems[0], problems[0].target
    engine = Here(parts)
    engine.small = small
    source = Source(engine, [], frames[0], max(1, target.n_classes))
    classes = np.arange(target.n_classes) if target.n_classes else None
    scaling = Scaling(exponent=0, scale=target.weight_scale)
    loss: Loss = "poisson" if first.growth["criterion"] == "poisson" else "squared"
    recipe = Recipe(classes, scaling, target.center, int(np.log2(target.scale)), loss)
    kinds = [
        None if c.kind == "numeric" else (c.n_codes, c.kind == "ordinal") for c in first.columns
    ]
    goal = first.native_target(_core)
    return Grower(source, goal, first.growth, unit, (recipe, kinds))
