"""A tree as boxes and arrows, for languages that draw them: Graphviz, and Mermaid in Markdown."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.render.card import (
    BY_HAND,
    MAX_LEVELS,
    NO_LIMIT,
    Card,
    card,
    say_own,
    show_amount,
    show_share,
    show_weight,
)

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_CLASSES = 5


def boxes(model: "Model", max_levels: int | None) -> Iterator[Card]:
    """Every node, parents first; empty branches that agree share one."""
    levels = NO_LIMIT if max_levels is None else max_levels
    open_nodes = [0]
    while open_nodes:
        said = card(model, open_nodes.pop(), levels)
        yield said
        open_nodes += [branch.children[0] for branch in reversed(said.branches)]


def _lines(said: Card) -> list[str]:
    head = f"[{said.node}] {said.prediction}" if said.leaf else f"[{said.node}]"
    head += f", {said.by}" if said.by and said.leaf else f" {BY_HAND()}" if said.by_hand else ""
    lines = [head, show_amount(said.rows, said.weight, said.noun)]
    if said.share is not None:
        shown = [f"{label}: {show_weight(rows)}" for label, rows in said.classes[:MAX_CLASSES]]
        more = len(said.classes) - MAX_CLASSES
        lines += [*shown, tr("{n} more classes", n=more)] if more > 0 else shown
        by_weight = f"{tr('by weight')} {said.prediction} " if said.weighted else ""
        share = say_own(said) if said.order else by_weight + show_share(said.share)
        lines += [share] if said.leaf else []
    elif said.order:
        lines.append(say_own(said))
    elif not said.leaf:
        lines.append(f"{said.statistic} {show_figure(said.mean or 0.0)}")
    if said.stand_ins:
        lines.append(f"{tr('if missing')}: {'; '.join(said.stand_ins)}")
    reason = said.order.reason if said.order else said.by_hand.reason if said.by_hand else ""
    for head, text in ((tr("why"), reason), (tr("note"), said.note)):
        lines += [f"{head}: {visible(text)}"] if text else []
    return [*lines, tr("locked")] if said.locked else lines


def to_dot(model: "Model", max_levels: int | None = MAX_LEVELS) -> str:
    """The tree as text that Graphviz draws; sets are spelled out up to `max_levels`."""
    lines = [
        "digraph bosco {",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for box in boxes(model, max_levels):
        filled = ', style="rounded,filled", fillcolor="#eeeeee"' if box.leaf else ""
        lines.append(f"  n{box.node} [label={_dot_text(*_lines(box))}{filled}];")
        to = [(branch.children[0], branch.words) for branch in box.branches]
        lines += [f"  n{box.node} -> n{child} [label={_dot_text(words)}];" for child, words in to]
    return "\n".join([*lines, "}"]) + "\n"


def _dot_text(*lines: str) -> str:
    r"""Lines as one DOT string."""
    shown = ("".join(c if c.isprintable() else "�" for c in line) for line in lines)
    # A backslash starts an escape of Graphviz's own, and & an entity.
    safe = (line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in shown)
    return '"' + "\\n".join(safe) + '"'


def to_mermaid(model: "Model", max_levels: int | None = MAX_LEVELS) -> str:
    """The tree as text that Mermaid draws; sets are spelled out up to `max_levels`."""
    lines = ["flowchart TD"]
    for box in boxes(model, max_levels):
        opening, closing = ("([", "])") if box.leaf else ("[", "]")
        lines.append(f"  n{box.node}{opening}{_mermaid_text(*_lines(box))}{closing}")
        to = [(branch.children[0], branch.words) for branch in box.branches]
        lines += [f"  n{box.node} -->|{_mermaid_text(words)}| n{child}" for child, words in to]
    return "\n".join(lines) + "\n"


_PLAIN = set(" .,:;()[]{}=+-_/%≤≠>…→·'!")


def _mermaid_text(*lines: str) -> str:
    """Lines as one Mermaid string: whatever could mean something is an entity."""
    safe = (
        "".join(
            c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" if c.isprintable() else "�"
            for c in line
        )
        for line in lines
    )
    return f'"{"<br/>".join(safe)}"'
