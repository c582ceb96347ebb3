"""The tree in the report: its picture, the candidates behind every question, the case to follow."""

from collections.abc import Iterable
from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from bosco.base.language import tr, trn
from bosco.data.schema import show_label
from bosco.errors import BoscoError, ModelError
from bosco.export.drawing import picture_of
from bosco.export.javascript import to_javascript
from bosco.export.program import Program
from bosco.reasons.ending import AS_A_WHOLE, FARTHER
from bosco.reasons.recorded import training_rows
from bosco.reasons.rooted import subtrees
from bosco.reasons.why import say_not_kept, why
from bosco.render.card import BY_HAND, count, say_test
from bosco.render.edited import said_at
from bosco.render.html import Table
from bosco.render.marks import Picture
from bosco.render.mpl import figure_of
from bosco.render.svg import to_svg
from bosco.render.text import to_text
from bosco.reporting.case import form
from bosco.reporting.parts import (
    Drawn,
    Heading,
    Part,
    Screen,
    fill,
    fold,
    lines,
    paragraph,
    show,
    verbatim,
)
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_NODES = 100
"""Nodes of the picture; a larger tree is folded to its heaviest."""

SHEETS, WIDEST = (MAX_NODES, 31, 15, 7), 1600.0
"""On paper: nodes that are tried, and how wide a picture may be, in pixels."""

FEW = 6
"""Questions whose candidates stand in the open."""

_LEAST = 20  # characters that a node takes at least
MAX_CANDIDATES = 8
_ASKED = 200_000_000  # entries of columns that are looked at to tell what other columns would cost
MAX_SCRIPT = 2_000_000
MAX_FACTS = 500_000
"""Characters of the exported model, and numbers of the ways through the picture, at most."""


def tree_section(model: "Model", X: Any, y: Any) -> tuple[Part, str, dict[str, Any]]:
    """The section, the model as JavaScript (or nothing), and what the page's script must know."""
    drawn = picture_of(model, X=X, y=None if X is None else y, max_nodes=MAX_NODES, bare=True)
    nodes = [g.node for g in drawn.groups if g.kind.startswith("node ") and g.node >= 0]
    inner = [g.node for g in drawn.groups if g.kind == "node inner"]
    code, script, refusal = script_of(model)
    assert code is not None  # one tree always has plain nodes
    notes = list(drawn.notes)
    if len(nodes) < model.tree.node_count:
        notes.append(
            tr(
                "The picture shows {n} of {all} nodes, those with the most rows. Predictions on "
                "this page are those of the whole tree.",
                n=len(nodes),
                all=model.tree.node_count,
            )
        )
    words = tr("The tree as text")
    asked = form(model, code.needed) if script else paragraph(refusal, "note")
    on_paper = Drawn(partial(_for_paper, model, X, y), tr("The tree"))
    as_a_whole = model.growth.search == "optimal"
    parts: list[Part] = [
        Screen(fill("picture", legend=drawn.legend, picture=light(drawn)), on_paper),
        *(paragraph(note, "note") for note in notes),
        Screen(fill("follow", asked=asked)),
        Heading(tr("Why these questions")),
        _as_a_whole(model, inner, X, y) if as_a_whole else _reasons(model, inner),
        _endings(model, [node for node in nodes if not model.tree.children(node)]),
        fold(words, verbatim(to_text(model, max_nodes=1000), words)),
    ]
    return lines(parts), script, _facts(model, code, nodes, inner)


def _for_paper(model: "Model", X: Any, y: Any) -> Any:
    """The picture as a figure, with as many nodes as a sheet of paper has room for."""
    for most in SHEETS:
        drawn = picture_of(model, X=X, y=None if X is None else y, max_nodes=most)
        if drawn.width <= WIDEST:
            break
    return figure_of(drawn)


def light(drawn: Picture) -> Markup:
    """A picture that is dark on screens only: paper is light, whatever the reader's system is."""
    dark = "@media (prefers-color-scheme:dark)"
    return Markup(str(to_svg(drawn)).replace(dark, dark.replace(" ", " screen and ", 1)))


def script_of(model: AnyModel) -> tuple[Program | None, str, str]:
    """The model as plain nodes and as JavaScript, or why this page does not have it."""
    large = tr(
        "The model is too large to predict on this page: {leaves}. model.to_javascript() has it.",
        leaves=count(model.n_leaves, "leaf"),
    )
    code = None
    try:
        code = model.program()
        if len(code.nodes) * _LEAST > MAX_SCRIPT:
            return code, "", large
        script = to_javascript(model)
    except ModelError as error:
        return code, "", f"{tr('This page cannot predict.')} {error}"
    if len(script) > MAX_SCRIPT:
        return code, "", large
    return code, script, ""


