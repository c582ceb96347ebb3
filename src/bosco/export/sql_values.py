"""Values written in SQL, to the last bit: numbers as quotients, texts as bytes, moments as text."""

from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np
from sqlglot import exp

from bosco.data.schema import Column
from bosco.errors import ModelError

_EXACT_DIGITS = 15  # decimals of no more digits that are float64s are read exactly everywhere
_SMALL = 10**6


def is_plain(text: str) -> bool:
    """Whether a text is the same bytes in every encoding, and has nothing that is escaped."""
    return text.isascii() and text.isprintable() and "\\" not in text


def bytes_of(text: str) -> exp.Expression:
    """A text as its bytes in UTF-8, with the text beside them."""
    found = exp.HexString(this=text.encode().hex())
    found.add_comments([" ".join(ascii(text).replace("*/", "* /").split())])
    return found


def in_utf8(x: exp.Expression) -> exp.Expression:
    """A text in UTF-8, as MySQL says it."""
    kind = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.var("utf8mb4"))
    return exp.Cast(this=x, to=kind)


def national(text: str) -> exp.Expression:
    """A text of any letters, of SQL Server."""
    if "\\\n" in text or "\\\r" in text:
        raise ModelError(
            f"tsql takes a backslash at the end of a line for no letter, and {text!r:.60} has one."
        )
    return exp.National(this=text)


def signed(digits: str, negative: bool) -> exp.Expression:
    """A number by its digits."""
    literal = exp.Literal(this=digits, is_string=False)
    return exp.Neg(this=literal) if negative else literal


def fraction(x: float) -> tuple[int, int] | None:
    """A numerator and a denominator whose quotient rounds to x, None if its decimal will do."""
    exact = Decimal(x).normalize()
    if x == 0 or (len(exact.as_tuple().digits) <= _EXACT_DIGITS and 1e-15 < x < 1e15):
        return None
    near = Fraction(x).limit_denominator(_SMALL)
    if near.numerator < 2**53 and float(near.numerator) / float(near.denominator) == x:
        return near.numerator, near.denominator
    return Fraction(x).numerator, Fraction(x).denominator


def quotient(
    parts: tuple[int, int], negative: bool, shown: str, behind: str = ".0"
) -> exp.Expression:
    """A quotient of whole numbers; powers of two too large to be read exactly in steps of 2**60."""
    top, bottom = parts
    step = 2**60
    factors = []
    while top >= 2**53:  # a whole number of 53 bits times a power of two
        factors.append(min(step, top & -top))
        top //= factors[-1]
    result = signed(f"{top}{behind}", negative)
    for factor in factors:
        result = exp.Mul(this=result, expression=exp.Literal.number(f"{factor}{behind}"))
    while bottom > 1:
        divisor = exp.Literal.number(f"{min(step, bottom)}{behind}")
        result = exp.Div(this=result, expression=divisor, typed=True, safe=False)
        bottom //= min(step, bottom)
    result.add_comments([shown])
    return result


def moment(column: Column, t: float) -> str:
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
