"""Reading files: types, options, layouts, formats, oddities."""

import io
import json
import os
import sqlite3
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

from bosco import DecisionTreeClassifier
from bosco.data.schema import Schema
from bosco.errors import DataError, ParameterError
from bosco.tables import Domain, Options, read_domains, read_file
from bosco.tables.cells import read_texts
from bosco.tables.dates import to_dates
from bosco.tables.dialects import find_dialect
from bosco.tables.numbers import to_numbers
from bosco.tables.oddities import oddities
from bosco.tables.sources import rename


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


# Numbers and dates ---------------------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.sampled_from(".,"))
def test_numbers_come_back(numbers: list[float], decimal: str) -> None:
    texts = [repr(x).replace(".", decimal) for x in numbers]
    assert to_numbers(pa.array(texts), decimal).values.to_pylist() == numbers


@given(st.integers(-(10**12), 10**12), st.sampled_from([".", ","]), st.sampled_from(" '’.,\u202f"))
def test_thousands_come_back(number: int, decimal: str, mark: str) -> None:
    text = f"{number:,}".replace(",", mark)
    read = to_numbers(pa.array([text]), decimal).values.to_pylist()[0]
    if mark != decimal:
        assert read == number
    elif abs(number) >= 10**6:
        assert read is None  # two decimal marks are none


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_dates_come_back(day: date) -> None:
    texts = [
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{day.day} {day:%b} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
    ]
    assert to_dates(pa.array(texts)).values.to_pylist() == [day] * 4
    either = [f"{day.day:02}.{day.month:02}.{day.year}", f"{day.month}/{day.day}/{day.year}"]
    assert to_dates(pa.array(either[:1]), "dmy").values.to_pylist() == [day]
    assert to_dates(pa.array(either[1:]), "mdy").values.to_pylist() == [day]
    doubt = bool(to_dates(pa.array(either[:1])).doubt)
    assert doubt == (day.day <= 12 and day.day != day.month)


@given(st.integers(28, 31), st.integers(1, 13), st.integers(1900, 2100))
def test_no_day_is_made_up(day: int, month: int, year: int) -> None:
    read = to_dates(pa.array([f"{year}-{month:02}-{day:02}"])).values.to_pylist()[0]
    try:
        assert read == date(year, month, day)
    except ValueError:
        assert read is None


def test_day_and_month_first_in_one_column_is_in_doubt() -> None:
    read = read_texts(pa.array(["31/01/2024", "01/31/2024"]))
    assert read.kind == "text"
    assert "in others the month" in read.notes[0]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2"], "number"),
        (["0", "1"], "number"),
        (["yes", "no", ""], "boolean"),
        (["y", "y"], "text"),
        (["yes", "maybe"], "text"),
        (["0.5", "00.5"], "number"),
        (["007", "8"], "text"),
        (["1-2", "3-4"], "text"),
        (["NaN", "nan"], "text"),
        (["12:30", "13:45"], "text"),
        (["1e5", "-.5"], "number"),
        (["٣", "٤"], "text"),
        (["1,5", "x"], "text"),
        (["5 kg", "6 kg"], "text"),
        (["D1", "D2"], "text"),
    ],
)
def test_kinds(texts: list[str], kind: str) -> None:
    assert read_texts(pa.array(texts)).kind == kind


def test_quick_and_slow_numbers_agree() -> None:
    texts = ["1", "?", "2.5", "", "-3", "NA"]
    quick, slow = read_texts(pa.array(texts)), read_texts(pa.array([*texts, "+4 "]))
    assert slow.values.to_pylist()[:-1] == quick.values.to_pylist()
    assert dict(quick.missing) == dict(slow.missing) == {"?": 1, "": 1, "NA": 1}


# Options -------------------------------------------------------------------------------------


def test_types() -> None:
    write("a.csv", "n,d,b,z,t\n1,01/02/2024,1,7,x\nabout 2,03/04/2024,0,8,y\n")
    types = {"n": "number", "d": "date:mdy", "b": "boolean", "z": "text"}
    reading = read_file("a.csv", Options(types=types))
    assert reading.table.to_pydict() == {
        "n": [1, None],
        "d": [date(2024, 1, 2), date(2024, 3, 4)],
        "b": [True, False],
        "z": ["7", "8"],
        "t": ["x", "y"],
    }
    said = "1 cell that is no number read as missing: 'about 2' ×1, the first in line 3"
    assert said in str(reading.understanding)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"types": {"b": "boolean"}}, DataError, "a.csv, column 'b': 'maybe' (line 3) is neither"),
        ({"types": {"d": "date"}}, ParameterError, "ask for date:dmy or date:mdy"),
        ({"types": {"b": "date"}}, DataError, "a.csv, column 'b': 'yes' (line 2) is not a date"),
        ({"types": {"b": "numbr"}}, ParameterError, "Did you mean 'number'?"),
        ({"types": {"x": "number"}}, ParameterError, "no column 'x' in a.csv"),
        ({"types": {"b": "ordinal"}}, ParameterError, "needs the order of its levels"),
        ({"target": "B"}, ParameterError, "no column 'B' in a.csv. Did you mean 'b'?"),
        ({"weight": "b"}, DataError, "weights must be numbers"),
        ({"decimal": ";"}, ParameterError, "decimal must be"),
        ({"delimiter": ";;"}, ParameterError, "delimiter must be one"),
        ({"encoding": "utf-9"}, ParameterError, "encoding 'utf-9' is not known"),
        ({"query": "SELECT 1"}, ParameterError, "a.csv is no database"),
        (
            {"domains": {"b": Domain(("yes", "no"))}},
            DataError,
            "line 3, column 'b': 'maybe' is not in its declared domain",
        ),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], said: str) -> None:
    write("a.csv", "b,d\nyes,01/02/2024\nmaybe,03/04/2024\n")
    with pytest.raises(error) as caught:
        read_file("a.csv", Options(**options))
    assert said in str(caught.value)


