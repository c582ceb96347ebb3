"""Many trees in the report: what differs of forests and score tables, and one case item by item."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bosco.base.language import phrase, tr
from bosco.base.numerals import show_figure
from bosco.data.frame import Frame
from bosco.data.schema import show_label
from bosco.export.drawing import picture_of
from bosco.reasons.account import Account
from bosco.render.card import count, show_share, statistic
from bosco.render.html import Table
from bosco.render.mpl import figure_of
from bosco.reporting.case import form, typical_case
from bosco.reporting.charts import interval, signed
from bosco.reporting.importance import Drops, say_shuffled, table_of
from bosco.reporting.page import Section
from bosco.reporting.parts import Cell, Drawn, Part, Screen, fill, fold, lines, paragraph, show
from bosco.reporting.tree import column_facts, light, script_of
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.models.forest import ForestModel
    from bosco.models.scoretable import ScoreTable

MAX_LEAVES = 20_000
"""Leaves of all trees that the page can predict with; writing them down takes some seconds."""

MAX_ITEMS = 15
"""Items of an account."""


class Many(NamedTuple):
    """What a report says of one kind of many trees."""

    is_: Callable[[Any, str], str]  # a sentence, with what it learned from in it
    weighs: Callable[[float], str]  # what a column is worth, in words
    sections: Callable[[Any, Drops | None], list[Section]]


def one_case(
    model: AnyModel, frame: Frame | None, case: Any
) -> tuple[Section, str, dict[str, Any]]:
    """How one case comes to its prediction, and a form for others."""
    parts: list[Part] = []
    if case is None and frame is not None:
        case = typical_case(frame)
        parts.append(
            paragraph(
                tr(
                    "A case made up from the rows given to the report: the middle number, or the "
                    "most frequent level, of every column."
                )
            )
        )
    if case is not None:
        parts.append(_account(model.explain(case)))
    asked, script, facts = _typed(model)
    parts.append(Screen(fill("another", asked=asked)))
    return Section("one-case", tr("One case"), lines(parts)), script, facts


def _typed(model: AnyModel) -> tuple[Part, str, dict[str, Any]]:
    """A form, the script that answers it, and what that must know; or why there is none."""
    if model.n_leaves > MAX_LEAVES:
        said = tr(
            "The trees are too large to predict on this page: {n:,} leaves. bosco predict and "
            "model.predict do.",
            n=model.n_leaves,
        )
        return paragraph(said, "note"), "", {}
    code, script, refusal = script_of(model)
    if code is None or not script:
        return paragraph(refusal, "note"), "", {}
    return form(model, code.needed, many=True), script, column_facts(code)


def _account(account: Account) -> Part:
    """What was added, item by item, each with a bar."""
    items = account.items
    widest = max((abs(item.adds) for item in items), default=0.0) or 1.0
    rows: list[list[object]] = [[said, what, ""] for said, what in account.rows()]
    begin = len(rows) - 1 - len(items)
    for at, item in enumerate(items, begin):
        rows[at][2] = signed(item.adds / widest)
    shown = rows
    if len(items) > MAX_ITEMS:
        left = items[MAX_ITEMS:]
        rest = account.show(sum(item.adds for item in left), signed=True)
        more: list[object] = [rest, tr("{n} others together", n=len(left)), ""]
        shown = [*rows[: begin + MAX_ITEMS], more, rows[-1]]
    table = Table(
        [tr("adds"), tr("what"), ""],
        shown,
        account.of[:1].upper() + account.of[1:],
        [len(shown) - 1],
    )
    return lines([show(table), *map(paragraph, account.rival())])


# A forest: what its columns are worth, how large the trees are, and one of them ------------------

MAX_DRAWN = 25
"""Nodes of the picture of one tree."""

_BIASED = phrase(
    "The share of the decrease of impurity favours columns with many values, which offer more "
    "tests to choose from, and counts what was learned by heart. Columns that say the same share "
    "what they are worth, here and when they are shuffled."
)


def _is_forest(model: "ForestModel", learned: str) -> str:
    is_ = tr(
        "It is a forest of {trees} with {n:,} leaves in all{learned}",
        trees=count(model.n_trees, "tree"),
        n=model.n_leaves,
        learned=learned,
    )
    if model.classes is None and model.growth.medians:
        word = statistic(model.growth)
        how = tr("the answer is the mean of all trees, whose leaves say the {word}.", word=word)
    elif model.classes is None:
        how = tr("the answer is the mean of all trees.")
    elif model.vote == "mode":
        how = tr("the answer is decided by the votes of all trees.")
    else:
        how = tr("the answer is decided by the shares of all trees.")
    return f"{is_}: {how}"


def _shares(model: "ForestModel", drops: Drops | None) -> Part:
    """Each column's share of the decrease of impurity, with its spread over the trees."""
    each = np.array([tree.compute_feature_importances() for tree in model.trees()])
    asking = np.zeros(each.shape[1])
    for tree in model.trees():
        asking[tree.columns_asked] += 1
    shares = model.feature_importances
    low, high = np.quantile(each, [0.25, 0.75], axis=0)
    most = max(float(high.max()), float(shares.max())) or 1.0
    heads = [tr("column"), tr("share of the decrease"), tr("middle half of the trees"), ""]
    heads.append(tr("trees that ask"))
    rows: list[list[object]] = [
        [
            name,
            show_share(shares[j]),
            f"{show_share(low[j]).removesuffix(' %')} – {show_share(high[j])}",
            interval(shares[j] / most, low[j] / most, high[j] / most),
            show_share(float(asking[j] / model.n_trees)),
        ]
        for j, name in enumerate(model.schema.names)
    ]
    table = table_of(heads, rows, shares, drops, tr("The columns, by {n} trees", n=model.n_trees))
    return lines([table, paragraph(say_shuffled(drops) + _BIASED(), "note")])


