"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import pytest

from bosco.figures.constant import say_verdict, verdict_of
from bosco.figures.intervals import check_confidence, mean_interval, mean_sd

NO_BETTER = "No better than always saying yes, for all one can tell: better by 1.5 on the same rows"


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        ((verdict_of(0.1, 0.2), verdict_of(-0.2, -0.1)), ("better", "worse")),
        (verdict_of(-0.1, 0.2), "no better"),
        (
            say_verdict("no better", "always saying yes", 1.5, -3.0, 6.0)[: len(NO_BETTER)],
            NO_BETTER,
        ),
        (check_confidence(0.9), 0.9),
        ([round(float(end), 3) for end in mean_interval(10.0, 2.0, 4)], [6.818, 13.182]),
        (mean_sd([1.0, 3.0, float("nan")]), (2.0, 2**0.5, 2)),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted
