"""The way that a draft went: its stages, at which of them it is, and the log of what was done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bosco.drafts.figures import Figures
from bosco.drafts.state import State
from bosco.errors import ModelError, ParameterError
from bosco.tree.edits import Entry, chained

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A state that a draft was in, with its figures, and the entry of the log that made it."""

    state: State
    figures: Figures
    entry: int
    before: "Stage | None" = None

    def line(self) -> "list[Stage]":
        """The stages that led here, from the opening, and this one."""
        line = [self]
        while line[-1].before is not None:
            line.append(line[-1].before)
        return line[::-1]


class Course:
    """Stages and the log; every entry holds the stage that it left.

    Parameters
    ----------
    first : Stage
        The opening.
    who : str or None
        The name that the next entries have.
    clock : callable or None
        What gives their time; None: the computer's clock.
    """

    def __init__(self, first: Stage, who: str | None, clock: Clock | None) -> None:
        self.who, self._clock = who, clock or (lambda: datetime.now(UTC))
        self.log: tuple[Entry, ...] = ()
        self.line, self.at = [first], 0  # the stages that undo and redo go through
        self._after: tuple[Stage, ...] = ()  # each entry of the log

    @property
    def stage(self) -> Stage:
        """Where the draft is."""
        return self.line[self.at]

    @property
    def every(self) -> tuple[Stage, ...]:
        """Every stage that there was, also those that were undone and left, in order."""
        return tuple(dict.fromkeys(self._after))

    def after(self, entry: Any) -> Stage:
        """The stage that an entry of the log left."""
        if isinstance(entry, bool) or not isinstance(entry, int) or not 0 <= entry < len(self.log):
            raise ParameterError(f"The log has entries 0 to {len(self.log) - 1}. Got {entry!r}.")
        return self._after[entry]

    def write(self, verb: str, stage: Stage, **content: Any) -> None:
        """Add an entry to the log: what was done, and the stage that came of it."""
        entry = {
            "number": len(self.log),
            "verb": verb,
            "who": writable(self.who, "who"),
            "when": self._clock().astimezone(UTC).isoformat(timespec="seconds"),
            **content,
            "state": stage.state.digest(),
        }
        if verb != "open":
            entry.setdefault("figures", stage.figures.to_dict())
        self.log, self._after = (*self.log, chained(self.log, entry)), (*self._after, stage)

    def goes_on(self, stage: Stage) -> None:
        """Come to a new stage; what was undone is left."""
        self.line = [*self.line[: self.at + 1], stage]
        self.at += 1

    def step(self, verb: str, by: int) -> int:
        """The place of the stage before or behind; refused where there is none."""
        to = self.at + by
        if not 0 <= to < len(self.line):
            raise ModelError(f"There is nothing to {verb}.")
        return to

    def goes_to(self, stage: Stage) -> None:
        """Go to any stage; from there undo goes the way that led to it."""
        self.line = self.line if stage in self.line else stage.line()
        self.at = self.line.index(stage)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done inside stands as a whole or, if anything fails there, not at all."""
        before = self.log, self._after, self.line, self.at, self.who
        try:
            yield
        except BaseException:
            self.log, self._after, self.line, self.at, self.who = before
            raise


def writable(given: Any, name: str) -> Any:
    """A text that a file can hold, or None."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise ParameterError(f"{name} must be a text. Got {given!r}.")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{name} holds what no file can: {given!r}.") from None
    return given
