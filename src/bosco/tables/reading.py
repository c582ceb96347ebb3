"""A file as a typed table, and what was understood of it: the road from bytes to `fit`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bosco.data.readers import each_level_once
from bosco.errors import BoscoError, DataError, ParameterError
from bosco.tables.bygroups import ByGroups, heads, taken
from bosco.tables.cells import Column, in_domain, read_texts
from bosco.tables.delimited import read_delimited
from bosco.tables.distinct import as_mask
from bosco.tables.formats import (
    read_arff,
    read_arrow,
    read_duckdb,
    read_excel,
    read_json,
    read_parquet,
    read_postgresql,
    read_sqlite,
)
from bosco.tables.numbers import decimal_of
from bosco.tables.oddities import alike, far, floats_of, fold_case, oddities
from bosco.tables.options import TYPES, Options, require_columns
from bosco.tables.sources import Raw, Source, open_source, rename
from bosco.tables.understanding import Seen, Understanding, describe

READERS: dict[str, Callable[[Source, Options], Raw]] = {
    "csv": read_delimited,
    "parquet": read_parquet,
    "arrow": read_arrow,
    "arrow stream": read_arrow,
    "json": read_json,
    "excel": read_excel,
    "arff": read_arff,
    "sqlite": read_sqlite,
    "duckdb": read_duckdb,
    "postgresql": read_postgresql,
}
"""What reads a format."""

_DATABASES = ("sqlite", "duckdb", "postgresql")
DECIMAL_ROWS = 10_000  # enough to see a decimal comma


@dataclass(frozen=True, slots=True)
class Reading:
    """A table that was read.

    Attributes
    ----------
    table : pyarrow.Table
        All columns that were not dropped, typed.
    understanding : Understanding
        What the columns are and what is odd about them.
    options : Options
        How it was read: what was asked for, and what was found out.
    """

    table: Any
    understanding: Understanding
    options: Options

    @property
    def X(self) -> Any:  # noqa: N802
        """The columns to learn from, as `fit` takes them."""
        roles = [n for n in (self.options.target, self.options.weight) if n is not None]
        return self.table.drop_columns(roles)

    @property
    def y(self) -> Any:
        """The column to learn, or None."""
        target = self.options.target
        return None if target is None else self.table.column(target)

    @property
    def sample_weight(self) -> Any:
        """The weights of the rows as an array of numbers, or None."""
        weight = self.options.weight
        return None if weight is None else self.table.column(weight).to_numpy()

    def column(self, name: str) -> Any:
        """A column by its name."""
        return self.table.column(name)

    def without(self, names: list[str]) -> "Reading":
        """Leave out some columns."""
        return replace(self, table=self.table.drop_columns(names))


def read_file(place: str | Path, options: Options | None = None, *, spare: bool = False) -> Reading:
    r"""Read a table from a file, standard input or a database.

    Parameters
    ----------
    place : path or address
        A file of CSV, TSV, Parquet, Arrow, JSON lines, Excel, ARFF, SQLite or DuckDB, also packed
        with gzip, zstd, bz2 or lz4; ``postgresql://…``; ``-`` for standard input.
    options : Options, optional
        What is known about the table.
    spare : bool, default=False
        Spare memory, at the cost of time: a large text file is gone over several times.

    Returns
    -------
    Reading
        The typed table and what was understood.

    Examples
    --------
    >>> _ = Path("loans.csv").write_text("income;safe\n1.200,50;yes\n?;no\n")
    >>> reading = read_file("loans.csv", Options(target="safe"))
    >>> reading.X.to_pydict(), reading.y.to_pylist()
    ({'income': [1200.5, None]}, ['yes', 'no'])
    >>> print(reading.understanding)
    loans.csv: text, UTF-8, semicolon, decimal comma · 2 rows, 2 columns
    <BLANKLINE>
    column  kind           values   missing
    income  number         1200.5   1 '?'
    safe    text (target)  yes, no
    <BLANKLINE>
    ! income: thousands separators removed
    """
    options = options or Options()
    with open_source(place) as source:
        if options.query is not None and source.format not in _DATABASES:
            raise ParameterError(f"{source.name} is no database: it takes no query.")
        reader = READERS[source.format]
        if spare and reader is read_delimited:
            reader = partial(read_delimited, spare=True)
        raw = _without_blank_columns(reader(source, options))
        raw = _without_repeated_header(raw)
        names, renamed = rename(raw.names)
        columns = raw.columns if isinstance(raw.columns, ByGroups) else list(raw.columns)
        raw = replace(raw, names=names, notes=(*raw.notes, *renamed), columns=())
        reading = _read(raw, columns, options, source)
    pa.default_memory_pool().release_unused()  # what was read as text is gone
    return reading


def _read(raw: Raw, columns: Any, options: Options, source: Source) -> Reading:
    """Type the columns one after the other; each goes as soon as it is typed."""
    asked = [*options.types, *options.drop, *options.domains]
    asked += [name for name in (options.target, options.weight) if name is not None]
    require_columns(asked, raw.names, source.name)
    if not columns or not len(columns[0]):
        raise DataError(f"{source.name} has a header and no rows.")
    decimal = options.decimal or _decimal(raw, columns)
    typed, pool = {}, pa.default_memory_pool()
    for j, read in enumerate(raw.names):
        if read not in options.drop:
            typed[j] = _typed(raw, read, taken(columns, j), options, decimal, source.name)
        elif isinstance(columns, list):
            columns[j] = None
        pool.release_unused()
    table = pa.table({raw.names[j]: column.values for j, column in typed.items()})
    notes = list(raw.notes)
    for name, what in ((options.target, "value to learn"), (options.weight, "weight")):
        if name is not None:
            _refuse_infinity(table.column(name), f"{source.name}, column {name!r}", what, raw)
    if options.target is not None:
        table, left_out = _with_target(table, options.target, source.name)
        if left_out:
            notes.append(f"{left_out:,} row{'s' * (left_out > 1)} without a target left out")
    if options.weight is not None:
        check_weights(table.column(options.weight), options.weight, source.name)
    seen = []
    for j, name in enumerate(raw.names):
        seen.append(_see(name, typed.get(j), table, options, raw))
        pool.release_unused()  # what telling values apart took
    form = raw.format + ", decimal comma" * (decimal == "," and bool(raw.layout))
    told = Understanding(source.name, form, table.num_rows, tuple(seen), tuple(notes))
    return Reading(table, told, _settled(raw, options, decimal, told))


def _settled(raw: Raw, options: Options, decimal: str, told: Understanding) -> Options:
    """The options with which the file is read the same way without looking."""
    types = {
        seen.name: seen.kind
        for seen in told.columns
        if not raw.typed and seen.kind in TYPES and seen.name not in options.domains
    }
    layout = {**raw.layout, "decimal": decimal} if raw.layout else {}
    return replace(options, types=types | dict(options.types), **layout)


def _without_blank_columns(raw: Raw) -> Raw:
    """Leave out columns that have neither a name nor a value: rows that end in a delimiter."""
    blank = {
        j for j, name in enumerate(raw.names) if not name.strip() and _is_blank(raw.columns[j])
    }
    if not blank or not len(raw.columns[0]):
        return raw
    kept = [j for j in range(len(raw.names)) if j not in blank]
    note = f"{len(blank)} column{'s' * (len(blank) > 1)} without name and values left out"
    return replace(
        raw,
        names=tuple(raw.names[j] for j in kept),
        columns=tuple(raw.columns[j] for j in kept),
        notes=(*raw.notes, note),
    )


def _is_blank(column: Any) -> bool:
    empty = pa.types.is_string(column.type) and not pc.any(pc.not_equal(column, "")).as_py()
    return bool(empty or column.null_count == len(column))


def _without_repeated_header(raw: Raw) -> Raw:
    """Leave out rows that repeat the header, as files joined end to end have them."""
    same: Any = None
    for name, column in zip(raw.names, raw.columns, strict=True):
        if raw.typed or not pa.types.is_string(column.type):
            return raw
        here = pc.equal(column, name)
        same = here if same is None else pc.and_(same, here)
        if not pc.any(same).as_py():
            return raw
    rows = np.flatnonzero(~as_mask(same.combine_chunks()))
    first = raw.where(int(np.argmax(as_mask(same.combine_chunks()))))
    n = len(raw.columns[0]) - len(rows)
    note = f"{n} row{'s' * (n > 1)} that repeat{'s' * (n == 1)} the header left out: {first}"
    return replace(
        raw,
        columns=tuple(column.take(pa.array(rows)) for column in raw.columns),
        notes=(*raw.notes, note),
        where=lambda row: raw.where(int(rows[row])),
    )


def _decimal(raw: Raw, columns: Any) -> str:
    """The decimal mark of a text file."""
    return decimal_of(heads(columns, DECIMAL_ROWS), raw.layout["delimiter"]) if raw.layout else "."


def _typed(raw: Raw, name: str, column: Any, options: Options, decimal: str, source: str) -> Column:
    """One column in its type, errors with file and column."""
    asked = options.types.get(name)
    if isinstance(column.type, pa.DictionaryType) and not pa.types.is_null(column.type.value_type):
        whole = isinstance(column, pa.ChunkedArray)
        column = each_level_once(column if whole else pa.chunked_array([column]))
    elif isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()

    try:
        if name in options.domains:
            domain = options.domains[name]
            domain = replace(domain, ordered=domain.ordered or asked == "ordinal")
            return in_domain(column, domain, name, raw.where, fold_case=options.fold_case)
        if asked == "ordinal":
            raise ParameterError("ordinal needs the order of its levels. Hint: --domains file.")
        kind = kind_of(column.type)
        if kind is None:
            raise DataError(f"it holds values of type {column.type}. Hint: drop it, or flatten it.")
        if kind != "text" and asked == "text":
            return Column(pc.cast(column, pa.string()), "text")
        if kind == "text" and not isinstance(column.type, pa.DictionaryType):
            said = options.missing_values
            missing = None if said is None else frozenset(said)
            if raw.typed and asked is None:
                return _folded(_declared_text(column, missing), options)
            read = read_texts(
                column.cast(pa.string()),
                asked,
                missing_values=missing,
                decimal=decimal,
                label=name == options.target,
                where=raw.where,
                name=name,
            )
            return _folded(read, options)
        if asked is not None and asked != kind:
            return read_texts(pc.cast(column, pa.string()), asked, where=raw.where, name=name)
        return _folded(_exact(column, kind), options)
    except BoscoError as error:
        raise type(error)(f"{source}, column {name!r}: {error}") from None


def _folded(column: Column, options: Options) -> Column:
    """Make levels one that differ in case only, if that is asked for."""
    if not options.fold_case or column.kind != "text":
        return column
    said = alike(column.values)
    if not said:
        return column
    notes = (*column.notes, f"{said}: read as one")
    return replace(column, values=fold_case(column.values), notes=notes)


def kind_of(arrow: Any) -> str | None:
    """Name the kind of an Arrow type; None for nested and binary ones."""
    types = pa.types
    if isinstance(arrow, pa.DictionaryType):
        return "ordinal" if arrow.ordered else "text"
    if types.is_timestamp(arrow):
        return "instant" if arrow.tz else "datetime"
    for kind, test in (
        ("boolean", types.is_boolean),
        ("text", types.is_string),
        ("text", types.is_large_string),
        ("text", types.is_string_view),
        ("date", types.is_date),
        ("time", types.is_time),
        ("duration", types.is_duration),
        ("number", types.is_integer),
        ("number", types.is_floating),
        ("number", types.is_decimal),
        ("number", types.is_null),
    ):
        if test(arrow):
            return kind
    return None


def _declared_text(column: Any, missing: frozenset[str] | None) -> Column:
    """Text of a format that has types: meant as text, unless the user says what is missing."""
    if missing is not None:
        return read_texts(column.cast(pa.string()), "text", missing_values=missing)
    looks = read_texts(column.cast(pa.string()))
    alike = looks.kind not in ("text", "boolean")
    notes = (f"text that looks like {looks.kind}s; kept as text",) if alike else ()
    return Column(column.cast(pa.string()), "text", {}, notes)


def _exact(column: Any, kind: str) -> Column:
    """A column of a format that has types; whole numbers that no float64 holds become text."""
    if pa.types.is_null(column.type):
        return Column(pa.nulls(len(column), pa.float64()), kind)
    if pa.types.is_integer(column.type):
        low, high = (x.as_py() for x in pc.min_max(column).values())
        if low is not None and max(-low, high) > 2**53:
            note = "whole numbers beyond 2**53: read as text"
            return Column(pc.cast(column, pa.string()), "text", {}, (note,))
    return Column(column, kind)


def _with_target(table: Any, target: str, source: str) -> tuple[Any, int]:
    """Leave out the rows that cannot be learned from."""
    known = pc.is_valid(table.column(target))
    left_out = table.num_rows - pc.sum(known).as_py()
    if left_out == table.num_rows:
        raise DataError(f"{source}, column {target!r}: the target has no value in any row.")
    return (table.filter(known) if left_out else table), left_out


def _refuse_infinity(column: Any, where: str, what: str, raw: Raw) -> None:
    if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
        row = pc.index(pc.is_inf(column), True).as_py()
        raise DataError(
            f"{where}, {raw.where(row)}: {column[row].as_py()} is no {what}. "
            "Hint: leave the cell empty if it is not known."
        )


def check_weights(column: Any, name: str, source: str) -> None:
    """Refuse a column that cannot be weights."""
    if kind_of(column.type) != "number":
        raise DataError(f"{source}, column {name!r}: weights must be numbers.")
    if column.null_count or (pc.min(column).as_py() or 0) < 0:
        raise DataError(f"{source}, column {name!r}: weights must be there, and not negative.")


def _see(name: str, column: Column | None, table: Any, options: Options, raw: Raw) -> Seen:
    """What there is to say about one column."""
    if column is None:
        return Seen(name, "", "dropped")
    values = table.column(name).combine_chunks()
    levels, words = describe(values, column.kind)
    role = {options.target: "target", options.weight: "weight"}.get(name, "input")
    odd = list(column.notes)
    if role == "input":
        target = None
        if options.target is not None:
            target = table.column(options.target).combine_chunks()
        odd += oddities(values, column.kind, target, nearly=column.nearly)
    spellings = {text: n for text, n in column.missing.items() if n}
    seen = Seen(name, column.kind, role, levels, words, values.null_count, spellings, tuple(odd))
    return seen if seen.identifier else replace(seen, odd=(*odd, *_slips(seen, column, raw)))


def _slips(seen: Seen, column: Column, raw: Raw) -> list[str]:
    """Cells that may be slips of the pen: levels but for case, and values far from all others."""
    if seen.kind == "text" and not any("differ in case" in note for note in seen.odd):
        said = alike(column.values)
        what = "classes" if seen.role == "target" else "levels"
        return [f"{said}: read as different {what}. --fold-case makes them one"] if said else []
    if seen.kind in ("number", "date", "datetime", "instant"):
        said = far(column.values, floats_of(column.values), raw.where)
        return [said] if said else []
    return []
