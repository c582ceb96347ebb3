"""What one column offers at a node: its histogram by class, and what every cut of it is worth."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Coded
from bosco.data.schema import Column, show_level
from bosco.drafts.draft import Draft
from bosco.drafts.ground import Ground
from bosco.drafts.reasons import curve_at
from bosco.drafts.saying import said_of
from bosco.drafts.state import Path, node_at
from bosco.reasons.curve import Curve
from bosco.reasons.tried import Cuts
from bosco.render.card import say_short
from bosco.tree.conditions import Interval
from bosco.workbench.doing import for_page
from bosco.workbench.figuring import plain
from bosco.workbench.nodes import Sight, best_score, say_native

BINS = 40
"""Bars of a histogram."""

MOST_CUTS = 400
"""Cuts of a curve; of more, the best of each stretch are shown."""

MOST_LEVELS = 200
"""Levels, the commonest, that are shown one by one."""


def curve(sight: Sight, path: Path, name: str) -> dict[str, Any]:
    """A column at a node, in at most some hundreds of numbers."""
    draft = sight.draft
    j = draft.column_place(name)
    column = draft.ground.schema.columns[j]
    rows = draft.ground.spot(sight.state.tree, path).rows
    cells = draft.ground.frame.table.column(j)
    shared = {
        "path": ".".join(map(str, path)),
        "column": name,
        "best": _best(sight, path, name),
        "current": _current(sight, path, j),
        "score": draft.ground.growth.score,
    }
    if column.kind == "nominal":
        assert isinstance(cells, Coded)
        return {
            "kind": "levels",
            **shared,
            **_levels(draft.ground, column, cells.codes[rows], rows),
        }
    told = curve_at(draft.ground, sight.state, path, sight.model, name, MOST_CUTS)
    if isinstance(cells, Coded):
        values = np.where(cells.codes[rows] > 0, cells.codes[rows] - 1.0, np.nan)
    else:
        values = np.asarray(cells.values[rows], np.float64)
    return {
        "kind": "cuts",
        **shared,
        **_numbers(draft, j, values, rows),
        "cuts": _cuts(draft, told),
    }


# Cuts ---------------------------------------------------------------------------------------------


def _numbers(
    draft: Draft, j: int, values: NDArray[np.float64], rows: NDArray[np.uint32]
) -> dict[str, Any]:
    ground, column = draft.ground, draft.ground.schema.columns[j]
    known = ~np.isnan(values)
    inside = values[known & np.isfinite(values)]
    low, high = (float(inside.min()), float(inside.max())) if len(inside) else (0.0, 0.0)
    edges = _edges(column, low, high)
    place = np.clip(np.searchsorted(edges, values[known], side="left") - 1, 0, len(edges) - 2)
    shown = [shown_cut(draft, j, low), shown_cut(draft, j, high)]
    return {
        "unit": None if column.unit == "number" and column.levels is None else column.unit,
        "levels": None if column.levels is None else list(map(show_level, column.levels)),
        "low": low,
        "high": high,
        "histogram": {
            "edges": edges.tolist(),
            "shown": shown,
            **_counted(ground, place, rows[known], len(edges) - 1),
        },
        "missing": {
            "rows": int(np.count_nonzero(~known)),
            "by_class": _of_classes(ground, rows[~known]),
        },
    }


def _edges(column: Column, low: float, high: float) -> NDArray[np.float64]:
    """The ends of bars, the first below all values."""
    if column.levels is not None:
        return np.arange(len(column.levels) + 1, dtype=np.float64) - 0.5
    if not high > low:
        return np.array([low - 0.5, low + 0.5])
    edges: NDArray[np.float64] = np.linspace(low, high, BINS + 1)
    edges[-1] = high  # whatever rounding says
    return edges


def _counted(ground: Ground, place: Any, rows: NDArray[np.uint32], n: int) -> dict[str, Any]:
    """Rows of every bar: by class, or how many with their mean."""
    count = np.bincount(place, minlength=n)
    if ground.classes is None:
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.bincount(place, weights=ground.truth[rows], minlength=n) / count
        return {"rows": count.tolist(), "means": [plain(x) for x in mean]}
    cells = place.astype(np.int64) * ground.n_classes + ground.truth[rows]
    counts = np.bincount(cells, minlength=n * ground.n_classes).reshape(n, -1)
    return {"counts": counts.tolist()}


def _of_classes(ground: Ground, rows: NDArray[np.uint32]) -> list[int] | None:
    if ground.classes is None:
        return None
    counts: list[int] = np.bincount(ground.truth[rows], minlength=ground.n_classes).tolist()
    return counts


def _cuts(draft: Draft, told: Curve) -> dict[str, Any]:
    """Cuts with their scores."""
    tests = told.tests
    if not isinstance(tests, Cuts):
        return {"at": [], "shown": [], "score": [], "allowed": []}
    ratio = draft.ground.growth.score != "gain"
    score = np.nan_to_num(tests.gain_ratio if ratio else tests.gain, nan=0.0)
    at = tests.threshold.tolist()
    return {
        "at": at,
        "shown": [tests.words(cut).removeprefix("≤ ") for cut in at],
        "score": score.tolist(),
        "allowed": tests.allowed.tolist(),
    }


def shown_cut(draft: Draft, j: int, cut: float) -> str:
    """Where a column is cut, as tests say it: a number, a date, a level."""
    column = draft.ground.schema.columns[j]
    if column.levels is not None:
        cut = min(max(np.floor(cut) + 0.5, 0.5), len(column.levels) - 0.5)
        return show_level(column.levels[int(cut - 0.5)])
    return say_short(draft.ground.schema, Interval(j, None, cut, False)).removeprefix("≤ ")


# Levels -------------------------------------------------------------------------------------------


def _levels(
    ground: Ground, column: Column, codes: NDArray[Any], rows: NDArray[np.uint32]
) -> dict[str, Any]:
    assert column.levels is not None
    n = len(column.levels)
    codes = codes.astype(np.int64)
    told = _counted(ground, codes, rows, n + 1)
    count = np.bincount(codes, minlength=n + 1)
    shown = np.sort(np.argsort(-count[1:], kind="stable")[:MOST_LEVELS]) + 1
    found = []
    for k in shown.tolist():
        level = column.levels[k - 1]
        own: dict[str, Any] = {"level": level, "shown": show_level(level), "rows": int(count[k])}
        if ground.classes is None:
            own |= {"by_class": None, "mean": told["means"][k]}
        else:
            own |= {"by_class": told["counts"][k]}
        found.append(own)
    missing = {"rows": int(count[0]), "by_class": _of_classes(ground, rows[codes == 0])}
    return {"levels": found, "more": n - len(found), "missing": missing}


# What is there, and what would be -----------------------------------------------------------------


def _best(sight: Sight, path: Path, name: str) -> dict[str, Any] | None:
    """The column's best test."""
    asked = sight.asked(path)
    test = asked.tests.get(name)
    if test is None:
        return None
    score = best_score(asked.why, name)
    said = said_of(sight.draft.ground.schema, test)
    words = say_native(sight.draft, test)
    parts = _parts(said)
    return {"cut": parts.get("cuts"), **parts, "score": plain(score), "words": words}


def _current(sight: Sight, path: Path, j: int) -> dict[str, Any] | None:
    """The node's own test, if it is of this column."""
    tree = sight.state.tree
    own = sight.draft.ground.learned(tree.native, node_at(tree, path))
    if own is None or own.column != j:
        return None
    return _parts(said_of(sight.draft.ground.schema, own))


def _parts(said: dict[str, Any]) -> dict[str, Any]:
    return {name: x for name, x in for_page(said).items() if name != "column"}
