"""A point in time by which work should be done."""

from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the clock that only goes forward.

    Examples
    --------
    >>> Deadline.after(60).passed()
    False
    """

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """So many seconds from now."""
        return cls(monotonic() + seconds)

    def left(self) -> float:
        """Seconds left, 0 if none are."""
        return max(0.0, self.at - monotonic())

    def passed(self) -> bool:
        """Whether it is over."""
        return monotonic() >= self.at

    def share(self, part: float) -> "Deadline":
        """A deadline after a part of the time left."""
        return Deadline.after(self.left() * part)
