"""What to beware of, for the first screen of a report: what the checks of a page found."""

from typing import TYPE_CHECKING

import numpy as np

from bosco.base.language import tr, trn
from bosco.base.visible import visible
from bosco.errors import ModelError
from bosco.figures.leaves import Leaves
from bosco.render.card import say_test, show_share
from bosco.reporting.scores import Scores

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.stability import Stability
    from bosco.models.model import Model
    from bosco.tables.understanding import Understanding

MOST_WARNINGS = 3
"""So many oddities of the table are repeated."""

MAX_LEVELS = 3
"""Levels of a set that are spelled out."""

RARE = 0.5
"""A class of which less is found is worth a warning; and a first question that comes back less."""


def of_rows(scores: Scores | None, evaluation: "Evaluation | None") -> list[str]:
    """What the rows that judged it were, and whether it beats the constant answer."""
    said = [] if evaluation is None else list(evaluation.no_better)
    if scores is None:
        none = evaluation is None
        return [tr("Nothing on this page tells how it does on other rows.")] if none else said
    judged = scores.judged
    learned = judged.seen.state == "learned" and not judged.untouched
    if learned and not judged.seen.sampled:
        said.append(tr("It was judged by rows that it learned from, which is no test."))
    elif judged.against:
        said.append(judged.against)
    if judged.untouched or judged.seen.state in ("fresh", "mixed"):
        return said + _missed(scores)
    if judged.seen.sampled:
        said.append(
            tr(
                "Of the rows that judged it, those that can be told of ({n:,} of {all:,}) are rows "
                "that it learned from; if the others are, too, this is no test.",
                n=judged.seen.n_looked,
                all=judged.seen.rows,
            )
        )
    elif not judged.seen.known:
        said.append(
            tr(
                "Whether it learned from the rows that judged it is not known; if so, the figures "
                "flatter it."
            )
        )
    return said + _missed(scores)


def _missed(scores: Scores) -> list[str]:
    if scores.confusion is None:
        return []
    rows = scores.confusion.sum(axis=1)
    shares = np.diag(scores.confusion) / np.maximum(rows, 1)
    n = int(np.count_nonzero((rows > 0) & (shares < RARE)))
    if not n:
        return []
    return [
        trn(
            "It misses more than half of one class: see the confusion matrix.",
            "It misses more than half of {n} classes: see the confusion matrix.",
            n,
        )
    ]


def of_support(leaves: Leaves) -> list[str]:
    """How many leaves rest on few rows."""
    weak = len(leaves.weak)
    if not weak or len(leaves) == 1:
        return []
    return [
        trn(
            "{n} leaf of {all} rests on {weakly}.",
            "{n} leaves of {all} rest on {weakly}.",
            weak,
            all=len(leaves),
            weakly=leaves.weakly,
        )
    ]


def of_the_first(model: "Model") -> list[str]:
    """Whether another first question was nearly as good."""
    if model.tree.node_count == 1:
        return []
    try:
        found = model.why(0)
    except ModelError:
        return []
    near = [c for c in found if c.near_tie]
    test = model.tree.test(0)
    if not near or test is None:
        return []
    first, other = say_test(model.schema, test, MAX_LEVELS), near[0].test
    return [
        tr(
            "Its first question ({first}) was nearly another ({other}): on other rows it may be.",
            first=first,
            other=other,
        )
    ]


def of_samples(stability: "Stability | None") -> list[str]:
    """Whether the first question hangs on the sample."""
    if stability is None or stability.root_same >= RARE:
        return []
    share = show_share(stability.root_same)
    return [
        tr(
            "The column of its first question comes back in {share} of the samples only: the tree "
            "is unsteady.",
            share=share,
        )
    ]


def of_table(understanding: "Understanding | None") -> list[str]:
    """What is odd about the table."""
    if understanding is None:
        return []
    notes = [*understanding.notes]
    notes += [f"{visible(c.name)}: {note}" for c in understanding.columns for note in c.odd]
    more = len(notes) - MOST_WARNINGS
    rest = [tr("{n} more in “The data as understood”.", n=more)] if more > 0 else []
    return [*notes[:MOST_WARNINGS], *rest]
