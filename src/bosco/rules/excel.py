"""Rules as a workbook of Excel: a line each, with cells that people can filter by.

A column that is asked for has its bounds, or its levels, in cells of their own, as numbers and text
that are exactly the rule's. Text never acts: what begins as a formula does is kept as text, also
when somebody types into its cell.
"""

import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.base.language import phrase, tr
from bosco.base.numerals import show_number
from bosco.base.safe_files import whole_file
from bosco.base.visible import visible
from bosco.data.column import Column
from bosco.data.schema import Schema, show_level
from bosco.errors import ParameterError
from bosco.render.card import quote
from bosco.rules.rule import Rule
from bosco.rules.write import bracketed, say_by, shown, unseen_note
from bosco.tree.conditions import Condition, Interval

if TYPE_CHECKING:
    from bosco.models.model import Model
    from bosco.rules.ruleset import RuleSet

_ROWS, _COLUMNS, _LETTERS = 1_048_576, 16_384, 32_767
"""What a sheet, and a cell, has room for."""
_ACTS = ("=", "+", "-", "@", "\t", "\r")
"""How text begins that a spreadsheet may take for a formula."""
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_WIDEST = 60
_SMALLEST, _LARGEST = 2.3e-308, 9.9e307
"""Numbers that a sheet has; smaller ones it takes for 0."""
_FIRST_DAY, _EPOCH = -25_508, 25_569  # 1900-03-01, from which Excel's days are right; 1970-01-01

_YES, _NO, _ONLY = phrase("yes"), phrase("no"), phrase("only")


