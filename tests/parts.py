"""Rows in parts of this process, as `bosco.scale` has them at the workers of a cluster."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bosco import _core
from bosco.scale.grower import Grower
from bosco.scale.part import Part
from bosco.scale.source import Here, Source
from bosco.scale.stepping import grown


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
) -> Grower:
    """A grower over frames, coded alike, and targets; of each all rows, or some by number."""
    some = [None] * len(frames) if rows is None else rows
    parts = [Ready(*one) for one in zip(frames, goals, some, strict=True)]
    source = Source(Here(parts), [], frames[0], max(1, n_classes))
    return Grower(source, goals[0], settings, unit)


def tree_of(grower: Grower) -> Any:
    """The tree that a grower grows."""
    (tree,) = grown(grower.source, [grower])
    return tree
