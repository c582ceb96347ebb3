"""A derived column, computed from others: whole stretches of rows at a time, by numpy."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.expressions.formula import MAY_OVERFLOW, TRUTHS, Formula, Step
from bosco.data.ondisk import Writing, folder_of

STEP = 1 << 15
"""So many rows at once: what a formula has in between stays in the cache."""

Values = NDArray[np.float64]

_TWO: dict[str, Callable[..., NDArray[np.generic]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.multiply,
    "or": np.maximum,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
_ONE: dict[str, Callable[..., Values]] = {
    "negated": np.negative,
    "abs": np.abs,
    "floor": np.floor,
    "sqrt": np.sqrt,
    "not": lambda x: 1.0 - x,
}


def evaluate(formula: Formula, column: Callable[[int], Cells], n_rows: int) -> Cells:
    """Compute a derived column; `column` gives the columns that it reads.

    What is made of columns that lie in files lies beside them.

    Examples
    --------
    >>> from bosco.data.expressions.meaning import formula_of
    >>> from bosco.data.expressions.parse import parse
    >>> from bosco.data.schema import Column
    >>> formula = formula_of(parse("1 / x"), [Column("x")])
    >>> evaluate(formula, lambda j: Numbers(np.array([2.0, 0.0, np.nan])), 3).values
    array([0.5, nan, nan])
    """
    sources = {j: column(j) for j in formula.columns}
    last = _last_uses(formula)
    truth = formula.unit == "boolean"
    dtype = np.dtype(np.uint8 if truth else np.float64)
    folders = [folder_of(c.codes if isinstance(c, Coded) else c.values) for c in sources.values()]
    folder = next(filter(None, folders), "")
    writing = Writing(folder, dtype) if folder else None
    made = np.empty(0 if writing else n_rows, dtype)
    for start in range(0, n_rows, STEP):
        some = slice(start, min(n_rows, start + STEP))
        values = _stretch(formula, sources, some, last)
        # Codes of levels: 0 missing, 1 false, 2 true.
        found = np.where(np.isnan(values), 0.0, values + 1.0).astype(dtype) if truth else values
        if writing:
            writing.add(found)
        else:
            made[some] = found
    made = writing.done() if writing else made
    if truth:
        return Coded(made, (False, True), "boolean", declared=True)
    return Numbers(made, formula.unit)


def _stretch(formula: Formula, sources: dict[int, Cells], rows: slice, last: list[int]) -> Values:
    held: list[Values | None] = []
    n = rows.stop - rows.start
    with np.errstate(all="ignore"):
        for at, step in enumerate(formula.steps):
            operands = [held[k] for k in step.of]
            held.append(_computed(step, operands, sources, rows, n))
            for k in step.of:
                if last[k] == at:
                    held[k] = None
    result = held[-1]
    assert result is not None
    return result


def _computed(
    step: Step, of: list[Values | None], sources: dict[int, Cells], rows: slice, n: int
) -> Values:
    name = step.operation
    if name == "constant":
        return np.full(n, step.value)
    if name in ("number", "among"):
        cells = sources[step.column]
        if isinstance(cells, Coded):
            asked = np.zeros(len(cells.levels) + 1)
            asked[0] = np.nan
            asked[[place + 1 for place in step.positions]] = 1.0
            return np.take(asked, cells.codes[rows])
        return _finite(np.array(cells.values[rows], np.float64))
    if name in _ONE:
        return _ONE[name](of[0])
    a, b = of
    found = _TWO[name](a, b).astype(np.float64, copy=False)
    if name in MAY_OVERFLOW:
        return _finite(found)
    if name in TRUTHS and name not in ("and", "or"):
        assert a is not None
        assert b is not None
        found[np.isnan(a) | np.isnan(b)] = np.nan
    return found


def _finite(values: Values) -> Values:
    values[~np.isfinite(values)] = np.nan
    return values


def _last_uses(formula: Formula) -> list[int]:
    """Where the result of each step is needed for the last time."""
    last = [len(formula.steps)] * len(formula.steps)
    for at, step in enumerate(formula.steps):
        for k in step.of:
            last[k] = at
    return last
