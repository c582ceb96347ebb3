"""Rows in parts: whatever the parts, the model's file is that of one table."""

# Over 400 lines: what holds for parts wherever they are, each promise with its test.
import pickle
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.data.readers import read_table
from bosco.errors import DataError, ParameterError
from bosco.estimators.parameters import check_parameters
from bosco.estimators.pruned import policy_of
from bosco.scale.fitting import fit_parts
from bosco.scale.part import Follower, Part, Rows
from bosco.scale.parts import Parts
from bosco.scale.source import Here

N = 900


def table(seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Numbers of many and of few values, text, truth values, missing ones; and a signal."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "many": rng.normal(size=N),
            "few": rng.integers(0, 10, N),
            "text": rng.choice(list("xyzuv"), N),
            "tenths": rng.normal(size=N).round(1),
            "true": rng.random(N) > 0.5,
        }
    )
    signal = X["many"] + X["few"] / 5 + (X["text"] == "x") * 2 + rng.normal(size=N)
    X.loc[rng.random(N) < 0.1, "many"] = np.nan
    X.loc[rng.random(N) < 0.05, "text"] = None
    return X, signal.to_numpy()


class Sent(Here):
    """Parts in this process, but what they are told and what they say is sent as to a cluster."""

    def ask(self, steps: Any, request: str, *args: Any) -> list[Any]:
        sent = pickle.loads(pickle.dumps((list(steps), args)))
        said: list[Any] = pickle.loads(pickle.dumps(super().ask(sent[0], request, *sent[1])))
        return said


def parted(X: Any, y: Any, weight: Any, part_of: Any, small: int = 0) -> Here:
    """An engine of parts in this process; a part may have no rows."""

    def reader(k: int) -> Callable[[], Rows]:
        here = part_of == k
        if not here.any():
            return lambda: Rows(None, None)
        own = None if weight is None else weight[here]
        return lambda: Rows(read_table(X[here]), y[here], own)

    engine = Sent([Part(reader(k)) for k in range(int(part_of.max()) + 2)])  # the last is empty
    engine.small = small
    return engine


def file_of(model: Any, folder: Path) -> bytes:
    place = folder / "model.json"
    model.save(place)
    return place.read_bytes()


def fitted(estimator: Any, *data: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*data, **more)


