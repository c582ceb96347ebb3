"""What an expression means for the columns of a table: its kind, and the steps that compute it.

Kinds are those of columns: numbers, truth values, levels, dates and times. Days since 1970 and
microseconds are what dates and times are here (`bosco.base.dates`), so that their differences are
numbers too: of two dates, days; of two times, a duration. What makes no sense is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol, cast, get_args

from bosco.base.dates import MOMENTS, Unit, read_moment
from bosco.data.expressions.formula import Formula, Operation, Step
from bosco.data.expressions.value import (
    COMPARISONS,
    Call,
    Constant,
    Expression,
    Name,
    Number,
    Text,
    Truth,
)
from bosco.data.expressions.write import write
from bosco.errors import ParameterError, did_you_mean

_SAID = {
    "number": "a number",
    "boolean": "a truth value",
    "levels": "a level",
    "text": "a text",
    "date": "a date",
    "datetime": "a date with a time",
    "instant": "a time with a time zone",
    "duration": "a length of time",
    "time": "a time of day",
}
_LENGTHS = {"days": 86_400e6, "hours": 3600e6, "minutes": 60e6, "seconds": 1e6}
_ONE_BY_ONE: dict[str, Operation] = {"abs": "abs", "floor": "floor", "sqrt": "sqrt"}
_ANYWHERE = ("number", *sorted(MOMENTS))

_SUMS: dict[tuple[str, str, str], Unit] = {
    ("date", "-", "date"): "number",
    ("time", "-", "time"): "duration",
    ("duration", "/", "duration"): "number",
    ("duration", "/", "number"): "duration",
    ("duration", "*", "number"): "duration",
    ("number", "*", "duration"): "duration",
    **{("number", sign, "number"): "number" for sign in "+-*/"},
    **{("duration", sign, "duration"): "duration" for sign in "+-"},
    **{("date", sign, "number"): "date" for sign in "+-"},
    ("number", "+", "date"): "date",
    ("datetime", "-", "datetime"): "duration",
    ("instant", "-", "instant"): "duration",
    **{("datetime", sign, "duration"): "datetime" for sign in "+-"},
    **{("instant", sign, "duration"): "instant" for sign in "+-"},
    ("duration", "+", "datetime"): "datetime",
    ("duration", "+", "instant"): "instant",
}
"""What sums, differences, products and quotients of which kinds are."""


class Described(Protocol):
    """A column, as far as expressions must know it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def kind(self) -> str:
        """Numeric, ordinal or nominal."""

    @property
    def levels(self) -> tuple[str | bool | int | float, ...] | None:
        """The levels, if it has some."""

    @property
    def unit(self) -> Unit:
        """What its values stand for."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an expression: its kind, and the step that computes it; or a column of levels."""

    kind: str
    step: int
    column: int = -1


def formula_of(expression: Expression, columns: Sequence[Described]) -> Formula:
    """Find out what an expression means for these columns.

    Examples
    --------
    >>> from bosco.data.expressions.parse import parse
    >>> from bosco.data.schema import Column
    >>> formula_of(parse("weight / 2 > 30"), [Column("weight")]).unit
    'boolean'
    """
    reader = _Reader(columns)
    result = reader.read(expression)
    if result.kind in ("levels", "text"):
        refuse(f"it is {_SAID[result.kind]}, and a derived column is computed. Hint: compare it")
    if not any(step.column >= 0 for step in reader.steps):
        refuse("it names no column, so that it is the same for every row")
    return Formula(write(expression), cast(Unit, result.kind), tuple(reader.steps))


