"""The other sections: what is said of data, rules, leaves, pruning, and how to repeat it."""

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.base.language import phrase, tr, trn
from bosco.base.numerals import show_figure
from bosco.data.fingerprint import Fingerprint
from bosco.data.schema import Schema, show_label, show_level
from bosco.data.sketch import Sketch
from bosco.errors import ModelError
from bosco.figures.leaves import Leaves
from bosco.render.card import count, show_share, show_weight
from bosco.render.html import Table
from bosco.reporting.charts import interval
from bosco.reporting.parts import Cell, Part, fill, fold, lines, paragraph, show, verbatim
from bosco.rules.written import Written
from bosco.store.files import fingerprint
from bosco.tree.certificate import Certificate
from bosco.tree.family import AnyModel
from bosco.version import __version__

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_COLUMNS = 200
MAX_RULES = 100
MAX_LEAVES = 100
"""Rows of tables at most; what is left out is said."""


def data(model: AnyModel, understanding: Any, X: Any) -> Part:
    """The columns: as the reader of the file understood them, or as the model knows them."""
    if understanding is None:
        left = _left_out(len(model.schema.columns) - MAX_COLUMNS, _MORE_COLUMNS)
        return lines([show(_known(model, X)), *left])
    said, rows = understanding.to_dict(), []
    for c in said["columns"][:MAX_COLUMNS]:
        role = tr("target") if c["role"] == "target" else tr("weight")
        kind = c["kind"] if c["role"] == "input" else f"{c['kind']} ({role})".lstrip()
        levels = "–" if c["levels"] is None else c["levels"]
        missing = " ".join([str(c["missing"]), *map(repr, c["missing_spellings"])])
        missing = missing if c["missing"] else ""
        rows.append([c["name"], kind, c["values"], levels, missing, "; ".join(c["odd"])])
    heads = [tr("column"), tr("kind"), tr("values"), tr("distinct"), tr("missing", "values")]
    heads.append(tr("look at this"))
    caption = f"{said['source']}: {said['format']}, {tr('{n:,} rows', n=said['rows'])}"
    notes = [paragraph(note, "note") for note in said["notes"]]
    left = _left_out(len(said["columns"]) - MAX_COLUMNS, _MORE_COLUMNS)
    return lines([*notes, show(Table(heads, rows, caption)), *left])


def _known(model: AnyModel, X: Any) -> Table:
    seen = model.provenance.get("missing")
    cells = None if X is None else model.read(X).table
    heads = [tr("column"), tr("kind"), tr("values")]
    heads += [] if seen is None else [tr("missing in training")]
    rows = []
    for j, column in enumerate(model.schema.columns[:MAX_COLUMNS]):
        kind = column.kind if column.unit in ("number", "text") else f"{column.kind}, {column.unit}"
        kind = (
            kind
            if column.formula is None
            else f"{kind}, {tr('derived: {text}', text=column.formula.text)}"
        )
        levels = column.levels or ()
        more = f", {tr('… ({n} more)', n=len(levels) - 6)}" if len(levels) > 6 else ""
        values = ", ".join(map(show_level, levels[:6])) + more
        if column.levels is None and cells is not None:
            values = _range(model.schema, j, cells.column(j))
        missing = (
            []
            if seen is None
            else [tr("some", "values") if column.name in seen else tr("none", "values")]
        )
        rows.append([column.name, kind, values, *missing])
    if model.kind == "tree":  # many have a section of it
        heads.append(tr("part in the tree's gain"))
        asked = {model.schema.names[j] for j in model.program().used}
        for row, part in zip(rows, model.worth.tolist(), strict=False):
            told = "–" if np.isnan(part) else show_share(part)
            source = tr("derived from") if row[0] in model.columns_asked else tr("unused")
            row.append(told if row[0] in asked else source)
    caption = tr("The columns that the model was grown on")
    if cells is not None:
        n = len(cells.column(0))
        caption += f"; {tr('ranges are of the {n} rows given to the report', n=n)}"
    return Table(heads, rows, caption)


def _range(schema: Schema, j: int, cells: Any) -> str:
    """The smallest and the largest number of a column."""
    x = np.asarray(cells.values).astype(np.float64)
    x = x[~np.isnan(x)]
    if not len(x):
        return tr("none", "values")
    low, high = (schema.show_value(j, float(end)) for end in (x.min(), x.max()))
    return low if low == high else f"{low}\u00a0…\u00a0{high}"


def certificate(known: Certificate) -> Part:
    """What a search found out of its tree, among which trees."""
    unit = tr("weight wrong in training") if known.weighted else tr("training rows wrong")
    if known.numbers:
        unit = tr("squared error in training")
    figures = [
        [unit, show_figure(known.wrong)],
        *([] if known.cost is None else [[tr("what they cost"), show_figure(known.cost)]]),
        [tr("leaves"), f"{known.leaves}"],
        [tr("price of a leaf"), show_figure(known.alpha)],
        [
            tr("objective: wrong + price · leaves")
            if known.cost is None
            else tr("objective: cost + price · leaves"),
            show_figure(known.objective),
        ],
        [tr("no tree has an objective below"), show_figure(known.bound)],
        [tr("work: entries of columns looked at"), f"{known.work:,}"],
    ]
    words = map(paragraph, known.sentences)
    return lines([*words, show(Table([tr("figure"), tr("value")], figures, known.verdict))])


