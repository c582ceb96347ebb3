"""How people write "no value", "true" and "false". Compared without regard to case."""

from bosco.columns import Level

__all__ = ["FALSE", "MISSING", "NEARLY_MISSING", "TRUE", "is_blank", "level_text"]

MISSING = frozenset({"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "<na>", "nat"})
"""Read as missing in every column."""

NEARLY_MISSING = frozenset(
    {"none", "nil", "unknown", "missing", "n.a.", "not available", "#value!"}
)
"""Read as missing between numbers or dates; in a column of text they may be levels."""

TRUE = frozenset({"true", "t", "yes", "y", "on"})
FALSE = frozenset({"false", "f", "no", "n", "off"})


def level_text(level: Level) -> str:
    """Write a level as files have it.

    Examples
    --------
    >>> level_text(True), level_text(2.0), level_text("red")
    ('true', '2', 'red')
    """
    if isinstance(level, bool):
        return "true" if level else "false"
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def is_blank(text: str) -> bool:
    """Whether a text where a level is wanted says that there is none.

    Examples
    --------
    >>> is_blank(" ? "), is_blank("none")
    (True, False)
    """
    return text.strip() in ("", "?", "-")
