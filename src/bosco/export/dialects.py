"""What databases disagree on: numbers as literals, NaN, dates, lists of rows.

A literal must be the float64 it stands for, and a comparison must be one of float64s. Databases
read `0.1` as a decimal (DuckDB, PostgreSQL, Spark) or round it in their own way (SQLite), and most
take NaN for the largest number. Each row of `DIALECTS` says what is to be written instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor, isinf
from typing import Any, Literal

import numpy as np
from sqlglot import ErrorLevel, exp
from sqlglot.dialects.sqlite import SQLite

from bosco.data.columns import Level
from bosco.data.schema import Column
from bosco.errors import ModelError
from bosco.export.source import number

_EXACT_DIGITS = 15  # decimals of no more digits that are float64s are read exactly everywhere
_SMALL = 10**6
_LONGEST_NAME = 63  # bytes, of PostgreSQL


class BackQuoted(SQLite):
    """SQLite with `x` for "x", which it takes for the text 'x' where it finds no column x."""

    class Tokenizer(SQLite.Tokenizer):
        """The first is written."""

        IDENTIFIERS = ["`", '"', ("[", "]")]  # noqa: RUF012


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one database is spoken to; by sqlglot's name of it."""

    name: str
    # How a float64 is written: 1.5e0, CAST(1.5 AS DOUBLE PRECISION), 1.5, or, where 1.5 would not
    # do, as a fraction.
    real: Literal["exponent", "cast", "plain", "fraction"]
    nan: Literal["largest", "unequal", "none"]  # how NaN compares, if there is NaN
    max_height: int  # how deep CASE may nest: some parsers have a stack of a fixed size
    moments: dict[str, str]  # the type of each unit's literals; "text", "number": without a type
    materialized: bool  # whether AS MATERIALIZED is known
    # Which names are one: those that differ in case (of ASCII only, or of any letter), or those
    # that are alike in their first 63 bytes.
    alike: Literal["ascii", "unicode", "cut"]

    def write(self, statement: exp.Expression) -> str:
        """Write a statement as text."""
        speaker = BackQuoted if self.name == "sqlite" else self.name
        # sqlglot need not warn of names that SQLite takes elsewhere.
        return statement.sql(
            dialect=speaker, pretty=True, copy=False, unsupported_level=ErrorLevel.IGNORE
        )

    def named(self, name: str) -> bytes:
        """What a quoted name is to the database: names of which this is equal are one."""
        if self.alike == "cut":
            return name.encode()[:_LONGEST_NAME]
        return name.lower().encode() if self.alike == "unicode" else name.encode().lower()

    def why_alike(self) -> str:
        """Why it takes two names for one."""
        if self.alike == "cut":
            return f"reads the first {_LONGEST_NAME} bytes of a name"
        return "ignores the case of names"

    def literal(self, value: Level) -> exp.Expression:
        """A level, class or number."""
        if isinstance(value, bool):
            return exp.Boolean(this=value)
        if isinstance(value, str):
            return exp.Literal.string(value)
        if isinstance(value, int):
            return _signed(str(abs(value)), value < 0)
        return self.double(value)

    def double(self, x: float, *, bare: bool = False) -> exp.Expression:
        """A float64; `bare` where a CAST is around it anyway."""
        if isinf(x):
            if self.real == "fraction":
                return _signed("9e999", x < 0)
            return cast(exp.Literal.string("-Infinity" if x < 0 else "Infinity"))
        text = number(abs(x))
        if self.real == "exponent" and "e" not in text:
            text += "e0"
        if self.real == "fraction" and (parts := _fraction(abs(x))) is not None:
            return _quotient(parts, x < 0, number(x))
        literal = _signed(text, x < 0)
        return cast(literal) if self.real == "cast" and not bare else literal

    def cut(self, column: Column, t: float) -> exp.Expression:
        """A threshold of a column, as a value of the column's type."""
        if column.unit == "number":
            return self.double(t)
        kind = self.moments[column.unit]
        if kind == "number":
            return self.double(t)
        text = exp.Literal.string(_moment(column, t))
        return text if kind == "text" else exp.cast(text, kind)

    def is_missing(self, column: Column, x: exp.Expression) -> exp.Expression:
        """Whether a number or moment is missing."""
        null = exp.Is(this=x, expression=exp.Null())
        if not self._may_be_nan(column):
            return null
        if self.nan == "unequal":
            return exp.Or(this=null, expression=exp.IsNan(this=x.copy()))
        return exp.Or(this=null, expression=exp.EQ(this=x.copy(), expression=_nan()))

    def is_known(self, column: Column, x: exp.Expression) -> exp.Expression:
        """Whether a number or moment is there."""
        there = exp.Not(this=exp.Is(this=x, expression=exp.Null()))
        if not self._may_be_nan(column):
            return there
        if self.nan == "unequal":
            return exp.And(this=there, expression=exp.Not(this=exp.IsNan(this=x.copy())))
        return exp.And(this=there, expression=exp.NEQ(this=x.copy(), expression=_nan()))

    def plain_number(self, column: Column, x: exp.Expression) -> exp.Expression:
        """A number as a float64, NULL if it is missing."""
        if not self._may_be_nan(column):
            return cast(x)
        if self.nan == "unequal":
            return exp.If(this=exp.IsNan(this=x), true=exp.Null(), false=cast(x.copy()))
        return exp.Nullif(this=cast(x), expression=_nan())

    def rows(self, name: str, columns: Sequence[str], rows: Sequence[Any]) -> exp.CTE:
        """A common table expression of literal rows."""
        tuples = [exp.Tuple(expressions=row) for row in rows]
        names = [identifier(column) for column in columns]
        if self.name == "sqlite":  # it knows names of columns here only
            query = exp.select("*").from_(exp.Values(expressions=tuples), copy=False)
            alias = exp.TableAlias(this=identifier(name), columns=names)
        else:
            inner = exp.TableAlias(this=identifier("v"), columns=names)
            query = exp.select("*").from_(exp.Values(expressions=tuples, alias=inner), copy=False)
            alias = exp.TableAlias(this=identifier(name))
        return exp.CTE(this=query, alias=alias)

    def _may_be_nan(self, column: Column) -> bool:
        number = column.unit == "number" or self.moments[column.unit] == "number"
        return number and self.nan != "none" and column.formula is None  # which is NULL instead


