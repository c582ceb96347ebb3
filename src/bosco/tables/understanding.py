"""What was understood of a table, as a value that can be printed or handed on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bosco.base.language import phrase, tr, trn
from bosco.base.numerals import lay_out, show_number
from bosco.base.visible import visible
from bosco.tables.distinct import n_distinct
from bosco.tables.oddities import IDENTIFIER

ROLES = {
    "target": phrase("target"),
    "weight": phrase("weight"),
    "dropped": phrase("dropped"),
    "group": phrase("group"),
    "time": phrase("time"),
}
"""What a column is besides an input, in words."""

_EXAMPLES = 4
_WIDTH = 34


@dataclass(frozen=True, slots=True)
class Seen:
    """What was understood of one column.

    Attributes
    ----------
    name, kind : str
        Its name, and number, boolean, date, datetime, instant, duration, time, text or ordinal.
    role : str
        input, target, weight or dropped; group or time, if it parts the rows.
    levels : int or None
        How many distinct values; None if they were not counted.
    values : str
        Its commonest levels, or its range, in words.
    missing : int
        Rows without a value.
    spellings : mapping of text to int
        What was read as missing, and how often.
    odd : tuple of str
        What a person should look at.
    """

    name: str
    kind: str
    role: str = "input"
    levels: int | None = None
    values: str = ""
    missing: int = 0
    spellings: Mapping[str, int] = field(default_factory=dict)
    odd: tuple[str, ...] = ()

    @property
    def identifier(self) -> bool:
        """Whether it looks like an identifier."""
        return any(note.startswith(IDENTIFIER) for note in self.odd)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        return {
            "name": self.name,
            "kind": self.kind,
            "role": self.role,
            "levels": self.levels,
            "values": self.values,
            "missing": self.missing,
            "missing_spellings": dict(self.spellings),
            "odd": list(self.odd),
        }


@dataclass(frozen=True, slots=True)
class Understanding:
    """What was understood of a table; ``print`` it to read it.

    Attributes
    ----------
    source, format : str
        Where the table is from, and how it is written.
    rows : int
        Rows of data.
    columns : tuple of Seen
        In the order of the file.
    notes : tuple of str
        What is odd about the file as a whole.

    Examples
    --------
    >>> seen = Seen("age", "number", values="18 … 93", missing=1, spellings={"?": 1})
    >>> print(Understanding("a.csv", "text, UTF-8, comma", 40, (seen,)))
    a.csv: text, UTF-8, comma · 40 rows, 1 column
    <BLANKLINE>
    column  kind    values   missing
    age     number  18 … 93  1 '?'
    """

    source: str
    format: str
    rows: int
    columns: tuple[Seen, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        rows = [[tr("column"), tr("kind"), tr("values"), tr("missing", "values")]]
        rows += [[visible(c.name), _kind(c), c.values, _missing(c)] for c in self.columns]
        n_rows = trn("{n} row", "{n} rows", f"{self.rows:,}")
        n_columns = trn("{n} column", "{n} columns", len(self.columns))
        head = f"{visible(self.source)}: {self.format} · {n_rows}, {n_columns}"
        odd = [f"! {note}" for note in self.notes]
        odd += [f"! {visible(c.name)}: {note}" for c in self.columns for note in c.odd]
        return "\n".join([head, "", *lay_out(rows, "<"), *([""] if odd else []), *odd])

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        return {
            "source": self.source,
            "format": self.format,
            "rows": self.rows,
            "columns": [column.to_dict() for column in self.columns],
            "notes": list(self.notes),
        }


def _kind(column: Seen) -> str:
    if column.role == "input":
        return column.kind
    return f"{column.kind} ({ROLES[column.role]()})".lstrip()


def _missing(column: Seen) -> str:
    if not column.missing:
        return ""
    spelled = " ".join(repr(text) if text else tr("empty") for text in column.spellings)
    return f"{column.missing:,} {spelled}".rstrip()


def describe(values: Any, kind: str) -> tuple[int | None, str]:
    """Count the distinct values of a column and say which they are.

    Examples
    --------
    >>> describe(pa.array(["b", "a", "b"]), "text"), describe(pa.array([3, 1.5]), "number")
    ((2, 'b, a'), (2, '1.5 … 3'))
    """
    if isinstance(values.type, pa.DictionaryType):
        levels = len(
            values.dictionary if isinstance(values, pa.Array) else values.chunk(0).dictionary
        )
        values = pc.cast(values, values.type.value_type)
    else:
        levels = None
    known = values.drop_null()
    if not len(known):
        return levels or 0, "none"
    if kind not in ("text", "ordinal", "boolean"):
        low, high = (x.as_py() for x in pc.min_max(known).values())
        low, high = (show_number(x) if isinstance(x, int | float) else str(x) for x in (low, high))
        return n_distinct(known), low if low == high else f"{low} … {high}"
    counts = pc.value_counts(known)
    order = pc.sort_indices(counts.field("counts"), sort_keys=[("", "descending")])
    names = pc.take(counts.field("values"), order[: _EXAMPLES + 1]).to_pylist()
    n_levels = levels or len(counts)
    return n_levels, in_words(names, n_levels)


def in_words(names: list[Any], n_levels: int) -> str:
    """Write the commonest levels of a column that has so many."""
    texts = [_shown(name) for name in names]
    shown = ", ".join(texts[:_EXAMPLES])
    if (len(texts) > 1 and len(shown) > _WIDTH) or n_levels > _EXAMPLES:
        shown = ", ".join(texts[: max(1, _fitting(texts))]) + f", … ({n_levels:,} levels)"
    return shown


def _shown(level: Any) -> str:
    if isinstance(level, bool):
        return "true" if level else "false"
    text = visible(" ".join(str(level).split()))
    return text if len(text) <= 20 else text[:19] + "…"


def _fitting(texts: list[str]) -> int:
    """How many of the texts fit into the column of the table."""
    total = n = 0
    for text in texts[:_EXAMPLES]:
        total += len(text) + 2
        if total > _WIDTH - 12:
            break
        n += 1
    return n
