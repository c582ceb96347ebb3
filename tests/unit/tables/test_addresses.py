"""No password of a database address is shown, kept or repeated."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from bosco.cli.app import app
from bosco.errors import BoscoError
from bosco.tables import Options, estimate_rows, formats, read_file
from bosco.tables.reading import READERS
from bosco.tables.sources import Raw, open_source, shown, unsaid

SECRET = "s3cr%2Ft"
ADDRESSES = [
    f"postgresql://ada:{SECRET}@host/db",
    f"postgres://ada:{SECRET}@host:5432/db?sslmode=require",
    f"postgresql://ada@host/db?password={SECRET}&sslmode=require",
    f"postgresql://host/db?sslmode=require&PassWord={SECRET}",
    f"postgresql://host/db?p%61ssword={SECRET}",
    f"postgresql://host/db?sslpassword={SECRET}#x",
    f"postgresql://ada:{SECRET}/a@b?c@host/db",
    f"postgresql://ada:{SECRET}@a,b:1/db",
    f"postgresql://:{SECRET}@host/db",
]


def test_what_is_shown_says_where_and_who() -> None:
    assert shown(ADDRESSES[0]) == "postgresql://ada@host/db"
    assert shown(ADDRESSES[1]) == "postgres://ada@host:5432/db?sslmode=require"
    assert shown(ADDRESSES[2]) == "postgresql://ada@host/db?sslmode=require"
    assert shown("data/a@b:c.csv") == "data/a@b:c.csv"


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_message_of_a_reader_has_the_secret(address: str) -> None:
    said = [shown(address), unsaid(f"no {address}, 's3cr/t' nor {SECRET}", address)]
    with open_source(address) as source:
        said += [source.name, repr(source)]
    for wrong in (address, address.replace("postgres", "postgers")):
        try:
            read_file(wrong, Options(query="SELECT 1"))
        except (BoscoError, ImportError) as error:
            said.append(str(error))
    assert len(said) >= 5
    for text in said:
        assert "s3cr" not in text


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_file_of_a_fit_has_the_secret(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model, report, what is printed, and the command to repeat."""
    table = pa.table({"x": [float(i % 9) for i in range(90)], "y": ["a", "b", "b"] * 30})

    def read(source: Any, options: Options) -> Raw:
        del source, options
        return Raw(tuple(table.column_names), tuple(table.columns), "PostgreSQL", typed=True)

    monkeypatch.setitem(READERS, "postgresql", read)
    monkeypatch.chdir(tmp_path)
    words = ["fit", address, "--target", "y", "--query", "SELECT 1", "--out", "m.json"]
    done = CliRunner().invoke(app, [*words, "--no-choose"])
    assert done.exit_code == 0, done.output
    assert "s3cr" not in done.output
    written = [path.read_text("utf-8") for path in tmp_path.iterdir()]
    assert len(written) == 2
    for text in written:
        assert "s3cr" not in text
    assert "://" in json.loads(Path("m.json").read_bytes())["provenance"]["command"]
    assert estimate_rows(address) is None
    shutil.rmtree(tmp_path)


def test_what_a_driver_says_has_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    class Driver:
        class Error(Exception):
            pass

        def connect(self, address: str) -> Any:
            raise self.Error(f"could not translate host name in {address}: s3cr/t@host")

    monkeypatch.setattr(formats, "need", lambda *_: Driver())
    with pytest.raises(BoscoError) as caught:
        read_file(ADDRESSES[0], Options(query="SELECT 1"))
    assert "could not translate" in str(caught.value)
    assert "s3cr" not in str(caught.value)
