"""Many trees in the report: what they ask, one case item by item, the case to type."""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.account import Account
from bosco.drawing import picture_of
from bosco.frame import Frame
from bosco.render.html import Markup, Table
from bosco.render.svg import to_svg
from bosco.reporting.charts import signed
from bosco.reporting.form import form
from bosco.reporting.importance import Drops, of_forest, of_points
from bosco.reporting.page import Section, fold, paragraph, show
from bosco.reporting.tree import column_facts, on_paper, script_of
from bosco.reporting.typical import typical_case
from bosco.schema import show_label

if TYPE_CHECKING:
    from bosco.forest import ForestModel
    from bosco.scoretable import ScoreTable

MAX_ANSWERS = 60
"""Answers of the score table in the open."""

MAX_LEAVES = 20_000
"""Leaves of all trees that the page can predict with; writing them down takes some seconds."""

MAX_ITEMS = 15
MAX_NODES = 25
"""Items of an account, and nodes of the picture of one tree."""

_UNIT = 2.0**40


def of_many(
    model: Any, frame: Frame | None, drops: Drops | None, case: Any
) -> tuple[list[Section], str, dict[str, Any]]:
    """The first sections, the model as JavaScript (or nothing), and what the page must know."""
    if hasattr(model, "lines"):
        parts = [
            Section("table", "The score table", _points(model)),
            Section("columns", "What it looks at", of_points(model, drops)),
        ]
    else:
        parts = [Section("columns", "What the trees look at", of_forest(model, drops))]
    body, script, facts = _case(model, frame, case)
    parts.append(Section("one-case", "One case", body))
    return parts, script, facts


def headline_of_many(model: Any) -> str:
    """How many trees, grown on what."""
    return str(model).partition("\n")[0]


def _points(model: "ScoreTable") -> str:
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
        answers = model.answers(line)
        groups.append(_group(answers, line.rounds, labels, widest))
        shown += len(answers)
        first += shown <= MAX_ANSWERS
    first = max(first, 1)
    head = f"points for {labels[1]}" if len(labels) == 2 else "points"
    parts = [paragraph(rule), _grouped(groups[:first], head, "The score table")]
    if first < len(groups):
        rest = _grouped(groups[first:], head, "The rest of the score table")
        what = "trees" if model.deep else "questions"
        parts.append(fold(f"{len(groups) - first} more {what}", rest))
    parts.append(
        paragraph(
            "Rounds that ask the same question are one, their points summed. Points are exact to "
            "2⁻⁴⁰ in the model; four decimals are shown.",
            "note",
        )
    )
    return "\n".join(parts)


def _gain(points: Any, n_classes: int) -> Any:
    """What is drawn: of two classes points for the second, else the largest of a class."""
    return points[:, 1] - points[:, 0] if n_classes == 2 else points.max(axis=1)


def _group(answers: Any, rounds: int, labels: list[str], widest: int) -> str:
    rows = []
    for at, (words, points) in enumerate(answers):
        gain = int(_gain(points[None], len(labels))[0])
        said = f"{gain / _UNIT:+.4f}"
        if len(labels) > 2:
            given = [k for k in np.argsort(-points, kind="stable").tolist() if points[k]]
            said = ", ".join(f"{points[k] / _UNIT:+.4f} {labels[k]}" for k in given) or "0"
        first = f'<td class="number" rowspan="{len(answers)}">{rounds}</td>' if at == 0 else ""
        rows.append(
            f'<tr><th scope="row">{escape(words)}</th><td class="number">{escape(said)}</td>'
            f"<td>{signed(gain / widest)}</td>{first}</tr>"
        )
    return f"<tbody>{''.join(rows)}</tbody>"


def _grouped(groups: list[str], head: str, what: str) -> str:
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{what}">'
        '<table class="bosco-table points"><thead><tr><th scope="col">answer</th>'
        f'<th scope="col" class="number">{escape(head)}</th><td></td>'
        f'<th scope="col" class="number">rounds</th></tr></thead>{"".join(groups)}</table></div>'
    )


def _case(model: Any, frame: Frame | None, case: Any) -> tuple[str, str, dict[str, Any]]:
    """How one case comes to its prediction, and a form for others."""
    parts = []
    if case is None and frame is not None:
        case = typical_case(frame)
        parts.append(
            paragraph(
                "A case made up from the rows given to the report: the middle number, or the most "
                "frequent level, of every column."
            )
        )
    if case is not None:
        parts.append(_account(model.explain(case)))
    asked, script, facts = _typed(model)
    parts.append(f'<div class="follow">\n<h3>Another case</h3>\n{asked}\n</div>')
    return "\n".join(parts), script, facts


def _typed(model: Any) -> tuple[str, str, dict[str, Any]]:
    """A form, the script that answers it, and what that must know; or why there is none."""
    if model.n_leaves > MAX_LEAVES:
        said = f"The trees are too large to predict on this page: {model.n_leaves:,} leaves. "
        return paragraph(f"{said}bosco predict and model.predict do.", "note"), "", {}
    code, script, refusal = script_of(model)
    if code is None or not script:
        return paragraph(refusal, "note"), "", {}
    return form(model, code.used, "Predict", "the trees ask"), script, column_facts(code)


def _account(account: Account) -> str:
    """What was added, item by item, each with a bar."""
    items = account.items
    widest = max((abs(item.adds) for item in items), default=0.0) or 1.0
    rows: list[list[object]] = [[said, what, Markup("")] for said, what in account.rows()]
    begin = len(rows) - 1 - len(items)
    for at, item in enumerate(items, begin):
        rows[at][2] = signed(item.adds / widest)
    shown = rows
    if len(items) > MAX_ITEMS:
        left = items[MAX_ITEMS:]
        rest = account.show(sum(item.adds for item in left), signed=True)
        more: list[object] = [rest, f"{len(left)} others together", Markup("")]
        shown = [*rows[: begin + MAX_ITEMS], more, rows[-1]]
    table = Table(
        ["adds", "what", ""], shown, account.of[:1].upper() + account.of[1:], [len(shown) - 1]
    )
    rival = "".join(paragraph(line) for line in account.rival())
    return show(table) + rival


def trees_of(model: "ForestModel | ScoreTable") -> list[Section]:
    """How large the trees of a forest are, and one of them."""
    return [] if hasattr(model, "lines") else [Section("trees", "The trees", _trees(model))]


def _trees(model: "ForestModel") -> str:
    sizes = [(tree.n_leaves, tree.max_depth) for tree in model.trees()]
    leaves, depth = (np.sort(column) for column in np.transpose(sizes))
    rows = [
        [name, str(x[0]), f"{np.median(x):g}", str(x[-1])]
        for name, x in (("leaves", leaves), ("depth", depth))
    ]
    heads = ["", "fewest", "median", "most"]
    table = show(Table(heads, rows, f"The {model.n_trees} trees"))
    drawn = picture_of(model.tree(0), max_nodes=MAX_NODES)
    picture = (
        '<div class="canvas" tabindex="0" role="group" aria-label="The first tree">'
        f"{on_paper(str(to_svg(drawn)))}</div>"
    )
    said = f"The top of the first tree, one of {model.n_trees}: no single one decides."
    return table + fold(said, picture)
