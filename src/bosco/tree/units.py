"""In which whole numbers a search counts errors, what mistakes cost, and the price of a leaf.

The core compares sums of whole numbers below 2**60. Weights, costs and prices of few digits are
exact there: 0.1 is a tenth. Where there is no room for all digits, weights are rounded to about
one part in 2**40 of their sum, and costs to one in 2**31 of the dearest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from bosco.errors import ParameterError
from bosco.tree.costs import Costs

FINEST = 1_000_000
"""A price of a leaf, and a cost, are fractions with this denominator at most."""

_ROOM = 60
_WEIGHT_BITS = 40
_COST_BITS = 31


@dataclass(frozen=True, slots=True)
class Units:
    """How a search counts.

    Attributes
    ----------
    each : Fraction
        What an error of weight 1, or a cost of 1, is to the core.
    price : Fraction
        What a leaf is.
    shift : int
        Bits that weights lose.
    costs : list of int
        What mistakes are to the core, for each unit of weight, by class and answer; empty: 1.

    Examples
    --------
    >>> units = Units(Fraction(2), Fraction(1, 5))
    >>> units.parts, units.core
    (Fraction(10, 1), {'alpha': (1, 5), 'costs': [], 'shift': 0})
    """

    each: Fraction
    price: Fraction
    shift: int = 0
    costs: tuple[int, ...] = ()

    @property
    def parts(self) -> Fraction:
        """What an objective of 1 is to the core."""
        return self.each * self.price.denominator

    @property
    def core(self) -> dict[str, Any]:
        """As the core is told."""
        alpha = self.price.numerator, self.price.denominator
        return {"alpha": alpha, "costs": list(self.costs), "shift": self.shift}


def units_of(weights: Any, alpha: float, costs: Costs | None, leaves: int) -> Units:
    """The finest units in which trees of so many leaves have room.

    A leaf that costs as much as all rows together is as dear as any leaf can be.
    """
    whole = int(weights.n_rows if weights.weight is None else weights.weight.sum())
    step = 1 << leaves.bit_length()
    for table, unit in _tables(costs):
        for shift in sorted({0, max(0, whole.bit_length() - _WEIGHT_BITS)}):
            total = ((whole >> shift) + weights.n_rows) * max(table, default=1)
            each = Fraction(weights.scale) / (1 << shift) * unit
            dear = min(Fraction(repr(float(alpha))) * each, Fraction(total))
            for finest in (FINEST, 1000, 1):
                price = dear.limit_denominator(finest)
                most = total * price.denominator + price.numerator * leaves
                if (most + 1) * step < 1 << _ROOM:
                    return Units(each, price, shift, tuple(table))
    raise ParameterError(
        "A search counts in whole numbers below 2**60, and the weights, the costs and the price of "
        "a leaf together need more. Hint: give them in fewer digits."
    )


def _tables(costs: Costs | None) -> Iterator[tuple[list[int], Fraction]]:
    """Costs as whole numbers, and what a cost of 1 is there: exact, then in fixed point."""
    if costs is None:
        yield [], Fraction(1)
        return
    cells = [_fraction(cost) for row in costs for cost in row]
    unit = Fraction(lcm(*(cell.denominator for cell in cells)))
    unit /= gcd(*(int(cell * unit) for cell in cells))
    dearest = max(cells)
    if dearest * unit < 1 << _COST_BITS:
        yield [int(cell * unit) for cell in cells], unit
    unit = (1 << _COST_BITS) / dearest
    yield [max(1, round(cell * unit)) if cell else 0 for cell in cells], unit


def _fraction(cost: float) -> Fraction:
    """A cost as people meant it: 0.1 is a tenth, and a third is one."""
    near = Fraction(cost).limit_denominator(FINEST)
    return near if float(near) == cost else Fraction(cost)
