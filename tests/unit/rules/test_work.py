"""Simplifying and comparing are bounded by counted work: the same text everywhere, no waiting."""

import ast
import itertools
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ModelError, ParameterError
from bosco.datasets import golf
from bosco.models.model import Model
from bosco.rules import extract
from bosco.rules.cover import cheapest
from bosco.rules.equivalence import compare
from bosco.rules.extract import conditions_of
from bosco.rules.space import Near, Space
from bosco.rules.work import WORK, OutOfWorkError, Work
from bosco.rules.written import written

ROOM = Path(bosco.__file__).parent / "rules"
SIZES = (100, 200, 400)


def noisy(leaves: int, half: int | None = None, real: bool = False) -> Model:
    """A tree of so many leaves on noisy numbers, where there is little to unite."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    y = np.where((X[:, 0] * X[:, 1] > 0) ^ (rng.random(4000) < 0.2), "a", "b")
    rows = slice(None) if half is None else slice(half, None, 2)
    if real:
        numbers = np.round(rng.normal(size=4000), 1)
        return DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X[rows], numbers[rows]).model_
    return DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X[rows], y[rows]).model_


# The clock has no say ----------------------------------------------------------------------------


def test_no_clock_and_no_rounding_solver_in_the_room() -> None:
    for file in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.partition(".")[0] not in {"time", "scipy", "signal"}, (file, name)


def test_a_slow_machine_gives_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = noisy(60, 0), noisy(60, 1)
    short, found = one.rules().simplify(), bosco.diff(one, other)
    late = itertools.count(0, 3600)
    for name in ("monotonic", "perf_counter", "time", "process_time"):
        monkeypatch.setattr(time, name, lambda: float(next(late)))
    again, once_more = one.rules().simplify(), bosco.diff(one, other)
    monkeypatch.undo()
    assert str(again) == str(short)
    assert again.report == short.report
    assert str(again.report) == str(short.report)
    assert str(once_more) == str(found)
    assert once_more.work == found.work


@pytest.mark.parametrize("bad", [0, -1, math.nan, True, "long", None])
def test_work_is_a_number_of_steps(bad: Any) -> None:
    model = noisy(3)
    with pytest.raises(ParameterError, match="number of steps above 0"):
        model.rules().simplify(work=bad)
    with pytest.raises(ParameterError, match="number of steps above 0"):
        bosco.diff(model, model, work=bad)


# It is kept, and grows as it should --------------------------------------------------------------


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("work", [10_000, 100_000, 1_000_000])
def test_the_work_allowed_is_kept(work: int, real: bool) -> None:
    for leaves in (SIZES[0], SIZES[-1]):
        model = noisy(leaves, real=real)
        rules = model.rules()
        for decision_list in (False, True):
            short = rules.simplify(work=work, decision_list=decision_list)
            assert short.report.work < 1.5 * work + 50 * leaves
            assert short.equivalent_to(model)
        a, b = noisy(leaves, 0, real), noisy(leaves, 1, real)
        assert bosco.diff(a, b, work=work).work < 1.5 * work + 50 * leaves


def doublings(counts: list[int]) -> list[float]:
    return [after / before for before, after in itertools.pairwise(counts)]


def test_the_proof_of_equality_grows_with_the_rules() -> None:
    counts = []
    for leaves in SIZES:
        rules, work = noisy(leaves).rules(), Work()
        assert compare(rules, rules, work=work)
        counts.append(work.used)
    assert max(doublings(counts)) < 3, counts


def test_a_difference_of_nothing_grows_with_the_rules() -> None:
    counts = [bosco.diff(noisy(leaves), noisy(leaves)).work for leaves in SIZES]
    assert max(doublings(counts)) < 3, counts


def test_finding_what_differs_grows_slower_than_pairs_of_rules() -> None:
    counts = []
    for leaves in SIZES:
        rules, others, work = noisy(leaves, 0).rules(), noisy(leaves, 1).rules(), Work()
        assert not compare(rules, others, work=work)
        counts.append(work.used)
    assert max(doublings(counts)) < 4, counts


def test_of_one_rule_each_nothing_is_tried() -> None:
    """The rules of a regression tree mostly have an answer of their own: nothing can be united."""
    X = np.arange(3000.0)[:, None]
    rules = DecisionTreeRegressor().fit(X, X[:, 0] ** 1.5).model_.rules()
    short = rules.simplify()
    assert len(short) == 3000
    assert short.report.work == 0
    assert len(short.report.proved) == 3000
    # Two with one answer: the others are still left alone.
    y = X[:, 0] ** 1.5
    y[2999] = y[0]
    model = DecisionTreeRegressor().fit(X, y).model_
    short = model.rules().simplify()
    assert len(short.report.proved) == 2999
    assert short.report.work < 3_000_000
    assert short.equivalent_to(model)


def test_what_ran_out_is_said() -> None:
    rules = noisy(400).rules()
    short = rules.simplify(work=1000)
    assert [str(rule) for rule in short] == [str(rule) for rule in rules]
    assert short.report.hurried == ("a", "b")
    assert "the work allowed ran out for a, b" in str(short.report)
    listed = rules.simplify(work=1000, decision_list=True)
    assert listed.ordered
    assert listed.equivalent_to(rules)
    many = noisy(400, real=True).rules().simplify(work=1000)
    assert " more: right, but" in str(many.report)


# Differences -------------------------------------------------------------------------------------


def test_a_difference_cut_short_is_never_equal() -> None:
    a, b = noisy(200, 0), noisy(200, 1)
    seen = set()
    for work in (100, 20_000, 100_000, WORK):
        found = bosco.diff(a, b, work=work)
        seen.add(found.complete)
        assert not found.equal
        assert found.to_dict()["equal"] is False
        assert found.compared <= found.parts
        for region in found:
            assert a.predict(region.point) == region.first != region.second
            assert b.predict(region.point) == region.second
        if not found.complete:
            assert f"in {found.compared} of {found.parts} parts of the space" in str(found)
            assert "not compared: that takes more work than is allowed" in str(found)
    assert seen == {True, False}
    nothing = bosco.diff(a, a, work=100)
    assert not nothing.equal
    assert str(nothing).startswith("no difference was found in 0 of")
    assert bosco.diff(a, a).equal


def test_all_that_differs_is_in_a_region_however_few_they_were_made() -> None:
    a, b = noisy(60, 0), noisy(60, 1)
    X = np.random.default_rng(1).normal(size=(3000, 4))
    differ = int((a.predict(X) != b.predict(X)).sum())
    for work in (300_000, WORK):
        found = bosco.diff(a, b, X, work=work)
        assert found.complete
        assert found.rows == differ
    part = bosco.diff(a, b, X, work=20_000)
    assert not part.complete
    assert part.rows is None or part.rows <= differ
    assert "at least" in str(part) or "the rows were not counted" in str(part)


def test_conditions_of_a_difference_stand_in_brackets() -> None:
    """Without them, "a or missing and b" reads as another region."""
    X, y = golf()
    one = DecisionTreeClassifier(algorithm="id3").fit(X, y)
    other = DecisionTreeClassifier(algorithm="id3", max_depth=1).fit(X, y)
    found = bosco.diff(one, other)
    text = str(found) + found.to_markdown()
    assert "or missing) and" in text or "and (" in text
    for line in text.splitlines():
        where = line.partition(": ")[0]
        for part in where.split(" and ") if " and " in where else []:
            assert (" or missing" in part) == part.strip("| ").startswith("(")


# The parts ---------------------------------------------------------------------------------------


def test_the_cheapest_columns_are_the_cheapest() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 9))
        costs = rng.integers(1, 5, n).tolist()
        rows = [
            tuple(np.flatnonzero(row).tolist())
            for row in rng.random((rng.integers(1, 10), n)) < 0.4
            if row.any()
        ]
        found, proved = cheapest(rows, costs, Work())
        assert proved
        assert all(set(row) & set(found) for row in rows)
        least = min(
            sum(costs[i] for i in some)
            for r in range(n + 1)
            for some in itertools.combinations(range(n), r)
            if all(set(row) & set(some) for row in rows)
        )
        assert sum(costs[i] for i in found) == least


def test_columns_that_are_not_proved_still_meet_every_row() -> None:
    rng = np.random.default_rng(1)
    rows = [tuple(sorted(rng.choice(60, 4, replace=False).tolist())) for _ in range(80)]
    found, proved = cheapest(rows, [1] * 60, Work(500))
    assert not proved
    assert all(set(row) & set(found) for row in rows)


def test_boxes_nearby_are_those_that_meet() -> None:
    model, other = noisy(200, 0), noisy(200, 1)
    asked = [*conditions_of(model.tree), *conditions_of(other.tree)]
    space = Space(model.schema, asked)
    boxes = [space.box(rule.conditions) for rule in model.rules()]
    near = Near(space, boxes, Work())
    for rule in other.rules():
        box = space.box(rule.conditions)
        assert near.meeting(box) == [i for i, b in enumerate(boxes) if space.meets(b, box)]
    assert Near(space, [], Work()).meeting(space.full) == []


def test_parts_of_work_count_in_the_whole() -> None:
    work = Work(10)
    part = work.part(0.5)
    part.need(5)
    with pytest.raises(OutOfWorkError):
        part.need(1)
    assert (work.used, work.left, work.over) == (6, 4, False)


# Too many rules ----------------------------------------------------------------------------------


def test_too_many_leaves_are_not_blamed_on_missing_values() -> None:
    X = np.arange(50_001.0)[:, None]
    model = DecisionTreeRegressor().fit(X, X[:, 0]).model_
    with pytest.raises(ModelError, match=r"50,001 leaves, and at most 50,000") as caught:
        model.rules()
    assert "issing" not in str(caught.value)
    with pytest.raises(ModelError, match="50,001 leaves"):
        model.rules(missing=False)
    found = written(model)
    assert found.before is None
    assert "50,001 leaves" in found.note


def test_rules_that_missing_values_make_too_many_are_written_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_
    whole = written(model)
    assert whole.note == ""
    assert whole.before is not None
    assert whole.before.missing
    monkeypatch.setattr(extract.ways, "__defaults__", (5, 100))
    found = written(model)
    assert found.before is not None
    assert not found.before.missing
    assert "without a missing value" in found.note
    assert "without a missing value" in str(bosco.report(model))
