"""Delimited text (CSV, TSV, …) as columns of text.

pyarrow parts the rows and is strict about them; types are decided afterwards, from the text, where
everything that was written can still be seen.
"""

import codecs
import csv
import io
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.csv as pcsv

from bosco.errors import DataError
from bosco.tables.bygroups import ByGroups, columns_at_once
from bosco.tables.dialects import (
    FALLBACK,
    Dialect,
    encoding_of,
    find_dialect,
    refuse_binary,
    rows_of,
)
from bosco.tables.options import Options
from bosco.tables.sources import HEAD, Raw, Source

_BLOCK = 1 << 20
_STREAM_BLOCK = 1 << 22
_NAMED = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
_SHOWN = {"utf-8-sig": "UTF-8", "cp1252": "Windows-1252 (Latin-1)"}


def dialect_of(source: Source, options: Options) -> Dialect:
    """Find the layout and the encoding of a text file from its first bytes."""
    head = source.head
    encoding = options.encoding or encoding_of(head)
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8-sig"  # which takes a mark at the beginning, or none
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    refuse_binary(text, source.name)
    return find_dialect(
        text,
        encoding,
        source.name,
        whole=len(head) < HEAD,
        delimiter=options.delimiter,
        header=options.header,
    )


def read_delimited(source: Source, options: Options, *, spare: bool = False) -> Raw:
    """Read a whole text file into columns of text; of one that is not packed no bytes are kept.

    `spare` memory: of a large file columns are read in groups, each when it is asked for.
    """
    opened = source.open if source.compression is None else _unpacked(source.read())
    dialect = dialect_of(source, options)
    size = _size_of_text(opened, dialect, source.name)

    def read(columns: list[int] | None) -> tuple[Any, str]:
        table, encoding = _read(opened, size, dialect, options, source.name, columns)
        if _holds_lines(table.slice(max(0, table.num_rows - 1))):
            _refuse_open_quote(opened, dialect, source.name)
        return table, encoding

    n = len(dialect.names)
    wide = columns_at_once(n, size) if spare and source.compression is None else n
    parted = wide < n and dialect.encoding == "utf-8-sig" and _is_utf8(opened)
    table, encoding = read(list(range(wide)) if parted else None)
    columns: Sequence[Any] = tuple(table.columns)
    if parted and 0 < table.num_columns < n and table.num_rows:
        head = partial(_head, opened, dialect, encoding)
        columns = ByGroups(lambda some: read(some)[0], table, n, head)
    notes = list(dialect.notes)
    if encoding == FALLBACK and options.encoding is None:
        notes.append("not UTF-8: read as Windows-1252 (Latin-1)")
    delimiter = _NAMED.get(dialect.delimiter, repr(dialect.delimiter))
    shown = _SHOWN.get(encoding, encoding.upper())
    return Raw(
        names=dialect.names,
        columns=columns,
        format=f"text, {shown}, {delimiter}"
        + (f", {source.compression}" * bool(source.compression)),
        notes=tuple(notes),
        where=lambda row: f"line {_line_in(opened, dialect, row)}",
        layout={
            "delimiter": dialect.delimiter,
            "encoding": encoding.removesuffix("-sig"),
            "header": dialect.header,
        },
    )


def _unpacked(data: bytes) -> Callable[[], Any]:
    return lambda: pa.BufferReader(data)


def _size_of_text(opened: Callable[[], Any], dialect: Dialect, name: str) -> int:
    """How many bytes there are; refused if one of them is no text."""
    size, plain = 0, not dialect.encoding.startswith(("utf-16", "utf-32"))
    with opened() as stream:
        while piece := stream.read(_BLOCK):
            if plain and b"\x00" in piece:
                with opened() as again:
                    refuse_binary(again.read().decode(dialect.encoding, "replace"), name)
            size += len(piece)
    return size


def _line_in(opened: Callable[[], Any], dialect: Dialect, row: int) -> int:
    with opened() as stream:
        return line_of(stream, dialect, row)


def open_delimited(source: Source, dialect: Dialect, columns: list[int]) -> Iterator[Any]:
    """Read some columns of a text file, given by their places, block by block, as text."""
    settings = _settings(dialect, dialect.encoding, _STREAM_BLOCK, columns)
    last = None
    try:
        with source.open() as stream:
            for batch in pcsv.open_csv(stream, **settings):
                if batch.num_rows:
                    last = batch.slice(batch.num_rows - 1)
                yield batch
        if last is not None and _holds_lines(last):
            _refuse_open_quote(source.open, dialect, source.name)
    except (pa.ArrowInvalid, UnicodeError) as error:
        if _is_short(error):
            return
        if _is_long(error):
            _refuse_open_quote(source.open, dialect, source.name)
        with source.open() as again:
            raise _explain(error, again, dialect, source.name) from None


