"""Files larger than memory, and files that appear whole or not at all."""

import signal
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest

import bosco
from bosco import DecisionTreeClassifier
from bosco.base.safe_files import whole_file
from bosco.data.schema import Schema
from bosco.errors import DataError, ParameterError
from bosco.tables import Options, read_case, read_chunks, read_file, write_chunks
from bosco.tables.writing import Typing


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(bosco.__file__).parent.parent))


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")


# Chunks --------------------------------------------------------------------------------------


def table_of(n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "x": rng.normal(size=n).round(3),
            "k": rng.integers(0, 50, n),
            "city": np.array(["Roma", "Milano", "Forlì"])[rng.integers(0, 3, n)],
            "ok": rng.integers(0, 2, n).astype(bool),
            "day": pa.array([date(2024, 1, 1) + timedelta(int(d)) for d in rng.integers(0, 90, n)]),
        }
    )


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.feather"])
@pytest.mark.parametrize("rows", [7, 1000])
def test_chunks_are_the_whole(name: str, rows: int) -> None:
    table = table_of(100)
    y = np.where(table["x"].to_numpy() > 0, "a", "b")
    model = DecisionTreeClassifier(max_depth=4).fit(table, y).model_
    if ".csv" in name:
        write_chunks(name, [table])
    elif name == "a.parquet":
        pq.write_table(table, name)
    else:
        import pyarrow.feather as feather

        feather.write_feather(table, name)
    chunks = list(read_chunks(name, model.schema, rows=rows, keep=["k"]))
    assert max(c.X.num_rows for c in chunks) <= rows
    assert [c.start for c in chunks] == list(range(0, 100, rows))
    predicted = np.concatenate([model.predict(c.X) for c in chunks])
    assert (predicted == model.predict(table)).all()
    kept = [int(k) for c in chunks for k in c.kept["k"].to_pylist()]
    assert kept == table["k"].to_pylist()


