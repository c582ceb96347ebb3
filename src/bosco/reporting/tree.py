"""The tree in the report: its picture, the candidates behind every question, the case to follow."""

from collections.abc import Iterable
from math import isinf
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from bosco.data.schema import show_label
from bosco.errors import ModelError
from bosco.export.drawing import picture_of
from bosco.export.javascript import to_javascript
from bosco.export.program import Program
from bosco.reasons.why import why
from bosco.render.card import count, say_test
from bosco.render.html import Table
from bosco.render.marks import Picture
from bosco.render.svg import to_svg
from bosco.render.text import to_text
from bosco.reporting.case import form
from bosco.reporting.page import fill, fold, lines, paragraph, show, verbatim
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_NODES = 100
"""Nodes of the picture; a larger tree is folded to its heaviest."""

FEW = 6
"""Questions whose candidates stand in the open."""

_LEAST = 20  # characters that a node takes at least
MAX_CANDIDATES = 8
MAX_SCRIPT = 2_000_000
MAX_FACTS = 500_000
"""Characters of the exported model, and numbers of the ways through the picture, at most."""


def tree_section(model: "Model", X: Any, y: Any) -> tuple[Markup, str, dict[str, Any]]:
    """The section, the model as JavaScript (or nothing), and what the page's script must know."""
    drawn = picture_of(model, X=X, y=None if X is None else y, max_nodes=MAX_NODES, bare=True)
    nodes = [g.node for g in drawn.groups if g.kind.startswith("node ") and g.node >= 0]
    inner = [g.node for g in drawn.groups if g.kind == "node inner"]
    picture = on_paper(drawn)
    code, script, refusal = script_of(model)
    assert code is not None  # one tree always has plain nodes
    notes = list(drawn.notes)
    if len(nodes) < model.tree.node_count:
        notes.append(
            f"The picture shows {len(nodes)} of {model.tree.node_count} nodes, those with the most "
            "rows. Predictions on this page are those of the whole tree."
        )
    shown = fill(
        "tree",
        legend=drawn.legend,
        picture=picture,
        notes=notes,
        asked=form(model, code.used) if script else paragraph(refusal, "note"),
        reasons=_reasons(model, inner),
        endings=_endings(model, [node for node in nodes if not model.tree.children(node)]),
        text=fold("The tree as text", verbatim(to_text(model, max_nodes=1000), "The tree as text")),
    )
    return shown, script, _facts(model, code, nodes, inner)


def on_paper(drawn: Picture) -> Markup:
    """A picture that is dark on screens only: paper is light, whatever the reader's system is."""
    dark = "@media (prefers-color-scheme:dark)"
    return Markup(str(to_svg(drawn)).replace(dark, dark.replace(" ", " screen and ", 1)))


def script_of(model: AnyModel) -> tuple[Program | None, str, str]:
    """The model as plain nodes and as JavaScript, or why this page does not have it."""
    large = (
        f"The model is too large to predict on this page: {count(model.n_leaves, 'leaf')}. "
        "model.to_javascript() has it."
    )
    code = None
    try:
        code = model.program()
        if len(code.nodes) * _LEAST > MAX_SCRIPT:
            return code, "", large
        script = to_javascript(model)
    except ModelError as error:
        return code, "", f"This page cannot predict. {error}"
    if len(script) > MAX_SCRIPT:
        return code, "", large
    return code, script, ""


def _reasons(model: "Model", inner: list[int]) -> Markup:
    """For every question of the picture, the table of candidates; or why there is none."""
    if not inner:
        return paragraph("The tree asks nothing: it is one leaf.")
    parts = [
        paragraph(
            "At every node, each column proposes its best test; the one that separates the target "
            "best is chosen. A near-tie came within 1 % of it: other rows, another winner."
        )
    ]
    silent: list[str] = []
    told: list[Markup] = []
    for node in inner:
        try:
            found = why(model, node)
        except ModelError as error:
            silent.append(f"[{node}] {error}")
            continue
        test = model.tree.test(node)
        assert test is not None
        head = f"[{node}] {say_test(model.schema, test)}" + (" · near-tie" * found.near_tie)
        whole = found.table()
        n, first = len(whole.rows), whole.rows[:MAX_CANDIDATES]
        more = f", the best {MAX_CANDIDATES} of {n} columns" if n > MAX_CANDIDATES else ""
        table = Table(whole.header, first, whole.caption + more, whole.bold)
        told.append(fold(head, show(table), open=node == 0, key=f"why-{node}"))
    parts += told[:FEW]
    if rest := told[FEW:]:
        head = f"{len(rest)} more question{'s' * (len(rest) > 1)}"
        parts.append(fold(head, lines(rest), key="more-why"))
    return lines(parts + [paragraph(said, "note") for said in dict.fromkeys(silent)])


def _endings(model: "Model", leaves: list[int]) -> Markup:
    """For every leaf of the picture, why it asks no more; leaves of one reason together."""
    reasons: dict[str, list[str]] = {}
    for leaf in leaves:
        reasons.setdefault(why(model, leaf).reason, []).append(f"[{leaf}]")
    told = [paragraph(f"{', '.join(nodes)}: {reason}") for reason, nodes in reasons.items()]
    return fold("Why the branches end", lines(told), key="endings")


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
            for j in code.used
        ],
        "strict": code.refuses_missing,
        "classes": None if code.classes is None else [show_label(label) for label in code.classes],
    }
