"""How the learner grows a tree by itself, step by step, for those who learn how it is done."""

from typing import Any

from bosco.drafts.draft import Draft
from bosco.drafts.state import State, path_of
from bosco.reasons.held import Held
from bosco.reasons.making import Making
from bosco.reasons.trace import Step
from bosco.tree.tree import Tree
from bosco.workbench.figuring import plain
from bosco.workbench.nodes import int_or_float
from bosco.workbench.views import written

MOST_STEPS = 200
"""So many steps are told at most."""

MOST_TOLD = 5_000
"""So many candidates are weighed for them, column by column and step by step."""

MOST_CANDIDATES = 12
"""So many columns, the best, are told of each step: nobody guesses among hundreds."""

MOST_ROWS = 3_000_000
"""So many rows are looked at for them, counted anew at each step."""


def steps(draft: Draft) -> list[dict[str, Any]]:
    """The growth of the automatic tree on the training rows, before any pruning."""
    ground = draft.ground
    grown = ground.grow(ground.spot(draft.state.tree, ()))
    tree = Tree(grown, draft.state.tree.n_features)
    model = draft.model_of(State(tree))
    held = Held(ground.frame, ground.goal, ground.growth, rows=ground.parts.training)
    found: list[dict[str, Any]] = []
    looked = weighed = 0
    for step in Making(model, held).steps():
        found.append(_step(tree, step))
        looked, weighed = looked + len(step.rows), weighed + len(step.columns)
        if len(found) == MOST_STEPS or looked > MOST_ROWS or weighed > MOST_TOLD:
            break
    return found


def _step(tree: Tree, step: Step) -> dict[str, Any]:
    leaf = step.why.ended is not None
    return {
        "path": written(path_of(tree, step.node)),
        "node": step.node,
        "kind": "leaf" if leaf else "inner",
        "rows": int_or_float(step.weight),
        "head": step.head(),
        "held": step.held(),
        "tally": _tally(step),
        "impurity": plain(step.impurity),
        "candidates": [
            {
                "column": one.best.column,
                "test": one.best.test,
                "gain": plain(one.best.gain),
                "score": plain(one.best.score),
                "branches": [
                    {"words": way.words, "rows": int_or_float(way.weight)} for way in one.ways
                ],
                "sum": one.arithmetic(step.weight),
            }
            for one in step.columns[:MOST_CANDIDATES]
        ],
        "columns": len(step.columns),
        "winner": None if leaf else step.why.chosen.column,
        "words": step.verdict,
    }


def _tally(step: Step) -> Any:
    if not step.amount.classes:
        mean = step.tally[0] / step.weight if step.weight else float("nan")
        return {"rows": int_or_float(step.weight), "mean": plain(mean), "sd": None}
    return [
        {"label": label, "rows": int_or_float(n), "share": n / step.weight if step.weight else None}
        for label, n in zip(step.amount.classes, step.tally, strict=True)
    ]