def partings(y: Any, rng: Any) -> list[Any]:
    """One part; three and fifty at random; sorted by the target."""
    order = np.empty(N, np.int64)
    order[np.argsort(y, kind="stable")] = np.arange(N)
    return [np.zeros(N, int), rng.integers(0, 3, N), rng.integers(0, 50, N), order * 5 // N]


ALGORITHMS = ["cart", "id3", "c45", "hunt", "best_first", "stump"]
POLICIES = ["learn", "fractional", "surrogate", "branch", "majority"]
TWO_BRANCHES = ["cart", "hunt", "best_first"]  # whose tests can have stand-ins


@pytest.mark.parametrize(
    ("algorithm", "missing"),
    [(a, m) for a in ALGORITHMS for m in POLICIES if m != "surrogate" or a in TWO_BRANCHES],
)
def test_the_file_is_the_same_for_any_parts(algorithm: str, missing: str, tmp_path: Path) -> None:
    X, signal = table()
    rng = np.random.default_rng(1)
    labels = np.select([signal > 1.5, signal < 0], ["high", "low"], "middle")
    settings = {"algorithm": algorithm, "missing": missing, "max_depth": 4, "pruning": "none"}
    cases: list[tuple[Any, Any, Any]] = [
        (DecisionTreeClassifier(**settings), labels, None),
        (DecisionTreeClassifier(**settings, class_weight="balanced"), labels, None),
        (DecisionTreeClassifier(**settings), labels, rng.integers(0, 3, N)),
        (DecisionTreeClassifier(**settings, weights="copies"), labels, rng.integers(0, 3, N)),
        (DecisionTreeRegressor(**settings), signal, None),
        (DecisionTreeRegressor(**settings), signal, rng.random(N)),
    ]
    done = 0
    for estimator, y, weight in cases:
        try:
            whole = fitted(clone(estimator), X, y, sample_weight=weight)
        except ValueError:
            continue  # these settings do not go together
        want = file_of(whole.model_, tmp_path)
        for part_of, small in zip(partings(y, rng), (0, 100, 0, 300), strict=True):
            made = fit_parts(clone(estimator), parted(X, y, weight, part_of, small))
            assert file_of(made.model_, tmp_path) == want, (estimator, int(part_of.max()) + 1)
            done += 1
    assert done >= 4


@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 7},
        {"max_leaf_nodes": 6, "order": "breadth"},
        {"algorithm": "best_first", "max_leaf_nodes": 9},
        {"max_features": 2, "random_state": 3},
        {"min_samples_leaf": 20, "min_impurity_decrease": 0.003},
        {"ccp_alpha": 0.004},
        {"monotonic_cst": {"many": 1}, "class_weight": {"high": 2.5}},
        {"class_weight": {"high": 0, "low": 0.3}},
        {"record": True, "max_depth": 3},
        {"max_depth": 3, "near": True},
        {"max_depth": 3, "near": True, "criterion": "entropy", "missing": "fractional"},
        {"criterion": "entropy", "score": "gain_ratio", "numeric_test": "intervals"},
        {"splitter": "random", "random_state": 1, "max_depth": 5},
        {
            "ask_costs": {"many": 5, "visit": 2},
            "ask_groups": {"visit": ["few", "text"]},
            "ask_delayed": ["many"],
        },
    ],
)
def test_settings_hold_over_parts(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = dict(settings)
    if settings.pop("near", False):  # only near ties are kept
        monkeypatch.setattr("bosco.growth.RECORD_ROWS", 50)
    X, signal = table(2)
    y = np.where(signal > 1, "high", "low")
    rng = np.random.default_rng(0)
    estimator = DecisionTreeClassifier(**{"max_depth": 6} | settings)
    want = file_of(fitted(clone(estimator), X, y).model_, tmp_path)
    for part_of, small in zip(partings(signal, rng), (0, 100, 0, 300), strict=True):
        made = fit_parts(clone(estimator), parted(X, y, None, part_of, small))
        assert file_of(made.model_, tmp_path) == want


def listened(engine: Here) -> list[str]:
    """What will be asked of trees, round by round."""
    rounds: list[str] = []
    ask = engine.ask

    def listen(steps: Any, request: str, *args: Any) -> Any:
        if request == "each":
            rounds.append(" ".join(sorted({name for _, name, _ in args[0]})))
        return ask(steps, request, *args)

    engine.ask = listen  # type: ignore[method-assign]
    return rounds


@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_a_full_tree_takes_few_rounds(missing: str, tmp_path: Path) -> None:
    """What is below small nodes is grown in one place, and their rows are counted on their way."""
    X, signal = table(4)
    y = np.where(signal > 1, "high", "low")
    estimator = DecisionTreeClassifier(missing=missing)
    want = file_of(fitted(clone(estimator), X, y).model_, tmp_path)
    carried = {}
    for small in (0, 150, N):
        rows = Parts(estimator, parted(X, y, None, np.arange(N) % 3, small))
        growth = estimator._growth(check_parameters(estimator), rows)
        made = clone(estimator)._learn_from(rows, growth, policy_of(estimator))
        assert file_of(made.model_, tmp_path) == want
        carried[small] = rows.source.rounds, rows.source.carried
    assert carried[0][0] > 20
    assert carried[0][1] == 0
    assert carried[150][0] < carried[0][0] / 2
    assert carried[N][0] == 2  # the root is counted, and finished
    assert carried[N][1] == N * (8 + 8 + 1 + 8 + 1 + 4 + 4 * (missing == "fractional"))


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("depth", [1, 3, 6])
def test_rounds_and_bytes_are_those_of_the_page(task: str, depth: int) -> None:
    """The formulae of docs/scale.md, held to what is counted."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 5)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=6000)
    y = signal > 0 if task == "classes" else signal
    kind = DecisionTreeClassifier if task == "classes" else DecisionTreeRegressor
    estimator, parts = kind(max_depth=depth, record=False), 4
    rows = Parts(estimator, parted(X, y, None, np.arange(6000) % parts))
    growth = estimator._growth(check_parameters(estimator), rows)
    made = estimator._learn_from(rows, growth, policy_of(estimator))
    source, inner = rows.source, made.tree_.node_count - made.tree_.n_leaves
    slots, cells = 2, int(source.begin[-1])
    assert cells == 5 * (255 + 1)
    assert depth + 1 <= source.rounds <= 1 + 3 * depth
    # Of every test but the deepest one branch is counted, where the other is the difference.
    one = 1 if task == "classes" else 2
    assert source.counted <= 1 + one * inner
    squares = 0 if task == "classes" else 8
    tables = parts * source.counted * cells
    held = parts * 2 * (inner + 1) * (8 * slots + 8)
    assert tables <= source.heard["count"] <= tables * (8 * slots + squares) + held
    values = source.looked_into
    near = parts * 16 * (2 * inner + 5 * inner)
    assert values * (4 + 1) <= source.heard["look"] <= parts * values * (8 + 1 + 8 * slots) + near


def test_bins_of_many_rows_do_not_come_value_by_value(tmp_path: Path) -> None:
    """Values that crowd in few bins: what parts answer is bounded, and the model is the same."""
    rng = np.random.default_rng(5)
    n = 60_000
    X = np.exp(6 * rng.normal(size=(n, 2)))  # the first and the last bin reach far
    y = (np.log(X[:, 0]) + rng.normal(size=n) > 0.1) & (rng.random(n) > 0.2)
    estimator = DecisionTreeClassifier(max_depth=2, record=False, fingerprint=False)
    want = file_of(fitted(clone(estimator), X, y).model_, tmp_path)
    bytes_ = {}
    for crowd in (10**9, 100):
        engine = parted(X, y, None, np.arange(n) % 3)
        engine.crowd = crowd
        rows = Parts(estimator, engine)
        growth = estimator._growth(check_parameters(estimator), rows)
        made = clone(estimator)._learn_from(rows, growth, policy_of(estimator))
        assert file_of(made.model_, tmp_path) == want
        heard = rows.source.heard
        bytes_[crowd] = heard["look"], heard["zoom"], rows.source.rounds
        most = 253 * (4 + 2 * 8 + 2 * 2 * 8)  # bytes for a bin that is cut: two classes
        assert heard["zoom"] <= 3 * rows.source.cut * most
    (plain, none, few), (looked, zoomed, more) = bytes_.values()
    assert none == 0 < zoomed
    assert looked < plain / 5
    assert few < more <= few + 2 * 8  # each bin is cut at most eight times


@pytest.mark.parametrize(
    ("task", "weighted", "between"),
    [
        ("classes", False, []),
        ("classes", True, ["size"]),
        ("numbers", False, ["offsets_size"]),
        ("numbers", True, ["size", "offsets", "offsets_size"]),
    ],
)
def test_parts_are_asked_twice_before_the_tree(
    task: str, weighted: bool, between: list[str]
) -> None:
    """What they say first, and what needs columns and target; real numbers also for their size."""
    X, signal = table(5)
    rng = np.random.default_rng(0)
    y = np.where(signal > 1, "high", "low") if task == "classes" else signal
    kind = DecisionTreeClassifier if task == "classes" else DecisionTreeRegressor
    engine = parted(X, y, rng.random(N) if weighted else None, rng.integers(0, 3, N))
    asked: list[str] = []
    ask = engine.ask

    def listen(steps: Any, request: str, *args: Any) -> Any:
        asked.append(request)
        return ask(steps, request, *args)

    engine.ask = listen  # type: ignore[method-assign]
    fit_parts(kind(max_depth=2, fingerprint=False), engine)
    before = asked[: asked.index("each")]
    assert before[0] == "introduction"
    assert before[-1] == "several"
    assert set(before[1:-1]) == set(between)


def test_two_rounds_a_level() -> None:
    """What is asked of parts is counted, and so is what they say."""
    X, signal = table()
    y = np.where(signal > 1, "high", "low")
    for depth in (2, 5):
        estimator = DecisionTreeClassifier(max_depth=depth, record=False)
        engine = parted(X, y, None, np.arange(N) % 3)
        asked = listened(engine)
        fit_parts(estimator, engine)
        assert asked.count("count") == depth + 1
        assert asked.count("look") <= depth + 1


def test_parts_that_do_not_go_together_are_named() -> None:
    def of(**columns: Any) -> Part:
        frame = pd.DataFrame(columns)
        return Part(lambda: Rows(read_table(frame), np.array([0, 1] * (len(frame) // 2))))

    estimator = DecisionTreeClassifier()
    for second, said in (
        (of(a=[1.0, 2.0], b=["x", "y"]), "part 2 has other columns than part 1: .'b'"),
        (of(a=["x", "y"]), "part 2, column 'a': it holds levels .text., but numbers in the parts"),
    ):
        with pytest.raises(DataError, match=said):
            fit_parts(estimator, Here([of(a=[1.0, 2.0]), second]))
    none = of(a=[None, None])  # of no kind
    text = fit_parts(clone(estimator), Here([none, of(a=["x", "y"]), of(a=["z", "x"])]))
    assert text.model_.schema.columns[0].levels == ("x", "y", "z")
    order = fit_parts(
        clone(estimator), Here([of(a=[1.0, 2.0], b=[1, 2]), of(b=[3, 4], a=[5.0, 6.0])])
    )
    assert order.model_.schema.names == ("a", "b")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"algorithm": "c45"}, "Pessimistic.* goes back to the rows"),
        ({"pruning": "reduced_error"}, "ReducedError.* goes back to the rows"),
        ({"pruning": "cost_complexity"}, "CostComplexity.* goes back to the rows"),
    ],
)
def test_pruning_that_needs_rows_is_refused(settings: dict[str, Any], said: str) -> None:
    X, signal = table()
    with pytest.raises(ParameterError, match=said):
        fit_parts(DecisionTreeClassifier(**settings), parted(X, signal > 1, None, np.zeros(N, int)))


def test_levels_are_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    """Nodes, rounds, bytes and seconds, a line each; nothing unless it is asked for."""
    X, signal = table()
    estimator = DecisionTreeClassifier(max_depth=2, record=False)
    engine = parted(X, signal > 1, None, np.arange(N) % 2)
    fit_parts(clone(estimator), engine)
    assert capsys.readouterr().err == ""
    estimator.verbose = 1
    fit_parts(estimator, engine)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines[:2]] == ["level 0: 1 node", "level 1: 2 nodes"]
    for line in lines:
        assert re.fullmatch(r"level \d+: \d+ nodes?, \d+ rounds, \d+\.\d\d MB, \d+\.\d\d s", line)


@pytest.mark.parametrize(
    "said",
    [
        {"categorical_features": ["few"]},
        {"categorical_features": [1]},
        {"domains": {"few": list(range(12)), "text": list("uvwxyz")}},
    ],
)
def test_numbers_that_are_levels(said: dict[str, Any], tmp_path: Path) -> None:
    """What the user says of a column holds for all parts together, whatever each has of it."""
    X, signal = table()
    y = np.where(signal > 1, "yes", "no")
    clf = DecisionTreeClassifier(max_depth=4, **said)
    want = file_of(fitted(clone(clf), X, y).model_, tmp_path)
    part_of = np.searchsorted([2, 5, 8], X["few"])  # each part has other values
    assert file_of(fit_parts(clone(clf), parted(X, y, None, part_of)).model_, tmp_path) == want


def test_a_value_outside_its_domain_is_named_with_its_part() -> None:
    X, signal = table()
    y = np.where(signal > 1, "yes", "no")
    clf = DecisionTreeClassifier(domains={"text": list("xyzu")})
    with pytest.raises(DataError, match=r"^part 1: Column 'text', row \d+: 'v' is not in its"):
        fit_parts(clf, parted(X, y, None, np.arange(N) % 3))


class Listener(Follower):
    """Remembers what it was told, and its trees what it had been told when they began."""

    def _forget(self) -> None:
        super()._forget()
        self.words: list[str] = []

    def _word(self, word: str) -> None:
        self.words.append(word)

    def _new_tree(self) -> Any:
        return Heard([*self.words], [])

    def heard(self, tree: int) -> Any:
        return self.trees[tree]


@dataclass
class Heard:
    """A tree that remembers."""

    before: list[str]
    own: list[Any]

    def follow(self, steps: list[Any]) -> "Heard":
        self.own += steps[len(self.own) :]
        return self


def test_a_question_that_comes_late_does_no_harm() -> None:
    """One about an older tree of the same number, which was asked, and answered, before."""

    def steps(words: int, tree: list[str]) -> list[Any]:
        return [*(("word", f"w{k}") for k in range(words)), ("tree", 0, tree)]

    old, now = steps(1, ["a", "b"]), steps(2, ["c", "d", "e"])
    late = Listener()
    for asked in (now, old, now, old, old, now):
        said = late.answer(asked, "heard", 0)
        assert said == Listener().answer(asked, "heard", 0)
    assert said == Heard(["w0", "w1"], ["c", "d", "e"])
