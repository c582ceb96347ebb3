"""Many trees in the report: one case item by item, and the case to type."""

from collections.abc import Callable
from typing import Any, NamedTuple

from markupsafe import Markup

from bosco.data.frame import Frame
from bosco.reasons.account import Account
from bosco.render.html import Table
from bosco.reporting.case import form, typical_case
from bosco.reporting.charts import signed
from bosco.reporting.importance import Drops
from bosco.reporting.page import Section, fill, lines, paragraph, show
from bosco.reporting.tree import column_facts, script_of
from bosco.tree.family import AnyModel

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
    parts.append(fill("another", asked=asked))
    return Section("one-case", "One case", lines(parts)), script, facts


def _typed(model: AnyModel) -> tuple[Markup, str, dict[str, Any]]:
    """A form, the script that answers it, and what that must know; or why there is none."""
    if model.n_leaves > MAX_LEAVES:
        said = f"The trees are too large to predict on this page: {model.n_leaves:,} leaves. "
        return paragraph(f"{said}bosco predict and model.predict do.", "note"), "", {}
    code, script, refusal = script_of(model)
    if code is None or not script:
        return paragraph(refusal, "note"), "", {}
    return form(model, code.used, "Predict", "the trees ask"), script, column_facts(code)


def _account(account: Account) -> Markup:
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
        more: list[object] = [rest, f"{len(left)} others together", ""]
        shown = [*rows[: begin + MAX_ITEMS], more, rows[-1]]
    table = Table(
        ["adds", "what", ""], shown, account.of[:1].upper() + account.of[1:], [len(shown) - 1]
    )
    return lines([show(table), *map(paragraph, account.rival())])
