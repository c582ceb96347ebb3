"""The verbs that work on a saved model or judge settings: text, JSON, files, faults."""

import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.cli.app import VERBS
from bosco.cli.groups import Layout
from bosco.cli.rows import labelled_rows, rows_of
from tests.commands import fit_loans, run, said, told

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the loans of docs/, and a model of them."""
    return fit_loans(tmp_path_factory.mktemp("loans"))


@pytest.fixture(autouse=True)
def _here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loans.csv", "loans.json"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    monkeypatch.chdir(tmp_path)


def model() -> Any:
    return bosco.load("loans.json")


# rules ---------------------------------------------------------------------------------------


def test_rules() -> None:
    assert said("rules", "loans.json", "--no-simplify").strip() == str(model().rules())
    short = model().rules().simplify()
    assert said("rules", "loans.json").strip() == str(short)
    assert said("rules", "loans.json", "--form", "dnf").strip() == short.to_dnf()
    assert said("rules", "loans.json", "--form", "markdown").strip() == short.to_markdown()
    assert "land" in said("rules", "loans.json", "--form", "latex", "--answer", "no")
    assert said("rules", "loans.json", "--answer", "no").count("then no") == len(
        short.of_answer("no")
    )
    hurried = run("rules", "loans.json", "--work", "1")
    assert hurried.stdout.strip() == str(model().rules())
    assert "the work allowed ran out for" in hurried.stderr
    listed = said("rules", "loans.json", "--list", "--unseen")
    assert listed.splitlines()[-1].startswith("else ")
    assert "missing" not in said("rules", "loans.json", "--no-missing")
    data = told("rules", "loans.json", "--answer", "yes")
    assert {rule["answer"] for rule in data["rules"]} == {"yes"}


@pytest.mark.parametrize(
    "words",
    [("--answer", "maybe"), ("--no-simplify", "--list"), ("--list", "--answer", "no")],
)
def test_rules_at_fault(words: tuple[str, ...]) -> None:
    result = run("rules", "loans.json", *words)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("bosco: ")


# evaluate, select, stability -----------------------------------------------------------------


def test_a_model_that_does_not_say_its_target() -> None:
    bosco.DecisionTreeClassifier().fit({"income": [1.0, 2.0]}, ["no", "yes"]).model_.save("m.json")
    assert "Hint: --target" in run("evaluate", "loans.csv", "--model", "m.json").stderr
    assert run("evaluate", "loans.csv", "--model", "m.json", "--target", "safe").exit_code == 0


def test_numbers_are_judged() -> None:
    words = ["--target", "income", "--no-choose", "--no-report", "--max-depth", "2"]
    assert told("fit", "loans.csv", *words, "--out", "n.json")["task"] == "regression"
    data = told("evaluate", "loans.csv", "--model", "n.json")
    assert data["error"]["metric"] == "mean absolute error"
    assert data["confusion"] is None


def test_select() -> None:
    words = ["select", "loans.csv", "--target", "safe", "--grid", "max_depth=1,2,none"]
    words += ["--grid", "pruning=none,critical_value:level=0.01"]
    data = told(*words)
    assert len(data["candidates"]["rank"]) == 6
    assert data["chosen"].keys() == {"max_depth", "pruning"}
    assert "looked at once" in said(*words)
    fitted = told(*shlex.split(data["command"])[1:], "--no-report")
    assert 1 - fitted["error"]["value"] == pytest.approx(data["test_scores"]["accuracy"])
    assert run("select", "loans.csv", "--target", "safe", "--grid", "max_depth").exit_code == 2
    wrong = run("select", "loans.csv", "--target", "safe", "--grid", "max_dept=1")
    assert "Did you mean 'max_depth'" in wrong.stderr


def test_stability() -> None:
    words = ["stability", "loans.csv", "--target", "safe", "--max-depth", "1", "--repeats", "5"]
    assert "5 bootstrap samples" in said(*words)
    data = told(*words)
    assert sum(data["roots"].values()) == pytest.approx(1)
    assert len(data["agreement"]) == 5


def test_alternatives() -> None:
    words = ("alternatives", "loans.json", "loans.csv", "--within", "0.02")
    text = said(*words)
    assert "could stand at the root of a tree as good" in text
    found = told(*words, "--table", "loans.csv", "--max-depth", "1")
    assert found["within"] == 0.02
    assert "depth up to 1" in found["family"]
    assert found["elsewhere"]["seen"] == "learned"
    assert found["best"] == min(
        one["objective"] for one in found["columns"] if one["objective"] is not None
    )
    assert run(*words, "--max-depth", "0").exit_code == 2


def test_what_is_cut_short_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(act: Any, tasks: Any, *_: Any, **__: Any) -> Any:
        return [act(*task) for task, _ in zip(tasks, range(2), strict=False)], True

    monkeypatch.setattr("bosco.judge.stability.do_all", twice)
    result = run("stability", "loans.csv", "--target", "safe", "--repeats", "5")
    assert result.exit_code == 130
    assert "INTERRUPTED: 2 of 5" in result.stdout


# prune ---------------------------------------------------------------------------------------


def test_prune() -> None:
    words = ["prune", "loans.json", "--pruning", "cost_complexity:alpha=0.05"]
    data = told(*words, "--out", "small.json")
    before, after = data["leaves"]
    assert after < before == model().n_leaves
    assert bosco.load("small.json").n_leaves == after
    assert "saved: small.json" in said(*words, "--out", "small.json")
    assert "saved" not in said(*words)
    assert told("prune", "loans.json", "--collapse", "0")["leaves"][1] == 1
    shown = said("prune", "loans.json", "--pruning", "cost_complexity:alpha=0.001")
    assert "; --format json shows them" in shown  # nobody types to_text(all=True) there
    rows = ["--table", "loans.csv"]
    assert told("prune", "loans.json", "--pruning", "reduced_error", *rows)["leaves"][1] <= before
    assert told("prune", "loans.json", "--pruning", "pessimistic", *rows)["leaves"][1] <= before
    free = told("prune", "loans.json", "--pruning", "pessimistic:raising=false")
    assert free["leaves"][1] <= before


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ((), "--pruning POLICY or --collapse NODE"),
        (("--pruning", "none"), "prunes nothing"),
        (("--pruning", "cost_complexity"), "alpha=0.01"),
        (("--pruning", "reduced_error"), "--table FILE"),
        (("--pruning", "pessimistic"), "raising=false"),
    ],
)
def test_prune_at_fault(words: tuple[str, ...], hint: str) -> None:
    result = run("prune", "loans.json", *words)
    assert result.exit_code == 2
    assert hint in result.stderr


# draw ----------------------------------------------------------------------------------------


def test_draw() -> None:
    assert said("draw", "loans.json") == "saved: loans.svg\n"
    plain = Path("loans.svg").read_text()
    assert plain.startswith("<svg")
    case = told("draw", "loans.json", "reputation=poor", "income=3000", "--out", "case.svg")
    assert case["file"] == "case.svg"
    assert "is poor" in Path("case.svg").read_text()
    said("draw", "loans.json", "--table", "loans.csv", "--row", "1", "--out", "row.svg")
    assert len(Path("row.svg").read_text()) > len(plain)
    said("draw", "loans.json", "--max-depth", "1", "--theme", "dark", "--out", "dark.svg")
    assert len(Path("dark.svg").read_text()) < len(plain)


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_paint(suffix: str, magic: bytes) -> None:
    pytest.importorskip("matplotlib")
    said("draw", "loans.json", "--out", f"tree.{suffix}", "--max-depth", "1", "--dpi", "50")
    assert Path(f"tree.{suffix}").read_bytes().startswith(magic)


@pytest.mark.parametrize(
    "words", [("--out", "a.gif"), ("--row", "1"), ("--theme", "pink"), ("colour=red",)]
)
def test_draw_at_fault(words: tuple[str, ...]) -> None:
    result = run("draw", "loans.json", *words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert not [p for p in Path().iterdir() if p.suffix in (".svg", ".gif")]


# export --------------------------------------------------------------------------------------


def test_export_sql_is_run() -> None:
    pytest.importorskip("sqlglot")
    X = rows_of("loans.csv", model(), Layout())
    rows = X.to_pylist()
    names = list(rows[0])
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE loans ({', '.join(names)})")
        database.executemany(
            f"INSERT INTO loans VALUES ({', '.join('?' * len(names))})",
            [[str(v) if hasattr(v, "year") else v for v in row.values()] for row in rows],
        )
        words = ["--to", "sql", "--dialect", "sqlite", "--table", "loans"]
        query = said("export", "loans.json", *words)
        cursor = database.execute(query)
        place = [column[0] for column in cursor.description].index("prediction")
        found = [row[place] for row in cursor]
        # Scored, stored, and scored again under other names.
        database.execute(f"CREATE TABLE scored AS {query}")
        words = [*words[:-1], "scored", "--prefix", "again_", "--keep", "prediction,reputation"]
        cursor = database.execute(said("export", "loans.json", *words))
        names = [column[0] for column in cursor.description]
        assert names[1] == "again_prediction"
        assert names[-2:] == ["prediction", "reputation"]
        assert all(row[1] == row[-2] for row in cursor)
    assert sorted(found) == sorted(model().predict(X).tolist())


def test_export_python_is_run() -> None:
    said("export", "loans.json", "--out", "tree.py")
    code = "import tree; print(tree.predict({'reputation': 'poor'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == model().predict(
        dict.fromkeys(model().schema.names) | {"reputation": "poor"}
    )


@pytest.mark.parametrize(
    ("out", "begins"),
    [
        ("tree.h", "/* bosco"),
        ("tree.mjs", "// bosco"),
        ("tree.pmml", "<?xml"),
        ("tree.dot", "digraph"),
        ("tree.mmd", "flowchart"),
    ],
)
def test_export_by_suffix(out: str, begins: str) -> None:
    assert told("export", "loans.json", "--out", out)["file"] == out
    assert Path(out).read_text().startswith(begins)


def test_export_onnx() -> None:
    pytest.importorskip("onnx")
    said("export", "loans.json", "--out", "tree.onnx")
    assert Path("tree.onnx").stat().st_size > 100
    assert "Hint: --out" in run("export", "loans.json", "--to", "onnx").stderr


def test_export_c_is_named_after_the_model() -> None:
    assert "loans_predict" in said("export", "loans.json", "--to", "c")
    assert "mine_predict" in told("export", "loans.json", "--to", "c", "--name", "mine")["text"]


def test_export_at_fault() -> None:
    assert "Which language?" in run("export", "loans.json").stderr
    assert run("export", "loans.json", "--to", "sql", "--dialect", "oracl").exit_code == 2


@pytest.mark.parametrize(
    ("words", "library"),
    [
        (("export", "loans.json", "--to", "sql"), "sqlglot"),
        (("draw", "loans.json", "--out", "a.png"), "matplotlib"),
        (("export", "loans.json", "--out", "a.onnx"), "onnx"),
    ],
)
def test_libraries_that_are_not_there(
    words: tuple[str, ...], library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "pip install" in result.stderr
    assert "fault of bosco" not in result.stderr


# diff ----------------------------------------------------------------------------------------


def test_diff() -> None:
    said("prune", "loans.json", "--collapse", "0", "--out", "leaf.json")
    assert said("diff", "loans.json", "loans.json") == "The two agree on the whole space.\n"
    assert "were not compared" in said("diff", "loans.json", "loans.json", "--work", "1")
    data = told("diff", "loans.json", "leaf.json", "--table", "loans.csv")
    X = rows_of("loans.csv", model(), Layout())
    assert data["rows"] == np.count_nonzero(
        model().predict(X) != bosco.load("leaf.json").predict(X)
    )
    assert data["rows_in_all"] == 200
    assert not data["equal"]


def test_diff_of_models_with_other_columns() -> None:
    words = ["--target", "safe", "--no-choose", "--no-report", "--max-depth", "2"]
    said("fit", "loans.csv", *words, "--drop", "reputation", "--out", "other.json")
    assert "of 200 rows differ" in said("diff", "loans.json", "other.json", "--table", "loans.csv")


# Tables larger than a chunk ------------------------------------------------------------------


def test_rows_of_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, y, _ = labelled_rows("loans.csv", model(), "safe", Layout())
    monkeypatch.setattr("bosco.tables.chunks.ROWS", 7)
    real = bosco.tables.read_chunks
    monkeypatch.setattr("bosco.tables.read_chunks", lambda *a, **k: real(*a, rows=7, **k))
    parts, z, _ = labelled_rows("loans.csv", model(), "safe", Layout())
    assert parts.to_pylist() == whole.to_pylist()
    assert (y == z).all()


# The page ------------------------------------------------------------------------------------


def test_the_commands_of_the_page_run() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S)
    commands = [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]
    assert {words[0] for words in commands} >= set(VERBS) - {
        "fit",
        "datasets",
        "open",
    }  # it serves until closed
    text = Path("loans.csv").read_text("utf-8")  # other cents: a bar is not chosen on known rows
    others, n = re.subn(r"(?<=\d,)\d\d(?=;)", lambda cents: f"{(int(cents[0]) + 7) % 100:02}", text)
    assert n > 100
    Path("new.csv").write_text(others, "utf-8")
    for words in commands:
        said(*words)
