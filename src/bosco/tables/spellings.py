"""How people write "no value", "true" and "false". Compared without regard to case."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress

from bosco.data.columns import Level

MISSING = frozenset({"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "<na>", "nat"})
"""Read as missing in every column."""

NEARLY_MISSING = frozenset(
    {"none", "nil", "unknown", "missing", "not available", "#value!"}
    | {"n.a.", "n.d.", "n/d", "nd", "#n/d"}
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
    """Whether a text where a level is wanted says that there is none."""
    return text.strip() in ("", "?", "-")


def places_of(texts: Iterable[str], levels: Sequence[Level], fold_case: bool = False) -> list[int]:
    """Where texts are among levels; -1: nowhere. Spaces around them are forgiven, and 1.0 is 1.

    Examples
    --------
    >>> places_of(["1.0", " 2", "x"], (1, 2)), places_of(["1.0"], ("1",))
    ([0, 1, -1], [-1])
    >>> places_of(["NO"], ("no", "yes")), places_of(["NO"], ("no", "yes"), fold_case=True)
    ([-1], [0])
    """
    place = {level_text(level): i for i, level in enumerate(levels)}
    small = folded_place(place) if fold_case else {}
    numbers = {
        float(level): i
        for i, level in enumerate(levels)
        if isinstance(level, int | float) and not isinstance(level, bool)
    }

    def find(text: str) -> int:
        bare = text.strip()
        found = place.get(text, place.get(bare, small.get(bare.lower(), -1)))
        if found < 0 and numbers:
            with suppress(ValueError):
                found = numbers.get(float(bare), -1)
        return found

    return list(map(find, texts))


def folded_place(levels: Iterable[str]) -> dict[str, int]:
    """Where levels are, by their text in small letters; those that would be several are left out.

    Examples
    --------
    >>> folded_place(["No", "no", "Yes"])
    {'yes': 2}
    """
    small = [level.lower() for level in levels]
    often = Counter(small)
    return {text: i for i, text in enumerate(small) if often[text] == 1}
