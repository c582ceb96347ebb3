"""A connection to a database that reads one snapshot of it, and writes a temporary table at most.

All queries of a fit see the rows as they were when it began, whoever changes them meanwhile. What
goes wrong is told in one sentence, without the passwords of an address.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.tables.formats import first_line, need, unwrapped
from bosco.tables.sources import Source, open_source, shown, unsaid

__all__ = ["Connection", "connected"]


class Connection:
    """What every database is asked through."""

    dialect = ""  # sqlglot's name of it
    wide = ""  # the type of whole numbers of 128 bits
    begin: tuple[str, ...] = ()  # how the snapshot is taken

    def __init__(self, name: str, place: str, errors: Any):
        self.name, self.place, self.errors = name, place, errors
        self.asked = 0  # queries
        self.tell: Any = None  # is told how many

    def _run(self, text: str) -> Any:
        """Run a statement; give what it says as a table of pyarrow."""
        raise NotImplementedError

    def columns_of(self, table: str) -> list[tuple[str, str]]:
        """The columns of a table, whose name comes quoted, and their types."""
        raise NotImplementedError

    def close(self) -> None:
        """Let it go."""
        raise NotImplementedError

    def ask(self, text: str) -> Any:
        """Give the answer to a query, as a table of pyarrow."""
        self.asked += 1
        if self.tell is not None:
            self.tell(self.asked)
        with self._in_one_sentence():
            return self._run(text)

    @contextmanager
    def _in_one_sentence(self) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            raise DataError(f"{self.name}: {unsaid(first_line(error), self.place)}.") from None

    def lay_out(self, name: str, query: str) -> bool:  # noqa: ARG002
        """Lay the answer to a query out as a table that ends with this connection, if one may."""
        return False


class DuckDB(Connection):
    """A DuckDB file, opened for reading only, or a connection that somebody has."""

    dialect, wide = "duckdb", "INT128"
    begin = ("BEGIN TRANSACTION READ ONLY",)

    def __init__(self, name: str, open_: Any):
        duckdb = need("duckdb", "DuckDB tables")
        super().__init__(name, name, duckdb.Error)
        try:
            self._own = open_(duckdb)
        except duckdb.Error as error:
            raise DataError(f"{name}: {first_line(error)}.") from None

    def _run(self, text: str) -> Any:
        told = self._own.sql(text)
        return None if told is None else told.to_arrow_table()

    def columns_of(self, table: str) -> list[tuple[str, str]]:
        """Their types are cut before what they are made of, such as the levels of an ENUM."""
        said = self.ask(f"DESCRIBE SELECT * FROM {table}")
        names, kinds = (said.column(k).to_pylist() for k in (0, 1))
        return [(name, kind.partition("(")[0]) for name, kind in zip(names, kinds, strict=True)]

    def close(self) -> None:
        """Let it go."""
        self._own.close()


class PostgreSQL(Connection):
    """A PostgreSQL server, by its address."""

    dialect, wide = "postgres", "DECIMAL"
    begin = (
        "BEGIN ISOLATION LEVEL REPEATABLE READ",
        "SET LOCAL jit = off",  # which compiles long expressions for longer than they run
    )

    def __init__(self, name: str, place: str):
        dbapi = need("adbc_driver_postgresql.dbapi", "PostgreSQL tables")
        super().__init__(name, place, dbapi.Error)
        try:
            self._own = dbapi.connect(place, autocommit=True)
        except dbapi.Error as error:
            raise DataError(f"{name}: {unsaid(first_line(error), place)}.") from None

    def _run(self, text: str) -> Any:
        with self._own.cursor() as cursor:
            cursor.execute(text)
            return unwrapped(cursor.fetch_arrow_table()) if text not in self.begin else None

    def lay_out(self, name: str, query: str) -> bool:
        """A temporary table, if this role may make one here; from then on nothing is written."""
        laid = True
        with self._in_one_sentence(), self._own.cursor() as cursor:
            cursor.execute("SAVEPOINT bosco")
            try:
                cursor.execute(f"CREATE TEMPORARY TABLE {name} AS {query}")
            except self.errors:  # a server that only reads, no right to it, or no room
                cursor.execute("ROLLBACK TO SAVEPOINT bosco")
                laid = False
            cursor.execute("SET TRANSACTION READ ONLY")
        return laid

    def columns_of(self, table: str) -> list[tuple[str, str]]:
        """Of a domain the type it is made of; of an enumeration, "enum"."""
        named = table.replace("'", "''")
        said = self.ask(
            "SELECT CAST(a.attname AS TEXT) AS name, CASE WHEN t.typtype = 'e' THEN 'enum' "
            "WHEN t.typtype = 'd' THEN CAST(b.typname AS TEXT) ELSE CAST(t.typname AS TEXT) END "
            "AS kind FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid "
            "LEFT JOIN pg_type AS b ON b.oid = t.typbasetype "
            f"WHERE a.attrelid = CAST('{named}' AS regclass) "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
        return list(zip(said.column(0).to_pylist(), said.column(1).to_pylist(), strict=True))

    def close(self) -> None:
        """Let it go."""
        self._own.close()


def connected(place: Any) -> Connection:
    """Connect, and take the snapshot: to a file, to an address, or beside a connection."""
    made = _opened(place)
    for text in made.begin:
        made.ask(text)
    return made


def _opened(place: Any) -> Connection:
    if hasattr(place, "cursor") and type(place).__module__.partition(".")[0] in (
        "duckdb",
        "_duckdb",
    ):
        return DuckDB("DuckDB", lambda _: place.cursor())
    if not isinstance(place, str | Path):
        raise ParameterError(
            f"A database is a DuckDB file, a connection of duckdb, or an address such as "
            f"postgresql://user@host/name. Got {type(place).__name__}."
        )
    with open_source(place) as source:
        return _by_format(source)


def _by_format(source: Source) -> Connection:
    if source.format == "postgresql":
        return PostgreSQL(source.name, source.path)
    if source.format == "duckdb":
        return DuckDB(source.name, lambda duckdb: duckdb.connect(source.path, read_only=True))
    raise ParameterError(
        f"{shown(source.path)} is a file of {source.format}, and trees grow inside DuckDB and "
        f"PostgreSQL. Hint: bosco.scan or bosco.tables.read_file read other files."
    )


def require_column(name: object, names: Sequence[str], what: str, table: str) -> None:
    """Refuse what is no name of a column."""
    if name not in names:
        got = repr(name) if isinstance(name, str) else type(name).__name__
        raise ParameterError(
            f"{what} must name a column of {table}. Got {got}.{did_you_mean(name, names)}"
        )