def _trees(model: "ForestModel") -> Part:
    sizes = [(tree.n_leaves, tree.max_depth) for tree in model.trees()]
    leaves, depth = (np.sort(column) for column in np.transpose(sizes))
    rows = [
        [name, str(x[0]), f"{np.median(x):g}", str(x[-1])]
        for name, x in ((tr("leaves"), leaves), (tr("depth"), depth))
    ]
    heads = ["", tr("fewest"), tr("median"), tr("most")]
    table = show(Table(heads, rows, tr("The {n} trees", n=model.n_trees)))
    said = tr("The top of the first tree, one of {n}: no single one decides.", n=model.n_trees)
    drawn = picture_of(model.tree(0), max_nodes=MAX_DRAWN)
    picture = Screen(fill("canvas", picture=light(drawn)), Drawn(partial(figure_of, drawn), said))
    return lines([table, fold(said, picture)])


FOREST = Many(
    is_=_is_forest,
    weighs=lambda share: tr("{share} of the decrease of impurity", share=show_share(share)),
    sections=lambda model, drops: [
        Section("columns", tr("What the trees look at"), _shares(model, drops)),
        Section("trees", tr("The trees"), _trees(model)),
    ],
)


# A score table: every question with its points, and what they say of the columns -----------------

MAX_ANSWERS = 60
"""Answers of the score table in the open."""


def _is_table(model: "ScoreTable", learned: str) -> str:
    rounds = sum(line.rounds for line in model.lines)
    what = count(len(model.lines), "tree" if model.deep else "question")
    return tr(
        "It is a table of {what} from {rounds} of boosting{learned}: each answer of a case gives "
        "points, and their sum decides.",
        what=what,
        rounds=count(rounds, "round"),
        learned=learned,
    )


def _points(model: "ScoreTable") -> Part:
    """Every question with the points of its answers, the weightiest first."""
    labels = [show_label(label) for label in model.classes]
    if len(labels) == 2:
        rule = tr(
            "Add up the points of a case: {b} if they sum to 0 or more, else {a}.",
            a=labels[0],
            b=labels[1],
        )
        if model.decision:
            rule = tr("Add up the points of a case: {bar}.", bar=model.bar(labels))
    else:
        rule = tr(
            "Add up the points of a case: the class with the most is predicted, of equals the "
            "first."
        )
    groups, shown, first = [], 0, 0
    widest = max(int(np.abs(_gain(line.points, len(labels))).max()) for line in model.lines) or 1
    for line in model.lines:
        answers = []  # each in words, its points, a bar of them
        for words, points in model.answers(line):
            bar = signed(int(_gain(points[None], len(labels))[0]) / widest)
            answers.append((words, model.say_points(points, labels), bar))
        groups.append((line.rounds, answers))
        shown += len(answers)
        first += shown <= MAX_ANSWERS
    first = max(first, 1)
    head = tr("points for {answer}", answer=labels[1]) if len(labels) == 2 else tr("points")
    parts: list[Part] = [paragraph(rule), _table(groups[:first], head, tr("The score table"))]
    if first < len(groups):
        what = tr("The rest of the score table")
        rest = _table(groups[first:], head, what)
        more = tr("{n} more questions", n=len(groups) - first)
        if model.deep:
            more = tr("{n} more trees", n=len(groups) - first)
        parts.append(fold(more, rest))
    parts.append(
        paragraph(
            tr(
                "Rounds that ask the same question are one, their points summed. Points are exact "
                "to 2⁻⁴⁰ in the model; four decimals are shown."
            ),
            "note",
        )
    )
    return lines(parts)


def _table(groups: list[tuple[int, list[tuple[str, str, Cell]]]], head: str, what: str) -> Part:
    """Questions with their answers: on a page, the answers of one stand together."""
    rows = [
        [words, points, str(rounds) if nth == 0 else ""]
        for rounds, answers in groups
        for nth, (words, points, _) in enumerate(answers)
    ]
    html = fill("points", groups=groups, head=head, what=what)
    return Screen(html, show(Table([tr("answer"), head, tr("rounds")], rows, what)))


def _gain(points: Any, n_classes: int) -> Any:
    """What is drawn: of two classes points for the second, else the largest of a class."""
    return points[:, 1] - points[:, 0] if n_classes == 2 else points.max(axis=1)


def _moves(model: "ScoreTable", drops: Drops | None) -> Part:
    """How many points each column can move."""
    asked = np.zeros(len(model.schema.columns), np.int64)
    moves = model.worth
    for line in model.lines:
        asked[sorted(set(line.tree.native.tests.column.tolist()))] += 1
    asks = tr("trees that ask") if model.deep else tr("questions")
    heads = [tr("column"), asks, tr("points it can move")]
    rows: list[list[object]] = [
        [name, str(asked[j]), f"{moves[j]:.4f}" if asked[j] else tr("unused")]
        for j, name in enumerate(model.schema.names)
    ]
    said = tr(
        "A column can move the points from its worst answers to its best, all questions together."
    )
    said += f" {tr('A tree of several columns counts for each of them.')}" * model.deep
    caption = tr("The columns, by the points of their answers")
    table = table_of(heads, rows, moves, drops, caption)
    return lines([table, paragraph(say_shuffled(drops) + said, "note")])


POINTS = Many(
    is_=_is_table,
    weighs=lambda points: tr("its answers move up to {n} points", n=show_figure(points, 3)),
    sections=lambda model, drops: [
        Section("table", tr("The score table"), _points(model)),
        Section("columns", tr("What it looks at"), _moves(model, drops)),
    ],
)


KINDS = {"forest": FOREST, "score_table": POINTS}
