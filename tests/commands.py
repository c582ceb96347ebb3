"""The command line as tests call it: run a verb, and read what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LOANS = Path(__file__).parents[1] / "docs" / "loans.csv"


def run(*words: str) -> Any:
    """A verb with its words: exit code and output."""
    testing = pytest.importorskip("typer.testing")
    from bosco.cli.app import app

    return testing.CliRunner().invoke(app, words)


def said(*words: str) -> str:
    """What a verb that succeeds says."""
    result = run(*words)
    assert result.exit_code == 0, result.output
    text: str = result.stdout
    return text


def told(*words: str) -> Any:
    """The same as plain values."""
    return json.loads(said(*words, "--format", "json"))


def fit_loans(folder: Path) -> Path:
    """A folder with the loans of docs/, and a model of them."""
    (folder / "loans.csv").write_bytes(LOANS.read_bytes())
    words = ["fit", str(folder / "loans.csv"), "--target", "safe", "--no-choose", "--all-rows"]
    said(*words, "--max-depth", "3", "--no-report", "--out", str(folder / "loans.json"))
    return folder
