"""A first day with tables as they come: each answer is a clear sentence, or a right one."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.commands import run, said


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(18, 80, 60), "job": rng.choice(["a", "b"], 60)})
    table["granted"] = np.where(table.age + rng.normal(0, 9, 60) > 45, "yes", "no")
    table.to_csv("plain.csv", index=False)
    table[["granted"]].to_csv("alone.csv", index=False)
    table[:0].to_csv("none.csv", index=False)
    said("fit", "plain.csv", "--target", "granted", "--no-report", "--max-depth", "2")
    return tmp_path


def test_a_wrong_delimiter_is_guessed_at() -> None:
    words = ("fit", "plain.csv", "--target", "granted", "--delimiter", ";")
    assert "one column; --delimiter names what parts cells" in run(*words).stderr
    assert "--delimiter" not in run("fit", "alone.csv", "--target", "grant").stderr


def test_a_target_alone_teaches_nothing() -> None:
    for words in (("alone.csv",), ("plain.csv", "--drop", "age,job")):
        found = run("fit", *words, "--target", "granted")
        assert found.exit_code == 1
        said = f"{words[0]} has no column to learn from beside 'granted', the target."
        assert said in found.stderr


def test_one_row_is_one_row() -> None:
    table = pd.read_csv("plain.csv").head(30)
    table["granted"] = ["rare"] * 5 + ["yes"] * 25
    table.to_csv("rare.csv", index=False)
    told = said("fit", "rare.csv", "--target", "granted", "--no-report")
    (line,) = [line for line in told.splitlines() if "found of each class" in line]
    assert " of 1 row, " in line


@pytest.mark.parametrize("name", ["out.xlsx", "out.json", "OUT.TSV", "out.feather"])
def test_a_name_that_promises_another_format_is_refused(name: str) -> None:
    found = run("predict", "plain.json", "plain.csv", "--out", name)
    assert found.exit_code == 2
    assert "written as CSV or Parquet" in found.stderr
    assert not Path(name).exists()


def test_no_rows_give_a_header() -> None:
    words = ("predict", "plain.json", "none.csv", "--keep", "job", "--proba", "--out")
    run(*words, "out.csv")
    assert pd.read_csv("out.csv").columns.tolist() == ["job", "prediction", "p_no", "p_yes"]
    assert Path("out.csv").read_text().count("\n") == 1
    run(*words, "out.parquet")
    assert pq.read_table("out.parquet").column_names == ["job", "prediction", "p_no", "p_yes"]
