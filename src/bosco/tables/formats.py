"""What is not delimited text: Parquet, Arrow, JSON, Excel, ARFF; and databases.

Libraries that not everybody has are imported when they are needed.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from importlib import import_module
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.tables.dialects import encoding_of, find_header
from bosco.tables.options import Options
from bosco.tables.sizes import require_filled, require_sane_archive
from bosco.tables.sources import Raw, Source, unsaid

_DEFAULT = {"pyarrow"}  # comes with bosco; all others with the extra 'tables'


def need(module: str, what: str) -> Any:
    """Import an optional library, or say what it is needed for and how to get it.

    Examples
    --------
    >>> need("pyarrow.csv", "CSV files").__name__
    'pyarrow.csv'
    >>> need("no_such_library", "such files")
    Traceback (most recent call last):
    bosco.errors.ParameterError: Reading such files needs no-such-library, which is not ...
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        wanted = library if library in _DEFAULT else "'bosco[tables]'"
        raise ParameterError(
            f"Reading {what} needs {library.replace('_', '-')}, which is not installed. "
            f"Hint: pip install {wanted}."
        ) from None


def read_parquet(source: Source, _: Options) -> Raw:
    """Read a Parquet file."""
    parquet = need("pyarrow.parquet", "Parquet files")
    try:
        with source.seek() as file:
            return _from_arrow(parquet.read_table(file, pre_buffer=False), "Parquet")
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise DataError(f"{source.name} is not a whole Parquet file: {error}.") from None


def read_arrow(source: Source, _: Options) -> Raw:
    """Read an Arrow (Feather) file or stream."""
    try:
        with source.seek() as file:
            if source.head.startswith(b"FEA1"):
                return _from_arrow(need("pyarrow.feather", "Feather").read_table(file), "Feather")
            opened = pa.ipc.open_stream if source.format == "arrow stream" else pa.ipc.open_file
            return _from_arrow(opened(file).read_all(), "Arrow")
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise DataError(f"{source.name} is not a whole Arrow file: {error}.") from None


def _from_arrow(table: Any, form: str) -> Raw:
    table.validate(full=True)  # Arrow trusts the offsets of a file, wherever they point
    return Raw(tuple(table.column_names), tuple(table.columns), form, typed=True)


def read_json(source: Source, options: Options) -> Raw:
    """Read JSON lines, or a JSON list of objects.

    Python's own parser, because it can say which line is wrong and takes a key whose values are of
    several types.
    """
    data = source.read()
    text = _decoded(data, source, options)
    if text.lstrip()[:1] == "[":
        try:
            rows = json.loads(text)
        except json.JSONDecodeError as error:
            where = f"{source.name}, line {error.lineno}, column {error.colno}"
            raise DataError(f"{where}: not JSON: {error.msg}.") from None
        lines = None
    else:
        numbered = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        lines = [i for i, _ in numbered]
        rows = [_object(line, i, source.name) for i, line in numbered]
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            where = f"line {lines[i]}" if lines else f"row {i + 1}"
            raise DataError(
                f"{source.name}, {where}: an object of columns and values is wanted. Got "
                f"{json.dumps(row):.60}."
            )
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    require_filled(len(rows), len(names), sum(map(len, rows)), source.name)
    columns = tuple(from_objects([row.get(name) for row in rows]) for name in names)
    notes = tuple(
        f"column {name!r} holds values of several types"
        for name in names
        if len({_type_of(row[name]) for row in rows if row.get(name) is not None}) > 1
    )
    if lines is None:
        return Raw(names, columns, "JSON", notes)
    return Raw(names, columns, "JSON lines", notes, where=lambda row: f"line {lines[row]}")


def _type_of(value: Any) -> type:
    return float if type(value) is int else type(value)


def _object(line: str, number: int, name: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{name}, line {number}, column {error.colno}: not JSON: {error.msg}. Hint: one object "
            f'a line is wanted, such as {{"age": 31}}.'
        ) from None


def from_objects(values: Sequence[Any]) -> Any:
    """Make a column of Python values; values of several types become text.

    Examples
    --------
    >>> from_objects([1, None]).type, from_objects([1, "x", 2.0]).to_pylist()
    (DataType(int64), ['1', 'x', '2'])
    """
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if v is None else _text_of(v) for v in values], pa.string())


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value) if isinstance(value, bool | int | float | list | dict) else str(value)


