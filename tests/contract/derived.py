"""Models that ask for derived columns, and points at the edge of what they ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from bosco import AdaBoostClassifier, DecisionTreeClassifier, RandomForestClassifier
from bosco.data.frame import Frame
from tests.contract.kinds import (
    ODD_NAMES,
    Case,
    Columns,
    as_frame,
    classifier,
    mixed,
    moments,
    odd,
    pool,
    regressor,
)

POINTS = 600
"""Points of each kind at random, and as many pairs at the edge of a test."""

NUMBERS = {
    "ratio": "x / y",
    "poly": "x ** 3 - 2 * x * y + z",
    "root": "sqrt(abs(x * y)) + floor(z / 3)",
    "least": "min(x, y, z) - max(-x, 0.1 * z)",
    "both": "x < y and not z >= 2 * y or ratio == poly",
    "again": "ratio * 0.3 - least / 7",
    "power": "((x + y) / 4) ** 5",
}
MIXED = {
    "per": "dose / count",
    "wild": "site in ('lung', 'eye') or smoker",
    "bad": "grade >= 'mid' and not wild",
    "early": "seen < '2020-02-03'",
    "sum": "0.1 * dose + 0.7 * count",
}
TIMES = {
    "both": "at > '1970-01-01 12:00Z' and clock >= '18:30' or took < took * 0.5",
    "odd": "abs(hours(took) - 11)",
}
QUOTED = {
    "a */ b\n`": f"`{ODD_NAMES[1]}` * `{ODD_NAMES[1]}` - `{ODD_NAMES[3]}`",
    "x": '`say \\"hi\\"` == "x\'); DROP TABLE data; --" and constructor in (1, 3)'.replace(
        '\\"hi\\"', '"hi"'
    ),
}


def of_numbers(seed: int = 30, n: int = 500) -> tuple[pd.DataFrame, Any]:
    """Numbers and what is derived from them, at odds with each other."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.normal(1, 3, n).round(rng.integers(1, 6)) for name in "xyz"})
    X["y"] = X["y"].where(rng.random(n) > 0.05, 0.0)
    x, y, z = (X[name] for name in "xyz")
    with np.errstate(all="ignore"):
        score = (
            (x / y > 0.6).astype(int)
            + (x**3 - 2 * x * y + z > 1)
            + 2 * (np.sqrt(abs(x * y)) + np.floor(z / 3) > 2)
            + ((x < y) & (z < 2 * y))
            + (((x + y) / 4) ** 5 > 0.4)
            + rng.integers(0, 2, n)
        )
    for name in X:
        X.loc[rng.random(n) < 0.05, name] = None
    return X, [f"k{k}" for k in score % 3]


def of_odd_names() -> tuple[pd.DataFrame, Any]:
    """Odd names, and classes that go by what is derived from them."""
    X, _ = odd()
    far = X[ODD_NAMES[1]] ** 2 > 0.5
    both = (X[ODD_NAMES[0]] == "x'); DROP TABLE data; --") & X["constructor"].isin([1, 3])
    return X, np.where(both, "b'oth", np.where(far, "far", "near"))


def of_times(seed: int = 36, n: int = 400) -> tuple[pd.DataFrame, Any]:
    """Moments, and classes that go by what is derived from them."""
    X, _ = moments(seed, n)
    noon = pd.to_datetime(X["at"]) > pd.Timestamp("1970-01-01 12:00", tz="UTC")
    late = pd.Series([t is not None and (t.hour, t.minute) >= (18, 30) for t in X["clock"]])
    odd_ones = (X["took"] - pd.Timedelta(hours=11)).abs() > pd.Timedelta(hours=4)
    return X, [f"k{a & b}{c}" for a, b, c in zip(noon, late, odd_ones, strict=True)]


def many(learner: Any) -> Any:
    return learner.fit(*of_numbers()).model_


DERIVED: dict[str, Callable[[], Any]] = {
    "numbers": lambda: classifier(of_numbers(), derive=NUMBERS, max_depth=7),
    "numbers, surrogate": lambda: classifier(
        of_numbers(31), derive=NUMBERS, missing="surrogate", max_depth=4
    ),
    "numbers, fractional": lambda: classifier(
        of_numbers(32), derive=NUMBERS, missing="fractional", max_depth=4
    ),
    "numbers, large": lambda: classifier(of_numbers(33, 3000), derive=NUMBERS),
    "mixed": lambda: classifier(mixed(34), derive=MIXED, max_depth=8),
    "regression": lambda: regressor(
        (mixed(35)[0], np.arange(600) % 17 / 3), derive=MIXED, max_leaf_nodes=40
    ),
    "odd names": lambda: classifier(of_odd_names(), derive=QUOTED, max_depth=8),
    "forest": lambda: many(RandomForestClassifier(5, derive=NUMBERS, max_depth=4, random_state=0)),
    "stumps": lambda: many(AdaBoostClassifier(n_estimators=15, derive=NUMBERS)),
    "boosted": lambda: many(
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6, derive=NUMBERS)
    ),
}
OF_TIMES: dict[str, Callable[[], Any]] = {
    "moments": lambda: classifier(of_times(), derive=TIMES, max_depth=6),
}