def _is_utf8(opened: Callable[[], Any]) -> bool:
    """Whether all bytes are UTF-8, also those of columns that are read later."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with opened() as stream:
            while piece := stream.read(_BLOCK):
                decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _head(opened: Callable[[], Any], dialect: Dialect, encoding: str, n: int) -> list[Any]:
    """The first rows of every column."""
    block = _STREAM_BLOCK
    while True:
        found: list[Any] = []
        try:
            with opened() as stream:
                for batch in pcsv.open_csv(stream, **_settings(dialect, encoding, block)):
                    found.append(batch)
                    if sum(one.num_rows for one in found) >= n:
                        break
            columns: list[Any] = pa.Table.from_batches(found).slice(0, n).columns
            return columns
        except pa.ArrowInvalid as error:
            if not _is_long(error):
                raise
            block *= 16  # a line longer than a block


def _read(
    opened: Callable[[], Any],
    size: int,
    dialect: Dialect,
    options: Options,
    name: str,
    columns: list[int] | None = None,
) -> tuple[Any, str]:
    """The rows, and the encoding that fitted; a file that is not UTF-8 after all is read again."""
    encodings = [dialect.encoding]
    if options.encoding is None:
        encodings += [e for e in (FALLBACK, "latin-1") if e != dialect.encoding]
    error: Exception | None = None
    for encoding in encodings:
        block = _BLOCK
        while True:
            try:
                settings = _settings(dialect, encoding, block, columns, alone=columns is not None)
                with opened() as stream:
                    return pcsv.read_csv(stream, **settings), encoding
            except (pa.ArrowInvalid, UnicodeError) as caught:
                error = caught
                if _is_short(caught):
                    empty = pa.array([], pa.string())
                    return pa.table([empty] * len(dialect.names), _places(dialect)), encoding
                if not _is_long(caught) or block > size:
                    break
                block *= 16  # a line longer than a block
        if not _is_undecodable(error):
            break
    assert error is not None
    with opened() as again:
        raise _explain(error, again, dialect, name) from None


def _places(dialect: Dialect) -> list[str]:
    """Names of columns by their place: those of the file may repeat."""
    return [str(j) for j in range(len(dialect.names))]


def _settings(
    dialect: Dialect,
    encoding: str,
    block: int,
    columns: list[int] | None = None,
    *,
    alone: bool = False,
) -> dict[str, Any]:
    """pyarrow's options: everything is text, nothing is missing, a ragged row is an error.

    `alone`: by one thread, as each of several would keep memory for itself.
    """
    names = _places(dialect)
    plain = "utf8" if encoding == "utf-8-sig" else encoding
    return {
        "read_options": pcsv.ReadOptions(
            skip_rows=dialect.skip,
            column_names=names,
            encoding=plain,
            block_size=block,
            use_threads=not alone,
        ),
        "parse_options": pcsv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True),
        "convert_options": pcsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[],
            include_columns=None if columns is None else [names[j] for j in columns],
        ),
    }


def _is_short(error: Exception) -> bool:
    """Nothing after the header."""
    return "Could not skip initial" in str(error) or "Empty CSV file" in str(error)


def _is_long(error: Exception) -> bool:
    """A row is longer than a block."""
    return "straddl" in str(error)


def _is_undecodable(error: Exception) -> bool:
    return isinstance(error, UnicodeError) or "invalid UTF8" in str(error)


def _explain(error: Exception, data: Any, dialect: Dialect, name: str) -> DataError:
    """pyarrow's error with the line it is about."""
    ragged = _first_ragged(data, dialect) if "Expected" in str(error) else None
    if ragged is not None:
        line, n = ragged
        return DataError(
            f"{name}, line {line}: {n} cell{'s' * (n != 1)} where the header has "
            f"{len(dialect.names)}. Hint: a cell that holds {dialect.delimiter!r} must be quoted; "
            f"if another delimiter is meant, name it."
        )
    if _is_undecodable(error):
        return DataError(
            f"{name} is not in {dialect.encoding}: {error}. Hint: name the encoding, such as "
            f"latin-1."
        )
    if _is_long(error):
        return DataError(
            f"{name} has a row of more than {_STREAM_BLOCK:,} bytes, which is too long to be read "
            f"part by part."
        )
    return DataError(f"{name} cannot be read as a table: {error}.")


def _rows(data: Any, dialect: Dialect) -> Iterator[tuple[int, int]]:
    """For every row of data, the line it begins at, and its number of cells."""
    before = dialect.skip
    with io.TextIOWrapper(data, dialect.encoding, "replace", newline="") as text:
        for end, row in rows_of(text, dialect.delimiter):
            if end > dialect.skip and row:
                yield before + 1, len(row)
            before = end


def _first_ragged(data: Any, dialect: Dialect) -> tuple[int, int] | None:
    """The line at which the first row of another length begins, and that length."""
    cells = len(dialect.names)
    return next((found for found in _rows(data, dialect) if found[1] != cells), None)


def line_of(data: Any, dialect: Dialect, row: int) -> int:
    r"""Find the line at which a row of data begins, in a stream of the file's bytes."""
    return next((line for line, _ in islice(_rows(data, dialect), row, None)), dialect.skip)


def _refuse_open_quote(opened: Callable[[], Any], dialect: Dialect, name: str) -> None:
    """A quote that is never closed swallows the rest of the file; pyarrow does not mind.

    `opened` gives all bytes. The row that it opens in is the last one, and its cell the last of it.
    """
    with opened() as data:
        line, cells = deque(_rows(data, dialect), maxlen=1).pop()
    try:
        with (
            opened() as data,
            io.TextIOWrapper(data, dialect.encoding, "replace", newline="") as text,
        ):
            list(csv.reader(islice(text, line - 1, None), delimiter=dialect.delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" not in str(error):
            return
        column = min(cells, len(dialect.names))
        raise DataError(
            f"{name}, line {line}, column {column} ({dialect.names[column - 1]!r}): the quote is "
            f"never closed. Hint: close it, or double quotes inside a cell."
        ) from None


def _holds_lines(row: Any) -> bool:
    """Whether a row, as a table or a batch, has a cell of several lines."""
    return any("\n" in cell or "\r" in cell for cells in row.to_pylist() for cell in cells.values())
