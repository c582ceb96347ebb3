"""Tables written chunk by chunk, into a file that appears whole or not at all.

Columns that are handed on are text as it is written in text, and typed in a file that has types.
"""

import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv as pcsv

from bosco.base.safe_files import whole_file
from bosco.data.schema import Schema
from bosco.errors import BoscoError, DataError, ParameterError
from bosco.tables.cells import read_texts
from bosco.tables.formats import need
from bosco.tables.numbers import decimal_of
from bosco.tables.sources import SUFFIXES

_KINDS = ("number", "date", "datetime", "boolean")
_OTHERS = {".json", ".jsonl", ".ndjson", ".arff", ".tsv", ".db", ".html"}.union(
    *(names for kind, names in SUFFIXES.items() if kind != "parquet")
)
"""What names of files promise that are not written here."""

_PACKED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


def write_chunks(place: str | Path, chunks: Iterable[Any]) -> int:
    """Write tables one after the other into one CSV or Parquet file, and count the rows.

    Parameters
    ----------
    place : path
        ``….parquet``, or CSV under any other name that promises nothing else, packed if it ends in
        .gz, .zst or .bz2; ``-`` is CSV on standard output.
    chunks : iterable of pyarrow.Table
        All with the same columns; none is kept.

    Examples
    --------
    >>> write_chunks("a.csv", [pa.table({"x": [1]}), pa.table({"x": [2]})])
    2
    >>> Path("a.csv").read_text().split()
    ['"x"', '1', '2']
    """
    if str(place) == "-":
        rows = _write(sys.stdout.buffer, "csv", None, chunks)
        sys.stdout.buffer.flush()
        return rows
    path = Path(place)
    if path.suffix.lower() in _OTHERS:
        raise ParameterError(
            f"{path.name}: tables are written as CSV or Parquet, not as {path.suffix}. "
            f"Hint: {path.stem}.csv."
        )
    form = "parquet" if path.suffix.lower() in (".parquet", ".pq") else "csv"
    with whole_file(path) as file:
        return _write(file, form, _PACKED.get(path.suffix.lower()), chunks)


def _write(file: IO[bytes], form: str, packed: str | None, chunks: Iterable[Any]) -> int:
    rows = 0
    with ExitStack() as open_until_done:
        sink = pa.PythonFile(file, "w")
        if packed is not None:
            sink = open_until_done.enter_context(pa.CompressedOutputStream(sink, packed))
        writer = None
        for chunk in chunks:
            if writer is None:
                writer = open_until_done.enter_context(_writer(sink, form, chunk.schema))
            writer.write_table(chunk)
            rows += chunk.num_rows
    return rows


def _writer(sink: Any, form: str, schema: Any) -> Any:
    if form == "parquet":
        return need("pyarrow.parquet", "Parquet files").ParquetWriter(sink, schema)
    return pcsv.CSVWriter(sink, schema)


class Typing:
    """Types the text of columns, chunk by chunk: what the first rows say holds for all.

    `like` knows the columns of a model, and `types` is what the user says, as in `Options`.
    """

    def __init__(self, like: Schema, types: Mapping[str, str]) -> None:
        known = {c.name: c.unit for c in like.columns if c.unit in _KINDS and c.levels is None}
        self._kinds: dict[str, str] = {**known, **types}
        self._found: dict[str, Any] = {}
        self._decimal: str | None = None

    def __call__(self, table: Any) -> Any:
        """Type one chunk."""
        texts = {
            name: table.column(name).combine_chunks()
            for name in table.column_names
            if pa.types.is_string(table.column(name).type)
        }
        if self._decimal is None:
            self._decimal = decimal_of(texts.values(), ",")
        for name, values in texts.items():
            if self._kinds.get(name) != "text":
                at = table.column_names.index(name)
                table = table.set_column(at, name, self._typed(name, values))
        return table

    def _typed(self, name: str, values: Any) -> Any:
        try:
            read = read_texts(values, self._kinds.get(name), decimal=self._decimal or ".")
            if read.stranger:
                raise DataError(f"{read.stranger} is not a number.")
            if name not in self._found:
                self._kinds[name] = read.kind if read.kind in _KINDS else "text"
                read = read if read.kind in _KINDS else replace(read, values=values)
                self._found[name] = read.values.type
            return read.values.cast(self._found[name])
        except (BoscoError, pa.ArrowInvalid) as error:
            raise DataError(
                f"--keep: column {name!r} begins as {self._kinds.get(name, 'text')}, and then: "
                f"{error} Hint: --types {name}=text."
            ) from None
