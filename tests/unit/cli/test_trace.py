"""``bosco trace``: of tables and of models, as text, as JSON, as a page, in both languages."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bosco
from bosco.cli.app import app


def run(*words: str, code: int = 0) -> Any:
    found = CliRunner().invoke(app, list(words))
    assert found.exit_code == code, found.output
    return found


@pytest.fixture
def tennis(tmp_path: Path) -> str:
    path = str(tmp_path / "tennis.csv")
    run("datasets", "play_tennis", "--out", path)
    return path


def test_a_table_is_grown_and_told(tennis: str, tmp_path: Path) -> None:
    page = tmp_path / "tennis.html"
    said = run(
        "trace", tennis, "--target", "play", "--algorithm", "id3", "--page", str(page)
    ).stdout
    X, y = bosco.datasets.play_tennis()
    trace = bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y).model_.trace(X, y)
    assert str(trace) in said
    assert f"saved: {page}" in said
    assert page.read_text().startswith("<!DOCTYPE html>")
    short = run("trace", tennis, "-t", "play", "--algorithm", "id3", "--steps", "2").stdout
    assert "… 6 more steps: --steps 8 prints all" in short
    told = run("trace", tennis, "-t", "play", "--algorithm", "id3", "--format", "json").stdout
    assert len(json.loads(told)["parts"][0]["steps"]) == 8


def test_pruning_boosting_and_forests(tennis: str) -> None:
    policy = "generalization_error:alpha=2"
    said = run("trace", tennis, "-t", "play", "--algorithm", "id3", "--pruning", policy).stdout
    assert "4 + 3·2 = 10" in said
    assert "7 < 10: it becomes a leaf and says Yes." in said
    chosen = run("trace", tennis, "-t", "play", "--pruning", "cost_complexity:cv=2").stdout
    assert "By the log of the tree" in chosen
    boosted = run("trace", tennis, "-t", "play", "--algorithm", "adaboost", "--trees", "3").stdout
    assert boosted.count("weighted error ε") == 3
    forest = run("trace", tennis, "-t", "play", "--algorithm", "forest", "--tree", "4").stdout
    assert "tree 4 drew 14 of 14 rows" in forest
    assert "columns drawn: " in forest


def test_in_italian(tennis: str, tmp_path: Path) -> None:
    page = tmp_path / "tennis.html"
    words = ["trace", tennis, "-t", "play", "--algorithm", "id3", "--page", str(page)]
    said = run(*words, "--lang", "it").stdout
    assert "passo 1: nodo 0, tutte le righe" in said
    assert "Vince Outlook: il suo guadagno, 0.2467, è il più grande" in said
    assert '<html lang="it">' in page.read_text()
    assert "Avanti" in page.read_text()


def test_a_saved_model(tennis: str, tmp_path: Path) -> None:
    X, y = bosco.datasets.play_tennis()
    clf = bosco.DecisionTreeClassifier(algorithm="id3", pruning="generalization_error").fit(X, y)
    model = tmp_path / "model.json"
    clf.model_.save(model)
    assert "From what was recorded" in run("trace", str(model)).stdout
    said = run("trace", str(model), "--table", tennis, "--target", "play").stdout
    assert "(5/14)·0.9710 = 0.2467" in said
    assert "By the log of the tree" in said
    forest = tmp_path / "forest.json"
    bosco.RandomForestClassifier(3, random_state=0).fit(X, y).model_.save(forest)
    assert "--algorithm adaboost, or forest" in run("trace", str(forest), code=2).stderr
    assert "--target NAME" in run("trace", tennis, code=2).stderr
