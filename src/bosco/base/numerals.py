"""Numbers as text: to the last digit, to be read in a sentence, or in a table."""

from collections.abc import Sequence
from math import ceil, floor, isfinite


def show_number(x: float) -> str:
    """Write a number with the fewest digits that read back as the same float64.

    Examples
    --------
    >>> show_number(70.0), show_number(0.1), show_number(1e300)
    ('70', '0.1', '1e+300')
    """
    text = repr(float(x))
    return text.removesuffix(".0")


def show_figure(x: float, digits: int = 4) -> str:
    """Write a number to be read in a sentence: so many significant digits, in full.

    Examples
    --------
    >>> show_figure(26.107142857142858), show_figure(40630.4), show_figure(7.0)
    ('26.11', '40,630', '7')
    >>> show_figure(0.000123456), show_figure(-0.0), show_figure(1e300)
    ('0.0001235', '0', '1e+300')
    """
    x = float(x)
    if x == 0 or x != x:
        return "0" if x == 0 else "–"
    size = int(f"{x:.{digits - 1}e}".rpartition("e")[2]) if abs(x) != float("inf") else 99
    if not -7 < size < 15:
        return f"{x:.{digits}g}".replace("inf", "∞")
    decimals = digits - 1 - size
    text = f"{round(x, decimals):,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if decimals > 0 else text


def shortest(low: float, high: float, near: float) -> float:
    """The number with the fewest digits that is at least `low` and below `high`, near a third.

    Examples
    --------
    >>> shortest(69.8, 70.4, 70.1), shortest(0.1234, 0.1287, 0.125), shortest(1.0, 1.0000001, 1.0)
    (70.0, 0.125, 1.0)
    >>> shortest(1240.0, 1730.0, 1490.0)
    1500.0
    """
    if not (isfinite(low) and isfinite(high)) or not low < high:
        return near
    size = len(str(int(max(abs(low), abs(high)))))
    for digits in range(-size, 18):
        step = 10.0**-digits
        first, last = ceil(low / step), floor(high / step)
        tried = sorted({first, last, round(near / step)}, key=lambda k: abs(k * step - near))
        for k in tried:
            number = float(f"{k * step:.{max(digits, 0)}f}")
            if low <= number < high:
                return number
    return near


def lay_out(rows: Sequence[Sequence[str]], sides: str = "<>") -> list[str]:
    """Lines of a table, each column to its side; the last one said is that of all others.

    Examples
    --------
    >>> lay_out([["", "mean"], ["accuracy", "0.9"]])
    ['          mean', 'accuracy   0.9']
    """
    sides = sides.ljust(len(rows[0]), sides[-1])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = [[f"{c:{s}{w}}" for c, s, w in zip(row, sides, widths, strict=False)] for row in rows]
    return ["  ".join(row).rstrip() for row in cells]
