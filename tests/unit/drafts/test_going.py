"""Drafts that go to any state, and tests that are weighed, considered or planted."""

from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import loans
from bosco.drafts.draft import Draft
from bosco.drafts.holding import holding_of, rows_at
from bosco.errors import ModelError, ParameterError


def opened(**how: Any) -> Draft:
    return bosco.draft(DecisionTreeClassifier(), *loans(), reasons=False, **how)


def same_again(draft: Draft) -> bool:
    return bosco.replay(draft.log, *loans()).same


# Going ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("validation", [0.2, 0])
def test_a_change_in_brief_says_what_its_lines_say(validation: float) -> None:
    """The head is the first line; the figure is of the rows that it names, before and after."""
    draft = opened(validation=validation)
    before = draft.figures
    change = draft.grow()
    part = "validation" if validation else "training"
    was, now = getattr(before, part), getattr(draft.figures, part)
    assert str(change).splitlines()[0] == change.head
    moved = f"{part} error {was.show(was.value)} → {now.show(now.value)}"
    assert change.brief == f"1 → {draft.model.n_leaves} leaves · {moved}"
    assert all(piece in str(change) for piece in change.brief.split(" · "))
    assert draft.note(0, "look again").brief == ""
    assert "error" not in draft.undo(reason="no").head


def test_any_state_can_be_gone_to_also_one_that_was_left() -> None:
    draft = opened()
    draft.grow()  # 1
    grown = draft.state.digest()
    draft.undo()  # 2
    draft.best(0)  # 3: the grown state is left
    best = draft.state.digest()
    assert draft.goto(1).leaves == (2, draft.model.n_leaves)
    assert draft.state.digest() == grown
    assert (draft.can_undo, draft.can_redo) == (True, False)
    assert draft.undo().leaves[1] == 1  # the way that led to it
    draft.goto(3)
    assert draft.state.digest() == best
    assert [stage.entry for stage in draft.history] == [0, 1, 3]
    assert same_again(draft)


def test_going_along_the_line_keeps_what_can_be_redone() -> None:
    draft = opened()
    draft.best(0)
    draft.grow()
    draft.goto(0)
    assert draft.can_redo
    draft.redo()
    assert draft.state.tree.n_leaves == 2


@pytest.mark.parametrize("entry", [-1, 2, True, "1", None])
def test_what_is_no_entry_is_refused(entry: Any) -> None:
    draft = opened()
    draft.grow()
    log = draft.log
    with pytest.raises(ParameterError, match="entries 0 to 1"):
        draft.goto(entry)
    with pytest.raises(ModelError, match="already"):
        draft.goto(1)
    assert draft.log == log


def test_what_fails_inside_a_whole_does_not_stand() -> None:
    draft = opened()
    draft.grow()
    before = draft.log, draft.state, draft.history, draft.can_undo

    def fails() -> None:
        with draft.whole():
            draft.prune(0)
            draft.final()
            draft.who = "somebody else"
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        fails()
    assert (draft.log, draft.state, draft.history, draft.can_undo) == before
    assert draft.who is None
    assert draft.looks.test == 0


# Considering and weighing -----------------------------------------------------------------------


def test_considering_tells_what_doing_it_would() -> None:
    draft = opened()
    draft.grow(depth=2)
    before = draft.state.digest()
    told = draft.consider(1, "income = low")
    assert draft.state.digest() == before
    assert draft.log[-1]["verb"] == "consider"
    done = draft.split(1, "income = low")
    assert (told.after, told.leaves, told.best) == (done.after, done.leaves, done.best)
    draft.undo()
    own = draft.consider(1)
    assert own.after == draft.best(1).after
    assert same_again(draft)


def test_considering_is_a_look() -> None:
    draft = opened()
    looks = draft.looks.validation
    assert draft.consider(0).look == looks + 1
    assert draft.looks.validation == looks + 1


def test_weighing_leaves_no_trace_and_tells_what_the_split_would() -> None:
    draft = opened()
    log = draft.log
    told = draft.weigh(0, "income = low")
    assert draft.log == log
    done = draft.split(0, "income = low")
    assert (told.words, told.best, told.loss) == (done.yours, done.best, done.loss)
    children = draft.state.tree.children(0)
    for limb, child in zip(told.branches, children, strict=True):
        assert limb.by_class is not None
        assert limb.by_class.tolist() == draft.model.amounts[child].tolist()
        assert limb.says == draft.model.node_class[child]


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch", "majority"])
@pytest.mark.parametrize("weighted", [False, True])
def test_branches_are_weighed_as_the_act_leaves_them(missing: str, weighted: bool) -> None:
    random = np.random.default_rng(1)
    x, z = random.normal(size=(2, 300))
    y = np.where(x + z > 0, "a", "b")
    x[::7] = np.nan
    weight = random.uniform(0.5, 2, 300) if weighted else None
    learner = DecisionTreeClassifier(missing=missing)
    draft = bosco.draft(learner, {"x": x, "z": z}, y, weight, reasons=False)
    told = draft.weigh(0, "x <= 0.2")
    draft.split(0, "x <= 0.2")
    children = draft.state.tree.children(0)
    assert len(told.branches) == len(children)
    for limb, child in zip(told.branches, children, strict=True):
        assert limb.rows == pytest.approx(draft.model.amounts[child].sum())


