"""The trees as good as the one of the report: which column they ask first, where they differ."""

from math import isinf
from typing import TYPE_CHECKING

from bosco.base.language import tr
from bosco.render.html import Table
from bosco.reporting.charts import signed
from bosco.reporting.parts import Part, fold, lines, paragraph, show

if TYPE_CHECKING:
    from bosco.rivals.alternatives import Alternatives

MAX_FIRST = 20
"""Columns in the open; the others are opened by those who want them."""


def others_as_good(found: "Alternatives") -> Part:
    """What was found, in sentences, and column by column."""
    first, *rest = found.tables()
    head, *why = found.sentences
    parts: list[Part] = [
        paragraph(f"{head} {why[0]}"),
        show(_with_bars(found, first, 0, MAX_FIRST)),
    ]
    if len(first.rows) > MAX_FIRST:
        more = _with_bars(found, first, MAX_FIRST, len(first.rows))
        parts.append(fold(tr("The other columns"), show(more), key="more-alternatives"))
    parts += [paragraph(sentence) for sentence in why[1:]]
    parts += [fold(table.caption, show(table), key="apart") for table in rest]
    return lines(parts)


def _with_bars(found: "Alternatives", table: Table, begin: int, end: int) -> Table:
    """The table with how much more each column costs as a bar: the longest is the dearest."""
    costs = [one.objective - found.best for one in found.columns]
    most = max((cost for cost in costs if not isinf(cost)), default=0.0) or 1.0
    rows = []
    for cells, cost in zip(table.rows[begin:end], costs[begin:end], strict=True):
        rows.append([*cells, "" if isinf(cost) else signed(cost / most)])
    bold = [i - begin for i in table.bold if begin <= i < end]
    return Table([*table.header, ""], rows, "", bold)
