"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import pytest

from bosco import DecisionTreeClassifier
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.rules.match import first_rule
from bosco.rules.rule import Rule
from bosco.rules.written import written
from bosco.tree.conditions import Interval

AGES = {"age": [20.0, 40.0]}
YOUNG = [Rule("young", (Interval(0, None, 30.0, False),))]
FOUND = written(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_)


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (first_rule(YOUNG, Frame.read(AGES, Schema.infer(AGES))).tolist(), [0, -1]),
        ((len(FOUND.before or ()), FOUND.note), (2, "")),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted
