"""Small functions of the room: what each gives for one plain case."""

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bosco.cli.choosing import shares_of
from bosco.cli.console import showable
from bosco.cli.fitting import Recall
from bosco.cli.groups import Parts
from bosco.cli.verbs.fit import place_of
from bosco.errors import ParameterError
from bosco.lessons.learners import check_algorithm, learner, one_level_deeper
from bosco.lessons.lesson import target_values, task_of
from bosco.lessons.literals import read_settings, unquoted
from bosco.lessons.told import Task

ASCII = io.TextIOWrapper(io.BytesIO(), "ascii")
FOUND = "found of each class (recall): good 95.0 % of 140 rows, bad 35.0 % of 60"
FOREST = {"algorithm": "forest", "n_estimators": 10, "threshold": "round"}
GROWN = "RandomForestRegressor(n_estimators=10, n_jobs=-1, random_state=0, threshold='round')"
WHOLE = pa.array([0.0, 1.0])
DEEPER = {"max_depth": "estimator__max_depth", "n_estimators": "n_estimators"}
WEIGHTED = {"missing": "learn", "class_weight": {"bad": 5}, "max_bins": 3}


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (shares_of(Parts(split="0.5,0.25,0.25")), (0.5, 0.25, 0.25)),
        (showable("x ≤ 1 → é", ASCII), "x <= 1 -> ?"),
        (str(Recall(("good", "bad"), (0.95, 0.35), (140, 60))), FOUND),
        (Recall(("a", "b"), (0.9, 0.8), (50, 50)).uneven, False),
        (" ".join(repr(learner(Task.regression, FOREST)).split()), GROWN),
        (one_level_deeper({"algorithm": "adaboost"}, ["max_depth", "n_estimators"]), DEEPER),
        (task_of(pa.array([0.0, 1.0, 1.0])), Task.classification),
        (task_of(pa.array([0.5, 1.0])), Task.regression),
        (repr(target_values(WHOLE, Task.classification, "a.csv", "y")), "array([0, 1])"),
        ((unquoted('"a=b"'), unquoted('a="b"')), ("a=b", 'a="b"')),
        (read_settings(['missing=learn,class_weight={"bad": 5}', "max_bins=3"], "--set"), WEIGHTED),
        (place_of("data/loans.csv.gz", "safe", None), Path("data/loans.json")),
        (place_of("-", "safe", Path("models/first.bosco")), Path("models/first.bosco")),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"there is no 'forrest'. Did you mean 'forest'?"):
        check_algorithm("forrest")
