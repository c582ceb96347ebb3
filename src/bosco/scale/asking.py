"""What is asked of all parts before a tree grows, and told to them: target, columns, codes."""

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
from bosco.scale.edges import FEW, SAMPLE, Edges, edges_of
from bosco.scale.source import Engine, Step


class Told:
    """An engine and the steps that its parts were told: what is asked before there is a tree."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.steps: list[Step] = []

    def tell(self, *step: Any) -> None:
        """Add a step that all parts will follow."""
        self.steps.append(step)

    def ask(self, request: str, *args: Any) -> list[Any]:
        """Ask all parts."""
        return self.engine.ask(self.steps, request, *args)

    def without_empty(self, request: str) -> list[int]:
        """Ask no more those parts that have no rows: the first thing that `request` gives.

        Returns the numbers of the others.
        """
        said = self.ask(request)
        rows = [one[0] if isinstance(one, tuple) else one for one in said]
        if not any(rows):
            raise DataError("There is no row with a weight in any part.")
        others = [number for number, n in enumerate(rows) if n]
        if not all(rows):
            self.engine.only(others)
        return others

    # What a recipe asks of all rows ------------------------------------------------------------

    @property
    def n_kept(self) -> int:
        """Rows with a weight."""
        return sum(n for n, _ in self.ask("kept"))

    @property
    def plain(self) -> bool:
        """Whether all of those weigh 1."""
        return all(plain for _, plain in self.ask("kept"))

    def spread(self, factor: NDArray[np.float64] | None = None) -> Spread:
        """The spread of the weights."""
        size = partial(self._sum, "size", factor)
        return Spread.joined(self.ask("spread", factor), size)

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, in fixed point."""
        totals: NDArray[np.int64] = sum(self.ask("totals", exponent, n_classes))
        return totals

    def ends(self) -> tuple[float, float]:
        """The least and the largest number to learn."""
        said = self.ask("ends")
        return min(low for low, _ in said), max(high for _, high in said)

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """The spread of the numbers to learn around a center."""
        size = partial(self._sum, "offsets_size", center, scaling)
        return Spread.joined(self.ask("offsets", center, scaling), size)

    def _sum(self, request: str, *args: Any) -> int:
        return sum(self.ask(request, *args))


def classes_of(told: Told) -> NDArray[Any]:
    """The classes of all parts, sorted."""
    labels = [part for part in told.ask("labels") if len(part)]
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
        told.without_empty("kept")
    return classes, factor


def tell_edges(told: Told, schema: Schema) -> Any:
    """Choose the codes of all columns, and tell them; returns a frame of one row that has them."""
    n = len(told.engine.names)
    samples = told.ask("sample", max(200, SAMPLE // n))
    edges = edges_of(samples, lambda columns: told.ask("distinct", columns, FEW))
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
