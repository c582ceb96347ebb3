"""Hypothesis strategies: small mixed tables, targets and legal growth settings.

A ``Problem`` is one learning task in the words of the native interface; ``reference_columns``
and ``native_frame`` put it before either implementation.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from bosco.data.recipe import LOSSES
from tests.reference import RefColumn, RefTarget

CLASSIFICATION = ("gini", "entropy", "log_loss", "scaled_entropy", "error", "sqrt")
SCORES = ("gain", "gain_ratio", "gain_ratio_above_average")
NUMERIC_TESTS = ("threshold", "intervals")
NOMINAL_TESTS = ("multiway", "subset", "one_vs_rest", "group")
THRESHOLDS = ("midpoint", "observed", "round")
MISSING = ("learn", "fractional", "surrogate", "branch", "majority", "error")
REGRESSION = ("squared_error", "poisson")
MEDIANS = ("absolute_error", "quantile")  # what nodes cost is no function of tallies
NOT_BINARY = {"intervals", "multiway", "group"}  # tests that surrogates cannot stand in for
ORDERS = ("depth", "breadth", "best")

CART: dict[str, Any] = {
    "criterion": "gini",
    "quantile": 0.5,
    "score": "gain",
    "numeric_test": "threshold",
    "nominal_test": "subset",
    "threshold": "midpoint",
    "missing": "learn",
    "order": "depth",
    "splitter": "best",
    "max_branches": 4,
    "max_depth": -1,
    "max_leaf_nodes": -1,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_leaf": 0.0,
    "min_impurity_decrease": 0.0,
    "min_gain": 0.0,
    "zero_gain": False,
    "reuse": True,
    "penalty": False,
    "subset_penalty": False,
    "max_features": -1,
    "seed": 0,
    "tree": 0,
    "monotonic": [],
    "record": True,
    "record_whole": -1,
}


def examples(n: int) -> settings:
    """How many examples a test tries: n, times EXAMPLES of the environment for a longer look."""
    return settings(max_examples=n * int(os.environ.get("EXAMPLES", "1")), deadline=None)


def growth(**changes: Any) -> dict[str, Any]:
    """The settings of a plain CART tree, with changes."""
    unknown = changes.keys() - CART.keys()
    assert not unknown, f"no such setting: {unknown}"
    return CART | changes


@dataclass(frozen=True)
class Column:
    """A column as a user holds it: numbers with NaN, or codes with 0 for missing."""

    kind: str
    numbers: tuple[float, ...] = ()
    codes: tuple[int, ...] = ()
    n_codes: int = 0

    @property
    def has_missing(self) -> bool:
        return any(map(math.isnan, self.numbers)) or 0 in self.codes

    def reference(self) -> RefColumn:
        if self.kind != "numeric":
            values = [float(i) for i in range(self.n_codes)] if self.kind == "ordinal" else []
            return RefColumn(self.kind, list(self.codes), values, self.n_codes)
        values = sorted({x for x in self.numbers if not math.isnan(x)})
        rank = {x: i + 1 for i, x in enumerate(values)}
        return RefColumn("numeric", [rank.get(x, 0) for x in self.numbers], values, len(values))


@dataclass(frozen=True)
class Problem:
    """One learning task."""

    columns: tuple[Column, ...]
    target: RefTarget
    growth: dict[str, Any]
    max_bins: int = 255

    def reference_columns(self) -> list[RefColumn]:
        return [column.reference() for column in self.columns]

    def native_frame(self, core: Any, max_bins: int | None = None) -> Any:
        """The encoded native frame; small ``max_bins`` make coarse codes of tiny columns."""
        frame = core.Frame(len(self.target.weight))
        for column in self.columns:
            if column.kind == "numeric":
                frame.add_numeric(np.array(column.numbers, dtype=np.float64))
            else:
                codes = np.array(column.codes, dtype=np.uint8)
                frame.add_coded(codes, column.n_codes, column.kind == "ordinal")
        frame.encode(1, self.max_bins if max_bins is None else max_bins)
        return frame

    def native_target(self, core: Any) -> Any:
        target = self.target
        weight = np.array(target.weight, dtype=np.int64)
        count = None if target.count is None else np.array(target.count, dtype=np.int64)
        if target.n_classes:
            codes = np.array(target.classes, dtype=np.uint32)
            return core.Target.classes(codes, target.n_classes, weight, count, target.weight_scale)
        if target.numbers is not None:
            numbers = np.array(target.numbers, dtype=np.int64)
            scales = (target.weight_scale, target.scale)
            return core.Target.several(
                numbers, target.outputs, weight, count, *scales, loss=self.loss
            )
        y = np.array(target.y, dtype=np.int64)
        scales = (target.weight_scale, target.center, target.scale)
        return core.Target.real(y, weight, count, *scales, self.loss)

    @property
    def loss(self) -> str:
        return LOSSES.get(self.growth["criterion"], "squared")


def in_order(problem: Problem, order: list[int]) -> Problem:
    """The same problem with its rows in another order (or repeated, or left out)."""

    def pick(values: Any) -> Any:
        return None if values is None else [values[i] for i in order]

    columns = tuple(
        replace(c, numbers=tuple(pick(c.numbers) if c.numbers else ()),
                codes=tuple(pick(c.codes) if c.codes else ()))
        for c in problem.columns
    )  # fmt: skip
    t = problem.target
    target = replace(
        t,
        weight=pick(t.weight),
        classes=pick(t.classes),
        y=pick(t.y),
        count=pick(t.count),
        numbers=pick(t.numbers),
    )
    return replace(problem, columns=columns, target=target)


# Columns -----------------------------------------------------------------------------------------

_POOLS = st.sampled_from(
    [
        [0.0, 1.0],
        [-2.0, -1.0, 0.0, 1.0, 2.0],
        [x / 8 for x in range(-40, 120)],
        [float(x) for x in range(64)],
        [0.1, 0.2, 0.3, 0.1 + 0.2, 0.4, 1.0 / 3.0],
        [-math.inf, -1e308, -5e-324, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), 1e308, math.inf],
    ]
)


@st.composite
def cells(draw: st.DrawFn, n: int, pool: Sequence[Any], seed: int | None) -> list[Any]:
    """Lists of n members of a pool.

    Drawn one by one they shrink well but seldom look like data; from a seed they are as good as
    random, and a failure shrinks in the number of rows and in all else.
    """
    if seed is None:
        return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    return Random(f"{seed} {draw(st.integers(0, 2**16))}").choices(pool, k=n)


@st.composite
def columns(draw: st.DrawFn, n_rows: int, kind: str, missing: bool, seed: int | None) -> Column:
    """A column with few or many values, or with only one, and with or without missing values."""
    rate = draw(st.sampled_from([0, 0, 1, 3])) if missing else 0
    holes = draw(cells(n_rows, [True] * rate + [False] * (8 - rate), seed))
    if kind == "numeric":
        numbers = draw(cells(n_rows, draw(_POOLS), seed))
        return Column(
            kind, tuple(math.nan if h else x for h, x in zip(holes, numbers, strict=True))
        )
    n_codes = draw(st.sampled_from([1, 2, 3, 4, 5, 8, 12, 14]))
    absent = draw(st.sets(st.integers(2, n_codes), max_size=2)) if n_codes > 2 else set()
    levels = draw(cells(n_rows, sorted({*range(1, n_codes + 1)} - absent), seed))
    codes = tuple(0 if h else x for h, x in zip(holes, levels, strict=True))
    return Column(kind, codes=codes, n_codes=n_codes)


# Targets -----------------------------------------------------------------------------------------


@st.composite
def targets(
    draw: st.DrawFn, n_rows: int, n_classes: int, seed: int | None, counts: bool = False
) -> RefTarget:
    """Classes, or real numbers where ``n_classes`` is 0; unit, whole or fixed-point weights.

    `counts`: no number is negative, and some are above 0.

    Weights stay so small that a fractional node weighs less than 2**31: up to there the core
    promises to compare Gini decreases exactly.
    """
    weighting = draw(st.sampled_from(["unit", "whole", "real"]))
    weight, count, weight_scale = [1] * n_rows, None, 1.0
    if weighting != "unit":
        weight = draw(cells(n_rows, [1, 2, 3], seed))
    if weighting == "real":
        count, weight_scale = [1] * n_rows, draw(st.sampled_from([1.0, 2.0, 8.0]))
    if n_classes:
        many = n_classes > 64  # of which a tiny table has nearly all rows in one each, or few
        some = draw(st.sampled_from([(0, 3, n_classes - 1), range(n_classes)])) if many else None
        classes = draw(cells(n_rows, some or range(n_classes), seed))
        return RefTarget(weight, classes, n_classes, None, count, 0.0, 1.0, weight_scale)
    most = draw(st.sampled_from([1, 4, 100]))
    y = draw(cells(n_rows, range(0 if counts else -most, most + 1), seed))
    center, scale = draw(st.sampled_from([(0.0, 1.0), (2.5, 16.0)]))
    if counts:
        y[0], center = y[0] or 1, 0.0
    return RefTarget(weight, None, 0, y, count, center, scale, weight_scale)


@st.composite
def several_targets(
    draw: st.DrawFn, n_rows: int, of_classes: bool, seed: int | None, counts: bool
) -> RefTarget:
    """Several outputs: of classes a number for each class, or real numbers, or counts."""
    one = draw(targets(n_rows, 0, seed))
    outputs = draw(st.sampled_from([2, 3]))
    if not of_classes:
        columns = [draw(targets(n_rows, 0, seed, counts)).y or () for _ in range(outputs)]
        numbers = [list(row) for row in zip(*columns, strict=True)]
        return replace(one, y=None, numbers=numbers, outputs=outputs, center=0.0)
    rows: list[list[int]] = [[] for _ in range(n_rows)]
    for _ in range(outputs):
        n_classes = draw(st.sampled_from([1, 2, 3, 4]))
        for row, code in zip(rows, draw(cells(n_rows, range(n_classes), seed)), strict=True):
            row += [int(code == c) for c in range(n_classes)]
    return replace(one, y=None, numbers=rows, outputs=outputs, center=0.0, scale=1.0)


# Growth ------------------------------------------------------------------------------------------


def mostly(usual: Any, *others: Any) -> list[Any]:
    """A pool in which the usual value prevails, so that not every setting hides every other."""
    return [usual] * 5 * len(others) + list(others)


@st.composite
def growths(
    draw: st.DrawFn, kinds: list[str], n_classes: int, fixed: dict[str, Any]
) -> dict[str, Any]:
    """Any legal settings; those ``fixed`` are as given."""
    choices: dict[str, list[Any]] = {
        "missing": list(MISSING),
        "max_depth": mostly(-1, 1, 2, 3),
        "max_leaf_nodes": mostly(-1, 1, 2, 3, 5),
        "min_samples_split": mostly(2, 5),
        "min_samples_leaf": mostly(1, 2, 4),
        "min_weight_leaf": mostly(0.0, 1.0, 2.5),
        "min_impurity_decrease": mostly(0.0, 0.01, 0.05),
        "min_gain": mostly(0.0, 0.02, 0.1),
        "zero_gain": mostly(False, True),
        "reuse": mostly(True, False),
        "penalty": mostly(False, True),
        "subset_penalty": mostly(False, True),
        "splitter": mostly("best", "random"),
        "max_features": mostly(-1, 1, 2),
        "criterion": list(CLASSIFICATION if n_classes else REGRESSION),
        "score": list(SCORES),
        "numeric_test": list(NUMERIC_TESTS),
        "nominal_test": list(NOMINAL_TESTS),
        "threshold": list(THRESHOLDS),
        "order": list(ORDERS),
        "max_branches": [2, 3, 4, 9],
        "seed": [0, 1, 2**64 - 1],
        "tree": [0, 3],
        "record": [True, False],
        "record_whole": mostly(-1, 0, 6),
    }
    drawn: dict[str, Any] = {}
    if not NOT_BINARY.isdisjoint(map(str, fixed.values())):
        choices["missing"].remove("surrogate")
    for name, values in choices.items():
        if drawn.get("missing") == "surrogate":
            values = [v for v in values if v not in NOT_BINARY]
        drawn[name] = fixed[name] if name in fixed else draw(st.sampled_from(values))
    drawn["monotonic"] = fixed.get("monotonic", [])
    constrainable = (
        drawn["numeric_test"] == "threshold"
        and n_classes in (0, 2)
        and drawn["missing"] not in ("fractional", "surrogate")
    )
    if constrainable and "monotonic" not in fixed and draw(st.integers(0, 3)) == 0:
        signs = st.sampled_from([-1, 0, 1])
        drawn["monotonic"] = [0 if kind == "nominal" else draw(signs) for kind in kinds]
    return growth(**drawn)


@st.composite
def problems(
    draw: st.DrawFn,
    /,
    max_rows: int = 40,
    kinds: tuple[str, ...] = ("numeric", "ordinal", "nominal"),
    n_classes: tuple[int, ...] = (0, 2, 2, 3, 5),
    several: str | None = None,
    **fixed: Any,
) -> Problem:
    """A whole problem; keyword arguments fix settings of its growth.

    `several` outputs are of "classes", of "numbers" or of "counts".
    """
    if several == "classes":
        fixed = {"criterion": draw(st.sampled_from(["gini", "entropy", "log_loss"]))} | fixed
    if several in ("numbers", "counts"):
        fixed = {"criterion": "poisson" if several == "counts" else "squared_error"} | fixed
    if several is not None:
        n_classes, fixed = (0,), {"monotonic": []} | fixed
    n_rows = draw(st.sampled_from(range(1, max_rows + 1)))
    seed = draw(st.sampled_from([0, 1, 2, None]))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    classes = draw(st.sampled_from(n_classes))
    chosen_growth = draw(growths(chosen, classes, fixed))
    may_miss = chosen_growth["missing"] != "error"
    table = tuple(draw(columns(n_rows, kind, may_miss, seed)) for kind in chosen)
    counts = chosen_growth["criterion"] == "poisson"
    target = (
        draw(targets(n_rows, classes, seed, counts))
        if several is None
        else draw(several_targets(n_rows, several == "classes", seed, counts))
    )
    max_bins = draw(st.sampled_from([255, 3, 4]))
    return Problem(table, target, chosen_growth, max_bins)


@st.composite
def askings(draw: st.DrawFn, n_columns: int) -> dict[str, Any]:
    """Prices of columns and of groups of them; some answers come later."""
    columns = st.lists(st.integers(0, n_columns - 1), min_size=1, unique=True).map(sorted)
    price = st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.25, 100.0])
    item = st.builds(lambda p, c: {"price": p, "columns": c}, price, columns)
    return {
        "rule": draw(st.sampled_from(["eg2", "idx", "cs_id3"])),
        "weight": draw(st.sampled_from([0.0, 0.3, 1.0, 2.0])),
        "items": draw(st.lists(item, min_size=1, max_size=4)),
        "delayed": draw(st.lists(st.integers(0, n_columns - 1), unique=True).map(sorted)),
    }
