"""``bosco fit``: what it chooses, how it tests, what it writes, and that it can be repeated."""

import json
import re
import resource
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.cli.choosing import grid_of
from bosco.cli.figures import by_folds, judged
from bosco.cli.fitting import learn
from bosco.cli.groups import Parts, TableOptions, Task
from bosco.cli.learners import learner
from bosco.cli.learning import Lesson, read_lesson
from bosco.intervals import wilson

typer_testing = pytest.importorskip("typer.testing")

ROOT = Path(__file__).parent.parent.parent
ADULT = ROOT.parent / "shared" / "data" / "adult_train.csv.gz"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(bosco.__file__).parent.parent))


def run(*words: str) -> Any:
    from bosco.cli.app import app

    return typer_testing.CliRunner().invoke(app, words)


def told(*words: str) -> dict[str, Any]:
    result = run(*words, "--format", "json")
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def messy() -> None:
    Path("loans.csv").write_bytes((ROOT / "docs" / "loans.csv").read_bytes())


def table(n: int = 60, name: str = "a.csv") -> None:
    rng = np.random.default_rng(0)
    x, z = rng.integers(0, 9, n), rng.choice(["p", "q"], n)
    rows = (
        f"{a},{b},{'yes' if a > 4 else 'no'},{a / 2 + (b == 'p')}"
        for a, b in zip(x, z, strict=True)
    )
    Path(name).write_text("x,z,y,t\n" + "\n".join(rows) + "\n")


# The main job --------------------------------------------------------------------------------


def test_the_page_shows_what_is_printed() -> None:
    messy()
    page = (ROOT / "docs" / "cli.md").read_text()
    shown = page.partition("$ bosco fit loans.csv --target safe\n")[2].partition("```")[0]
    printed = run("fit", "loans.csv", "--target", "safe").output
    assert [line.rstrip() for line in printed.splitlines()] == shown.rstrip().splitlines()


def test_the_command_makes_the_same_file() -> None:
    messy()
    first = told("fit", "loans.csv", "--target", "safe", "--no-report")
    once = Path("loans.json").read_bytes()
    Path("loans.json").unlink()
    again = told(*shlex.split(first["command"])[1:])
    assert Path("loans.json").read_bytes() == once
    assert again["command"] == first["command"]
    assert again["error"] == first["error"]
    model = bosco.load("loans.json")
    assert model.provenance["target"] == "safe"
    assert model.provenance["command"] == first["command"]


def test_the_best_is_chosen_and_of_equals_the_smallest() -> None:
    messy()
    data = told("fit", "loans.csv", "--target", "safe", "--no-report", "--prefer", "accuracy")
    tried = data["candidates"]
    assert len(tried["rank"]) == 54
    order = sorted(
        zip(tried["score"], tried["leaves"], tried["rank"], strict=True), key=lambda c: c[2]
    )
    for (score, leaves, _), (next_score, next_leaves, _) in pairwise(order):
        assert round(score, 9) >= round(next_score, 9)
        assert round(score, 9) > round(next_score, 9) or leaves <= next_leaves
    best = tried["rank"].index(1)
    assert data["settings"]["pruning"] == tried["pruning"][best]
    assert data["settings"]["max_depth"] == tried["max_depth"][best]


