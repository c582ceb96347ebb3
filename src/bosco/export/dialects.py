"""What databases disagree on: numbers as literals, NaN, dates, lists of rows.

A literal must be the float64 it stands for, and a comparison must be one of float64s. Databases
read `0.1` as a decimal (DuckDB, PostgreSQL, Spark) or round it in their own way (SQLite), and most
take NaN for the largest number. Some hold texts for equal that are not: by case, by accents, by
blanks at the end. Each row of `DIALECTS` says what is to be written instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any, Literal

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.sqlite import SQLite

from bosco.data.columns import Level
from bosco.data.schema import Column
from bosco.errors import ModelError
from bosco.export.source import number
from bosco.export.sql_values import (
    bytes_of,
    fraction,
    in_utf8,
    is_plain,
    moment,
    national,
    quotient,
    signed,
)

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
    # How a float64 is written: 1.5e0, CAST(1.5 AS DOUBLE PRECISION), CAST('1.5' AS DOUBLE), 1.5;
    # or, where many digits would not do, as a fraction of 3.0, of 3.0e0 or of 3.0d.
    real: Literal["exponent", "cast", "text", "plain", "fraction", "float", "suffix"]
    nan: Literal["largest", "unequal", "none"]  # how NaN compares, if there is NaN
    max_height: int  # how deep CASE may nest: some parsers have a stack of a fixed size
    moments: dict[str, str]  # the type of each unit's literals; "text", "number": without a type
    materialized: bool  # whether AS MATERIALIZED is known
    # Which names are one: those that differ in case (of ASCII only, or of any letter), those
    # that are alike in their first 63 bytes, or none.
    alike: Literal["ascii", "unicode", "cut", "none"]
    # What makes texts equal only if they are the same: nothing, a comparison of bytes, of the
    # texts with a dot behind them (for blanks at the end), or under a collation.
    text: Literal["plain", "bytes", "dotted", "binary", "uncollated"] = "plain"
    truths: bool = True  # whether TRUE is a value, and what is compared one, too
    max_steps: int | None = None  # how often a query may call itself
    max_name: int | None = None  # letters of a name

    def write(self, statement: exp.Expression) -> str:
        """Write a statement as text."""
        speaker = BackQuoted if self.name == "sqlite" else self.name
        if self.name == "oracle":
            statement = _for_oracle(statement)
        # sqlglot need not warn of names that SQLite takes elsewhere.
        return statement.sql(
            dialect=speaker, pretty=True, copy=False, unsupported_level=ErrorLevel.IGNORE
        )

    @property
    def smallest(self) -> float:
        """The smallest number above 0 that there is."""
        return _NORMAL if self.name == "tsql" else 5e-324

    def named(self, name: str) -> bytes:
        """What a quoted name is to the database: names of which this is equal are one."""
        if self.alike == "cut":
            return name.encode()[:_LONGEST_NAME]
        if self.alike == "none":
            return name.encode()
        return name.lower().encode() if self.alike == "unicode" else name.encode().lower()

    def why_alike(self) -> str:
        """Why it takes two names for one."""
        if self.alike == "cut":
            return f"reads the first {_LONGEST_NAME} bytes of a name"
        return "ignores the case of names"

    def require_name(self, name: str) -> None:
        """Refuse a name that the database cannot have."""
        why = ""
        if self.max_name is not None and len(name) > self.max_name:
            why = f"has names of at most {self.max_name} letters"
        elif self.name == "mysql" and (name != name.rstrip() or max(name, default="") > "\uffff"):
            why = "has no names with such letters, or with a blank at the end"
        elif self.name == "oracle" and '"' in name:
            why = "has no names with quotation marks"
        if why:
            raise ModelError(
                f"{name!r:.100} cannot be a name there: {self.name} {why}. "
                f"Hint: rename the column or class, and fit again."
            )

    def literal(self, value: Level) -> exp.Expression:
        """A level, class or number."""
        if isinstance(value, bool):
            return exp.Boolean(this=value) if self.truths else signed(str(int(value)), False)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return signed(str(abs(value)), value < 0)
        return self.double(value)

    def _text(self, value: str) -> exp.Expression:
        """A text as an answer."""
        if self.text == "bytes" and not is_plain(value):
            return in_utf8(bytes_of(value))
        if self.text == "dotted":
            return national(value)
        if self.name == "oracle" and not value:
            raise ModelError(
                "oracle takes the empty text for a missing one, and this model tells them apart. "
                "Hint: give the level or class '' another name, and fit again."
            )
        return exp.Literal.string(value)

    def level(self, value: Level) -> exp.Expression:
        """A level as `same` compares it."""
        if isinstance(value, str) and self.text == "bytes" and not is_plain(value):
            return bytes_of(value)
        return national(f"{value}.") if self._dotted(value) else self.literal(value)

    def same(self, column: Column, x: exp.Expression) -> exp.Expression:
        """A column of levels so that it equals `level` where it is that level, and nowhere else."""
        if not column.levels or not isinstance(column.levels[0], str):
            return x
        if self.text == "bytes":
            return exp.Cast(this=in_utf8(x), to=exp.DataType.build("binary"))
        if self.text == "dotted":
            dotted = exp.Paren(this=exp.Add(this=x, expression=national(".")))
            return exp.Collate(this=dotted, expression=exp.var("Latin1_General_100_BIN2"))
        if self.text == "binary":
            return exp.Collate(this=x, expression=exp.var("BINARY"))
        if self.text == "uncollated":
            return exp.Anonymous(this="COLLATE", expressions=[x, exp.Literal.string("")])
        return x

    def _dotted(self, value: Level) -> bool:
        return isinstance(value, str) and self.text == "dotted"

    def double(self, x: float, *, bare: bool = False) -> exp.Expression:
        """A float64; `bare` where a CAST is around it anyway."""
        if isinf(x):
            return self._infinity(x)
        if self.name == "tsql" and 0 < abs(x) < _NORMAL:
            raise ModelError(f"{x} is no number of tsql, whose smallest is {_NORMAL}.")
        text = number(abs(x))
        if self.real in ("exponent", "float") and "e" not in text:
            text += "e0"
        text += "d" if self.real == "suffix" else ""
        if self.real in _BEHIND and (parts := fraction(abs(x))) is not None:
            return quotient(parts, x < 0, number(x), _BEHIND[self.real])
        if self.real == "text":
            literal: exp.Expression = exp.Literal.string("-" * (x < 0) + text)
            return literal if bare else cast(literal)
        literal = signed(text, x < 0)
        return cast(literal) if self.real == "cast" and not bare else literal

    def _infinity(self, x: float) -> exp.Expression:
        if self.name in ("mysql", "tsql"):
            raise ModelError(
                f"This model is cut at {x}, and {self.name} has no infinite numbers. "
                f"Hint: replace them before you fit."
            )
        if self.real == "fraction":
            return signed("9e999", x < 0)
        if self.real == "suffix":
            infinite = exp.var("BINARY_DOUBLE_INFINITY")
            return exp.Neg(this=infinite) if x < 0 else infinite
        word = "Inf" if self.real == "text" else "Infinity"
        return cast(exp.Literal.string("-" * (x < 0) + word))

    def moment(self, column: Column) -> str:
        """The type of the moments of a column; "text" or "number" without one."""
        if column.unit not in self.moments:
            raise ModelError(
                f"Column {column.name!r} holds values of the kind {column.unit!r}, which "
                f"{self.name} does not have, or not the same in every session. Hint: a number or "
                f"a datetime in its place, or another database."
            )
        return self.moments[column.unit]

    def cut(self, column: Column, t: float) -> exp.Expression:
        """A threshold of a column, as a value of the column's type."""
        if column.unit == "number":
            return self.double(t)
        kind = self.moment(column)
        if kind == "number":
            return self.double(t)
        text = exp.Literal.string(moment(column, t))
        if kind in _FORMATS:  # a cast would go by the settings of a session
            form = exp.Literal.string(_FORMATS[kind])
            return exp.Anonymous(this=kind, expressions=[text, form])
        return text if kind == "text" else exp.cast(text, kind)

    def is_missing(self, column: Column, x: exp.Expression) -> exp.Expression:
        """Whether a number or moment is missing."""
        null = exp.Is(this=x, expression=exp.Null())
        if not self._may_be_nan(column):
            return null
        if self.nan == "unequal":
            return exp.Or(this=null, expression=exp.IsNan(this=x.copy()))
        return exp.Or(this=null, expression=exp.EQ(this=x.copy(), expression=self._nan()))

    def is_known(self, column: Column, x: exp.Expression) -> exp.Expression:
        """Whether a number or moment is there."""
        there = exp.Not(this=exp.Is(this=x, expression=exp.Null()))
        if not self._may_be_nan(column):
            return there
        if self.nan == "unequal":
            return exp.And(this=there, expression=exp.Not(this=exp.IsNan(this=x.copy())))
        return exp.And(this=there, expression=exp.NEQ(this=x.copy(), expression=self._nan()))

    def plain_number(self, column: Column, x: exp.Expression) -> exp.Expression:
        """A number as a float64, NULL if it is missing."""
        if not self._may_be_nan(column):
            return cast(x)
        if self.nan == "unequal":
            return exp.If(this=exp.IsNan(this=x), true=exp.Null(), false=cast(x.copy()))
        return exp.Nullif(this=cast(x), expression=self._nan())

    def _nan(self) -> exp.Expression:
        if self.real == "suffix":
            return exp.var("BINARY_DOUBLE_NAN")
        return cast(exp.Literal.string("NaN"))

    def rows(self, name: str, columns: Sequence[str], rows: Sequence[Any]) -> exp.CTE:
        """A common table expression of literal rows."""
        query: exp.Query
        tuples = [exp.Tuple(expressions=row) for row in rows]
        names = [identifier(column) for column in columns]
        if self.name == "sqlite":  # it knows names of columns here only
            query = exp.select("*").from_(exp.Values(expressions=tuples), copy=False)
            alias = exp.TableAlias(this=identifier(name), columns=names)
        elif self.name == "oracle":  # older ones have no VALUES to select from
            first, *others = rows
            named = [exp.alias_(x, n, quoted=True) for x, n in zip(first, columns, strict=True)]
            selects = list(map(_selected, [named, *others]))
            if others:
                query = exp.union(*selects, distinct=False, copy=False)
            else:
                (query,) = selects
            alias = exp.TableAlias(this=identifier(name))
        else:
            inner = exp.TableAlias(this=identifier("v"), columns=names)
            query = exp.select("*").from_(exp.Values(expressions=tuples, alias=inner), copy=False)
            alias = exp.TableAlias(this=identifier(name))
        return exp.CTE(this=query, alias=alias)

    def _may_be_nan(self, column: Column) -> bool:
        number = column.unit == "number" or self.moment(column) == "number"
        return number and self.nan != "none" and column.formula is None  # which is NULL instead


