"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from bosco.errors import ParameterError
from bosco.judge.constant import AlwaysTheMean, AlwaysTheSame, unit_of_gain
from bosco.judge.data import count_rows, read_data, take_rows, task_of
from bosco.judge.metrics import Metrics
from bosco.judge.report import bounds, number, say_setting, seconds
from bosco.judge.runs import do_all
from bosco.judge.splits import key, plan, read_seed
from bosco.pruning import CostComplexity

TEN = read_data(np.zeros((10, 1)), ["a", "b"] * 5, "classification")


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (AlwaysTheSame().fit([[0], [1], [2]], ["a", "b", "b"]).predict([[0]]).tolist(), ["b"]),
        (AlwaysTheMean().fit([[0], [1]], [1.0, 2.0]).predict([[0]]).tolist(), [1.5]),
        ((unit_of_gain("r2"), unit_of_gain("accuracy")), (" in mean squared error", "")),
        (task_of(Ridge()), "regression"),
        (read_data({"a": [1, 2]}, [0.5, 1.5], "regression").n_rows, 2),
        ((count_rows({"a": [1, 2, 3]}), count_rows(np.zeros((2, 5)))), (3, 2)),
        (
            take_rows({"a": ["x", "y"], "b": [1, 2]}, np.array([1, 1])),
            {"a": ["y", "y"], "b": [2, 2]},
        ),
        (Metrics(["accuracy", "log loss"], "classification").names, ("accuracy", "neg_log_loss")),
        ([number(x) for x in (0.91234, -1234.56, float("nan"))], ["0.9123", "-1,235", "–"]),
        (bounds((0.25, 0.5)), "0.2500 to 0.5000"),
        (say_setting(CostComplexity(alpha=0.01)), "cost complexity (alpha 0.01)"),
        ((say_setting("gini"), say_setting(None)), ("gini", "None")),
        ((seconds(0.1234), seconds(75)), ("0.12 s", "1 min 15 s")),
        (do_all(pow, [(2, 3), (3, 2)], 2, n_jobs=1, what="powers"), ([8, 9], False)),
        ([len(split.test) for split in plan(TEN, "k_fold", folds=5)], [2, 2, 2, 2, 2]),
        ((key(0, 1) == key(0, 1), key(0, 1) == key(0, 2)), (True, False)),
        (read_seed(7), 7),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"Unknown metric 'acuracy'. Did you mean 'accuracy'?"):
        Metrics("acuracy", "classification")
    with pytest.raises(ParameterError, match=r"repeats must be a whole number, 1 or more. Got 0."):
        plan(TEN, "monte_carlo", repeats=0)
