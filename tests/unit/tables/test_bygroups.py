"""A large text file read some columns at a time: to the last word what reading it whole gives."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bosco.errors import BoscoError
from bosco.tables import Options, bygroups, delimited, read_file

MESSY = Path(__file__).parents[2] / "files" / "messy"
TEXTS = sorted(p.name for p in MESSY.iterdir() if p.suffix in (".csv", ".tsv", ".txt"))


def told(file: Path, options: Options, spare: bool) -> Any:
    """Everything that comes of reading a file."""
    try:
        reading = read_file(file, options, spare=spare)
    except BoscoError as error:
        return type(error), str(error)
    return reading.table, reading.understanding, reading.options


@pytest.mark.parametrize("encoding", [None, "utf-8"])
@pytest.mark.parametrize("name", TEXTS)
def test_it_is_read_alike(name: str, encoding: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bygroups, "MOST_TEXT", 1)
    options = Options(encoding=encoding)
    assert told(MESSY / name, options, True) == told(MESSY / name, options, False)


def test_groups_are_read_when_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bygroups, "MOST_TEXT", 1)
    file = tmp_path / "a.csv"
    names = [f"c{j}" for j in range(20)]
    file.write_text("\n".join([",".join(names), *(f"{k}," * 19 + "1,5" for k in range(9))]))
    file.write_text(file.read_text().replace("1,5", "x"))
    passes: list[Any] = []
    read = delimited._read
    monkeypatch.setattr(delimited, "_read", lambda *a: passes.append(a[-1]) or read(*a))
    reading = read_file(file, Options(drop=("c4", "c5", "c3")), spare=True)
    assert reading.table.num_columns == 17
    assert passes == [[0, 1, 2], *([j, j + 1, j + 2] for j in (6, 9, 12, 15)), [18, 19]]


def test_bytes_that_are_no_utf8_are_found_in_any_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bygroups, "MOST_TEXT", 1)
    file = tmp_path / "a.csv"
    rows = [f"{k},{k},caf\u00e9".encode("latin-1") for k in range(70_000)]
    file.write_bytes(b"\n".join([b"a,b,c", *(b"%d,%d,plain" % (k, k) for k in range(9)), *rows]))
    reading = read_file(file, spare=True)
    assert "Windows-1252" in str(reading.understanding)
    assert pa.compute.unique(reading.table["c"]).to_pylist() == ["plain", "caf\u00e9"]
