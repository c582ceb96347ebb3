"""`bosco.in_database`: a table whose rows stay where they are."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from bosco.base.progress import progress
from bosco.base.visible import visible
from bosco.errors import ParameterError
from bosco.scale.border import levelled
from bosco.scale.connection import Connection, connected, require_column
from bosco.scale.fitting import fit_parts
from bosco.scale.source import Here
from bosco.tables.sources import shown


def in_database(place: Any, table: str, *, columns: Sequence[str] | None = None) -> "InDatabase":
    """Take a table of DuckDB or PostgreSQL whose rows do not leave the database.

    A tree is grown by queries that count there: the model is that of ``fit`` on the fetched rows,
    bit for bit. It takes many times longer; docs/scale.md says what travels.

    Parameters
    ----------
    place : str, path, or connection of duckdb
        A DuckDB file, an address such as ``postgresql://user@host/name``, or a connection of
        duckdb, beside which another is made.
    table : str
        A table or view; "schema.table" names one of a schema.
    columns : sequence of str, optional
        The columns to learn from; by default all but those of the target and the weight.

    Returns
    -------
    InDatabase
        A table for ``fit(table, y="column")`` of one tree.

    Examples
    --------
    >>> import duckdb
    >>> base = duckdb.connect()
    >>> _ = base.execute("CREATE TABLE trips (age INT, late TEXT)")
    >>> _ = base.execute("INSERT INTO trips VALUES (20, 'no'), (30, 'no'), (70, 'yes')")
    >>> from bosco import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit(in_database(base, "trips"), y="late")
    >>> tree.predict({"age": [65]}).tolist()
    ['yes']
    """
    return InDatabase(place, table, columns)


class InDatabase:
    """A table that stays in its database; `in_database` makes one.

    Examples
    --------
    >>> in_database("postgresql://ada:secret@host/trains", "trips")
    Table 'trips' in postgresql://ada@host/trains
    """

    def __init__(self, place: Any, table: str, columns: Sequence[str] | None):
        if not isinstance(table, str) or not table:
            raise ParameterError(f"table must be the name of a table. Got {table!r:.60}.")
        self._place, self._table = place, table
        self._columns = None if columns is None else list(columns)

    def __repr__(self) -> str:
        place = self._place
        where = shown(str(place)) if isinstance(place, str | Path) else "DuckDB"
        return f"Table {visible(self._table)!r} in {where}"

    def as_table(self) -> NoReturn:
        """Refuse: nothing else can be done with rows that are elsewhere."""
        raise ParameterError(
            f"{self!r}: its rows stay there, where one tree can be grown (DecisionTreeClassifier, "
            f"DecisionTreeRegressor). Hint: model.to_sql predicts there; for more, fetch the rows."
        )

    def fit_there(self, estimator: Any, y: Any, sample_weight: Any) -> Any:
        """Fit an estimator of one tree to the rows."""
        if estimator.fingerprint is True:
            raise ParameterError(
                "fingerprint=True keeps numbers made of the rows, which stay in the database. "
                "Hint: fingerprint='auto' or False."
            )
        connection = connected(self._place)
        try:
            part = self._part(connection, estimator, y, sample_weight)
            with progress(None, "queries", sys.stderr.isatty(), stays=False) as tell:
                connection.tell = tell
                return fit_parts(estimator, _There([part], [part.name]))
        finally:
            connection.close()

    def _part(self, connection: Connection, estimator: Any, y: Any, weight: Any) -> Any:
        if estimator.derive:
            raise ParameterError(
                "Derived columns are not computed in a database while a tree grows there: what "
                "overflows, or divides by zero, is refused or answered by each in its own way. "
                "Hint: add the columns to the table, as a view, or read the rows by bosco.scan."
            )
        if estimator.criterion == "poisson":
            raise ParameterError(
                "criterion='poisson' asks for logarithms of y that are the same everywhere, and "
                "databases have their own. Hint: criterion='squared_error', or read the rows by "
                "bosco.scan."
            )
        try:
            import sqlglot  # noqa: F401
        except ImportError:
            raise ParameterError(
                "Growing a tree in a database needs sqlglot. Hint: pip install 'bosco[sql,tables]'."
            ) from None
        from bosco.export.dialects import DIALECTS
        from bosco.export.sql_parts import table_name
        from bosco.scale.sql_part import SqlPart
        from bosco.scale.sql_rows import SqlRows
        from bosco.scale.sql_types import Cell, kind_of

        speech = DIALECTS[connection.dialect]
        quoted = table_name(self._table).sql(dialect=connection.dialect)
        types = dict(connection.columns_of(quoted))
        where = f"{connection.name}, table {self._table!r}"
        names = list(types)
        require_column(y, names, "y", where)
        if weight is not None:
            require_column(weight, names, "sample_weight", where)
        chosen = (
            [n for n in names if n not in (y, weight)] if self._columns is None else self._columns
        )
        for name in chosen:
            require_column(name, names, "columns", where)
        if not chosen:
            raise ParameterError(f"{where} has no column to learn from.")

        def cell(name: str) -> Cell:
            return Cell(name, kind_of(name, types[name], speech, where), speech)

        rows = SqlRows(
            table=self._table,
            speech=speech,
            wide=connection.wide,
            cells=[cell(name) for name in chosen],
            y=cell(y),
            weight=None if weight is None else cell(weight),
        )
        said = (estimator.categorical_features, estimator.domains)
        return SqlPart(connection, rows, levelled(*said, chosen))


class _There(Here):
    """The one part, whose rows go nowhere, and whose bins are not cut again."""

    small = 0
    crowd = sys.maxsize
