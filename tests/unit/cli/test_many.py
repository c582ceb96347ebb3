"""Forests and boosted trees from the command line: fit, ask, judge; what is of one tree only."""

import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import bosco
from bosco.cli import choosing
from bosco.lessons.learners import learner
from bosco.lessons.told import Task
from tests.commands import run, said, told

ROOT = Path(__file__).parents[3]
ALGORITHMS = ("forest", "extra_trees", "adaboost")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the loans of docs/, and a model of each algorithm."""
    folder = tmp_path_factory.mktemp("many")
    (folder / "loans.csv").write_bytes((ROOT / "docs" / "loans.csv").read_bytes())
    for algorithm in ALGORITHMS:
        words = ["fit", str(folder / "loans.csv"), "--target", "safe", "--algorithm", algorithm]
        words += ["--trees", "12", "--out", str(folder / f"{algorithm}.json")]
        result = run(*words)
        assert result.exit_code == 0, result.output
        (folder / f"{algorithm}.txt").write_text(result.stdout)
    return folder


@pytest.fixture(autouse=True)
def _here(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_fit_saves_what_load_reads(algorithm: str) -> None:
    model = bosco.load(f"{algorithm}.json")
    kind = bosco.ScoreTable if algorithm == "adaboost" else bosco.ForestModel
    assert isinstance(model, kind)
    assert model.provenance["target"] == "safe"
    printed = Path(f"{algorithm}.txt").read_text()
    assert "test error: " in printed
    assert f"saved: {algorithm}.json" in printed.replace(f"{Path.cwd()}/", "")
    assert f"--algorithm {algorithm}" in printed.splitlines()[-1]
    assert "--trees 12" in printed.splitlines()[-1]
    page = Path(f"{algorithm}.html").read_text()
    heads = ["One case", "The data as understood", "How good it is", "What was tried"]
    heads += ["How to repeat it", "The score table" if algorithm == "adaboost" else "The trees"]
    assert all(f">{head}</h2>" in page for head in heads)
    assert ("out of the bag" in page) == (algorithm == "forest")
    assert f"--algorithm {algorithm}" in page


@pytest.mark.parametrize(
    ("algorithm", "tried"),
    [
        ("forest", {"max_features": ["sqrt", 0.5, 1.0], "min_samples_leaf": [1, 3, 10]}),
        ("extra_trees", {"max_features": ["sqrt", 0.5, 1.0], "min_samples_leaf": [1, 3, 10]}),
        ("adaboost", {"learning_rate": [1.0, 0.3]}),
    ],
)
def test_fit_chooses_what_is_left_open(algorithm: str, tried: dict[str, Any]) -> None:
    """The number of trees was given; the settings that win are said, and part of the command."""
    words = ("fit", "loans.csv", "--target", "safe", "--trees", "12", "--out", "again.json")
    first = told(*words, "--algorithm", algorithm)
    candidates = first["candidates"]
    assert {n: list(dict.fromkeys(candidates[n])) for n in tried} == tried
    best = candidates["rank"].index(1)
    assert max(candidates["score"]) == candidates["score"][best]
    for name in tried:
        assert first["settings"][name] == candidates[name][best]
        assert f"{name} {candidates[name][best]}" in first["choices"][1]
        assert f"--{name.replace('_', '-')} {candidates[name][best]}" in first["command"]
    model, repeated = Path("again.json").read_bytes(), shlex.split(first["command"])[1:]
    assert said(*repeated).splitlines()[-1] == f"again: {first['command']}"
    assert Path("again.json").read_bytes() == model


def test_rounds_are_chosen_and_equals_go_to_the_fewest() -> None:
    words = ("select", "loans.csv", "--target", "safe", "--algorithm", "adaboost")
    found = told(*words, "--learning-rate", "1")
    assert found["candidates"]["n_estimators"] == list(choosing.ROUNDS)
    scores = found["candidates"]["score"]
    assert found["chosen"] == {"n_estimators": str(choosing.ROUNDS[scores.index(max(scores))])}
    found = told(*words, "--trees", "5", "--grid", "max_depth=1,2", "--grid", "criterion=gini")
    assert found["candidates"]["max_depth"] == [1, 2]
    assert "--criterion gini" in found["command"]
    assert f"--max-depth {found['chosen']['max_depth']}" in found["command"]


def test_options_of_many() -> None:
    boosted = learner(Task.classification, {"algorithm": "samme", "max_depth": 2})
    assert (boosted.algorithm, boosted.estimator.max_depth) == ("samme", 2)
    words = ("fit", "loans.csv", "--target", "safe", "--no-choose", "--out", "few.json")
    forest = told(*words, "--algorithm", "forest", "--trees", "3", "--max-features", "all")
    assert forest["settings"]["max_features"] == 1.0
    assert "--max-features 1.0" in forest["command"]
    for given, hint in (("--trees", "forest"), ("--learning-rate", "adaboost")):
        result = run(*words, given, "3")
        assert result.exit_code == 2
        assert result.stderr == (
            f"bosco: {given} is not for --algorithm cart. Hint: --algorithm {hint}.\n"
        )


def test_shares_of_columns_that_mean_the_same_are_tried_once() -> None:
    Path("two.csv").write_text(
        "a,b,y\n" + "".join(f"{k % 20},{k % 3},{k % 2}\n" for k in range(60))
    )
    found = told("select", "two.csv", "--target", "y", "--algorithm", "forest", "--trees", "3")
    assert list(dict.fromkeys(found["candidates"]["max_features"])) == ["sqrt", 1.0]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_can_be_asked_of_many(algorithm: str) -> None:
    path = f"{algorithm}.json"
    model: Any = bosco.load(path)
    assert said("show", path).strip().splitlines()[0] == str(model).splitlines()[0]
    assert told("show", path)["leaves"] == model.n_leaves
    rows = said("predict", path, "loans.csv", "--proba").splitlines()
    assert len(rows) == 201
    assert rows[0] == '"prediction","p_no","p_yes"'
    for row in rows[1:]:
        answer, *shares = row.split(",")
        no, yes = map(float, shares)
        assert no + yes == pytest.approx(1)
        assert answer == ('"yes"' if yes > no else '"no"') or yes == no
    judged = told("evaluate", "loans.csv", "--model", path)
    assert judged["leaves"] is None
    wrong = sum(judged["confusion"][i][1 - i] for i in (0, 1))
    assert judged["error"]["value"] == wrong / 200
    account = told("explain", path, "reputation=poor", "amount=9000", "income=1200")
    total = account["base"] + sum(item["adds"] for item in account["items"])
    assert total == pytest.approx(account["total"], abs=1e-9)
    assert "so no" in said("explain", path, "reputation=poor", "amount=25000", "income=1200")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_exports_of_many(algorithm: str, tmp_path: Path) -> None:
    path, out = f"{algorithm}.json", tmp_path / "model.py"
    model: Any = bosco.load(path)
    said("export", path, "--out", str(out))
    assert out.read_text() == f"{model.to_python().rstrip()}\n"
    assert "FROM `data`" in said("export", path, "--to", "sql", "--dialect", "sqlite")
    assert "of one tree only" in run("export", path, "--to", "dot").stderr


def test_a_score_table_is_shown_as_one() -> None:
    assert said("show", "adaboost.json") == f"{bosco.load('adaboost.json')}\n"
    assert "questions from 12 rounds; yes if the points" in said("show", "adaboost.json")


@pytest.mark.parametrize("verb", ["rules", "why", "draw", "prune"])
def test_what_is_of_one_tree(verb: str) -> None:
    more = ("--pruning", "pessimistic") if verb == "prune" else ()
    result = run(verb, "forest.json", *more)
    assert result.exit_code == 2
    assert "forest.json holds many trees" in result.stderr
    hint = "--tree 0 takes the first." if verb in ("rules", "draw") else "bosco show, predict,"
    assert f"of one tree only. Hint: {hint}" in result.stderr
    assert result.stderr.count("\n") == 1


def test_one_tree_of_a_forest() -> None:
    tree = bosco.load("forest.json").tree(3)
    assert said("show", "forest.json", "--tree", "3", "--all") == f"{tree.to_text()}\n"
    folded = said("show", "forest.json", "--tree", "3", "--max-depth", "1")
    assert "bosco show forest.json --tree 3 --all shows everything" in folded
    assert said("rules", "forest.json", "--tree", "3", "--no-simplify") == f"{tree.rules()}\n"
    assert "for now no: " in said("explain", "forest.json", "reputation=poor", "--tree", "3")
    assert said("export", "forest.json", "--tree", "3", "--to", "dot").startswith("digraph")
    said("draw", "forest.json", "--tree", "3", "--out", "third.svg")
    assert Path("third.svg").read_text() == f"{tree.svg()}\n"
    for path, number, hint in (
        ("forest.json", "12", "--tree: forest.json has trees 0 to 11. Got 12."),
        ("adaboost.json", "0", "adaboost.json is a table of points: bosco show has it."),
    ):
        result = run("show", path, "--tree", number)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert hint in result.stderr


def test_the_report_of_a_saved_model() -> None:
    words = ("report", "forest.json", "--table", "loans.csv", "--out", "page.html")
    assert said(*words, "reputation=poor", "income=1200") == "saved: page.html\n"
    page = Path("page.html").read_text()
    assert "reputation is 'poor'" in unescape(page)
    assert "amount is missing" in page
    assert "out anew among the 200 rows given, 5 times" in page
    said("report", "adaboost.json")
    assert ">One case</h2>" in Path("adaboost.html").read_text()
    said("fit", "loans.csv", "--target", "safe", "--max-depth", "1", "--out", "stump.json")
    result = run("report", "stump.json", "reputation=poor")
    assert result.exit_code == 2
    assert "A case is for the report of many trees" in result.stderr


def test_diff_and_stability_are_of_one_tree() -> None:
    assert "of one tree only" in run("diff", "forest.json", "adaboost.json").stderr
    words = ("stability", "loans.csv", "--target", "safe", "--algorithm", "forest")
    assert "is told of one tree, and --algorithm forest grows many" in run(*words).stderr


def test_settings_of_many() -> None:
    words = ("evaluate", "loans.csv", "--target", "safe", "--folds", "3", "--algorithm")
    told(*words, "forest", "--max-depth", "2", "--set", "n_estimators=5,vote=mode")
    told(*words, "adaboost", "--max-depth", "2", "--set", "n_estimators=5,learning_rate=0.5")
    result = run(*words, "forest", "--set", "n_estimator=5")
    assert result.exit_code == 2
    assert "has no parameter 'n_estimator'. Did you mean 'n_estimators'?" in result.stderr
    result = run("fit", "loans.csv", "--target", "income", "--algorithm", "adaboost")
    assert result.exit_code == 2
    assert "learns classes, and these are numbers. Hint: --algorithm forest" in result.stderr


def test_regression_by_a_forest(tmp_path: Path) -> None:
    out = str(tmp_path / "amount.bosco")
    words = ("--target", "income", "--algorithm", "forest", "--set", "n_estimators=5")
    printed = said("fit", "loans.csv", *words, "--all-rows", "--out", out)
    assert "test mean absolute error" in printed
    assert "the mean that is predicted" in said("explain", out, "amount=2000")
