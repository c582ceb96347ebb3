"""How a text file is written: its encoding, its delimiter, lines before the header, the header.

pyarrow reads rows once it knows the layout, and never guesses it; DuckDB guesses well, but takes a
ragged file for one with a single column. So the layout is found here, from the first rows, by
trying each delimiter and asking under which one the rows agree on a number of cells.
"""

import codecs
import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from bosco.errors import DataError

_DELIMITERS = ("\t", ";", "|", ",")
_SAMPLE = 200  # rows that are looked at
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?%?")
_SEPARATOR = re.compile(r"\s*sep=([\t !#$%&'*,./:;<>?@^_`|~+\\-])\s*")  # plain, and no quote
_YEAR = re.compile(r"(19|20)\d\d")
_ALIGNED = re.compile(r"\S(?: {2,}|\t+)\S")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WRONG = re.compile("[\x00-\x08\x0e-\x19\x1c-\x1f\x7f\ufffd\ufffe\uffff]")
_BINARY_SHARE = 0.02  # of characters that no text has
_WIDE_SHARE = 0.3  # of zeros in every second byte

FALLBACK = "cp1252"
"""What a file is in that is not UTF-8: Latin-1 as Windows writes it."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The layout of a text file."""

    delimiter: str
    encoding: str
    skip: int  # lines before the first row of data, the header included
    names: tuple[str, ...]  # the cells of the header; made up if there is none
    header: bool = True
    notes: tuple[str, ...] = ()  # what was odd