def _reasons(model: "Model", inner: list[int]) -> Part:
    """For every question of the picture, the table of candidates; or why there is none."""
    if not inner:
        return paragraph(tr("The tree asks nothing: it is one leaf."))
    if not model.growth.alone:
        polished = model.polished
        said = [FARTHER(), *([polished.sentence] if polished else [])]
        return lines(map(paragraph, said))
    parts: list[Part] = [
        paragraph(
            tr(
                "At every node, each column proposes its best test; the one that separates the "
                "target best is chosen. A near-tie came within 1 % of it: other rows, another "
                "winner."
            )
        )
    ]
    silent: list[str] = []
    told: list[Part] = []
    for node in inner:
        try:
            found = why(model, node)
        except ModelError:
            silent.append(f"[{node}] {say_not_kept(model, node)}")
            continue
        test = model.tree.test(node)
        assert test is not None
        head = f"[{node}] {say_test(model.schema, test)}"
        head += f" · {tr('near-tie')}" * found.near_tie
        head += f" · {BY_HAND()}" * (node in model.edits.chosen)
        whole = found.table()
        n, first = len(whole.rows), whole.rows[:MAX_CANDIDATES]
        more = ""
        if n > MAX_CANDIDATES:
            more = tr(", the best {n} of {all} columns", n=MAX_CANDIDATES, all=n)
        table = Table(whole.header, first, whole.caption + more, whole.bold)
        told.append(fold(head, show(table), open=node == 0, key=f"why-{node}"))
    parts += told[:FEW]
    if rest := told[FEW:]:
        head = trn("{n} more question", "{n} more questions", len(rest))
        parts.append(fold(head, lines(rest), key="more-why"))
    return lines(parts + [paragraph(said, "note") for said in dict.fromkeys(silent)])


def _as_a_whole(model: "Model", inner: list[int], X: Any, y: Any) -> Part:
    """For every question of a tree found as a whole, what others would cost; by its own rows."""
    if not inner:
        return paragraph(tr("The tree asks nothing: it is one leaf."))
    said: list[Part] = [paragraph(AS_A_WHOLE())]
    if X is None or model.log.steps or model.edits:
        return lines(said)
    work = _ASKED // (len(inner) * len(model.schema.names))
    try:
        training = training_rows(model, X, y, None)
        found = [subtrees(model, node, training, work) for node in inner]
    except BoscoError:  # other rows, or rows that have weights
        return lines(said)
    told = []
    for node, one in zip(inner, found, strict=True):
        test = model.tree.test(node)
        assert test is not None
        head = f"[{node}] {say_test(model.schema, test)}"
        whole = one.table()
        n, first = len(whole.rows), whole.rows[:MAX_CANDIDATES]
        more = ""
        if n > MAX_CANDIDATES:
            more = tr(", the best {n} of {all} columns", n=MAX_CANDIDATES, all=n)
        table = Table(
            whole.header, first, f"{tr('Node {n}', n=node)}{more}: {one.sentence}", whole.bold
        )
        told.append(fold(head, show(table), open=node == 0, key=f"why-{node}"))
    said.append(paragraph(tr("What the best subtree would cost with another column asked there:")))
    said += told[:FEW]
    if rest := told[FEW:]:
        head = trn("{n} more question", "{n} more questions", len(rest))
        said.append(fold(head, lines(rest), key="more-why"))
    return lines(said)


def _endings(model: "Model", leaves: list[int]) -> Part:
    """For every leaf of the picture, why it asks no more; leaves of one reason together."""
    reasons: dict[str, list[str]] = {}
    for leaf in leaves:
        reasons.setdefault(why(model, leaf).reason, []).append(f"[{leaf}]")
    told = [paragraph(f"{', '.join(nodes)}: {reason}") for reason, nodes in reasons.items()]
    return fold(tr("Why the branches end"), lines(told), key="endings")


def _plain(values: Iterable[Any]) -> list[Any]:
    """Values as JSON can hold them; it has no infinities."""
    return [{"number": str(v)} if isinstance(v, float) and isinf(v) else v for v in values]


def _facts(model: "Model", code: Program, nodes: list[int], inner: list[int]) -> dict[str, Any]:
    """Who is whose parent in the picture, and which way a case takes."""
    tree = model.tree
    shown = {number: node for number in inner if (node := code.nodes[number]) is not None}
    ways = {
        number: [
            [[a.column, None if a.cuts is None else _plain(a.cuts), a.to] for a in node.asks],
            node.missing,
            [child for child, _ in node.shares],
        ]
        for number, node in shown.items()
    }
    size = sum(len(ask.to) for node in shown.values() for ask in node.asks)
    return {
        "parents": {node: tree.path(node)[-2] for node in nodes if node > 0},
        "leaves": {node: count(int(tree.leaves_below[node]), "leaf") for node in inner},
        "ways": ways if size <= MAX_FACTS else {},
        "orders": {leaf: "\n".join(said_at(model, leaf)) for leaf in sorted(model.edits.orders)},
        **column_facts(code),
    }


def column_facts(code: Program) -> dict[str, Any]:
    """What is typed, and what may come out."""
    return {
        "columns": [
            {
                "name": code.columns[j].name,
                "at": j,
                "unit": code.columns[j].unit,
                "levels": None if (levels := code.columns[j].levels) is None else _plain(levels),
            }
            for j in code.needed
        ],
        "derived": [
            [j, code.columns[j].levels is not None] for j in code.used if j in code.derived
        ],
        "strict": code.refuses_missing,
        "classes": None if code.classes is None else [show_label(label) for label in code.classes],
    }
