"""What nodes say and how trees look, from trees made by hand."""

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bosco.data.schema import Column, Schema
from bosco.growth import resolve
from bosco.models.model import Model
from bosco.render.card import card, quote, say, say_test, show_share, show_weight
from bosco.tree.conditions import Interval, Members, Test, read_test
from bosco.tree.tree import Tree

SCHEMA = Schema(
    (
        Column("age"),
        Column("size", "ordinal", ("small", "medium", "large"), "text"),
        Column("sky", "nominal", ("blue", "grey", "red", "white"), "text"),
        Column("windy", "nominal", (False, True), "boolean"),
        Column("day", unit="date"),
        Column("id", "nominal", tuple(f"n{i}" for i in range(100)), "text"),
    ),
    named=True,
)
AGE, SIZE, SKY, WINDY, DAY, ID = range(6)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Interval(AGE, None, 0.1 + 0.2, False), "age ≤ 0.30000000000000004"),
        (Interval(AGE, 70.0, None, True), "age > 70 or missing"),
        (Interval(AGE, 1.5, 1e300, False), "1.5 < age ≤ 1e+300"),
        (Interval(AGE, None, None, False), "age is known"),
        (Interval(AGE, float("-inf"), None, False), "age > -inf"),
        (Members(AGE, (), True), "age is missing"),
        (Interval(SIZE, None, 0.5, False), "size ≤ small"),
        (Interval(SIZE, 1.5, None, True), "size > medium or missing"),
        (Interval(DAY, None, 18262.0, False), "day ≤ 2020-01-01"),
        (Interval(DAY, 18262.5, None, False), "day > 2020-01-01 12:00"),
        (Members(SKY, (2,), False), "sky = grey"),
        (Members(SKY, (1, 2, 4), True), "sky ≠ red or missing"),
        (Members(SKY, (1, 3), False), "sky in {blue, red}"),
        (Members(SKY, (1, 2, 3, 4), False), "sky is known"),
        (Members(SKY, (), True), "sky is missing"),
        (Members(WINDY, (2,), True), "windy = true or missing"),
        (Members(ID, tuple(range(1, 11)), False), "id in {n0, n1, n2, … 7 more}"),
        (Members(ID, tuple(range(3, 101)), False), "id not in {n0, n1}"),
    ],
)
def test_conditions_in_words(condition: Interval | Members, words: str) -> None:
    assert say(SCHEMA, condition, 3) == words


def test_missing_is_said_only_where_asked() -> None:
    assert say(SCHEMA, Interval(AGE, 70.0, None, True), missing=False) == "age > 70"


@pytest.mark.parametrize(
    ("branches", "words"),
    [
        ((Interval(AGE, None, 5.0, True), Interval(AGE, 5.0, None, False)), "age ≤ 5"),
        (
            (
                Interval(AGE, None, 5.0, False),
                Interval(AGE, 5.0, 9.0, False),
                Interval(AGE, 9.0, None, True),
            ),
            "age cut at 5, 9",
        ),
        (tuple(Members(SKY, (i,), i == 1) for i in (1, 2, 3, 4)), "sky, one branch per value"),
        (
            (Members(SKY, (1, 4), False), Members(SKY, (2,), False), Members(SKY, (3,), True)),
            "sky in {blue, white} | {grey} | {red}",
        ),
    ],
)
def test_tests_in_words(branches: tuple[Any, ...], words: str) -> None:
    assert say_test(SCHEMA, Test(branches[0].column, branches, 0)) == words


@pytest.mark.parametrize(
    ("level", "text"),
    [("a b", "a b"), ("a, b", "'a, b'"), ("", "''"), (" x", "' x'"), (True, "true"), (2.5, "2.5")],
)
def test_levels_are_quoted_where_they_could_be_misread(level: Any, text: str) -> None:
    assert quote(level) == text


def test_numbers_for_reading() -> None:
    assert [show_weight(w) for w in (3.0, 2.5, 1 / 3)] == ["3", "2.5", "0.3333"]
    shares = [1.0, 0.0, 2 / 3, 0.99999, 1e-9]
    assert [show_share(s) for s in shares] == ["100 %", "0 %", "66.7 %", "99.9 %", "0.1 %"]


