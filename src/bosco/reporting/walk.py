"""`bosco.trace_page`: a trace as a page to step through."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from bosco.base.language import tr, trn
from bosco.base.words import fill_in
from bosco.data.schema import show_label
from bosco.errors import ParameterError
from bosco.export.drawing import picture_of
from bosco.reasons.boosting import BoostingTrace, Round
from bosco.reasons.cutting import Comparison, PruningTrace
from bosco.reasons.listed import Listed
from bosco.reasons.trace import Step, Trace
from bosco.reasons.tried import Tried, digits
from bosco.render.html import Table
from bosco.reporting.page import Section, page
from bosco.reporting.parts import Part, Screen, fill, fold, lines, paragraph, show
from bosco.reporting.report import PAGE, Report
from bosco.reporting.rounds import chart
from bosco.reporting.tree import MAX_CANDIDATES, MAX_NODES, light

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_STEPS = 200
"""Steps of a page, at most."""

MAX_ROWS = 60
"""Rows of one step that are listed, at most."""

ALL_ROWS = 4000
"""Rows of all steps together; where there would be more, each step lists fewer."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of the page: what it is called, what it says, and what the picture must know."""

    head: str
    body: Part
    kind: str
    node: int = 0
    action: str = ""
    chapter: str = ""


def trace_page(*traces: Trace | PruningTrace | BoostingTrace, title: str | None = None) -> Report:
    """Traces as one page to step through: forward and back, by button or keyboard.

    The page is one file that loads nothing. Beside every step stands the tree as far as it is
    grown, or pruned. The first rows of each step are written into the page.

    Parameters
    ----------
    *traces : Trace, PruningTrace or BoostingTrace
        What `model.trace`, `model.trace_pruning` and `boosted.trace` gave, one after the other.
    @page

    Examples
    --------
    >>> import bosco
    >>> X, y = bosco.datasets.play_tennis()
    >>> model = bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    >>> bosco.trace_page(model.trace(X, y), title="Tennis").save("tennis-trace.html")
    """
    if not traces or not all(isinstance(t, Trace | PruningTrace | BoostingTrace) for t in traces):
        got = ", ".join(type(t).__name__ for t in traces) or "nothing"
        raise ParameterError(
            "trace_page takes what model.trace(X, y), model.trace_pruning(policy) or "
            f"boosted.trace(X, y) gave. Got {got}."
        )
    total = sum(map(len, traces))
    most = min(MAX_ROWS, max(5, ALL_ROWS // max(1, min(total, MAX_STEPS))))
    stops = [stop for trace in traces for stop in _stops(trace, most, len(traces) > 1)]
    notes = [trace.note for trace in traces if not isinstance(trace, BoostingTrace) and trace.note]
    if total > MAX_STEPS:
        notes.append(tr("The first {most} of {n} steps.", most=MAX_STEPS, n=total))
    stops = stops[:MAX_STEPS]
    model = _drawn(traces)
    picture, facts = _picture(model)
    facts["steps"] = [{"kind": s.kind, "node": s.node, "action": s.action} for s in stops]
    heading = title or _title(traces[0])
    body = Screen(fill("walk", stops=stops, notes=notes, **picture))
    scripts = ("tree.js", "steps.js") if model is not None else ("steps.js",)
    lead = paragraph(model.headline) if model is not None else lines([])
    section = Section("steps", tr("Step by step"), body)
    return Report(heading, page(heading, lead, [section], "", facts, scripts))


fill_in(trace_page, PAGE)


def _title(trace: Trace | PruningTrace | BoostingTrace) -> str:
    if isinstance(trace, Trace):
        return tr("How the tree was grown")
    if isinstance(trace, PruningTrace):
        return tr("How the tree was pruned")
    return tr("How the trees were boosted")


def _drawn(traces: Sequence[Any]) -> "Model | None":
    """The tree of the picture: the one that grew, or the one before it was pruned."""
    found: list[Model | None] = [t.model for t in traces if not isinstance(t, BoostingTrace)]
    found += [t.after for t in traces if isinstance(t, PruningTrace)]
    return next((model for model in found if model is not None), None)


def _picture(model: "Model | None") -> tuple[dict[str, Any], dict[str, Any]]:
    """What the template of the picture takes, and what its scripts must know."""
    facts: dict[str, Any] = {"parents": {}, "leaves": {}, "says": {}, "above": {}}
    if model is None:
        return {"picture": "", "legend": ()}, facts
    drawn = picture_of(model, max_nodes=MAX_NODES, bare=True)
    nodes = [g.node for g in drawn.groups if g.kind.startswith("node ") and g.node >= 0]
    tree = model.tree
    facts["parents"] = {node: tree.path(node)[-2] for node in nodes if node > 0}
    facts["leaves"] = dict.fromkeys(nodes, "")  # how much is below is not known yet
    facts["above"] = {node: tree.path(node)[-2] for node in range(1, tree.node_count)}
    if model.classes is None:
        facts["says"] = {node: digits(float(tree.native.value[node, 0])) for node in nodes}
    else:
        classes = list(map(show_label, model.classes))
        facts["says"] = {node: classes[model.node_class[node]] for node in nodes}
    return {"picture": light(drawn), "legend": drawn.legend}, facts


def _stops(trace: Any, most: int, many: bool) -> Iterator[Stop]:
    chapter = _title(trace) if many else ""
    if isinstance(trace, Trace):
        for step in trace.steps[:MAX_STEPS]:
            body = _grown(step, trace.listed, most)
            yield Stop(step.head(), body, "grown", step.node, chapter=chapter)
    elif isinstance(trace, PruningTrace):
        for one in trace.comparisons[:MAX_STEPS]:
            body = _weighed(one, trace.prunings[one.pruning - 1])
            node = one.node if trace.model is not None else one.now or 0
            action = one.action if trace.model is not None else ""
            yield Stop(one.head(), body, "weighed", node, action, chapter)
    else:
        for one_round in trace.rounds[:MAX_STEPS]:
            body = _round(one_round, trace, most)
            yield Stop(one_round.head(), body, "round", chapter=chapter)


# Growing -----------------------------------------------------------------------------------------


def _grown(step: Step, listed: Listed | None, most: int) -> Part:
    parts: list[Part] = [paragraph(step.held(), "held")]
    parts += [paragraph(step.looked_at(), "note")] * (step.drawn is not None)
    parts.append(paragraph(step.verdict, "verdict"))
    if step.columns:
        parts.append(show(_candidates(step)))
        parts += [_tried(step, tried, at) for at, tried in enumerate(step.columns[:MAX_CANDIDATES])]
    if listed is not None and len(step.rows):
        cells = listed.cells(step.rows[:most])
        numbers = listed.given(step.rows[:most]) + 1
        rows = [[str(n), *row] for n, row in zip(numbers.tolist(), cells, strict=True)]
        header = [tr("row"), *listed.names, tr("answer")]
        parts.append(_rows(header, rows, len(step.rows), open_=False))
    return lines(parts)


def _candidates(step: Step) -> Table:
    whole = step.why.table()
    n = len(whole.rows)
    caption = tr("The best test of each column")
    if n > MAX_CANDIDATES:
        caption += tr(", the best {most} of {n} columns", most=MAX_CANDIDATES, n=n)
    return Table(whole.header, whole.rows[:MAX_CANDIDATES], caption, whole.bold)


def _tried(step: Step, tried: Tried, at: int) -> Part:
    """The branches of one column's best test, the sums, and the other tests."""
    parts: list[Part] = []
    if tried.ways:
        header = [tr("branch"), tr("rows"), tr("impurity")]
        rows = [
            [way.words, step.amount.say(way.weight, way.tally), digits(way.impurity)]
            for way in tried.ways
        ]
        parts.append(show(Table(header, rows)))
    sums = list(tried.sums(step.weight, step.why.score))
    others = tried.others
    if others is not None and len(others) > 1:
        sums.append((tr("cuts") if tried.cuts is not None else tr("levels"), str(others)))
    parts.append(Screen(fill("sums", sums=sums)))
    return fold(tried.best.test, lines(parts), open=at == 0)


def _rows(header: list[str], rows: list[list[str]], n: int, *, open_: bool) -> Part:
    """Rows, which the page shows a few at a time."""
    summary = trn("The {n} row of this step", "The {n} rows of this step", n)
    if n > len(rows):
        summary = tr("The first {k} of {n} rows of this step", k=len(rows), n=n)
    return Screen(fill("rows", summary=summary, body=show(Table(header, rows)), open=open_))


# Pruning -----------------------------------------------------------------------------------------


def _weighed(one: Comparison, pruning: str) -> Part:
    return lines(
        [
            Screen(fill("sums", sums=one.sides)),
            paragraph(one.verdict, "verdict"),
            *(paragraph(line, "note") for line in pruning.splitlines()),
        ]
    )


# Boosting ----------------------------------------------------------------------------------------


def _round(one: Round, trace: BoostingTrace, most: int) -> Part:
    parts: list[Part] = [Screen(fill("sums", sums=one.sums()))]
    if one.model is not None and one.model.tree.node_count <= MAX_NODES:
        drawn = str(light(picture_of(one.model, bare=True)))
        # Rounds may have the same picture, and a page has every name once.
        named = re.sub(r"\bbosco-[0-9a-f]{12}\b", rf"\g<0>-{one.number}", drawn)
        parts.append(Screen(fill("stump", picture=Markup(named))))
    if one.steps and one.steps[0].columns:
        parts.append(fold(tr("How its first test was chosen"), show(_candidates(one.steps[0]))))
    parts.append(chart(trace.rounds, one))
    if trace.listed is not None:
        n = len(one.weights)
        at = np.arange(min(n, most))
        marks = np.where(one.wrong, tr("wrong"), "").tolist()
        rows = [
            [str(number), *cells, digits(one.weights[i]), digits(one.after[i]), marks[i]]
            for i, number, cells in zip(
                at.tolist(),
                (trace.listed.given(at) + 1).tolist(),
                trace.listed.cells(at),
                strict=True,
            )
        ]
        header = [tr("row"), *trace.listed.names, tr("answer")]
        header += [tr("weight before"), tr("weight after"), ""]
        parts.append(_rows(header, rows, n, open_=True))
    return lines(parts)