def to_excel(
    rules: "RuleSet",
    path: str | os.PathLike[str],
    *,
    missing: bool = True,
    about: Mapping[str, Any] | None = None,
) -> None:
    """A workbook (.xlsx): a sheet with a line a rule, and one of figures. Needs openpyxl.

    An empty cell of a condition asks nothing. Numbers are the bounds themselves, to the last bit.

    Parameters
    ----------
    path : str or path
        Where to write; whole or not at all.
    missing : bool, default=True
        Say where missing values go. If not, the rules are those for rows without any.
    about : mapping, optional
        What the sheet of figures is to say besides: names to numbers or texts.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise ImportError(
            "to_excel needs openpyxl. Hint: pip install 'bosco[excel]', or pip install openpyxl."
        ) from error
    lines = _lines(rules, missing)
    if len(lines) > _ROWS or len(lines[0]) > _COLUMNS:
        raise ParameterError(
            f"{len(lines) - 1:,} rules with {len(lines[0]):,} columns are more than a sheet has "
            f"room for: {_ROWS:,} lines and {_COLUMNS:,} columns. Hint: simplify(), or to_dict()."
        )
    book = Workbook()
    _fill(book.active, tr("Rules"), lines, filtered=True)
    _fill(book.create_sheet(), tr("Figures"), _figures(rules, missing, about or {}))
    with whole_file(path) as file:
        book.save(file)


def said_of(model: "Model") -> dict[str, Any]:
    """What a workbook says of the model besides its rules."""
    known = model.provenance
    said = {
        tr("target"): known.get("target"),
        tr("table"): known.get("source"),
        tr("leaves"): model.n_leaves,
        tr("depth"): model.depth,
        tr("grown by", "command"): known.get("command"),
    }
    return {name: value for name, value in said.items() if value is not None}


def _lines(rules: "RuleSet", missing: bool) -> list[list[Any]]:
    """Heads, and the cells of each rule."""
    kept = shown(rules, missing)
    asked = sorted({c.column for rule in kept for c in rule.conditions})
    ways = {j: _ways(rules.schema.columns[j], _of(kept, j)) for j in asked}
    order = any(rule.by_order or rule.turned for rule in kept)
    heads = [tr("rule"), *(head for j in asked for head in ways[j])]
    heads += [tr("then"), tr("support"), tr("confidence")]
    ordered = any(rule.by_order for rule in kept)
    heads += [tr("by order", "column") if ordered else rules.decision.word] * order
    heads += [tr("in words")]
    lines: list[list[Any]] = [heads]
    for number, rule in enumerate(kept, 1):
        conditions = {c.column: c for c in rule.conditions}
        cells = [
            cell
            for j in asked
            for cell in _cells(rules.schema.columns[j], conditions.get(j), ways[j])
        ]
        said = [bracketed(rules.schema, c, rules.unseen_columns) for c in rule.conditions]
        end = [rule.answer, rule.support, rule.confidence, *[say_by(rules, rule)] * order]
        lines.append([number, *cells, *end, tr(" and ").join(said) or tr("always")])
    if rules.default is not None:
        blank = [None] * (len(heads) - 5 - order)
        words = tr("else") if rules.ordered else tr("otherwise")
        lines.append([len(kept) + 1, *blank, rules.default, None, None, *[None] * order, words])
    return lines


def _of(rules: Sequence[Rule], j: int) -> list[Condition]:
    """What rules ask of a column."""
    return [c for rule in rules for c in rule.conditions if c.column == j]


def _ways(column: Column, conditions: list[Condition]) -> dict[str, str]:
    """The heads that a column of the table needs, and what stands below each."""
    name, found = visible(column.name), {}
    if column.levels is not None:
        found[tr("{column} is", column=name)] = "levels"
    else:
        bounds = [c for c in conditions if isinstance(c, Interval)]
        if any(c.low is not None for c in bounds):
            found[f"{name} >"] = "low"
        if any(c.high is not None for c in bounds):
            found[f"{name} ≤"] = "high"
    if any(c.missing or _any_known(column, c) for c in conditions):
        found[tr("{column} missing", column=name)] = "missing"
    return found


def _any_known(column: Column, condition: Condition) -> bool:
    """Whether a condition asks only that there is a value."""
    if isinstance(condition, Interval):
        return condition.low is None and condition.high is None
    return len(condition.codes) == len(column.levels or ())


def _cells(column: Column, condition: Condition | None, ways: Mapping[str, str]) -> list[Any]:
    """What a rule asks of a column, a cell for each way; empty where it asks nothing."""
    if condition is None:
        return [None] * len(ways)
    alone = not isinstance(condition, Interval) and not condition.codes
    gone = _ONLY() if alone else _YES() if condition.missing else _NO()
    bounds = (None, None)
    if isinstance(condition, Interval) and column.levels is None:
        low, high = condition.low, condition.high
        bounds = (_bound(column, low), _bound(column, high))
    made = {
        "low": bounds[0],
        "high": bounds[1],
        "levels": None if column.levels is None else _levels(column, condition),
        "missing": gone,
    }
    return [made[way] for way in ways.values()]


def _levels(column: Column, condition: Condition) -> Any:
    """The levels that a condition allows: one as it is, several beside each other."""
    levels = column.levels or ()
    found = [levels[at] for at in condition.places(len(levels))]
    if len(found) == 1:
        one = found[0]
        return (
            one if isinstance(one, int | float) and not isinstance(one, bool) else show_level(one)
        )
    return ", ".join(map(quote, found)) or None


class _Day(float):
    """A number that Excel shows as a day."""


def _bound(column: Column, x: float | None) -> Any:
    """A bound as a number or a day where Excel has it exactly, else as text."""
    if x is None:
        return None
    if column.unit == "date" and x >= _FIRST_DAY and (2 * x).is_integer():
        return _Day(x + _EPOCH)
    if column.unit == "number" and math.isfinite(x):
        return float(x)
    return Schema((column,), named=True).show_value(0, x)


def _figures(rules: "RuleSet", missing: bool, about: Mapping[str, Any]) -> list[list[Any]]:
    """How many rules there are for what, and what they are about."""
    kept = shown(rules, missing)
    lines: list[list[Any]] = [[tr("figure"), tr("value")]]
    lines += [[name, value] for name, value in about.items()]
    lines.append([tr("rules"), len(kept)])
    lines.append([tr("conditions"), sum(len(rule.conditions) for rule in kept)])
    if rules.ordered:
        lines.append([tr("order"), tr("Decision list, the first rule that holds decides")])
    if rules.default is not None:
        lines.append([tr("otherwise"), rules.default])
    if rules.report is not None:
        lines.append([tr("shortened"), str(rules.report)])
    lines += [
        [tr("note"), note]
        for note in (missing and unseen_note(rules), *rules.meanings, *rules.deciding)
        if note
    ]
    apart = rules.report is None  # shortened rules may share rows, which must not be counted twice
    heads = [tr("answer"), tr("rules"), tr("conditions")]
    lines += [[], [*heads, *[tr("support"), tr("confidence")] * apart]]
    for answer in rules.answers():
        own = [rule for rule in kept if rule.answer == answer]
        line = [answer, len(own), sum(len(rule.conditions) for rule in own)]
        lines.append(line + (_behind(own) if apart else []))
    said = tr(
        "Support: training rows behind a rule. Confidence: the share of them with its answer."
    )
    return [*lines, [], [said], [tr("An empty cell of a condition asks nothing.")]]


def _behind(rules: Sequence[Rule]) -> list[Any]:
    """The rows behind some rules that share none, and the share that has their answer."""
    supports = [rule.support for rule in rules]
    if not supports or any(s is None for s in supports):
        return [None, None]
    rows = math.fsum(s for s in supports if s is not None)
    sure = [(rule.confidence, rule.support) for rule in rules]
    if not rows or any(c is None for c, _ in sure):
        return [rows, None]
    return [rows, math.fsum((c or 0.0) * (s or 0.0) for c, s in sure) / rows]


# The sheet ----------------------------------------------------------------------------------------


def _fill(sheet: Any, title: str, lines: list[list[Any]], *, filtered: bool = False) -> None:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet.title = title
    for r, line in enumerate(lines, 1):
        for c, value in enumerate(line, 1):
            if value is not None and value != "":
                _put(sheet.cell(r, c), value)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for c in range(1, sheet.max_column + 1):
        texts = [len(str(line[c - 1])) for line in lines[:200] if c <= len(line) and line[c - 1]]
        longest = max(texts, default=0) if filtered or c > 1 else 24
        sheet.column_dimensions[get_column_letter(c)].width = min(max(longest, 6) + 2, _WIDEST)
    if filtered:
        sheet.freeze_panes = "B2"
        sheet.auto_filter.ref = sheet.dimensions


def _put(cell: Any, value: Any) -> None:
    """Write a number as such, anything else as text that stays text."""
    if isinstance(value, np.generic):
        value = value.item()
    if _fits(value):
        cell.value = float(value) if isinstance(value, _Day) else value
        if isinstance(value, _Day):
            cell.number_format = "yyyy-mm-dd" if value.is_integer() else "yyyy-mm-dd hh:mm"
        return
    if isinstance(value, float):
        value = show_number(value)
    text = value if isinstance(value, str) else show_level(value)
    text = _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))
    text = _ESCAPE.sub("_x005F_", text)
    if len(text) > _LETTERS:
        text = f"{text[: _LETTERS - 1]}…"
    cell.value = text
    cell.data_type = "s"
    if text.startswith(_ACTS):
        cell.number_format = "@"
        cell.quotePrefix = True


def _fits(value: Any) -> bool:
    """Whether Excel has the very number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    if isinstance(value, int):
        return abs(value) <= 2**53
    return value == 0 or _SMALLEST <= abs(value) <= _LARGEST
