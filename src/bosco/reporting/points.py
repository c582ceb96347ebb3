"""A score table in the report: every question with its points, and what they say of the columns."""

from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.render.card import count
from bosco.reporting.charts import signed
from bosco.reporting.importance import Drops, say_shuffled, table_of
from bosco.reporting.many import Many
from bosco.reporting.page import Section, fill, fold, lines, paragraph

if TYPE_CHECKING:
    from bosco.models.scoreline import ScoreLine
    from bosco.models.scoretable import ScoreTable

MAX_ANSWERS = 60
"""Answers of the score table in the open."""


def _is(model: "ScoreTable", learned: str) -> str:
    rounds = sum(line.rounds for line in model.lines)
    what = count(len(model.lines), "tree" if model.deep else "question")
    return (
        f"It is a table of {what} from {count(rounds, 'round')} of boosting{learned}: each "
        "answer of a case gives points, and their sum decides."
    )


def _points(model: "ScoreTable") -> Markup:
    """Every question with the points of its answers, the weightiest first."""
    labels = [show_label(label) for label in model.classes]
    if len(labels) == 2:
        rule = f"Add up the points of a case: {labels[1]} if they sum to 0 or more, else "
        rule += f"{labels[0]}."
    else:
        rule = "Add up the points of a case: the class with the most is predicted, of equals the "
        rule += "first."
    groups, shown, first = [], 0, 0
    widest = max(int(np.abs(_gain(line.points, len(labels))).max()) for line in model.lines) or 1
    for line in model.lines:
        groups.append(_group(model, line, labels, widest))
        shown += len(groups[-1][1])
        first += shown <= MAX_ANSWERS
    first = max(first, 1)
    head = f"points for {labels[1]}" if len(labels) == 2 else "points"
    first_table = fill("points", groups=groups[:first], head=head, what="The score table")
    parts = [paragraph(rule), first_table]
    if first < len(groups):
        rest = fill("points", groups=groups[first:], head=head, what="The rest of the score table")
        what = "trees" if model.deep else "questions"
        parts.append(fold(f"{len(groups) - first} more {what}", rest))
    parts.append(
        paragraph(
            "Rounds that ask the same question are one, their points summed. Points are exact to "
            "2⁻⁴⁰ in the model; four decimals are shown.",
            "note",
        )
    )
    return lines(parts)


def _gain(points: Any, n_classes: int) -> Any:
    """What is drawn: of two classes points for the second, else the largest of a class."""
    return points[:, 1] - points[:, 0] if n_classes == 2 else points.max(axis=1)


def _group(
    model: "ScoreTable", line: "ScoreLine", labels: list[str], widest: int
) -> tuple[int, list[tuple[str, str, Markup]]]:
    """A question's rounds, and each of its answers: in words, its points, a bar of them."""
    return line.rounds, [
        (
            words,
            model.say_points(points, labels),
            signed(int(_gain(points[None], len(labels))[0]) / widest),
        )
        for words, points in model.answers(line)
    ]


def _columns(model: "ScoreTable", drops: Drops | None) -> Markup:
    """How many points each column can move."""
    asked = np.zeros(len(model.schema.columns), np.int64)
    moves = model.worth
    for line in model.lines:
        asked[sorted(set(line.tree.native.tests.column.tolist()))] += 1
    heads = ["column", "trees that ask" if model.deep else "questions", "points it can move"]
    rows: list[list[object]] = [
        [name, str(asked[j]), f"{moves[j]:.4f}" if asked[j] else "unused"]
        for j, name in enumerate(model.schema.names)
    ]
    said = (
        "A column can move the points from its worst answers to its best, all questions together."
    )
    if model.deep:
        said += " A tree of several columns counts for each of them."
    table = table_of(heads, rows, moves, drops, "The columns, by the points of their answers")
    return lines([table, paragraph(say_shuffled(drops) + said, "note")])


POINTS = Many(
    is_=_is,
    weighs=lambda points: f"its answers move up to {show_figure(points, 3)} points",
    sections=lambda model, drops: [
        Section("table", "The score table", _points(model)),
        Section("columns", "What it looks at", _columns(model, drops)),
    ],
)
