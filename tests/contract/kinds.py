"""The kinds of tree that exports are held to, and the points that they are fed with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from itertools import cycle, islice
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, play_tennis
from bosco.models.model import Model
from tests.edited import ordered

POINTS = 7_200
"""Points per kind of tree: more than 100,000 for every export, those that refuse some included."""

Columns = dict[str, list[Any]]

ODD_NAMES = ['say "hi"', "a'b; DROP TABLE data; --", "line\nbreak */ ??/ \\", "ünï ☃ 木"]
ODD_LEVELS = [
    "x'); DROP TABLE data; --", 'q"uote', "back\\slash", "new\nline\r\ttab", "ünï ☃ 木 \u2028",
    "</script>", "*/ ??/", "", " ", "%s {0} ${x} `cmd`", "NULL", "NaN", "__proto__",
]  # fmt: skip


def mixed(seed: int = 0, n: int = 600, holes: float = 0.12) -> tuple[pd.DataFrame, Any]:
    """Numbers, whole numbers, text, truth values, ordered categories and moments, with holes."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("2020-01-01") + rng.integers(-400, 400, n)
    when = np.datetime64("2021-06-01", "us") + rng.integers(-(10**13), 10**13, n)
    frame = pd.DataFrame(
        {
            "dose": rng.normal(0.1, 3, n),
            "count": rng.integers(-5, 30, n).astype(float),
            "site": rng.choice(["lung", "skin", "bone", "gut", "eye", "o'other"], n),
            "smoker": pd.array(rng.random(n) < 0.4, dtype="boolean"),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high", "worst"], n),
                ["low", "mid", "high", "worst"],
                ordered=True,
            ),
            "seen": days.astype("datetime64[s]"),
            "taken": when.astype("datetime64[us]"),
        }
    )
    score = (
        (frame["dose"] > 1) * 1.5
        + frame["site"].isin(["lung", "eye"]) * 2
        + (frame["count"] > 10) * frame["smoker"].astype(float)
        + (frame["grade"].cat.codes > 1) * 1.2
        + (days > np.datetime64("2020-02-03")) * 1.1
        + (when.astype("datetime64[us]") > np.datetime64("2021-06-02")) * 0.7
        + rng.normal(0, 0.8, n)
    )
    for name in frame:
        frame.loc[rng.random(n) < holes, name] = None
    frame["seen"] = frame["seen"].dt.date
    return frame, pd.cut(score, [-99, 1.4, 2.9, 99], labels=["mild", "it's bad", "severe"]).astype(
        str
    )


def moments(seed: int = 12, n: int = 400) -> tuple[pd.DataFrame, Any]:
    """Times with a zone, lengths of time, times of day."""
    rng = np.random.default_rng(seed)
    ticks = rng.integers(0, 86_400_000_000, (3, n))
    frame = pd.DataFrame(
        {
            "at": pd.Series(ticks[0].astype("M8[us]")).dt.tz_localize("UTC"),
            "took": ticks[1].astype("m8[us]"),
            "clock": [clock(t) for t in ticks[2]],
        }
    )
    y = (ticks > 40_000_000_000).sum(axis=0) + (rng.random(n) < 0.1)
    for name in frame:
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame, [f"k{k}" for k in y]


def clock(ticks: int) -> time:
    return (datetime.min + timedelta(microseconds=int(ticks))).time()


