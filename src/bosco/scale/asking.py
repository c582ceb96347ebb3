"""What is asked of all parts before a tree grows, and told to them: target, columns, codes.

Three rounds, as a rule: what parts say first of themselves (`bosco.scale.introduction`), what can
only be said when columns and target are known, and with the codes of columns the root's counts.
"""

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fixedpoint import Spread
from bosco.data.recipe import Scaling, class_factors
from bosco.data.schema import Schema
from bosco.data.target import class_codes
from bosco.errors import DataError
from bosco.scale.edges import SAMPLE, Edges
from bosco.scale.introduction import Introduction
from bosco.scale.source import Engine, Step


class Told:
    """An engine and the steps that its parts were told: what is asked before there is a tree."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.steps: list[Step] = []
        self.introduced: list[Introduction] = []
        self._how: tuple[Any, ...] = ()
        self.sample_size = SAMPLE

    def tell(self, *step: Any) -> None:
        """Add a step that all parts will follow."""
        self.steps.append(step)

    def ask(self, request: str, *args: Any) -> list[Any]:
        """Ask all parts."""
        return self.engine.ask(self.steps, request, *args)

    def ask_all(self, asked: list[tuple[Any, ...]]) -> list[Sequence[Any]]:
        """Ask all parts several things at once: (request, what it asks for ...)."""
        return list(zip(*self.ask("several", asked), strict=True))

    def introduce(self, classes: bool, kinds: tuple[Any, Any]) -> list[int]:
        """Let parts introduce themselves, and go on with those that have rows: their numbers.

        `kinds` is what the user says of columns.
        """
        self.sample_size = max(200, SAMPLE // max(1, len(self.engine.names)))
        self._how = (classes, *kinds)
        self.introduce_again()
        return self.without_empty()

    def without_empty(self) -> list[int]:
        """Ask no more those parts that have no rows; returns the numbers of the others."""
        others = [number for number, one in enumerate(self.introduced) if one.n_rows]
        if not others:
            raise DataError("There is no row with a weight in any part.")
        if len(others) < len(self.introduced):
            self.engine.only(others)
            self.introduced = [self.introduced[number] for number in others]
        return others

    def introduce_again(self) -> None:
        """The same of rows that are others now, or weigh something else."""
        self.introduced = self.ask("introduction", *self._how, self.sample_size)

    def again(self, step: Step) -> "Told":
        """The same parts, told one step more, after which their rows are others."""
        made = copy(self)
        made.steps = [*self.steps, step]
        made.introduce_again()
        return made

    def before(self, name: str, request: str, *args: Any) -> list[Any]:
        """What parts have said of themselves; where somebody has not, all are asked."""
        said = [getattr(one, name) for one in self.introduced]
        return self.ask(request, *args) if any(one is None for one in said) else said

    # What a recipe asks of all rows ------------------------------------------------------------

    @property
    def rows_of_parts(self) -> list[int]:
        """Rows with a weight, of each part."""
        return [one.n_rows for one in self.introduced]

    @property
    def n_kept(self) -> int:
        """Rows with a weight."""
        return sum(self.rows_of_parts)

    @property
    def plain(self) -> bool:
        """Whether all of those weigh 1."""
        return all(self.before("plain", "plain"))

    def spread(self, factor: NDArray[np.float64] | None = None) -> Spread:
        """The spread of the weights."""
        size = partial(self._sum, "size", factor)
        if factor is not None:
            return Spread.joined(self.ask("spread", factor), size)
        return Spread.joined(self.before("weights", "spread", None), size)

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, in fixed point."""
        totals: NDArray[np.int64] = sum(self.ask("totals", exponent, n_classes))
        return totals

    def ends(self) -> tuple[float, float]:
        """The least and the largest number to learn."""
        said = self.before("ends", "ends")
        return min(low for low, _ in said), max(high for _, high in said)

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """The spread of the numbers to learn around a center."""
        size = partial(self._sum, "offsets_size", center, scaling)
        asked = ("offsets", center, scaling)
        around_0 = center == 0 and scaling.exponent is None
        return Spread.joined(self.before("numbers", *asked) if around_0 else self.ask(*asked), size)

    def _sum(self, request: str, *args: Any) -> int:
        return sum(self.ask(request, *args))


def classes_of(told: Told) -> NDArray[Any]:
    """The classes of all parts, sorted."""
    labels = [part for part in told.before("labels", "labels") if len(part)]
    if not labels:
        raise DataError("No part has a row with a label.")
    if len({part.dtype.kind for part in labels}) == 1:
        return class_codes(np.concatenate(labels))[0]
    return class_codes([label for part in labels for label in part.tolist()])[0]


def tell_outcome(told: Told, task: str, class_weight: Any) -> tuple[Any, Any]:
    """Find the classes of all parts and what they count, and tell it; None for numbers."""
    classes = classes_of(told) if task == "classification" else None
    told.tell("outcome", classes, ())
    if classes is None:
        return None, None
    factor = class_factors(class_weight, classes, told)
    if factor is not None and not factor.all():
        told.steps[-1] = ("outcome", classes, tuple(np.flatnonzero(factor == 0).tolist()))
        told.introduce_again()
        told.without_empty()
    return classes, factor


def sample_of(told: Told, schema: Schema) -> list[NDArray[np.float64]]:
    """Some values of each column of numbers, of all parts together; none of others."""
    names = [column.name for column in schema.columns if column.levels is None]
    said: list[Any] = [one.sample for one in told.introduced]
    if any(one is None or not one.keys() >= set(names) for one in said):
        said = told.ask("sample", told.sample_size)
    none = np.zeros(0)
    return [
        none if column.levels is not None else np.concatenate([one[column.name] for one in said])
        for column in schema.columns
    ]


def tell_edges(told: Told, schema: Schema, edges: Edges) -> Any:
    """Tell the codes of all columns; returns a frame of one row that has them."""
    told.tell("edges", edges)
    return layout_of(schema, edges)


def layout_of(schema: Schema, edges: Edges) -> Any:
    """A frame of one row that has the codes of all columns."""
    layout = _core.Frame(1)
    for column in schema.columns:
        if column.levels is None:
            layout.add_numeric(np.full(1, np.nan))
        else:
            codes = np.zeros(1, np.uint32)
            layout.add_coded(codes, len(column.levels), column.kind == "ordinal")
    layout.encode(1, 255, edges)
    return layout