def wavy(n: int = 2500) -> None:
    """A table that a small tree tells nearly as well as a large one."""
    rng = np.random.default_rng(4)
    x, z = rng.random(n), rng.random(n)
    y = 10 * (x > 0.5) + np.sin(20 * z) + rng.normal(0, 1, n)
    label = np.where(rng.random(n) < 0.2, x < 0.5, x > 0.5)
    rows = (f"{a:.4f},{b:.4f},{c:.3f},{d}" for a, b, c, d in zip(x, z, y, label, strict=True))
    Path("a.csv").write_text("x,z,t,y\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize("target", ["t", "y"])
def test_a_readable_tree_by_default(target: str) -> None:
    """The smallest within one standard error, leaves of five rows, and both figures told."""
    wavy()
    data = told("fit", "a.csv", "--target", target, "--no-report")
    tried, error = data["candidates"], data["standard_error"]
    best = max(tried["score"])
    allowed = [n for n, s in zip(tried["leaves"], tried["score"], strict=True) if s >= best - error]
    chosen = [
        i
        for i in range(len(tried["rank"]))
        if tried["pruning"][i] == data["settings"]["pruning"]
        and tried["max_depth"][i] == data["settings"]["max_depth"]
    ]
    assert tried["leaves"][chosen[0]] == min(allowed)
    model = bosco.load("a.json")
    assert model.n_leaves <= 30
    assert min(leaf.samples for leaf in model.leaves()) >= 5
    assert data["settings"]["min_samples_leaf"] == 5
    said = " ".join(data["choices"])
    if tried["rank"][chosen[0]] > 1:
        assert re.search(r"the most exact of those tried has \d+ leaves", said), said
        assert "--prefer accuracy" in said
    once = Path("a.json").read_bytes()
    Path("a.json").unlink()
    assert told(*shlex.split(data["command"])[1:])["command"] == data["command"]
    assert Path("a.json").read_bytes() == once
    asked = told("fit", "a.csv", "--target", target, "--no-report", "--prefer", "accuracy")
    assert asked["candidates"]["rank"] == tried["rank"]
    assert asked["leaves"] >= data["leaves"]


def test_rows_of_a_leaf_as_asked() -> None:
    wavy(300)
    words = ("fit", "a.csv", "--target", "y", "--no-report", "--no-choose")
    assert told(*words)["settings"]["min_samples_leaf"] == 5
    assert told(*words, "--min-samples-leaf", "2")["settings"]["min_samples_leaf"] == 2
    assert "min_samples_leaf" not in told(*words, "--algorithm", "stump")["settings"]
    Path("a.csv").write_text("x,y\n" + "1,a\n2,b\n" * 7)  # a leaf of five would be a third
    assert "min_samples_leaf" not in told(*words)["settings"]


def uneven() -> None:
    rng = np.random.default_rng(7)
    x, z = rng.random(1200), rng.random(1200)
    bad = rng.random(1200) < np.where(x > 0.7, 0.45, 0.12)
    rows = (f"{a:.3f},{b:.3f},{'bad' if c else 'good'}" for a, b, c in zip(x, z, bad, strict=True))
    Path("a.csv").write_text("x,z,y\n" + "\n".join(rows) + "\n")


def test_recall_is_told_where_classes_are_uneven() -> None:
    uneven()
    printed = run("fit", "a.csv", "--target", "y", "--no-report").output
    found = re.search(r"found of each class \(recall\): bad (\S+) % of (\d+) rows, good", printed)
    assert found, printed
    data = told("fit", "a.csv", "--target", "y", "--no-report")
    assert f"{100 * data['recall']['bad']:.1f}".removesuffix(".0") == found[1].removesuffix(".0")
    table(300)
    assert "recall" not in run("fit", "a.csv", "--target", "y", "--no-report").output
    uneven()
    assert "recall" in run("fit", "a.csv", "--target", "y", "--no-report", "--all-rows").output


@pytest.mark.parametrize(
    ("words", "metric"),
    [
        ((), "accuracy"),
        (("--set", "class_weight=balanced"), "balanced accuracy"),
        (("--metric", "auc"), "roc auc"),
        (("--metric", "log-loss"), "log loss"),
        (("--metric", "f1:bad"), "f1:bad"),
        (("--metric", "cost:bad=5"), "cost:bad=5"),
        (("--set", "class_weight=balanced", "--metric", "accuracy"), "accuracy"),
    ],
)
def test_what_is_chosen_by(words: tuple[str, ...], metric: str) -> None:
    uneven()
    data = told("fit", "a.csv", "--target", "y", "--no-report", *words)
    assert f"settings by {metric} (validation)" in " ".join(data["choices"])
    printed = run("fit", "a.csv", "--target", "y", "--no-report", *words).output
    assert (f"test {metric}: " in printed) == (metric != "accuracy")
    if "class_weight=balanced" in words and metric != "accuracy":
        plain = told("fit", "a.csv", "--target", "y", "--no-report")
        assert data["recall"]["bad"] > plain["recall"]["bad"]


def test_metrics_that_are_none() -> None:
    uneven()
    for metric, said in [("f1", "f1:bad"), ("recall:bda", "Did you mean 'bad'"), ("acc", "auc")]:
        result = run("fit", "a.csv", "--target", "y", "--metric", metric)
        assert result.exit_code == 2
        assert said in result.output


def lesson_of(target: str, *, task: Task | None = None, weight: str | None = None) -> Lesson:
    return read_lesson("a.csv", target, TableOptions(weight=weight), task)


@pytest.mark.parametrize("target", ["y", "t"])
def test_the_test_rows_are_looked_at_once(target: str) -> None:
    table(300)
    lesson = lesson_of(target)
    learned = learn(lesson, {"max_depth": 2}, Parts(seed=3), choose=True, all_rows=False)
    chosen = learned.selection
    assert chosen.sizes == (240, 0, 60)  # 60 rows are too few to choose on
    X, y = learned.held_out
    assert len(y) == 60
    assert len(learned.grown_on[1]) == 240
    # The model is the one that was grown on all other rows.
    same = learner(lesson.task, learned.settings, 3).fit(*learned.grown_on).model_
    assert same.to_text() == learned.model.to_text()
    predicted = learned.model.predict(X)
    assert learned.figure is not None
    if target == "y":
        assert learned.figure.value == pytest.approx(1 - chosen.test_score)
        assert learned.figure.value == np.mean(predicted != y)
    else:
        assert learned.figure.value == pytest.approx(np.mean(np.abs(predicted - y)))
    assert learned.figure.low <= learned.figure.value <= learned.figure.high


def test_large_tables_have_a_validation_part() -> None:
    table(600)
    learned = learn(lesson_of("y"), {}, Parts(), choose=True, all_rows=False)
    assert learned.selection.sizes == (360, 120, 120)
    assert "360 rows to learn from, 120 to choose on, 120 to test on" in learned.said[0]


@pytest.mark.parametrize(
    ("settings", "chosen"),
    [
        ({}, {"max_depth", "pruning"}),
        ({"max_depth": 3}, {"pruning"}),
        ({"min_samples_leaf": 3}, {"pruning"}),
        ({"pruning": "none"}, {"max_depth"}),
        ({"ccp_alpha": 0.1}, {"max_depth"}),
        ({"max_depth": 3, "pruning": "none"}, set()),
        ({"algorithm": "stump"}, set()),
    ],
)
def test_what_is_given_is_not_chosen(settings: dict[str, Any], chosen: set[str]) -> None:
    table()
    for target in ("y", "t"):
        assert set(grid_of(lesson_of(target), settings)[0]) == chosen


def test_prices_do_not_depend_on_the_unit_of_the_target() -> None:
    table()
    lesson = lesson_of("t")
    policies = grid_of(lesson, {})[0]["pruning"]
    larger = Lesson(**{**vars(lesson), "y": lesson.y * 1000})
    scaled = grid_of(larger, {})[0]["pruning"]
    pairs = [
        (a.alpha, b.alpha) for a, b in zip(policies, scaled, strict=True) if hasattr(a, "alpha")
    ]
    assert len(pairs) == 6
    assert all(b == pytest.approx(1e6 * a, rel=0.06) for a, b in pairs)


def test_the_settings_of_a_call() -> None:
    table()
    words = ["--algorithm", "c45", "--pruning", "pessimistic:confidence=0.1", "--max-depth", "2"]
    words += ["--set", "missing=learn", "--set", "class_weight=balanced"]
    data = told("fit", "a.csv", "--target", "y", "--no-report", *words)
    assert data["settings"]["class_weight"] == "balanced"
    assert "--pruning pessimistic:confidence=0.1 " in data["command"]
    assert "--set class_weight=balanced --set missing=learn" in data["command"]
    assert len(data["candidates"]["rank"]) == 1
    again = told(*shlex.split(data["command"])[1:])
    assert again["text"] == data["text"]


def test_numbers_and_weights() -> None:
    table(200)
    data = told("fit", "a.csv", "--target", "t", "--no-report", "--max-depth", "4")
    assert data["task"] == "regression"
    assert data["error"]["metric"] == "mean absolute error"
    assert data["error"]["value"] < data["error"]["baseline"]
    weighted = told("fit", "a.csv", "--target", "y", "--weight", "x", "--no-choose", "--no-report")
    assert weighted["error"]["low"] <= weighted["error"]["value"] <= weighted["error"]["high"]
    assert "--weight x" in weighted["command"]


# Too few rows --------------------------------------------------------------------------------


def test_rare_classes_leave_no_test_part() -> None:
    table(100)
    lines = Path("a.csv").read_text().splitlines()
    lines[1] = lines[1].replace(",yes,", ",rare,").replace(",no,", ",rare,")
    Path("a.csv").write_text("\n".join(lines) + "\n")
    data = told("fit", "a.csv", "--target", "y", "--no-report")
    assert "'rare' has 1 row, too few for three parts" in data["choices"][0]
    assert data["settings"]["pruning"] == "cost_complexity:cv=5"
    assert data["error"]["rows"] == 100
    assert "--all-rows" in data["command"]
    again = told(*shlex.split(data["command"])[1:])
    assert (again["text"], again["error"]) == (data["text"], data["error"])


@pytest.mark.parametrize("rows", ["1,a\n2,b\n", "1,a\n1,b\n", "?,a\n?,b\n?,b\n"])
def test_very_few_rows(rows: str) -> None:
    Path("a.csv").write_text("x,y\n" + rows)
    result = run("fit", "a.csv", "--target", "y")
    assert result.exit_code == 0, result.output
    assert "no error can be told: " in result.output
    assert "Hint" not in result.output
    assert bosco.load("a.json").n_leaves >= 1


@pytest.mark.parametrize(
    ("target", "said"),
    [("one", "every row has 'k'"), ("name", "60 different values in 60 rows are no classes")],
)
def test_targets_that_are_none(target: str, said: str) -> None:
    Path("a.csv").write_text("x,one,name\n" + "".join(f"{i},k,n{i}\n" for i in range(60)))
    result = run("fit", "a.csv", "--target", target)
    assert result.exit_code == 1
    assert said in result.stderr
    assert not Path("a.json").exists()


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


def test_regression_needs_numbers() -> None:
    table()
    result = run("fit", "a.csv", "--target", "z", "--task", "regression")
    assert result.exit_code == 1
    assert "regression learns numbers" in result.stderr


# Figures -------------------------------------------------------------------------------------


def test_wilson_of_the_error() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    model = bosco.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"]).model_
    y = np.array(["a"] * 30 + ["b"] * 10)
    figure = judged(model, {"x": np.ones(40)}, y)
    low, high = wilson(0.25, 40)
    assert (figure.value, figure.low, figure.high) == (0.25, float(low), float(high))
    assert figure.baseline == 0.75  # a tie goes to the second of two
    same = judged(model, {"x": np.ones(40)}, y, np.full(40, 7.0))
    assert (same.value, same.low) == (figure.value, pytest.approx(figure.low))


def test_the_error_of_folds_is_what_the_accuracy_leaves() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0.1
    tree = bosco.DecisionTreeClassifier(max_depth=1)
    found = bosco.evaluate(tree, X, y, method="k_fold", metrics="accuracy")
    figure = by_folds(found, tree.fit(X, y).model_, y)
    assert figure.baseline == min(y.mean(), 1 - y.mean())
    assert figure.value == pytest.approx(1 - found.mean)
    assert 0 <= figure.low <= figure.value <= figure.high <= 1


@pytest.mark.skipif(not ADULT.exists(), reason="the shared data sets are not here")
def test_a_census_is_quick() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["fit", str(ADULT), "--target", "income", "--out", "here"]
    done = subprocess.run(
        [sys.executable, "-m", "bosco.cli", *words], capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert Path("here/adult_train.json").exists()
    error = re.search(r"test error: ([\d.]+) %", done.stdout)
    assert error is not None
    assert 12 < float(error[1]) < 16
    # Of two cores; 5 s by the clock where nothing else runs.
    assert after.ru_utime - before.ru_utime < 10
