"""How much may be done, counted in steps and never on a clock.

A clock gives other rules on a slow machine than on a fast one, and others again on a busy one.
Steps are the same everywhere, so that the same call gives the same text.
"""

import math
from dataclasses import dataclass

from bosco.errors import ParameterError

WORK = 10_000_000
"""Steps that a simplification or a comparison may make unless told otherwise: a few seconds."""


class OutOfWorkError(Exception):
    """What was asked for takes more steps than are allowed."""


@dataclass(slots=True)
class Work:
    """Steps that may be made, and those made so far. A step is about one look at one rule.

    Those of a part count in what it is a part `of`, too.

    Examples
    --------
    >>> work = Work(100)
    >>> work.spend(30)
    >>> part = work.part(0.5)
    >>> part.spend(40)
    >>> work.left, part.over
    (30, True)
    """

    allowed: float = math.inf
    of: "Work | None" = None
    used: int = 0

    @property
    def left(self) -> float:
        """Steps that may still be made, 0 if none."""
        return max(0, self.allowed - self.used)

    @property
    def over(self) -> bool:
        """Whether no step is left."""
        return self.used >= self.allowed

    def spend(self, steps: int) -> None:
        """Count steps, whether or not they are allowed: ask `over` before the next."""
        self.used += steps
        if self.of is not None:
            self.of.spend(steps)

    def need(self, steps: int) -> None:
        """Count steps that there is no answer without; OutOfWorkError if they are too many."""
        self.spend(steps)
        if self.used > self.allowed:
            raise OutOfWorkError

    def part(self, share: float) -> "Work":
        """A share of what is left."""
        return Work(self.left * share, self)


def allowed(work: float) -> Work:
    """What a user allows, checked."""
    if isinstance(work, bool) or not isinstance(work, int | float) or not work > 0:
        raise ParameterError(
            f"work is a number of steps above 0, such as {WORK:_}; math.inf is without a limit. "
            f"Got {work!r}."
        )
    return Work(work)
