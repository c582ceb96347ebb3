"""What the columns are: their names, kinds, levels and units. Part of every model.

A numeric column has numbers (or dates, as numbers) that thresholds cut. An ordinal one has levels
in an order that thresholds cut. A nominal one has levels that a test maps to branches. The levels
are the domain: declared ones are in it even if no row has them. Columns that rows are given with
come first; those that are derived from them (`bosco.data.deriving`) follow, each with its formula.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import floor, inf
from numbers import Real
from typing import Any

import numpy as np

from bosco.base.dates import MOMENTS, show_moment
from bosco.base.numerals import show_number
from bosco.base.visible import visible
from bosco.data.column import Column, Kind, require
from bosco.data.columns import Coded, Level, Numbers, level_unit, plain
from bosco.data.objects import is_missing
from bosco.data.readers import Table, read_table
from bosco.errors import DataError, ParameterError, did_you_mean

__all__ = ["Column", "Kind", "Schema", "say_lacking", "show_label", "show_level"]


@dataclass(frozen=True)
class Schema:
    """All columns, in order. `named`: the names were given, not made up (x0, x1, …).

    Examples
    --------
    >>> schema = Schema.infer({"age": [20, 30], "sex": ["m", "f"]})
    >>> schema.names, schema.columns[1].levels
    (('age', 'sex'), ('f', 'm'))
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    columns: tuple[Column, ...]
    named: bool

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def given(self) -> tuple[Column, ...]:
        """The columns that rows are given with: all but those that are derived."""
        return tuple(column for column in self.columns if column.formula is None)

    @property
    def derived(self) -> tuple[Column, ...]:
        """The columns that are computed from others."""
        return self.columns[len(self.given) :]

    def without_derived(self) -> "Schema":
        """What rows are given with, as a schema of its own."""
        return Schema(self.given, self.named)

    def behind(self, columns: Iterable[int]) -> tuple[int, ...]:
        """The given columns that some columns are, or are derived from, in order."""
        found: set[int] = set()
        waiting = list(columns)
        while waiting:
            j = waiting.pop()
            if j not in found:
                found.add(j)
                formula = self.columns[j].formula
                waiting += () if formula is None else formula.columns
        return tuple(j for j in sorted(found) if self.columns[j].formula is None)

    @classmethod
    def infer(
        cls,
        X: Any,
        categorical_features: Any = "from_dtype",
        domains: Mapping[Any, Sequence[Any]] | None = None,
    ) -> "Schema":
        """Find out what the columns of X are.

        Parameters
        ----------
        X : anything that `bosco.data.readers.read_table` reads
        categorical_features : "from_dtype", None, or sequence of names, positions or truth values
            "from_dtype": text, categories and booleans are nominal, ordered categories ordinal.
            A sequence names columns that are nominal besides those. None: no column is nominal;
            booleans and categories of numbers are read as numbers, text is refused.
        domains : mapping of names (or positions) to levels or bounds, optional
            Domains of nominal columns, in order. Levels that no row has are part of the domain; a
            row that has another level is an error. Of a column of numbers, a tuple of two: the
            least and the largest that there may be.

        Examples
        --------
        >>> Schema.infer([["a"], ["b"]], domains={"x0": ["a", "b", "c"]}).columns[0].levels
        ('a', 'b', 'c')
        >>> Schema.infer({"age": [30, 41]}, domains={"age": (12, 90)}).columns[0].bounds
        (12.0, 90.0)
        """
        table = read_table(X)
        by_dtype = categorical_features is None or isinstance(categorical_features, str)
        if by_dtype and categorical_features not in (None, "from_dtype"):
            raise ParameterError(
                "categorical_features must be 'from_dtype', None, or a sequence of column names, "
                f"positions or truth values. Got {categorical_features!r}."
            )
        bare = table.matrix is not None or table.sparse is not None
        if bare and by_dtype and not domains:
            return _all_numeric(table.names, table.named)
        nominal = set() if by_dtype else _positions(categorical_features, table)
        declared = {
            _position(name, table, "domains"): levels for name, levels in (domains or {}).items()
        }
        columns = []
        for j, name in enumerate(table.names):
            if j in declared:
                columns.append(_declared(table, j, declared[j], j in nominal))
            elif categorical_features is None:
                columns.append(_numeric(table, j))
            else:
                columns.append(_column(name, table.column(j), j in nominal))
        return cls(tuple(columns), table.named)

    def all_numbers(self) -> bool:
        """Tell whether every column holds plain numbers."""
        return all(c.kind == "numeric" and c.unit == "number" for c in self.columns)

    def never_missing(self, seen: Any) -> frozenset[int]:
        """The columns that had no missing value in training; `seen` names those that had some.

        A file may say anything there; where it is no list, nothing is known and none is given.
        """
        if not isinstance(seen, list | tuple):
            return frozenset()
        return frozenset(j for j, column in enumerate(self.columns) if column.name not in seen)

    def show_value(self, j: int, x: float) -> str:
        """Write a value of column j as the core has it: a number, or the position of a level.

        Between two levels of an ordinal column, as thresholds are, the lower one is written.

        Examples
        --------
        >>> Schema((Column("day", unit="date"),), True).show_value(0, 18262.0)
        '2020-01-01'
        """
        column = self.columns[j]
        if column.levels is not None:
            known = 0 <= x < len(column.levels)
            return visible(show_level(column.levels[floor(x)])) if known else "missing"
        return show_moment(column.unit, x) if column.unit in MOMENTS else show_number(x)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        return {"named": self.named, "columns": [column.to_dict() for column in self.columns]}

    @classmethod
    def from_dict(cls, data: Any) -> "Schema":
        """Read what `to_dict` gave, trusting nothing in it."""
        require(isinstance(data, dict), "it is not a mapping")
        named, columns = data.get("named"), data.get("columns")
        require(isinstance(named, bool), "'named' is not true or false")
        require(isinstance(columns, list) and columns, "'columns' is not a list of columns")
        known: list[Column] = []
        for said in columns:
            known.append(Column.from_dict(said, known))
        schema = cls(tuple(known), named)
        require(len(set(schema.names)) == len(columns), "two columns have the same name")
        require(schema.columns[: len(schema.given)] == schema.given, _ORDER)
        return schema


