"""What `bosco fit` keeps: the model whatever becomes of the rest, and nothing made twice."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from tests.unit.cli.test_fit import run, table


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_report_that_fails_does_not_cost_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    table()

    def fails(*_: Any, **__: Any) -> Any:
        raise bosco.ModelError("This page cannot be.")

    monkeypatch.setattr(bosco, "report", fails)
    result = run("fit", "a.csv", "--target", "y", "--drop", "t")
    assert result.exit_code == 1
    assert bosco.load("a.json").n_leaves >= 1


def test_rules_that_are_too_many_are_left_out_and_said() -> None:
    """With all combinations of missing values, a tree of C4.5 soon has too many rules."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 12)).round(3)
    y = np.where(X.sum(axis=1) > 0, "yes", "no")
    head = ",".join([*(f"c{j}" for j in range(12)), "y"])
    rows = (",".join([*map(str, x), label]) for x, label in zip(X.tolist(), y, strict=True))
    Path("clean.csv").write_text("\n".join([head, *rows]) + "\n")
    words = ("fit", "clean.csv", "--target", "y", "--algorithm", "c45", "--no-choose")
    result = run(*words, "--set", "pruning=none")
    assert result.exit_code == 0, result.output
    assert bosco.load("clean.json").n_leaves > 50
    assert "rules for rows without a missing value" in result.stdout
    assert "rules for rows without a missing value" in Path("clean.html").read_text()
    assert "bosco rules clean.json --no-missing" in result.stdout
    assert run("rules", "clean.json", "--no-missing").exit_code == 0
    refused = run("rules", "clean.json")
    assert refused.exit_code == 1
    assert "Missing values go several ways" in refused.stderr


def test_rules_and_predictions_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.models.model import Model
    from bosco.rules.ruleset import RuleSet

    table(300)
    calls: list[str] = []

    def counted(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            calls.append(name)
            return plain(*given, **named)

        monkeypatch.setattr(owner, name, call)

    counted(RuleSet, "simplify")
    counted(Model, "rules")
    counted(Model, "predict_frame")
    words = ("fit", "a.csv", "--target", "y", "--drop", "t", "--no-choose")
    assert run(*words).exit_code == 0
    assert calls.count("simplify") == 1
    assert calls.count("rules") == 1
    after = calls[calls.index("rules") :]  # the report has what was tested; its curves ask once
    assert after.count("predict_frame") <= 1
