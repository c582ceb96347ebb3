"""Which rows of a table a policy is broken for."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from bosco.data.frame import Frame
from bosco.policies.cases import Cases, Found, Values, numbers_of
from bosco.policies.policy import Pair
from bosco.rules.work import OutOfWorkError, Work

_WALKS = 20  # of a row through a tree in one step


@dataclass(frozen=True, slots=True)
class Concerned:
    """The rows for which a policy is broken.

    Of a policy on pairs, the rows that have a twin, another case that differs in the columns named
    only, with which they break it. `exact`: all twins that matter were tried.
    """

    rows: int
    in_all: int
    first: int | None = None  # its number, from 0
    found: Found | None = None
    exact: bool = True


def concerned(cases: Cases, X: Any, trees: int, work: Work) -> Concerned:
    """Count the rows of X for which a policy is broken on so many trees, and name the first."""
    frame = cases.model.read(X)
    if isinstance(cases.ground.policy, Pair):
        return _with_twins(cases, cases.ground.policy, frame, trees, work)
    wrong = cases.wrong(frame.given)
    rows = np.flatnonzero(wrong)
    if not rows.size:
        return Concerned(0, frame.n_rows)
    found = cases.shown(_row(_values(frame), int(rows[0])))
    return Concerned(len(rows), frame.n_rows, frame.table.row(int(rows[0])), found)


def _with_twins(cases: Cases, policy: Pair, frame: Frame, trees: int, work: Work) -> Concerned:
    values, n = _values(frame), frame.n_rows
    broken = np.zeros(n, np.bool_)
    ground = cases.ground
    twins = [_far_first(cases.values_of(ground.region, j)) for j in policy.columns]
    exact = not ground.free_derived
    first: tuple[int, Found] | None = None
    row = cases.look(cases.table(values))
    try:
        for changed in product(*twins):
            work.need(1 + n * trees // _WALKS)
            new = dict(zip(policy.columns, changed, strict=True))
            twin_values = values | {j: np.full(n, x) for j, x in new.items()}
            twin = cases.look(cases.table(twin_values))
            for pair, shown in (
                ((row, twin), (values, twin_values)),
                ((twin, row), (twin_values, values)),
            ):
                wrong = cases.wrong_of(*pair)
                at = int(wrong.argmax())
                broken |= wrong
                if wrong[at] and (first is None or at < first[0]):
                    found = cases.shown(*(_row(case, at) for case in shown))
                    first = (at, found) if found is not None else first
    except OutOfWorkError:
        exact = False
    counted = Concerned(int(np.count_nonzero(broken)), n, exact=exact)
    if first is None:
        return counted
    return replace(counted, first=frame.table.row(first[0]), found=first[1])


def _far_first(values: list[float]) -> list[float]:
    """The same in an order that goes over the whole range soon, should work end early."""
    order = sorted(range(len(values)), key=lambda i: int(f"{i:032b}"[::-1], 2))
    return [values[i] for i in order]


def _values(frame: Frame) -> Values:
    """The given columns of rows as the core has them."""
    return {j: numbers_of(frame.table.column(j)) for j in range(len(frame.schema.given))}


def _row(values: Values, row: int) -> dict[int, float]:
    return {j: float(x[row]) for j, x in values.items()}
