"""Costs and the bar at the command line: what is said, kept and refused."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from tests.commands import run, said, told
from tests.unit.figures.test_operating import rows


def write(path: str, seed: int) -> None:
    X, y = rows(seed)
    lines = [",".join([*X, "state"])]
    lines += [",".join(map(str, cells)) for cells in zip(*X.values(), y, strict=True)]
    Path(path).write_text("\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("old.csv", 0)
    write("new.csv", 1)
    words = ("--costs", "ill:well=6", "--no-choose", "--max-depth", "4", "--no-report")
    said("fit", "old.csv", "--target", "state", *words, "--out", "m.json")


def test_fit_by_costs() -> None:
    words = ("--costs", "ill=6", "--max-depth", "3", "--no-report", "--out", "c.json")
    text = said("fit", "old.csv", "--target", "state", *words)
    assert "by cost:ill=6" in text
    assert "Costs: ill taken for well 6, every other mistake 1." in text
    assert "cost of a row: " in text
    assert "--costs ill=6" in text[text.index("again: ") :]
    (line,) = (line for line in text.splitlines() if line.startswith("again: "))
    again = said(*shlex.split(line)[2:])
    assert bosco.load("c.json").decision.costs == ((0.0, 6.0), (1.0, 0.0))
    assert "Costs: " in again


def test_the_cost_is_that_of_the_rows() -> None:
    data = told("evaluate", "new.csv", "--model", "m.json")
    model, (X, y) = bosco.load("m.json"), rows(1)
    answers = model.predict(X)
    cost = np.mean(6 * ((y == "ill") & (answers == "well")) + ((y == "well") & (answers == "ill")))
    assert data["error"]["cost"]["value"] == pytest.approx(cost)
    assert data["error"]["cost"]["baseline"] == pytest.approx(np.mean(y == "well"))


@pytest.mark.parametrize(
    "how",
    [("--recall", "0.9"), ("--alarms", "40"), ("--cost", "ill=3"), ("--threshold", "0.25")],
)
def test_the_bar(how: tuple[str, str]) -> None:
    words = ("at", "m.json", "--table", "new.csv", *how, "--positive", "ill")
    data = told(*words, "--out", "b.json")
    kept = bosco.load("b.json")
    assert data["at"] == kept.decision.cut.at
    assert data["chosen"]["rows"] == 400
    asked: dict[str, Any] = {how[0][2:]: {"ill": 3} if how[0] == "--cost" else float(how[1])}
    if how[0] == "--alarms":
        asked["alarms"] = 40
    there = bosco.load("m.json").at(*rows(1), **asked, positive="ill")
    assert there.decision == kept.decision
    assert said(*words).startswith("Costs: ")
    assert "almeno" in said(*words, "--lang", "it")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--recall", "0.9"), "--table FILE"),
        ((), "One is wanted"),
        (("--recall", "0.9", "--threshold", "0.1"), "--threshold and --recall"),
        (("--table", "new.csv", "--recall", "2"), "recall must be a share above 0, 1 at most"),
        (("--table", "new.csv", "--recall", "0.9", "--positive", "il"), "Did you mean 'ill'"),
        (("--table", "new.csv", "--cost", "ill"), "CLASS=COST"),
        (("--table", "new.csv", "--cost", "ill=0"), "a number, above 0. Got 'ill=0'"),
    ],
)
def test_at_fault(words: tuple[str, ...], hint: str) -> None:
    found = run("at", "m.json", *words)
    assert found.exit_code != 0
    assert hint in found.stderr


@pytest.mark.parametrize("cost", ["ill=-5", "ill=0", "ill=nan", "ill:well=inf", "ill"])
def test_costs_at_fault_are_refused_in_one_way(cost: str) -> None:
    found = run("fit", "old.csv", "--target", "state", "--costs", cost, "--no-report")
    assert found.exit_code == 2
    assert f"a cost being a number, above 0. Got {cost!r}." in found.stderr


def test_numbers_have_no_costs() -> None:
    found = run("fit", "old.csv", "--target", "a", "--costs", "ill=5", "--no-report")
    assert found.exit_code == 2
    assert "--costs are of classes, and these are numbers." in found.stderr


def test_predictions_are_told_in_italian() -> None:
    words = ("predict", "m.json", "old.csv", "--out", "p.csv", "--lang", "it")
    found = run(*words)
    assert found.stdout.startswith("p.csv: 400 righe in ")
    assert "righe sono uguali in ogni colonna a righe" in found.stderr
