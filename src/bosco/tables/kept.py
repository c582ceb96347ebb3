"""Columns that are handed on: text as it is written in text, typed in a file that has types."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from bosco.data.schema import Schema
from bosco.errors import BoscoError, DataError
from bosco.tables.cells import read_texts
from bosco.tables.numbers import decimal_of

_KINDS = ("number", "date", "datetime", "boolean")


class Typing:
    """Types the text of columns, chunk by chunk: what the first rows say holds for all.

    Parameters
    ----------
    like : Schema
        Knows the columns of a model.
    types : mapping of str to str
        What the user says of columns, as in `Options`.

    Examples
    --------
    >>> typed = Typing(Schema.infer({"age": [1.0]}), {"zip": "text"})
    >>> table = pa.table({"id": ["7", "8"], "zip": ["7", "8"], "day": ["2024-01-31", "?"]})
    >>> [str(kind) for kind in typed(table).schema.types]
    ['int64', 'string', 'date32[day]']
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
            self._decimal = decimal_of(list(texts.values()), ",")
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
