"""Which rows a draft learns from, looks at while it is made, and locks away: fixed at the start.

Rows are drawn by a key, class by class, so that the same seed gives the same parts on any machine;
or whole groups are; or the latest rows are the test and those before them the validation.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.parting import TEST, TRAINING, VALIDATION, latest, read_parting
from bosco.data.readers import Table
from bosco.errors import DataError, ParameterError

Rows = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The rows of each part, ascending, and how they were parted, in plain values."""

    training: Rows
    validation: Rows
    test: Rows
    about: Mapping[str, Any]

    def digest(self) -> str:
        """SHA-256 of which row is in which part."""
        sha = hashlib.sha256()
        for rows in (self.training, self.validation, self.test):
            sha.update(len(rows).to_bytes(8, "little"))
            sha.update(np.ascontiguousarray(rows, "<u4").data)
        return sha.hexdigest()


def parted(
    table: Table,
    strata: NDArray[np.uint32] | None,
    keep: NDArray[np.bool_] | None,
    *,
    validation: float,
    test: float,
    seed: int,
    groups: Any = None,
    date: Any = None,
    learn_parting: bool = False,
) -> Parts:
    """Part the rows of a table; `strata` are classes, drawn from alike; `keep`: rows that count.

    A column that is named as `groups` or `date` is not learned from, unless `learn_parting`.
    """
    shares = {"validation": validation, "test": test}
    for name, share in shares.items():
        if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share < 1:
            raise ParameterError(f"{name} must be a share from 0 to less than 1. Got {share!r}.")
    if validation + test >= 1:
        raise ParameterError(
            f"validation={validation!r} and test={test!r} leave no rows to learn from. "
            f"Hint: together they must be less than 1."
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(f"seed must be a whole number from 0. Got {seed!r}.")
    if groups is not None and date is not None:
        raise ParameterError("groups and date are two ways to part the rows. Give one.")
    rows = np.flatnonzero(keep) if keep is not None else np.arange(table.n_rows)
    about: dict[str, Any] = {"validation": float(validation), "test": float(test)}
    what, given = ("groups", groups) if date is None else ("date", date)
    if given is not None:
        _, by = read_parting(table, given, what, table.n_rows)
        by, about[what] = by.take(rows), given if isinstance(given, str) else None
        if isinstance(given, str) and not learn_parting:
            about["left_out"] = given
    if date is not None:
        part: NDArray[Any] = latest(by.moments("date"), validation, test)
    elif groups is not None:
        part = _by_group(by.groups("groups"), validation, test, int(seed))
        about["seed"] = int(seed)
    else:
        alike = np.zeros(len(rows), np.uint32) if strata is None else strata
        part = _by_seed(alike, validation, test, int(seed))
        about["seed"] = int(seed)
    training, judged, locked = (
        rows[part == p].astype(np.uint32) for p in (TRAINING, VALIDATION, TEST)
    )
    for name, found in (("training", training), ("validation", judged), ("test", locked)):
        if not len(found) and (name == "training" or shares[name] > 0):
            raise DataError(
                f"The {name} part would have no rows: there are {len(rows)}. Hint: give other "
                f"shares, such as validation=0 or test=0 for none."
            )
        about[f"{name}_rows"] = len(found)
    return Parts(training, judged, locked, about)


def _by_seed(strata: NDArray[np.uint32], validation: float, test: float, seed: int) -> Any:
    """Rows drawn of each class, in proportion."""
    part = np.full(len(strata), TRAINING, np.uint8)
    order = np.argsort(strata, kind="stable")
    ends = np.cumsum(np.bincount(strata))
    for stratum, places in enumerate(np.split(order, ends[:-1])):
        for which, share in ((TEST, test), (VALIDATION, validation)):
            free = places[part[places] == TRAINING]
            take = min(int(np.floor(share * len(places) + 0.5)), max(len(free) - 1, 0))
            drawn = _drawn(len(free), take, seed, 2 * stratum + (which == TEST))
            part[free[drawn]] = which
    return part


def _by_group(groups: NDArray[np.intp], validation: float, test: float, seed: int) -> Any:
    """Whole groups drawn, a share of the groups for each part."""
    n = int(groups.max(initial=-1)) + 1
    of_group = _by_seed(np.zeros(n, np.uint32), validation, test, seed)
    return of_group[groups]


def _drawn(n: int, take: int, seed: int, key: int) -> NDArray[np.bool_]:
    if not take:
        return np.zeros(n, bool)
    times: NDArray[np.bool_] = _core.sample_times(seed, key, n, take, False, 0, n) > 0
    return times
