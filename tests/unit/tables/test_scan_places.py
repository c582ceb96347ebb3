"""Scans of text, databases, folders and mixed lists: typed as the whole of them would be."""

import sqlite3
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.data.columns import Numbers
from bosco.data.ondisk import folder_of
from bosco.data.readers import Table, read_table
from bosco.errors import DataError, ParameterError
from bosco.tables import Domain, Options, read_file
from tests.contract.postgres import postgres
from tests.contract.runners import AbsentError
from tests.test_scale import file_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pcsv = pytest.importorskip("pyarrow.csv")
feather = pytest.importorskip("pyarrow.feather")

N = 6000


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is many chunks."""
    monkeypatch.setattr("bosco.tables.delimited._STREAM_BLOCK", 1 << 13)
    monkeypatch.setattr("bosco.tables.streams._ROWS", 700)
    monkeypatch.setattr("bosco.tables.streams.rows_at_once", lambda _: 700)


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scratch files have no name, and none is open once nobody has the table."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert not list(folder.iterdir())


def same(made: Table, want: Table) -> None:
    """Two tables hold the same columns, of the same kinds."""
    assert made.names == want.names
    for j, name in enumerate(want.names):
        a, b = made.column(j), want.column(j)
        assert (type(a), a.unit) == (type(b), b.unit), name
        if isinstance(a, Numbers):
            assert isinstance(b, Numbers)
            one, other = a.values.astype(float), b.values.astype(float)
            assert np.array_equal(one, other, equal_nan=True), name
        else:
            assert (a.levels, a.ordered) == (b.levels, b.ordered), name  # type: ignore[union-attr]
            assert (a.codes == b.codes).all(), name  # type: ignore[union-attr]


COLUMNS = {
    "whole": lambda k: str(k % 77),
    "decimals late": lambda k: str(k % 5) if k < N - 50 else "7.5",
    "gaps": lambda k: f"{k / 7:.4f}" if k % 10 else "?",
    "gaps early": lambda k: "" if k < 3000 else str(k),
    "text": lambda k: ["red", "green", "blue"][k % 3],
    "truth": lambda k: "yes" if k % 2 else "no",
    "truth but once": lambda k: "maybe" if k == N - 1 else "yes" if k % 2 else "no",
    "day": lambda k: f"2024-0{k % 9 + 1}-1{k % 9}",
    "moment": lambda k: f"2024-01-01 {k % 24:02}:00",
    "nothing": lambda _: "",
    "code": lambda k: f"00{k % 7}",
    "zeros at the end": lambda k: str(k) if k < N - 1 else "007",
    "text at the end": lambda k: str(k) if k < N - 1 else "many",
    "minus or plus": lambda k: "-" if k < N - 9 else "+",
    "large": lambda k: str(2**53 + 2 * k) if k > 5000 else str(k),
    "large or not": lambda k: str(2**54 + k) if k > 5900 else f"{k}.5",
    "percent": lambda k: f"{k % 50} %",
    "spaced": lambda k: f" {k % 9} ",
    "quoted": lambda k: f'"a, {k % 4}"',
    "many texts": lambda k: f"t{k % 700}",
}


def text(decimal: str = ".", delimiter: str = ",", part: range | None = None) -> str:
    """Rows of all columns as text."""
    rows = [delimiter.join(COLUMNS)]
    for k in range(N) if part is None else part:
        cells = (f(k) for f in COLUMNS.values())
        if decimal == ",":
            cells = (c.replace(".", ",") for c in cells)
        rows.append(delimiter.join(cells))
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(("decimal", "delimiter"), [(".", ","), (",", ";"), (".", "\t")])
def test_text_is_typed_as_a_whole(decimal: str, delimiter: str, tmp_path: Path) -> None:
    place = tmp_path / "table.csv"
    place.write_text(text(decimal, delimiter))
    made = bosco.scan(place).as_table()
    same(made, read_table(read_file(place).table))
    assert all(folder_of(c.values if isinstance(c, Numbers) else c.codes) for c in made.columns)


def test_files_of_text_are_typed_together(tmp_path: Path) -> None:
    whole = tmp_path / "whole.csv"
    whole.write_text(text())
    folder = tmp_path / "parts"
    folder.mkdir()
    cuts = [0, 1, 1, 2500, N - 1, N]  # one row, none, many, one
    for k, (start, end) in enumerate(pairwise(cuts)):
        (folder / f"{k}.csv").write_text(text(part=range(start, end)))
    (folder / "_SUCCESS").write_text("")
    same(bosco.scan(folder).as_table(), read_table(read_file(whole).table))
    same(bosco.scan(f"{folder}/*.csv").as_table(), read_table(read_file(whole).table))


def test_a_header_within_and_columns_without_a_name(tmp_path: Path) -> None:
    place = tmp_path / "table.csv"
    rows = "".join(f"{k},x{k % 3},\n" for k in range(3000))
    place.write_text("a,b,\n" + rows + "a,b,\n" + rows)
    want = read_table(read_file(place).table)
    assert want.names == ("a", "b")
    same(bosco.scan(place).as_table(), want)


def test_options_of_a_file_hold_for_a_scan(tmp_path: Path) -> None:
    place = tmp_path / "table.csv"
    place.write_text(text())
    options = Options(
        types={"whole": "text", "text at the end": "number", "truth": "boolean"},
        missing_values=("red",),
        drop=("code", "percent"),
        domains={"text": Domain(("green", "blue", "red", "grey"), ordered=True)},
    )
    same(bosco.scan(place, options=options).as_table(), read_table(read_file(place, options).table))


def test_a_target_of_words_keeps_its_words(tmp_path: Path) -> None:
    place = tmp_path / "table.csv"
    place.write_text(text())
    codes = ("zeros at the end", "text at the end", "large")  # look like identifiers
    reading = read_file(place, Options(target="truth", drop=codes))
    scanned = bosco.scan(place, options=Options(drop=codes))
    tree = bosco.DecisionTreeClassifier(max_depth=3)
    made = tree.fit(scanned, y="truth").model_
    assert made.classes.tolist() == ["no", "yes"]
    assert file_of(made, tmp_path) == file_of(tree.fit(reading.X, reading.y).model_, tmp_path)
    kept = tree.fit(scanned, y="text").model_  # where it is no target it is a truth value
    assert kept.schema.columns[kept.schema.names.index("truth")].unit == "boolean"


def test_databases_are_streamed(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    place = tmp_path / "table.csv"
    place.write_text(text())
    plain = read_file(place).table
    dates = [n for n in plain.column_names if pa.types.is_temporal(plain[n].type)]
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.register("plain", plain)
        connection.execute('CREATE TABLE "my trips" AS SELECT * FROM plain')
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    address = f"duckdb:///{tmp_path}/a.duckdb"
    same(bosco.scan(address, table="my trips").as_table(), read_table(plain))
    with pytest.raises(ParameterError, match="has the tables 'my trips', 'other'"):
        bosco.scan(address)
    with pytest.raises(DataError, match="my trip"):
        bosco.scan(address, table="my trip")
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        plain.drop_columns(dates).to_pandas().to_sql("trips", connection, index=False)
        connection.execute("UPDATE trips SET whole = 'seven' WHERE rowid > 5990")  # any type goes
    address = f"sqlite:///{tmp_path}/a.sqlite"
    same(bosco.scan(address).as_table(), read_table(read_file(address).table))
    query = Options(query="SELECT * FROM trips WHERE gaps > 10")
    same(bosco.scan(address, options=query).as_table(), read_table(read_file(address, query).table))


def test_a_server_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("adbc_driver_postgresql")
    monkeypatch.setattr(tempfile, "tempdir", None)  # the server outlives the test
    try:
        server = postgres()
    except AbsentError as error:
        pytest.skip(str(error))
    server.ask(
        """DROP TABLE IF EXISTS trips; CREATE TABLE trips AS
        SELECT k, k / 7.0 AS exact, k / 8.0::float8 AS x, 't' || (k % 9) AS t, k % 2 = 0 AS late,
        DATE '2024-01-01' + k % 300 AS day, CASE WHEN k % 5 > 0 THEN k % 31 END AS gaps
        FROM generate_series(1, 5000) AS k;"""
    )
    address = f"postgresql://bosco@/postgres?host={server.folder}"
    query = Options(query="SELECT * FROM trips")
    whole = read_file(address, query).table
    scanned = bosco.scan(address, table="public.trips")
    same(scanned.as_table(), read_table(whole))
    tree = bosco.DecisionTreeClassifier(max_depth=3)
    want = tree.fit(whole.drop_columns(["late"]), whole["late"]).model_
    assert file_of(tree.fit(scanned, y="late").model_, tmp_path) == file_of(want, tmp_path)
    with pytest.raises(DataError, match="nowhere"):
        bosco.scan(address, table="public.nowhere")
    with pytest.raises(ParameterError, match="which table"):
        bosco.scan(address)


def test_mixed_lists_are_rows_in_order(tmp_path: Path) -> None:
    plain = pa.table(
        {
            "x": pa.array(np.arange(3000) / 4),
            "t": [f"t{k % 5}" for k in range(3000)],
            "b": [k % 3 == 0 for k in range(3000)],
        }
    )
    places = [tmp_path / name for name in ("0.csv", "1.parquet", "2.csv", "3.arrow")]
    pcsv.write_csv(plain.slice(0, 800), places[0])
    pq.write_table(plain.slice(800, 800), places[1], row_group_size=100)
    pcsv.write_csv(plain.slice(1600, 800), places[2])
    feather.write_feather(plain.slice(2400), places[3])
    same(bosco.scan(places).as_table(), read_table(plain))


def test_folders_name_columns_of_any_kind(tmp_path: Path) -> None:
    for year, city in (("2024", "Rome"), ("2025", "a%2Fb"), ("__HIVE_DEFAULT_PARTITION__", "7")):
        folder = tmp_path / f"year={year}" / f"city={city}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"x": [1.0]}), folder / "part.parquet")
    made = bosco.scan(tmp_path).as_table()
    assert made.names == ("x", "year", "city")
    year, city = made.column(1), made.column(2)
    assert np.array_equal(year.values, [2024, 2025, np.nan], equal_nan=True)  # type: ignore[union-attr]
    assert city.levels == ("7", "Rome", "a/b")  # type: ignore[union-attr]


def test_kinds_of_arrow(tmp_path: Path) -> None:
    """Decimals, categories in several orders, gaps at any place: as one table has them."""
    from decimal import Decimal

    plain = pa.table(
        {
            "d": pa.array([Decimal("1.50"), None, Decimal("2.25")] * 500),
            "c": pa.array([None, "b", "a"] * 500),
            "b": pa.array([None, True, False] * 500),
            "i": pa.array([1, None, 2**40] * 500),
            "f": pa.array([1.5, None, np.nan] * 500, pa.float32()),
            "t": pa.array([None, 1, 2] * 500).cast(pa.timestamp("us")),
            "z": pa.array([None, 1, 2] * 500).cast(pa.timestamp("ns", "UTC")),
            "s": pa.array([None, 1, 2] * 500).cast(pa.duration("s")),
            "n": pa.nulls(1500),
        }
    )
    for k in range(3):
        pq.write_table(
            plain.slice(500 * k, 500).select(plain.column_names[:: (-1) ** k]),
            tmp_path / f"{k}.parquet",
        )
    same(bosco.scan(tmp_path).as_table(), read_table(plain))
    declared = plain.select(["c"]).to_pydict()["c"]
    parts = [pa.array(declared[k * 500 : k * 500 + 500]).dictionary_encode() for k in range(3)]
    for k, part in enumerate(parts):
        pq.write_table(pa.table({"c": part}), tmp_path / f"{k}.parquet")
    same(
        bosco.scan(tmp_path).as_table(),
        read_table(pa.table({"c": pa.chunked_array(parts)})),
    )


def refused(place: Any, match: str, **more: Any) -> None:
    with pytest.raises(DataError, match=match):
        bosco.scan(place, **more).as_table()


def test_what_is_wrong_is_said_with_its_file(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(pa.table({"a": ["x", "y"]}), good)
    (tmp_path / "empty.csv").write_text("")
    refused(tmp_path / "empty.csv", r"empty\.csv is empty")
    (tmp_path / "header.csv").write_text("a,b\n")
    refused(tmp_path / "header.csv", "there is no row")
    (tmp_path / "ragged.csv").write_text("a,b\n" + "1,2\n" * 5000 + "1,2,3\n")
    refused(tmp_path / "ragged.csv", r"ragged\.csv, line 5002: 3 cells")
    (tmp_path / "latin.csv").write_bytes(b"a\n" + b"1\n" * 200000 + "è\n".encode("latin-1"))
    refused(tmp_path / "latin.csv", r"latin\.csv is not in utf-8.*name the encoding")
    pq.write_table(pa.table({"a": [True]}), bad)
    refused([good, bad], r"bad\.parquet: column 'a': it holds truth values, and before that text")
    pq.write_table(pa.table({"a": [[1, 2]]}), bad)
    refused(bad, r"bad\.parquet: Column 'a' holds values of type List")
    pq.write_table(pa.table({"a": [2**60 + 1, None]}), bad)
    refused(bad, r"bad\.parquet: Column 'a' holds whole numbers beyond")
    ordered = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    for place, levels in ((good, ["low", "high"]), (bad, ["high", "low"])):
        codes = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), levels, ordered=True)
        pq.write_table(pa.table({"a": codes.cast(ordered)}), place)
    refused([good, bad], r"bad\.parquet: column 'a': its ordered categories are high, low")
    data = bad.read_bytes()
    bad.write_bytes(data[:-30])
    refused(bad, r"bad\.parquet cannot be read")
    with pytest.raises(ParameterError, match="fold_case is not for a scan"):
        bosco.scan(good, options=Options(fold_case=True))
    with pytest.raises(ParameterError, match="got none"):
        bosco.scan([])
    with pytest.raises(ParameterError, match="no column 'b' in"):
        bosco.scan(good, options=Options(drop=("b",)))


def test_a_file_that_changes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.tables import streams

    place = tmp_path / "table.csv"
    place.write_text(text())
    read = streams.open_delimited

    def growing(*given: Any) -> Iterator[Any]:
        for k, batch in enumerate(read(*given)):
            if k == 2:
                with place.open("a") as file:
                    file.write(text(part=range(3)).partition("\n")[2])
            yield batch

    monkeypatch.setattr(streams, "open_delimited", growing)
    refused(place, r"table\.csv: it changed while it was read")


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.data import ondisk

    place = tmp_path / "table.parquet"
    pq.write_table(pa.table({"x": np.arange(5000.0)}), place)
    made = tempfile.TemporaryFile

    def full(**more: Any) -> Any:
        return _Full(made(**more))

    monkeypatch.setattr(ondisk.tempfile, "TemporaryFile", full)
    refused(place, r"scratch.*cannot hold the rows: No space left on device.*Hint")
    with pytest.raises(DataError, match="cannot hold the rows"):
        bosco.scan(place, scratch=tmp_path / "nowhere").as_table()


def _no_room(*_: Any) -> None:
    raise OSError(28, "No space left on device")


class _Full:
    """A file that takes nothing."""

    def __init__(self, file: Any):
        self.close, self.write = file.close, _no_room


@pytest.mark.parametrize("at", [0, 150_000, 299_999])
def test_a_quote_that_is_never_closed_is_refused_with_its_line(at: int, tmp_path: Path) -> None:
    quote = '"x'
    lines = [f"{k},{quote if k == at else 'y'}\n" for k in range(300_000)]
    (tmp_path / "open.csv").write_text("a,b\n" + "".join(lines))
    with pytest.raises(DataError, match=rf"open.csv, line {at + 2}, column 2 \('b'\): the quote"):
        bosco.scan(tmp_path / "open.csv").as_table()


def test_a_quoted_last_cell_of_several_lines_is_read(tmp_path: Path) -> None:
    (tmp_path / "closed.csv").write_text('a,b\n1,y\n2,"x\ny"\n')
    assert bosco.scan(tmp_path / "closed.csv").as_table().column(1).levels == ("x\ny", "y")
