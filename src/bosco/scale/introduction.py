"""What a part says of itself when it is first asked: all at once, so that nobody asks twice.

A round costs its way to all parts and back, whatever it carries. So a part says in its first answer
whatever may be wanted before a tree grows, and what it says is small. Who cannot say something yet
(None) is asked for it later.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Numbers
from bosco.data.fixedpoint import Spread
from bosco.data.readers import Table

__all__ = ["Introduction", "sampled"]


@dataclass(frozen=True, slots=True, eq=False)
class Introduction:
    """What a part says first of its rows with a weight.

    Attributes
    ----------
    n_rows : int
        How many there are.
    labels : ndarray or None
        The different labels, where these are learned.
    plain : bool or None
        Whether all rows weigh 1.
    glance : Table or None
        The columns, without their rows (`bosco.scale.border`).
    weights : Spread or None
        That of the weights.
    ends : tuple or None
        The least and the largest number, where numbers are learned.
    numbers : Spread or None
        That of these numbers around 0, where all rows weigh 1.
    sample : dict or None
        Some values of each column of numbers, by its name.
    """

    n_rows: int
    labels: NDArray[Any] | None = None
    plain: bool | None = None
    glance: Table | None = None
    weights: Spread | None = None
    ends: tuple[float, float] | None = None
    numbers: Spread | None = None
    sample: dict[str, NDArray[np.float64]] | None = None


def sampled(table: Table, most: int) -> dict[str, NDArray[np.float64]]:
    """Some values of each column of numbers, evenly spread over the rows."""
    n = table.n_rows
    rows = np.unique(np.linspace(0, n - 1, min(most, n)).astype(np.int64)) if n else slice(0)
    found = {}
    for j, name in enumerate(table.names):
        cells = table.column(j)
        if isinstance(cells, Numbers):
            values = np.asarray(cells.values[rows], np.float64)
            found[name] = values[~np.isnan(values)]
    return found
