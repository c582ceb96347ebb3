"""What mistakes cost: as users say it, checked, and in words.

``costs[t][k]`` is what it costs to answer k where t is true, both places among the classes; right
answers cost nothing, and every mistake costs something.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_number
from bosco.errors import ParameterError, did_you_mean

Costs = tuple[tuple[float, ...], ...]

_SHOWN = 12

_PAIR: Any = {"delimiter": ":", "skipinitialspace": True}
"""How two classes are written in one word."""


def per_class(costs: Costs) -> list[float] | None:
    """What a mistake costs on each class, where that is the same whatever is said instead."""
    found = []
    for t, row in enumerate(costs):
        others = {cost for k, cost in enumerate(row) if k != t}
        if len(others) != 1:
            return None
        found.append(others.pop())
    return found


def toll(tally: NDArray[Any], answers: NDArray[np.intp], costs: Costs) -> NDArray[np.float64]:
    """What the rows of tallies cost, a tally and an answer each, in the unit of the tallies.

    Examples
    --------
    >>> toll(np.array([[3, 2], [1, 4]]), np.array([0, 1]), ((0.0, 5.0), (1.0, 0.0)))
    array([2., 5.])
    """
    prices = np.array(costs)[:, answers]
    total = np.zeros(len(tally))
    for true, cells in enumerate(tally.T):  # in the order of the classes
        total += cells * prices[true]
    return total


def say_costs(costs: Costs, names: Sequence[str]) -> str:
    """Costs in words: the usual one last, the others by name."""
    pairs = [(t, k) for t in range(len(costs)) for k in range(len(costs)) if t != k]
    values = [costs[t][k] for t, k in pairs]
    usual = max(dict.fromkeys(values), key=lambda value: (values.count(value), -value))
    said = [
        tr(
            "{true} taken for {answer} {cost}",
            true=names[t],
            answer=names[k],
            cost=show_number(costs[t][k]),
        )
        for t, k in pairs
        if costs[t][k] != usual
    ][:_SHOWN]
    rest = tr("every other mistake {cost}", cost=show_number(usual))
    return ", ".join([*said, rest])


def costs_of(given: Any, classes: Sequence[Any]) -> Costs | None:
    """Costs as users give them, checked; None where all are equal, so that they decide nothing.

    Examples
    --------
    >>> costs_of({"bad": {"good": 5}}, ["bad", "good"])
    ((0.0, 5.0), (1.0, 0.0))
    >>> costs_of([[0, 1], [1, 0]], ["bad", "good"]) is None
    True
    """
    table = cost_table(given, classes)
    wrong = [cost for t, row in enumerate(table) for k, cost in enumerate(row) if t != k]
    return None if all(a == b for a, b in pairwise(wrong)) else table


def cost_table(given: Any, classes: Sequence[Any], *, free: bool = False) -> Costs:
    """Costs as users give them, checked: a dict, or a matrix; `free`: a mistake may cost nothing.

    Parameters
    ----------
    given : dict or matrix
        ``{true: {answer: cost}}``, where pairs left out cost 1; ``{true: cost}``, whatever is
        answered instead; or a matrix, rows by the true class, in the order of the classes.
    classes : sequence
        The labels.

    Examples
    --------
    >>> cost_table({"bad": 5}, ["bad", "fair", "good"])
    ((0.0, 5.0, 5.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    """
    labels, n = list(classes), len(classes)
    table = [[float(t != k) for k in range(n)] for t in range(n)]
    if isinstance(given, Mapping):
        for true, row in given.items():
            t = _place(true, labels)
            for answer, cost in _row(true, row, labels):
                k = _place(answer, labels)
                table[t][k] = _cost(cost, labels[t], labels[k], t == k, free)
    else:
        rows = _matrix(given, n)
        table = [
            [_cost(rows[t][k], labels[t], labels[k], t == k, free) for k in range(n)]
            for t in range(n)
        ]
    return tuple(map(tuple, table))


def _row(true: Any, row: Any, labels: list[Any]) -> list[tuple[Any, Any]]:
    if isinstance(row, Mapping):
        return list(row.items())
    return [(label, row) for label in labels if label != labels[_place(true, labels)]]


def _place(label: Any, labels: list[Any]) -> int:
    """The place of a class by its label, or by its text."""
    for same in (label, str(label)):
        for k, known in enumerate(labels):
            if known == same or str(known) == same:
                return k
    raise ParameterError(
        f"costs names {label!r}, which is not a class: there are "
        f"{', '.join(map(repr, labels[:_SHOWN]))}.{did_you_mean(label, labels)}"
    )


def _cost(cost: Any, true: Any, answer: Any, right: bool, free: bool) -> float:
    number = type(cost) is not bool and isinstance(cost, Real) and isfinite(cost)
    if right and not (number and float(cost) == 0):
        raise ParameterError(
            f"costs: {true!r} taken for {answer!r} is right, and costs 0. Got {cost!r}."
        )
    if not right and not (number and (float(cost) > 0 or (free and float(cost) == 0))):
        allowed = "0 or more" if free else "above 0 and finite"
        raise ParameterError(
            f"costs: {true!r} taken for {answer!r} must cost a number, {allowed}. Got {cost!r}."
        )
    return float(cost)


def _matrix(given: Any, n: int) -> list[list[Any]]:
    try:
        rows = [list(row) for row in given]
    except TypeError:
        rows = []
    if len(rows) != n or any(len(row) != n for row in rows):
        raise ParameterError(
            f"costs must be a dict, such as {{'bad': {{'good': 5}}}} (true, then answered), or a "
            f"matrix of {n} by {n} numbers, rows by the true class. Got {given!r:.100}."
        )
    return rows


def read_costs(items: Iterable[str], where: str, *, free: bool = False) -> dict[str, Any]:
    """Costs as words: CLASS=5, whatever is answered instead, or CLASS:ANSWER=5; `free`: or 0.

    A class that has a colon is quoted.

    Examples
    --------
    >>> read_costs(["bad=5", "poor:good=2"], "--costs")
    {'bad': 5.0, 'poor': {'good': 2.0}}
    >>> read_costs(['"8:00":"9:00"=3'], "--costs")
    {'8:00': {'9:00': 3.0}}
    """
    found: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.rpartition("=")
        try:
            cost = float(text)
        except ValueError:
            equals, cost = "", 0.0
        good = isfinite(cost) and (cost > 0 or (free and cost == 0))
        named = [part.strip() for row in csv.reader([name], **_PAIR) for part in row]
        if not equals or not good or not 1 <= len(named) <= 2 or not all(named):
            allowed = "0 or more" if free else "above 0"
            raise ParameterError(
                f"{where} takes CLASS=COST or CLASS:ANSWER=COST, a cost being a number, {allowed}. "
                f"Got {item!r}."
                + ' Hint: quote a class that holds a colon, as in "8:00":late=5.'
                * (len(named) > 2)
            )
        true = named[0]
        if len(named) == 1:
            found[true] = cost
        elif isinstance(row := found.setdefault(true, {}), dict):
            row[named[1]] = cost
        else:
            raise ParameterError(f"{where} gives the cost of {true!r} twice. Got {item!r}.")
    return found


def write_costs(costs: Mapping[Any, Any]) -> list[str]:
    """Costs as words that `read_costs` reads back.

    Examples
    --------
    >>> write_costs({"bad": 5.0, "poor": {"good": 2.0}})
    ['bad=5', 'poor:good=2']
    """
    found = []
    for true, row in costs.items():
        if isinstance(row, Mapping):
            found += [f"{_named(true, k)}={show_number(cost)}" for k, cost in row.items()]
        else:
            found.append(f"{_named(true)}={show_number(row)}")
    return found


def _named(*classes: Any) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="", **_PAIR).writerow(classes)
    return line.getvalue()
