"""After any acts, every figure of the page is what numpy and scikit-learn say of the rows.

Rows are sent down the tree here by the conditions of its branches, one column at a time.
"""

import random
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix, mean_absolute_error, recall_score, zero_one_loss

import bosco
from bosco.drafts.draft import Draft
from bosco.drafts.state import node_at, path_of
from bosco.tree.conditions import Interval
from bosco.workbench import guard
from bosco.workbench.desk import Desk
from bosco.workbench.views import read_path, written
from tests.visitor import Visitor, served

ACTS = 100
SEEN = 5  # of so many acts, the picture is asked for after one
VERBS = [
    "split", "split", "best", "grow", "prune", "regrow", "move", "merge", "lock", "unlock", "note",
    "answer", "exclude", "undo", "redo", "goto",
]  # fmt: skip


def table(seed: int, *, numbers: bool) -> tuple[dict[str, Any], NDArray[Any]]:
    """Rows of numbers and levels, some of them missing."""
    rng = np.random.default_rng(seed)
    n = 400
    income = np.round(rng.gamma(2.0, 1000.0, n), 1)
    income[rng.random(n) < 0.05] = np.nan
    age = rng.integers(18, 80, n).astype(float)
    city = np.array(["Bologna", "Modena", "Ferrara", "Parma", None], object)[rng.integers(0, 5, n)]
    worth = income + 40 * age + rng.normal(0, 900, n) + 800 * (city == "Modena")
    worth = np.where(np.isnan(worth), 3000.0, worth)
    X = {"income": income, "age": age, "city": city.tolist()}
    if numbers:
        return X, worth
    return X, np.array(["low", "middle", "high"])[np.digitize(worth, [3000, 5000])]


def inside(draft: Draft, X: dict[str, Any], path: str) -> NDArray[np.bool_]:
    """Which rows of the table come to a node."""
    tree, node = draft.state.tree, 0
    found = np.ones(len(X["age"]), bool)
    for branch in read_path(path):
        test = tree.test(node)
        assert test is not None
        found &= goes(draft, X, test.branches[branch])
        node = node_at(tree, (*read_path(path),)[: len(tree.path(node))])
    return found


def goes(draft: Draft, X: dict[str, Any], condition: Any) -> NDArray[np.bool_]:
    """Which rows a condition holds for."""
    column = draft.ground.schema.columns[condition.column]
    values = X[column.name]
    if isinstance(condition, Interval):
        x = np.asarray(values, float)
        with np.errstate(invalid="ignore"):
            low = -np.inf if condition.low is None else condition.low
            high = np.inf if condition.high is None else condition.high
            held = (x > low) & (x <= high)
        return held | (np.isnan(x) & condition.missing)
    assert column.levels is not None
    wanted = {column.levels[code - 1] for code in condition.codes}
    absent = np.array([value is None for value in values])
    return np.array([value in wanted for value in values]) | (absent & condition.missing)


def leaves_of(draft: Draft) -> list[str]:
    tree = draft.state.tree
    found, todo = [], [()]
    while todo:
        path = todo.pop()
        children = tree.children(node_at(tree, path))
        todo += [(*path, b) for b in range(len(children))]
        found += [] if children else [".".join(map(str, path))]
    return found


def answers(draft: Draft, X: dict[str, Any], y: NDArray[Any]) -> NDArray[Any]:
    """What every row is answered: the commonest class, or the mean, of the training rows there."""
    train = np.zeros(len(y), bool)
    train[draft.rows("training")] = True
    said = np.empty(len(y), y.dtype)
    for path in leaves_of(draft):
        here = inside(draft, X, path)
        above, own = path, here & train
        while not own.any():  # an empty leaf says what its parent does
            above = above.rpartition(".")[0]
            own = inside(draft, X, above) & train
        order = draft.state.orders.get(read_path(path))
        if draft.ground.classes is None:
            said[here] = y[own].mean() if order is None else order.answer
            continue
        labels = draft.ground.classes
        counts = np.array([np.count_nonzero(y[own] == label) for label in labels])
        best = int(counts.argmax()) if order is None else int(order.answer)
        said[here] = labels[best]
    return said


