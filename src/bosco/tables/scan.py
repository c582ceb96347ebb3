"""Files as one table that need not fit into memory.

The rows are read once, when they are first asked for, and kept column by column in files without a
name that the system maps into memory and drops again as it likes. To everything else such a table
is one like any other, so the model is the same as from memory.
"""

from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bosco.base.visible import visible
from bosco.data.columns import Cells, Numbers
from bosco.data.readers import Table, from_array, from_series
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.tables.mapped import Growing

_ROWS = 1 << 17  # of a chunk
_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "feather", ".feather": "feather"}


def scan(places: str | Path | Sequence[str | Path], *, scratch: str | Path | None = None) -> "Scan":
    """Take Parquet or Arrow files for one table, larger than memory if need be.

    Parameters
    ----------
    places : path or sequence of paths
        Files, patterns such as ``"trips/*.parquet"``, or folders; in a folder, names such as
        ``year=2025`` are columns.
    scratch : path, optional
        A folder on a disk with room for the columns while they are used; by default the system's
        folder for temporary files. Nothing is left there, however the process ends.

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
    return Scan([file for place in given for file in _files(str(place))], scratch)


class Scan:
    """Files as one table; `scan` makes one.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> pq.write_table(pa.table({"age": [20, 30]}), "b.parquet")
    >>> scan(["b.parquet", "b.parquet"])
    Scan of 2 files: age
    """

    def __init__(self, files: list[tuple[str, dict[str, Any]]], scratch: str | Path | None):
        self._files, self._folder = files, None if scratch is None else Path(scratch)
        self._read: Table | None = None
        self.names = (*_opened(files[0][0]).schema.names, *files[0][1])

    def __repr__(self) -> str:
        n = len(self._files)
        shown = ", ".join(map(visible, self.names[:8])) + ", …" * (len(self.names) > 8)
        return f"Scan of {n} file{'s' * (n > 1)}: {shown}"

    def as_table(self) -> Table:
        """All columns, mapped."""
        if self._read is None:
            columns = [Growing(name, self._folder) for name in self.names]
            try:
                for cells in self._chunks():
                    for column, some in zip(columns, cells, strict=True):
                        column.add(some)
            except BaseException:
                for column in columns:
                    column.file.close()
                raise
            n_rows = columns[0].n
            if not n_rows:
                raise DataError(f"{self!r}: there is no row.")
            self._read = Table(
                self.names, named=True, n_rows=n_rows, columns=tuple(c.mapped() for c in columns)
            )
        return self._read

    def parts_of_fit(self, y: Any, sample_weight: Any) -> tuple[Table, Any, Any]:
        """The columns to learn from, the target and the weights, of which columns may be named."""
        table = self.as_table()
        roles = [name for name in (y, sample_weight) if isinstance(name, str)]
        for name in roles:
            if name not in self.names:
                raise ParameterError(
                    f"{name!r} is no column of the files.{did_you_mean(name, self.names)}"
                )
        target = _plain(table.column(self.names.index(y))) if isinstance(y, str) else y
        if isinstance(sample_weight, str):
            sample_weight = _plain(table.column(self.names.index(sample_weight)))
        kept = [j for j, name in enumerate(self.names) if name not in roles]
        names = tuple(self.names[j] for j in kept)
        columns = tuple(table.columns[j] for j in kept)
        return Table(names, named=True, n_rows=table.n_rows, columns=columns), target, sample_weight

    def _chunks(self) -> Iterator[list[Cells]]:
        import pyarrow as pa

        for place, keys in self._files:
            file = _opened(place)
            lost = sorted({*self.names} ^ {*file.schema.names, *keys})
            if lost:
                raise DataError(
                    f"{place} has other columns than {self._files[0][0]}: {lost[:5]}. All files of "
                    f"a table have the same columns."
                )
            try:
                for batch in file.to_batches(batch_size=_ROWS):
                    if batch.num_rows:
                        yield [self._cells(batch, name, keys) for name in self.names]
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"{place} cannot be read: {error}.") from None

    def _cells(self, batch: Any, name: str, keys: dict[str, Any]) -> Cells:
        if name in keys:
            return from_array(np.full(batch.num_rows, keys[name]), name)
        import pyarrow as pa

        column = pa.chunked_array([batch.column(name)])
        return from_series(nw.from_native(column, series_only=True), name)


def _plain(cells: Cells) -> Cells | NDArray[Any]:
    return cells.values if isinstance(cells, Numbers) and cells.unit == "number" else cells


def _files(place: str) -> list[tuple[str, dict[str, Any]]]:
    """The files of a place in order of their names, and the columns that their folders name."""
    if has_magic(place) and not Path(place).exists():
        found = sorted(glob(place, recursive=True))  # noqa: PTH207  a path may be absolute
        if not found:
            raise ParameterError(f"No file is called {place}.")
        return [file for one in found for file in _files(one)]
    path = Path(place)
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise ParameterError(f"There is no file {path}.{did_you_mean(path.name, near)}")
    if not path.is_dir():
        return [(str(path), {})]
    inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in _FORMATS and p.is_file())
    if not inside:
        raise ParameterError(f"The folder {path} has no file of Parquet or Arrow.")
    return [(str(p), _keys(p.relative_to(path))) for p in inside]


def _keys(path: Path) -> dict[str, Any]:
    """The columns that the names of folders are, such as year=2025."""
    found = [part.split("=", 1) for part in path.parts[:-1] if "=" in part]
    return {name: int(value) if value.lstrip("-").isdigit() else value for name, value in found}


def _opened(place: str) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    kind = _FORMATS.get(Path(place).suffix.lower())
    if kind is None:
        raise ParameterError(
            f"{place} is no file of Parquet or Arrow by its name. Hint: bosco.tables.read_file "
            f"reads other files, into memory."
        )
    try:
        return ds.dataset(place, format=kind)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{place} is not a whole file of {kind}: {error}.") from None
