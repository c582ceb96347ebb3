"""What several targets are that one model predicts: their names, their classes, their centers.

To the core they are one vector of numbers a row: a number of its own for each real target, and for
each class of the others 1 where it is the row's and else 0. A leaf's means are then what it says:
the means of the numbers, the shares of the classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Output:
    """One of several targets."""

    name: str
    classes: NDArray[Any] | None = None  # sorted; None: numbers
    center: float = 0.0  # what the core's numbers are counted from


@dataclass(frozen=True, eq=False)
class Outputs:
    """All of them: of classes each, or of numbers each.

    Examples
    --------
    >>> two = Outputs((Output("a", np.array(["n", "y"])), Output("b", np.array([1, 2, 3]))))
    >>> two.n_sums, two.begin
    (5, [0, 2, 5])
    """

    each: tuple[Output, ...]

    def __len__(self) -> int:
        return len(self.each)

    @property
    def of_classes(self) -> bool:
        """Whether they are classes; else numbers."""
        return self.each[0].classes is not None

    @property
    def classes(self) -> list[NDArray[Any]]:
        """The classes of each; none of numbers."""
        return [one.classes for one in self.each if one.classes is not None]

    @property
    def names(self) -> list[str]:
        """The name of each."""
        return [one.name for one in self.each]

    @cached_property
    def begin(self) -> list[int]:
        """Where the numbers of each begin in the vector of all, and where the last ones end."""
        widths = [1 if one.classes is None else len(one.classes) for one in self.each]
        return [0, *np.cumsum(widths).tolist()]

    @property
    def n_sums(self) -> int:
        """How many numbers there are of a row."""
        return self.begin[-1]

    @cached_property
    def centers(self) -> NDArray[np.float64]:
        """What to add to the core's means."""
        return np.concatenate(
            [
                np.full(1 if one.classes is None else len(one.classes), one.center)
                for one in self.each
            ]
        )

    def parted(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """The last axis of an array, parted by output."""
        return [values[..., a:b] for a, b in zip(self.begin[:-1], self.begin[1:], strict=True)]


def columns_of(y: Any) -> tuple[list[str], list[Any]] | None:
    """The targets of a y that has several, and their names; None if it has one."""
    shape = getattr(y, "shape", None)
    rows = isinstance(y, list | tuple) and len(y) and isinstance(y[0], list | tuple | np.ndarray)
    if shape is None and rows:
        try:
            y = np.array(y, object) if _mixed(y) else np.array(y)
        except ValueError:  # rows of different lengths: said where y is read
            return None
        shape = y.shape
    if shape is None or len(shape) != 2 or shape[1] < 2 or hasattr(y, "toarray"):
        return None
    if hasattr(y, "columns"):
        import narwhals as nw

        frame = nw.from_native(y, eager_only=True)
        return [str(name) for name in frame.columns], [
            frame[name].to_native() for name in frame.columns
        ]
    y = np.asarray(y)
    return [f"y{j}" for j in range(y.shape[1])], list(y.T)


def _mixed(rows: Sequence[Any]) -> bool:
    """Whether numpy would make text of what is none."""
    kinds = {isinstance(cell, str) for row in rows for cell in row}
    return len(kinds) == 2
