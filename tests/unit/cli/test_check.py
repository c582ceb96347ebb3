"""bosco check, and policies in files."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import bosco
from tests.commands import run


def small() -> Any:
    X = {"age": [30, 40, 70, 80], "income": [1000, 4000, 1000, 4000], "sex": list("fmfm")}
    return bosco.DecisionTreeClassifier().fit(X, ["denied", "granted", "denied", "granted"])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    small().model_.save(path)
    (tmp_path / "rows.csv").write_text("age,income,sex\n30,1000,f\n40,4000,m\n20,50,f\n")
    return path


def written(folder: Path, text: str) -> str:
    path = folder / "policies.toml"
    path.write_text(text)
    return str(path)


def test_exit_codes(saved: Path) -> None:
    ok = written(saved.parent, 'policies = ["never denied where income > 3000"]')
    done = run("check", str(saved), ok)
    assert (done.exit_code, "proved" in done.stdout) == (0, True)
    broken = written(
        saved.parent,
        'better = ["granted", "denied"]\n[policies]\nfair = "more income never lowers the answer"',
    )
    done = run("check", str(saved), broken, "--table", str(saved.parent / "rows.csv"))
    assert done.exit_code == 1
    assert "3 of 3 rows are concerned, the first is row 0" in done.stdout
    only = "never granted where income > 3000"
    done = run("check", str(saved), only, "--table", str(saved.parent / "rows.csv"))
    assert "1 of 3 rows is concerned" in done.stdout
    done = run("check", str(saved), "never denied", "--format", "json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["proved"] is False
    assert told["policies"][0]["answers"] == ["denied"]
    done = run("check", str(saved), "never denied where income > 3000", "--work", "1")
    assert (done.exit_code, "undecided" in done.stdout) == (3, True)
    assert run("check", str(saved), "never say never").exit_code == 2
    done = run("check", str(saved), "more income never lowers the answer")
    assert "say it in a TOML file by better = […]" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("policies = 3 4", "is no TOML file"),
        ("", "has no policies"),
        ('policy = ["x"]', "Did you mean 'policies'"),
        ("policies = 3", "policies is a sentence"),
        ("policies = [3]", "A policy is a sentence"),
    ],
)
def test_files_that_say_nothing(saved: Path, text: str, said: str) -> None:
    done = run("check", str(saved), written(saved.parent, text))
    assert done.exit_code == 2
    assert said in done.stderr
    assert "There is no file" in run("check", str(saved), "none.toml").stderr


def test_files_from_python(saved: Path) -> None:
    path = Path(written(saved.parent, 'policies = ["never denied where income > 3000"]\nwork = 1'))
    assert bosco.check(small(), path)[0].outcome == "undecided"
    assert bosco.check(small(), path, work=math.inf)
