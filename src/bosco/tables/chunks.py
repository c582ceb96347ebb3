"""A file of any size, chunk by chunk, typed as a model's schema says.

Nothing is guessed about types here: the schema knows them. A level the schema does not know is
missing, as it is to the model; a text where a number is wanted is an error, with its line.
"""

import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bosco.data.columns import Level
from bosco.data.schema import Column, Schema, say_lacking
from bosco.errors import BoscoError, DataError
from bosco.tables.cells import read_texts
from bosco.tables.delimited import dialect_of, line_of, open_delimited
from bosco.tables.formats import need
from bosco.tables.numbers import decimal_of
from bosco.tables.options import Options, require_columns
from bosco.tables.places import Keys, files_of, is_many, settle_keys
from bosco.tables.reading import READERS, kind_of
from bosco.tables.sources import Source, open_source, rename, row_number
from bosco.tables.spellings import is_blank, level_text, places_of

ROWS = 200_000
"""At most so many rows are in memory at once."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a file.

    Attributes
    ----------
    X : pyarrow.Table
        The columns of the schema, typed as it says; those that nobody needs if they are there.
        Texts that are no level of the schema stay as they are.
    kept : pyarrow.Table
        Columns to be handed on as they are.
    start : int
        Number of the first row.
    unknown : dict of str to int
        Per column, how many values are levels that the schema does not know.
    """

    X: Any
    kept: Any
    start: int
    unknown: dict[str, int] = field(default_factory=dict)


def read_chunks(
    place: str | Path,
    like: Schema,
    *,
    rows: int = ROWS,
    needed: Collection[str] | None = None,
    keep: Sequence[str] = (),
    options: Options | None = None,
) -> Iterator[Chunk]:
    r"""Read a file in chunks, its columns typed as a schema says.

    CSV and Parquet files are never in memory as a whole; other formats are.

    Parameters
    ----------
    place : path or address
        As for `read_file`; also a folder, or a pattern such as ``new/*.csv``.
    like : Schema
        What the columns are, such as ``model.schema``.
    rows : int, default=200_000
        Rows of a chunk at most.
    needed : collection of str, optional
        Columns of the schema that must be there, such as ``model.columns_asked``; the others are
        left out where they are not there or not as the schema says. By default all are needed.
    keep : sequence of str
        Columns to hand on untouched.
    options : Options, optional
        How the file is written: delimiter, decimal, encoding, types of dates (date:dmy).

    Examples
    --------
    >>> _ = Path("new.csv").write_text("id,age,sex\n7,31,f\n8,?,x\n")
    >>> schema = Schema.infer({"sex": ["f", "m"], "age": [20, 30]})
    >>> for chunk in read_chunks("new.csv", schema, keep=["id"]):
    ...     print(chunk.X["age"].to_pylist(), chunk.X["sex"].to_pylist(), chunk.unknown)
    [31, None] ['f', 'x'] {'sex': 1}
    """
    options = options or Options()
    must = frozenset(like.names if needed is None else needed)
    start = 0
    for file, keys in _files(str(place)):
        n_rows = 0
        for chunk in _of_one(file, keys, like, rows, must, keep, options):
            yield replace(chunk, start=start + chunk.start)
            n_rows = chunk.start + chunk.X.num_rows
        start += n_rows


def _files(place: str) -> list[tuple[str, Keys]]:
    return settle_keys(files_of(place)) if is_many(place) else [(place, {})]


def _of_one(
    place: str,
    keys: Keys,
    like: Schema,
    rows: int,
    must: frozenset[str],
    keep: Sequence[str],
    options: Options,
) -> Iterator[Chunk]:
    """The chunks of one file; `keys` are columns that have one value in it."""
    inside = replace(like, columns=tuple(c for c in like.columns if c.name not in keys))
    with open_source(place) as source:
        own = [name for name in keep if name not in keys]
        batches, where = _open(source, inside, must - keys.keys(), own, rows, options)
        decimal, start = options.decimal, 0
        for batch in batches:
            if decimal is None:  # what the columns of numbers say
                numbers = [c.name for c in like.columns if c.levels is None]
                there = [n for n in numbers if n in batch.column_names]
                decimal = decimal_of(batch.select(there).columns, ",")
            for offset in range(0, batch.num_rows, rows):
                part = batch.slice(offset, rows)
                for name, value in keys.items():
                    text = pa.scalar(None if value is None else str(value), pa.string())
                    part = part.append_column(name, pa.repeat(text, part.num_rows))
                yield typed(part, like, keep, start, decimal, options, where, source.name, must)
                start += part.num_rows


def estimate_rows(place: str | Path) -> int | None:
    r"""Guess how many rows a file has, for a progress bar; None if there is no telling.

    Examples
    --------
    >>> _ = Path("new.csv").write_text("age\n31\n22\n")
    >>> estimate_rows("new.csv")
    2
    """
    if str(place) == "-":
        return None
    if is_many(str(place)):
        found = [estimate_rows(file) for file, _ in files_of(str(place))]
        return None if None in found else sum(n for n in found if n is not None)
    with open_source(place) as source:
        if source.compression is not None or source.format not in ("csv", "parquet"):
            return None
        if source.format == "parquet":
            n_rows: int = need("pyarrow.parquet", "Parquet files").read_metadata(place).num_rows
            return n_rows
        lines = source.head.count(b"\n")
        size = Path(source.path).stat().st_size
        return max(int(lines * size / max(len(source.head), 1)) - 1, 0)


