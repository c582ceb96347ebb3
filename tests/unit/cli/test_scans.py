"""Folders and patterns on the command line: the model of one file of all rows."""

import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from tests.commands import run, said, told
from tests.test_scale import file_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pcsv = pytest.importorskip("pyarrow.csv")

N = 600


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(bosco.__file__).parent.parent))


def trips(form: str = "parquet") -> None:
    """Ten files, and the same rows in one."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    late = np.where(x + rng.normal(size=N) > 0, "yes", "no").astype(object)
    late[[0, N - 1]] = None
    whole = pa.table(
        {
            "number": np.arange(N),
            "name": [f"trip {k}" for k in range(N)],
            "x": pa.array(x, mask=rng.random(N) < 0.1),
            "zone": rng.choice(["north", "south"], N),
            "rain": np.where(rng.random(N) < 0.3, "yes", "no"),
            "day": (np.arange(N) % 300).astype("datetime64[D]"),
            "late": pa.array(late),
        }
    )
    Path("trips").mkdir()
    write = pq.write_table if form == "parquet" else pcsv.write_csv
    write(whole, f"all.{form}")
    for k in range(10):
        write(whole.slice(k * N // 10, N // 10), f"trips/{k}.{form}")


def plain(place: str, folder: Path) -> bytes:
    """A model without where it is from."""
    model = bosco.load(place)
    about = {n: v for n, v in model.provenance.items() if n not in ("source", "command")}
    return file_of(replace(model, provenance=about), folder)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_fit_makes_the_model_of_one_file(form: str, tmp_path: Path) -> None:
    trips(form)
    one = told("fit", f"all.{form}", "--target", "late")
    many = told("fit", "trips/", "--target", "late")
    assert (Path("trips.json").exists(), Path("trips.html").exists()) == (True, True)
    assert plain("trips.json", tmp_path) == plain("all.json", tmp_path)
    for what in ("error", "recall", "choices", "candidates", "rules", "settings"):
        assert many[what] == one[what], what
    seen = {c["name"]: c for c in many["understanding"]["columns"]}
    for column in one["understanding"]["columns"]:
        for what in ("kind", "role", "missing", "values")[: 3 if column["name"] == "name" else 4]:
            assert seen[column["name"]][what] == column[what], (column["name"], what)
    assert seen["name"]["role"] == seen["number"]["role"] == "dropped"
    assert "2 rows without a target left out" in many["understanding"]["notes"]
    again = shlex.split(many["command"])[1:]
    before = Path("trips.json").read_bytes()
    Path("trips.json").unlink()
    said(*again)
    assert Path("trips.json").read_bytes() == before


def test_patterns_are_scans_for_every_verb(tmp_path: Path) -> None:
    trips()
    deep = ["--target", "late", "--max-depth", "3"]
    said("fit", "trips/*.parquet", *deep, "--no-choose", "--no-report")
    said("fit", "all.parquet", *deep, "--no-choose", "--no-report")
    assert plain("trips.json", tmp_path) == plain("all.json", tmp_path)

    def both(*words: str) -> tuple[Any, Any]:
        asked = (
            told(*(at if w == "*" else w for w in words))
            for at in ("trips/*.parquet", "all.parquet")
        )
        return tuple(asked)  # type: ignore[return-value]

    many, one = both("evaluate", "*", *deep, "--folds", "3")
    assert many["summary"] == one["summary"]
    many, one = both("select", "*", "--target", "late", "--grid", "max_depth=1,2")
    assert (many["chosen"], many["test_scores"]) == (one["chosen"], one["test_scores"])
    many, one = both("evaluate", "*", "--model", "all.json", "--target", "late")
    assert many["error"] == one["error"]
    for place, out in (("trips/", "many.csv"), ("all.parquet", "one.csv")):
        said("predict", "all.json", place, "--out", out, "--keep", "number")
    assert Path("many.csv").read_text() == Path("one.csv").read_text()


def test_folders_that_name_columns_are_predicted(tmp_path: Path) -> None:
    trips()
    whole = pq.read_table("all.parquet")
    Path("years").mkdir()
    for year in (2024, 2025):
        (tmp_path / "years" / f"year={year}").mkdir()
        even = pa.array(np.arange(N) % 2 == year % 2)
        part = whole.filter(even).select(["x"])
        labels = np.where(np.asarray(part["x"].fill_null(0)) > (0 if year == 2024 else 1), "a", "b")
        pq.write_table(part.append_column("y", pa.array(labels)), f"years/year={year}/a.parquet")
    said("fit", "years", "--target", "y", "--max-depth", "4", "--no-choose", "--no-report")
    model = bosco.load("years.json")
    assert model.schema.names == ("x", "year")
    said("predict", "years.json", "years/", "--out", "out.csv", "--keep", "year")
    made = pcsv.read_csv("out.csv")
    assert made["prediction"].to_pylist() == model.predict(bosco.scan("years")).tolist()
    assert sorted(set(made["year"].to_pylist())) == [2024, 2025]


def refused(code: int, *words: str) -> str:
    """What a verb says that fails."""
    result = run(*words)
    assert result.exit_code == code, result.output
    return str(result.output)


def test_what_is_wrong_with_a_folder_is_said() -> None:
    trips()
    Path("empty").mkdir()
    done = refused(2, "fit", "empty", "--target", "late")
    assert "has no file of Parquet, Arrow, CSV or TSV" in done
    done = refused(2, "fit", "trips", "--target", "lat")
    assert "no column 'lat'" in done
    assert "late" in done
    Path("trips/5.parquet").write_bytes(Path("trips/5.parquet").read_bytes()[:-9])
    done = refused(1, "fit", "trips", "--target", "late")
    assert "5.parquet cannot be read" in done
    assert not Path("trips.json").exists()


def test_nothing_is_left_after_ctrl_c(tmp_path: Path) -> None:
    trips("csv")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    slow = (
        "import sys, time\n"
        "from bosco.tables import streams\n"
        "read = streams.open_delimited\n"
        "def slowly(*given):\n"
        "    for batch in read(*given):\n"
        "        print('reading', flush=True)\n"
        "        time.sleep(0.2)\n"
        "        yield batch\n"
        "streams.open_delimited = slowly\n"
        "from bosco.cli import main\n"
        "sys.argv = ['bosco', 'fit', 'trips', '--target', 'late']\n"
        "main()\n"
    )
    at_work = subprocess.Popen(
        [sys.executable, "-c", slow],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert at_work.stdout is not None
    for _ in range(3):
        at_work.stdout.readline()
    time.sleep(0.05)
    at_work.send_signal(signal.SIGINT)
    _, heard = at_work.communicate(timeout=60)
    assert at_work.returncode == 130
    assert "interrupted" in heard
    assert not list(scratch.iterdir())
    assert not Path("trips.json").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.csv", "scratch", "trips"]