def rows_of(text: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    r"""Part text into rows, quotes respected; with each row, the number of lines up to its end."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # the default refuses long cells
    reader = csv.reader(text, delimiter=delimiter)
    for row in reader:
        yield reader.line_num, row


def find_dialect(
    text: str,
    encoding: str,
    name: str,
    *,
    whole: bool = True,
    delimiter: str | None = None,
    header: bool | None = None,
) -> Dialect:
    r"""Find the layout of a text from its beginning.

    Where it is not the `whole` text, its last line is not looked at. What is known already,
    `delimiter` and `header`, is not looked for.

    Examples
    --------
    >>> find_dialect("name;price\nA;1,5\nB;2,5\n", "utf-8", "a.csv").delimiter
    ';'
    """
    notes: list[str] = []
    if not whole:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    skipped, asked = _preamble(text, notes)
    delimiter = delimiter or asked or _best_delimiter(text, skipped)
    rows = _sample(text, delimiter, skipped)
    if not rows:
        raise DataError(f"{name} is empty: a header and rows are wanted.")
    _refuse_aligned(rows, delimiter, name)
    at, has_header = find_header([row for _, row in rows], header)
    cells = rows[at][1]
    if at:
        notes.append(f"{at} line{'s' * (at > 1)} before the header left out: {rows[0][1][0]!r}")
    if not has_header:
        notes.append("no header: columns are named by their place")
        names = [f"column_{j + 1}" for j in range(len(cells))]
        skip = rows[at - 1][0] if at else skipped
        return Dialect(delimiter, encoding, skip, tuple(names), False, tuple(notes))
    names = _with_row_names(cells, [row for _, row in rows[at + 1 :]], notes)
    return Dialect(delimiter, encoding, rows[at][0], tuple(names), True, tuple(notes))


def find_header(rows: Sequence[Sequence[str]], header: bool | None = None) -> tuple[int, bool]:
    """Find the first row that is not a title, and whether it is a header.

    A title has one cell where rows have several. A row is no header if it has a number where the
    column below has numbers, and no text above numbers.

    Examples
    --------
    >>> find_header([["Report", ""], ["age", "sex"], ["31", "f"]])
    (1, True)
    >>> find_header([["5.1", "setosa"], ["4.9", "setosa"]])
    (0, False)
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    usual = Counter(len(row) for row in rows).most_common(1)[0][0] if rows else 0
    at = 0
    while usual > 1 and at + 1 < len(rows) and filled[at] <= 1 and max(filled[at + 1 :]) > 1:
        at += 1
    if header is not None:
        return at, header
    above = below = 0
    for first, *rest in zip(*(row for row in rows[at:] if len(row) == len(rows[at])), strict=True):
        numeric = sum(bool(_NUMBER.fullmatch(cell.strip())) for cell in rest if cell.strip())
        if not rest or numeric < 0.8 * sum(bool(cell.strip()) for cell in rest) or not numeric:
            continue
        if not _NUMBER.fullmatch(first.strip()):
            above += 1
        elif not _YEAR.fullmatch(first.strip()):
            below += 1
    return at, above > 0 or below == 0


def _preamble(text: str, notes: list[str]) -> tuple[int, str | None]:
    """Count comment lines at the top, and read Excel's ``sep=;``."""
    skipped, asked = 0, None
    for line in io.StringIO(text, newline=None):
        stripped = line.strip()
        if stripped.startswith("#"):
            skipped += 1
        elif skipped == 0 and (separator := _SEPARATOR.fullmatch(line.rstrip("\n"))):
            return 1, separator[1]
        else:
            break
    if skipped:
        notes.append(f"{skipped} comment line{'s' * (skipped > 1)} at the top left out")
    return skipped, asked


def _sample(text: str, delimiter: str, skipped: int) -> list[tuple[int, list[str]]]:
    """The first rows that are not blank, after the lines skipped."""
    found = []
    for end, row in rows_of(io.StringIO(text, newline=""), delimiter):
        if end > skipped and any(cell.strip() for cell in row):
            found.append((end, row))
            if len(found) == _SAMPLE:
                break
    return found


def _best_delimiter(text: str, skipped: int) -> str:
    """The delimiter under which most rows have as many cells as each other, and more than one."""
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        counts = [len(row) for _, row in _sample(text, delimiter, skipped)]
        cells, rows = max(
            Counter(counts).items(), key=lambda item: (item[1], item[0]), default=(1, 0)
        )
        if cells > 1 and (rows / len(counts), cells) > best_score:
            best, best_score = delimiter, (rows / len(counts), cells)
    return best


def _refuse_aligned(rows: list[tuple[int, list[str]]], delimiter: str, name: str) -> None:
    """Columns set apart by blanks are not read; one wide column of text would come out."""
    lines = [row[0] for _, row in rows if len(row) == 1]
    if len(rows) < 2 or len(lines) < len(rows) or not all(map(_ALIGNED.search, lines)):
        return
    if len({len(line.split()) for line in lines}) == 1:
        raise DataError(
            f"{name}, line {rows[0][0]}: the columns seem to be aligned by spaces, and no row has "
            f"a {delimiter!r}. Hint: save the table with a delimiter, or name it by --delimiter."
        )


def _with_row_names(cells: list[str], rows: list[list[str]], notes: list[str]) -> list[str]:
    """A header one cell short of every row: the rows have names, or end in a delimiter."""
    if not rows or {len(row) for row in rows} != {len(cells) + 1}:
        return cells
    if all(not row[-1].strip() for row in rows):
        notes.append("every row ends in a delimiter")
        return [*cells, ""]
    notes.append("the header is one cell short: the first column is taken for names of rows")
    return ["", *cells]


def encoding_of(head: bytes) -> str:
    """Tell the encoding from the first bytes: by their mark, by the look of UTF-16, or UTF-8.

    Examples
    --------
    >>> encoding_of("età".encode("utf-16")), encoding_of("età".encode())
    ('utf-16', 'utf-8')
    >>> encoding_of("age".encode("utf-16-be")), encoding_of("è qui".encode("latin-1"))
    ('utf-16-be', 'cp1252')
    """
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    half = max(len(head) // 2, 1)
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = head[offset::2].count(0), head[1 - offset :: 2].count(0)
        if zeros > _WIDE_SHARE * half and others <= zeros // 10:
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a last letter may be cut in two
    except UnicodeDecodeError:
        return FALLBACK
    return "utf-8"


def refuse_binary(text: str, name: str) -> None:
    r"""Refuse what is no text, and say where the first wrong character is.

    Examples
    --------
    >>> refuse_binary("age,safe\n3\x001,yes\n", "a.csv")
    Traceback (most recent call last):
    bosco.errors.DataError: a.csv, line 2, character 2: U+0000 is not text. ...
    """
    first = _WRONG.search(text)
    if first is None:
        return
    if "\x00" not in text and len(_WRONG.findall(text)) <= _BINARY_SHARE * len(text):
        return
    at = first.start()
    before = re.split(r"\r\n|\r|\n", text[:at])
    raise DataError(
        f"{name}, line {len(before)}, character {len(before[-1]) + 1}: U+{ord(text[at]):04X} is "
        f"not text. Hint: the file may be binary, damaged, or in an encoding that must be named."
    )
