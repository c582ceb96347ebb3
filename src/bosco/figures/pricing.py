"""What cases pay for answers on some rows."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.data.frame import Frame
from bosco.figures.constant import mean_of
from bosco.figures.intervals import Floats
from bosco.tree.family import AnyModel


@dataclass(frozen=True, slots=True)
class MeanPrice:
    """The mean price of the answers that a tree asks for, with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        The mean of the rows, and Student's interval.
    rows : int
        How many rows.
    """

    value: float
    low: float
    high: float
    rows: int

    def __str__(self) -> str:
        return tr(
            "asking costs {value} a case, 95 % interval {low} to {high} ({rows:,} rows)",
            value=show_figure(self.value),
            low=show_figure(self.low),
            high=show_figure(self.high),
            rows=self.rows,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def mean_price(model: AnyModel, frame: Frame, weight: Floats | None) -> MeanPrice | None:
    """What rows pay for answers, on average; None where nothing has a price."""
    if getattr(model, "prices", None) is None:
        return None
    paid = model.price_frame(frame)  # type: ignore[attr-defined]
    w = np.ones(len(paid)) if weight is None else weight
    value, low, high = mean_of(paid, w)
    return MeanPrice(value, max(low, 0.0), high, int(np.count_nonzero(w)))
