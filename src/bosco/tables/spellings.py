"""How people write "no value", "true" and "false". Compared without regard to case."""

__all__ = ["FALSE", "MISSING", "NEARLY_MISSING", "TRUE"]

MISSING = frozenset({"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "<na>", "nat"})
"""Read as missing in every column."""

NEARLY_MISSING = frozenset(
    {
        "none",
        "nil",
        "unknown",
        "missing",
        "n.a.",
        "not available",
        "#value!",
        "n.d.",
        "n/d",
        "nd",
        "#n/d",
    }
)
"""Read as missing between numbers or dates; in a column of text they may be levels."""

TRUE = frozenset({"true", "t", "yes", "y", "on"})
FALSE = frozenset({"false", "f", "no", "n", "off"})