def read_excel(source: Source, options: Options) -> Raw:
    """Read a sheet of a workbook; titles above the header are left out."""
    calamine = need("python_calamine", "Excel files")
    if source.head.startswith(b"PK"):
        require_sane_archive(source.path, source.name)
    try:
        book = calamine.CalamineWorkbook.from_path(source.path)
        sheets = book.sheet_names
        sheet = options.sheet or sheets[0]
        if sheet not in sheets:
            raise ParameterError(
                f"no sheet {sheet!r} in {source.name}. It has {', '.join(map(repr, sheets))}."
                + did_you_mean(sheet, sheets)
            )
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except calamine.CalamineError as error:
        raise DataError(f"{source.name} is not a workbook: {error}.") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what the library itself does not expect
            raise
        raise DataError(f"{source.name} is not a workbook that can be read: {error}.") from None
    filled = [(i, row) for i, row in enumerate(rows) if any(cell != "" for cell in row)]
    if not filled:
        raise DataError(f"{source.name}, sheet {sheet!r} is empty.")
    words = [[_text_of(cell) for cell in row] for _, row in filled[:200]]
    at, header = find_header(words, options.header)
    notes = [f"{at} row{'s' * (at > 1)} before the header left out: {words[0][0]!r}"] * bool(at)
    if len(sheets) > 1 and options.sheet is None:
        notes.append(f"the first of {len(sheets)} sheets: {sheet!r}")
    width = max(len(row) for _, row in filled)
    names = words[at] if header else [f"column_{j + 1}" for j in range(width)]
    body = filled[at + header :]
    used = [j for j in range(width) if names[j] or any(row[j] != "" for _, row in body)]
    columns = [from_objects([_cell(row[j]) for _, row in body]) for j in used]
    return Raw(
        tuple(names[j] for j in used),
        tuple(columns),
        f"Excel, sheet {sheet!r}",
        tuple(notes),
        where=lambda row: f"row {body[row][0] + 1}",
    )


def _cell(value: Any) -> Any:
    if isinstance(value, datetime) and value.time() == time():
        return date(value.year, value.month, value.day)
    return None if value == "" else value


def read_arff(source: Source, options: Options) -> Raw:
    """Read an ARFF file, dense or sparse; the levels it declares are the domain."""
    arff = need("arff", "ARFF files")
    text = _decoded(source.read(), source, options)
    # liac-arff knows no dates: they are read as text, and as dates by their look.
    plain = re.sub(
        r"""(?im)^(\s*@attribute\s+(?:'[^']*'|"[^"]*"|\S+)\s+)date\b.*$""", r"\1string", text
    )
    sparse = re.search(r"(?im)^\s*@data\s*(?:\n\s*(?:%.*)?)*\n?\s*\{", plain) is not None
    try:
        content = arff.loads(plain, return_type=arff.LOD if sparse else arff.DENSE)
    except arff.ArffException as error:
        line = f", line {error.line}" if error.line > 0 else ""
        said = str(error).partition(", at line")[0].rstrip(".")
        raise DataError(f"{source.name}{line}: {said}.") from None
    except (ValueError, LookupError) as error:  # what the library itself does not expect
        raise DataError(f"{source.name} is not an ARFF file that can be read: {error}.") from None
    names = [name for name, _ in content["attributes"]]
    rows = content["data"]
    if sparse:
        require_filled(len(rows), len(names), sum(map(len, rows)), source.name)
        absent = [
            levels[0] if isinstance(levels, list) else 0 for _, levels in content["attributes"]
        ]
        cells = [[row.get(j, absent[j]) for row in rows] for j in range(len(names))]
    else:
        cells = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    columns = [
        _attribute(values, kind)
        for values, (_, kind) in zip(cells, content["attributes"], strict=True)
    ]
    return Raw(tuple(names), tuple(columns), "ARFF" + ", sparse" * sparse)


def _attribute(values: list[Any], kind: Any) -> Any:
    if not isinstance(kind, list):
        return pa.array(values, pa.string() if kind == "STRING" else pa.float64())
    place = {level: i for i, level in enumerate(kind)}
    return pa.DictionaryArray.from_arrays(
        pa.array([None if v is None else place[v] for v in values], pa.int32()), pa.array(kind)
    )


