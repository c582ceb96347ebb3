"""Fitting on rows that lie in parts: the road of `fit`, asked of all parts together."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fixedpoint import Spread
from bosco.data.outcomes import class_codes
from bosco.data.recipe import Recipe, Scaling, recipe_of
from bosco.data.schema import Schema
from bosco.data.weights import class_factors
from bosco.errors import DataError
from bosco.scale.border import together
from bosco.scale.edges import SAMPLE, edges_of
from bosco.scale.source import Engine, Source, Step

__all__ = ["Told", "tell_border"]


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
    *,
    task: str,
    class_weight: Any,
    categorical_features: Any,
    domains: Any,
    missing: str,
    fractional: bool,
    copies: bool,
    owner: str,
    spare: int = 0,
) -> tuple[Schema, Recipe]:
    """Find out what the columns and the target of all parts are, and tell it to them."""
    glances = told.ask("glance")
    schema = Schema.infer(together(glances, told.engine.names), categorical_features, domains)
    classes = classes_of(told) if task == "classification" else None
    factor = None
    told.tell("outcome", classes, ())
    if classes is not None and class_weight is not None:
        factor = _factors(told, class_weight, classes)
        told.steps[-1] = ("outcome", classes, tuple(np.flatnonzero(factor == 0).tolist()))
        if not factor.any():
            raise DataError("All classes have zero weight; class_weight must leave at least one.")
    recipe = recipe_of(
        told, classes, factor, fractional=fractional, spare=spare, copies=copies
    )
    told.tell("columns", schema, missing, owner)
    told.tell("target", recipe)
    return schema, recipe


def _factors(told: Told, class_weight: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """What each class counts; "balanced" asks what they weigh."""
    from bosco.data.fixedpoint import weight_exponent
    from bosco.data.weights import WEIGHT_BITS

    if isinstance(class_weight, str) and class_weight == "balanced":
        exponent = 0 if told.plain else weight_exponent(told.spread(), 2**WEIGHT_BITS)
        totals = told.totals(exponent, len(classes))
        balance: NDArray[np.float64] = totals.sum() / (len(classes) * totals)
        return balance
    factor = class_factors(class_weight, classes, np.zeros(0, np.uint32), None)
    assert factor is not None
    return factor


def tell_edges(told: Told, schema: Schema) -> Any:
    """Choose the codes of all columns, and tell them; returns a frame that has them, of one row without values."""
    n = len(told.engine.names)
    samples = told.ask("sample", max(200, SAMPLE // n))
    edges = edges_of(samples, lambda columns: told.ask("distinct", columns, 255))
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


def source_of(told: Told, layout: Any, n_classes: int) -> Source:
    """The source of a tree's tables."""
    return Source(told.engine, told.steps, layout, max(1, n_classes))


def added(parts: Sequence[Any]) -> Any:
    """The sum of arrays."""
    return np.sum(np.stack(parts), axis=0)
