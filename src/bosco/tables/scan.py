"""Files and tables of databases as one table that need not fit into memory.

The rows are read once, when they are first asked for, and kept column by column in files without a
name that the system maps into memory and drops again as it likes. To everything else such a table
is one like any other, so the model is the same as from memory.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.progress import counting
from bosco.base.visible import visible
from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.ondisk import steps
from bosco.data.readers import Table
from bosco.errors import BoscoError, DataError, ParameterError, did_you_mean
from bosco.tables.mapped import Growing
from bosco.tables.options import Options, require_columns
from bosco.tables.places import Keys, files_of, settle_keys
from bosco.tables.sources import shown

if TYPE_CHECKING:
    from bosco.tables.streams import Stream


def scan(
    places: str | Path | Sequence[str | Path],
    *,
    table: str | None = None,
    scratch: str | Path | None = None,
    options: Options | None = None,
) -> "Scan":
    """Take files, or tables of databases, for one table, larger than memory if need be.

    Parameters
    ----------
    places : path, address or sequence of them
        Files of Parquet, Arrow, CSV and the other formats of `bosco.tables.read_file`; patterns
        such as ``"trips/*.parquet"``; folders, in which names such as ``year=2025`` are columns;
        ``"postgresql://…"``, ``"duckdb:///file"``, ``"sqlite:///file"``.
    table : str, optional
        Which table of a database; may be left out where it has one only.
    scratch : path, optional
        A folder on a disk with room for the columns while they are used; by default the system's
        folder for temporary files. Nothing is left there, however the process ends.
    options : bosco.tables.Options, optional
        What is known about the table: types, how text is written, a query.

    Returns
    -------
    Scan
        A table for ``fit(scan, y="column")`` and ``predict(scan)``.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> pq.write_table(pa.table({"age": [20, 30, 70], "late": ["no", "no", "yes"]}), "a.parquet")
    >>> from bosco import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit(scan("a.parquet"), y="late")
    >>> tree.predict({"age": [65]}).tolist()
    ['yes']
    """
    given = [places] if isinstance(places, str | Path) else list(places)
    if not given:
        raise ParameterError("scan needs a file, a pattern, a folder or an address; got none.")
    options = options or Options()
    if table is not None:
        from bosco.tables.formats import all_of

        options = replace(options, query=all_of(table))
    if options.fold_case:
        raise ParameterError(
            "fold_case is not for a scan: the commonest spelling is known when all rows are read. "
            "Hint: bosco.tables.read_file reads the table into memory."
        )
    files = settle_keys([file for place in given for file in files_of(str(place))])
    return Scan(files, "" if scratch is None else str(scratch), options)


class Scan:
    """Files as one table; `scan` makes one.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> pq.write_table(pa.table({"age": [20, 30]}), "b.parquet")
    >>> scan(["b.parquet", "b.parquet"])
    Scan of 2 files: age
    """

    def __init__(self, files: list[tuple[str, Keys]], folder: str, options: Options):
        self.options = options
        self._folder, self._read, self._streams = folder, None, None
        self._files = files
        self._labels: dict[str, Cells] = {}  # columns that are something else as a target
        first = self._open(*files[0])
        keys = [name for name in files[0][1] if name not in first.names]
        require_columns(
            [*options.drop, *options.types, *options.domains], [*first.names, *keys], first.name
        )
        self.names = tuple(n for n in (*first.names, *keys) if n not in options.drop)

    @property
    def n_files(self) -> int:
        """How many files, or tables of databases."""
        return len(self._files)

    _read: Table | None
    _streams: "list[tuple[Stream, Keys]] | None"

    def __repr__(self) -> str:
        n = len(self._files)
        columns = ", ".join(map(visible, self.names[:8])) + ", …" * (len(self.names) > 8)
        return f"Scan of {n} file{'s' * (n > 1)}: {columns}"

    def as_table(self) -> Table:
        """All columns, mapped; read when they are first asked for."""
        if self._read is None:
            import pyarrow as pa

            columns = self._columns()
            pa.default_memory_pool().release_unused()  # what batches were read into
            n_rows = len(columns[0])
            if not n_rows:
                raise DataError(f"{self!r}: there is no row.")
            self._read = Table(self.names, named=True, n_rows=n_rows, columns=tuple(columns))
        return self._read

    def target(self, name: str) -> Cells | NDArray[Any]:
        """A column as something to learn: words for truth values stay the words they are."""
        table = self.as_table()
        if name not in self.names:
            raise ParameterError(
                f"{name!r} is no column of the files.{did_you_mean(name, self.names)}"
            )
        cells = self._labels.get(name) or table.column(self.names.index(name))
        return cells.values if isinstance(cells, Numbers) and cells.unit == "number" else cells

    def parts_of_fit(self, y: Any, sample_weight: Any) -> tuple[Table, Any, Any]:
        """The columns to learn from, the target and the weights, of which columns may be named."""
        roles = [name for name in (y, sample_weight) if isinstance(name, str)]
        target = self.target(y) if isinstance(y, str) else y
        weight = self.target(sample_weight) if isinstance(sample_weight, str) else sample_weight
        table = self.as_table()
        kept = [j for j, name in enumerate(self.names) if name not in roles]
        names = tuple(self.names[j] for j in kept)
        columns = tuple(table.columns[j] for j in kept)
        return Table(names, named=True, n_rows=table.n_rows, columns=columns), target, weight

    # Reading ----------------------------------------------------------------------------------

    def _open(self, place: str, keys: Keys, header: bool | None = None) -> "Stream":
        from bosco.tables.streams import open_stream

        options = self.options
        if header is not None and options.header is None:
            options = replace(options, header=header)
        with _named(place):
            stream = open_stream(place, options)
        if not hasattr(self, "names"):
            return stream
        dropped = {*self.options.drop}
        lost = sorted({*self.names} ^ ({*stream.names, *keys} - dropped))
        if lost:
            raise DataError(
                f"{shown(place)} has other columns than {shown(self._files[0][0])}: {lost[:5]}. "
                f"All files of a table have the same columns."
            )
        return stream

    def _columns(self) -> list[Cells]:
        header = self._open(*self._files[0]).header
        streams = [(self._open(place, keys, header), keys) for place, keys in self._files]
        known = [stream.rows for stream, _ in streams]
        total = None if None in known else sum(n for n in known if n is not None)
        text = [item for item in streams if not item[0].typed]
        with counting(total, "reading rows") as done:
            if not text:
                return self._typed(self._chunks(streams, done))
            found = self._untyped(text, done)
            if len(text) == len(streams):
                return found
            return self._typed(self._mixed(streams, found, done))

    def _chunks(self, streams: Any, done: Any) -> Iterator[tuple[str, list[Cells]]]:
        """Columns of every batch, with the place it is from."""
        for stream, keys in streams:
            with _named(stream.name):
                for batch in stream.read():
                    yield stream.name, [self._cells(batch, name, keys) for name in self.names]
                    done(batch.num_rows)

    def _typed(self, chunks: Iterator[tuple[str, list[Cells]]]) -> list[Cells]:
        """Columns of chunks that have types."""
        columns = [Growing(name, self._folder) for name in self.names]
        try:
            for place, cells in chunks:
                with _named(place):
                    for column, some in zip(columns, cells, strict=True):
                        column.add(some)
            return [column.mapped() for column in columns]
        finally:
            for column in columns:
                column.close()

    def _untyped(self, streams: "list[tuple[Stream, Keys]]", done: Any) -> list[Cells]:
        """Columns of files without types; those that are not what they seemed are read twice."""
        from bosco.tables.untyped import Untyped

        decimal = self.options.decimal or _decimal([stream for stream, _ in streams])
        made: dict[str, Untyped] = {}
        wanted = list(self.names)
        try:
            while wanted:
                now = {
                    name: Untyped(name, self._folder, self.options, decimal, name in made)
                    for name in wanted
                }
                for column in (made.get(name) for name in wanted):
                    if column is not None:
                        column.grown.close()
                made |= now
                self._read_texts(streams, list(now.values()), done)
                wanted = [name for name, column in now.items() if column.again]
            rows = {column.grown.n for column in made.values()}
            if len(rows) > 1:
                raise DataError(f"{self!r}: a file changed while it was read.")
            nameless = frozenset.intersection(*(stream.nameless for stream, _ in streams))
            found = {name: column.mapped() for name, column in made.items()}
        finally:
            for column in made.values():
                column.grown.close()
        blank = {n for n in nameless & {*found} if found[n].all_missing()}
        self.names = tuple(name for name in self.names if name not in blank)
        self._labels = {n: c.labels for n, c in made.items() if c.labels is not None}
        return [found[name] for name in self.names]

    def _read_texts(self, streams: "list[tuple[Stream, Keys]]", columns: Any, done: Any) -> None:
        from bosco.tables.untyped import whole

        for stream, keys in streams:
            for batch in _guarded(stream):
                for column in columns:
                    with _named(f"{stream.name}, column {column.name!r}"):
                        if column.name in keys:
                            column.grown.add(_constant(keys[column.name], batch.num_rows))
                        else:
                            column.add(whole(batch.column(column.name)))
                done(batch.num_rows)

    def _mixed(
        self, streams: "list[tuple[Stream, Keys]]", found: list[Cells], done: Any
    ) -> Iterator[tuple[str, list[Cells]]]:
        """Rows of all files in their order, where some have types and others got them."""
        at = 0
        for stream, keys in streams:
            if stream.typed:
                yield from self._chunks([(stream, keys)], done)
                continue
            n = sum(batch.num_rows for batch in _guarded(stream))
            for some in steps(n):
                rows = slice(at + some.start, at + some.stop)
                yield stream.name, [_part(cells, rows) for cells in found]
            at += n

    def _cells(self, batch: Any, name: str, keys: Keys) -> Cells:
        from bosco.tables.untyped import cells_of, whole

        if name in keys:
            return _constant(keys[name], batch.num_rows)
        values = whole(batch.column(name))
        domain, asked = self.options.domains.get(name), self.options.types.get(name)
        if domain is not None:
            from bosco.tables.cells import in_domain

            values = in_domain(values, domain, name, lambda row: f"row {row + 1}").values
        elif asked is not None:
            values = _as_asked(values, name, asked)
        with _named(f"column {name!r}", unless="Column"):
            return cells_of(values, name)


def _part(cells: Cells, rows: slice) -> Cells:
    if isinstance(cells, Coded):
        return replace(cells, codes=cells.codes[rows])
    return replace(cells, values=cells.values[rows])


def _constant(value: Any, n: int) -> Cells:
    if value is None or isinstance(value, int):
        return Numbers(np.full(n, np.nan if value is None else value))
    return Coded(np.ones(n, np.uint8), (value,))


def _as_asked(values: Any, name: str, asked: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from bosco.tables.reading import kind_of

    kind = kind_of(values.type)
    if asked == "text" and kind is not None and not isinstance(values.type, pa.DictionaryType):
        return pc.cast(values, pa.string())
    if asked == kind:
        return values
    raise ParameterError(
        f"types: column {name!r} is {kind or values.type} in a file that has types; of such, a "
        f"scan can make text only. Got {asked!r}."
    )


def _decimal(streams: "list[Stream]") -> str:
    """The decimal mark of files of text, by the first rows of each."""
    from bosco.tables.numbers import decimal_of

    text = [stream for stream in streams if stream.delimiter]
    first = (column for stream in text for column in _first_rows(stream))
    return decimal_of(first, text[0].delimiter) if text else "."


def _first_rows(stream: "Stream") -> Iterator[Any]:
    from bosco.tables.reading import DECIMAL_ROWS

    left = DECIMAL_ROWS
    for batch in _guarded(stream):
        yield from (column.slice(0, left) for column in batch.columns)
        left -= batch.num_rows
        if left <= 0:
            return


def _guarded(stream: "Stream") -> Iterator[Any]:
    with _named(stream.name):
        yield from stream.read()


@contextmanager
def _named(place: str, unless: str = "") -> Iterator[None]:
    """Say in every error of data where it arose."""
    import pyarrow as pa

    where = shown(place)
    try:
        yield
    except ParameterError:
        raise
    except BoscoError as error:
        said = str(error)
        if where in said or (unless and said.startswith(unless)):
            raise
        raise type(error)(f"{where}: {said}") from None
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise DataError(f"{where} cannot be read: {' '.join(str(error).split())}.") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("duckdb", "_duckdb", "sqlite3"):
            raise
        raise DataError(f"{where}: {' '.join(str(error).split())}.") from None
