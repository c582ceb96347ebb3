"""What a setting is: what it may be, as a check and as words, and what it means.

The table of all settings is `bosco.settings.settings`. The words of messages are scikit-learn's,
because people (and programs) look for them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True, slots=True)
class Allowed:
    """One kind of value."""

    says: str  # what it is, as messages say it
    type: str  # the same in a word, as docstrings say it
    holds: Callable[[Any], bool]
    words: tuple[str, ...] = ()  # that it may be, if it is a word


def words(*options: str) -> Allowed:
    """One of some words.

    Examples
    --------
    >>> words("best", "random").says, words("best", "random").type
    ("a str among {'best', 'random'}", '{"best", "random"}')
    """
    quoted = ", ".join(f'"{option}"' for option in options)
    return Allowed(
        says=f"a str among {{{', '.join(map(repr, options))}}}",
        type=quoted if len(options) == 1 else f"{{{quoted}}}",
        holds=lambda value: isinstance(value, str) and value in options,
        words=options,
    )


def whole(low: float = -inf, high: float = inf) -> Allowed:
    """A whole number from `low` to `high`.

    Examples
    --------
    >>> whole(1).says, whole(1).holds(0)
    ('an int in the range [1, inf)', False)
    """
    within = f" in the range [{low}, {high}{')' if high == inf else ']'}" if low > -inf else ""
    return Allowed(
        says=f"an int{within}" if within else "an instance of 'int'",
        type="int",
        holds=lambda value: isinstance(value, Integral) and low <= int(value) <= high,
    )


def real(low: float, high: float = inf, ends: str = "[]") -> Allowed:
    """A number from `low` to `high`; a round bracket in `ends` leaves that end out.

    Examples
    --------
    >>> real(0).says, real(0).holds(0), real(0).holds(float("nan"))
    ('a float in the range [0.0, inf)', True, False)
    """
    ends = ends[0] + ")" if high == inf else ends

    def holds(value: Any) -> bool:
        above = isinstance(value, Real) and (low <= value if ends[0] == "[" else low < value)  # type: ignore[operator]
        return bool(above and (value <= high if ends[1] == "]" else value < high))

    says = f"a float in the range {ends[0]}{float(low)}, {float(high)}{ends[1]}"
    return Allowed(says, "float", holds)


def share(ends: str = "(]") -> Allowed:
    """A part of a whole: a number from 0 to 1 that is not given as a whole number.

    Examples
    --------
    >>> share().says, share().holds(0.5), share().holds(1)
    ('a float in the range (0.0, 1.0]', True, False)
    """
    part = real(0, 1, ends)
    return Allowed(
        part.says,
        part.type,
        lambda value: not isinstance(value, Integral) and part.holds(value),
    )


def able(says: str, type_: str, *methods: str) -> Allowed:
    """An object, not a class, that has some methods."""

    def holds(value: Any) -> bool:
        return not isinstance(value, type) and all(hasattr(value, name) for name in methods)

    return Allowed(says, type_, holds)


def _is_truth(value: Any) -> bool:
    import numpy as np

    return isinstance(value, bool | np.bool_)


def _is_array(value: Any) -> bool:
    import numpy as np

    sized = any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))
    return sized and not np.isscalar(value)


def _is_generator(value: Any) -> bool:
    import numpy as np

    return isinstance(value, np.random.RandomState)


NONE = Allowed("None", "None", lambda value: value is None)
TRUTH = Allowed("an instance of 'bool'", "bool", _is_truth)
DICTS = Allowed(
    "a list of dicts",
    "list of dict",
    lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
)
DICT = Allowed("an instance of 'dict'", "dict", lambda value: isinstance(value, dict))
ARRAY = Allowed("an array-like", "array-like", _is_array)
CALLABLE = Allowed("a callable", "callable", callable)
GENERATOR = Allowed(
    "an instance of 'numpy.random.RandomState'", "RandomState instance", _is_generator
)

_NOT_IN_ROWS: Any = object()


@dataclass(frozen=True, slots=True)
class Option:
    """How a setting is given at the command line."""

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    default: Any = None


class Setting:
    """What a setting may be, and what it `says` it means.

    Estimators take the `default`; None, of a setting of growth: what the algorithm's row says. Each
    row of `bosco.growth.PRESETS` says `row` unless it says otherwise. What has no `option` at the
    command line is given by ``--set``.

    Examples
    --------
    >>> Setting(whole(1), NONE, says="No path is longer than this.").allows
    'an int in the range [1, inf) or None'
    """

    def __init__(
        self,
        *kinds: Allowed,
        says: str,
        default: Any = None,
        row: Any = _NOT_IN_ROWS,
        option: Option | None = None,
    ) -> None:
        # `allows` says for messages what it may be, `type` for docstrings.
        self.kinds, self.says = kinds, " ".join(says.split())
        self.default, self.row, self.option = default, row, option
        self.in_rows = row is not _NOT_IN_ROWS
        self.words = tuple(word for kind in kinds for word in kind.words)
        said = _joined([kind.says for kind in kinds if kind is not NONE])
        self.allows = f"{said} or None" if NONE in kinds else said
        self.type = _joined([kind.type for kind in kinds])

    def holds(self, value: Any) -> bool:
        """Whether it may be this."""
        return any(kind.holds(value) for kind in self.kinds)


def _joined(said: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(said[:-1]), said[-1])))