_TYPES = {"date": "date", "datetime": "timestamp", "instant": "timestamptz", "time": "time"}
_SPANS = _TYPES | {"duration": "interval"}
_MICROSECONDS = _TYPES | {"duration": "number"}
_TIMES_AS_TEXT = _MICROSECONDS | {"time": "text"}
_TEXT = dict.fromkeys(_TYPES, "text")

DIALECTS = {
    d.name: d
    for d in (
        Dialect("duckdb", "exponent", "largest", 40, _SPANS, True, "ascii"),
        Dialect("postgres", "cast", "largest", 40, _SPANS, True, "cut"),
        Dialect("sqlite", "fraction", "none", 12, _TEXT | {"duration": "number"}, True, "ascii"),
        Dialect("bigquery", "plain", "unequal", 40, _MICROSECONDS, False, "unicode"),
        Dialect("spark", "exponent", "largest", 40, _TIMES_AS_TEXT, False, "unicode"),
    )
}


def identifier(name: str) -> exp.Identifier:
    """A name, quoted."""
    return exp.Identifier(this=name, quoted=True)


def cast(value: exp.Expression) -> exp.Expression:
    """A value as a float64."""
    return exp.Cast(this=value, to=exp.DataType.build("double"))


def _nan() -> exp.Expression:
    return cast(exp.Literal.string("NaN"))


def _signed(digits: str, negative: bool) -> exp.Expression:
    literal = exp.Literal(this=digits, is_string=False)
    return exp.Neg(this=literal) if negative else literal


def _fraction(x: float) -> tuple[int, int] | None:
    """A numerator and a denominator whose quotient rounds to x, None if its decimal will do."""
    exact = Decimal(x).normalize()
    if x == 0 or (len(exact.as_tuple().digits) <= _EXACT_DIGITS and 1e-15 < x < 1e15):
        return None
    near = Fraction(x).limit_denominator(_SMALL)
    if near.numerator < 2**53 and float(near.numerator) / float(near.denominator) == x:
        return near.numerator, near.denominator
    return Fraction(x).numerator, Fraction(x).denominator


def _quotient(parts: tuple[int, int], negative: bool, shown: str) -> exp.Expression:
    """A quotient of whole numbers; powers of two too large to be read exactly in steps of 2**60."""
    top, bottom = parts
    step = 2**60
    factors = []
    while top >= 2**53:  # a whole number of 53 bits times a power of two
        factors.append(min(step, top & -top))
        top //= factors[-1]
    result = _signed(f"{top}.0", negative)
    for factor in factors:
        result = exp.Mul(this=result, expression=exp.Literal.number(f"{factor}.0"))
    while bottom > 1:
        divisor = exp.Literal.number(f"{min(step, bottom)}.0")
        result = exp.Div(this=result, expression=divisor, typed=True, safe=True)
        bottom //= min(step, bottom)
    result.add_comments([shown])
    return result


def _moment(column: Column, t: float) -> str:
    """The last moment that is not after a threshold, as ISO text."""
    ticks = floor(t)
    if column.unit == "duration":
        return f"{ticks} microseconds"
    if column.unit == "time":
        seconds, micro = divmod(ticks, 10**6)
        hours, seconds = divmod(seconds, 3600)
        return f"{hours:02}:{seconds // 60:02}:{seconds % 60:02}.{micro:06}"
    moment = np.datetime64(ticks, "D" if column.unit == "date" else "us")
    if not np.datetime64("0001-01-01") <= moment < np.datetime64("10000-01-01"):
        raise ModelError(
            f"Column {column.name!r} is cut at {moment}, outside the years 1 to 9999 that SQL has "
            f"dates for."
        )
    return str(moment).replace("T", " ") + ("+00:00" if column.unit == "instant" else "")
