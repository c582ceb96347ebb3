"""How to see what was left out: by a call in Python, by an option at the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_typed: ContextVar[str] = ContextVar("bosco_typed", default="")


@contextmanager
def at_command_line() -> Iterator[None]:
    """While this lasts, hints are for people who type commands: they get all of it as JSON."""
    before = _typed.set("--format json")
    try:
        yield
    finally:
        _typed.reset(before)


def how(call: str) -> str:
    """What shows everything: the call, for people who write Python.

    Examples
    --------
    >>> how("to_dict()")
    'to_dict()'
    >>> with at_command_line():
    ...     how("to_dict()")
    '--format json'
    """
    return _typed.get() or call


def typed() -> bool:
    """Whether hints are for people who type commands.

    Examples
    --------
    >>> with at_command_line():
    ...     typed()
    True
    """
    return bool(_typed.get())
