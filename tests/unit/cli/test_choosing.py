"""``bosco fit``: which of the trees tried is chosen, by what, and what is said of it."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import bosco
from bosco.cli.choosing import ALPHAS, grid_of
from bosco.cli.groups import TableOptions
from bosco.lessons.lesson import Lesson, read_lesson
from tests.commands import run, told


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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
    assert min(leaf.rows for leaf in model.leaves()) >= 5
    assert data["settings"]["min_samples_leaf"] == 5
    said = " ".join(data["choices"])
    if tried["rank"][chosen[0]] > 1:
        assert re.search(r"the best of those tried has \d+ leaves", said), said
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
    wavy(300)
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


def test_polished_trees_are_tried() -> None:
    """Beside the others, where nothing was said that they cannot have; and grown again as told."""
    rng = np.random.default_rng(5)
    a, b = rng.random(400), rng.random(400)
    label = ((a > 0.5) ^ (b > 0.5)) | (rng.random(400) < 0.1)
    rows = (f"{x:.3f},{z:.3f},{int(y)}" for x, z, y in zip(a, b, label, strict=True))
    Path("x.csv").write_text("a,b,y\n" + "\n".join(rows) + "\n")
    data = told("fit", "x.csv", "--target", "y", "--no-report", "--task", "classification")
    tried = data["candidates"]
    assert [n for n, p in zip(tried["max_leaf_nodes"], tried["polish"], strict=True) if p] == [
        4,
        8,
        16,
    ]
    given = ("fit", "x.csv", "--target", "y", "--no-report", "--task", "classification")
    for other in (["--set", "missing=branch"], ["--max-depth", "3"], ["--algorithm", "id3"]):
        assert "polish" not in told(*given, *other, "--out", "other.json")["candidates"]
    asked = told(*given, "--max-leaf-nodes", "4", "--polish", "--no-choose", "--out", "p.json")
    assert "--polish" in shlex.split(asked["command"])
    once = Path("p.json").read_bytes()
    told(*shlex.split(asked["command"])[1:])
    assert Path("p.json").read_bytes() == once
    polished = bosco.load("p.json").polished
    assert polished is not None
    assert polished.sentence in run("show", "p.json").stdout


def test_the_best_tree_of_numbers() -> None:
    """At most two levels; the price of a leaf is a share of all squares, and 0 is told, too."""
    wavy(120)
    given = ("fit", "a.csv", "--target", "t", "--no-report", "--algorithm", "optimal")
    data = told(*given)
    assert set(data["candidates"]["max_depth"]) == {1, 2}
    assert max(data["candidates"]["alpha"]) > 1
    words = shlex.split(data["command"])
    assert words[words.index("--alpha") + 1] == str(data["settings"]["alpha"])
    zero = shlex.split(told(*given, "--alpha", "0", "--no-choose", "--out", "b.json")["command"])
    assert float(zero[zero.index("--alpha") + 1]) == 0


def lesson_of(target: str) -> Lesson:
    return read_lesson("a.csv", target, TableOptions(), None)


def test_costs_bring_prices_by_cost() -> None:
    wavy(60)
    policies = grid_of(lesson_of("y"), {"costs": {"True": {"False": 5}}})[0]["pruning"]
    by_cost = [one.alpha for one in policies if getattr(one, "risk", "") == "error"]
    assert by_cost == list(ALPHAS)
    plain = grid_of(lesson_of("y"), {})[0]["pruning"]
    assert not any(getattr(one, "risk", "") == "error" for one in plain)


def test_costs_bring_trees_by_ratio() -> None:
    wavy(60)
    costs = {"costs": {"True": {"False": 5}}}
    by_ratio = grid_of(lesson_of("y"), costs)[-1]
    assert by_ratio["criterion"] == ["entropy"]
    assert by_ratio["score"] == ["gain_ratio"]
    usual = grid_of(lesson_of("y"), costs)[0]
    assert by_ratio["max_depth"] == usual["max_depth"]
    pairs = zip(usual["pruning"][3:9], by_ratio["pruning"][3:9], strict=True)
    assert all(b.alpha > 1.5 * a.alpha for a, b in pairs)  # shares of entropy, which is larger
    for given in ({"criterion": "gini"}, {"score": "gain"}, {"algorithm": "c45"}):
        assert not any("score" in one for one in grid_of(lesson_of("y"), costs | given))
    assert not any("score" in one for one in grid_of(lesson_of("y"), {}))
