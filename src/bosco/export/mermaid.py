"""The tree as Mermaid text, which Markdown pages of many sites draw."""

from typing import TYPE_CHECKING

from bosco.export.boxes import boxes
from bosco.render.card import MAX_LEVELS

if TYPE_CHECKING:
    from bosco.models.model import Model


def to_mermaid(model: "Model", max_levels: int | None = MAX_LEVELS) -> str:
    """Draw a model for Mermaid; see `Model.to_mermaid`."""
    lines = ["flowchart TD"]
    for box in boxes(model, max_levels):
        opening, closing = ("([", "])") if box.leaf else ("[", "]")
        lines.append(f"  n{box.node}{opening}{_text(*box.lines)}{closing}")
        lines += [f"  n{box.node} -->|{_text(words)}| n{child}" for child, words in box.arrows]
    return "\n".join(lines) + "\n"


_PLAIN = set(" .,:;()[]{}=+-_/%≤≠>…→·'!")


def _text(*lines: str) -> str:
    """Lines as one Mermaid string: whatever could mean something is an entity.

    Examples
    --------
    >>> print(_text('say "hi"', "next"))
    "say #34;hi#34;<br/>next"
    """
    safe = (
        "".join(
            c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" if c.isprintable() else "�"
            for c in line
        )
        for line in lines
    )
    return f'"{"<br/>".join(safe)}"'
