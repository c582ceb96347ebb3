"""The command line: what it answers, how it fails, what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.parquet as pq
import pytest

import bosco
from bosco.cli.app import VERBS, app
from bosco.errors import ParameterError
from bosco.lessons.told import items, pairs
from bosco.tables import Options, read_file

typer_testing = pytest.importorskip("typer.testing")

needs_files = pytest.mark.skipif(
    not hasattr(bosco, "load"), reason="models cannot be saved in this version"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(bosco.__file__).parent.parent))


def run(*words: str, stdin: str | None = None) -> Any:
    return typer_testing.CliRunner().invoke(app, words, input=stdin)


def loans() -> None:
    assert run("datasets", "loans", "--out", "loans.csv").exit_code == 0


def start(*words: str, **options: Any) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "bosco.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


# Help ----------------------------------------------------------------------------------------


def test_help_lists_every_verb() -> None:
    for words in ((), ("--help",), ("-h",)):
        result = run(*words)
        assert [verb for verb in VERBS if f"\n  {verb} " not in result.output] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_an_example_that_is_one(verb: str) -> None:
    result = run(verb, "--help")
    assert result.exit_code == 0
    example = result.output.partition("Example:")[2].split()
    assert example[:2] == ["bosco", verb]
    options = [word for word in example if word.startswith("--")]
    assert [option for option in options if option not in result.output] == []
    assert "--format" in result.output


def test_help_is_quick_and_loads_little() -> None:
    code = (
        "import sys; sys.argv = ['bosco', '--help']; from bosco.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'sklearn', 'pyarrow', 'scipy', 'rich', 'narwhals'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "import time; print(time.process_time(), file=sys.stderr)"
    )
    seconds = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stderr)
        for _ in range(3)
    ]
    assert min(seconds) < 0.4


def test_version() -> None:
    assert run("--version").output == f"bosco {bosco.__version__}\n"


def test_completion_is_offered() -> None:
    process = start(env=os.environ | {"_BOSCO_COMPLETE": "complete_bash", "COMP_WORDS": "bosco f",
                                      "COMP_CWORD": "1"})  # fmt: skip
    out, _ = process.communicate(timeout=60)
    assert out.split() == [b"fit"]


# Faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("fit", "loans.csv", "--target", "sfae"),
            2,
            "no column 'sfae' in loans.csv. Did you mean",
        ),
        (("fit", "lons.csv", "--target", "safe"), 2, "no file lons.csv. Did you mean 'loans.csv'"),
        (("fit", "loans.csv"), 2, "--target"),
        (("fit", "loans.csv", "--tagret", "safe"), 2, "--target"),
        (("ft",), 2, "Did you mean 'fit'"),
        (("fit", "loans.csv", "--target", "safe", "--algorithm", "c4.5"), 2, "algorithm"),
        (("fit", "loans.csv", "--target", "safe", "--types", "term"), 2, "takes NAME=VALUE"),
        (("fit", "bad.csv", "--target", "a"), 1, "bad.csv, line 3: 3 cells where the header has 2"),
        (("fit", "empty.csv", "--target", "a"), 1, "empty.csv is empty"),
        (("show", "nothing.json"), 2, "There is no model nothing.json"),
        (("datasets", "lons"), 2, "Did you mean 'loans'"),
        (("datasets", "loans", "--out", "no/where.csv"), 2, "no/where.csv cannot be written"),
    ],
)
def test_one_line_and_a_code(words: tuple[str, ...], code: int, said: str) -> None:
    loans()
    Path("bad.csv").write_text("a,b\n1,2\n1,2,3\n")
    Path("empty.csv").touch()
    result = run(*words)
    assert result.exit_code == code
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("bosco: ")
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert "Traceback" in run(*words, "--debug").output
    told = json.loads(run(*words, "--format", "json").stderr) if words != ("ft",) else None
    assert told is None or said in told["error"]["message"]


def test_a_fault_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    loans()
    monkeypatch.setattr("bosco.tables.read_file", lambda *_: 1 / 0)
    result = run("fit", "loans.csv", "--target", "safe")
    assert result.exit_code == 1
    assert "a fault of bosco itself, ZeroDivisionError" in result.stderr


@pytest.mark.parametrize("said", ["", "std::bad_alloc", "Unable to allocate 512. GiB for an array"])
def test_memory_that_runs_out_is_no_fault_of_ours(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loans()

    def fail(*_: Any) -> Any:
        raise MemoryError(said)

    monkeypatch.setattr("bosco.tables.read_file", fail)
    result = run("fit", "loans.csv", "--target", "safe")
    assert result.exit_code == 1
    assert result.stderr.startswith("bosco: there is not enough memory to fit this")
    assert "fault" not in result.stderr
    assert "bad_alloc" not in result.stderr
    assert not said.startswith("Unable") or "512. GiB" in result.stderr


# Verbs ---------------------------------------------------------------------------------------


def test_datasets() -> None:
    assert "play_tennis" in run("datasets").output
    listed = json.loads(run("datasets", "--format", "json").output)
    for about in listed:
        name = about["name"]
        run("datasets", name, "--out", f"{name}.csv")
        table = read_file(f"{name}.csv", Options(target=about["target"])).table
        assert table.num_rows == about["rows"]
        assert table.column_names == [*about["columns"], about["target"]]


def test_fit_says_what_it_understood_and_shows_the_tree() -> None:
    loans()
    result = run("fit", "loans.csv", "--target", "safe", "--max-depth", "2", "--all-rows")
    assert result.exit_code == 0
    assert "loans.csv: text, UTF-8, comma · 40 rows, 4 columns" in result.output
    assert "[0] · 40 rows: safe 22, risky 18" in result.output
    assert "reputation = poor" in result.output


def test_the_command_repeats() -> None:
    Path("a.csv").write_text("sep=;\nzip;x y;safe\n001;1,5;yes\n002;2,5;no\n003;?;no\n", "latin-1")
    first = json.loads(run("fit", "a.csv", "--target", "safe", "--format", "json").output)
    import shlex

    words = shlex.split(first["command"])[1:]
    again = json.loads(run(*words, "--format", "json").output)
    assert again["text"] == first["text"]
    assert again["command"] == first["command"]
    assert "--delimiter ';' --decimal ," in first["command"]
    assert "--types 'zip=text,x y=number,safe=text'" in first["command"]


def test_fit_options() -> None:
    Path("a.csv").write_text(
        "id,x,w,y\n" + "".join(f"{i},{i % 7},1,{i % 7 / 2}\n" for i in range(30))
    )
    Path("d.json").write_text('{"x": {"levels": [0, 1, 2, 3, 4, 5, 6, 7], "ordered": true}}')
    words = ["--drop", "id", "--weight", "w", "--domains", "d.json", "--min-samples-leaf", "2"]
    told = json.loads(run("fit", "a.csv", "--target", "y", *words, "--format", "json").output)
    assert told["task"] == "regression"
    kinds = {c["name"]: (c["kind"], c["role"]) for c in told["understanding"]["columns"]}
    assert kinds["x"] == ("ordinal", "input")
    assert kinds["id"][1] == "dropped"
    assert kinds["w"][1] == "weight"
    assert "--domains d.json" in told["command"]


def test_fit_from_standard_input() -> None:
    result = run("fit", "-", "--target", "y", stdin="x,y\n1,a\n2,b\n3,b\n")
    assert result.exit_code == 0, result.output
    assert "standard input" in result.output


def test_identifiers_are_said_once() -> None:
    rows = "".join(f"K{i},{i % 2},{'ab'[i % 2]}\n" for i in range(40))
    Path("a.csv").write_text("id,x,y\n" + rows)
    result = run("fit", "a.csv", "--target", "y", "--no-choose")
    assert result.output.count("identifier") == 1
    assert "text (dropped)" in result.output
    assert "--drop id" in result.output
    result = run("fit", "a.csv", "--target", "y", "--no-choose", "--identifiers")
    assert result.output.count("looks like an identifier") == 1
    assert "text (dropped)" not in result.output
    assert " --identifiers " in result.output


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal(encoding: str) -> None:
    loans()
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    process = start("fit", "loans.csv", "--target", "safe", "--no-choose", env=environment)
    out, err = process.communicate(timeout=60)
    assert err == b""
    text = out.decode(encoding)
    assert ("├─" if encoding == "utf-8" else "|-") in text
    assert "?" not in text
    assert "\x1b" not in text


def test_lists_of_options() -> None:
    assert items(["a,b", '"c,d"', "e"]) == ("a", "b", "c,d", "e")
    assert pairs(['a=b=number,"c,d=text"'], "--types") == {"a=b": "number", "c,d": "text"}
    with pytest.raises(ParameterError):
        pairs(["x"], "--types")


# With a saved model --------------------------------------------------------------------------


def big_model() -> Any:
    rng = np.random.default_rng(0)
    n = 30_000
    table = pa.table(
        {
            "id": np.arange(n),
            "x": rng.normal(size=n).round(3),
            "city": np.array(["Roma", "Milano", "Forlì"])[rng.integers(0, 3, n)],
        }
    )
    y = np.where(table["x"].to_numpy() > 0, "up", "down")
    model = bosco.DecisionTreeClassifier(max_depth=3).fit(table.drop_columns(["id"]), y).model_
    model.save("model.json")
    pcsv.write_csv(table, "new.csv")
    pq.write_table(table, "new.parquet")
    return model, table


@needs_files
def test_fit_show_why_explain() -> None:
    loans()
    settings = ["--all-rows", "--no-choose"]
    fitted = run("fit", "loans.csv", "--target", "safe", "--out", "loans.json", *settings)
    assert "saved: loans.json" in fitted.output
    shown = run("show", "loans.json")
    assert shown.output.strip() in fitted.output
    nodes = json.loads(run("show", "loans.json", "--format", "json").output)["nodes"]
    assert nodes[0]["rows"] == 40
    assert "chosen" in run("why", "loans.json").output
    assert json.loads(run("why", "loans.json", "--format", "json").output)["chosen"][0] is True
    assert run("why", "loans.json", "--node", "999").exit_code == 1
    told = run("explain", "loans.json", "reputation=poor", "income=low")
    assert "so risky" in told.output
    assert "Did you mean 'income'" in run("explain", "loans.json", "incom=low").stderr
    asked = run("explain", "loans.json", "income=low")
    assert "not known yet: reputation" in asked.output
    assert "ask next: reputation (decides " in asked.output
    assert "not known yet" not in run("explain", "loans.json", "reputation=poor", "income=").output
    row = json.loads(
        run(
            "explain", "loans.json", "--table", "loans.csv", "--row", "1", "--format", "json"
        ).output
    )
    assert row["prediction"] == "safe"
    assert run("explain", "loans.json", "--table", "loans.csv", "--row", "41").exit_code == 2
    assert run("explain", "loans.json").exit_code == 2


@needs_files
def test_show_refuses_what_is_no_model() -> None:
    loans()
    result = run("show", "loans.csv")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1


@needs_files
@pytest.mark.parametrize("source", ["new.csv", "new.parquet"])
@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_predict(source: str, out: str) -> None:
    model, table = big_model()
    words = ["--out", out, "--keep", "id", "--proba", "--rows", "7000"]
    told = json.loads(run("predict", "model.json", source, *words, "--format", "json").stdout)
    assert told["rows"] == table.num_rows
    scored = read_file(out).table
    assert scored.column_names == ["id", "prediction", "p_down", "p_up"]
    assert (scored["prediction"].to_numpy() == model.predict(table.drop_columns(["id"]))).all()
    shares = model.predict_proba(table.drop_columns(["id"]))
    assert (scored["p_up"].to_numpy() == shares[:, 1]).all()


@needs_files
def test_predict_to_standard_output_and_unknown_levels() -> None:
    big_model()
    Path("a.csv").write_text("x,city\n1,Roma\n-1,Atlantide\n")
    result = run("predict", "model.json", "a.csv")
    assert result.stdout.split() == ['"prediction"', '"up"', '"down"']
    assert result.stderr == ""  # the tree does not ask for the city
    X = {"x": [1.0, -1.0, 1.0, -1.0], "city": ["Roma", "Roma", "Milano", "Milano"]}
    bosco.DecisionTreeClassifier().fit(X, ["up", "down", "down", "down"]).model_.save("both.json")
    result = run("predict", "both.json", "a.csv")
    assert "city: 1 values are levels the model does not know" in result.stderr


@needs_files
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_prediction_leaves_nothing(sent: signal.Signals) -> None:
    _, table = big_model()
    with pq.ParquetWriter("big.parquet", table.schema) as writer:
        for _ in range(100):
            writer.write_table(table)
    before = {p.name for p in Path().iterdir()}
    process = start("predict", "model.json", "big.parquet", "--out", "out.csv", "--rows", "1000")
    deadline = time.monotonic() + 60
    while not any(p.suffix == ".part" and p.stat().st_size for p in Path().iterdir()):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.decode() == "bosco: interrupted; nothing half-written is left\n"
    assert {p.name for p in Path().iterdir()} == before