def random_act(
    chance: random.Random, desk: Desk, visitor: Visitor, labels: list[str] | None
) -> bool:
    """Do one act at a node; whether it was done."""
    tree, log = desk.draft.state.tree, desk.draft.log
    path = written(path_of(tree, chance.randrange(tree.node_count)))
    if chance.randrange(SEEN) == 0:
        view = visitor.get("/api/view", max_nodes=60)
        assert view["tree"]["all"] == tree.node_count
        assert len(view["log"]) == len(log)
    verb = chance.choice(VERBS)
    tests: list[Any] = [
        {"column": "income", "cuts": [chance.choice([1000, 1500.5, 2500])]},
        {"column": "age", "cuts": sorted(chance.sample(range(20, 75), 2))},
        {"column": "city", "groups": [["Modena"], ["Parma", "Ferrara"]]},
        {"text": "city = Bologna"},
    ]
    given = {
        "test": chance.choice(tests),
        "depth": chance.choice([None, 1, 2]),
        "without": chance.choice([[], ["income"]]),
        "cuts": [chance.choice([30, 1200.0, 1800.0])],
        "with": path[:-1] + str(1 - int(path[-1])) if path and path[-1] in "01" else "0",
        "text": chance.choice(["", "a note"]),
        "answer": chance.choice([*labels, None]) if labels else chance.choice([3000.0, None]),
        "columns": [chance.choice(["income", "age"])],
        "entry": chance.randrange(len(log)),
        "reason": "chance",
    }
    if verb == "exclude" and chance.random() < 0.8:
        return False  # or soon nothing is left to ask for
    visitor.post("/api/act", version=desk.version, verb=verb, path=path, **given)
    assert visitor.status in (200, 422)
    return visitor.status == 200


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard that lets all these questions pass as quickly as they are asked."""
    monkeypatch.setattr(guard, "Rate", partial(guard.Rate, burst=1e9))


@pytest.mark.usefixtures("_patient")  # before anything is served
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("numbers", [False, True], ids=["classes", "numbers"])
def test_every_figure_is_that_of_the_rows(seed: int, numbers: bool, tmp_path: Path) -> None:
    X, y = table(seed, numbers=numbers)
    learner = bosco.DecisionTreeRegressor if numbers else bosco.DecisionTreeClassifier
    draft = bosco.draft(learner(max_depth=5, min_samples_leaf=5), X, y, seed=seed)
    labels = None if numbers else sorted(set(y.tolist()))
    chance, done = random.Random(seed), 0
    desk = Desk(draft, tmp_path / "x.draft", "x")
    with served(desk) as visitor:
        while done < ACTS:
            done += random_act(chance, desk, visitor, labels)
        if draft.state.tree.node_count == 1:  # there is more to compare
            visitor.act("grow", reason="chance")
        view = visitor.get("/api/view", max_nodes=2000)
        assert_figures(draft, X, y, view["figures"])
        assert view["tree"]["all"] == len(view["tree"]["nodes"]) == draft.state.tree.node_count
        for one in view["tree"]["nodes"]:
            told = visitor.get("/api/node", path=one["path"])
            assert_node(draft, X, y, told)
            assert_candidates(draft, X, y, told, visitor)
            assert_rows(draft, X, y, told["path"], visitor)
    assert bosco.replay(tmp_path / "x.draft", X, y).same


def assert_figures(draft: Draft, X: dict[str, Any], y: NDArray[Any], told: dict[str, Any]) -> None:
    said = answers(draft, X, y)
    train = draft.rows("training")
    assert told["leaves"] == len(leaves_of(draft))
    for part in ("training", "validation"):
        rows, shown = draft.rows(part), told[part]
        assert told["parts"][part] == shown["rows"] == len(rows)
        if draft.ground.classes is None:
            assert shown["value"] == pytest.approx(mean_absolute_error(y[rows], said[rows]))
            constant = np.full(len(rows), y[train].mean())
            assert shown["baseline"] == pytest.approx(mean_absolute_error(y[rows], constant))
            continue
        assert shown["value"] == pytest.approx(zero_one_loss(y[rows], said[rows]))
        wrong = int(np.count_nonzero(y[rows] != said[rows]))
        ends = binomtest(wrong, len(rows)).proportion_ci(method="wilson")
        assert (shown["low"], shown["high"]) == pytest.approx((ends.low, ends.high), abs=1e-6)
        common, counts = np.unique(y[train], return_counts=True)
        usual = common[counts.argmax()]
        assert shown["baseline"] == pytest.approx(np.mean(y[rows] != usual))
        assert f"{100 * shown['value']:.1f}" in shown["shown"] or shown["value"] in (0, 1)
    if draft.ground.classes is None:
        assert told["confusion"] is None
        assert told["recall"] is None
        return
    rows, labels = draft.rows("validation"), draft.ground.classes.tolist()
    assert told["confusion"]["classes"] == labels
    expected = confusion_matrix(y[rows], said[rows], labels=labels)
    assert told["confusion"]["counts"] == expected.tolist()
    shares = recall_score(y[rows], said[rows], labels=labels, average=None, zero_division=np.nan)
    for one, share in zip(told["recall"], shares, strict=True):
        assert one["share"] == pytest.approx(share)
        assert one["rows"] == np.count_nonzero(y[rows] == one["class"])
        ends = binomtest(one["found"], one["rows"]).proportion_ci(method="wilson")
        assert (one["low"], one["high"]) == pytest.approx((ends.low, ends.high), abs=1e-6)


def assert_node(draft: Draft, X: dict[str, Any], y: NDArray[Any], told: dict[str, Any]) -> None:
    here = np.flatnonzero(inside(draft, X, told["path"]))
    for part in ("training", "validation"):
        rows = np.intersect1d(here, draft.rows(part))
        assert told["rows"][part] == len(rows)
        assert_tally(y[rows], told["tally"][part])


def assert_tally(y: NDArray[Any], told: Any) -> None:
    if isinstance(told, dict):
        if len(y):
            assert told["mean"] == pytest.approx(y.mean())
        if len(y) and "sd" in told:
            assert told["sd"] == pytest.approx(y.std(), abs=1e-6)
        return
    for one in told:
        n = np.count_nonzero(y == one["label"])
        assert one["rows"] == n
        if len(y):
            assert one["share"] == pytest.approx(n / len(y))


def impurity(y: NDArray[Any]) -> float:
    if not len(y):
        return 0.0
    if y.dtype.kind == "f":
        return float(y.var())
    _, counts = np.unique(y, return_counts=True)
    return float(1 - np.sum((counts / len(y)) ** 2))


def gain(y: NDArray[Any], ways: list[NDArray[np.bool_]]) -> float:
    return impurity(y) - sum(np.count_nonzero(way) / len(y) * impurity(y[way]) for way in ways)


def ways_of(test: dict[str, Any], X: dict[str, Any], rows: Any, missing: int) -> list[Any]:
    """Which rows take each branch of a test."""
    if test.get("known"):
        values = [X[test["column"]][row] for row in rows]
        absent = np.array([value is None or value != value for value in values])
        return [absent, ~absent] if missing == 0 else [~absent, absent]
    if "cuts" in test:
        x = np.asarray(X[test["column"]], float)[rows]
        place = np.where(np.isnan(x), missing, np.searchsorted(test["cuts"], x))
        return [place == b for b in range(int(max(place.max(), len(test["cuts"]), missing)) + 1)]
    values = [X[test["column"]][row] for row in rows]
    branch = {level: b for b, group in enumerate(test["groups"]) for level in group}
    place = np.array([missing if value is None else branch[value] for value in values])
    return [place == b for b in range(max(len(test["groups"]), missing + 1))]


def assert_candidates(
    draft: Draft, X: dict[str, Any], y: NDArray[Any], told: dict[str, Any], visitor: Visitor
) -> None:
    rows = np.intersect1d(np.flatnonzero(inside(draft, X, told["path"])), draft.rows("training"))
    found = [one for one in told["why"]["candidates"] if one["score"] is not None]
    own = [one["score"] for one in found if one["own"]] or [one["score"] for one in found]
    for one in told["why"]["candidates"]:
        if one["said"] is None:
            continue
        tried = visitor.post("/api/try", path=told["path"], test=one["said"])
        assert visitor.status == 200, tried
        missing = tried["missing"]
        if one["chosen"]:  # one that was kept by hand sends missing values where it did
            test = draft.state.tree.test(node_at(draft.state.tree, read_path(told["path"])))
            assert test is not None
            missing = test.missing
        ways = ways_of(one["said"], X, rows, missing)
        gross = one["gain"] + one["penalty"]
        assert gross == pytest.approx(gain(y[rows], ways), rel=1e-6, abs=1e-9 * y.size)
        if missing != tried["missing"]:
            continue
        assert tried["gain"] == pytest.approx(one["gain"], rel=1e-9, abs=1e-12)
        if one["score"] is not None and not one["chosen"]:
            assert one["margin"] == pytest.approx(max(own[0] - one["score"], 0.0), abs=1e-9)
        for way, branch in zip(ways, tried["branches"], strict=True):
            assert branch["rows"] == np.count_nonzero(way)
            assert_tally(y[rows][way], branch["tally"])
        assert_curve(X, y, rows, told, one, visitor)


def assert_curve(
    X: dict[str, Any], y: NDArray[Any], rows: Any, told: Any, one: Any, visitor: Visitor
) -> None:
    curve = visitor.get("/api/curve", path=told["path"], column=one["column"])
    assert curve["best"]["score"] == pytest.approx(one["score"] or curve["best"]["score"])
    classes = sorted(set(y.tolist()))
    if curve["kind"] == "levels":
        for level in curve["levels"]:
            way = np.array([X[one["column"]][row] == level["level"] for row in rows], bool)
            assert level["rows"] == np.count_nonzero(way)
        return
    x = np.asarray(X[one["column"]], float)[rows]
    known = ~np.isnan(x)
    assert curve["missing"]["rows"] == np.count_nonzero(~known)
    assert (curve["low"], curve["high"]) == (x[known].min(), x[known].max())
    drawn = curve["histogram"]
    sums = drawn["rows"] if "rows" in drawn else np.sum(drawn["counts"], axis=1).tolist()
    assert sum(sums) == np.count_nonzero(known)
    if "counts" in drawn:
        by_class = np.sum(drawn["counts"], axis=0)
        assert by_class.tolist() == [np.count_nonzero(y[rows][known] == c) for c in classes]
    values = np.unique(x[known])
    assert (
        len(curve["cuts"]["at"]) <= max(len(values) - 1, 0) + 1
    )  # what is known against what is not
    top = max((s for s, ok in zip(curve["cuts"]["score"], curve["cuts"]["allowed"], strict=True)
               if ok), default=None)  # fmt: skip
    if top is not None and len(one["said"].get("cuts", ())) == 1:
        assert top == pytest.approx(curve["best"]["score"], rel=1e-9)


def assert_rows(
    draft: Draft, X: dict[str, Any], y: NDArray[Any], path: str, visitor: Visitor
) -> None:
    said = answers(draft, X, y) if path in ("", "0") else None
    for part in ("training", "validation"):
        rows = np.intersect1d(np.flatnonzero(inside(draft, X, path)), draft.rows(part))
        asked = {"path": path, "part": part, "sort": "age", "down": 1}
        told = visitor.get("/api/rows", **asked)
        assert told["rows_in_all"] == len(rows)
        shown = [one["row"] for one in told["rows"]]
        ages = [X["age"][row] for row in shown]
        assert ages == sorted(X["age"][rows].tolist(), reverse=True)[: len(shown)]
        for one in told["rows"] if said is not None else ():
            if draft.ground.classes is not None:
                assert (one["truth"], one["answer"]) == (y[one["row"]], said[one["row"]])
                assert one["right"] == (one["truth"] == one["answer"])