@cache
def case(name: str, calm: bool = False) -> Case:
    """A model and its points; `calm` ones are not so large or small that a product overflows."""
    model = (DERIVED | OF_TIMES)[name]()
    points = points_of(model, POINTS, calm)
    frame = as_frame(model, points)
    ask = model.points if hasattr(model, "points") else model.predict_proba
    return Case(name, model, points, model.predict(frame).tolist(), ask(frame))


def points_of(model: Any, n: int, calm: bool, seed: int = 0) -> Columns:
    """Random and special values, and pairs of rows between which a derived value crosses a cut."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for j, column in enumerate(model.schema.given):
        values = pool(model, j, rng)
        if column.levels is None and column.unit == "number":
            values += rng.normal(1, 3, 400).tolist()
            values = [v for v in values if not calm or is_calm(v)]
        made = np.empty(n, object)
        made[:] = [values[i] for i in rng.integers(0, len(values), n)]
        columns[column.name] = made
    edges = at_edges(model, columns, n, rng, calm)
    return {
        name: [*values.tolist(), *(x for side in edges for x in side[name])]
        for name, values in columns.items()
    }


def is_calm(x: Any) -> bool:
    return x is None or x != x or x == 0 or 1e-20 < abs(x) < 1e20


def at_edges(model: Any, columns: dict[str, Any], n: int, rng: Any, calm: bool) -> list[Any]:
    """Pairs of rows that differ in one number, by one step, and lie on two sides of a cut."""
    schema = model.schema
    cuts = [
        (ask.column, cut)
        for ask in model.program().asks()
        if schema.columns[ask.column].formula is not None
        for cut in ask.cuts or ()
    ]
    numbers = [c.name for c in schema.given if c.levels is None and c.unit == "number"]
    if not cuts or not numbers:
        return []
    chosen = [cuts[i] for i in rng.integers(0, len(cuts), n)]
    varied = rng.integers(0, len(numbers), n)
    low, high = ({name: c.copy() for name, c in columns.items()} for _ in range(2))
    for row in range(n):
        name = numbers[varied[row]]
        for other in numbers:  # plain numbers on either side
            low[other][row] = high[other][row] = float(rng.normal(1, 3))
        high[name][row] = float(rng.normal(1, 3) * 10.0 ** rng.integers(-2, 3))

    def above(rows: Any) -> Any:
        frame = Frame.read(as_frame(model, {k: v.tolist() for k, v in rows.items()}), schema)
        value = np.array([frame.table.column(j).values[i] for i, (j, _) in enumerate(chosen)])
        missing = np.isnan(value)
        return np.where(missing, -1, value > np.array([cut for _, cut in chosen]))

    sides = above(low), above(high)
    useful = (sides[0] >= 0) & (sides[1] >= 0) & (sides[0] != sides[1])
    for _ in range(64):  # halves the float64s in between
        middle = {name: c.copy() for name, c in low.items()}
        for row in np.flatnonzero(useful):
            name = numbers[varied[row]]
            middle[name][row] = halfway(low[name][row], high[name][row])
        at = above(middle)
        useful &= at >= 0
        for row in np.flatnonzero(useful):
            name = numbers[varied[row]]
            (low if at[row] == sides[0][row] else high)[name][row] = middle[name][row]
    for rows in (low, high) if calm else ():
        useful &= [all(is_calm(rows[name][row]) for name in numbers) for row in range(n)]
    found = np.flatnonzero(useful)
    return [{name: c[found].tolist() for name, c in rows.items()} for rows in (low, high)]


def halfway(a: float, b: float) -> float:
    """The float64 in the middle of those between two."""
    place = [(-1 if x < 0 else 1) * int(np.float64(abs(x)).view(np.int64)) for x in (a, b)]
    middle = sum(place) // 2
    return float(np.copysign(np.int64(abs(middle)).view(np.float64), -1 if middle < 0 else 1))
