"""What the page shows of a draft, as plain values: pure functions of the draft.

Numbers say on which rows they were counted. Nothing here changes a draft or counts a look: the
figures are those that the log has already.
"""

import math
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.data.schema import show_label, show_level
from bosco.drafts.course import Stage
from bosco.drafts.draft import Draft
from bosco.drafts.figures import Figures, figure_from
from bosco.drafts.state import Path, node_at, path_of
from bosco.export.drawing import picture_of
from bosco.figures.costing import MeanCost
from bosco.figures.curved import Curves, figures_table, say_cheapest
from bosco.figures.curves import Prices
from bosco.figures.figure import Figure
from bosco.figures.intervals import wilson
from bosco.figures.leaves import WEAK_BELOW
from bosco.models.model import Model
from bosco.render.acted import say_act
from bosco.render.card import BY_HAND, BY_ORDER, count, show_share
from bosco.render.edited import say_chosen, say_reason
from bosco.render.svg import to_svg
from bosco.reporting.bars import MOST_BARS, charts_of
from bosco.tree.census import training_evidence
from bosco.tree.costs import say_costs
from bosco.tree.edits import Entry

MAX_NODES = 100
"""Nodes of the picture, unless more are asked for."""

MOST_NODES = 2000
"""More than so many are never drawn."""

MOST_CLASSES = 30
"""Classes of the confusion matrix; with more there is none."""

MOST_LEVELS = 200
"""Levels of a column that are offered to be typed."""

MOST_ENTRIES = 500
"""The last so many entries of the log are shown."""


def written(path: Path) -> str:
    """A path as text: ``0.1`` is the second branch of the first."""
    return ".".join(map(str, path))


def view(draft: Draft, **how: Any) -> dict[str, Any]:
    """All that changes with an act."""
    model = draft.model
    return {
        "version": draft.log[-1]["hash"],
        "headline": model.headline,
        "tree": tree(draft, model, **how),
        "figures": figures(draft, model),
        "fields": fields(draft),
        "classes": classes(draft),
        "target": (draft.log[0].get("source") or {}).get("target"),
        "history": history(draft),
        "log": [entry_of(entry, draft) for entry in draft.log[-MOST_ENTRIES:]],
        "can": {
            "undo": draft.can_undo,
            "redo": draft.can_redo,
            "final": len(draft.ground.parts.test) > 0,
        },
        "final": final(draft),
    }


# The tree -----------------------------------------------------------------------------------------


def tree(
    draft: Draft,
    model: Model,
    max_nodes: int | None = MAX_NODES,
    folded: Collection[Path] = (),
    kept: Collection[Path] = (),
    orientation: str = "auto",
) -> dict[str, Any]:
    """The picture, and the nodes in it; paths that lead nowhere any more are left alone."""
    drawn = picture_of(
        model,
        max_nodes=min(max_nodes or MOST_NODES, MOST_NODES),
        orientation=orientation,
        bare=True,
        folded=_nodes_at(model, folded),
        kept=_nodes_at(model, kept),
    )
    boxes = [g for g in drawn.groups if g.kind.startswith("node ") and g.node >= 0]
    weak = weak_leaves(model)
    nodes = [_node(draft, model, box.node, box.kind[5:], box.title, weak) for box in boxes]
    colors = [color for color, _ in drawn.legend if color]
    return {
        "svg": str(to_svg(drawn, styled=False)),
        "width": drawn.width,
        "height": drawn.height,
        "nodes": nodes,
        "legend": [{"color": color, "words": words} for color, words in drawn.legend],
        "colors": colors,
        "notes": list(drawn.notes),
        "shown": len(nodes),
        "all": model.tree.node_count,
    }


def _nodes_at(model: Model, paths: Iterable[Path]) -> list[int]:
    native, found = model.tree.native, []
    for path in paths:
        node = 0
        for branch in path:
            if not 0 <= branch < native.n_children[node]:
                break
            node = int(native.first_child[node]) + branch
        else:
            found.append(node)
    return found


def _node(
    draft: Draft, model: Model, node: int, kind: str, title: str, weak: set[int]
) -> dict[str, Any]:
    place = path_of(model.tree, node)
    test = model.tree.test(node)
    return {
        "path": written(place),
        "node": node,
        "parent": written(place[:-1]) if place else None,
        "kind": kind,
        "leaf": test is None,
        "title": title,
        "column": None if test is None else model.schema.names[test.column],
        "leaves": int(model.tree.leaves_below[node]),
        "marks": marks(draft, model, node, weak),
    }


