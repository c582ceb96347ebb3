"""What answers cost on some rows, beside the constant answer that costs least."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.figures.constant import mean_of, say_verdict, verdict_of
from bosco.figures.intervals import Floats
from bosco.tree.family import AnyModel


@dataclass(frozen=True, slots=True)
class MeanCost:
    """The mean cost of a row, by the costs of a model, with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        The mean, and Student's interval.
    rows : int
        How many rows.
    baseline : float
        What the answer costs that is cheapest for the training rows, if it is always given.
    says : str
        That answer.
    gain, gain_low, gain_high : float
        By how much a row costs less than with that answer, and Student's interval over the rows.
    part : str
        Which rows, in words; empty: all that were given.
    """

    value: float
    low: float
    high: float
    rows: int
    baseline: float
    says: str
    gain: float
    gain_low: float
    gain_high: float
    part: str = ""

    @property
    def against(self) -> str:
        """The comparison with that answer in a sentence, where the model is not better."""
        what = tr("always saying {answer} by its costs", answer=self.says)
        verdict = verdict_of(self.gain_low, self.gain_high)
        return say_verdict(verdict, what, self.gain, self.gain_low, self.gain_high)

    @property
    def name(self) -> str:
        """What it is called."""
        return tr("cost of a row")

    def show(self, value: float) -> str:
        """The mean, or one like it, as text."""
        return show_figure(value)

    @property
    def interval(self) -> str:
        """The interval in words."""
        return tr(
            "95 % interval {low} to {high}", low=self.show(self.low), high=self.show(self.high)
        )

    @property
    def constant(self) -> str:
        """The constant answer and what it costs, in words."""
        return f"{tr('always saying {answer}', answer=self.says)}: {self.show(self.baseline)}"

    def __str__(self) -> str:
        rows = tr("{n:,} rows", n=self.rows) + (f", {self.part}" if self.part else "")
        return f"{self.name}: {self.show(self.value)}, {self.interval} ({rows}); {self.constant}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def mean_cost(
    model: AnyModel,
    truth: NDArray[Any],
    said: NDArray[Any],
    weight: Floats | None,
    part: str = "",
) -> MeanCost | None:
    """What answers (places of classes) cost; None where the model has no costs."""
    if model.decision.costs is None or model.classes is None:
        return None
    table, n = np.array(model.decision.costs), len(model.classes)
    counts = model.provenance.get("class_rows")
    known = isinstance(counts, list) and len(counts) == n and all(type(x) is int for x in counts)
    root = np.array(counts if known else model.root_value, np.float64).reshape(-1)
    idle = int(np.argmin(root @ table))
    w = np.ones(len(truth)) if weight is None else weight
    value, low, high = mean_of(table[truth, said], w)
    gain, gain_low, gain_high = mean_of(table[truth, idle] - table[truth, said], w)
    return MeanCost(
        value=value,
        low=max(low, 0.0),
        high=high,
        rows=int(np.count_nonzero(w)),
        baseline=float(np.average(table[truth, idle], weights=w)),
        says=show_label(model.classes[idle]),
        gain=gain,
        gain_low=gain_low,
        gain_high=gain_high,
        part=part,
    )
