"""``bosco fit``: what it chooses, how it tests, what it writes, and that it can be repeated."""

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
from bosco.cli.fitting import by_folds, learn, recall_on
from bosco.cli.groups import Parts, TableOptions
from bosco.figures.intervals import wilson
from bosco.lessons.learners import learner
from bosco.lessons.lesson import Lesson, read_lesson
from bosco.lessons.told import Task
from bosco.render.card import show_share
from tests.commands import run, told

ROOT = Path(__file__).parents[3]
ADULT = ROOT.parent / "shared" / "data" / "adult_train.csv.gz"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(bosco.__file__).parent.parent))


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


def test_case_is_folded_in_learning_and_in_predicting() -> None:
    """No and no are said to be two classes, and made one where that is asked for, repeatably."""
    rows = [f"{i % 10},{'SÌ' if i == 3 else 'sì' if i % 10 > 4 else 'No' if i % 7 else 'no'}"
            for i in range(80)]  # fmt: skip
    Path("a.csv").write_text("x,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words = ["fit", "a.csv", "--target", "y", "--no-choose", "--no-report"]
    assert "differ in case only: read as different classes. --fold-case" in run(*words).output
    result = run(*words, "--fold-case", "--out", "m.json")
    assert result.exit_code == 0, result.output
    model = bosco.load("m.json")
    assert model.classes.tolist() == ["No", "sì"]
    assert "--fold-case" in model.provenance["command"]
    scored = run("evaluate", "a.csv", "--model", "m.json", "--fold-case")
    assert scored.exit_code == 0, scored.output
    assert "left out" not in scored.output
    assert "left out" in run("evaluate", "a.csv", "--model", "m.json").output


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
    assert len(tried["rank"]) == 54 + 3  # depth and pruning, and polished trees
    order = sorted(
        zip(tried["score"], tried["leaves"], tried["rank"], strict=True), key=lambda c: c[2]
    )
    for (score, leaves, _), (next_score, next_leaves, _) in pairwise(order):
        assert round(score, 9) >= round(next_score, 9)
        assert round(score, 9) > round(next_score, 9) or leaves <= next_leaves
    best = tried["rank"].index(1)
    for name in ("pruning", "max_depth", "max_leaf_nodes", "polish"):
        assert data["settings"].get(name) == tried[name][best]


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
    assert learned.figure.untouched
    figure = learned.figure.test
    if target == "y":
        assert figure.value == pytest.approx(1 - chosen.test_score)
        assert figure.value == np.mean(predicted != y)
    else:
        assert figure.value == pytest.approx(np.mean(np.abs(predicted - y)))
    assert figure.low <= figure.value <= figure.high


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


def test_few_rows_of_each_class_are_judged_by_fewer_folds() -> None:
    Path("a.csv").write_text("x,y\n" + "".join(f"{i},{'ab'[i > 3]}\n" for i in range(8)))
    shown = run("fit", "a.csv", "--target", "y").output
    assert "(8 rows, by 4-fold cross-validation, stratified)" in shown


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
    figure = model.judge({"x": np.ones(40)}, y).whole
    low, high = wilson(0.25, 40)
    assert (figure.value, figure.low, figure.high) == (0.25, float(low), float(high))
    assert figure.baseline == 0.75  # a tie goes to the second of two
    same = model.judge({"x": np.ones(40)}, y, np.full(40, 7.0)).whole
    assert (same.value, same.low) == (figure.value, pytest.approx(figure.low))


def test_the_error_of_folds_is_what_the_accuracy_leaves() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0.1
    tree = bosco.DecisionTreeClassifier(max_depth=1)
    found = bosco.evaluate(tree, X, y, method="k_fold", metrics="accuracy")
    figure = by_folds(found, tree.fit(X, y).model_)
    assert figure.baseline == pytest.approx(min(y.mean(), 1 - y.mean()), abs=0.02)
    assert figure.gain == pytest.approx(figure.baseline - figure.value)
    gap = found.scores["accuracy"] - (1 - figure.baseline)
    assert figure.gain == pytest.approx(gap.mean())
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


def test_the_report_of_a_fit_knows_its_rows() -> None:
    table(300)
    data = told("fit", "a.csv", "--target", "y", "--max-depth", "2", "--no-choose")
    html = Path(data["report"]).read_text()
    assert "These rows were set apart before anything was learned or chosen." in html
    assert "This model on the 60 rows set apart to test it" in html
    assert "flatter the model if" not in html
    assert "Boxes and histograms: the 240 training rows." in html  # one picture, one population
    assert data["error"]["training_rows"]["rows"] == 60
    model = bosco.load(data["model"])
    lesson = lesson_of("y")
    assert model.seen(lesson.X, lesson.y).n_equal >= 240
    result = run("fit", "a.csv", "--target", "y", "--max-depth", "2", "--no-choose", "--no-report")
    error = data["error"]
    assert f"test error: {show_share(error['value'])}" in result.stdout
    assert f"always saying {error['says']}: {show_share(error['baseline'])}" in result.stdout


def test_large_tables_are_remembered_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.estimators import base

    table(100)
    monkeypatch.setattr(base, "RECORD_CELLS", 1)
    words = ["fit", "a.csv", "--target", "y", "--all-rows", "--no-choose", "--no-report"]
    model = bosco.load(told(*words)["model"])
    lesson = lesson_of("y")
    assert model.seen(lesson.X, lesson.y).n_equal == 100


def test_no_better_than_always_saying_the_same() -> None:
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{'good' if b < 0.7 else 'bad'}" for a, b in rng.random((300, 2))]
    Path("noise.csv").write_text("\n".join(["x,y", *rows]))
    data = told("fit", "noise.csv", "--target", "y", "--no-choose", "--no-report")
    assert data["error"]["verdict"] in ("no better", "worse")
    text = run("fit", "noise.csv", "--target", "y", "--no-choose", "--no-report").stdout
    assert f"\n{data['error']['verdict'].capitalize()} than always saying good: " in text
    folds = run("fit", "noise.csv", "--target", "y", "--no-choose", "--all-rows", "--no-report")
    assert re.search(r"\n(No better|Worse) than always saying good: ", folds.stdout)


def test_weights_far_apart_leave_a_model() -> None:
    rng = np.random.default_rng(3)
    weight = np.exp(3 * rng.normal(size=2000))
    lines = (f"{a:.4f},{w:.6f},{'pq'[k]}" for a, w, k in zip(
        rng.normal(size=2000), weight, rng.integers(0, 2, 2000), strict=True
    ))  # fmt: skip
    Path("w.csv").write_text("\n".join(("a,w,y", *lines)))
    words = (
        "fit w.csv --target y --weight w --min-samples-leaf 1 --no-choose --no-report --out m.json"
    )
    said = run(*words.split())
    assert said.exit_code == 0, said.output
    assert bosco.load("m.json").census.total[0] == 1600


@pytest.mark.parametrize("parts", [(), ("--all-rows",)])
def test_recall_counts_rows_whatever_they_weigh(parts: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.25, "bad", "good")
    x = rng.normal(size=300) + (y == "bad")
    rows = [f"{a},{b},{1000 * i + 1}" for i, (a, b) in enumerate(zip(x, y, strict=True))]
    Path("heavy.csv").write_text("\n".join(["x,y,w", *rows]) + "\n")
    words = ["fit", "heavy.csv", "--target", "y", "--weight", "w", "--max-depth", "2", *parts]
    result = run(*words, "--no-choose")
    text = result.output
    n = re.search(r"\(recall\): bad ([\d.]+) % of (\d+) rows, good [\d.]+ % of (\d+)\n", text)
    assert n is not None, text
    tested = 300 if parts else 60
    assert int(n[2]) + int(n[3]) == tested
    found = float(n[1]) / 100 * int(n[2])
    assert found == pytest.approx(round(found), abs=0.051 * int(n[2]) / 100)  # whole rows
    assert "weighted test error: " in text
    page = Path("heavy.html").read_text()
    if not parts:
        assert "By weight, of the 60 rows set apart to test it, it gets " in page
        assert "Counted as rows, it finds " in page
        assert "weighted accuracy" in page
        assert "rows are counted, whatever they weigh" in page


def test_what_is_found_of_each_class() -> None:
    small = bosco.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]).model_
    found = recall_on(small, [[0.0], [5.0], [6.0], [7.0]], np.array(["a", "b", "b", "a"]))
    assert found is not None
    assert found.shares == (0.5, 1.0)
