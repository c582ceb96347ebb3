"""A place as a stream of rows: files of any format, and databases.

No more than some rows are in memory at once; files of JSON, Excel and ARFF are, as a whole.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from bosco.errors import DataError, ParameterError
from bosco.tables.delimited import dialect_of, open_delimited
from bosco.tables.formats import (
    asked_duckdb,
    first_line,
    from_objects,
    need,
    only_table,
    sqlite_tables,
    without_wrapping,
)
from bosco.tables.options import Options
from bosco.tables.reading import read_file
from bosco.tables.sources import Source, open_source, rename, shown, unsaid

_CELLS = 1 << 22  # of a batch
_ROWS = 1 << 17

Batches = Callable[[], Iterator[Any]]


@dataclass(frozen=True)
class Stream:
    """Rows of one place, batch by batch, as often as they are asked for."""

    name: str  # of the place, for messages
    names: tuple[str, ...]  # of the columns
    batches: Batches = field(repr=False)  # of Arrow, with these columns
    typed: bool = True  # the format says what its columns are
    rows: int | None = None  # how many, if that is known beforehand
    nameless: frozenset[str] = frozenset()  # columns that have no name in the file
    delimiter: str = ""  # of text
    header: bool | None = None
    stamp: Callable[[], Any] = field(default=lambda: None, repr=False)  # changes with the file

    def read(self) -> Iterator[Any]:
        """All batches that have rows; a file that changes meanwhile is an error."""
        before = self.stamp()
        for batch in self.batches():
            if batch.num_rows:
                yield batch
        if self.stamp() != before:
            raise DataError("it changed while it was read. Hint: wait until it is complete.")


def open_stream(place: str, options: Options) -> Stream:
    """Find a place, its format and its columns."""
    with open_source(place) as source:  # only standard input is gone after this
        if source.format in ("parquet", "arrow") and source.compression is None:
            return _parquet(source) if source.format == "parquet" else _arrow(source)
        opened = _OPENED.get(source.format, _whole)
        return opened(source, options)


def _about(source: Source, names: Any, batches: Batches, **more: Any) -> Stream:
    path = source.path

    def stamp() -> Any:
        if "://" in path:
            return None
        about = Path(path).stat()
        return about.st_ino, about.st_size, about.st_mtime_ns

    return Stream(shown(path), tuple(names), batches, stamp=stamp, **more)


def rows_at_once(n_columns: int) -> int:
    """How many rows a batch has at most."""
    return max(1024, min(_ROWS, _CELLS // max(1, n_columns)))


def _parquet(source: Source) -> Stream:
    parquet = need("pyarrow.parquet", "Parquet files")
    with parquet.ParquetFile(source.path) as file:
        names, rows = file.schema_arrow.names, file.metadata.num_rows

    def batches() -> Iterator[Any]:
        # Buffered: otherwise all bytes of a group of rows are in memory at once.
        with parquet.ParquetFile(source.path, buffer_size=1 << 18, pre_buffer=False) as file:
            yield from file.iter_batches(rows_at_once(len(names)))

    return _about(source, names, batches, rows=rows)


def _arrow(source: Source) -> Stream:
    if source.head.startswith(b"FEA1"):
        return _whole(source, Options())
    with pa.memory_map(source.path) as mapped:
        names = pa.ipc.open_file(mapped).schema.names

    def batches() -> Iterator[Any]:
        with pa.memory_map(source.path) as mapped:
            file = pa.ipc.open_file(mapped)
            for k in range(file.num_record_batches):
                yield from _sound(file.get_batch(k))

    return _about(source, names, batches)


def _arrow_stream(source: Source, _: Options) -> Stream:
    with source.open() as stream:
        names = pa.ipc.open_stream(stream).schema.names

    def batches() -> Iterator[Any]:
        with source.open() as stream:
            for batch in pa.ipc.open_stream(stream):
                yield from _sound(batch)

    return _about(source, names, batches)


def _sound(batch: Any) -> Iterator[Any]:
    """A batch in pieces; Arrow trusts the offsets of a file, wherever they point."""
    batch.validate(full=True)
    step = rows_at_once(batch.num_columns)
    return (batch.slice(start, step) for start in range(0, batch.num_rows, step))


def _text(source: Source, options: Options) -> Stream:
    dialect = dialect_of(source, options)
    names, _ = rename(dialect.names)
    nameless = (new for new, old in zip(names, dialect.names, strict=True) if not old.strip())

    def batches() -> Iterator[Any]:
        for batch in open_delimited(source, dialect, list(range(len(names)))):
            yield _without_header(pa.table(batch.columns, names), dialect.names)

    return _about(
        source,
        names,
        batches,
        typed=False,
        nameless=frozenset(nameless),
        delimiter=dialect.delimiter,
        header=dialect.header,
    )


def _without_header(table: Any, header: tuple[str, ...]) -> Any:
    """Leave out rows that repeat the header, as files joined end to end have them."""
    same = None
    for column, name in zip(table.columns, header, strict=True):
        here = pc.equal(column, name)
        same = here if same is None else pc.and_(same, here)
        if not pc.any(same).as_py():
            return table
    return table.filter(pc.invert(same))


def _whole(source: Source, options: Options) -> Stream:
    """What cannot be read in parts, typed by itself."""
    layout = ("missing_values", "encoding", "sheet", "decimal", "header")
    own = Options(**{name: getattr(options, name) for name in layout})
    table = read_file(source.path, own).table

    def batches() -> Iterator[Any]:
        return iter(
            table.combine_chunks().to_batches(max_chunksize=rows_at_once(len(table.columns)))
        )

    return _about(source, table.column_names, batches, rows=table.num_rows)


def _sqlite(source: Source, options: Options) -> Stream:
    def opened() -> Any:
        return closing(sqlite3.connect(f"file:{quote(source.path)}?mode=ro", uri=True))

    with opened() as connection:
        query = options.query or only_table(sqlite_tables(connection), source)
        cursor = connection.execute(query)
        if cursor.description is None:
            raise ParameterError(f"The query gives no table: {query!r:.60}.")
        names, _ = rename([column[0] for column in cursor.description])

    def batches() -> Iterator[Any]:
        with opened() as connection:
            cursor = connection.execute(query)
            while rows := cursor.fetchmany(rows_at_once(len(names))):
                yield pa.table([from_objects(list(c)) for c in zip(*rows, strict=True)], names)

    return _about(source, names, batches, typed=False)


def _duckdb(source: Source, options: Options) -> Stream:
    with asked_duckdb(source, options) as relation:
        names = relation.columns

    def batches() -> Iterator[Any]:
        with asked_duckdb(source, options) as relation:
            read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
            yield from read(rows_at_once(len(names)))

    return _about(source, names, batches)


def _postgresql(source: Source, options: Options) -> Stream:
    dbapi = need("adbc_driver_postgresql.dbapi", "PostgreSQL tables")
    query = options.query
    if query is None:
        raise ParameterError(f"{source.name} is a database: which table, or query, is wanted?")

    def batches(asked: str = query) -> Iterator[Any]:
        try:
            with dbapi.connect(source.path) as connection, connection.cursor() as cursor:
                cursor.execute(asked)
                reader = cursor.fetch_record_batch()
                yield reader.schema
                for batch in reader:
                    table = pa.Table.from_batches([batch])
                    plain = [without_wrapping(column) for column in table.columns]
                    yield from _sound(pa.table(plain, table.column_names))
        except dbapi.Error as error:
            raise DataError(f"{unsaid(first_line(error), source.path)}.") from None

    names = next(batches(f"SELECT * FROM ({query.rstrip().rstrip(';')}) AS asked LIMIT 0")).names

    def rows() -> Iterator[Any]:
        found = batches()
        next(found)
        yield from found

    return _about(source, names, rows)


_OPENED: dict[str, Callable[[Source, Options], Stream]] = {
    "csv": _text,
    "arrow stream": _arrow_stream,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "postgresql": _postgresql,
}
