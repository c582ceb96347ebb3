"""Plain values that came from outside: each is what it should be, or a `ModelError` says where.

Lists are checked whole by the set of their types, so a large file costs no Python call per number.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ModelError, did_you_mean

WORDS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
"""How the numbers that JSON lacks are written."""

BOUND = 2**64
"""Levels and labels that are whole numbers lie within it. Python gives one hash to numbers that
differ by a multiple of 2**61 - 1: without a bound, a file could make every lookup slow."""

_INT64 = range(-(2**63), 2**63)


def refuse(where: str, what: str, hint: str = "") -> NoReturn:
    """Raise `ModelError`: what is wrong, and where in the file."""
    raise ModelError(f"This is not a sound model: {where}: {what}.{hint}")


def require(truth: Any, where: str, what: str) -> None:
    """Refuse unless something holds."""
    if not truth:
        refuse(where, what)


@contextmanager
def refusing(where: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of what is called inside into a refusal."""
    try:
        yield
    except errors as error:
        what = str(error).removeprefix("this is not a sound tree: ").strip().removesuffix(".")
        raise ModelError(f"This is not a sound model: {where}: {what[:300]}.") from None


def mapping(
    value: Any, where: str, needed: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Give a mapping that has the needed keys, and no others but the optional ones."""
    if not isinstance(value, dict):
        refuse(where, f"a mapping is wanted, got {value!r:.60}")
    if not value.keys() >= set(needed):
        refuse(where, f"it lacks {', '.join(repr(k) for k in needed if k not in value)}")
    if len(value) > len(needed):
        known = {*needed, *optional}
        for key in value:
            if key not in known:
                hint = did_you_mean(key[:60], known)
                refuse(where, f"it has the unknown key {key!r:.60}", hint)
    return value


def sequence(value: Any, where: str) -> list[Any]:
    """Give a list."""
    if not isinstance(value, list):
        refuse(where, f"a list is wanted, got {value!r:.60}")
    return value


def integer(value: Any, where: str, low: int = -(2**63), high: int = 2**63 - 1) -> int:
    """Give a whole number (not a truth value) within bounds."""
    if type(value) is not int or not low <= value <= high:
        refuse(where, f"a whole number from {low} to {high} is wanted, got {_short(value)}")
    return value


def real(value: Any, where: str) -> float:
    """Give a finite float."""
    if type(value) not in (int, float) or not abs(value) <= 1.7976931348623157e308:
        refuse(where, f"a finite number is wanted, got {_short(value)}")
    return float(value)


def choice(value: Any, where: str, choices: Sequence[str]) -> str:
    """Give one of some words."""
    if not isinstance(value, str) or value not in choices:
        refuse(where, f"one of {', '.join(map(repr, choices))} is wanted, got {_short(value)}")
    return value


def integers(values: list[Any], where: str) -> NDArray[np.int64]:
    """Give whole numbers as an array; `where` has a ``{}`` for the place in the list."""
    if not {int}.issuperset(map(type, values)):
        at = next(i for i, value in enumerate(values) if type(value) is not int)
        refuse(where.format(at), f"a whole number is wanted, got {_short(values[at])}")
    try:
        return np.array(values, np.int64)
    except OverflowError:
        at = next(i for i, value in enumerate(values) if value not in _INT64)
        refuse(where.format(at), "the whole number does not fit 64 bits")


def reals(values: list[Any], where: str) -> NDArray[np.float64]:
    """Give numbers, or the words for those that JSON lacks, as an array."""
    types = set(map(type, values))
    if str in types:
        values = [WORDS.get(v, v) if type(v) is str else v for v in values]
        types = set(map(type, values))
    if not types <= {int, float}:
        at = next(i for i, value in enumerate(values) if type(value) not in (int, float))
        refuse(where.format(at), f"a number is wanted, got {_short(values[at])}")
    try:
        return np.array(values, np.float64)
    except OverflowError:
        at = next(i for i, value in enumerate(values) if not abs(value) < 2**1024)
        refuse(where.format(at), "the number does not fit a float64")


_DEEPEST = 12
"""Costs by class and answer, in the log of a draft, lie ten deep."""


def check_plain(said: Any, where: str, depth: int = 0) -> None:
    """Only plain values, not too deep: what a later version may write here is not known yet."""
    require(depth < _DEEPEST, where, "it is nested too deep")
    if isinstance(said, dict):
        for key, value in said.items():
            require(isinstance(key, str), where, f"the key {key!r:.60} is not a text")
            check_plain(value, f"{where}.{key:.60}", depth + 1)
    elif isinstance(said, list):
        for i, value in enumerate(said):
            check_plain(value, f"{where}[{i}]", depth + 1)
    elif type(said) is int:
        integer(said, where)
    elif type(said) is float:
        require(np.isfinite(said), where, f"{said} is not a number that JSON has")
    else:
        known = said is None or type(said) in (str, bool)
        require(known, where, f"{said!r:.60} is not a text, a number, true, false, null or a list")


def number_or_word(x: float) -> float | str:
    """Write a float as JSON can hold it."""
    return x if x - x == 0 else str(x)


def _short(value: Any) -> str:
    """A value for a message. The digits of a huge whole number are not worth making."""
    if isinstance(value, int) and value not in _INT64:
        return "a huge number"
    return f"{value!r:.60}"
