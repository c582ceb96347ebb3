"""bosco monitor, and what predict says of rows that differ."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bosco
from tests.applicants import applicants
from tests.commands import run, said, told


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(10)
    X, y = applicants(1500, rng)
    X.drop(columns="city").assign(risk=y).to_csv("old.csv", index=False)
    X, y = applicants(600, rng)
    X = X.drop(columns="city").assign(risk=y, day=["2024-01-31", "2024-02-01"] * 300)
    X.to_csv("new.csv", index=False)
    X.assign(amount=X.amount * 100).to_csv("odd.csv", index=False)
    said("fit", "old.csv", "--target", "risk", "--max-depth", "3", "--out", "m.json", "--no-report")
    return tmp_path


def test_fit_monitor_and_predict(files: Path) -> None:
    assert said("monitor", "m.json", "new.csv").count("\n") == 1
    quiet = told("monitor", "m.json", "new.csv", "--rows", "100")
    assert quiet["quiet"] is True
    assert quiet == told("monitor", "m.json", "new.csv")
    months = told("monitor", "m.json", "new.csv", "--truth", "risk", "--date", "day")["periods"]
    assert [(m["name"], m["rows"]) for m in months] == [("2024-01", 300), ("2024-02", 300)]
    model, new = bosco.load("m.json"), pd.read_csv("new.csv")
    wrong = model.predict(new.drop(columns=["risk", "day"])) != new.risk
    assert [m["error"] for m in months] == pytest.approx([wrong[::2].mean(), wrong[1::2].mean()])
    loud = said("monitor", "m.json", "odd.csv", "--page", "drift.html", "--title", "Loans")
    assert "amount: out of range" in loud
    page = (files / "drift.html").read_text()
    assert "<h1>Loans</h1>" in page
    assert "amount: out of range" in page
    assert "://" not in page
    done = run("predict", "m.json", "odd.csv", "--out", "out.csv")
    assert "do not look like" in done.stderr
    assert "amount: out of range" in done.stderr
    assert "look like the" in run("predict", "m.json", "new.csv", "--out", "out.csv").stderr
    assert told("predict", "m.json", "new.csv", "--out", "out.csv")["drift"]["quiet"] is True


@pytest.mark.usefixtures("files")
def test_without_a_sketch() -> None:
    done = told(
        "fit", "old.csv", "--target", "risk", "--max-depth", "2", "--out", "bare.json",
        "--no-report", "--no-sketch",
    )  # fmt: skip
    assert done["command"].endswith(" --no-sketch")
    assert "sketch" not in bosco.load("bare.json").provenance
    assert "remembers nothing" in run("monitor", "bare.json", "new.csv").stderr
    assert "look like" not in run("predict", "bare.json", "new.csv", "--out", "o.csv").stderr


@pytest.mark.usefixtures("files")
def test_rows_without_a_truth_are_counted() -> None:
    new = pd.read_csv("new.csv")
    new.loc[::3, "risk"] = np.where(np.arange(200) % 2, None, "ugly")
    new.to_csv("some.csv", index=False)
    found = told("monitor", "m.json", "some.csv", "--truth", "risk", "--rows", "50")
    assert (found["untold"], found["equal"], found["periods"][0]["rows"]) == (200, 0, 400)
    words = said("monitor", "m.json", "some.csv", "--truth", "risk")
    note = "200 rows are in no error: what is true of them is missing, or unknown to the model."
    assert words.splitlines()[-1] == f"  {note}"
    new.loc[:99, "day"] = None
    new.to_csv("some.csv", index=False)
    found = told("monitor", "m.json", "some.csv", "--truth", "risk", "--date", "day")
    known = new.risk.isin(["bad", "good"])
    assert found["periods"][-1]["name"] == "undated"
    assert found["periods"][-1]["rows"] == known[:100].sum()


@pytest.mark.usefixtures("files")
def test_calls_that_cannot_be() -> None:
    assert "--truth NAME" in run("monitor", "m.json", "new.csv", "--date", "day").stderr
    words = ("monitor", "m.json", "new.csv", "--truth", "age")
    assert "learns from" in run(*words).stderr
    words = ("monitor", "m.json", "new.csv", "--truth", "risk", "--date", "job")
    assert "no date such as" in run(*words).stderr
