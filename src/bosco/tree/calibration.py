"""Shares of leaves, made less sure of themselves: by counts alone, or by other rows.

Laplace adds one row of each class to every leaf; an m-estimate adds m rows that have the classes of
the root. Isotonic, of two classes: what share other rows of such leaves have, so that it never
falls where the leaf's own share rises. All of it is numbers, which a model keeps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure

Floats = NDArray[np.float64]

METHODS = ("laplace", "m_estimate", "isotonic")


@dataclass(frozen=True, slots=True)
class Calibration:
    """How shares are made of those of the rows.

    Attributes
    ----------
    method : {"laplace", "m_estimate", "isotonic"}
        The rule.
    m : float
        How many rows are added to each leaf.
    prior : tuple of float
        Their shares of the classes.
    edges, levels : tuple of float
        Isotonic: from each edge on, the share of the second class is the next level; below the
        first edge it is the first level.
    rows, seen : int
        How many rows it was taken from, and how many of them equal training rows (-1: nobody can
        tell).
    before, after : float
        Brier's score on these rows, of the shares as they were and as they are.

    Examples
    --------
    >>> one = Calibration("laplace", m=2.0, prior=(0.5, 0.5))
    >>> one.of(np.array([[0.0, 1.0]]), np.array([2.0]))
    array([[0.25, 0.75]])
    """

    method: str
    m: float = 0.0
    prior: tuple[float, ...] = ()
    edges: tuple[float, ...] = ()
    levels: tuple[float, ...] = ()
    rows: int = 0
    seen: int = -1
    before: float = 0.0
    after: float = 0.0

    def of(self, shares: Floats, weight: Floats) -> Floats:
        """Shares of nodes whose rows have these, and weigh so much."""
        if self.method == "isotonic":
            place = np.searchsorted(np.array(self.edges), shares[:, 1], side="right")
            second = np.array(self.levels)[place]
            return np.column_stack([1.0 - second, second])
        added = np.array(self.prior) * self.m
        found = (shares * weight[:, None] + added) / (weight + self.m)[:, None]
        return np.asarray(found, np.float64)

    def to_plain(self) -> dict[str, Any]:
        """Plain values, as a file keeps them."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in asdict(self).items()}

    @classmethod
    def read(cls, said: Mapping[str, Any], n_classes: int) -> "Calibration | None":
        """What `to_plain` gave, of so many classes; None if it is not that."""
        if set(said) != set(cls.__annotations__) or said["method"] not in METHODS:
            return None
        lists = ("prior", "edges", "levels")
        numbers = [x for name in lists for x in _listed(said[name])]
        numbers += [said[name] for name in ("m", "before", "after")]
        whole = all(type(said[name]) is int and said[name] >= -1 for name in ("rows", "seen"))
        if not whole or not all(isinstance(said[name], list | tuple) for name in lists):
            return None
        if not all(type(x) in (int, float) and isfinite(x) for x in numbers):
            return None
        values: dict[str, Any] = {n: tuple(v) if n in lists else v for n, v in said.items()}
        made = cls(**values)
        return made if made._sound(n_classes) else None

    def _sound(self, n_classes: int) -> bool:
        if self.method == "isotonic":
            rising = all(a < b for a, b in pairwise(self.edges))
            rising &= all(a <= b for a, b in pairwise(self.levels))
            shares = all(0 <= x <= 1 for x in self.levels)
            plain = self.m == 0 and not self.prior
            return (
                n_classes == 2
                and rising
                and shares
                and plain
                and len(self.levels) == (len(self.edges) + 1)
            )
        few = not self.edges and not self.levels and self.m > 0
        shares = len(self.prior) == n_classes and all(0 <= x <= 1 for x in self.prior)
        return few and shares and abs(sum(self.prior) - 1) < 1e-9

    def say(self) -> list[str]:
        """It in sentences."""
        words = {
            "laplace": tr("Shares that are predicted have one row more of each class (Laplace)."),
            "m_estimate": tr(
                "Shares that are predicted have {m} rows more, with the classes of the root.",
                m=show_figure(self.m),
            ),
            "isotonic": tr(
                "Shares that are predicted are those seen on {rows:,} other rows (isotonic).",
                rows=self.rows,
            ),
        }
        said = [words[self.method]]
        if self.rows:
            brier = {"before": show_figure(self.before), "after": show_figure(self.after)}
            said.append(
                tr(
                    "Brier's score on {rows:,} rows: {before} before, {after} after.",
                    rows=self.rows,
                    **brier,
                )
            )
            if self.seen > 0:
                said.append(
                    tr(
                        "{n:,} of these rows equal training rows: the figures flatter it.",
                        n=self.seen,
                    )
                )
        return said


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()
