"""The parts of a draft: fixed by seed, group or date, the same on any machine."""

from typing import Any

import numpy as np
import pytest

from bosco.data.readers import read_table
from bosco.drafts.parts import Parts, parted
from bosco.errors import DataError, ParameterError

N = 200
TABLE = read_table(
    {
        "x": np.arange(N, dtype=float),
        "who": np.arange(N) % 40,
        "day": np.datetime64("2024-01-01") + np.arange(N) // 2,
    }
)
STRATA = (np.arange(N) % 10 == 0).astype(np.uint32)  # one in ten is rare


def part(keep: Any = None, strata: Any = STRATA, **how: Any) -> Parts:
    how = {"validation": 0.2, "test": 0.3, "seed": 0} | how
    strata = strata if keep is None else strata[keep]
    return parted(TABLE, strata, keep, **how)


def test_every_row_is_in_one_part() -> None:
    parts = part()
    together = np.concatenate((parts.training, parts.validation, parts.test))
    assert np.array_equal(np.sort(together), np.arange(N))
    for rows in (parts.training, parts.validation, parts.test):
        assert (np.diff(rows.astype(int)) > 0).all()
        assert STRATA[rows].mean() == pytest.approx(0.1, abs=1e-9)  # of each class alike
    assert (len(parts.validation), len(parts.test)) == (40, 60)


def test_a_seed_gives_the_same_parts_and_another_gives_others() -> None:
    assert part().digest() == part().digest()
    assert part().digest() != part(seed=1).digest()
    # Written down, so that another version or machine that parts otherwise is noticed.
    assert part().test[:8].tolist() == FIRST


FIRST = [3, 5, 7, 8, 10, 14, 16, 17]


def test_rows_of_one_group_stay_together() -> None:
    parts = part(groups="who")
    groups = [set((rows % 40).tolist()) for rows in (parts.training, parts.validation, parts.test)]
    assert sum(map(len, groups)) == 40
    assert len(set.union(*groups)) == 40
    assert [len(g) for g in groups] == [20, 8, 12]
    assert part(groups=np.arange(N) % 40).digest() == parts.digest()


def test_the_latest_rows_are_the_test() -> None:
    parts = part(date="day")
    assert parts.training.max() < parts.validation.min() < parts.validation.max() < parts.test.min()
    days = [set((rows // 2).tolist()) for rows in (parts.training, parts.validation, parts.test)]
    assert not days[0] & days[1]  # rows of one day are not parted
    assert not days[1] & days[2]
    assert len(parts.test) == pytest.approx(60, abs=2)


def test_rows_without_a_weight_are_in_no_part() -> None:
    keep = np.arange(N) % 4 > 0
    parts = part(keep)
    together = np.concatenate((parts.training, parts.validation, parts.test))
    assert np.array_equal(np.sort(together), np.flatnonzero(keep))


def test_a_class_of_one_row_stays_in_training() -> None:
    strata = np.zeros(N, np.uint32)
    strata[7] = 1
    assert 7 in part(strata=strata, validation=0.4, test=0.5).training


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"validation": 1.0}, ParameterError, "share from 0"),
        ({"validation": 0.6, "test": 0.4}, ParameterError, "leave no rows"),
        ({"validation": True}, ParameterError, "share from 0"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"seed": 1.5}, ParameterError, "seed"),
        ({"groups": "whom"}, ParameterError, "Did you mean 'who'"),
        ({"groups": [1, 2]}, DataError, "2 values"),
        ({"groups": "who", "date": "day"}, ParameterError, "Give one"),
        ({"date": ["a"] * N}, DataError, "dates"),
        ({"date": [float("nan")] * N}, DataError, "no place in time"),
        ({"validation": 0.001}, DataError, "validation part would have no rows"),
    ],
)
def test_what_cannot_be_parted_is_refused(how: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        part(**how)
