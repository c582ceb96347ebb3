"""Splits of the rows into parts to train on and to test on, by scikit-learn's splitters.

Where rows have a place in time, the past is learned from and what follows is tested on: the latest
share at once, or window by window (`TimeSeriesSplit`, of moments, so that none is parted).

Repeat r is drawn from a seed of its own, keyed by (seed, r): it does not depend on how many repeats
there are, who runs them, or what ran before.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.utils import check_random_state, resample

from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.data.parting import TEST, TRAINING, latest
from bosco.errors import DataError, ParameterError, require_one_of
from bosco.judge.data import Data

METHODS = ("holdout", "monte_carlo", "k_fold", "bootstrap_632", "rolling")
_REPEATS = {"holdout": 1, "monte_carlo": 100, "k_fold": 1, "bootstrap_632": 100, "rolling": 1}
_FOLDS, _WINDOWS = 10, 5
_IN_TIME = ("holdout", "rolling")


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The rows to train on (of a bootstrap, with repetitions) and to test on."""

    repeat: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What splits to make; iterate to make them, the same ones each time."""

    data: Data
    method: str
    repeats: int
    test_size: float
    folds: int
    stratify: bool
    seed: int

    def __len__(self) -> int:
        return self.repeats * (self.folds if self.method in ("k_fold", "rolling") else 1)

    def __iter__(self) -> Iterator[Split]:
        for repeat in range(self.repeats):
            try:
                with warnings.catch_warnings():  # the report says which part lacks a class
                    warnings.filterwarnings("ignore", "The least populated class in y")
                    parts = list(self._parts(key(self.seed, repeat)))
            except ValueError as error:  # scikit-learn's, about sizes of parts
                said = str(error).rstrip(".")
                raise DataError(
                    f"The {self.data.n_rows} rows cannot be split as asked: {said}. "
                    f"Hint: another test_size or number of folds, or stratify=False."
                ) from error
            for i, (train, test) in enumerate(parts):
                yield Split(repeat * len(parts) + i, train, test)

    def _parts(self, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        rows, codes, groups = np.arange(self.data.n_rows), self.data.codes, self.data.groups
        layers = codes if self.stratify else None
        if self.data.when is not None:
            return self._in_time(self.data.when)
        if self.method == "bootstrap_632":
            return iter([_bootstrap(rows, layers, groups, seed)])
        if self.method == "k_fold":
            how: dict[str, Any] = {"n_splits": self.folds, "shuffle": True, "random_state": seed}
            if groups is not None:
                by: Any = GroupKFold if layers is None else StratifiedGroupKFold
            else:
                by = KFold if layers is None else StratifiedKFold
        else:
            how = {"n_splits": 1, "test_size": self.test_size, "random_state": seed}
            if groups is not None:
                by = GroupShuffleSplit
            else:
                by = ShuffleSplit if layers is None else StratifiedShuffleSplit
        found: Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]] = by(**how).split(
            rows[:, None], layers, groups
        )
        return found

    def _in_time(
        self, when: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        if self.method == "holdout":
            share = self.test_size if self.test_size < 1 else self.test_size / len(when)
            part = latest(when, 0.0, share)
            yield np.flatnonzero(part == TRAINING), np.flatnonzero(part == TEST)
            return
        moments, place = np.unique(when, return_inverse=True)
        for past, after in TimeSeriesSplit(self.folds).split(moments[:, None]):
            follows = (place >= after[0]) & (place <= after[-1])
            yield np.flatnonzero(place <= past[-1]), np.flatnonzero(follows)

    def say(self) -> str:
        """Put the plan into words: ``100 random 70/30 splits, stratified``."""
        by = self.data.by
        column = tr("time") if by is None or by.name is None else visible(by.name)
        if self.method == "rolling":
            return tr("{n} rolling windows by {column}", n=self.folds, column=column)
        if self.data.when is not None:
            size = f"{100 * self.test_size:.3g} %"
            size = size if self.test_size < 1 else tr("{n} rows", n=f"{self.test_size:g}")
            return tr("the latest {size} by {column}", size=size, column=column)
        if self.method == "k_fold":
            words = tr("{n}-fold cross-validation", n=self.folds)
            words = words if self.repeats == 1 else f"{self.repeats} × {words}"
        elif self.method == "bootstrap_632":
            words = tr("bootstrap .632, {n} samples", n=self.repeats)
        else:
            if self.test_size < 1:
                sizes = f"{100 * (1 - self.test_size):.3g}/{100 * self.test_size:.3g}"
            else:
                sizes = f"{self.data.n_rows - self.test_size:g}/{self.test_size:g}"
                sizes = tr("{sizes} rows", sizes=sizes)
            if self.method == "holdout":
                words = tr("one {sizes} split", sizes=sizes)
            else:
                words = tr("{n} random {sizes} splits", n=self.repeats, sizes=sizes)
        mixed = self.data.groups is not None and self.method != "k_fold"
        words += tr(", stratified") if self.stratify and not mixed else ""
        return words + (tr(", groups kept together") if self.data.groups is not None else "")


def plan(
    data: Data,
    method: str | None,
    *,
    repeats: int | None = None,
    test_size: float | None = None,
    folds: int | None = None,
    stratify: bool = True,
    seed: int = 0,
) -> Plan:
    """Check what is asked for and fill in what is not."""
    if method is None:
        method = "monte_carlo" if data.when is None else "rolling"
    require_one_of(METHODS, "method", method)
    if data.when is not None and method not in _IN_TIME:
        raise ParameterError(
            f"method={method!r} would learn from rows that come later than those it is tested on, "
            f"and time asks for the contrary. Hint: 'rolling', or 'holdout' for the latest rows."
        )
    if data.when is None and method == "rolling":
        raise ParameterError(
            "method='rolling' goes by time, and none is given. Hint: time='the column of dates'."
        )
    repeats = _REPEATS[method] if repeats is None else repeats
    check_whole("repeats", repeats, 1)
    if method == "holdout" and repeats > 1:
        again = "monte_carlo" if data.when is None else "rolling"
        raise ParameterError(
            f"method='holdout' is one split, but repeats is {repeats}. "
            f"Hint: method={again!r} repeats it."
        )
    if method == "rolling" and repeats > 1:
        raise ParameterError(
            f"method='rolling' draws nothing, so that repeating it says nothing new, but repeats "
            f"is {repeats}. Hint: folds is the number of windows."
        )
    if test_size is not None and method in ("k_fold", "bootstrap_632", "rolling"):
        tested = "each fold is tested on in turn"
        if method != "k_fold":
            tested = "it tests on the rows that a sample left out"
        if method == "rolling":
            tested = "each window is tested on in turn; folds is their number"
        raise ParameterError(f"test_size has no meaning for method={method!r}: {tested}.")
    if folds is not None and method not in ("k_fold", "rolling"):
        raise ParameterError(
            f"folds has a meaning for method='k_fold' only, or 'rolling', not for {method!r}."
        )
    folds = _check_folds(folds, data, method)
    test_size = _check_test_size(0.3 if test_size is None else test_size, data.n_rows)
    stratify = bool(stratify) and data.classes is not None and data.when is None
    if stratify and data.classes is not None and data.groups is None:
        assert data.codes is not None
        sizes = np.bincount(data.codes)
        least = int(np.argmin(sizes))
        if sizes[least] < 2 and method != "bootstrap_632":  # it could not be in both parts
            raise DataError(
                f"Class {data.classes.tolist()[least]!r} has 1 row, too few to train and to test "
                f"on. Hint: merge or drop such classes, or stratify=False."
            )
    return Plan(data, method, int(repeats), test_size, int(folds), stratify, seed)


def _check_folds(folds: Any, data: Data, method: str) -> int:
    """The number of folds or windows; where it is left open, no more than there can be."""
    usual, most, there = _FOLDS, data.n_rows, ""
    if method == "rolling":
        moments = len(np.unique(data.when)) if data.when is not None else 0
        if moments < 3:
            raise DataError(
                f"Rolling windows need three moments or more, and there are {moments}. "
                f"Hint: method='holdout' learns from the first and is tested on the last."
            )
        usual, most = _WINDOWS, moments - 1
        there = f"{folds} rolling windows need {folds} moments and one before; there are {moments}"
    elif method == "k_fold" and data.groups is not None:
        most = len(np.unique(data.groups))
        there = f"{folds} folds need as many groups; there are {most}"
    if folds is None:
        return max(min(usual, most), 2) if there else usual
    check_whole("folds", folds, 2)
    if there and folds > most:
        raise DataError(f"{there}. Hint: folds={most} at most.")
    return int(folds)


def _check_test_size(size: Any, n_rows: int) -> float:
    if isinstance(size, bool) or not isinstance(size, Real):
        raise ParameterError(f"test_size must be a share or a number of rows. Got {size!r}.")
    if isinstance(size, Integral):
        if not 1 <= int(size) < n_rows:
            raise ParameterError(
                f"test_size, as a number of rows, must lie between 1 and {n_rows - 1}. Got {size}."
            )
        return int(size)
    if not 0 < float(size) < 1:
        raise ParameterError(f"test_size, as a share, must lie between 0 and 1. Got {size}.")
    return float(size)


def _bootstrap(
    rows: NDArray[np.intp], layers: NDArray[Any] | None, groups: NDArray[Any] | None, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows drawn with replacement, and those never drawn; with groups, whole groups."""
    if groups is None:
        train = resample(rows, stratify=layers, random_state=seed)
    else:
        names, member = np.unique(groups, return_inverse=True)
        drawn = resample(np.arange(len(names)), random_state=seed)
        train = np.repeat(rows, np.bincount(drawn, minlength=len(names))[member])
    test = np.setdiff1d(rows, train)
    if not len(test):
        raise ValueError("a bootstrap sample left no row out.")
    return train, test


def key(seed: int, repeat: int) -> int:
    """The seed of one repeat."""
    return int(np.random.SeedSequence((seed, repeat)).generate_state(1)[0])


def read_seed(random_state: Any) -> int:
    """One whole number from what scikit-learn takes as a random state."""
    if _is_whole(random_state) and random_state >= 0:
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    except ValueError:
        raise ParameterError(
            f"random_state must be a whole number (0 or more), a RandomState or None. "
            f"Got {random_state!r}."
        ) from None


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number, or too small a one."""
    if not _is_whole(value) or value < least:
        raise ParameterError(f"{name} must be a whole number, {least} or more. Got {value!r}.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
