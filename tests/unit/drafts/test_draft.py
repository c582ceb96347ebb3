"""A draft: what its verbs say, refuse and count."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import bosco
from bosco.data.readers import Table
from bosco.datasets import golf, loans
from bosco.errors import ModelError, ParameterError
from bosco.figures.looks import ordinal
from tests.contract.kinds import mixed


def open_draft(**how: Any) -> bosco.Draft:
    settings = {"who": "Ada", "clock": lambda: datetime(2024, 1, 2, tzinfo=UTC)} | how
    learner = settings.pop("learner", bosco.DecisionTreeClassifier(algorithm="id3"))
    return bosco.draft(learner, *loans(), **settings)


def test_a_test_by_hand_stands_beside_the_learners_own() -> None:
    draft = open_draft()
    change = draft.split(0, "income = low", reason="house rule")
    assert (change.yours, change.best) == ("income = low", "reputation, one branch per value")
    gains = {c.column: c.gain for c in open_draft().why(0)}
    assert change.loss == pytest.approx(gains["reputation"] - gains["income"])
    assert change.rows == 24
    assert change.leaves == (1, 2)
    said = str(change)
    assert "the learner would take reputation, one branch per value" in said
    assert "first look" in said
    model = draft.model
    assert model.edits.chosen[0].reason == "house rule"
    assert model.edits.chosen[0].instead == change.best
    assert "by hand" in str(model)


def test_a_candidate_is_taken_by_its_rank_or_its_words() -> None:
    draft = open_draft(reasons=False)
    candidates = list(draft.why(0))
    for rank, candidate in enumerate(candidates, 1):
        by_rank = draft.split(0, rank).yours
        digest = draft.state.tree.digest()
        by_words = draft.split(0, candidate.test).yours
        assert by_rank == candidate.test
        assert by_words == by_rank
        assert draft.state.tree.digest() == digest
    assert draft.split(0, 1).loss == 0
    with pytest.raises(ParameterError, match="by rank 1 to 3"):
        draft.split(0, 4)


def test_reasons_are_asked_for() -> None:
    draft = open_draft()
    with pytest.raises(ParameterError, match="more than a near-tie"):
        draft.split(0, "income = low")
    with pytest.raises(ParameterError, match="more than a near-tie"):
        draft.split(0, "income = low", reason="  ")
    draft.split(0, 1)  # the learner's own needs none
    with pytest.raises(ParameterError, match="needs a reason"):
        draft.answer(1, "risky")
    assert len(draft.log) == 2
    free = open_draft(reasons=False)
    free.split(0, "income = low")
    free.answer(1, "safe")


def test_an_answer_by_order_is_what_is_predicted_and_judged() -> None:
    draft = open_draft()
    draft.split(0, 1)
    before = draft.figures.training.value
    leaf = next(n for n in (1, 2, 3) if draft.model.node_class[n] == 0)
    change = draft.answer(leaf, "safe", reason="the court says so")
    assert draft.model.edits.orders[leaf].answer == 1
    assert change.after.training.value != before
    X, y = loans()
    rows = draft.rows()
    said = draft.model.predict({name: np.asarray(x)[rows] for name, x in X.items()})
    assert change.after.training.value == pytest.approx(np.mean(said != np.asarray(y)[rows]))
    draft.answer(leaf, None, reason="overruled")
    assert draft.figures.training.value == before
    assert not draft.model.edits.orders


def test_move_keeps_what_is_below() -> None:
    draft = bosco.draft(bosco.DecisionTreeClassifier(), *golf(), test=0, seed=1, reasons=False)
    draft.split(0, "humidity <= 80")
    draft.split(1, "temperature <= 70")
    draft.note(1, "below")
    leaves = draft.model.n_leaves
    draft.move(0, 78)
    assert draft.model.tree.test(0).branches[0].high == 78.0
    assert draft.model.n_leaves == leaves
    assert draft.model.edits.notes == {1: "below"}
    with pytest.raises(ModelError, match="does not part the"):
        draft.move(0, 1000)
    with pytest.raises(ModelError, match="is a leaf"):
        draft.move(2, 3)


def test_merge_makes_two_branches_one() -> None:
    draft = open_draft(reasons=False)
    draft.split(0, "reputation")
    draft.note(3, "the third")
    change = draft.merge(1, 2)
    assert change.leaves == (3, 2)
    assert change.yours in ("reputation ≠ poor", "reputation in {excellent, fair}")
    assert draft.model.edits.notes == {2: "the third"}
    with pytest.raises(ModelError, match="at least three"):
        draft.merge(1, 2)
    with pytest.raises(ModelError, match="not two branches"):
        draft.merge(0, 1)


def test_excluded_columns_take_no_part() -> None:
    draft = open_draft(reasons=False)
    draft.exclude(["reputation"])
    assert [c.column for c in draft.why(0)] == ["term", "income"]
    with pytest.raises(ModelError, match="excluded"):
        draft.split(0, "reputation")
    draft.grow()
    asked = {
        draft.model.tree.test(n).column for n in np.flatnonzero(draft.model.tree.native.test >= 0)
    }
    assert 0 not in asked
    with pytest.raises(ParameterError, match="Did you mean 'income'"):
        draft.exclude("incom")


def test_regrow_with_other_columns_and_settings() -> None:
    draft = open_draft(reasons=False)
    draft.regrow(0, only=["term", "income"], settings={"max_depth": 1})
    assert draft.model.depth == 1
    assert draft.model.tree.test(0).column in (1, 2)
    with pytest.raises(ParameterError, match="cannot be grown with another 'criterion'"):
        draft.regrow(0, settings={"criterion": "gini"})
    with pytest.raises(ModelError, match="nothing would grow"):
        draft.regrow(0, without=["term", "income", "reputation"])


def test_the_test_part_is_locked_and_every_look_is_counted() -> None:
    draft = open_draft(reasons=False)
    assert str(draft.looks) == "validation never looked at, test part never looked at"
    draft.grow()
    first = draft.final()
    assert "first look" in str(first)
    draft.prune(0)
    second = draft.final()
    assert "second look" in str(second)
    assert "no longer an untouched test" in str(second)
    assert (draft.looks.validation, draft.looks.test) == (2, 2)
    finals = [entry for entry in draft.log if entry["verb"] == "final"]
    assert [entry["state"] for entry in finals] == [first.state, second.state]
    assert finals[0]["figures"]["value"] == first.figure.value
    X, y = loans()
    rows = draft.rows("test")
    said = draft.model.predict({name: np.asarray(x)[rows] for name, x in X.items()})
    assert second.figure.value == pytest.approx(np.mean(said != np.asarray(y)[rows]))
    page = str(bosco.report(draft.model))
    assert "The validation rows were looked at 2 times while it was made." in page
    assert "The test part was looked at 2 times: only the first look was a test." in page
    draft.undo()
    assert draft.looks.validation == 2  # nothing new was shown
    draft.note(0, "x")
    assert draft.looks.validation == 2
    assert ordinal(3) == "third look"
    assert ordinal(11) == "look number 11"
    with pytest.raises(ModelError, match="no test part"):
        open_draft(test=0).final()


def test_undo_and_redo() -> None:
    draft = open_draft(reasons=False)
    with pytest.raises(ModelError, match="nothing to undo"):
        draft.undo()
    draft.grow()
    grown = draft.state.digest()
    assert "entry 1, grow, is undone" in str(draft.undo())
    assert draft.model.n_leaves == 1
    draft.redo()
    assert draft.state.digest() == grown
    draft.undo()
    draft.best(0)
    with pytest.raises(ModelError, match="nothing to redo"):
        draft.redo()


def test_compare_with_the_automatic_tree_and_with_earlier_states() -> None:
    draft = open_draft(reasons=False)
    draft.grow()
    beside = draft.compare()
    assert beside.difference.equal
    assert "the automatic tree" in str(beside)
    draft.prune(0)
    assert not draft.compare(1).difference.equal
    assert draft.compare(0).difference.equal
    with pytest.raises(ParameterError, match="entries 0 to"):
        draft.compare(99)
    draft.split(0, "term")
    number = len(draft.log) - 1
    draft.undo()
    draft.best(0)
    assert not draft.compare(number).difference.equal  # undone and left, and still to be had


@pytest.mark.parametrize(
    ("learner", "in_place"),
    [
        (bosco.DecisionTreeClassifier(), True),
        (bosco.DecisionTreeClassifier(costs={"severe": {"mild": 3}}, max_depth=5), True),
        (bosco.DecisionTreeClassifier(missing="surrogate", max_features=3, random_state=1), True),
        (bosco.DecisionTreeClassifier(missing="fractional", max_depth=4), False),
        (bosco.DecisionTreeClassifier(algorithm="c45"), False),
    ],
)
def test_the_automatic_tree_is_that_of_fit_and_copies_no_rows(
    learner: Any, in_place: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To the byte; where the rows are only grown from, they stay where they are."""
    X, y = mixed(1)
    draft = bosco.draft(learner, X, y)
    assert draft.ground.provenance["fingerprint"]  # it is taken once, and kept
    rows, take = draft.ground.parts.training, Table.take
    taken: list[int] = []
    monkeypatch.setattr(Table, "take", lambda self, at: (taken.append(len(at)), take(self, at))[1])
    automatic = draft.automatic
    assert (taken == []) == in_place
    monkeypatch.undo()
    fitted = clone(learner).fit(X.iloc[rows], np.array(y)[rows]).model_
    fitted.save(tmp_path / "a.json")
    automatic.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    ("verb", "error", "said"),
    [
        (lambda d: d.split(9, "term"), ModelError, "no node 9"),
        (lambda d: d.split("0", "term"), ModelError, "by its number"),
        (lambda d: d.split(0, True), ParameterError, "A test is said like"),
        (lambda d: d.prune(0), ModelError, "a leaf already"),
        (lambda d: d.grow(0, 0), ParameterError, "depth"),
        (lambda d: d.unlock(0), ModelError, "not locked"),
        (lambda d: d.answer(0, "sound", reason="x"), ParameterError, "one of the classes"),
        (lambda d: d.note(0, 3), ParameterError, "must be a text"),
        (lambda d: d.note(0, "\ud800"), ParameterError, "no file can"),
        (lambda d: d.why(0, "size"), ParameterError, "no column 'size'"),
        (lambda d: d.rows("some"), ParameterError, "one of"),
    ],
)
def test_a_refusal_changes_nothing(verb: Any, error: Any, said: str) -> None:
    draft = open_draft()
    state, log = draft.state.digest(), draft.log
    with pytest.raises(error, match=said):
        verb(draft)
    assert (draft.state.digest(), draft.log) == (state, log)


