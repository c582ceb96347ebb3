"""The distinct texts of a column. They are few where decisions about a column are hard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bosco.tables.spellings import MISSING

_SHOWN = 3


def as_mask(truths: Any) -> Any:
    """Truth values of Arrow as numpy's, null as false."""
    return truths.fill_null(False).to_numpy(zero_copy_only=False)


def codes_of(values: Any) -> tuple[NDArray[Any], int]:
    """Number the distinct values of a column; -1 is missing."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    coded = values if isinstance(values.type, pa.DictionaryType) else values.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, int(np.count_nonzero(np.bincount(codes[codes >= 0])))


def n_distinct(values: Any) -> int:
    """How many distinct values a column has, not counting a missing one.

    Numbers and moments are sorted by their bits: where nearly all differ, a table of them would
    take ten times the column.
    """
    width = 0 if pa.types.is_dictionary(values.type) else _width(values.type)
    if not width:
        return codes_of(values)[1]
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    bits = np.sort(values.drop_null().view(f"int{width}").to_numpy())
    return int(np.count_nonzero(np.diff(bits))) + bool(len(bits))


def _width(kind: Any) -> int:
    """The bits of a number or a moment; 0: it is something else."""
    test = pa.types
    plain = test.is_floating(kind) or test.is_integer(kind) or test.is_temporal(kind)
    width: int = kind.bit_width if plain else 0
    return width if width in (8, 16, 32, 64) else 0


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct texts of a column."""

    texts: Any  # trimmed
    counts: Any  # how often each is there
    rows: Any  # which one each row has; -1: none
    missing: Any  # which of them mean that there is no value
    padded: int  # rows whose text has spaces around it

    @classmethod
    def of(cls, column: Any, missing_values: frozenset[str] | None) -> "Distinct":
        """Find the distinct texts, and those that mean a missing value."""
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        coded = column.dictionary_encode()
        texts = pc.utf8_trim_whitespace(coded.dictionary)
        rows = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        counts = np.bincount(rows[rows >= 0], minlength=len(texts))
        padded = int(counts[as_mask(pc.not_equal(texts, coded.dictionary))].sum())
        if missing_values is None:
            spelled = MISSING
            if pc.any(pc.equal(texts, "+")).as_py():
                spelled = MISSING - {"-"}  # beside a plus it is a value: minus
            missing = pc.is_in(pc.utf8_lower(texts), pa.array(sorted(spelled)))
        else:
            missing = pc.is_in(texts, pa.array(["", *missing_values], pa.string()))
        return cls(texts, counts, rows, as_mask(missing), padded)

    def known(self) -> Any:
        """Texts that are values, null where they mean missing."""
        return pc.if_else(pa.array(self.missing), pa.scalar(None, pa.string()), self.texts)

    def spread(self, values: Any) -> Any:
        """Values of the distinct texts, for every row."""
        rows = pa.array(self.rows, mask=self.rows < 0) if (self.rows < 0).any() else self.rows
        return pc.take(values, pa.array(rows))

    def first_row(self, wanted: Any) -> int:
        """The first row whose text is one of those wanted (a mask)."""
        return int(np.argmax(np.append(wanted, False)[self.rows]))

    def spellings(self, missing: Any) -> dict[str, int]:
        """Say how often each of the texts that mean missing (a mask) occurs."""
        found: dict[str, int] = {}
        texts = pc.filter(self.texts, pa.array(missing)).to_pylist()
        for text, n in zip(texts, self.counts[missing].tolist(), strict=True):
            found[text] = found.get(text, 0) + n
        return found

    def weigh(self, strangers: Any) -> tuple[int, int]:
        """Count the rows that have a stranger (a mask), and those that have a value."""
        return int(self.counts[strangers].sum()), int(self.counts[~self.missing].sum())

    def listed(self, mask: Any, where: Callable[[int], str]) -> str:
        """Show the commonest of some texts (a mask), how often they occur, and where the first is.

        Examples
        --------
        >>> distinct = Distinct.of(pa.array(["1", "n.d.", "2", "n.d."]), None)
        >>> distinct.listed(np.array([False, True, False]), lambda row: f"line {row + 2}")
        "'n.d.' ×2, the first in line 3"
        """
        odd = np.flatnonzero(mask & (self.counts > 0))
        order = odd[np.argsort(-self.counts[odd], kind="stable")]
        shown = [f"{self.texts[int(i)].as_py()!r:.40} ×{self.counts[i]:,}" for i in order[:_SHOWN]]
        more = len(order) - len(shown)
        shown += [f"{more:,} other text{'s' * (more > 1)}"] if more else []
        return f"{', '.join(shown)}, the first in {where(self.first_row(mask))}"

    def example(self, mask: Any, where: Callable[[int], str]) -> str:
        """Show the first row whose text is one of those wanted, and say where it is."""
        row = self.first_row(mask)
        return f"{self.texts[int(self.rows[row])].as_py()!r:.60} ({where(row)})"
