"""How often validation and test rows were looked at while a tree was made.

A figure that is looked at while a tree is made is no test of it: each look chooses a little. So
looks are counted, and told with the figure.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bosco.tree.edits import Entry

_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Looks:
    """How often validation and test rows were looked at."""

    validation: int = 0
    test: int = 0

    def __str__(self) -> str:
        parts = (("validation", self.validation), ("test part", self.test))
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
    return f"{_ORDINALS[n - 1] if 1 <= n <= len(_ORDINALS) else f'{n}th'} look"


def times(n: int) -> str:
    """How often: ``never looked at``, ``looked at once``, ``looked at 12 times``."""
    often = {1: "once", 2: "twice"}.get(n, f"{n} times")
    return f"looked at {often}" if n else "never looked at"