def test_who_cannot_draft() -> None:
    with pytest.raises(ParameterError, match="one tree"):
        open_draft(learner=bosco.RandomForestClassifier())
    with pytest.raises(ParameterError, match="need a key"):
        open_draft(learner=bosco.DecisionTreeClassifier(max_features=1))
    with pytest.raises(ParameterError, match="must be a text"):
        open_draft(who=3)


def test_an_entry_says_who_when_what_and_why() -> None:
    draft = open_draft()
    draft.split(0, "income = low", reason="house rule")
    opening, entry = draft.log
    assert opening["verb"] == "open"
    assert opening["estimator"] == {
        "name": "DecisionTreeClassifier",
        "settings": {"algorithm": "id3"},
    }
    assert opening["parts"]["seed"] == 0
    assert (entry["who"], entry["when"]) == ("Ada", "2024-01-02T00:00:00+00:00")
    assert entry["reason"] == "house rule"
    assert entry["act"]["test"] == {"column": "income", "groups": [["low"], ["high"]]}
    assert entry["learner"]["test"] == "reputation, one branch per value"
    assert entry["before"] == opening["hash"]
    json.dumps(draft.log)
    draft.who = "Bob"
    draft.note(0, "x")
    assert draft.log[-1]["who"] == "Bob"


def test_a_drafted_model_is_a_model_like_any_other(tmp_path: Any) -> None:
    draft = open_draft()
    draft.split(0, "income = low", reason="house rule")
    draft.grow()
    model = draft.model
    model.save(tmp_path / "m.json")
    again = bosco.load(tmp_path / "m.json")
    assert again.edits == model.edits
    assert again.tree == model.tree
    assert bosco.replay(tmp_path / "m.json", *loans()).same
    assert len(model.rules().rules) >= model.n_leaves
    assert "by hand" in model.to_text()
    assert model.to_sql("duckdb")
    for node in range(model.tree.node_count):
        assert str(model.why(node))


def test_figures_say_which_rows_they_are_of() -> None:
    """Rows that were learned from, or looked at, are not called a test."""
    draft = open_draft()
    draft.grow()
    training, validation = draft.figures.training, draft.figures.validation
    assert "(24 rows, which it was grown on, so that this is no test)" in str(training)
    assert "(8 rows, which choices looked at, so that this is no test)" in str(validation)
    assert not str(training).startswith("test")
    assert "95 %" not in str(training)
    assert str(draft.final().figure).startswith("test error")
