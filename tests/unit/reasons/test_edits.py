"""Tests by hand and answers by order, as they are told: why, the trace, one case."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, play_tennis
from bosco.growth import Growth
from bosco.models.model import Model
from bosco.pruning import CostComplexity
from bosco.tree.edits import ByHand, Edits, Order
from tests.edited import log_of, ordered


def test_a_test_by_hand_stands_beside_the_learners_own() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(max_depth=1).fit(X, y).model_
    chosen = replace(model, edits=Edits({0: ByHand("", 0.0, "a reason")}))
    why = chosen.why(0)
    assert why.chosen.by_hand
    assert "chosen, by hand" in str(why)
    assert "A person chose this test, where the learner would have stopped: a reason." in str(why)
    assert chosen.why(0).to_dict()["by_hand"] == [True] + [False] * (len(why) - 1)


def moved_root() -> tuple[Model, Any, list[int]]:
    """A tree whose first cut is not the best of its column.

    The best cut of x is at 4.5. A person cuts at 2.5; the tree is recounted on its rows.
    """
    from bosco import _core
    from bosco.tree.tree import Tree

    X, y = {"x": [float(i) for i in range(10)]}, [int(i > 4) for i in range(10)]
    model = DecisionTreeClassifier(max_depth=1).fit(X, y).model_
    state = model.tree.native.state()
    state["tests"]["thresholds"] = np.array([2.5])
    moved = _core.tree_from_state(state)
    frame = model.read(X)
    target = model.subject().trained_on(X, y).training
    assert target is not None
    everywhere = np.ones(3, bool)
    growth: Growth = model.growth
    native = _core.recount(
        moved, frame.native, target.target.native, growth.to_dict(), everywhere, 1
    )
    edits = Edits({0: ByHand("x ≤ 4.5", 0.2857, "a rule of the house")})
    return replace(model, tree=Tree(native, 1), edits=edits), X, y


def test_a_cut_by_hand_need_not_be_the_best_of_its_column() -> None:
    model, _, _ = moved_root()
    why = model.why(0)
    assert [c.test for c in why] == ["x ≤ 2.5", "x ≤ 4.5"]
    first = why.chosen
    assert (first.by_hand, first.chosen, first.own) == (True, True, False)
    # 10 rows, 5 of each class: 0.5 before; 3 rows of one class, 7 with 2 and 5, after.
    assert first.gain == pytest.approx(0.5 - 0.7 * (1 - (2 / 7) ** 2 - (5 / 7) ** 2))
    info = -0.3 * np.log2(0.3) - 0.7 * np.log2(0.7)
    assert first.split_info == pytest.approx(info)
    own = why.candidates[1]
    assert (own.own, own.margin, own.score) == (True, 0.0, 0.5)
    assert first.margin == pytest.approx(own.score - first.score)
    assert "the learner's own" in str(why)


def test_a_trace_tells_a_test_by_hand() -> None:
    model, X, y = moved_root()
    first = model.trace(X, y)[0]
    assert first.verdict == (
        "x ≤ 2.5 was chosen by hand, instead of x ≤ 4.5, which gains 0.2857 more: "
        "a rule of the house."
    )
    assert [tried.best.test for tried in first.columns] == ["x ≤ 2.5", "x ≤ 4.5"]
    assert [tried.best.by_hand for tried in first.columns] == [True, False]
    assert [tried.best.own for tried in first.columns] == [False, True]
    assert first.columns[0].best.gain == pytest.approx(model.tree.native.gain[0])
    assert first.columns[0].best.margin == pytest.approx(0.5 - model.tree.native.gain[0])
    assert "(3/10)·0 − (7/10)·0.4082" in str(first)


def test_a_trace_of_another_table_is_refused_all_the_same() -> None:
    model, X, y = moved_root()
    with pytest.raises(Exception, match="these rows weigh"):
        model.trace(X, y[::-1])


def test_a_trace_says_what_was_ordered() -> None:
    X, y = play_tennis()
    model = ordered(DecisionTreeClassifier(algorithm="id3").fit(X, y).model_)
    assert model.trace(X, y)[1].verdict == (
        "It stays a leaf and says No by order (its rows say Yes, 100 %: why 1). "
        "All its rows are of one class."
    )


def test_a_leaf_that_was_left_by_hand_says_so() -> None:
    X, y = golf()
    model = DecisionTreeClassifier().fit(X, y).model_.collapse(0)
    plain = replace(model, log=type(model.log)())
    drafted = replace(plain, edits=Edits(log=log_of("open")))
    assert plain.why(0).ended == "unknown"
    assert drafted.why(0).ended == "by_hand"
    assert "It is left a leaf: the learner would take" in drafted.why(0).reason
    assert model.why(0).ended == "pruned"
    grown = DecisionTreeClassifier().fit(X, y).model_.prune(CostComplexity(alpha=1.0))
    assert grown.why(0).ended == "pruned"


def test_a_case_is_told_that_the_answer_is_by_order() -> None:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    edits = Edits({0: ByHand("", 0.0)}, {1: Order(0, "the club is closed")})
    changed = replace(model, edits=edits)
    day = {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    told = changed.explain(day)
    assert str(told) == (
        "Outlook is 'Overcast': Outlook = Overcast [1] (by hand)\n"
        "so No, by order; its rows say Yes, 100 %: the club is closed\n"
        "95 % interval of that share: 51.0 % to 100 %\n"
        "it would be Yes if Outlook were 'Rain' (it is 'Overcast')"
    )
    assert told.prediction == "No"
    assert told.shares == {"No": 0.0, "Yes": 1.0}
    assert (told.to_dict()["by_order"], told.to_dict()["rows_say"]) == (True, "Yes")
    assert "**No**" in told.to_markdown()


def test_a_number_by_order_is_told_beside_the_mean() -> None:
    model = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [5.0]], [1.0, 2.0, 9.0]).model_
    changed = replace(model, edits=Edits(orders={1: Order(7.0, "a fee")}))
    said = str(changed.explain([0.0])).splitlines()
    assert said[1] == "so 7, by order; the mean of its 2 training rows is 1.5: a fee"


def test_leaves_say_what_was_ordered() -> None:
    model = ordered(DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_)
    found = {leaf.node: leaf for leaf in model.leaves()}
    assert (found[1].prediction, found[1].share, found[1].by_order) == ("No", 0.0, True)
    assert found[1].remark == "by order, weak support"
    assert not found[4].by_order
