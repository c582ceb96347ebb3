"""How often validation and test rows were looked at while a tree was made.

A figure that is looked at while a tree is made is no test of it: each look chooses a little. So
looks are counted, and told with the figure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bosco.base.language import phrase, tr
from bosco.tree.edits import Entry

_ORDINALS = (
    phrase("first look"),
    phrase("second look"),
    phrase("third look"),
    phrase("fourth look"),
    phrase("fifth look"),
    phrase("sixth look"),
    phrase("seventh look"),
    phrase("eighth look"),
    phrase("ninth look"),
    phrase("tenth look"),
)


@dataclass(frozen=True, slots=True)
class Looks:
    """How often validation and test rows were looked at."""

    validation: int = 0
    test: int = 0

    def __str__(self) -> str:
        parts = ((tr("validation", "part"), self.validation), (tr("test part"), self.test))
        return ", ".join(f"{name} {times(n)}" for name, n in parts)


def looks_of(log: Iterable[Entry]) -> Looks:
    """How often a log says that one looked."""
    found = {"validation": 0, "test": 0}
    for entry in log:
        if entry.get("look") in found:
            found[entry["look"]] += 1
    return Looks(**found)


def ordinal(n: int) -> str:
    """The n-th look in words: ``third look``."""
    return _ORDINALS[n - 1]() if 1 <= n <= len(_ORDINALS) else tr("look number {n}", n=n)


def times(n: int) -> str:
    """How often: ``never looked at``, ``looked at once``, ``looked at 12 times``."""
    if not n:
        return tr("never looked at")
    often = {1: phrase("looked at once"), 2: phrase("looked at twice")}
    return often[n]() if n in often else tr("looked at {n} times", n=n)
