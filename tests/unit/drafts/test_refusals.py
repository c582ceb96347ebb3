"""What a draft refuses: in one sentence, and with nothing changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import loans
from bosco.drafts.draft import Draft
from bosco.errors import BoscoError


def numbers(n: int = 200) -> tuple[dict[str, Any], Any]:
    random = np.random.default_rng(0)
    x = random.normal(size=n)
    return {"x": x, "z": random.normal(size=n)}, np.where(x > 0, "a", "b")


def opened() -> Draft:
    draft = bosco.draft(DecisionTreeClassifier(), *loans(), reasons=False)
    draft.grow(depth=1)
    return draft


@pytest.mark.parametrize(
    "verb",
    [
        lambda d: d.regrow(0, settings={"random_state": np.random.RandomState(0)}),
        lambda d: d.regrow(0, settings={"max_features": 2}),
        lambda d: d.regrow(0, settings={"splitter": "random"}),
        lambda d: d.regrow(0, settings=[1]),
        lambda d: d.undo(reason=3),
        lambda d: d.grow(0, 10**30),
        lambda d: d.exclude(123),
        lambda d: d.exclude([]),
        lambda d: d.answer(1, np.array(["safe", "x"]), reason="r"),
        lambda d: d.split(0, 1, cuts=[3]),
    ],
)
def test_nothing_is_changed(verb: Callable[[Draft], Any]) -> None:
    draft = opened()
    before = draft.state.digest(), draft.log
    with pytest.raises(BoscoError):
        verb(draft)
    assert (draft.state.digest(), draft.log) == before
    assert bosco.replay(draft.log, *loans()).same


def test_a_name_that_no_file_can_hold() -> None:
    draft = opened()
    before = draft.state.digest(), draft.log
    for who in (123, "\ud800"):
        draft.who = who  # type: ignore[assignment]
        with pytest.raises(BoscoError, match="who"):
            draft.lock(1)
    assert (draft.state.digest(), draft.log) == before


def test_settings_of_numpy_are_kept_as_plain_values() -> None:
    draft = opened()
    draft.regrow(0, settings={"max_depth": np.int64(2)})
    assert bosco.replay(draft.log, *loans()).same


def test_no_test_is_left_without_rows() -> None:
    X, y = numbers()
    draft = bosco.draft(DecisionTreeClassifier(), X, y, reasons=False)
    draft.split(0, "x <= 0")
    draft.split(1, "x <= -1")
    draft.split(4, "z <= 0")
    before = draft.state.digest()
    with pytest.raises(BoscoError, match="No training row would come"):
        draft.move(0, -1.5)
    assert draft.state.digest() == before


def test_leaves_without_rows_are_reported_and_kept(tmp_path: Path) -> None:
    X, y = numbers()
    draft = bosco.draft(DecisionTreeClassifier(), X, y, reasons=False)
    draft.split(0, "x <= 0")
    draft.split(1, "x <= -1")
    draft.move(0, -1.5)
    assert "No training row came here" in str(draft.why(4))
    assert str(draft.model.report())
    draft.model.save(tmp_path / "m.json")
    assert "[4] x > -1 * → b (no rows" in str(draft.model)


def test_answers_that_would_overflow() -> None:
    X, _ = numbers()
    draft = bosco.draft(DecisionTreeRegressor(max_depth=1), X, X["x"] * 2, reasons=False)
    draft.grow()
    for number in (1e308, 10**400, float("nan")):
        with pytest.raises(BoscoError, match="must be a number"):
            draft.answer(1, number, reason="r")
    draft.answer(1, 1e100, reason="r")
    assert str(draft.model.report())


def test_taking_an_order_back_needs_no_reason() -> None:
    draft = bosco.draft(DecisionTreeClassifier(), *loans())
    draft.grow(depth=1)
    draft.answer(1, "risky", reason="policy")
    draft.answer(1, None)
    assert not draft.model.edits.orders
