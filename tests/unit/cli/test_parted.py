"""Rows parted by groups or by time at the command line, and learners compared there."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest

import bosco
from tests.commands import run, said, told

N = 260


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    who = rng.integers(0, 60, N)
    day = np.datetime64("2024-01-01") + rng.integers(0, 200, N)
    x = rng.normal(size=60)[who] + rng.normal(size=N)
    columns = {
        "patient_id": [f"P{w:02}" for w in who],
        "day": day,
        "x": x.round(3),
        "z": rng.normal(size=N).round(3),
        "ill": np.where(x + rng.normal(size=N) > 0, "yes", "no"),
    }
    pcsv.write_csv(pa.table(columns), "visits.csv")


def test_fit_says_how_the_rows_were_parted() -> None:
    words = ["fit", "visits.csv", "--target", "ill", "--drop", "patient_id", "--time", "day"]
    text = " ".join(said(*words, "--out", "m.json").split())
    assert "Parted by day: learned from" in text
    assert "date (time)" in text
    assert "--time day" in text  # to do it again
    assert "day" not in bosco.load("m.json").schema.names
    assert "Parted by day: learned from" in Path("m.html").read_text()
    again = ["fit", "visits.csv", "--target", "ill", "--group", "patient_id", "--out", "g.json"]
    data = told(*again)
    assert any("Parted by patient_id" in line for line in data["choices"])
    assert "patient_id" not in bosco.load("g.json").schema.names
    told(*again, "--all-rows")
    kept = told(*again, "--learn-parting", "--no-choose")
    assert "--learn-parting" in kept["command"]


def test_learners_are_compared() -> None:
    words = ["compare", "visits.csv", "--target", "ill", "--learner", "cart: max_depth=2"]
    words += ["--learner", "stump", "--learner", "forest: n_estimators=5", "--folds", "3"]
    data = told(*words, "--group", "patient_id", "--metrics", "accuracy")
    assert list(data["learners"]) == ["cart: max_depth=2", "stump", "forest: n_estimators=5"]
    assert len(data["differences"]["p_holm"]) == 3
    assert "Parted by patient_id" in data["parted"]
    text = said(*words, "--time", "day", "--drop", "patient_id")
    assert "learned from all until" in text
    assert "p (Holm)" in text


@pytest.mark.parametrize(
    ("words", "told_so"),
    [
        (["fit", "--group", "patient_id", "--time", "day"], "Give one"),
        (["fit", "--time", "dya"], "Did you mean 'day'"),
        (["fit", "--group", "ill"], "cannot part the rows, too"),
        (["fit", "--group", "z", "--drop", "z"], "is dropped, too"),
        (["evaluate", "--time", "patient_id"], "must be a column of dates"),
        (["compare", "--learner", "cart"], "two learners or more"),
        (["compare", "--learner", "cart", "--learner", "cart"], "given twice"),
        (["compare", "--learner", "cart", "--learner", "carp"], "Did you mean 'cart'"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], told_so: str) -> None:
    verb, *rest = words
    result = run(verb, "visits.csv", "--target", "ill", *rest)
    assert result.exit_code in (1, 2)
    assert told_so in result.output
