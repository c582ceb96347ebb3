"""Tables in databases: SQLite and DuckDB files, PostgreSQL by its address."""

import sqlite3
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from bosco.errors import DataError, ParameterError
from bosco.tables.addresses import unsaid
from bosco.tables.formats import from_objects
from bosco.tables.needs import need
from bosco.tables.options import Options
from bosco.tables.raw import Raw
from bosco.tables.sources import Source


def read_sqlite(source: Source, options: Options) -> Raw:
    """Ask a SQLite file, opened for reading only.

    Python's own driver: SQLite's columns may hold values of any type, which Arrow drivers refuse.
    """
    connection = sqlite3.connect(f"file:{quote(source.path)}?mode=ro", uri=True)
    try:
        tables = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        names = [name for (name,) in connection.execute(tables) if not name.startswith("sqlite_")]
        query = options.query or _only(names, source)
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


def read_duckdb(source: Source, options: Options) -> Raw:
    """Ask a DuckDB file, opened for reading only."""
    duckdb = need("duckdb", "DuckDB files")
    try:
        with duckdb.connect(source.path, read_only=True) as connection:
            names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
            query = options.query or _only(names, source)
            relation = connection.sql(query)
            if relation is None:
                raise ParameterError(f"The query gives no table: {query!r:.60}.")
            table = relation.to_arrow_table()
    except duckdb.Error as error:
        raise DataError(f"{source.name}: {_first_line(error)}.") from None
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
            table = cursor.fetch_arrow_table()
    except dbapi.Error as error:
        said = unsaid(_first_line(error), source.path)
        raise DataError(f"{source.name}: {said}.") from None
    columns = tuple(map(_plain, table.columns))
    return Raw(tuple(table.column_names), columns, "PostgreSQL", typed=True)


def _plain(column: Any) -> Any:
    """A column without what PostgreSQL wraps it in; its exact decimals come as text."""
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    numeric = getattr(column.type, "type_name", "") == "numeric"
    bare = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    return bare.cast(pa.float64()) if numeric else bare


def _only(tables: list[str], source: Source) -> str:
    """The query for the one table there is."""
    if len(tables) == 1:
        return 'SELECT * FROM "{}"'.format(tables[0].replace('"', '""'))
    has = f"has the tables {', '.join(map(repr, tables[:8]))}" if tables else "has no table"
    raise ParameterError(f"{source.name} {has}. Hint: --query 'SELECT * FROM …'.")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
