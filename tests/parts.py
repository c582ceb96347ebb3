"""Rows in parts of this process, as `bosco.scale` has them at the workers of a cluster."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bosco import _core
from bosco.scale.grower import Grower
from bosco.scale.part import Part
from bosco.scale.source import Here, Source


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
    parts = []
    for k, (frame, goal) in enumerate(zip(frames, goals, strict=True)):
        part = Part(no_rows)
        part.frame = SimpleNamespace(native=frame)
        some = None if rows is None else rows[k].astype(np.uint32)
        part.native = _core.Rows(frame, goal, unit, some)
        parts.append(part)
    source = Source(Here(parts), [], frames[0], max(1, n_classes))
    return Grower(source, goals[0], settings, unit)
