"""In which whole numbers a search counts errors, what mistakes cost, and the price of a leaf.

The core compares sums of whole numbers below 2**60. Costs are exact there, and prices and weights
of few digits: 0.1 is a tenth. Where there is no room for all digits, weights are rounded to about
one part in 2**40 of their sum.
"""

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


@dataclass(frozen=True, slots=True)
class Units:
    """How a search counts.

    Attributes
    ----------
    each : Fraction
        What an error of weight 1, or a cost of 1, is to the core.
    price : Fraction
        What a leaf is.
    beyond : Fraction
        How much more a leaf costs than that: it is so dear that no second one can be worth it.
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
    beyond: Fraction = Fraction(0)
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

    A leaf that costs more than twice as much as all rows together is as dear as any leaf can be.
    """
    whole = int(weights.n_rows if weights.weight is None else weights.weight.sum())
    step = 1 << leaves.bit_length()
    table, unit = _whole(costs)
    for shift in sorted({0, max(0, whole.bit_length() - _WEIGHT_BITS)}):
        total = ((whole >> shift) + weights.n_rows) * max(table, default=1)
        each = Fraction(weights.scale) / (1 << shift) * unit
        asked = Fraction(repr(float(alpha))) * each
        dear = min(asked, 2 * max(Fraction(total), whole * each / Fraction(weights.scale)))
        for finest in (FINEST, 1000, 1):
            price = dear.limit_denominator(finest)
            most = total * price.denominator + price.numerator * leaves
            if (most + 1) * step < 1 << _ROOM:
                return Units(each, price, (asked - dear) / each, shift, tuple(table))
    raise ParameterError(
        "A search counts in whole numbers below 2**60, and the weights, the costs and the price of "
        "a leaf together need more. Hint: give the costs in fewer digits."
    )


def _whole(costs: Costs | None) -> tuple[list[int], Fraction]:
    """Costs as whole numbers, and what a cost of 1 is there."""
    if costs is None:
        return [], Fraction(1)
    cells = [_fraction(cost) for row in costs for cost in row]
    unit = Fraction(lcm(*(cell.denominator for cell in cells)))
    unit /= gcd(*(int(cell * unit) for cell in cells))
    return [int(cell * unit) for cell in cells], unit


def _fraction(cost: float) -> Fraction:
    """A cost as people meant it: 0.1 is a tenth, and a third is one."""
    near = Fraction(cost).limit_denominator(FINEST)
    return near if float(near) == cost else Fraction(cost)
