"""Same question or not, on trees whose tests are known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bosco import DecisionTreeClassifier
from bosco.judge.questions import Answer, questions, walk


def answers(reference: tuple[Any, Any], other: tuple[Any, Any], **how: Any) -> dict[int, Answer]:
    tree, again = (DecisionTreeClassifier(**how).fit(X, y) for X, y in (reference, other))
    model = tree.model_
    frame = model.read(reference[0])
    return walk(questions(model, frame, tree.decision_path(reference[0]).tocsc()), again.model_)


def cut_at(t: float, x: Any) -> tuple[Any, Any]:
    x = np.asarray(x, float)
    return pd.DataFrame({"x": x}), x > t


@pytest.mark.parametrize(
    ("shift", "same"), [(0, True), (24, True), (26, False), (-24, True), (-26, False)]
)
def test_half_the_interquartile_range(shift: int, same: bool) -> None:
    x = np.arange(100)  # its quartiles are 24.75 and 74.25, half of their distance is 24.75
    found = answers(cut_at(49.5, x), cut_at(49.5 + shift, x))[0]
    assert found.same_column
    assert found.same == same
    assert found.threshold == 49.5 + shift


def test_no_row_in_between() -> None:
    """Most values are 0, so that the interquartile range is 0; the gap above them still counts."""
    reference = cut_at(1, [0] * 20 + [1000] * 4)  # cut at 500
    assert answers(reference, cut_at(1, [0] * 20 + [600] * 4))[0].same
    assert not answers(reference, cut_at(1500, [0] * 5 + [1000] * 4 + [3000] * 5))[0].same


def test_another_column_or_no_test() -> None:
    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    found = answers((X, X["a"]), (X, X["b"]))[0]
    assert not found.same_column
    assert not found.same
    assert not answers((X, X["a"]), (X.iloc[:2], X["a"][:2]))[0].same_column


def test_children_are_found_behind_the_same_question() -> None:
    X = pd.DataFrame({"a": [0] * 8 + [1] * 8, "b": [0, 1] * 8})
    y = np.where(X["a"] == 0, "left", np.where(X["b"] == 0, "x", "y"))
    found = answers((X, y), (X.iloc[::-1], y[::-1]))
    assert len(found) == 2
    assert all(answer.same for answer in found.values())
    other = np.where(X["a"] == 0, np.where(X["b"] == 0, "x", "y"), "right")
    found = answers((X, y), (X, other))  # asks about b on the other side
    assert [answer.same for answer in found.values()] == [True, False]


@pytest.mark.parametrize("how", ["subset", "group"])
def test_levels(how: str) -> None:
    X = pd.DataFrame({"c": list("abcd") * 10})
    first = X, X["c"].isin(["a", "b"])
    assert answers(first, first, nominal_test=how)[0].same
    turned = X, ~X["c"].isin(["a", "b"])  # the same sets, whichever comes first
    assert answers(first, turned, nominal_test=how)[0].same
    assert not answers(first, (X, X["c"].isin(["a", "c"])), nominal_test=how)[0].same
    assert not answers(first, (X, X["c"].isin(["a"])), nominal_test=how)[0].same
    renamed = pd.DataFrame({"c": list("zabcd") * 10})  # other codes, one more level
    assert answers(first, (renamed, renamed["c"].isin(["a", "b"])), nominal_test=how)[0].same


def test_infinite_values() -> None:
    x = [-np.inf, 1, 2, 3, np.inf]
    assert answers(cut_at(2.5, x), cut_at(2.5, x))[0].same