# Tests read from native arrays -------------------------------------------------------------------


def pool(*tests: dict[str, Any]) -> SimpleNamespace:
    """The arrays of a native pool of tests."""
    cuts = [t.get("cuts", []) for t in tests]
    jumps = [t.get("jumps", []) for t in tests]
    return SimpleNamespace(
        kind=np.array([1 if t.get("cuts") else 2 for t in tests], np.uint8),
        column=np.array([t["column"] for t in tests], np.int32),
        branches=np.array([t["branches"] for t in tests], np.int32),
        missing=np.array([t.get("missing", 0) for t in tests], np.int32),
        flip=np.array([t.get("flip", 0) for t in tests], np.uint8),
        threshold_begin=np.cumsum([0, *map(len, cuts)]),
        thresholds=np.array([x for c in cuts for x in c], np.float64),
        jump_begin=np.cumsum([0, *map(len, jumps)]),
        jumps=np.array([x for j in jumps for x in j], np.uint32),
    )


def test_reading_cuts() -> None:
    tests = pool(
        {"column": 0, "branches": 2, "cuts": [1.5], "missing": 1},
        {"column": 0, "branches": 2, "cuts": [np.inf], "missing": 1},
        {"column": 0, "branches": 4, "cuts": [1.0, 2.0], "missing": 3},
        {"column": 0, "branches": 2, "cuts": [1.5], "flip": 1},
    )
    assert read_test(tests, 0).branches == (
        Interval(0, None, 1.5, False),
        Interval(0, 1.5, None, True),
    )
    assert read_test(tests, 1).branches == (
        Interval(0, None, None, False),
        Members(0, (), True),
    )
    assert read_test(tests, 2).branches == (
        Interval(0, None, 1.0, False),
        Interval(0, 1.0, 2.0, False),
        Interval(0, 2.0, None, False),
        Members(0, (), True),
    )
    flipped = read_test(tests, 3).branches
    assert [flipped[0].low, flipped[1].high] == [1.5, 1.5]


def test_reading_maps() -> None:
    tests = pool(
        {"column": 2, "branches": 3, "jumps": [2, 0, 1, 0, 1], "missing": 2},
        {"column": 2, "branches": 2, "jumps": [0, 1, 1, 0, 0], "missing": -1},
    )
    assert read_test(tests, 0).branches == (
        Members(2, (1, 3), False),
        Members(2, (2, 4), False),
        Members(2, (), True),
    )
    assert read_test(tests, 1).by_share
    assert not any(branch.missing for branch in read_test(tests, 1).branches)


# Whole trees -------------------------------------------------------------------------------------


def model(
    tests: list[dict[str, Any]],
    test: list[int],
    tally: list[list[int]],
    surrogates: list[dict[str, Any]] | None = None,
    **growth: Any,
) -> Model:
    """A model of two classes from its tests, the test of each node, and the tallies."""
    n = len(test)
    first, parent, n_children, free = [-1] * n, [-1] * n, [0] * n, 1
    for node in range(n):
        if test[node] >= 0:
            first[node], n_children[node] = free, tests[test[node]]["branches"]
            for child in range(free, free + n_children[node]):
                parent[child] = node
            free += n_children[node]
    counts = np.array(tally, np.int64)
    weight = counts.sum(axis=1, keepdims=True)
    value = counts / np.maximum(weight, 1)
    for node in range(n):
        if weight[node] == 0:
            value[node] = value[parent[node]]
    begin = np.zeros(n + 1, np.int64)
    begin[1:] = len(surrogates or [])  # all of them are the root's
    native = SimpleNamespace(
        n_nodes=n,
        n_classes=2,
        weight_scale=1.0,
        count_scale=1.0,
        test=np.array(test, np.int32),
        parent=np.array(parent, np.int32),
        first_child=np.array(first, np.int32),
        n_children=np.array(n_children, np.int32),
        tally=counts,
        count=weight[:, 0],
        value=value,
        impurity=np.zeros(n),
        gain=np.zeros(n),
        tests=pool(*tests),
        surrogates=pool(*(surrogates or [])),
        surrogate_begin=begin,
    )
    settings = resolve(
        "cart", "classification", samples=int(weight[0, 0]), columns=6, weight=1.0, **growth
    )
    classes = np.array(["no", "yes"])
    return Model(Tree(native, 6), SCHEMA, classes, settings, {"algorithm": "cart"})


