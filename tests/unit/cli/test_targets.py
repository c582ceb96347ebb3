"""``bosco fit``: what is learned as classes, what as numbers, and what is refused."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import bosco
from tests.commands import run, told


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("written", ["0,1", "0.0,1.0", "1.0,2.0"])
def test_whole_numbers_are_classes_however_they_are_written(written: str) -> None:
    """A program that writes 1 as 1.0, because one value is missing, does not change the task."""
    low, high = written.split(",")
    rows = [f"{i},{high if i % 10 > 4 else low}" for i in range(100)]
    Path("a.csv").write_text("x,y\n" + "\n".join([*rows, "7,"]) + "\n")
    data = told("fit", "a.csv", "--target", "y", "--no-report")
    assert data["task"] == "classification"
    model = bosco.load("a.json")
    assert model.classes.tolist() == [int(float(low)), int(float(high))]
    judged_rows = told("evaluate", "a.csv", "--model", "a.json")["error"]["rows"]
    assert judged_rows == 100  # what the file calls 1.0 is the class 1
    again = told(*shlex.split(data["command"])[1:])
    assert again["task"] == "classification"
    Path("a.csv").write_text("x,y\n" + "\n".join(f"{i},{i % 7}.5" for i in range(100)))
    assert told("fit", "a.csv", "--target", "y", "--no-report")["task"] == "regression"


@pytest.mark.parametrize(
    ("target", "words", "said"),
    [
        ("day", (), "40 different dates, too many to be classes. Hint: add a column with"),
        ("day", ("--task", "regression"), "not learned as numbers. Hint: add a column with"),
        ("number", (), "looks like an identifier"),
        ("customer_id", (), "looks like an identifier"),
        ("code", (), "it looks like an identifier"),
    ],
)
def test_targets_that_cannot_be_learned(target: str, words: tuple[str, ...], said: str) -> None:
    rows = (
        f"{i % 7},2024-{1 + i // 28:02d}-{1 + i % 28:02d},{200 + 2 * i},{i * 7919 % 1009},K{i}"
        for i in range(40)
    )
    Path("a.csv").write_text("x,day,number,customer_id,code\n" + "\n".join(rows) + "\n")
    result = run("fit", "a.csv", "--target", target, "--no-report", *words)
    assert result.exit_code == 1
    assert said in result.output
    for way in re.findall(r"--task \w+", result.output):  # what is advised helps
        advised = run("fit", "a.csv", "--target", target, "--no-report", *way.split())
        assert advised.exit_code == 0, advised.output


@pytest.mark.parametrize("values", [("0.0", "1e20"), ("0", "1", "1e300"), ("-1e16", "2")])
def test_whole_numbers_that_a_float_cannot_count_are_numbers(values: tuple[str, ...]) -> None:
    rows = [f"{i % 7},{values[i % len(values)]}" for i in range(60)]
    Path("a.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
    assert told("fit", "a.csv", "--target", "y", "--no-report")["task"] == "regression"


@pytest.mark.parametrize("values", [("0.0", "1.0"), ("0.5", "1.25")])
@pytest.mark.parametrize("words", [(), ("--task", "classification"), ("--task", "regression")])
def test_infinity_is_refused_with_its_place(values: tuple[str, ...], words: Any) -> None:
    rows = [f"{i % 7},{values[i % 2]}" for i in range(40)]
    Path("a.csv").write_text("x,y\n" + "\n".join(["3,", *rows, "1,-inf"]) + "\n")
    result = run("fit", "a.csv", "--target", "y", "--no-report", *words)
    assert result.exit_code == 1
    assert "a.csv, column 'y', line 43: -inf is no value to learn" in result.output
