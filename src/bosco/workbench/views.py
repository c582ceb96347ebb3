"""What the page shows of a draft, as plain values: pure functions of the draft.

Numbers say on which rows they were counted. Nothing here changes a draft or counts a look: the
figures are those that the log has already.
"""

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.data.schema import show_level
from bosco.drafts.course import Stage
from bosco.drafts.draft import Draft
from bosco.drafts.state import Path, node_at, path_of
from bosco.export.drawing import picture_of
from bosco.figures.leaves import WEAK_BELOW
from bosco.models.model import Model
from bosco.render.acted import say_act
from bosco.render.card import BY_HAND, BY_ORDER
from bosco.render.edited import say_chosen, say_reason
from bosco.render.svg import to_svg
from bosco.tree.census import training_evidence
from bosco.tree.edits import Entry
from bosco.workbench.figuring import classes, figures, final, plain

MAX_NODES = 100
"""Nodes of the picture, unless more are asked for."""

MOST_NODES = 2000
"""More than so many are never drawn."""

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