class _Reader:
    """Goes through an expression from the inside out; equal steps are one."""

    def __init__(self, columns: Sequence[Described]):
        self.columns = columns
        self.places = {column.name: j for j, column in enumerate(columns)}
        self.steps: dict[Step, int] = {}

    def add(self, kind: str, operation: Operation, *of: _Part, **about: object) -> _Part:
        step = Step(operation, tuple(part.step for part in of), **about)  # type: ignore[arg-type]
        return _Part(kind, self.steps.setdefault(step, len(self.steps)))

    def constant(self, kind: str, value: float) -> _Part:
        return self.add(kind, "constant", value=value)

    def read(self, expression: Expression) -> _Part:
        if isinstance(expression, Number):
            return self.constant("number", expression.value)
        if isinstance(expression, Truth):
            return self.constant("boolean", float(expression.value))
        if isinstance(expression, Text):
            return _Part("text", -1)
        if isinstance(expression, Name):
            return self.name(expression.name)
        name, of = expression.name, expression.of
        if name in COMPARISONS:
            return self.compared(name, *of)
        if name == "in":
            return self.among(of[0], cast(tuple[Constant, ...], of[1:]), expression)
        if name == "**":
            return self.power(self.read(of[0]), expression)
        return self.done(expression, [self.read(part) for part in of])

    def name(self, name: str) -> _Part:
        if name not in self.places:
            refuse(
                f"there is no column {name!r:.60}.{did_you_mean(name, self.places)} A text stands "
                f"between quotes"
            )
        j = self.places[name]
        column = self.columns[j]
        if column.levels is None:
            return self.add(column.unit, "number", column=j)
        if all(isinstance(level, bool) for level in column.levels):
            true = tuple(at for at, level in enumerate(column.levels) if level)
            return self.add("boolean", "among", column=j, positions=true)
        return _Part("levels", -1, j)

    def done(self, call: Call, parts: list[_Part]) -> _Part:
        name = call.name
        kinds = [part.kind for part in parts]
        if name in ("and", "or", "not"):
            self.require(call, parts, ("boolean",))
            return self.add("boolean", cast(Operation, name), *parts)
        if name == "-" and len(parts) == 1:
            self.require(call, parts, ("number", "duration"))
            return self.add(kinds[0], "negated", *parts)
        if name in _ONE_BY_ONE:
            self.require(call, parts, ("number", "duration") if name == "abs" else ("number",))
            return self.add(kinds[0], _ONE_BY_ONE[name], *parts)
        if name in _LENGTHS:
            self.require(call, parts, ("duration",))
            return self.add("number", "/", *parts, self.constant("duration", _LENGTHS[name]))
        if name in ("min", "max"):
            self.require(call, parts, _ANYWHERE)
            self.require(call, parts, (kinds[0],))
            found = parts[0]
            for part in parts[1:]:
                found = self.add(kinds[0], cast(Operation, name), found, part)
            return found
        kind = _SUMS.get((kinds[0], name, kinds[1]))
        if kind is None:
            said = " and ".join(
                f"{write(part):.60} ({_SAID[one]})"
                for part, one in zip(call.of, kinds, strict=True)
            )
            refuse(f"{name!r} makes no sense of {said}{_hint(kinds)}")
        return self.add(kind, cast(Operation, name), *parts)

    def power(self, base: _Part, call: Call) -> _Part:
        """Factors multiplied from left to right; the exponent is no step."""
        self.require(call, [base], ("number",))
        found = base
        for _ in range(int(cast(Number, call.of[1]).value) - 1):
            found = self.add("number", "*", found, base)
        return found

    def compared(self, name: str, left: Expression, right: Expression) -> _Part:
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        if isinstance(left, Text):
            left, right, name = right, left, turned.get(name, name)
        a = self.read(left)
        if a.kind == "levels":
            return self.level(a, name, left, right)
        b = self.moment(a, left, right.value) if isinstance(right, Text) else self.read(right)
        if b.kind == "levels":
            return self.level(b, turned.get(name, name), right, left)
        if a.kind != b.kind:
            said = f"{write(left):.60} is {_SAID[a.kind]} and {write(right):.60} {_SAID[b.kind]}"
            refuse(f"{said}, which cannot be compared{_hint([a.kind, b.kind])}")
        if a.kind == "boolean" and name not in ("==", "!="):
            refuse(f"truth values have no order, so that {name!r} makes no sense of them")
        return self.add("boolean", cast(Operation, name), a, b)

    def moment(self, part: _Part, of: Expression, text: str) -> _Part:
        """A constant date or time, of the kind of what it is compared with."""
        if part.kind not in MOMENTS or part.kind == "duration":
            hint = ". Hint: hours(x) is a number" if part.kind == "duration" else ""
            refuse(f"{write(of):.60} is {_SAID[part.kind]}, and {text!r:.60} is a text{hint}")
        value = read_moment(part.kind, text)
        if value is None:
            refuse(
                f"{text!r:.60} is not {_SAID[part.kind]}. Hint: dates are written as 2020-01-31, "
                f"times as 18:30, both as 2020-01-31 18:30"
            )
        return self.constant(part.kind, value)

    def level(self, part: _Part, name: str, left: Expression, right: Expression) -> _Part:
        """A level compared with a constant: whether it is one of some levels."""
        column = self.columns[part.column]
        if not isinstance(right, Number | Text | Truth):
            refuse(
                f"{write(left):.60} is a level, which is compared with constants only; "
                f"{write(right):.60} is none"
            )
        if column.kind != "ordinal" and name not in ("==", "!="):
            refuse(
                f"the levels of column {column.name!r:.60} have no order, so that {name!r} makes "
                f"no sense of them. Hint: make it an ordered category, or say 'in'"
            )
        at, n = self.position(column, right), len(column.levels or ())
        ranges = {
            "==": [at],
            "!=": [i for i in range(n) if i != at],
            "<": range(at),
            "<=": range(at + 1),
            ">": range(at + 1, n),
            ">=": range(at, n),
        }
        return self.add("boolean", "among", column=part.column, positions=tuple(ranges[name]))

    def among(self, left: Expression, members: tuple[Constant, ...], call: Call) -> _Part:
        """Whether a value is one of some constants."""
        part = self.read(left)
        if part.kind == "levels":
            column = self.columns[part.column]
            places = sorted({self.position(column, member) for member in members})
            return self.add("boolean", "among", column=part.column, positions=tuple(places))
        found: _Part | None = None
        for member in members:
            one = self.compared("==", left, member)
            found = one if found is None else self.add("boolean", "or", found, one)
        if found is None:
            refuse(f"{write(call):.60} names no constant")
        return found

    def position(self, column: Described, constant: Constant) -> int:
        """The place of a level."""
        levels, value = column.levels or (), constant.value
        for at, level in enumerate(levels):
            if level == value and isinstance(level, str) == isinstance(value, str):
                return at
        few = ", ".join(map(repr, levels[:10])) + (", …" if len(levels) > 10 else "")
        return refuse(
            f"{value!r:.60} is no level of column {column.name!r:.60}, which has {few}."
            f"{did_you_mean(value, levels)} Hint: declare levels that no row has, "
            f"domains={{{column.name!r:.60}: [...]}}"
        )

    def require(self, call: Call, parts: list[_Part], kinds: Sequence[str]) -> None:
        for part, expression in zip(parts, call.of, strict=False):
            if part.kind not in kinds:
                wanted = " or ".join(_SAID[kind] for kind in kinds)
                wanted = "a number, a date or a time" if len(kinds) > 2 else wanted
                what = "a sign" if call.name == "-" else repr(call.name)
                refuse(
                    f"{what} is for {wanted}, and {write(expression):.60} is {_SAID[part.kind]}"
                    f"{_hint([part.kind, *kinds])}"
                )


def _hint(kinds: Sequence[str]) -> str:
    if "boolean" in kinds and "number" in kinds:
        return ". Hint: join truth values by 'and' and 'or'; compare numbers to get one"
    if "duration" in kinds and "number" in kinds:
        return (
            ". Hint: days(x), hours(x), minutes(x) and seconds(x) make numbers of lengths of time"
        )
    return ""


def refuse(what: str) -> NoReturn:
    """Say what is wrong with an expression."""
    raise ParameterError(f"{what}.")


assert set(COMPARISONS) <= set(get_args(Operation))