def test_chunks_follow_the_schema() -> None:
    schema = Schema.infer({"n": [1.5], "b": [True], "t": ["yes"], "k": ["1"]})
    write("a.csv", "k;t;b;n\n1;yes ;yes;1,5\n2;no;0;?\n")
    (chunk,) = read_chunks("a.csv", schema)
    assert chunk.X.to_pydict() == {
        "n": [1.5, None],
        "b": [True, False],
        "t": ["yes", "no"],  # unknown levels stay what they are, which is not missing
        "k": ["1", "2"],
    }
    assert chunk.unknown == {"t": 1, "k": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age\n1\n2\nold\n", "a.csv, column 'age': 'old' (line 4) is not a number"),
        ("Age\n1\n", "a.csv lacks a column that the model asks for: 'age' (did you mean 'Age'?)."),
        ("age,x\n1,2\n3\n", "a.csv, line 3: 1 cell where the header has 2"),
        ("age\n1\n\x00\n", "a.csv, line 3"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_chunks_say_where(text: str, said: str, packed: bool) -> None:
    import gzip

    data = text.encode()
    Path("a.csv").write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(DataError) as caught:
        list(read_chunks("a.csv", Schema.infer({"age": [1.0]})))
    assert said in str(caught.value)


def test_the_type_that_is_named_reads_strangers_as_missing() -> None:
    """What helped to learn from a file helps to predict another one."""
    schema = Schema.infer({"cost": [1.0], "seen": np.array(["2024-01-01"], "M8[D]")})
    write("a.csv", "cost,seen\n1.5,2024-01-31\ntbd,2024-02-01\n2.5,mid March\n")
    with pytest.raises(DataError, match=r"'tbd' \(line 3\).*Hint: --types cost=number reads it"):
        list(read_chunks("a.csv", schema))
    with pytest.raises(DataError, match=r"'mid March' \(line 4\) is not a date.*seen=date reads"):
        list(read_chunks("a.csv", schema, options=Options(types={"cost": "number"})))
    said = Options(types={"cost": "number", "seen": "date"})
    (chunk,) = read_chunks("a.csv", schema, options=said)
    assert chunk.X.column("cost").to_pylist() == [1.5, None, 2.5]
    assert chunk.X.column("seen").null_count == 1


def test_levels_are_found_without_regard_to_case_where_asked_for() -> None:
    schema = Schema.infer({"a": ["No", "Yes", "x", "X"]})
    write("a.csv", "a\nNO\nyes\nNo\nx\nX\nnever\n")
    (chunk,) = read_chunks("a.csv", schema)
    assert chunk.X.column("a").to_pylist() == ["NO", "yes", "No", "x", "X", "never"]
    assert chunk.unknown == {"a": 3}
    (chunk,) = read_chunks("a.csv", schema, options=Options(fold_case=True))
    assert chunk.X.column("a").to_pylist() == ["No", "Yes", "No", "x", "X", "never"]
    assert chunk.unknown == {"a": 1}


def test_a_line_beyond_the_first_block() -> None:
    write("a.csv", "age\n" + "10000000\n" * 600_000 + "old\n")
    with pytest.raises(DataError, match=r"'old' \(line 600002\)"):
        list(read_chunks("a.csv", Schema.infer({"age": [1.0]})))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_chunks_left_early(encoding: str) -> None:
    """Whoever stops in the middle of a file is not kept waiting by its reader."""
    Path("a.csv").write_bytes(("città,age\n" + "Forlì,1\n" * 1000).encode(encoding))
    for _ in range(50):
        for chunk in read_chunks("a.csv", Schema.infer({"age": [1.0]}), rows=100):
            assert chunk.X.num_rows == 100
            break


def test_one_case() -> None:
    schema = Schema.infer({"age": [1.0, 2.0], "sex": ["f", "m"]})
    assert read_case({"age": "1e2", "sex": "q"}, schema) == {"age": 100.0, "sex": "q"}
    with pytest.raises(ParameterError, match="Did you mean 'age'"):
        read_case({"agee": "1"}, schema)
    with pytest.raises(DataError, match="'old'"):
        read_case({"age": "old"}, schema)


# Writing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
def test_what_is_written_is_read(name: str) -> None:
    table = table_of(50)
    assert write_chunks(name, [table.slice(0, 20), table.slice(20)]) == 50
    assert (
        read_file(name)
        .table.select(["x", "city", "ok", "day"])
        .equals(table.select(["x", "city", "ok", "day"]))
    )


def test_a_failure_leaves_the_old_file() -> None:
    write("a.csv", "old")

    def chunks() -> Any:
        yield table_of(10)
        raise RuntimeError("no more")

    for name in ("a.csv", "b.csv", "b.parquet", "b.csv.gz"):
        with pytest.raises(RuntimeError, match="no more"):
            write_chunks(name, chunks())
    assert Path("a.csv").read_text() == "old"
    assert [p.name for p in Path().iterdir()] == ["a.csv"]


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(ParameterError, match="cannot be written"), whole_file("no/such/a.csv"):
        pass


def test_written_files_have_the_usual_mode() -> None:
    write("plain", "")
    with whole_file("ours") as file:
        file.write(b"x")
    assert Path("ours").stat().st_mode == Path("plain").stat().st_mode


ENDLESS = """
import itertools, pyarrow as pa, time
from bosco.tables import write_chunks
def chunks():
    for i in itertools.count():
        yield pa.table({"x": list(range(1000))})
        time.sleep(0.01)
        if i == 3: print("going", flush=True)
write_chunks("out.csv", chunks())
"""


def test_interrupted_writing_leaves_nothing() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"going\n"
    assert any(p.suffix == ".part" for p in Path().iterdir())
    process.send_signal(signal.SIGINT)
    process.wait(20)
    process.stdout.close()
    assert process.returncode != 0
    assert list(Path().iterdir()) == []


def test_streaming_is_bounded() -> None:
    """However long the file, only a few blocks of it are in memory."""
    table = table_of(20_000)
    with whole_file("a.csv") as file:
        writer = pcsv.CSVWriter(pa.PythonFile(file, "w"), table.schema)
        for _ in range(25):
            writer.write_table(table)
        writer.close()
    before = pa.total_allocated_bytes()
    most = rows = 0
    for chunk in read_chunks("a.csv", Schema.infer(table), rows=20_000):
        rows += chunk.X.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert rows == 500_000
    assert most < 60 * 2**20


# Columns that are handed on ------------------------------------------------------------------


def test_what_is_kept_has_types_in_a_file_of_types() -> None:
    typed = Typing(Schema.infer({"age": [1.0], "sex": ["f"]}), {"zip": "text"})
    first = pa.table(
        {
            "id": ["1", "2"],
            "code": ["007", "12"],
            "zip": ["40100", "40121"],
            "day": ["2024-01-31", "?"],
            "age": ["31", ""],
            "sex": ["f", "m"],
            "n": pa.array([1, 2], pa.int16()),
        }
    )
    kinds = ["int64", "string", "string", "date32[day]", "int64", "string", "int16"]
    assert [str(kind) for kind in typed(first).schema.types] == kinds
    assert typed(first).column("code").to_pylist() == ["007", "12"]
    more = first.slice(1, 1).set_column(0, "id", pa.array([""]))
    assert typed(more).schema == typed(first).schema
    for odd in ("x", "1.5"):
        with pytest.raises(DataError, match=r"--keep: column 'id' .*--types id=text"):
            typed(first.set_column(0, "id", pa.array([odd, "2"])))