def test_missing_values_replace_the_usual_ones() -> None:
    write("a.csv", "a,b\n1,?\n-999,x\n3,\n")
    reading = read_file("a.csv", Options(missing_values=("-999",)))
    assert reading.table.to_pydict() == {"a": [1, None, 3], "b": ["?", "x", None]}


def test_target_weight_drop() -> None:
    write("a.csv", "id,x,w,y\n1,5,2,yes\n2,6,1,?\n3,7,0.5,no\n")
    reading = read_file("a.csv", Options(target="y", weight="w", drop=("id",)))
    assert reading.X.to_pydict() == {"x": [5, 7]}
    assert reading.y.to_pylist() == ["yes", "no"]  # labels as they are written
    assert reading.sample_weight.tolist() == [2, 0.5]
    assert "1 row without a target left out" in str(reading.understanding)
    roles = {c.name: c.role for c in reading.understanding.columns}
    assert roles == {"id": "dropped", "x": "input", "w": "weight", "y": "target"}
    DecisionTreeClassifier().fit(reading.X, reading.y, sample_weight=reading.sample_weight)
    json.dumps(reading.understanding.to_dict())


@pytest.mark.parametrize("name", ["d.json", "d.toml"])
def test_domains_from_a_file(name: str) -> None:
    texts = {
        "d.json": '{"size": {"levels": ["S", "M", "L"], "ordered": true}, "n": [1, 2, 3]}',
        "d.toml": 'n = [1, 2, 3]\n[size]\nlevels = ["S", "M", "L"]\nordered = true\n',
    }
    domains = read_domains(write(name, texts[name]))
    write("a.csv", "size,n\nL,1\nS,3\n?,\n")
    table = read_file("a.csv", Options(domains=domains)).table
    schema = Schema.infer(table)
    assert schema.columns[0].kind == "ordinal"
    assert schema.columns[0].levels == ("S", "M", "L")
    assert schema.columns[1].levels == (1, 2, 3)


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 1}', '{"a": []}', '{"a": ["x", "x"]}'])
def test_wrong_domains(text: str) -> None:
    with pytest.raises(ParameterError):
        read_domains(write("d.json", text))


# Layout --------------------------------------------------------------------------------------

CELL = st.text(st.sampled_from("ab,;|\t\"' \n0é"), max_size=6)


@settings(max_examples=60)
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8), st.sampled_from(",;|\t"))
def test_any_cells_come_back(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    """What the csv module of Python writes, with every cell quoted, is read back."""
    import csv

    line = io.StringIO()
    writer = csv.writer(line, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("first", "second", "third"), *rows])
    Path("a.csv").write_bytes(line.getvalue().encode())
    types = dict.fromkeys(("first", "second", "third"), "text")
    options = Options(types=types, missing_values=(), delimiter=delimiter, header=True)
    table = read_file("a.csv", options).table.to_pydict()
    wanted = [[cell.strip() or None for cell in column] for column in zip(*rows, strict=True)]
    assert list(table.values()) == wanted


def test_row_names_of_r() -> None:
    found = find_dialect('"a" "b"\n"r1" 1 2\n"r2" 3 4\n', "utf-8", "x", delimiter=" ")
    assert found.names == ("", "a", "b")


def test_years_may_be_names() -> None:
    write("a.csv", "country,2019,2020\nIT,1,2\nFR,3,4\n")
    assert read_file("a.csv").table.column_names == ["country", "2019", "2020"]


@given(st.lists(st.sampled_from(["", "x", "x_2", "column_1", " x", "y"]), max_size=6))
def test_names_are_unique(names: list[str]) -> None:
    renamed, _ = rename(names)
    assert len(set(renamed)) == len(names)
    assert all(renamed)


def test_no_file() -> None:
    write("loans.csv", "a\n1\n")
    with pytest.raises(ParameterError, match=r"no file lons.csv. Did you mean 'loans.csv'"):
        read_file("lons.csv")
    with pytest.raises(ParameterError, match="is a folder"):
        read_file(".")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"a;b\n1;x\n"))
    monkeypatch.setattr(sys, "stdin", piped)
    reading = read_file("-")
    assert reading.table.to_pydict() == {"a": [1], "b": ["x"]}
    assert reading.understanding.source == "standard input"


