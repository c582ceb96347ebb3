"""Policies on models with costs or a bar, beside every case of a small space."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import AdaBoostClassifier, DecisionTreeClassifier, RandomForestClassifier

LEVELS = ["p", "q", "r"]
SPACE = [dict(zip("abc", case, strict=True)) for case in product(LEVELS, LEVELS, LEVELS)]


def rows(seed: int, n: int = 90) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    X = {name: rng.choice(LEVELS, n).tolist() for name in "abc"}
    score = [LEVELS.index(a) + (b == "q") - (c == "r") for a, b, c in zip(*X.values(), strict=True)]
    return X, np.where(np.array(score) + rng.normal(0, 1, n) > 1, "yes", "no")


def models(seed: int) -> dict[str, Any]:
    X, y = rows(seed)
    costs = {"yes": {"no": 1 + seed % 5}, "no": {"yes": 2.5}}
    forest = RandomForestClassifier(7, random_state=seed, max_depth=3)
    boosted = AdaBoostClassifier(n_estimators=9).fit(X, y).model_
    return {
        "tree": DecisionTreeClassifier(max_depth=3, costs=costs).fit(X, y).model_,
        "forest": RandomForestClassifier(7, random_state=seed, max_depth=3, costs=costs)
        .fit(X, y)
        .model_,
        "forest, bar": forest.fit(X, y).model_.at(threshold=0.35, positive="no"),
        "points": boosted.at(threshold=0.4 * (seed % 3 - 1), positive="no"),
        "points, second": boosted.at(threshold=0.3),
    }


@pytest.mark.parametrize("seed", range(3))
def test_never_because_of(seed: int) -> None:
    """Two cases that differ in one column alone, and get different answers."""
    for name, model in models(seed).items():
        said = dict(zip(map(str, SPACE), model.predict(as_rows(SPACE)).tolist(), strict=True))
        for column in "abc":
            (verdict,) = bosco.check(model, f"never yes because of {column}")
            breaks = any(
                said[str(case)] != said[str(case | {column: level})]
                for case in SPACE
                for level in LEVELS
            )
            found = verdict.outcome == "breach"
            missing = any(v is None for case in verdict.cases for v in case.values())
            assert found == breaks or (found and missing), (name, column)


@pytest.mark.parametrize("seed", range(3))
def test_nobody_where(seed: int) -> None:
    for name, model in models(seed).items():
        said = model.predict(as_rows(SPACE)).tolist()
        for column, level, answer in product("abc", LEVELS, ("yes", "no")):
            (verdict,) = bosco.check(model, f"nobody with {column} = {level} is {answer}")
            breaks = any(
                case[column] == level and one == answer
                for case, one in zip(SPACE, said, strict=True)
            )
            found = verdict.outcome == "breach"
            missing = any(v is None for case in verdict.cases for v in case.values())
            assert found == breaks or (found and missing), (name, column, level, answer)


def as_rows(cases: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: [case[name] for case in cases] for name in "abc"}
