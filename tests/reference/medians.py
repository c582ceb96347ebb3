"""Medians and other quantiles (§2): what rows cost, in whole numbers, by trying every answer."""

from __future__ import annotations

from fractions import Fraction

from .data import Cell

MEDIANS = ("absolute_error", "quantile")


def prices(criterion: str, quantile: float) -> tuple[int, int, int]:
    """What a unit above and below the answer costs, and of what both are parts."""
    if criterion == "absolute_error":
        return 1, 1, 1
    share = Fraction(round(quantile * 10**6), 10**6)
    return share.numerator, share.denominator - share.numerator, share.denominator


def cost(cell: Cell, answer: int, above: int, below: int) -> int:
    """What all rows of a cell cost, given one answer."""
    return sum(
        w * (above * (y - answer) if y > answer else below * (answer - y)) for y, w in cell.rows
    )


def best(cell: Cell, above: int, below: int) -> tuple[int, Fraction]:
    """The least cost, and the middle of the answers that have it; some y is one of them."""
    if not cell.rows:
        return 0, Fraction(0)
    costs = {y: cost(cell, y, above, below) for y, _ in cell.rows}
    least = min(costs.values())
    among = [y for y, own in costs.items() if own == least]
    return least, Fraction(min(among) + max(among), 2)
