"""What the columns of a database hold, and how each is read there as bosco reads it when fetched.

A number becomes the float64 that fetching it gives: decimals by their digits, dates and times as
days and microseconds. NULL and NaN are missing.
"""

from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from bosco.base.dates import Unit
from bosco.data.schema import Column
from bosco.errors import KindError
from bosco.export.dialects import Dialect, cast, identifier
from bosco.export.sql_parts import DATA, col
from bosco.scale.sql_words import is_null, typed

__all__ = ["Cell", "kind_of"]

Kind = Literal[
    "integer", "long", "real", "decimal", "text", "padded", "enum", "boolean", "date", "datetime",
    "instant", "time",
]  # fmt: skip

_DUCKDB: dict[str, Kind] = {
    **dict.fromkeys(("TINYINT", "UTINYINT", "SMALLINT", "USMALLINT"), "integer"),
    **dict.fromkeys(("INTEGER", "UINTEGER"), "integer"),
    **dict.fromkeys(("BIGINT", "UBIGINT"), "long"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "real"),
    **dict.fromkeys(("DECIMAL", "HUGEINT", "UHUGEINT"), "decimal"),
    **dict.fromkeys(("VARCHAR", "UUID"), "text"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"), "datetime"),
    "TIMESTAMP WITH TIME ZONE": "instant",
    "ENUM": "enum",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIME": "time",
}  # fmt: skip

_POSTGRES: dict[str, Kind] = {
    **dict.fromkeys(("int2", "int4"), "integer"),
    **dict.fromkeys(("float4", "float8"), "real"),
    **dict.fromkeys(("text", "varchar", "uuid", "enum", "name"), "text"),
    "int8": "long",
    "numeric": "decimal",
    "bpchar": "padded",
    "bool": "boolean",
    "date": "date",
    "timestamp": "datetime",
    "timestamptz": "instant",
    "time": "time",
}

_TYPES = {"duckdb": _DUCKDB, "postgres": _POSTGRES}

_UNITS: dict[str, Unit] = {unit: unit for unit in ("date", "datetime", "instant", "time")}
_WORDS = "numbers, text, truth values, dates, times and timestamps"


def kind_of(name: str, type_: str, speech: Dialect, table: str) -> Kind:
    """What a column holds, by the database's word for its type."""
    kind = _TYPES[speech.name].get(type_)
    if kind is None:
        raise KindError(
            f"{table}, column {name!r}: it is of type {type_}, and a tree in a database learns "
            f"from {_WORDS}. Hint: columns=[…] names those to learn from; a view can CAST others."
        )
    return kind


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of a table in a database."""

    name: str
    kind: Kind
    speech: Dialect

    @property
    def raw(self) -> exp.Expression:
        """As it is."""
        return col(DATA, self.name)

    @property
    def unit(self) -> Unit:
        """What its numbers stand for."""
        return _UNITS.get(self.kind, "number")

    @property
    def levelled(self) -> bool:
        """Whether it has levels rather than numbers."""
        return self.kind in ("text", "padded", "enum", "boolean")

    @property
    def fetched(self) -> exp.Expression:
        """As its values are fetched: an ENUM of DuckDB with all that it declares."""
        return self.raw if self.kind == "enum" else self.value

    @property
    def value(self) -> exp.Expression:
        """As levels are told apart: letter for letter, whatever its collation."""
        if self.kind == "padded":  # a cast to text would take its spaces away
            said = exp.Anonymous(this="FORMAT", expressions=[exp.Literal.string("%s"), self.raw])
            return exp.Case(ifs=[exp.If(this=is_null(self.raw), true=exp.Null())], default=said)
        if self.kind not in ("text", "enum"):
            return self.raw
        text = typed(self.raw, "text")
        if self.speech.name != "postgres":
            return text
        return exp.Collate(this=text, expression=identifier("C"))

    @property
    def whole(self) -> exp.Expression | None:
        """As a whole number of 64 bits that need not be a float64; None if it has none."""
        if self.kind == "long":
            return self.raw
        if self.kind == "date":
            first = typed(exp.Literal.string("1970-01-01"), "date")
            return exp.Sub(this=self.raw, expression=first)
        if self.kind not in _UNITS:
            return None
        if self.speech.name == "duckdb":
            return exp.Anonymous(this="EPOCH_US", expressions=[self.raw])
        epoch = exp.Extract(this=exp.var("EPOCH"), expression=self.raw)
        micro = exp.Mul(this=epoch, expression=exp.Literal.number("1000000"))
        return typed(micro, "bigint")

    @property
    def number(self) -> exp.Expression:
        """As a float64, NULL where it is missing."""
        whole = self.whole
        if whole is not None:
            return cast(whole)
        if self.kind == "boolean":
            return cast(typed(self.raw, "int"))
        if self.kind == "decimal" and self.speech.name == "duckdb":  # rounded by the last digit
            return cast(typed(self.raw, "text"))
        if self.kind in ("real", "decimal"):
            return self.speech.plain_number(Column(self.name), self.raw)
        return cast(self.raw)
