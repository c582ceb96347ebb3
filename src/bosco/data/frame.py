"""The rows as the core sees them: a schema, and a native frame whose columns agree with it.

Columns of X are matched with those of the schema by name where both have names, else by position.
Columns that nobody asks for may be left out, where it is known which are. Derived columns are
computed here, whatever the table has under their names.
Numbers are handed to the core as they are, never copied; levels become codes of the schema's
levels, and a level that the schema does not know is code 0, like a missing one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.base.dates import DAY
from bosco.data.columns import Cells, Coded, Numbers, first_inexact
from bosco.data.expressions.evaluate import evaluate
from bosco.data.ondisk import counted, folder_of
from bosco.data.readers import Table, read_table
from bosco.data.schema import Column, Schema, say_lacking, show_level
from bosco.errors import DataError, KindError, did_you_mean

IDENTIFIER_ROWS = 10  # fewer rows say nothing about identifiers
IDENTIFIER_SHARE = 0.9  # of the rows have a level of their own


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Rows that agree with a schema, ready for the core."""

    schema: Schema
    native: Any
    table: Table
    given: Table  # the same, as it came
    complete: bool = True  # no column was left out

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @classmethod
    def read(
        cls,
        X: Any,
        schema: Schema,
        *,
        refuse_missing: bool = False,
        owner: str = "this model",
        asked: Callable[[], Sequence[str]] | None = None,
    ) -> "Frame":
        """Read rows that a schema describes, to fit or to predict.

        `owner` expects the columns, in messages. `asked` gives the names of those that are needed:
        X may lack the others, and have more, if its columns have names; by default it has all
        columns and no other. Missing and unknown values in needed columns may be refused.

        Examples
        --------
        >>> schema = Schema.infer({"a": [1.0], "b": ["x"]})
        >>> Frame.read({"b": ["x"], "a": [2.0]}, schema).n_rows
        1
        """
        given = read_table(X)
        table = conform(given, schema, owner, asked)
        frame = cls._of(schema, table, given)
        if refuse_missing:
            needed = set(schema.names if asked is None else asked())
            for j, column in enumerate(schema.columns):
                if column.name in needed and frame.native.has_missing(j):
                    _refuse_missing(given, table, column, j)
        return frame

    @classmethod
    def _of(cls, schema: Schema, table: Table, given: Table) -> "Frame":
        """A frame of columns that are those of the schema already."""
        from bosco import _core

        native = _core.Frame(table.n_rows)
        if table.matrix is not None:
            native.add_matrix(table.matrix)
        if table.sparse is not None:
            native.add_sparse(table.sparse.indptr, table.sparse.indices, table.sparse.data)
        for cells, column in zip(table.columns, schema.columns, strict=False):
            if isinstance(cells, Coded):
                codes = np.ascontiguousarray(cells.codes)
                native.add_coded(codes, len(cells.levels), column.kind == "ordinal")
            else:
                native.add_numeric(cells.values, bool(folder_of(cells.values)))
        folder = next(filter(None, map(_folder, table.columns)), "")
        if folder:
            native.lie_in(folder)
        named = given.named and schema.named
        complete = not named or {column.name for column in schema.given} <= set(given.names)
        return cls(schema, native, table, given, complete)

    def dealt(self, column: int, rows: NDArray[Any]) -> "Frame":
        """A frame in which one column has the values of other rows, and no other changes."""
        schema = self.schema
        columns = [self.table.column(j) for j in range(len(schema.columns))]
        columns[column] = columns[column].take(rows)
        table = Table(schema.names, schema.named, self.n_rows, tuple(columns))
        return Frame._of(schema, table, table)

    def unknown_rows(self) -> NDArray[np.bool_]:
        """Tell which rows have a level that the schema does not know, which is read as missing.

        Examples
        --------
        >>> Frame.read({"a": ["x", None, "z"]}, Schema.infer({"a": ["x"]})).unknown_rows()
        array([False, False,  True])
        """
        found = np.zeros(self.n_rows, bool)
        place = {name: at for at, name in enumerate(self.given.names)}
        for j, column in enumerate(self.schema.given):
            at = place.get(column.name, j)
            if column.levels is None or not self.native.has_missing(j):
                continue
            cells, was = self.table.column(j), self.given.column(at)
            if isinstance(cells, Coded):
                found |= (cells.codes == 0) & ~was.missing()
        return found

    def missing_columns(self) -> list[str]:
        """Name the columns in which a value is missing or unknown."""
        return [name for j, name in enumerate(self.schema.names) if self.native.has_missing(j)]

    def identifier_columns(self) -> list[str]:
        """Name the nominal columns in which (nearly) every row has a level of its own."""
        few = max(IDENTIFIER_ROWS, self.n_rows // 2)
        return [
            column.name
            for column, cells in zip(self.schema.columns, self.table.columns, strict=False)
            if column.kind == "nominal" and isinstance(cells, Coded) and len(cells.levels) >= few
            if identifies(counted(cells.codes, len(cells.levels) + 1))
        ]


def _folder(cells: Cells) -> str:
    return folder_of(cells.codes if isinstance(cells, Coded) else cells.values)


def identifies(rows: NDArray[np.int64]) -> bool:
    """Whether (nearly) every row has a level of its own; `rows` of each code, 0 included."""
    known = int(rows[1:].sum())
    own = int(np.count_nonzero(rows[1:]))
    return known >= IDENTIFIER_ROWS and own >= IDENTIFIER_SHARE * known


def conform(
    table: Table,
    schema: Schema,
    owner: str = "this model",
    asked: Callable[[], Sequence[str]] | None = None,
) -> Table:
    """Put the columns of a table in the schema's order, each in the schema's kind.

    A column that is not there, and that nobody asks for, is missing throughout, and so is what is
    derived from it.
    """
    order = _order(table, schema, owner, asked)
    plain = isinstance(order, range) and schema.all_numbers() and not schema.derived
    if table.matrix is not None and plain:
        _require_exact(table.matrix, schema)
        return table
    if table.sparse is not None:
        if plain:
            return table
        raise KindError(
            "X is sparse, so that all its columns are plain numbers, and the columns here are not: "
            "some have levels, a unit, or are derived from others. Hint: X.toarray() makes a dense "
            "array."
        )
    columns = [
        _as_column(table.column(j), column) if j >= 0 else _absent(table.n_rows, column)
        for j, column in zip(order, schema.given, strict=True)
    ]
    for column in schema.derived:
        assert column.formula is not None
        columns.append(evaluate(column.formula, columns.__getitem__, table.n_rows))
    return Table(schema.names, schema.named, table.n_rows, tuple(columns), rows=table.rows)


def _absent(n_rows: int, column: Column) -> Cells:
    """A column of missing values."""
    if column.levels is None:
        return Numbers(np.full(n_rows, np.nan), column.unit)
    codes, ordered = np.zeros(n_rows, np.uint8), column.kind == "ordinal"
    return Coded(codes, column.levels, column.unit, ordered, declared=True)


def _order(
    table: Table, schema: Schema, owner: str, asked: Callable[[], Sequence[str]] | None
) -> Sequence[int]:
    """For each given column of the schema, its place in the table; -1: it is not there."""
    names, known = table.names, tuple(column.name for column in schema.given)
    if names == known:
        return range(len(known))
    place = {name: at for at, name in enumerate(names)}
    if place.keys() == set(known):
        return [place[name] for name in known]
    if table.named and schema.named and asked is not None:
        at = {name: j for j, name in enumerate(schema.names)}
        needed = schema.behind(at[name] for name in asked())
        lost = [known[j] for j in needed if known[j] not in place]
        if lost:
            raise DataError(say_lacking(lost, names, schema, "X", owner))
        return [place.get(name, -1) for name in known]
    if table.named and schema.named:
        lost = [name for name in known if name not in place]
        raise DataError(_say_names(sorted(place.keys() - set(known)), lost))
    if len(names) != len(known):
        raise DataError(
            f"X has {len(names)} features, but {owner} is expecting {len(known)} features as input."
        )
    return range(len(known))


def _say_names(new: list[str], lost: list[str]) -> str:
    """scikit-learn's words, and what may have been meant."""
    lines = ["The feature names should match those that were passed during fit."]
    if new:
        lines.append("Feature names unseen at fit time:")
        lines += [f"- {name}{did_you_mean(name, lost)}" for name in new[:5]]
        lines += ["- ..."] * (len(new) > 5)
    if lost:
        lines.append("Feature names seen at fit time, yet now missing:")
        lines += [f"- {name}" for name in lost[:5]]
        lines += ["- ..."] * (len(lost) > 5)
    return "\n".join(lines) + "\n"


def _as_column(cells: Cells, column: Column) -> Cells:
    """Cells in the kind, unit and levels of a column of the schema."""
    if column.levels is not None:
        codes = _codes(cells, column, column.levels)
        return Coded(codes, column.levels, column.unit, column.kind == "ordinal", declared=True)
    if isinstance(cells, Coded):
        if cells.all_missing():
            return Numbers(np.full(len(cells), np.nan), column.unit)
        if cells.unit == "text" or column.unit != "number":
            raise _changed(cells, column)
        return cells.numbers(column.name)
    if cells.unit == column.unit:
        cells.require_exact(column.name)
        return cells
    if (column.unit, cells.unit) == ("date", "datetime"):
        return Numbers(cells.values / DAY, "date")
    if (column.unit, cells.unit) == ("datetime", "date"):
        return Numbers(cells.values * DAY, "datetime")
    if cells.all_missing():
        return Numbers(cells.values, column.unit)
    raise _changed(cells, column)


def _codes(cells: Cells, column: Column, levels: tuple[Any, ...]) -> NDArray[Any]:
    """Codes of cells among the levels of a column."""
    text = any(isinstance(level, str) for level in levels)
    numbers = not all(isinstance(level, str) for level in levels)
    if isinstance(cells, Coded):
        alike = text if cells.unit == "text" else numbers
    else:
        alike = numbers and cells.unit == "number"
    if not alike and not cells.all_missing():
        raise _changed(cells, column)
    return cells.recode(levels) if isinstance(cells, Coded) else cells.codes_among(levels)


def _changed(cells: Cells, column: Column) -> KindError:
    """A column is not what it was when the model was fitted."""
    was = (
        f"levels such as {show_level(column.levels[0])!r}" if column.levels else _SAID[column.unit]
    )
    if isinstance(cells, Coded):
        got = f"{_SAID[cells.unit]} ({', '.join(repr(level) for level in cells.levels[:3])}, …)"
    else:
        got = _SAID[cells.unit]
    hint = "convert the column to what it was"
    if column.levels is None and column.unit == "number":
        hint += (
            f"; or, if all of it was missing then (which reads as numbers), fit again with its "
            f"levels, domains={{{column.name!r}: [...]}}, or without it"
        )
    return KindError(
        f"Column {column.name!r} was fitted with {was}, but now holds {got}. Hint: {hint}."
    )


def _refuse_missing(given: Table, table: Table, column: Column, j: int) -> NoReturn:
    """Say where the first missing or unknown value is, for missing="error"."""
    cells = table.column(j)
    empty = cells.codes == 0 if isinstance(cells, Coded) else np.isnan(cells.values)
    row = int(np.argmax(empty))
    if column.formula is not None:
        raise DataError(
            f"Input X contains NaN: the derived column {column.name!r}, {column.formula.text}, has "
            f"no value in row {table.row(row)}, where a value is missing or infinite, a divisor is "
            f"0, or the result too large; missing='error' allows no missing value. Hint: choose "
            f"another `missing`, such as 'learn'."
        )
    at = given.names.index(column.name) if given.named and column.name in given.names else j
    raw = given.column(at).take(np.array([row]))
    where = f"column {column.name!r}, row {table.row(row)}"
    if raw.all_missing():
        raise DataError(
            f"Input X contains NaN: {where} is missing, and missing='error' allows no missing "
            f"value. Hint: fill or drop it, or choose another `missing`, such as 'learn'."
        )
    value = raw.levels[int(raw.codes[0]) - 1] if isinstance(raw, Coded) else raw.values[0].item()
    raise DataError(
        f"Input X contains NaN or unknown values: {where} is {value!r}, which is none of the "
        f"column's levels; missing='error' refuses it.{did_you_mean(value, column.levels or ())}"
    )


def _require_exact(matrix: NDArray[Any], schema: Schema) -> None:
    if matrix.dtype.kind in "iu" and matrix.dtype.itemsize == 8 and first_inexact(matrix) >= 0:
        for j, column in enumerate(schema.given):
            Numbers(matrix[:, j]).require_exact(column.name)


_SAID = {
    "number": "numbers",
    "boolean": "truth values",
    "text": "text",
    "date": "dates",
    "datetime": "dates with a time",
    "instant": "times with a time zone",
    "duration": "lengths of time",
    "time": "times of day",
}
