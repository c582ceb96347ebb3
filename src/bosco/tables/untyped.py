"""Columns of files that say nothing of types, typed as all their rows together would be.

Numbers that are written plainly are told chunk by chunk. The texts of any other column are kept as
they are, each one once, until the last row is known; then they are typed as `read_file` types them.
"""

from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.ondisk import counted
from bosco.data.readers import from_series
from bosco.errors import DataError
from bosco.tables.cells import Column, in_domain, plain_numbers, read_distinct
from bosco.tables.distinct import Distinct
from bosco.tables.formats import from_objects
from bosco.tables.mapped import Growing, spread
from bosco.tables.options import Options

_FEW = 1000  # texts of a column that may be a target: those of truth values are kept


class Untyped:
    """One column while it is read."""

    def __init__(self, name: str, folder: str, options: Options, decimal: str, as_text: bool):
        self.name, self.options, self.decimal = name, options, decimal
        self.grown = Growing(name, folder)
        self.as_text = as_text  # keep texts, whatever they look like
        self.again = False  # it is not what it seemed: to be read again as text
        self.labels: Cells | None = None  # as a target, where that is something else

    def add(self, values: Any) -> None:
        """Add a chunk: text, or numbers of a database."""
        if self.again:
            return
        if self.as_text:
            self.grown.add(_texts(values))
            return
        numbers = self._numbers(values)
        if numbers is not None:
            self.grown.add(numbers)
        elif self.grown.n:
            self.again = True
        else:
            self.as_text = True
            self.grown.add(_texts(values))

    def _numbers(self, values: Any) -> Cells | None:
        """The chunk as numbers, if it is nothing but plain ones."""
        if not pa.types.is_string(values.type):
            return cells_of(values, self.name)
        if self.options.types.get(self.name, "number") != "number" or self.decimal != ".":
            return None
        if self.name in self.options.domains or self.options.missing_values is not None:
            return None
        read = plain_numbers(values)
        return None if read is None else cells_of(read.values, self.name)

    def mapped(self) -> Cells:
        """The whole column, typed."""
        cells = self.grown.mapped()
        if not self.as_text or not isinstance(cells, Coded):
            return cells
        texts = pa.array(cells.levels, pa.string())
        counts = counted(cells.codes, len(texts) + 1)[1:]
        found = [
            spread(cells.codes, cells_of(self._typed(texts, counts, label).values, self.name))
            for label in (False, *([True] if len(texts) <= _FEW else []))
        ]
        if isinstance(found[0], Coded) and found[0].unit == "boolean":
            self.labels = found[-1]
        return found[0]

    def _typed(self, texts: Any, counts: NDArray[np.int64], label: bool) -> Column:
        """What each of the texts is."""
        name, options = self.name, self.options
        if name in options.domains:
            domain = options.domains[name]
            ordered = domain.ordered or options.types.get(name) == "ordinal"
            return in_domain(texts, replace(domain, ordered=ordered), name, lambda _: "a row")
        said = options.missing_values
        asked = options.types.get(name)
        if asked in (None, "number") and said is None and self.decimal == ".":
            plain = plain_numbers(texts)
            if plain is not None:
                return plain
        distinct = Distinct.of(texts, None if said is None else frozenset(said))
        distinct = replace(distinct, counts=counts)
        return read_distinct(
            distinct, asked, self.decimal, label=label, where=lambda _: "some row", name=name
        )


def cells_of(values: Any, name: str) -> Cells:
    """A column of Arrow, numbers without a copy."""
    kind = values.type
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return Numbers((values.fill_null(np.nan) if values.null_count else values).to_numpy())
    if pa.types.is_integer(kind) and not values.null_count:
        return Numbers(values.to_numpy())
    whole = pa.chunked_array([values])
    return from_series(nw.from_native(whole, series_only=True), name)


def _texts(values: Any) -> Coded:
    """Texts as they are for levels; numbers in the way that a column of both would have them."""
    if pa.types.is_null(values.type):
        return Coded(np.zeros(len(values), np.uint8), ())
    if not pa.types.is_string(values.type):
        if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
            raise DataError(f"it holds values of type {values.type}. Hint: leave the column out.")
        values = from_objects([*values.to_pylist(), "text"])[:-1]
    coded = values.dictionary_encode()
    codes = pc.add(coded.indices, 1).fill_null(0).to_numpy(zero_copy_only=False)
    return Coded(codes, tuple(coded.dictionary.to_pylist()))


def whole(column: Any) -> Any:
    """A column in one piece."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