def show_level(level: Level) -> str:
    """Write a level, letter for letter: for people, see `bosco.base.visible`.

    Examples
    --------
    >>> show_level("sunny"), show_level(True), show_level(2.0)
    ('sunny', 'true', '2')
    """
    if isinstance(level, bool):
        return "true" if level else "false"
    return show_number(level) if isinstance(level, float) else str(level)


def show_label(label: object) -> str:
    """Write a class of the target for people, in the same way wherever it is shown.

    Examples
    --------
    >>> show_label("good"), show_label(True), show_label(2.0)
    ('good', 'True', '2')
    """
    return visible(show_number(label) if isinstance(label, float) else str(label))


def say_lacking(
    lost: Sequence[str], there: Iterable[str], schema: Schema, where: str, who: str = "the model"
) -> str:
    """Name all columns that are asked for and not there, with what they may be called now.

    Only names that are near, and not those of other columns, are suggested.

    Examples
    --------
    >>> schema = Schema((Column("age"), Column("income")), True)
    >>> say_lacking(["age", "income"], ["Age", "outcome"], schema, "new.csv")
    "new.csv lacks 2 columns that the model asks for: 'age' (did you mean 'Age'?), 'income'."
    """
    free = [name for name in there if name not in schema.names]
    hints = [did_you_mean(name, free, 0.85).strip() for name in lost]
    told = [
        f"{name!r} (d{hint[1:]})" if hint else repr(name)
        for name, hint in zip(lost, hints, strict=True)
    ]
    what = "a column" if len(lost) == 1 else f"{len(lost)} columns"
    return f"{where} lacks {what} that {who} asks for: {', '.join(told)}."


@lru_cache(maxsize=64)
def _all_numeric(names: tuple[str, ...], named: bool) -> Schema:
    return Schema(tuple(map(Column, names)), named)


def _column(name: str, cells: Numbers | Coded, nominal: bool) -> Column:
    """What the dtype says, or nominal if asked."""
    if isinstance(cells, Coded) and cells.levels:
        kind: Kind = "ordinal" if cells.ordered and not nominal else "nominal"
        return Column(name, kind, cells.levels, cells.unit)
    if isinstance(cells, Coded):
        return Column(name)  # no level, so no value: a number as good as any
    if not nominal:
        return Column(name, unit=cells.unit)
    if cells.unit != "number":
        raise ParameterError(
            f"Column {name!r} holds a {cells.unit}, which cannot be nominal. "
            f"Hint: turn it into text first, if each value is a level of its own."
        )
    levels = cells.coded().levels
    return Column(name, "nominal", levels, "number") if levels else Column(name)


def _numeric(table: Table, j: int) -> Column:
    """A column under categorical_features=None."""
    cells, name = table.column(j), table.names[j]
    if isinstance(cells, Coded) and cells.levels and cells.unit == "text" and not cells.ordered:
        raise DataError(
            f"Column {name!r} holds text ({cells.levels[0]!r}, …), but categorical_features=None "
            f"allows no nominal column. Hint: categorical_features='from_dtype'."
        )
    if isinstance(cells, Coded) and not cells.ordered:
        return Column(name)
    return _column(name, cells, nominal=False)


