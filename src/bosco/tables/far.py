"""Numbers and dates far from all others, as a slip of the pen makes them: 455 among ages.

At most three values on a side are farther from the others than three times the range of these, and
the others have no long tail themselves: their range is at most ten times that of their middle half,
and on that side it reaches at most three times as far from the median as on the other. Incomes and
counts, whose largest values are far out by nature, are so passed over.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import show_number

_ROWS = 50  # fewer say too little about what is usual
_VALUES = 10  # of fewer distinct ones, each is as far as another: they are codes
_MOST = 3  # on either side; more are no slip
_GAP = 3.0
_TAIL = 10.0
_SKEW = 3.0


def far(values: Any, numbers: NDArray[np.float64], where: Callable[[int], str]) -> str:
    """Say which values of a column are far from all others; empty if none is.

    Parameters
    ----------
    values : pyarrow array
        The column.
    numbers : array of float64
        The same as numbers, NaN where a value is missing.
    where : callable
        Says where a row is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> age = np.array([*range(18, 95), 455.0])
    >>> far(pa.array(age), age, lambda row: f"line {row + 2}")
    '455 (line 79) is far from all other values, 18 … 94: a slip?'
    """
    rows = np.flatnonzero(np.isfinite(numbers))
    if len(rows) < _ROWS:
        return ""
    rows = rows[np.argsort(numbers[rows], kind="stable")]
    x = numbers[rows]
    core = x[_MOST:-_MOST]
    spread = core[-1] - core[0]
    low, median, high = np.quantile(core, [0.25, 0.5, 0.75])
    if len(np.unique(core)) < _VALUES or spread > _TAIL * (high - low):
        return ""
    left, right = median - core[0], core[-1] - median
    below = int(np.count_nonzero(x < core[0] - _GAP * spread)) if left <= _SKEW * right else 0
    above = int(np.count_nonzero(x > core[-1] + _GAP * spread)) if right <= _SKEW * left else 0
    usual = slice(below, len(x) - above)
    # A gap, not a long slope: what is usual must not reach out to what is far.
    if not below + above or x[usual][-1] - x[usual][0] > _GAP * spread:
        return ""
    odd = [*rows[:below].tolist(), *rows[len(rows) - above :].tolist()]
    shown = ", ".join(f"{_said(values[row])} ({where(row)})" for row in sorted(odd))
    ends = " … ".join(_said(values[int(rows[at])]) for at in (below, len(rows) - above - 1))
    are = "are" if len(odd) > 1 else "is"
    return (
        f"{shown} {are} far from all other values, {ends}: {'slips' if are == 'are' else 'a slip'}?"
    )


def _said(value: Any) -> str:
    plain = value.as_py()
    return show_number(plain) if isinstance(plain, int | float) else str(plain)
