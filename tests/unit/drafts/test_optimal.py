"""`draft.optimal`: the best subtree below a node, as a verb like any other."""

from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ModelError, ParameterError
from bosco.datasets import loans
from tests.test_optimal import mixed


def drafted(**settings: Any) -> Any:
    X, y = mixed(200, 7)
    return bosco.draft(DecisionTreeClassifier(**settings), X, y, validation=0.2, test=0.2), X, y


def training(draft: Any, X: Any, y: Any) -> Any:
    rows = draft.ground.parts.training
    return {name: np.asarray(column)[rows] for name, column in X.items()}, y[rows]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_it_is_the_best_tree_of_the_training_rows(depth: int) -> None:
    draft, X, y = drafted()
    own_X, own_y = training(draft, X, y)
    best = DecisionTreeClassifier(algorithm="optimal", max_depth=depth).fit(own_X, own_y).model_
    change = draft.optimal(0, depth, reason="the best there is")
    assert (draft.model.predict(own_X) != own_y).sum() == best.certificate.wrong
    assert change.remarks[0].startswith("proved")
    assert draft.model.n_leaves == best.n_leaves


def test_it_is_logged_undone_and_replayed(tmp_path: Any) -> None:
    draft, X, y = drafted(criterion="entropy")
    draft.best(0)
    before = draft.model.tree.digest()
    draft.optimal(1, reason="two levels")
    after = draft.model.tree.digest()
    assert after != before
    draft.undo()
    assert draft.model.tree.digest() == before
    draft.redo()
    assert draft.model.tree.digest() == after
    draft.save(tmp_path / "d.draft")
    assert bosco.load_draft(tmp_path / "d.draft", X, y).model.tree.digest() == after
    assert bosco.replay(tmp_path / "d.draft", X, y)


def test_tests_that_are_not_the_learners_own_are_by_hand() -> None:
    draft, _, _ = drafted()
    draft.optimal(0, 3)
    chosen = draft.model.edits.chosen
    assert all(one.reason == "part of the best subtree of 3 levels" for one in chosen.values())
    # What a node holds is counted by the draft's own criterion.
    assert draft.model.tree.impurity[0] == pytest.approx(1 - (draft.model.tree.value[0] ** 2).sum())


def test_columns_left_out_are_not_asked() -> None:
    draft, _, _ = drafted()
    draft.exclude(["x", "z"])
    draft.optimal(0, 2)
    names = {draft.model.schema.names[j] for j in draft.model.tree.columns_asked}
    assert not names & {"x", "z"}


def test_rows_that_are_set_apart_do_not_matter() -> None:
    """Levels of many values are ordered by the training rows alone."""
    draw = np.random.default_rng(2)
    X = {"level": draw.choice(list("abcdefghijkl"), 150), "x": draw.normal(size=150)}
    y = (np.isin(X["level"], list("aceg")) ^ (draw.random(150) < 0.2)).astype(int)
    draft = bosco.draft(DecisionTreeClassifier(), X, y, validation=0.2, test=0.2)
    own_X, own_y = training(draft, X, y)
    draft.optimal(0, 2)
    best = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(own_X, own_y).model_
    assert (draft.model.predict(own_X) != own_y).sum() == best.certificate.wrong


def test_what_cannot_be_is_refused() -> None:
    draft, X, y = drafted()
    for depth in (0, 5, 1.5, True, "2"):
        with pytest.raises(ParameterError, match="depth must be"):
            draft.optimal(0, depth)
    draft.lock(0)
    with pytest.raises(ModelError, match="locked"):
        draft.optimal(0)
    numbers = bosco.draft(DecisionTreeRegressor(), X, y.astype(float))
    with pytest.raises(ModelError, match="numbers have no wrong rows"):
        numbers.optimal(0)
    for settings in ({"algorithm": "id3"}, {"algorithm": "c45"}):
        with pytest.raises(ModelError, match="not searched for here"):
            drafted(**settings)[0].optimal(0)
    pure = bosco.draft(DecisionTreeClassifier(), *loans())
    pure.split(0, "reputation")
    with pytest.raises(ModelError, match="no subtree of 2 levels"):
        pure.optimal(1)