def are_bounds(domain: Any) -> bool:
    """Whether a domain is meant as the least and the largest number, not as levels.

    Examples
    --------
    >>> are_bounds((12, 90)), are_bounds([12, 90]), are_bounds(("a", "b"))
    (True, False, False)
    """
    return (
        isinstance(domain, tuple)
        and len(domain) == 2
        and all(isinstance(x, Real) and not isinstance(x, bool | np.bool_) for x in domain)
    )


def _bounded(table: Table, j: int, low: float, high: float) -> Column:
    """A column of numbers whose least and largest value the user gave."""
    cells, name = table.column(j), table.names[j]
    if not -inf < low < high < inf:
        raise ParameterError(
            f"domains[{name!r}] must be the least and the largest number, as in (12, 90). "
            f"Got ({low:g}, {high:g})."
        )
    if isinstance(cells, Coded) and not cells.all_missing():
        raise ParameterError(
            f"domains[{name!r}] = ({low:g}, {high:g}) bounds a number, and the column has levels, "
            f"such as {cells.levels[0]!r}. Hint: a list declares levels."
        )
    if isinstance(cells, Numbers):
        if cells.unit != "number":
            raise ParameterError(f"domains[{name!r}]: a {cells.unit} has no bounds, numbers do.")
        values = np.asarray(cells.values, np.float64)
        outside = (values < low) | (values > high)
        if outside.any():
            row = int(np.argmax(outside))
            raise DataError(
                f"Column {name!r}, row {table.row(row)}: {show_number(values[row])} is not in its "
                f"declared domain, {show_number(low)} to {show_number(high)}. Hint: correct the "
                f"value, make it missing, or widen domains[{name!r}]."
            )
    return Column(name, bounds=(low, high))


def _declared(table: Table, j: int, domain: Sequence[Any], nominal: bool) -> Column:
    """A column whose domain the user gave."""
    cells, name = table.column(j), table.names[j]
    if are_bounds(domain) and not nominal:
        try:
            low, high = map(float, domain)
        except OverflowError:
            raise ParameterError(f"domains[{name!r}]: a bound is too large for a number.") from None
        return _bounded(table, j, low, high)
    many = hasattr(domain, "__len__") and hasattr(domain, "__iter__")
    if isinstance(domain, str) or not many or not len(domain) or any(map(is_missing, domain)):
        raise ParameterError(
            f"domains[{name!r}] must be a non-empty sequence of levels, none of them missing. "
            f"Got {domain!r}."
        )
    levels = tuple(map(plain, domain))
    if len(set(levels)) < len(levels):
        raise ParameterError(f"domains[{name!r}] names a level twice: {list(levels)}.")
    ordered = isinstance(cells, Coded) and cells.ordered and not nominal
    if isinstance(cells, Numbers):
        if cells.unit != "number":
            raise ParameterError(f"domains[{name!r}]: a {cells.unit} column is not nominal.")
        cells = cells.coded()
    outside = (cells.recode(levels) == 0) & (cells.codes != 0)
    if outside.any():
        row = int(np.argmax(outside))
        level = cells.levels[int(cells.codes[row]) - 1]
        raise DataError(
            f"Column {name!r}, row {table.row(row)}: {level!r} is not in its declared domain "
            f"{_few(levels)}.{did_you_mean(level, levels)} Hint: add it to domains[{name!r}]."
        )
    return Column(name, "ordinal" if ordered else "nominal", levels, level_unit(levels))


def _positions(given: Any, table: Table) -> set[int]:
    """Positions of columns given by names, positions or truth values."""
    chosen = np.asarray(given)
    n = len(table.names)
    if chosen.ndim != 1:
        raise ParameterError("categorical_features must be one sequence, not a nested one.")
    if chosen.dtype.kind == "b":
        if len(chosen) != n:
            raise ParameterError(
                f"categorical_features, as a mask, must have one truth value for each of the {n} "
                f"columns. Got {len(chosen)}."
            )
        return set(np.flatnonzero(chosen).tolist())
    return {_position(item, table, "categorical_features") for item in given}


def _position(item: Any, table: Table, parameter: str) -> int:
    names = table.names
    if str(item) in names and (isinstance(item, str) or table.named):
        return names.index(str(item))
    whole = isinstance(item, int | np.integer) and not isinstance(item, bool)
    if whole and 0 <= item < len(names):
        return int(item)
    raise ParameterError(
        f"{parameter} names the column {item!r}, but X has the columns {_few(names)}."
        + did_you_mean(item, names)
    )


def _few(items: Sequence[Any], most: int = 20) -> str:
    texts = [repr(item) for item in items[:most]]
    return f"[{', '.join(texts)}{', …' if len(items) > most else ''}]"


_ORDER = "a derived column stands before one that is given"
