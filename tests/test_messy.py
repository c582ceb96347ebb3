"""Every messy file has a right reading, which is reported, or a clear error.

The files are in tests/files/messy. A `Right` says what must come out: values of columns, and parts
of what must be said about the file or a column. An error is given by what its line must contain.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from math import inf
from pathlib import Path
from typing import Any

import pytest

from bosco.errors import BoscoError
from bosco.tables import Options, Reading, read_file

FOLDER = Path(__file__).parent / "files" / "messy"


@dataclass(frozen=True)
class Right:
    """What must be read: some columns as lists, the kinds of some, and what must be said."""

    values: dict[str, list[Any]]
    kinds: dict[str, str] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    missing: dict[str, set[str]] = field(default_factory=dict)
    silent: bool = False  # nothing odd may be said


def plain(**values: list[Any]) -> Right:
    return Right(values, silent=True)


PEOPLE = plain(age=[31, 22], safe=[True, False])
D = date

EXPECTED: dict[str, Right | str] = {
    "accounting.csv": Right({"balance": [-1234, 250, -3]}, said=("parentheses", "thousands")),
    "ambiguous_dates.csv": Right(
        {"when": ["01/02/2024", "03/04/2024", "05/06/2024"]},
        said=("when: dates, but 01/02/2024 may begin with the day or with the month", "date:dmy"),
    ),
    "beyond_2_53.csv": Right(
        {"account": ["9007199254740993", "9007199254740995", "12"]}, said=("beyond 2**53",)
    ),
    "blank_lines.csv": plain(a=[1, 3], b=[2, 4]),
    "bom.csv": PEOPLE,
    "booleans.csv": Right(
        {c: [True, False, True] for c in "abcde"} | {"f": [1, 0, 1]}, kinds={"f": "number"}
    ),
    "booleans_mixed.csv": Right({"a": [True, False, True, False]}, said=("several spellings",)),
    "broken.arff": "broken.arff, line 6: Data value maybe not found",
    "cut_attribute.arff": "cut_attribute.arff is not an ARFF file that can be read",
    "wild_offsets.feather": "wild_offsets.feather is not a whole Arrow file: Column 1",
    "broken.jsonl": "broken.jsonl, line 3, column 7: not JSON",
    "case_twins.csv": Right(
        {
            "risposta": ["sì", "Sì", "no", "sì", "forse", "no"],
            "classe": ["No", "no", "no", "no", "Sì", "sì"],
        },
        said=(
            "risposta: 'sì' ×2 and 'Sì' ×1 differ in case only: read as different levels. "
            "--fold-case makes them one",
            "classe: 'no' ×3 and 'No' ×1, 'Sì' ×1 and 'sì' ×1 differ in case only: read as "
            "different classes. --fold-case",
        ),
    ),
    "cells_no_numbers.csv": Right(
        {},
        kinds={"costo": "text"},
        said=(
            "costo: 3 of 40 cells are no numbers: 'da definire' ×2, 'vedi nota' ×1, the first in "
            "line 5; kept as text. --types costo=number reads them as missing",
            "costo: looks like an identifier, as long as its numbers are text: 39 of 40 rows",
        ),
    ),
    "comments.csv": Right({"age": [31, 22]}, said=("2 comment lines at the top left out",)),
    "crlf.csv": PEOPLE,
    "csv_called.parquet": PEOPLE,
    "currency.csv": Right(
        {"price": [1234.5, 20, -3.25], "cost": [10, 12, 9], "mixed": ["$5", "€6", "7"]},
        said=("price: currency signs removed", "mixed: several currencies: $, €"),
    ),
    "date_in_words.csv": Right(
        {},
        kinds={"ricovero": "text"},
        said=(
            "ricovero: 1 of 40 cells is no date: 'metà marzo' ×1, the first in line 13; kept as "
            "text. --types ricovero=date reads it as missing",
            "ricovero: looks like an identifier, as long as its dates are text",
        ),
    ),
    "day_first_dates.csv": Right(
        {"when": [D(2024, 1, 31), D(2024, 2, 1), D(2024, 3, 15)]}, kinds={"when": "date"}
    ),
    "duplicate_headers.csv": Right(
        {"x": [1, 5], "y": [2, 6], "x_3": [3, 7], "x_2": [4, 8]},
        said=("column 3 is a second 'x': called 'x_3'",),
    ),
    "empty.csv": "empty.csv is empty",
    "empty_header_cells.csv": Right(
        {"age": [31, 22], "column_2": ["a", "b"], "column_4": [1, 2]},
        said=("column 2 has no name", "column 4 has no name"),
    ),
    "far_date.csv": Right(
        {},
        kinds={"seen": "date"},
        said=(
            "2202-03-01 (line 12) is far from all other values, 2021-01-01 … 2022-11-04: a slip",
        ),
    ),
    "far_value.csv": Right(
        {},
        kinds={"age": "number"},
        said=("age: 455 (line 35) is far from all other values, 18 … 94: a slip?",),
    ),
    "garbage.csv": "garbage.csv, line 2, character 3: U+000E is not text",
    "header_without_newline.csv": "header_without_newline.csv has a header and no rows",
    "identifier.csv": Right(
        {"one": ["same"] * 30},
        said=("id: looks like an identifier", "one: constant", "copy: may leak the target"),
    ),
    "impossible_dates.csv": Right(
        {},
        kinds={"when": "text"},
        said=(
            "when: 1 of 10 cells is no date: '2024-02-30' ×1, the first in line 3; kept as text. "
            "--types when=date reads it as missing",
        ),
    ),
    "inf_nan.csv": Right(
        {"x": [inf, -inf, 3, inf], "y": [1, None, 2, None]}, missing={"y": {"nan", "NaN"}}
    ),
    "latin1.csv": Right(
        {"città": ["Forlì", "Cefalù"], "età": [31, 22]}, said=("not UTF-8: read as Windows-1252",)
    ),
    "leading_zeros.csv": Right({"zip": ["00184", "20121", "01000"]}, said=("zip: leading zeros",)),
    "long_line.csv": Right({"id": [1, 2], "note": ["x" * 70_000, "short"]}),
    "missing_keys.jsonl": Right(
        {"age": [31, None, 22.5], "safe": [True, False, True], "note": [None, "x", None]}
    ),
    "missing_next_to_numbers.csv": Right(
        {"dose": [1.5, None, 2.5, 3.5], "drug": ["none", "aspirin", "none", "aspirin"]},
        missing={"dose": {"unknown"}, "drug": set()},
    ),
    "missing_spellings.csv": Right(
        {
            "a": [1, None, None, 4],
            "b": ["x", None, "y", None],
            "c": [None, 2.5, None, None],
            "d": [None, None, "q", "r"],
        },
        missing={"a": {"?", "N/A"}, "b": {"NA", "null"}, "c": {"?", "NaN", "-"}, "d": {"", "-"}},
    ),
    "mixed_dates.csv": Right(
        {
            "when": [
                D(2024, 1, 31),
                D(2024, 1, 31),
                D(2024, 3, 5),
                D(2024, 4, 7),
                D(2024, 2, 29),
            ]
        },
        said=("when: several formats of dates",),
    ),
    "mixed_line_ends.csv": plain(age=[31, 22, 40], safe=[True, False, True]),
    "mixed_types.jsonl": Right(
        {"age": [31, 22, None], "id": ["1", "2", "3b"]}, said=("values of several types",)
    ),
    "nested.jsonl": "nested.jsonl, column 'b': it holds values of type struct",
    "no_header.csv": Right(
        {"column_1": [5.1, 4.9, 7.0], "column_3": ["setosa", "setosa", "versicolor"]},
        said=("no header",),
    ),
    "not_available.csv": Right(
        {}, kinds={"costo": "number"}, missing={"costo": {"n.d."}}, silent=False
    ),
    "nul_bytes.csv": "nul_bytes.csv, line 3, character 2: U+0000 is not text",
    "numbers_quoted.csv": plain(a=[1, 3], b=[2.5, 4.5]),
    "numbers_with_text.csv": Right(
        {},
        kinds={"dose": "text", "v": "number"},
        said=(
            "dose: 1 of 31 cells is no number: 'approx 20' ×1, the first in line",
            "kept as text. --types dose=number reads it as missing",
        ),
    ),
    "old_mac.csv": PEOPLE,
    "one_column.csv": plain(age=[31, 22, 40]),
    "only_blank_lines.csv": "only_blank_lines.csv is empty",
    "only_header.csv": "only_header.csv has a header and no rows",
    "parquet_called.csv": Right({"age": [31, 22, None], "safe": ["yes", "no", "?"]}),
    "percent.csv": Right({"rate": [12.5, 3, None]}, said=("rate: percent signs removed",)),
    "pipes.csv": plain(name=["A", "B"], age=[31, 22], ok=[True, False]),
    "plain.csv.gz": PEOPLE,
    "plain.csv.zst": PEOPLE,
    "plus_minus.csv": plain(mark=["-", "+", "-", "+"], **{"class": ["+", "-", "-", "+"]}),
    "quoted.arff": Right(
        {
            "the outlook": ["sunny", "partly cloudy", None],
            "temperature": [85, None, 70],
            "note": ["it's hot", "x, y", None],
            "day": [D(2024, 1, 31), D(2024, 2, 1), None],
        },
        kinds={"the outlook": "text", "day": "date"},
    ),
    "quoted_newlines.csv": plain(
        id=[1, 2, 3], note=["first\nsecond", 'a "quoted" word', "plain"], ok=[True, False, True]
    ),
    "rare_class.csv": Right(
        {},
        said=(
            "coffin: may leak the target: alone it tells all of the rows, and the commonest class "
            "without it 98.5 %",
        ),
    ),
    "ragged_after_quotes.csv": "ragged_after_quotes.csv, line 4: 3 cells where the header has 2",
    "ragged_long.csv": "ragged_long.csv, line 4: 4 cells where the header has 3",
    "ragged_short.csv": "ragged_short.csv, line 3: 2 cells where the header has 3",
    "repeated_header.csv": Right(
        {"a": [1, 3], "b": [2, 4]}, said=("1 row that repeats the header left out: line 3",)
    ),
    "scientific.csv": plain(x=[1e3, 2.5e10, 0.5], y=[1e-3, -400, 5]),
    "semicolons_decimal_commas.csv": Right(
        {"price": [1.5, 12, 3.2], "weight": [2.25, 0.75, 10]}, said=("decimal comma",)
    ),
    "sep_line.csv": plain(a=[1, 3], b=[2, 4]),
    "spaces.txt": "spaces.txt, line 1: the columns seem to be aligned by spaces",
    "sparse.arff": plain(a=[3, 0, 0], b=["yes", "no", "no"], c=[0, 0, None]),
    "stray_quote.csv": plain(a=[1, 2], b=['5" pipe', '6" pipe']),
    "table.feather": Right({"age": [31, 22, None], "safe": ["yes", "no", "?"]}),
    "tabs.tsv": plain(name=["A, B", "C"], age=[31, 22]),
    "thousands.csv": Right({"price": [1234, 12345678, 999]}, said=("thousands",)),
    "thousands_dots.csv": Right(
        {"people": [2755309, 1371498, 847622], "share": [4.7, 2.3, 1.4]}, said=("thousands",)
    ),
    "thousands_spaces.csv": Right({"price": [1234.5, 12345.5, 999]}, said=("thousands",)),
    "time_zones.csv": Right(
        {
            "when": [
                datetime(2024, 1, 31, 10, 30, tzinfo=UTC),
                datetime(2024, 1, 31, 9, 45, 30, tzinfo=UTC),
            ]
        },
        kinds={"when": "instant"},
    ),
    "timestamps.csv": Right(
        {
            "when": [
                datetime(2024, 1, 31, 10, 30),
                datetime(2024, 1, 31, 11, 45, 30),
                datetime(2024, 2, 1, 0, 0, 0, 250_000),
            ]
        },
        kinds={"when": "datetime"},
    ),
    "title_lines.csv": Right(
        {"age": [31, 22], "v": [1, 2]}, said=("1 line before the header left out",)
    ),
    "title_row.xlsx": Right(
        {
            "age": [31, 22, None],
            "seen": [D(2024, 1, 31), D(2024, 2, 1), None],
            "dose": [1.5, None, 2.5],
            "smoker": [True, False, True],
        },
        said=("1 row before the header left out: 'Patients of 2024'", "the first of 2 sheets"),
        missing={"dose": {"?"}},
    ),
    "trailing_delimiter.csv": Right(
        {"a": [1, 3], "b": [2, 4]}, said=("1 column without name and values left out",)
    ),
    "trailing_spaces.csv": Right(
        {"name": ["x", "y", "x"], "size": [10, 20, 30]},
        said=("name: spaces around 2 values removed",),
    ),
    "truncated.csv.gz": "truncated.csv.gz cannot be unpacked (gzip)",
    "unicode_header.csv": plain(
        **{"naïve name": ["A", "B"], "größe (cm)": [170, 180], "年": [2020, 2021]}
    ),
    "unterminated_quote.csv": "unterminated_quote.csv, line 3, column 2 ('b'): the quote is never",
    "utf16.csv": plain(name=["Àlex", "Zoë"], age=[31, 22]),
    "utf16_no_bom.csv": plain(name=["Alex", "Zoe"], age=[31, 22]),
    "utf8_broken_late.csv": Right(
        {"name": ["plain"] * 12_000 + ["café"]}, said=("not UTF-8: read as Windows-1252",)
    ),
}

TARGETS = {"identifier.csv": "safe", "case_twins.csv": "classe", "rare_class.csv": "died"}


def read(name: str) -> Reading:
    return read_file(FOLDER / name, Options(target=TARGETS.get(name)))


def test_every_file_is_expected() -> None:
    assert {p.name for p in FOLDER.iterdir()} == set(EXPECTED)
    assert len(EXPECTED) >= 40


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if isinstance(e, Right)])
def test_right_reading(name: str) -> None:
    expected = EXPECTED[name]
    assert isinstance(expected, Right)
    reading = read(name)
    table = reading.table.to_pydict()
    assert {column: table[column] for column in expected.values} == expected.values
    if expected.silent:
        assert list(table) == list(expected.values)
    seen = {column.name: column for column in reading.understanding.columns}
    assert {column: seen[column].kind for column in expected.kinds} == expected.kinds
    assert {c: set(seen[c].spellings) for c in expected.missing} == expected.missing
    text = str(reading.understanding)
    assert [part for part in expected.said if part not in text] == []
    if expected.silent:
        assert "\n!" not in text


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if isinstance(e, str)])
def test_clear_error(name: str) -> None:
    with pytest.raises(BoscoError) as caught:
        read(name)
    message = str(caught.value)
    assert str(EXPECTED[name]) in message
    assert "\n" not in message


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if isinstance(e, Right)])
def test_settled_options_read_the_same(name: str) -> None:
    """The options a reading found out give the same table without looking."""
    reading = read(name)
    again = read_file(FOLDER / name, reading.options)
    assert again.table.equals(reading.table)


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if isinstance(e, Right)])
def test_the_estimators_take_it(name: str) -> None:
    from bosco.data.readers import read_table

    table = read(name).table
    assert read_table(table).n_rows == table.num_rows


# What helps, and what is told ---------------------------------------------------------------------


def test_levels_that_differ_in_case_become_one() -> None:
    reading = read_file(FOLDER / "case_twins.csv", Options(target="classe", fold_case=True))
    assert reading.X.to_pydict() == {"risposta": ["sì", "sì", "no", "sì", "forse", "no"]}
    assert reading.y.to_pylist() == ["no", "no", "no", "no", "Sì", "Sì"]
    text = str(reading.understanding)
    assert "risposta: 'sì' ×2 and 'Sì' ×1 differ in case only: read as one" in text
    assert "--fold-case" not in text
    assert reading.options.fold_case


@pytest.mark.parametrize(
    ("name", "column", "kind", "missing"),
    [("cells_no_numbers.csv", "costo", "number", 3), ("date_in_words.csv", "ricovero", "date", 1)],
)
def test_the_option_that_is_named_helps(name: str, column: str, kind: str, missing: int) -> None:
    said = str(read(name).understanding)
    assert f"--types {column}={kind} reads" in said
    reading = read_file(FOLDER / name, Options(types={column: kind}))
    (seen,) = (c for c in reading.understanding.columns if c.name == column)
    assert (seen.kind, seen.missing, seen.identifier) == (kind, missing, False)
    assert "read as missing: '" in seen.odd[0]


def test_what_no_column_tells_is_no_leak() -> None:
    """The commonest class alone is right in 98.5 % of the rows, with or without the ward."""
    text = str(read("rare_class.csv").understanding)
    assert "ward:" not in text
