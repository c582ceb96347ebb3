"""What is asked of all parts before a tree grows, and told to them: target, columns, codes."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fixedpoint import Spread
from bosco.data.outcomes import class_codes
from bosco.data.recipe import Recipe, Scaling, class_factors, recipe_of
from bosco.data.schema import Schema
from bosco.errors import DataError
from bosco.growth import OnMissing
from bosco.scale.edges import FEW, SAMPLE, edges_of
from bosco.scale.source import Engine, Step


class Told:
    """An engine and the steps that its parts were told: what can be asked before there is a tree."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.steps: list[Step] = []

    def tell(self, *step: Any) -> None:
        """Add a step that all parts will follow."""
        self.steps.append(step)

    def ask(self, request: str, *args: Any) -> list[Any]:
        """Ask all parts."""
        return self.engine.ask(self.steps, request, *args)

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
    joined = np.concatenate(labels) if len({a.dtype.kind for a in labels}) == 1 else None
    return class_codes(joined if joined is not None else sum((a.tolist() for a in labels), []))[0]


def tell_border(
    told: Told,
    schema: Schema,
    *,
    classes: NDArray[Any] | None,
    class_weight: Any,
    policy: OnMissing,
    copies: bool,
    owner: str,
    spare: int = 0,
) -> Recipe:
    """Find out how the target of all parts is encoded; tell them that, and what columns are."""
    told.tell("outcome", classes, ())
    factor = None
    if classes is not None:
        factor = class_factors(class_weight, classes, told)
    if factor is not None:
        told.steps[-1] = ("outcome", classes, tuple(np.flatnonzero(factor == 0).tolist()))
    recipe = recipe_of(
        told, classes, factor, fractional=policy.shared, spare=spare, copies=copies
    )
    told.tell("columns", schema, policy.refused, owner)
    told.tell("target", recipe)
    return recipe


def tell_edges(told: Told, schema: Schema) -> Any:
    """Choose the codes of all columns, and tell them; returns a frame that has them, of one row without values."""
    n = len(told.engine.names)
    samples = told.ask("sample", max(200, SAMPLE // n))
    edges = edges_of(samples, lambda columns: told.ask("distinct", columns, FEW))
    told.tell("edges", edges)
    layout = _core.Frame(1)
    for column in schema.columns:
        if column.levels is None:
            layout.add_numeric(np.full(1, np.nan))
        else:
            codes = np.zeros(1, np.uint32)
            layout.add_coded(codes, len(column.levels), column.kind == "ordinal")
    layout.encode(1, 255, edges)
    return layout