# Databases -----------------------------------------------------------------------------------


def test_sqlite() -> None:
    with sqlite3.connect("a.db") as connection:
        connection.execute("CREATE TABLE people (age, safe)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(31, "yes"), ("?", "no")])
    connection.close()
    assert read_file("a.db").table.to_pydict() == {"age": [31, None], "safe": [True, False]}
    asked = read_file("a.db", Options(query="SELECT age FROM people WHERE safe = 'yes'"))
    assert asked.table.to_pydict() == {"age": [31]}
    with pytest.raises(DataError, match="no such table: persons"):
        read_file("a.db", Options(query="SELECT * FROM persons"))
    with pytest.raises(DataError, match="readonly"):
        read_file("a.db", Options(query="DELETE FROM people"))


def test_sqlite_with_two_tables() -> None:
    with sqlite3.connect("a.db") as connection:
        connection.execute("CREATE TABLE a (x)")
        connection.execute("CREATE TABLE b (x)")
    connection.close()
    with pytest.raises(ParameterError, match=r"has the tables 'a', 'b'. Hint: --query"):
        read_file("a.db")


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect("a.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a, 'x' AS b, DATE '2024-01-31' AS c")
    wanted = {"a": [1], "b": ["x"], "c": [date(2024, 1, 31)]}
    assert read_file("a.duckdb").table.to_pydict() == wanted
    with pytest.raises(DataError, match=r"a.duckdb: .*nope"):
        read_file("a.duckdb", Options(query="SELECT * FROM nope"))


@pytest.mark.skipif("BOSCO_POSTGRESQL" not in os.environ, reason="BOSCO_POSTGRESQL is no address")
def test_postgresql() -> None:
    query = "SELECT 1 AS a, 2.5::numeric(6, 2) AS b, 'x' AS c, DATE '2024-01-31' AS d, true AS e"
    table = read_file(os.environ["BOSCO_POSTGRESQL"], Options(query=query)).table
    assert table.to_pylist() == [{"a": 1, "b": 2.5, "c": "x", "d": date(2024, 1, 31), "e": True}]
    with pytest.raises(DataError, match="nope"):
        read_file(os.environ["BOSCO_POSTGRESQL"], Options(query="SELECT * FROM nope"))
    with pytest.raises(ParameterError, match="a query is wanted"):
        read_file(os.environ["BOSCO_POSTGRESQL"])


# Oddities ------------------------------------------------------------------------------------


def test_a_number_that_separates_the_classes_leaks() -> None:
    x = pa.array(np.arange(40.0))
    assert "leak" in oddities(x, "number", pa.array(["a"] * 25 + ["b"] * 15))[0]
    assert oddities(x, "number", pa.array(["a"] * 25 + ["b", "a"] + ["b"] * 13)) == []
    assert "leak" in oddities(x, "number", pa.array(np.arange(40.0) * 3 + 1))[0]


def test_numbers_in_a_row_are_identifiers() -> None:
    assert "identifier" in oddities(pa.array(range(100, 130)), "number")[0]
    assert oddities(pa.array([*range(100, 129), 500]), "number") == []
    assert "no value" in oddities(pa.nulls(3, pa.float64()), "number")[0]


@pytest.mark.parametrize("delimiter", [";", "\t", "|", ","])
def test_excels_line_names_the_delimiter(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"sep={delimiter}\nx{delimiter}y\n1{delimiter}2\n")
    assert read_file(path).table.column_names == ["x", "y"]


@pytest.mark.parametrize("character", ["é", '"', "0", "a"])
def test_a_line_like_excels_is_a_header(character: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"sep={character}\n1\n2\n")
    assert read_file(path).table.column_names == [f"sep={character}"]


@pytest.mark.parametrize("form", ["feather", "parquet"])
def test_names_that_are_no_text_are_refused(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{form}"
    table = pa.table({"aaaa": [1, 2]})
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)
    path.write_bytes(path.read_bytes().replace(b"aaaa", b"\xe1a\xff\xfe"))
    with pytest.raises(DataError, match=f"a.{form} is not a whole .* file: .*utf-8"):
        read_file(path)


def test_a_dictionary_with_a_missing_or_repeated_entry(tmp_path: Path) -> None:
    """A target that is missing by its entry is missing; a level that comes twice is one."""
    entries = pa.array(["x", None, "x", "y"])
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None, 3]), entries)
    feather.write_feather(pa.table({"a": coded, "y": coded}), tmp_path / "a.feather")
    reading = read_file(tmp_path / "a.feather", Options(target="y"))
    assert reading.y.to_pylist() == ["x", "x", "y", "y"]
    assert "2 rows without a target left out" in str(reading.understanding)
    assert reading.X.column("a").combine_chunks().dictionary.to_pylist() == ["x", "y"]