def lines(text: str) -> list[str]:
    return text.splitlines()


def test_a_tree() -> None:
    m = model(
        [
            {"column": SKY, "branches": 2, "jumps": [1, 0, 1, 1, 0], "missing": 1},
            {"column": AGE, "branches": 2, "cuts": [30.25], "missing": 0},
        ],
        [0, -1, 1, -1, -1],
        [[5, 5], [4, 0], [1, 5], [0, 5], [1, 0]],
    )
    assert lines(str(m)) == [
        "cart (gini) · 10 rows, 6 columns, 2 classes · 3 leaves, depth 2",
        "",
        "[0] · 10 rows: yes 5, no 5",
        "├─ [1] sky in {blue, white} → no · 4 rows",
        "└─ [2] sky in {grey, red} or missing · 6 rows: yes 5, no 1",
        "   ├─ [3] age ≤ 30.25 or missing → yes · 5 rows",
        "   └─ [4] age > 30.25 → no · 1 row",
        "",
        "A level the tree does not know is read as missing.",
    ]


def test_a_leaf_shows_its_distribution_and_ties_go_to_the_second_of_two() -> None:
    m = model([], [-1], [[2, 2]])
    assert lines(str(m))[2] == "[0] → yes · 4 rows: yes 2, no 2 (50.0 %, a tie)"
    assert lines(str(m))[-1] == "A tie: of classes that weigh the same, the last is predicted."


def test_empty_branches_share_a_line() -> None:
    m = model(
        [{"column": SKY, "branches": 4, "jumps": [0, 0, 1, 2, 3], "missing": 0}],
        [0, -1, -1, -1, -1],
        [[1, 3], [0, 3], [0, 0], [1, 0], [0, 0]],
    )
    text = lines(m.to_text())
    assert text[3] == "├─ [1] sky = blue or missing → yes · 3 rows"
    assert text[5] == "└─ [2, 4] sky in {grey, white} → yes (no rows, as its parent)"


def test_known_against_missing() -> None:
    m = model(
        [{"column": AGE, "branches": 2, "cuts": [np.inf], "missing": 1}],
        [0, -1, -1],
        [[1, 3], [0, 3], [1, 0]],
    )
    assert lines(m.to_text())[3:5] == [
        "├─ [1] age is known → yes · 3 rows",
        "└─ [2] age is missing → no · 1 row",
    ]


def test_shares_and_refusals_are_said_once() -> None:
    by_share = [{"column": AGE, "branches": 2, "cuts": [1.0], "missing": -1}]
    tally = [[1, 3], [0, 3], [1, 0]]
    text = model(by_share, [0, -1, -1], tally, missing="fractional").to_text()
    assert "or missing" not in text
    assert text.endswith("A missing value goes down every branch, in shares of their weights.")
    text = model([by_share[0] | {"missing": 0}], [0, -1, -1], tally, missing="error").to_text()
    assert "or missing" not in text
    assert text.endswith("Missing values are refused.")


def test_surrogates_are_listed() -> None:
    m = model(
        [{"column": AGE, "branches": 2, "cuts": [1.0], "missing": 1}],
        [0, -1, -1],
        [[1, 3], [0, 3], [1, 0]],
        surrogates=[
            {"column": DAY, "branches": 2, "cuts": [18262.0], "flip": 1},
            {"column": SKY, "branches": 2, "jumps": [0, 0, 1, 0, 1]},
        ],
        missing="surrogate",
    )
    assert lines(m.to_text())[3] == (
        "│  if missing: day > 2020-01-01 → [1], else [2]; sky in {blue, red} → [1], else [2]; [2]"
    )


