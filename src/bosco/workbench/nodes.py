"""One node of a draft, as the page tells it: its rows, its test, and what else it could ask."""

import math
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.drafts.advice import excluded_at
from bosco.drafts.draft import Draft
from bosco.drafts.holding import Holding, holding_of
from bosco.drafts.reasons import Asked
from bosco.drafts.saying import said_of
from bosco.drafts.state import Path, node_at
from bosco.models.model import Model
from bosco.reasons.why import Why
from bosco.render.card import card, say, say_test, show_share
from bosco.rules.space import Space
from bosco.tree.conditions import test_from
from bosco.workbench.doing import for_page
from bosco.workbench.figuring import MOST_CLASSES, plain
from bosco.workbench.views import marks, weak_leaves, written


class Sight:
    """What was looked up of one state of a draft, so that it is looked up once."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.state, self.model = draft, draft.state, draft.model
        self._asked: dict[Path, Asked] = {}
        self._holding: dict[str, Holding] = {}

    def asked(self, path: Path) -> Asked:
        """What a node could ask."""
        if path not in self._asked:
            self._asked[path] = self.draft.asked(path)
        return self._asked[path]

    def holding(self, part: str) -> Holding:
        """What nodes hold of the rows of a part."""
        if part not in self._holding:
            self._holding[part] = holding_of(self.draft.ground, self.state.tree, part)
        return self._holding[part]


def node(sight: Sight, path: Path) -> dict[str, Any]:
    """All that the page tells of a node."""
    draft, model = sight.draft, sight.model
    number = node_at(model.tree, path)
    said, test = card(model, number, max_levels=30), model.tree.test(number)
    asked = sight.asked(path)
    children = list(model.tree.children(number))
    words = {child: branch.words for branch in said.branches for child in branch.children}
    classes = draft.ground.classes
    return {
        "version": draft.log[-1]["hash"],
        "path": written(path),
        "node": number,
        "condition": condition(model, number),
        "leaf": test is None,
        "answer": said.prediction,
        "rows_say": said.own,
        "rows": {part: int_or_float(sight.holding(part).rows[number]) for part in _PARTS},
        "tally": {part: _tally(draft, sight.holding(part), number) for part in _PARTS},
        "test": None if test is None else say_test(model.schema, test),
        "column": None if test is None else model.schema.names[test.column],
        "learner": learner(sight, path, asked),
        "marks": marks(draft, model, number, weak_leaves(model)),
        "locked": said.locked,
        "note": said.note or None,
        "order": None
        if said.order is None
        else {"answer": said.prediction, "reason": visible(said.order.reason)},
        "why": candidates(draft, asked),
        "excluded": list(excluded_at(draft.state, path)),
        "labels": None if classes is None else [show_label(label) for label in classes],
        "branches": [
            {"path": written((*path, b)), "node": child, "words": words.get(child, "")}
            for b, child in enumerate(children)
        ],
    }


_PARTS = ("training", "validation")


def condition(model: Model, number: int) -> str:
    """What holds for the rows of a node: the conditions on each column as one."""
    way = []
    for above, below in zip(nodes := model.tree.path(number), nodes[1:], strict=False):
        test = model.tree.test(above)
        assert test is not None
        way.append(test.branches[below - model.tree.children(above).start])
    if not way:
        return tr("all rows")
    space = Space(model.schema, way)
    ranges = space.conditions(space.box(way))
    said = [say(model.schema, one, unseen=model.never_missing) for one in ranges]
    return tr(" and ").join(said)


def candidates(draft: Draft, asked: Asked) -> dict[str, Any]:
    """The best test of every column; a test by hand first, even if it is none of them."""
    why, schema = asked.why, draft.ground.schema
    found: list[dict[str, Any]] = []
    for c in why:
        test = asked.tests.get(c.column)
        best_of_column = test is not None and c.test == say_native(draft, test)
        found.append(
            {
                "column": c.column,
                "test": c.test,
                "said": for_page(said_of(schema, test)) if best_of_column else None,
                "gain": plain(c.gain),  # less the penalty
                "penalty": plain(c.penalty),
                "score": plain(c.score),
                "margin": plain(c.margin),
                "near_tie": c.near_tie,
                "chosen": c.chosen,
                "by_hand": c.by_hand,
                "own": c.own or (c.chosen and not c.by_hand),
            }
        )
    ranked = sorted(
        (one for one in found if one["said"] is not None),
        key=lambda one: (one["score"] is None, -(one["score"] or 0.0)),
    )
    for rank, one in enumerate(ranked, 1):
        one["rank"] = rank
    return {
        "score": why.score,
        "by": why.by,
        "ended": why.reason if why.ended is not None else None,
        "reason": why.reason or None,
        "candidates": [{"rank": None, **one} for one in found],
    }


def best_score(why: Why, name: str) -> float:
    """What the best test of a column scores, which a person may have chosen as well."""
    own = [c for c in why if c.column == name]
    scores = [c.score for c in own if not c.by_hand] or [c.score for c in own]
    return max(scores, default=math.nan)


def say_native(draft: Draft, test: Any) -> str:
    """A native test in words."""
    return say_test(draft.ground.schema, test_from(*test.__getstate__()))


def learner(sight: Sight, path: Path, asked: Asked) -> dict[str, Any]:
    """What the learner would do at a node, and what the choice there costs."""
    model, why, learned = sight.model, asked.why, asked.learned
    number = node_at(model.tree, path)
    by_hand = model.edits.chosen.get(number)
    if learned is None:
        says = tr("the learner would stop here")
        return {"test": None, "said": None, "score": None, "loss": 0.0, "says": says}
    words = say_native(sight.draft, learned)
    name = model.schema.names[learned.column]
    score = best_score(why, name)
    loss = 0.0 if by_hand is None else by_hand.loss
    if by_hand is not None and loss > 0:
        says = tr(
            "the learner would take {test}, which scores {loss} more",
            test=words,
            loss=show_figure(loss),
        )
    elif by_hand is None and why.ended is None:
        says = tr("the learner's own test")
    else:
        says = tr("the learner would take {test}", test=words)
    said = for_page(said_of(model.schema, learned))
    return {"test": words, "said": said, "score": plain(score), "loss": plain(loss), "says": says}


def _tally(draft: Draft, holding: Holding, number: int) -> Any:
    """The rows of a node by class, or their mean and spread."""
    if holding.by_class is None:
        assert holding.mean is not None
        assert holding.spread is not None
        return {
            "rows": int_or_float(holding.rows[number]),
            "mean": plain(holding.mean[number]),
            "sd": plain(holding.spread[number]),
        }
    return tally_of(draft, holding.by_class[number])


def tally_of(draft: Draft, by_class: Any) -> list[dict[str, Any]]:
    """Rows by class; of very many classes the commonest."""
    assert draft.ground.classes is not None
    labels = [show_label(label) for label in draft.ground.classes]
    labels += [tr("a class that no training row has")] * (len(by_class) > len(labels))
    total = float(by_class.sum())
    order = np.argsort(-by_class, kind="stable")[:MOST_CLASSES]
    return [
        {
            "label": labels[k],
            "rows": int_or_float(by_class[k]),
            "share": by_class[k] / total if total else None,
            "shown": show_share(float(by_class[k] / total)) if total else "–",
        }
        for k in sorted(order.tolist())
        if by_class[k] or k < draft.ground.n_classes
    ]


def int_or_float(x: Any) -> int | float:
    """A number of rows: whole, unless rows are shared out."""
    x = float(x)
    return int(x) if x.is_integer() else x
