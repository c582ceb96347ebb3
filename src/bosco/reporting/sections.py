"""The other sections: what is said of data, rules, leaves, pruning, and how to repeat it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from bosco.base.numerals import show_figure
from bosco.data.fingerprint import Fingerprint
from bosco.data.schema import Schema, show_label, show_level
from bosco.errors import ModelError
from bosco.figures.leaves import Leaves
from bosco.render.card import count, show_share, show_weight
from bosco.render.html import Table
from bosco.reporting.charts import interval
from bosco.reporting.page import fill, fold, lines, paragraph, show, verbatim
from bosco.rules.written import Written
from bosco.store.files import fingerprint
from bosco.tree.family import AnyModel
from bosco.version import __version__

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_COLUMNS = 200
MAX_RULES = 100
MAX_LEAVES = 100
"""Rows of tables at most; what is left out is said."""


def data(model: AnyModel, understanding: Any, X: Any) -> Markup:
    """The columns: as the reader of the file understood them, or as the model knows them."""
    if understanding is None:
        left = _left_out(len(model.schema.columns), MAX_COLUMNS, "columns")
        return lines([show(_known(model, X)), *left])
    said, rows = understanding.to_dict(), []
    for c in said["columns"][:MAX_COLUMNS]:
        kind = c["kind"] if c["role"] == "input" else f"{c['kind']} ({c['role']})".lstrip()
        levels = "–" if c["levels"] is None else c["levels"]
        missing = " ".join([str(c["missing"]), *map(repr, c["missing_spellings"])])
        missing = missing if c["missing"] else ""
        rows.append([c["name"], kind, c["values"], levels, missing, "; ".join(c["odd"])])
    heads = ["column", "kind", "values", "distinct", "missing", "look at this"]
    caption = f"{said['source']}: {said['format']}, {said['rows']:,} rows"
    notes = [paragraph(note, "note") for note in said["notes"]]
    left = _left_out(len(said["columns"]), MAX_COLUMNS, "columns")
    return lines([*notes, show(Table(heads, rows, caption)), *left])


def _known(model: AnyModel, X: Any) -> Table:
    seen = model.provenance.get("missing")
    cells = None if X is None else model.read(X).table
    heads = ["column", "kind", "values", *([] if seen is None else ["missing in training"])]
    rows = []
    for j, column in enumerate(model.schema.columns[:MAX_COLUMNS]):
        kind = column.kind if column.unit in ("number", "text") else f"{column.kind}, {column.unit}"
        levels = column.levels or ()
        more = f", … ({len(levels) - 6} more)" if len(levels) > 6 else ""
        values = ", ".join(map(show_level, levels[:6])) + more
        if column.levels is None and cells is not None:
            values = _range(model.schema, j, cells.column(j))
        missing = [] if seen is None else ["some" if column.name in seen else "none"]
        rows.append([column.name, kind, values, *missing])
    if model.kind == "tree":  # many have a section of it
        heads.append("part in the tree's gain")
        for row, part in zip(rows, model.worth.tolist(), strict=False):
            told = "–" if np.isnan(part) else show_share(part)
            row.append(told if row[0] in model.columns_asked else "unused")
    caption = "The columns that the model was grown on"
    if cells is not None:
        caption += f"; ranges are of the {len(cells.column(0))} rows given to the report"
    return Table(heads, rows, caption)


def _range(schema: Schema, j: int, cells: Any) -> str:
    """The smallest and the largest number of a column."""
    x = np.asarray(cells.values).astype(np.float64)
    x = x[~np.isnan(x)]
    if not len(x):
        return "none"
    low, high = (schema.show_value(j, float(end)) for end in (x.min(), x.max()))
    return low if low == high else f"{low}\u00a0…\u00a0{high}"


def rules(found: Written) -> Markup:
    """The rules as the tree says them, and shortened; or what is left out, and why."""
    if found.before is None:
        return paragraph(found.note, "note")
    before, after = found.before, found.after
    short = before
    if after is not None and after.report is not None and after.report.shortened:
        short = after
    notes = [paragraph(found.note, "note")] if found.note else []
    if len(short) > MAX_RULES:
        said = f"The tree has {len(before):,} rules"
        said += f", {len(short):,} after simplification" if short is after else ""
        said += f", too many to print: a page has at most {MAX_RULES}. model.rules() has them all."
        return lines([*notes, paragraph(said, "note")])
    parts = notes
    if after is not None and after.report is not None:
        (a, b), (c, d) = after.report.terms, after.report.conditions
        said = f"{a} → {b} rules, {c} → {d} conditions, "
        said += "proved to decide every case as the tree does."
        said += f" Unfinished: {after.report.unfinished}." if after.report.hurried else ""
        parts.append(paragraph(said))
    parts.append(show(*short.tables()))
    if short is after and len(before) <= MAX_RULES:
        parts.append(fold("Before simplification, a rule per leaf", show(*before.tables())))
    elif short is before:
        parts.append(paragraph("They could not be made shorter."))
    return lines(parts)


def leaves(found: Leaves) -> Markup:
    """Every leaf with the interval of its share or mean."""
    chosen = sorted(found, key=lambda leaf: -leaf.number)[:MAX_LEAVES]
    real = found.classes is None
    rows: list[list[object]] = []
    for leaf in chosen:
        said = show_figure(leaf.prediction) if real else show_label(leaf.prediction)
        bar = "" if real else interval(leaf.share, leaf.share_low, leaf.share_high)
        row = [fill("leaf", node=leaf.node), said, show_weight(leaf.amount)]
        rows.append([*row, *leaf.in_words(real), bar, leaf.remark])
    rows_head = "weight" if found.basis == "weight" else f"{found.noun}s"
    interval_head = f"{100 * found.confidence:g} % interval"
    heads = ["leaf", "predicts", rows_head, found.share_head, interval_head, "", ""]
    said = "those it was grown on, which flatter it" if found.seen is None else found.whose
    table = Table(heads, rows, f"By {said}; the largest leaf first")
    weak = len(found.weak)
    parts = [show(table), *_left_out(len(found), MAX_LEAVES, "leaves")]
    if found.counting:
        parts.insert(0, paragraph(found.counting))
    if weak:
        n = count(weak, "leaf")
        verb = "has" if weak == 1 else "have"
        few = f"{n} of {len(found)} {verb} weak support: {found.weakly}."
        parts.insert(0, paragraph(few))
    return lines(parts)


def pruning(model: "Model") -> Markup:
    """What was cut off, and why."""
    tables = model.pruning_log().tables()
    return show(*tables) if tables else paragraph("Nothing was pruned.")


def repeat(model: AnyModel, command: str | None) -> Markup:
    """What it takes to get the same model again, and to know that it is the same."""
    parts = []
    if command is not None:
        parts.append(paragraph("This command makes the same choices:"))
        parts.append(verbatim(command, "The command"))
    about = dict(model.provenance)
    if "fingerprint" in about:
        rows = Fingerprint.read(about["fingerprint"])
        some = "" if rows.below == 2**32 else ", a sample"
        about["fingerprint"] = f"of {len(rows.keys):,} different training rows{some}"
    known = [[name, _plain(value)] for name, value in about.items()]
    try:
        found = fingerprint(model.parts())
    except ModelError as error:  # such as a name that no file can hold
        found = f"none. {error}"
    known += [["fingerprint of the model", found], ["this report", f"bosco {__version__}"]]
    parts.append(show(Table(["what", "value"], known, "Where the model comes from")))
    settings = [[name, _plain(value)] for name, value in model.growth.to_dict().items()]
    table = show(Table(["setting", "value"], settings, "As they were resolved; -1: no limit"))
    parts.append(fold("All settings of the growth", table))
    return lines(parts)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        text = ", ".join(map(str, value[:20])) + (", …" if len(value) > 20 else "")
        return text or "none"
    return str(value)


def _left_out(n: int, most: int, what: str) -> list[Markup]:
    return [paragraph(f"Left out: {n - most} more {what}.", "note")] if n > most else []