def test_weighing_numbers_tells_their_means() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=200)
    y = x * 3 + random.normal(size=200)
    draft = bosco.draft(DecisionTreeRegressor(), {"x": x}, y, reasons=False)
    low, high = draft.weigh(0, "x <= 0.1").branches
    train = draft.rows("training")
    here = train[x[train] <= 0.1]
    assert low.rows == len(here)
    assert low.says == pytest.approx(y[here].mean())
    assert high.says == pytest.approx(y[np.setdiff1d(train, here)].mean())


def test_whether_a_value_is_missing_can_be_asked() -> None:
    random = np.random.default_rng(0)
    city = np.array(["a", "b", None], object)[random.integers(0, 3, 200)]
    y = np.where([c is None for c in city], "u", "v")
    for X in (
        {"c": city.tolist()},
        {"c": [np.nan if c is None else float(ord(c)) for c in city]},
    ):
        draft = bosco.draft(DecisionTreeClassifier(max_depth=3), X, y)
        by_words = draft.split(0, "c is missing")
        digest = draft.state.digest()
        draft.undo()
        by_rank = draft.split(0, 1)
        assert by_words.yours == by_rank.yours
        assert draft.state.digest() == digest
        assert draft.model.n_leaves == 2
        other = bosco.draft(DecisionTreeClassifier(missing="majority"), X, y)
        with pytest.raises(ModelError, match="missing='majority'"):
            other.split(0, "c is missing")


# Planting ---------------------------------------------------------------------------------------


def test_a_planted_tree_asks_the_same_and_answers_by_the_rows_here() -> None:
    X, y = loans()
    model = DecisionTreeClassifier(max_depth=3).fit(X, y).model_
    draft = opened()
    draft.grow()
    change = draft.plant(0, model, reason="the tree in use")
    assert change.leaves[1] <= model.n_leaves
    train = draft.rows("training")
    assert draft.model.tree.native.tally[0].sum() == len(train)
    first, own = model.tree.test(0), draft.state.tree.test(0)
    assert first is not None
    assert own is not None
    assert own.column == first.column
    assert same_again(draft)


def test_planting_what_asks_for_other_columns_is_refused() -> None:
    model = DecisionTreeClassifier().fit({"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]).model_
    draft = opened()
    with pytest.raises((ModelError, ParameterError, ValueError)):
        draft.plant(0, model)
    with pytest.raises(ParameterError, match="one tree"):
        draft.plant(0, "model.json")  # type: ignore[arg-type]


# Counting ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_nodes_hold_what_their_rows_are(missing: str) -> None:
    random = np.random.default_rng(4)
    x, z = random.normal(size=(2, 400))
    y = np.where(x + z > 0, "a", "b")
    x[::9] = np.nan
    draft = bosco.draft(DecisionTreeClassifier(missing=missing, max_depth=3), {"x": x, "z": z}, y)
    draft.grow()
    held = holding_of(draft.ground, draft.state.tree, "training")
    assert held.by_class is not None
    assert held.by_class[:, :2] == pytest.approx(draft.model.amounts)
    assert not held.by_class[:, 2].any()
    other = holding_of(draft.ground, draft.state.tree, "validation")
    assert other.rows[0] == len(draft.rows("validation"))
    if missing == "learn":
        for node in range(draft.state.tree.node_count):
            for part, counted in (("training", held), ("validation", other)):
                found = rows_at(draft.ground, draft.state.tree, node, part)
                assert len(found) == counted.rows[node]
                for k, label in enumerate(("a", "b")):
                    assert counted.by_class is not None
                    assert np.count_nonzero(y[found] == label) == counted.by_class[node, k]


def test_the_test_part_is_not_counted_before_it_is_opened() -> None:
    draft = opened()
    with pytest.raises(ParameterError, match="locked"):
        draft.confusion("test")
    assert draft.confusion("training").sum() == len(draft.rows("training"))
