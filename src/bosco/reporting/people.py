"""What people decided in a tree: their tests, answers, notes and locks, with their reasons."""

from typing import TYPE_CHECKING

import numpy as np

from bosco.base.language import retold, tr, trn
from bosco.base.visible import visible
from bosco.figures.looks import Looks, looks_of
from bosco.render.acted import say_act
from bosco.render.card import card, count, say_own, say_test, show_amount
from bosco.render.edited import WHAT_BY_HAND, WHAT_BY_ORDER, say_locked, say_loss
from bosco.render.html import Table
from bosco.reporting.parts import Part, fold, lines, paragraph, show

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_EDITS = 200
"""Rows of each table at most; what is left out is said."""


def people(model: "Model") -> Part:
    """The section: every test by hand, answer by order, note and lock."""
    edits = model.edits
    parts: list[Part] = []
    if edits.chosen:
        heads = [tr("node"), tr("test by hand"), tr("the learner's own"), tr("it gains more by")]
        heads.append(tr("reason"))
        rows = []
        for node in sorted(edits.chosen)[:MAX_EDITS]:
            by, test = edits.chosen[node], model.tree.test(node)
            assert test is not None
            own = visible(retold(by.instead)) or tr("to stop here")
            said = [say_test(model.schema, test), own, say_loss(by), visible(by.reason)]
            rows.append([f"[{node}]", *said])
        parts.append(show(Table(heads, rows, _first_large(WHAT_BY_HAND()))))
        parts += _left_out(len(edits.chosen))
    if edits.orders:
        heads = [tr("leaf"), tr("answers"), tr("what its rows say"), tr("training rows")]
        heads.append(tr("reason"))
        rows = []
        for node in sorted(edits.orders)[:MAX_EDITS]:
            said_there = card(model, node)
            amount = show_amount(said_there.rows, said_there.weight, said_there.noun)
            reason = visible(edits.orders[node].reason)
            own = say_own(said_there)
            rows.append([f"[{node}]", said_there.prediction, own, amount, reason])
        parts.append(show(Table(heads, rows, _first_large(WHAT_BY_ORDER()))))
        parts += _left_out(len(edits.orders))
    if edits.notes:
        notes = sorted(edits.notes.items())[:MAX_EDITS]
        rows = [[f"[{node}]", visible(text)] for node, text in notes]
        parts.append(
            show(Table([tr("node"), tr("note")], rows, tr("What was written beside nodes")))
        )
        parts += _left_out(len(edits.notes))
    if edits.locked:
        parts.append(paragraph(say_locked(edits.locked)))
    if edits.log:
        entries = count(len(edits.log), "entry")
        last = str(edits.log[-1].get("hash", ""))[:12]
        said_of_log = tr(
            "The log of all acts has {entries}, chained by hashes; the last is {hash}….",
            entries=entries,
            hash=last,
        )
        parts += [paragraph(said) for said in _say_looks(looks_of(edits.log))]
        parts.append(paragraph(said_of_log, "note"))
        parts.append(_acts(model))
    return lines(parts)


def _acts(model: "Model") -> Part:
    """Every act of the log: when, who, what, and why; of very many the last."""
    log = model.edits.log[-MAX_EDITS:]
    heads = [tr("entry"), tr("when"), tr("who"), tr("what"), tr("reason")]
    rows = [
        [
            str(entry.get("number", "")),
            visible(str(entry.get("when", ""))),
            visible(str(entry.get("who") or "–")),
            say_act(entry, model.schema),
            visible(str(entry.get("reason") or "")),
        ]
        for entry in log
    ]
    more = len(model.edits.log) - len(log)
    caption = tr("What was done, act by act")
    caption += f", {tr('the last {n}', n=len(log))}" if more else ""
    return fold(tr("The log"), show(Table(heads, rows, caption)), key="log")


def to_beware(model: "Model") -> list[str]:
    """What people decided, for the first screen: how much, and how many rows it decides on."""
    edits, said = model.edits, []
    if edits.orders:
        leaves = sorted(edits.orders)
        of_all = "" if model.census is None else _rows_there(model, leaves)
        said.append(
            trn(
                "{n} leaf answers by order, not by what the rows say{of_all}.",
                "{n} leaves answer by order, not by what the rows say{of_all}.",
                len(edits.orders),
                of_all=of_all,
            )
        )
    if model.classes is not None and model.decision:
        leaf = model.tree.native.test < 0
        said.append(
            trn(
                "{n} leaf answers {how}: another class than most of its rows are.",
                "{n} leaves answer {how}: another class than most of their rows are.",
                int(np.count_nonzero(model.turned & leaf)),
                how=model.decision.word,
            )
        )
    if edits.chosen:
        said.append(
            trn(
                "{n} test was chosen by hand, not by the learner.",
                "{n} tests were chosen by hand, not by the learner.",
                len(edits.chosen),
            )
        )
    return said


def _say_looks(looks: Looks) -> list[str]:
    """How often the rows that were set apart were looked at, where they were."""
    said = []
    if looks.validation:
        said.append(
            trn(
                "The validation rows were looked at {n} time while it was made.",
                "The validation rows were looked at {n} times while it was made.",
                looks.validation,
            )
        )
    if looks.test:
        said.append(
            trn(
                "The test part was looked at {n} time: that look was a test.",
                "The test part was looked at {n} times: only the first look was a test.",
                looks.test,
            )
        )
    return said


def _rows_there(model: "Model", leaves: list[int]) -> str:
    assert model.census is not None
    there, whole = (float(model.census.total[at].sum()) for at in (leaves, [0]))
    share = f"{100 * there / whole:.3g} %"
    return tr(", for {share} of the training rows", share=share)


def _first_large(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")


def _left_out(n: int) -> list[Part]:
    more = n - MAX_EDITS
    said = tr("{n} more are left out; model.edits has all.", n=more)
    return [paragraph(said, "note")] if more > 0 else []
