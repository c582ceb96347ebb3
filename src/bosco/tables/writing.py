"""Tables written chunk by chunk, into a file that appears whole or not at all."""

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv as pcsv

from bosco.base.safe_files import whole_file
from bosco.tables.needs import need

_PACKED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


def write_chunks(place: str | Path, chunks: Iterable[Any]) -> int:
    """Write tables one after the other into one CSV or Parquet file, and count the rows.

    Parameters
    ----------
    place : path
        ``….parquet``, or CSV under any other name, packed if it ends in .gz, .zst or .bz2; ``-`` is
        CSV on standard output.
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
