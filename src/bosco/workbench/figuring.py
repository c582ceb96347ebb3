"""How good a draft is, as the page tells it: figures that the log has already, and curves."""

import math
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.data.schema import show_label
from bosco.drafts.draft import Draft
from bosco.drafts.figures import Figures, figure_from
from bosco.figures.costing import MeanCost
from bosco.figures.curved import Curves, figures_table, say_cheapest
from bosco.figures.curves import Prices
from bosco.figures.figure import Figure
from bosco.figures.intervals import wilson
from bosco.models.model import Model
from bosco.render.card import count, show_share
from bosco.reporting.bars import MOST_BARS, charts_of
from bosco.tree.costs import say_costs

MOST_CLASSES = 30
"""Classes of the confusion matrix; with more there is none."""


def figure(shown: Figure) -> dict[str, Any]:
    """A figure as numbers, and in words; what a row costs beside it, where there are costs."""
    cost = None if shown.cost is None else _measure(shown.cost)
    return {**_measure(shown), "cost": cost}


def _measure(shown: Figure | MeanCost) -> dict[str, Any]:
    rows = count(f"{shown.rows:,}", "row")
    value = f"{shown.name} {shown.show(shown.value)}, {shown.interval}"
    return {
        "name": shown.name,
        "value": plain(shown.value),
        "shown": shown.show(shown.value),
        "low": plain(shown.low),
        "high": plain(shown.high),
        "interval": shown.interval,
        "rows": shown.rows,
        "baseline": plain(shown.baseline),
        "constant": shown.constant,
        "against": shown.against,
        "words": f"{value} ({rows}; {shown.constant})",
    }


def pair(both: Figures) -> dict[str, Any]:
    """The figures on training and on validation rows."""
    other = None if both.validation is None else figure(both.validation)
    return {"training": figure(both.training), "validation": other}


def figures(draft: Draft, model: Model) -> dict[str, Any]:
    """How wrong the tree is, what it finds of each class, and how often one looked."""
    looks, parts = draft.looks, draft.ground.parts
    return {
        **pair(draft.figures),
        **_by_class(draft),
        "costs": costs(draft),
        "leaves": model.n_leaves,
        "looks": {"validation": looks.validation, "test": looks.test, "words": str(looks)},
        "parts": {name: len(getattr(parts, name)) for name in ("training", "validation", "test")},
    }


def costs(draft: Draft) -> str | None:
    """What mistakes cost, in words; None where nobody said so."""
    table, names = draft.ground.decision.costs, classes(draft)
    return None if table is None or names is None else say_costs(table, names)


def _by_class(draft: Draft) -> dict[str, Any]:
    """What is found of each class, and what is taken for what; on validation rows if there are."""
    ground = draft.ground
    part = "validation" if len(ground.parts.validation) else "training"
    if ground.classes is None:
        return {"recall": None, "confusion": None}
    counts = draft.confusion(part)
    labels = [show_label(label) for label in ground.classes]
    rows = counts.sum(axis=1)
    found = np.diag(counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(rows > 0, found / rows, np.nan)
    recall = []
    for k, label in enumerate(labels[:MOST_CLASSES]):
        low, high = (math.nan, math.nan) if not rows[k] else map(float, wilson(share[k], rows[k]))
        recall.append(
            {
                "class": label,
                "part": part,
                "found": int(found[k]),
                "rows": int(rows[k]),
                "share": plain(share[k]),
                "low": plain(low),
                "high": plain(high),
                "shown": show_share(float(share[k])) if rows[k] else "–",
            }
        )
    confusion = None
    if len(labels) <= MOST_CLASSES:
        confusion = {
            "classes": labels,
            "counts": counts.tolist(),
            "rows": int(rows.sum()),
            "part": part,
        }
    return {"recall": recall, "confusion": confusion}


def bars(found: Curves) -> dict[str, Any]:
    """The curves of a sheet, and what they amount to; those of a class where there are two."""
    head, rows = figures_table(found)
    charts, cost = [], ""
    if len(found.curves) == 1 and found.curves[0].scored.rows.any(axis=0).all():
        (one,) = found.curves
        prices = one.costs or Prices(1.0, 1.0)
        frames = charts_of(one, one.thinned(MOST_BARS), prices.miss, prices.alarm)
        charts = [frame.values() for frame in frames]
        cost = tr("Nobody said what mistakes cost: each counts 1, so that the cost is the error.")
        if one.costs is not None:
            cost = say_cheapest(one)
    whose = tr("On {rows}", rows=found.whose)
    return {
        "whose": f"{whose}.",
        "doubt": found.doubt,
        "cost": cost,
        "head": head,
        "rows": rows,
        "charts": charts,
    }


def automatic(draft: Draft, found: Figures) -> dict[str, Any]:
    """The automatic tree beside it."""
    return {**pair(found), "leaves": draft.automatic.n_leaves}


def final(draft: Draft) -> dict[str, Any] | None:
    """What the test part said, the last time that it was looked at."""
    looked = [entry for entry in draft.log if entry.get("look") == "test"]
    if not looked:
        return None
    last = looked[-1]
    said = [
        tr("test {what}", what=one.name) + _measure(one)["words"].removeprefix(one.name)
        for one in figure_from(last["figures"]).measures
    ]
    same, words = last["state"] == draft.state.digest(), "; ".join(said)
    if not same:
        words += f"; {tr('of a tree that was changed since')}"
    return {"words": words, "look": len(looked), "entry": last["number"], "same": same}


def classes(draft: Draft) -> list[str] | None:
    """The classes in words, in the order of tallies and colours; None of a real target."""
    found = draft.ground.classes
    return None if found is None else [show_label(label) for label in found]


def plain(x: Any) -> float | None:
    """A number that JSON can hold, or nothing."""
    x = float(x)
    return x if math.isfinite(x) else None