def odd(seed: int = 3, n: int = 500) -> tuple[pd.DataFrame, Any]:
    """Names, levels and classes that mean something to some language."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            ODD_NAMES[0]: rng.choice(ODD_LEVELS, n),
            ODD_NAMES[1]: rng.normal(size=n),
            ODD_NAMES[2]: rng.choice(ODD_LEVELS[:5], n),
            ODD_NAMES[3]: rng.normal(size=n) * 1e-300,
            "constructor": pd.Categorical(rng.choice([1, 2, 3], n)),
        }
    )
    code = [ODD_LEVELS.index(level) % 3 for level in frame[ODD_NAMES[0]]]
    y = (np.array(code) + (frame[ODD_NAMES[1]] > 0) + (frame["constructor"] == 2)) % 3
    frame.loc[rng.random(n) < 0.1, ODD_NAMES[0]] = None
    return frame, [["y'es", 'n"o */', "mäy\\be"][int(k)] for k in y]


def numeric_levels(seed: int = 13, n: int = 500) -> tuple[pd.DataFrame, Any]:
    """Numbers as levels: beyond 32 bits, fractions, and small ones; in sets of several."""
    rng = np.random.default_rng(seed)
    large = [2**31, 2**40, -(2**35), 2**41, 7, 2**52 + 1]
    broken = [0.5, -7.25, 1e300, 3.0, 1e-300]
    at, other = rng.integers(0, len(large), n), rng.integers(0, len(broken), n)
    frame = pd.DataFrame(
        {
            "code": pd.Categorical.from_codes(np.where(rng.random(n) < 0.1, -1, at), large),
            "share": pd.Categorical.from_codes(other, broken),
            "X": rng.normal(size=n),
        }
    )
    y = (at % 3 == 1) ^ (other % 2 == 0) ^ (frame["X"] > 0.5)
    return frame, ["ab"[int(k)] for k in y]


def endless() -> tuple[pd.DataFrame, Any]:
    """Infinities among the values, and values against missing ones."""
    x = [-np.inf, -1e308, -1.0, 0.0, 5e-324, 1.0, 1e308, np.inf, np.nan, np.nan] * 8
    z = [0.1 * i for i in range(80)]
    y = [(i % 10) in (0, 3, 7, 8) or i > 50 for i in range(80)]
    return pd.DataFrame({"x": x, "z": z}), ["ab"[int(k)] for k in y]


UNEVEN = [[0, 1, 2.5], [7.3, 0, 1], [0.3, 4, 0]]
"""Costs of three classes that are of no class alone."""


def classifier(data: tuple[Any, Any], **settings: Any) -> Model:
    model: Model = DecisionTreeClassifier(**settings).fit(*data).model_
    return model


def regressor(data: tuple[Any, Any], **settings: Any) -> Model:
    model: Model = DecisionTreeRegressor(**settings).fit(*data).model_
    return model


def two(data: tuple[Any, Any]) -> tuple[Any, Any]:
    """Two classes: one against the rest."""
    return data[0], ["severe" if label == "severe" else "rest" for label in data[1]]


def real(data: tuple[Any, Any], seed: int = 9) -> tuple[Any, Any]:
    """A real target instead of classes."""
    noise = np.random.default_rng(seed).normal(0, 1, len(data[1]))
    return data[0], np.array([len(str(label)) for label in data[1]]) - 5 + noise


def weighed(data: tuple[Any, Any], **settings: Any) -> Model:
    """Rows of any weight."""
    weight = np.random.default_rng(30).uniform(0.1, 3, len(data[1]))
    model: Model = DecisionTreeClassifier(**settings).fit(*data, weight).model_
    return model


def sure(model: Model, method: str = "isotonic") -> Model:
    """Shares calibrated by other rows."""
    return model.calibrated(*two(mixed(31)), method=method)


def barred(model: Model) -> Model:
    """A bar set by other rows."""
    return model.at(*two(mixed(32)), recall=0.7, positive="severe")


def numbers(load: Callable[..., Any]) -> tuple[Any, Any]:
    """A data set of scikit-learn, as a frame."""
    data = load(as_frame=True)
    return data.data, data.target


KINDS: dict[str, Callable[[], Model]] = {
    "id3, play-tennis": lambda: classifier(play_tennis(), algorithm="id3"),
    "id3, mixed": lambda: classifier(mixed(1), algorithm="id3", max_depth=5),
    "c4.5, golf": lambda: classifier(golf(), algorithm="c45"),
    "c4.5, fractional": lambda: classifier(mixed(2), algorithm="c45", min_samples_leaf=12),
    "cart, iris": lambda: classifier(numbers(datasets.load_iris)),
    "cart, mixed": lambda: classifier(mixed(4), max_depth=7),
    "majority": lambda: classifier(mixed(5), missing="majority", max_depth=6),
    "surrogate": lambda: classifier(mixed(6), missing="surrogate", max_depth=5),
    "regression": lambda: regressor(numbers(datasets.load_diabetes), max_leaf_nodes=60),
    "regression, fractional": lambda: regressor(
        real(mixed(7)), missing="fractional", max_leaf_nodes=20
    ),
    "intervals, branch": lambda: classifier(
        mixed(8), numeric_test="intervals", missing="branch", max_depth=5
    ),
    "groups": lambda: classifier(mixed(10), nominal_test="group", max_depth=6, missing="branch"),
    "moments": lambda: classifier(moments(), max_depth=6),
    "odd names": lambda: classifier(odd(), nominal_test="subset"),
    "odd names, multiway": lambda: classifier(odd(), algorithm="c45", missing="learn"),
    "numbers as levels": lambda: classifier(numeric_levels(), max_depth=6),
    "infinities": lambda: classifier(endless()),
    "infinities, shared": lambda: classifier(endless(), missing="fractional", max_depth=4),
    "large": lambda: classifier(mixed(11, n=6000, holes=0.05)),
    "orders, play-tennis": lambda: ordered(classifier(play_tennis(), algorithm="id3")),
    "orders, iris": lambda: ordered(classifier(numbers(datasets.load_iris))),
    "orders, mixed": lambda: ordered(classifier(mixed(4), max_depth=7)),
    "orders, fractional": lambda: ordered(
        classifier(mixed(2), algorithm="c45", min_samples_leaf=12), every=3
    ),
    "orders, two classes, shared": lambda: ordered(
        classifier(endless(), missing="fractional", max_depth=4)
    ),
    "orders, surrogate": lambda: ordered(classifier(mixed(6), missing="surrogate", max_depth=5)),
    "orders, regression": lambda: ordered(regressor(real(mixed(7)), max_leaf_nodes=30)),
    "orders, regression, fractional": lambda: ordered(
        regressor(real(mixed(7)), missing="fractional", max_leaf_nodes=20)
    ),
    "orders, large": lambda: ordered(classifier(mixed(11, n=6000, holes=0.05))),
    "costs, iris": lambda: classifier(numbers(datasets.load_iris), max_depth=3, costs=UNEVEN),
    "costs, mixed": lambda: classifier(mixed(4), max_depth=6, costs=UNEVEN),
    "costs, two classes": lambda: classifier(two(mixed(4)), max_depth=6, costs={"rest": 3.7}),
    "costs, fractional": lambda: classifier(
        mixed(2), algorithm="c45", min_samples_leaf=12, costs=UNEVEN
    ),
    "costs and orders, fractional": lambda: ordered(
        classifier(mixed(2), missing="fractional", min_samples_leaf=12, costs=UNEVEN), every=3
    ),
    "cut-off": lambda: classifier(two(mixed(4)), max_depth=6).at(threshold=0.2),
    "cut-off, shared": lambda: classifier(endless(), missing="fractional", max_depth=4).at(
        threshold=0.3, positive="a"
    ),
    "calibrated, mixed": lambda: classifier(mixed(4), max_depth=6).calibrated(method="laplace"),
    "calibrated by rows": lambda: sure(classifier(two(mixed(4)), max_depth=6)),
    "calibrated, costs": lambda: classifier(mixed(4), max_depth=6, costs=UNEVEN).calibrated(
        method="m_estimate", m=7.5
    ),
    "calibrated, costs, fractional": lambda: sure(
        classifier(two(mixed(2)), algorithm="c45", min_samples_leaf=12, costs={"severe": 3.7})
    ),
    "calibrated, cut-off": lambda: barred(sure(classifier(two(mixed(4)), max_depth=6))),
    "calibrated, costs, cut-off, weights": lambda: barred(
        sure(
            weighed(two(mixed(4)), max_depth=6, missing="fractional", costs={"rest": 1.3}),
            method="laplace",
        )
    ),
    "calibrated, orders, surrogate": lambda: ordered(
        classifier(two(mixed(6)), missing="surrogate", max_depth=5)
    ).calibrated(method="laplace"),
    "one leaf": lambda: classifier(([[1.0, 2.0], [3.0, 4.0]], ["a", "a"])),
}


@dataclass(frozen=True)
class Case:
    """A model, points as plain values by column, and what the model says of them."""

    name: str
    model: Model
    points: Columns
    labels: list[Any]
    shares: Any

    @property
    def n_points(self) -> int:
        return len(self.labels)


@cache
def case(name: str) -> Case:
    model = KINDS[name]()
    points = points_of(model, POINTS)
    frame = as_frame(model, points)
    labels = model.predict(frame).tolist()
    return Case(name, model, points, labels, model.predict_proba(frame))


def points_of(model: Model, n: int, seed: int = 0) -> Columns:
    """Random and special values in every column, and rows led to where they make a difference."""
    rng = np.random.default_rng(seed)
    pools = [pool(model, j, rng) for j in range(len(model.schema.given))]
    columns = []
    for values in pools:
        order = rng.permutation(n)  # every value of the pool at least once
        column = np.empty(n, object)
        column[order] = list(islice(cycle(values), n))
        columns.append(column)
    # Half of the rows: lead them to a node by chance, and there to a value at its edge.
    frame = as_frame(model, dict(zip(model.schema.names, map(list, columns), strict=True)))
    leaves = model.apply(frame)
    for row in range(0, n, 2):
        path = model.tree.path(int(leaves[row]))
        if len(path) > 1:
            node = path[rng.integers(len(path) - 1)]
            test = model.tree.test(node)
            assert test is not None
            edges = specials(model, test.column, node)
            columns[test.column][row] = edges[rng.integers(len(edges))]
    return {name: c.tolist() for name, c in zip(model.schema.names, columns, strict=True)}


def pool(model: Model, j: int, rng: Any) -> list[Any]:
    column = model.schema.columns[j]
    found = specials(model, j)
    if column.levels is not None:
        return found * 3
    if column.unit == "number":
        cuts = [c for c in found if isinstance(c, float) and np.isfinite(c)] or [0.0]
        low, high = max(min(cuts), -1e300), min(max(cuts), 1e300)
        found += rng.uniform(low - 1, high + 1, 200).tolist()
        found += rng.integers(-10, 40, 50).astype(float).tolist()
        found += [-np.inf, np.inf, 0.0, -0.0, 5e-324, -1.7976931348623157e308]
    else:
        span = (-20_000, 20_000) if column.unit == "date" else (0, 86_400_000_000)
        found += [moment(column.unit, t) for t in rng.integers(*span, 100)]
    return found


def specials(model: Model, j: int, node: int | None = None) -> list[Any]:
    """Missing values; every level and some that are none; every cut and what lies beside it."""
    column = model.schema.columns[j]
    if column.levels is not None:
        unseen: list[Any] = ["unseen", "", "Low", " low", "True"]
        if not isinstance(column.levels[0], str):
            unseen = [] if column.unit == "boolean" else [99, -1]
        known: list[Any] = list(column.levels)
        return [*known, *(u for u in unseen if u not in known), None]
    code = program_of(model)
    nodes = code.nodes if node is None else [code.nodes[node]]
    asks = [a for n in nodes if n for a in n.asks if a.column == j and a.cuts]
    cuts = sorted({cut for ask in asks for cut in ask.cuts or ()})
    if column.unit == "number":
        sides = [
            float(x) for t in cuts for x in (t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf))
        ]
        return [*sides, float("nan"), None]
    ticks = [int(np.floor(t)) + d for t in cuts for d in (-1, 0, 1, 2)]
    return [*(moment(column.unit, t) for t in ticks), None]


@cache
def program_of(model: Model) -> Any:
    return model.program()


def moment(unit: str, ticks: int) -> Any:
    """A moment as numpy has it; a time of day as the time since midnight."""
    if unit == "date":
        return np.datetime64(int(ticks), "D")
    if unit == "time":
        return np.timedelta64(int(ticks) % 86_400_000_000, "us")
    return (
        np.timedelta64(int(ticks), "us") if unit == "duration" else np.datetime64(int(ticks), "us")
    )


def as_frame(model: Model, points: Columns) -> dict[str, Any]:
    """Points as the model reads them."""
    columns: dict[str, Any] = {}
    for column in model.schema.given:
        values = points[column.name]
        if column.levels is not None:
            columns[column.name] = values
        elif column.unit == "number":
            columns[column.name] = np.array([np.nan if v is None else v for v in values])
        elif column.unit == "time":
            columns[column.name] = [None if v is None else clock(v.astype(int)) for v in values]
        elif column.unit == "instant":
            columns[column.name] = pd.Series(np.array(values, "M8[us]")).dt.tz_localize("UTC")
        else:
            dtypes = {"date": "M8[D]", "datetime": "M8[us]", "duration": "m8[us]"}
            columns[column.name] = np.array(values, dtypes[column.unit])
    return columns