def test_ascii_is_ascii() -> None:
    m = model(
        [{"column": AGE, "branches": 2, "cuts": [1.0], "missing": 1}],
        [0, -1, -1],
        [[1, 3], [0, 3], [1, 0]],
    )
    text = m.to_text(ascii=True)
    assert text.isascii()
    assert "|- [1] age <= 1 -> yes; 3 rows" in text


def test_a_terminal_without_the_characters_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    m = model([], [-1], [[0, 1]])
    monkeypatch.setattr("sys.stdout", SimpleNamespace(encoding="cp1252"))
    assert str(m).isascii()


def full_tree(depth: int) -> Model:
    """A complete tree that cuts one column again and again."""
    n_inner, n = 2**depth - 1, 2 ** (depth + 1) - 1
    tests = [{"column": AGE, "branches": 2, "cuts": [float(i)]} for i in range(n_inner)]
    test = [*range(n_inner), *[-1] * (n - n_inner)]
    weights = [2 ** (depth - int(np.log2(i + 1))) for i in range(n)]
    return model(tests, test, [[0, w] for w in weights])


def test_large_trees_are_folded_and_quick() -> None:
    m = full_tree(16)
    assert m.n_leaves == 65_536
    start = time.perf_counter()
    text = str(m)
    assert time.perf_counter() - start < 2.0
    assert len(lines(text)) < 210
    assert "… is folded: to_text(max_nodes=None, max_levels=None) shows everything." in text
    hidden = sum(int(line.split("… ")[1].split()[0]) for line in lines(text) if " leaves" in line
                 and "… " in line)  # fmt: skip
    assert hidden == 65_536
    assert len(lines(full_tree(9).to_text(max_nodes=None))) == 3 - 1 + 2**10 - 1


def test_the_heaviest_nodes_are_opened_first() -> None:
    cut = {"column": AGE, "branches": 2, "missing": 1}
    tests = [cut | {"cuts": [t]} for t in (5.0, 2.0, 8.0)]
    tally = [[3, 9], [3, 1], [0, 8], [3, 0], [0, 1], [0, 6], [0, 2]]
    text = lines(model(tests, [0, 1, 2, -1, -1, -1, -1], tally).to_text(max_nodes=5))
    assert text[3] == "├─ [1] age ≤ 5 · 4 rows: no 3, yes 1 … 2 leaves"
    assert text[5] == "   ├─ [5] age ≤ 8 → yes · 6 rows"


def test_folding_by_depth() -> None:
    text = lines(full_tree(4).to_text(max_depth=1))
    assert text[2:5] == [
        "[0] · 16 rows: yes 16",
        "├─ [1] age ≤ 0 or missing · 8 rows: yes 8 … 8 leaves",
        "└─ [2] age > 0 · 8 rows: yes 8 … 8 leaves",
    ]


def test_deep_trees_need_no_recursion() -> None:
    depth = 3000
    tests = [{"column": AGE, "branches": 2, "cuts": [float(i)]} for i in range(depth)]
    test, tally = [], []
    for i in range(depth):
        test += [i, -1] if i else [0]
        tally += [[1, depth - i], [1, 0]] if i else [[1, depth]]
    m = model(tests, [*test, -1, -1], [*tally, [0, 1], [1, 0]])
    assert m.depth == depth
    assert str(m)
    assert m.tree.path(m.tree.node_count - 1)[0] == 0


def test_a_card_is_data() -> None:
    m = model(
        [{"column": AGE, "branches": 2, "cuts": [1.0], "missing": 1}],
        [0, -1, -1],
        [[1, 3], [0, 3], [1, 0]],
    )
    said = card(m, 0)
    assert (said.prediction, said.share, said.rows) == ("yes", 0.75, 4.0)
    assert said.classes == (("yes", 3.0), ("no", 1.0))
    assert [(b.words, b.children) for b in said.branches] == [
        ("age ≤ 1", (1,)),
        ("age > 1 or missing", (2,)),
    ]