def rules(found: Written) -> Part:
    """The rules as the tree says them, and shortened; or what is left out, and why."""
    if found.before is None:
        return paragraph(found.note, "note")
    before, after = found.before, found.after
    short = before
    if after is not None and after.report is not None and after.report.shortened:
        short = after
    notes: list[Part] = [paragraph(found.note, "note")] if found.note else []
    if len(short) > MAX_RULES:
        said = tr("The tree has {n:,} rules", n=len(before))
        said += tr(", {n:,} after simplification", n=len(short)) if short is after else ""
        said += tr(
            ", too many to print: a page has at most {most}. model.rules() has them all.",
            most=MAX_RULES,
        )
        return lines([*notes, paragraph(said, "note")])
    parts = notes
    if after is not None and after.report is not None:
        (a, b), (c, d) = after.report.terms, after.report.conditions
        said = tr("{a} → {b} rules, {c} → {d} conditions", a=a, b=b, c=c, d=d)
        said += tr(", proved to decide every case as the tree does.")
        if after.report.hurried:
            said += " " + tr("Unfinished: {why}.", why=after.report.unfinished)
        parts.append(paragraph(said))
    parts.append(show(*short.tables()))
    if short is after and len(before) <= MAX_RULES:
        parts.append(fold(tr("Before simplification, a rule per leaf"), show(*before.tables())))
    elif short is before:
        parts.append(paragraph(tr("They could not be made shorter.")))
    return lines(parts)


def leaves(found: Leaves) -> Part:
    """Every leaf with the interval of its share or mean."""
    chosen = sorted(found, key=lambda leaf: -leaf.number)[:MAX_LEAVES]
    real = found.classes is None
    rows: list[list[object]] = []
    for leaf in chosen:
        said = show_figure(leaf.prediction) if real else show_label(leaf.prediction)
        bar = "" if real else interval(leaf.share, leaf.share_low, leaf.share_high)
        row = [Cell(fill("leaf", node=leaf.node), f"[{leaf.node}]"), said, show_weight(leaf.amount)]
        rows.append([*row, *leaf.in_words(real), bar, leaf.remark])
    interval_head = tr("{n:g} % interval", n=100 * found.confidence)
    heads = [tr("leaf"), tr("predicts"), found.amount_head, found.share_head, interval_head, "", ""]
    caption = tr("By {rows}; the largest leaf first", rows=found.whose)
    if found.seen is None:
        caption = tr("By those it was grown on, which flatter it; the largest leaf first")
    table = Table(heads, rows, caption)
    weak = len(found.weak)
    parts: list[Part] = [show(table), *_left_out(len(found) - MAX_LEAVES, _MORE_LEAVES)]
    if found.counting:
        parts.insert(0, paragraph(found.counting))
    if weak:
        few = trn(
            "{n} leaf of {all} has weak support: {weakly}.",
            "{n} leaves of {all} have weak support: {weakly}.",
            weak,
            all=len(found),
            weakly=found.weakly,
        )
        parts.insert(0, paragraph(few))
    return lines(parts)


def pruning(model: "Model") -> Part:
    """What was cut off, and why."""
    tables = model.pruning_log().tables()
    return show(*tables) if tables else paragraph(tr("Nothing was pruned."))


def repeat(model: AnyModel, command: str | None) -> Part:
    """What it takes to get the same model again, and to know that it is the same."""
    parts: list[Part] = []
    if command is not None:
        parts.append(paragraph(tr("This command makes the same choices:")))
        parts.append(verbatim(command, tr("The command")))
        if (cut := model.decision.cut) is not None and model.classes is not None:
            name = show_label(model.classes[cut.of])
            words = ["bosco", "at", "MODEL", "--threshold", f"{cut.at:.17g}", "--positive", name]
            parts.append(paragraph(tr("Its bar was set after that, which this does again:")))
            parts.append(verbatim(shlex.join(words), tr("The command")))
    about = dict(model.provenance)
    if "fingerprint" in about:
        rows = Fingerprint.read(about["fingerprint"])
        of = tr("of {n:,} different training rows", n=len(rows.keys))
        about["fingerprint"] = of if rows.below == 2**32 else f"{of}, {tr('a sample')}"
    if "sketch" in about:
        sketch = Sketch.read(about["sketch"], model.schema)
        columns = count(len(sketch.columns), "column")
        about["sketch"] = tr("of {n:,} training rows: {columns}", n=sketch.n_rows, columns=columns)
    known = [[name, _plain(value)] for name, value in about.items()]
    try:
        found = fingerprint(model.parts())
    except ModelError as error:  # such as a name that no file can hold
        found = f"{tr('none.', 'fingerprint')} {error}"
    known += [[tr("fingerprint of the model"), found]]
    known += [[tr("this report"), f"bosco {__version__}"]]
    heads = [tr("what"), tr("value")]
    parts.append(show(Table(heads, known, tr("Where the model comes from"))))
    settings = [[name, _plain(value)] for name, value in model.growth.to_dict().items()]
    heads, said = [tr("setting"), tr("value")], tr("As they were resolved; -1: no limit")
    table = show(Table(heads, settings, said))
    parts.append(fold(tr("All settings of the growth"), table))
    return lines(parts)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        text = ", ".join(map(str, value[:20])) + (", …" if len(value) > 20 else "")
        return text or tr("none", "values")
    return str(value)


_MORE_COLUMNS = phrase("Left out: {n} more columns.")
_MORE_LEAVES = phrase("Left out: {n} more leaves.")


def _left_out(n: int, say: Callable[..., str]) -> list[Part]:
    return [paragraph(say(n=n), "note")] if n > 0 else []
