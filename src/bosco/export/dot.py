"""The tree as Graphviz DOT text."""

from typing import TYPE_CHECKING

from bosco.export.boxes import boxes
from bosco.render.card import MAX_LEVELS

if TYPE_CHECKING:
    from bosco.models.model import Model


def to_dot(model: "Model", max_levels: int | None = MAX_LEVELS) -> str:
    """Draw a model for Graphviz; see `Model.to_dot`."""
    lines = [
        "digraph bosco {",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for box in boxes(model, max_levels):
        filled = ', style="rounded,filled", fillcolor="#eeeeee"' if box.leaf else ""
        lines.append(f"  n{box.node} [label={_text(*box.lines)}{filled}];")
        lines += [
            f"  n{box.node} -> n{child} [label={_text(words)}];" for child, words in box.arrows
        ]
    return "\n".join([*lines, "}"]) + "\n"


def _text(*lines: str) -> str:
    r"""Lines as one DOT string.

    Examples
    --------
    >>> print(_text('say "hi"', "next"))
    "say \"hi\"\nnext"
    """
    shown = ("".join(c if c.isprintable() else "�" for c in line) for line in lines)
    # A backslash starts an escape of Graphviz's own, and & an entity.
    safe = (line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in shown)
    return '"' + "\\n".join(safe) + '"'
