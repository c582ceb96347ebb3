"""The kinds of many trees that exports are held to, and the points that they are fed with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import cycle, islice
from typing import Any

import numpy as np
from sklearn import datasets

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from tests.contract.kinds import (
    UNEVEN,
    Case,
    Columns,
    as_frame,
    endless,
    mixed,
    moments,
    numbers,
    odd,
    pool,
    real,
    specials,
)

POINTS = 3_000
"""Of each kind: with fourteen kinds, some forty thousand for every export."""
SMALL: dict[str, Any] = {"random_state": 0, "max_depth": 5}


def fitted(learner: Any, data: tuple[Any, Any]) -> Any:
    return learner.fit(*data).model_


MANY: dict[str, Callable[[], Any]] = {
    "forest, mean": lambda: fitted(RandomForestClassifier(7, **SMALL), mixed(20)),
    "forest, mode": lambda: fitted(
        RandomForestClassifier(7, vote="mode", tree_weights=[1, 2, 3, 4, 5, 6, 7],
                               **SMALL | {"max_depth": 2}), mixed(21)),
    "forest, wide": lambda: fitted(
        RandomForestClassifier(5, nominal_test="multiway", numeric_test="intervals",
                               missing="branch", **SMALL), mixed(22)),
    "forest, real": lambda: fitted(RandomForestRegressor(6, **SMALL), real(mixed(23))),
    "forest, medians": lambda: fitted(
        RandomForestRegressor(5, criterion="absolute_error", **SMALL), real(mixed(23))),
    "extra trees": lambda: fitted(ExtraTreesClassifier(7, **SMALL), mixed(24)),
    "extra trees, real": lambda: fitted(
        ExtraTreesRegressor(6, **SMALL), numbers(datasets.load_diabetes)),
    "forest, odd names": lambda: fitted(RandomForestClassifier(4, **SMALL), odd()),
    "forest, infinities": lambda: fitted(RandomForestClassifier(6, **SMALL), endless()),
    "forest, one tree": lambda: fitted(RandomForestClassifier(1, **SMALL), moments()),
    "stumps, two classes": lambda: fitted(AdaBoostClassifier(n_estimators=20), endless()),
    "stumps, three classes": lambda: fitted(AdaBoostClassifier(n_estimators=20), mixed(25)),
    "one stump": lambda: fitted(AdaBoostClassifier(n_estimators=1), mixed(26)),
    "boosted trees": lambda: fitted(
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=6), mixed(27)),
    "forest, costs": lambda: fitted(RandomForestClassifier(7, costs=UNEVEN, **SMALL), mixed(20)),
    "forest, costs of classes": lambda: fitted(
        RandomForestClassifier(6, costs={"a": 1 / 3}, **SMALL), endless()),
    "forest, cut-off": lambda: fitted(RandomForestClassifier(6, **SMALL), endless()).at(
        threshold=0.4, positive="a"),
    "stumps, cut-off": lambda: fitted(AdaBoostClassifier(n_estimators=20), endless()).at(
        threshold=0.9, positive="a"),
    "stumps, other cut-off": lambda: fitted(AdaBoostClassifier(n_estimators=20), endless()).at(
        threshold=-0.7),
}  # fmt: skip


@cache
def case_of_many(name: str, n: int = POINTS) -> Case:
    model = MANY[name]()
    points = points_of_many(model, n)
    frame = as_frame(model, points)
    ask = model.points if hasattr(model, "points") else model.predict_proba
    return Case(name, model, points, model.predict(frame).tolist(), ask(frame))


def points_of_many(model: Any, n: int) -> Columns:
    """Random and special values in every column, and rows led to the edges of nodes they pass."""
    rng = np.random.default_rng(0)
    columns = []
    for j in range(len(model.schema.columns)):
        column = np.empty(n, object)
        column[rng.permutation(n)] = list(islice(cycle(pool(model, j, rng)), n))
        columns.append(column)
    if hasattr(model, "apply"):
        names = model.schema.names
        frame = as_frame(model, dict(zip(names, map(list, columns), strict=True)))
        leaves, trees = model.apply(frame), list(model.trees())
        offset = np.concatenate(([0], np.cumsum([tree.node_count for tree in trees])))
        edges: dict[int, list[Any]] = {}
        for row in range(0, n, 2):
            t = row // 2 % len(trees)
            path = trees[t].path(int(leaves[row, t]))
            if len(path) > 1:
                node = path[rng.integers(len(path) - 1)]
                test = trees[t].test(node)
                assert test is not None
                key = int(offset[t] + node)
                if key not in edges:
                    edges[key] = specials(model, test.column, key)
                columns[test.column][row] = edges[key][rng.integers(len(edges[key]))]
    return {name: c.tolist() for name, c in zip(model.schema.names, columns, strict=True)}