def marks(draft: Draft, model: Model, node: int, weak: set[int]) -> list[dict[str, str]]:
    """What people did at a node, and whether it rests on few rows."""
    edits, place = model.edits, path_of(model.tree, node)
    found = []
    if by_hand := edits.chosen.get(node):
        found.append(("by hand", f"{BY_HAND()}, {say_chosen(by_hand)}"))
    if order := edits.orders.get(node):
        found.append(("order", f"{BY_ORDER()}{say_reason(order.reason)}"))
    if model.tree.test(node) is None and model.classes is not None and model.turned[node]:
        found.append(("order", model.decision.word))
    if node in edits.locked:
        found.append(("locked", tr("locked: no verb changes it")))
    if node in edits.notes:
        found.append(("note", visible(edits.notes[node])))
    if place in draft.state.excluded:
        names = ", ".join(map(visible, draft.state.excluded[place]))
        found.append(("excluded", tr("{columns} excluded from here on", columns=names)))
    if node in weak:
        few = tr("weak support: fewer than {n:g} training rows", n=WEAK_BELOW)
        found.append(("weak", few))
    return [{"kind": kind, "words": words} for kind, words in found]


def weak_leaves(model: Model) -> set[int]:
    """Leaves that rest on few training rows, none included."""
    numbers = training_evidence(model).numbers
    few = (model.tree.native.first_child < 0) & (numbers < WEAK_BELOW)
    return set(np.flatnonzero(few).tolist())


# Figures ------------------------------------------------------------------------------------------


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


def fields(draft: Draft) -> list[dict[str, Any]]:
    """The columns that a case has, with the levels that may be typed."""
    found = []
    for column in draft.ground.schema.given:
        known = None if column.levels is None else column.levels[:MOST_LEVELS]
        levels = None if known is None else list(map(show_level, known))
        found.append({"name": column.name, "unit": column.unit, "levels": levels})
    return found


# History and log ----------------------------------------------------------------------------------


def history(draft: Draft) -> list[dict[str, Any]]:
    """Every state that there was, with its figures."""
    line = {id(stage) for stage in draft.line}
    return [_stage(draft, stage, id(stage) in line) for stage in draft.history]


def _stage(draft: Draft, stage: Stage, on_the_way: bool) -> dict[str, Any]:
    entry, both = draft.log[stage.entry], stage.figures
    other = both.validation
    shown = other or both.training
    return {
        "entry": stage.entry,
        "verb": entry["verb"],
        "words": say_act(entry, draft.ground.schema),
        "leaves": stage.state.tree.n_leaves,
        "training": plain(both.training.value),
        "validation": None if other is None else plain(other.value),
        "shown": shown.show(shown.value),
        "cost": None if shown.cost is None else shown.cost.show(shown.cost.value),
        "current": stage is draft.stage,
        "reachable": True,
        "left": not on_the_way,
    }


def entry_of(entry: Entry, draft: Draft) -> dict[str, Any]:
    """An entry of the log."""
    return {
        "entry": entry["number"],
        "when": entry["when"],
        "who": visible(entry["who"]) if entry["who"] else None,
        "verb": entry["verb"],
        "node": entry.get("node"),
        "words": say_act(entry, draft.ground.schema),
        "reason": visible(str(entry.get("reason") or "")) or None,
        "look": entry.get("look"),
        "hash": entry["hash"],
    }


def search(draft: Draft, words: str, most: int = 200) -> list[dict[str, Any]]:
    """Nodes whose test, condition, answer, note or reason has the words."""
    from bosco.render.card import card, say_test
    from bosco.render.text import line

    model, wanted = draft.model, words.casefold().strip()
    found: list[dict[str, Any]] = []
    above: dict[int, str] = {0: ""}
    for node in range(model.tree.node_count):
        said, test = card(model, node), model.tree.test(node)
        for branch in said.branches:
            above |= dict.fromkeys(branch.children, branch.words)
        texts = [above.get(node, ""), said.note]
        texts += [say_test(model.schema, test)] if test is not None else [said.prediction]
        for edit in (said.order, said.by_hand):
            texts += [edit.reason] if edit else []
        if wanted and any(wanted in text.casefold() for text in texts):
            told = line(model, said, (node,), above.get(node, ""), False, False)
            place = written(path_of(model.tree, node))
            found.append({"path": place, "node": node, "words": told})
            if len(found) == most:
                break
    return found


def plain(x: Any) -> float | None:
    """A number that JSON can hold, or nothing."""
    x = float(x)
    return x if math.isfinite(x) else None


def require_path(draft: Draft, text: str) -> Path:
    """The path that a text is, of a node that there is."""
    path = read_path(text)
    node_at(draft.state.tree, path)
    return path


def read_path(text: str) -> Path:
    """The path that a text is."""
    from bosco.errors import ParameterError

    parts = text.split(".") if text else []
    if len(text) > 50_000 or not all(p.isascii() and p.isdigit() and len(p) < 7 for p in parts):
        raise ParameterError(f"A node is named by its path, such as '0.1'. Got {text!r:.60}.")
    return tuple(map(int, parts))