def _decoded(data: bytes, source: Source, options: Options) -> str:
    encoding = options.encoding or encoding_of(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            f"{source.name}, line {line}: not in {encoding}. Hint: name the encoding, such as "
            f"latin-1."
        ) from None


def read_sqlite(source: Source, options: Options) -> Raw:
    """Ask a SQLite file, opened for reading only.

    Python's own driver: SQLite's columns may hold values of any type, which Arrow drivers refuse.
    """
    connection = sqlite3.connect(f"file:{quote(source.path)}?mode=ro", uri=True)
    try:
        query = options.query or only_table(sqlite_tables(connection), source)
        cursor = connection.execute(query)
        if cursor.description is None:
            raise ParameterError(f"The query gives no table: {query!r:.60}.")
        rows = cursor.fetchall()
    except sqlite3.Error as error:
        raise DataError(f"{source.name}: {error}.") from None
    finally:
        connection.close()
    found = [column[0] for column in cursor.description]
    cells: Any = zip(*rows, strict=True) if rows else ([] for _ in found)
    return Raw(tuple(found), tuple(from_objects(list(c)) for c in cells), "SQLite")


def sqlite_tables(connection: Any) -> list[str]:
    """Name the tables and views of a SQLite database."""
    tables = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    return [name for (name,) in connection.execute(tables) if not name.startswith("sqlite_")]


@contextmanager
def asked_duckdb(source: Source, options: Options) -> Iterator[Any]:
    """The answer of a DuckDB file to a query, or its only table, while the file is open."""
    duckdb = need("duckdb", "DuckDB files")
    with duckdb.connect(source.path, read_only=True) as connection:
        names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        query = options.query or only_table(names, source)
        relation = connection.sql(query)
        if relation is None:
            raise ParameterError(f"The query gives no table: {query!r:.60}.")
        yield relation


def read_duckdb(source: Source, options: Options) -> Raw:
    """Ask a DuckDB file, opened for reading only."""
    duckdb = need("duckdb", "DuckDB files")
    try:
        with asked_duckdb(source, options) as relation:
            table = relation.to_arrow_table()
    except duckdb.Error as error:
        raise DataError(f"{source.name}: {first_line(error)}.") from None
    return Raw(tuple(table.column_names), tuple(table.columns), "DuckDB", typed=True)


def read_postgresql(source: Source, options: Options) -> Raw:
    """Ask a PostgreSQL server, by an address such as postgresql://user@host/database."""
    dbapi = need("adbc_driver_postgresql.dbapi", "PostgreSQL tables")
    if options.query is None:
        raise ParameterError(
            f"{source.name} is a database: a query is wanted. Hint: --query 'SELECT * FROM …'."
        )
    try:
        with dbapi.connect(source.path) as connection, connection.cursor() as cursor:
            cursor.execute(options.query)
            table = unwrapped(cursor.fetch_arrow_table())
    except dbapi.Error as error:
        said = unsaid(first_line(error), source.path)
        raise DataError(f"{source.name}: {said}.") from None
    return Raw(tuple(table.column_names), tuple(table.columns), "PostgreSQL", typed=True)


def unwrapped(table: Any) -> Any:
    """A table of PostgreSQL's driver as one of plain types."""
    columns = list(map(without_wrapping, table.columns))
    return pa.table(columns, names=table.column_names)


def without_wrapping(column: Any) -> Any:
    """A column without what PostgreSQL wraps it in; its exact decimals come as text."""
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    numeric = getattr(column.type, "type_name", "") == "numeric"
    bare = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    return bare.cast(pa.float64()) if numeric else bare


def all_of(table: str) -> str:
    """The query for a table; a schema may stand before its name.

    Examples
    --------
    >>> all_of("public.trips")
    'SELECT * FROM "public"."trips"'
    """
    quoted = ('"{}"'.format(part.replace('"', '""')) for part in table.split("."))
    return f"SELECT * FROM {'.'.join(quoted)}"


def only_table(tables: list[str], source: Source) -> str:
    """The query for the one table there is."""
    if len(tables) == 1:
        return 'SELECT * FROM "{}"'.format(tables[0].replace('"', '""'))
    has = f"has the tables {', '.join(map(repr, tables[:8]))}" if tables else "has no table"
    raise ParameterError(f"{source.name} {has}. Hint: --query 'SELECT * FROM …'.")


def first_line(error: Exception) -> str:
    """What a library says first."""
    return str(error).strip().partition("\n")[0].rstrip(".")
