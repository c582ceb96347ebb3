"""How wrong a draft is on the rows of a part, beside the constant answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fingerprint import Seen
from bosco.drafts.ground import Ground
from bosco.errors import ParameterError
from bosco.figures.constant import constant_answer
from bosco.figures.costing import MeanCost, mean_cost
from bosco.figures.curved import Curves, curves_on
from bosco.figures.figure import Figure, figure_of
from bosco.models.model import Model


@dataclass(frozen=True, slots=True)
class Figures:
    """The error on the training rows, and on those of validation (None: there are none)."""

    training: Figure
    validation: Figure | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values: what a log keeps of them."""
        return {
            name: None if figure is None else plain_figure(figure)
            for name, figure in (("training", self.training), ("validation", self.validation))
        }


def plain_figure(figure: Figure) -> dict[str, Any]:
    """A figure, in values that JSON can hold."""
    plain = {"metric": figure.metric, **_plain(figure)}
    return plain if figure.cost is None else {**plain, "cost": _plain(figure.cost)}


def _plain(measure: Figure | MeanCost) -> dict[str, Any]:
    plain = {name: getattr(measure, name) for name in ("value", "low", "high", "rows", "baseline")}
    found = {name: x if np.isfinite(x) else None for name, x in plain.items()}
    return {**found, "says": measure.says}


def figure_from(plain: Mapping[str, Any]) -> Figure:
    """The figure that plain values say, but for what it gains on the constant answer."""
    cost = plain.get("cost")
    made = {name: x for name, x in plain.items() if name != "cost"}
    return Figure(**_read(made), cost=None if cost is None else MeanCost(**_read(cost)))


def _read(plain: Mapping[str, Any]) -> dict[str, Any]:
    nan = dict.fromkeys(("gain", "gain_low", "gain_high"), np.nan)
    return {name: np.nan if x is None else x for name, x in plain.items()} | nan


def figures_of(ground: Ground, model: Model) -> Figures:
    """The figures of a model on training and validation rows."""
    judged = ground.parts.validation
    training, validation = _on_training(ground, model), None
    if len(judged):
        validation = replace(figure_on(ground, model, judged), part="validation")
    return Figures(replace(training, part="training"), validation)


def _on_training(ground: Ground, model: Model) -> Figure:
    """The figure on the training rows: by what leaves hold, where that is rows."""
    native = model.tree.native
    whole = ground.row_weight is None and ground.weights.plain and model.decision.costs is None
    if model.classes is None or not whole or ground.growth.on_missing.shared:
        return figure_on(ground, model, ground.parts.training)
    leaves = np.flatnonzero(native.test < 0)
    cells = native.tally[leaves]
    leaf, truth = np.nonzero(cells)
    constant = constant_answer(model, truth)
    said = model.node_class[leaves[leaf]]
    times = cells[leaf, truth].astype(np.float64)
    return figure_of(said, truth, constant, classes=True, times=times)


def figure_on(ground: Ground, model: Model, rows: NDArray[np.uint32]) -> Figure:
    """The figure of a model on some rows of a draft."""
    truth = ground.truth[rows]
    weight = None if ground.row_weight is None else ground.row_weight[rows]
    said = answers_on(ground, model, rows)
    constant, cost = constant_answer(model, truth), None
    known = slice(None) if model.decision.costs is None else truth >= 0
    if len(truth[known]):  # what a mistake on a class costs that training had not, nobody said
        own = None if weight is None else weight[known]
        cost = mean_cost(model, truth[known], said[known], own)
    return figure_of(said, truth, constant, weight, classes=model.classes is not None, cost=cost)


def confusion_on(ground: Ground, model: Model, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Rows by their class and by what a model says of them; rows of no known class are left out."""
    truth, said, n = ground.truth[rows], answers_on(ground, model, rows), ground.n_classes
    known = truth >= 0
    cells = np.bincount(truth[known].astype(np.int64) * n + said[known], minlength=n * n)
    return cells.reshape(n, n)


def answers_on(ground: Ground, model: Model, rows: NDArray[np.uint32]) -> NDArray[Any]:
    """What a model says of rows: places of classes, or numbers."""
    if ground.growth.on_missing.shared:
        native, frame = model.tree.native, ground.frame.native
        votes = _core.values_by_share(native, frame, model.decided, ground.n_threads)[rows]
        return votes[:, 0] if model.classes is None else model.decision.answers(votes)
    if rows is ground.parts.training:
        leaves = ground.training_leaves(model.tree)
    else:
        leaves = ground.leaves(model.tree, rows)
    by_node = model.decided[:, 0] if model.classes is None else model.node_class
    said: NDArray[Any] = by_node[leaves]
    return said


def curves_of_part(
    ground: Ground, model: Model, rows: NDArray[np.uint32], positive: Any, threshold: float | None
) -> Curves:
    """The curves of a model on the rows of a part; rows of no known class are left out."""
    if ground.classes is None:
        raise ParameterError("Curves are of classes, and this draft predicts a number.")
    part = "training" if rows is ground.parts.training else "validation"
    rows = rows[ground.truth[rows] >= 0]
    table = ground.table.take(rows)
    weight = None if ground.row_weight is None else ground.row_weight[rows]
    truth, seen = ground.truth[rows], Seen(len(rows), None, None)
    asked = {"positive": positive, "threshold": threshold, "seen": seen}
    return replace(curves_on(model, model.read(table), truth, weight, **asked), part=part)
