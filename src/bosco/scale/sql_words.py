"""The few words that all queries are made of."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np
from sqlglot import exp

from bosco.export.dialects import Dialect, identifier
from bosco.export.sql_parts import integer

__all__ = [
    "EXACT",
    "MOST_DIGITS",
    "all_rows",
    "array",
    "binned",
    "by_node",
    "called",
    "count_if",
    "digits",
    "histogram",
    "is_null",
    "named",
    "not_null",
    "of",
    "quantiles",
    "select",
    "total",
    "typed",
    "within",
]

EXACT = 2.0**53
"""Up to here every whole number is a float64."""

MOST_DIGITS = 61
"""So many binary digits after the point are looked for."""


def of(name: str) -> exp.Column:
    """A column of the query below."""
    return exp.Column(this=identifier(name))


def called(what: exp.Expression, name: str) -> exp.Expression:
    """Something under a name."""
    return exp.Alias(this=what, alias=identifier(name))


def named(said: Mapping[str, exp.Expression]) -> list[exp.Expression]:
    """Several things, each under its name."""
    return [called(what, name) for name, what in said.items()]


def select(said: Sequence[exp.Expression], below: exp.Select) -> exp.Select:
    """A query of another."""
    return exp.Select(expressions=list(said)).from_(below.subquery("r", copy=False), copy=False)


def typed(x: exp.Expression, type_: str) -> exp.Expression:
    """Something in another type."""
    return exp.Cast(this=x, to=exp.DataType.build(type_))


def is_null(x: exp.Expression) -> exp.Expression:
    """Whether there is no value."""
    return exp.Is(this=x, expression=exp.Null())


def not_null(x: exp.Expression) -> exp.Expression:
    """Whether there is a value."""
    return exp.Not(this=is_null(x))


def all_rows() -> exp.Expression:
    """How many rows there are."""
    return exp.Count(this=exp.Star())


def count_if(*conditions: exp.Expression) -> exp.Expression:
    """How many rows meet one of some conditions; one is not asked where those before it hold."""
    ifs = [exp.If(this=condition, true=integer(1)) for condition in conditions]
    return exp.Count(this=exp.Case(ifs=ifs))


def total(x: exp.Expression) -> exp.Expression:
    """A sum of whole numbers that 64 bits hold."""
    return typed(exp.Sum(this=x.copy()), "bigint")


def by_node(said: Mapping[int, exp.Expression]) -> exp.Expression:
    """Something else for every node, NULL for others."""
    ifs = [exp.If(this=integer(node), true=what) for node, what in said.items()]
    return exp.Case(this=of("node"), ifs=ifs)


def within(x: exp.Expression, low: float, high: float, speech: Dialect) -> exp.Expression:
    """Whether a number lies in (low, high], of which either may be infinite."""
    ends: list[exp.Expression] = []
    if low > -np.inf:
        ends.append(exp.GT(this=x, expression=speech.double(low)))
    if high < np.inf:
        ends.append(exp.LTE(this=x.copy(), expression=speech.double(high)))
    if not ends:
        return not_null(x)
    return reduce(lambda a, b: exp.And(this=a, expression=b), ends)


def binned(
    x: Callable[[], exp.Expression], edges: Sequence[float], speech: Dialect
) -> exp.Expression:
    """The code of a number by edges: 1 up to the first, and so on; 0 if it is missing."""
    missing = exp.If(this=is_null(x()), true=integer(0))
    if (
        speech.name == "postgres"
    ):  # which can search: edges from the last, so that x = edge is below
        reverse = array([-edge for edge in reversed(edges)], speech)
        above = exp.Anonymous(this="WIDTH_BUCKET", expressions=[exp.Neg(this=x()), reverse])
        code = exp.Sub(this=integer(len(edges) + 1), expression=above)
        return exp.Case(ifs=[missing], default=code)

    def among(low: int, high: int) -> exp.Expression:
        if low == high:
            return integer(low)
        middle = (low + high) // 2
        below = exp.LTE(this=x(), expression=speech.double(edges[middle - 1]))
        first = exp.If(this=below, true=among(low, middle))
        return exp.Case(ifs=[first], default=among(middle + 1, high))

    return exp.Case(ifs=[missing], default=among(1, len(edges) + 1))


def array(values: Sequence[float], speech: Dialect) -> exp.Expression:
    """Numbers as one value, and one literal: of hundreds, reading took longer than counting."""
    text = ", ".join(repr(float(value)) for value in values)
    if speech.name == "postgres":
        return typed(exp.Literal.string(f"{{{text}}}"), "double[]")
    return typed(exp.Literal.string(f"[{text}]"), "double[]")


def histogram(x: exp.Expression, edges: Sequence[float], speech: Dialect) -> exp.Expression:
    """How many rows have a number up to each edge, and beyond the last; DuckDB's own."""
    return exp.Anonymous(this="HISTOGRAM", expressions=[x, array(edges, speech)])


def digits(x: exp.Expression, speech: Dialect) -> exp.Expression:
    """How many binary digits a number has after the point; one too many if there are more."""
    large = exp.GTE(this=exp.Abs(this=x), expression=speech.double(EXACT))
    ifs = [exp.If(this=large, true=integer(0))]
    for n in range(MOST_DIGITS + 1):
        scaled = exp.Mul(this=x.copy(), expression=speech.double(2.0**n))
        whole = exp.EQ(this=scaled, expression=exp.Floor(this=scaled.copy()))
        ifs.append(exp.If(this=whole, true=integer(n)))
    return exp.Case(ifs=ifs, default=integer(MOST_DIGITS + 1))


def quantiles(x: exp.Expression, speech: Dialect) -> exp.Expression:
    """A list of values of a column, from the least to the largest.

    Fewer would be coded quicker, and many more values would be looked at.
    """
    shares = array([k / 255 for k in range(256)], speech)
    if speech.name == "duckdb":
        return exp.Anonymous(this="QUANTILE_DISC", expressions=[x, shares])
    order = exp.Order(expressions=[exp.Ordered(this=x)])
    return exp.WithinGroup(this=exp.PercentileDisc(this=shares), expression=order)