def _open(
    source: Source,
    like: Schema,
    needed: Collection[str],
    keep: Sequence[str],
    rows: int,
    options: Options,
) -> tuple[Iterator[Any], Callable[[int], str]]:
    """Batches of the columns wanted, and what says where a row is."""
    if source.format == "csv":
        dialect = dialect_of(source, options)
        names, _ = rename(dialect.names)
        wanted = _places(names, like, needed, keep, source.name)
        chosen = [names[j] for j in wanted]

        def line(row: int) -> str:
            with source.open() as stream:
                return f"line {line_of(stream, dialect, row)}"

        batches = (
            pa.table(batch.columns, chosen) for batch in open_delimited(source, dialect, wanted)
        )
        return batches, line
    if source.format == "parquet" and source.compression is None:
        parquet = need("pyarrow.parquet", "Parquet files")
        try:
            file = parquet.ParquetFile(source.path)
        except pa.ArrowInvalid as error:
            raise DataError(f"{source.name} is not a whole Parquet file: {error}.") from None
        names = tuple(file.schema_arrow.names)
        chosen = [names[j] for j in _places(names, like, needed, keep, source.name)]
        stream = file.iter_batches(rows, columns=chosen)
        return (pa.table(b.columns, b.schema.names) for b in stream), row_number
    raw = READERS[source.format](source, options)
    names, _ = rename(raw.names)
    wanted = _places(names, like, needed, keep, source.name)
    table = pa.table([raw.columns[j] for j in wanted], [names[j] for j in wanted])
    return iter([table]), raw.where


def _places(
    names: Sequence[str], like: Schema, needed: Collection[str], keep: Sequence[str], source: str
) -> list[int]:
    """Where the columns of the schema, and those to keep, are in the file."""
    require_columns(keep, names, source)
    place = {name: j for j, name in reversed([*enumerate(names)])}  # of equal names, the first
    asked = set(needed)
    there = [name for name in like.names if name in place]
    lost = [name for name in like.names if name in asked and name not in place]
    if lost:
        raise DataError(say_lacking(lost, names, like, source))
    if not there:
        raise DataError(f"{source} has none of the columns of the model.")
    return list(dict.fromkeys(place[name] for name in (*there, *keep)))


def typed(
    part: Any,
    like: Schema,
    keep: Sequence[str],
    start: int,
    decimal: str,
    options: Options,
    where: Callable[[int], str],
    source: str,
    needed: Collection[str],
) -> Chunk:
    """Type the columns of some rows as a schema says."""
    cells, unknown = {}, {}
    for column in like.columns:
        if column.name not in part.column_names:
            continue
        values = part.column(column.name).combine_chunks()
        try:
            if column.levels is not None and column.unit != "boolean":
                cells[column.name], strange = _levels(values, column.levels, options.fold_case)
                if strange:
                    unknown[column.name] = strange
            else:
                asked = options.types.get(column.name)
                cells[column.name] = _cells(
                    values, column, asked, decimal, lambda row: where(start + row)
                )
        except BoscoError as error:
            if column.name not in needed:
                continue
            raise DataError(f"{source}, column {column.name!r}: {error}") from None
    return Chunk(pa.table(cells), part.select(list(keep)), start, unknown)


def _cells(
    values: Any, column: Column, said: str | None, decimal: str, where: Callable[[int], str]
) -> Any:
    """Numbers, truth values or dates; what is none of them is an error unless the type was said."""
    asked = said or column.unit
    kind = kind_of(values.type)
    if kind != "text":
        return values
    if asked == "number" and decimal == ".":
        quick = _quick_numbers(values)
        if quick is not None:
            return quick
    asked = {"instant": "datetime"}.get(asked, asked)
    if asked in ("time", "duration"):
        raise DataError(f"a {column.unit} cannot be read from text. Hint: use Parquet or Arrow.")
    read = read_texts(values.cast(pa.string()), asked, decimal=decimal, where=where)
    if read.stranger and said is None:
        word = shlex.quote(f"{column.name}={asked}")
        raise DataError(
            f"{read.stranger} is not a {asked}. Hint: --types {word} reads it as missing."
        )
    return read.values


def _quick_numbers(values: Any) -> Any:
    """Plain numbers and empty cells, as most files have them; None if there is anything else."""
    with suppress(pa.ArrowInvalid):
        return pc.cast(values, pa.float64())
    with suppress(pa.ArrowInvalid):
        empty = pa.scalar(None, pa.string())
        return pc.cast(pc.if_else(pc.equal(values, ""), empty, values), pa.float64())
    return None


def _levels(values: Any, levels: tuple[Level, ...], fold_case: bool) -> tuple[Any, int]:
    """Codes among the levels of a column, and among others; how many values are none of them."""
    coded = values if isinstance(values.type, pa.DictionaryType) else values.dictionary_encode()
    texts = [level_text(value) for value in coded.dictionary.to_pylist()]
    codes = np.array(places_of(texts, levels, fold_case) or [-1], np.int32)
    rows = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    given = np.array([not is_blank(t) for t in texts] or [False])
    strange = int(np.count_nonzero((codes[rows] < 0) & (rows >= 0) & given[rows]))
    known = list(levels)
    if strange and all(isinstance(level, str) for level in levels):  # they stay what they are
        others = dict.fromkeys(texts[k] for k in np.flatnonzero((codes < 0) & given))
        place = {text: len(known) + k for k, text in enumerate(others)}
        codes = np.array([place.get(t, c) for t, c in zip(texts, codes.tolist(), strict=True)])
        known += others
    found = np.where(rows < 0, np.int32(-1), codes[rows].astype(np.int32))
    indices = pa.array(found, mask=found < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(known)), strange