_TYPES = {"date": "date", "datetime": "timestamp", "instant": "timestamptz", "time": "time"}
_SPANS = _TYPES | {"duration": "interval"}
_MICROSECONDS = _TYPES | {"duration": "number"}
_TIMES_AS_TEXT = _MICROSECONDS | {"time": "text"}
_TEXT = dict.fromkeys(_TYPES, "text")
_OF_MYSQL = {"date": "date", "datetime": "datetime(6)", "time": "time(6)", "duration": "number"}
_OF_ORACLE = {
    "date": "TO_DATE",
    "datetime": "TO_TIMESTAMP",
    "instant": "TO_TIMESTAMP_TZ",
    "duration": "number",
}
_FORMATS = {
    "TO_DATE": "YYYY-MM-DD",
    "TO_TIMESTAMP": "YYYY-MM-DD HH24:MI:SS.FF6",
    "TO_TIMESTAMP_TZ": "YYYY-MM-DD HH24:MI:SS.FF6TZH:TZM",
}
_BEHIND = {"fraction": ".0", "float": ".0e0", "suffix": ".0d"}
"""What stands behind whole numbers that are divided, by how a float64 is written."""
_NORMAL = 2.2250738585072014e-308

DIALECTS = {
    d.name: d
    for d in (
        Dialect("duckdb", "exponent", "largest", 40, _SPANS, True, "ascii"),
        Dialect("postgres", "cast", "largest", 40, _SPANS, True, "cut"),
        Dialect("sqlite", "fraction", "none", 12, _TEXT | {"duration": "number"}, True, "ascii"),
        Dialect("bigquery", "plain", "unequal", 40, _MICROSECONDS, False, "unicode"),
        Dialect("spark", "exponent", "largest", 40, _TIMES_AS_TEXT, False, "unicode"),
        # MySQL and MariaDB.
        Dialect(
            "mysql", "exponent", "none", 40, _OF_MYSQL, False, "unicode",
            text="bytes", max_steps=1000, max_name=64,
        ),
        # SQL Server.
        Dialect(
            "tsql", "float", "none", 9, _MICROSECONDS, False, "unicode",
            text="dotted", truths=False, max_steps=100, max_name=128,
        ),
        Dialect(
            "oracle", "suffix", "largest", 40, _OF_ORACLE, False, "none",
            text="binary", truths=False, max_name=128,
        ),
        Dialect(
            "snowflake", "text", "largest", 40, _MICROSECONDS, False, "none",
            text="uncollated", max_name=255,
        ),
    )
}  # fmt: skip

OTHER_NAMES = {"mariadb": "mysql", "sqlserver": "tsql", "postgresql": "postgres"}
"""What people call some of them."""


def identifier(name: str) -> exp.Identifier:
    """A name, quoted."""
    return exp.Identifier(this=name, quoted=True)


def cast(value: exp.Expression) -> exp.Expression:
    """A value as a float64."""
    return exp.Cast(this=value, to=exp.DataType.build("double"))


def _selected(row: Sequence[exp.Expression]) -> exp.Select:
    return exp.Select(expressions=list(row))


def _for_oracle(statement: exp.Expression) -> exp.Expression:
    """What sqlglot writes otherwise: float64 has another name, and a SELECT is from something."""
    for kind in list(statement.find_all(exp.DataType)):
        if kind.this == exp.DataType.Type.DOUBLE:
            kind.replace(exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BINARY_DOUBLE"))
    for select in list(statement.find_all(exp.Select)):
        if not select.args.get("from_"):
            select.from_("dual", copy=False)
    for part in list(statement.find_all(exp.With)):
        part.set("recursive", False)  # it sees by itself
    return statement
