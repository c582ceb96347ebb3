"""Derived columns in SQL: expressions of float64, NULL where there is no value.

Truth values are 1 and 0 here, so that what needs a missing value is missing by itself. What is not
finite is taken out where it would be lost otherwise, and where the tree asks for it; PostgreSQL
answers what is too large or too small for a float64 with an error instead. Operands are written
where they are needed, as expressions have no names (and NULLIF is no way out: databases write its
operand twice), so that what repeats itself too often is refused.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nextafter

from sqlglot import exp

from bosco.data.deriving import explained
from bosco.data.expressions.formula import MAY_OVERFLOW, Step
from bosco.data.expressions.value import COMPARISONS
from bosco.data.schema import Column
from bosco.errors import ModelError
from bosco.export.dialects import Dialect, cast
from bosco.export.program import Guard, Program, one_line

MAX_SIZE = 2000
"""Operations of one derived column, when all that it is derived from is written out."""

Read = Callable[[str], exp.Expression]
"""How a column of the table is written."""

Said = tuple[exp.Expression, bool]
"""A number, and whether it is finite for certain; else it may be infinite or NaN."""

_SIGNS: dict[str, type[exp.Binary]] = {
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
    "==": exp.EQ,
    "!=": exp.NEQ,
}
_SAFE = {"+": "SAFE_ADD", "-": "SAFE_SUBTRACT", "*": "SAFE_MULTIPLY", "/": "SAFE_DIVIDE"}
_COPIES = {"/": 2, "min": 6, "max": 6, "floor": 3, "sqrt": 4, **dict.fromkeys(COMPARISONS, 2)}
"""How often operations write their operands at most."""

_LARGEST = 1.7976931348623157e308
_WHOLE = 2.0**52  # from here on, every float64 is whole


def as_numbers(code: Program) -> Program:
    """The program with derived columns as SQL has them: plain numbers, truths 1.0 and 0.0."""
    columns = tuple(
        column if column.formula is None else _plain(column, len(column.levels or ()))
        for column in code.columns
    )
    return replace(code, columns=columns)


def _plain(column: Column, n_levels: int) -> Column:
    levels = (0.0, 1.0) if n_levels else None
    return replace(column, unit="number", levels=levels)


def sizes(code: Program) -> dict[int, int]:
    """How many operations each derived column is, with all that it is derived from."""
    found: dict[int, int] = {}
    for j, formula in code.derived.items():
        steps: list[int] = []
        for step in formula.steps:
            below = sum(steps[k] for k in step.of) + found.get(step.column, 0)
            steps.append(min(1 + below * _COPIES.get(step.operation, 1), MAX_SIZE + 1))
        found[j] = steps[-1]
        if found[j] > MAX_SIZE:
            raise ModelError(
                f"The derived column {code.columns[j].name!r} is more than {MAX_SIZE:,} operations "
                f"when all that it is derived from is written out, as SQL must: too long an "
                f"expression. Hint: derive it in fewer steps, or use to_python, to_c or "
                f"to_javascript."
            )
    return found


def with_derived(code: Program, speech: Dialect, read: Read) -> Read:
    """How columns are read, derived ones included."""
    if not code.derived:
        return read
    made: dict[str, exp.Expression] = {}
    for j in code.derived:
        known = dict(made)

        def below(name: str, known: dict[str, exp.Expression] = known) -> exp.Expression:
            return known[name].copy() if name in known else read(name)

        made[code.columns[j].name] = _computed(code, j, speech, below)
    return lambda name: made[name].copy() if name in made else read(name)


def _computed(code: Program, j: int, speech: Dialect, read: Read) -> exp.Expression:
    """The column; what is not finite is taken out only where it would be lost otherwise."""
    column = code.columns[j]
    said: list[Said] = []
    for step in code.derived[j].steps:
        of = [(said[k][0].copy(), said[k][1]) for k in step.of]
        said.append(_said(code, step, of, speech, read))
    found = said[-1][0]
    found.add_comments([one_line(explained([column])[0])])
    return found


def _said(code: Program, step: Step, of: list[Said], speech: Dialect, read: Read) -> Said:
    name = step.operation
    if name == "constant":
        value = speech.double(step.value)  # perhaps as a quotient
        return value if isinstance(value, exp.Literal) else exp.Paren(this=value), True
    if name in ("number", "among"):
        column = code.columns[step.column]
        x = read(column.name)
        if name == "among":
            return _among(column, step.positions, x, speech), True
        return (x, False) if column.formula is not None else _number(column, x, speech)
    if name in MAY_OVERFLOW:
        return _arithmetic(name, of[0], of[1], speech)
    if name in ("negated", "abs", "floor"):
        x, finite = of[0]
        if name == "floor":
            return _floor(x, speech), finite
        return exp.Abs(this=x) if name == "abs" else exp.Paren(this=exp.Neg(this=x)), finite
    return _certain(name, [_finite(x, speech) for x in of], speech), True


def _certain(name: str, of: list[exp.Expression], speech: Dialect) -> exp.Expression:
    """What is made of finite numbers, and finite itself."""
    if name in _SIGNS:
        holds = _SIGNS[name](this=of[0], expression=of[1])
        if not speech.truths:
            ways = ((holds, 1.0), (exp.Not(this=exp.Paren(this=holds.copy())), 0.0))
            return exp.Case(ifs=[exp.If(this=way, true=speech.double(x)) for way, x in ways])
        return cast(exp.Cast(this=exp.Paren(this=holds), to=exp.DataType.build("int")))
    if name in ("min", "max"):
        return _least(name, of[0], of[1])
    if name == "sqrt":
        fits = exp.GTE(this=of[0], expression=speech.double(0.0))
        return exp.Case(ifs=[exp.If(this=fits, true=exp.Sqrt(this=of[0].copy()))])
    one = speech.double(1.0)
    if name == "and":
        return exp.Paren(this=exp.Mul(this=of[0], expression=of[1]))
    if name == "not":
        return exp.Paren(this=exp.Sub(this=one, expression=of[0]))
    assert name == "or"  # neither of them is not
    a, b = (exp.Paren(this=exp.Sub(this=one.copy(), expression=x)) for x in of)
    return exp.Paren(this=exp.Sub(this=one, expression=exp.Mul(this=a, expression=b)))


def _arithmetic(name: str, left: Said, right: Said, speech: Dialect) -> Said:
    a, b = left[0], right[0]
    if speech.name == "bigquery":
        return exp.Anonymous(this=_SAFE[name], expressions=[a, b]), True
    if name != "/":
        return exp.Paren(this=_SIGNS[name](this=a, expression=b)), False
    sized = exp.Between(
        this=exp.Abs(this=b.copy()),
        low=speech.double(speech.smallest),
        high=speech.double(_LARGEST),
    )
    divisor = exp.Case(ifs=[exp.If(this=sized, true=b)])
    return exp.Paren(this=exp.Div(this=a, expression=divisor, typed=True, safe=False)), False


def between(x: exp.Expression, low: float, high: float, speech: Dialect) -> exp.Expression:
    """Whether a number lies between two, both included; NaN does not."""
    low, high = max(low, -_LARGEST), min(high, _LARGEST)  # above the largest there is none
    return exp.Between(this=x, low=speech.double(low), high=speech.double(high))


def asked(guard: Guard, x: exp.Expression, speech: Dialect) -> exp.Expression:
    """Whether a derived number passes a guard; it is written once, and missing if not finite."""
    if not guard.missing:
        return between(x, -inf, inf if guard.cut is None else guard.cut, speech)
    above = -inf if guard.cut is None else nextafter(guard.cut, inf)
    known = between(x, above, inf, speech)
    if not speech.truths:
        lost = exp.Case(ifs=[exp.If(this=known, true=_whole(0))], default=_whole(1))
        return exp.EQ(this=lost, expression=_whole(1))
    return exp.Not(this=exp.Coalesce(this=known, expressions=[exp.Boolean(this=False)]))


def _whole(n: int) -> exp.Expression:
    return exp.Literal.number(str(n))


def finite(x: exp.Expression, speech: Dialect) -> exp.Expression:
    """A number, NULL if it is not finite."""
    return exp.Case(ifs=[exp.If(this=between(x.copy(), -inf, inf, speech), true=x)])


def _finite(said: Said, speech: Dialect) -> exp.Expression:
    return said[0] if said[1] else finite(said[0], speech)


def _least(name: str, a: exp.Expression, b: exp.Expression) -> exp.Expression:
    """The smaller or larger of two, NULL if one is; databases' own functions leave NULL out."""
    first = exp.LTE if name == "min" else exp.GTE
    other = exp.GT if name == "min" else exp.LT
    ifs = [
        exp.If(this=first(this=a, expression=b), true=a.copy()),
        exp.If(this=other(this=a.copy(), expression=b.copy()), true=b.copy()),
    ]
    return exp.Case(ifs=ifs)


def _floor(x: exp.Expression, speech: Dialect) -> exp.Expression:
    """The largest whole number that is not larger, as a float64 of any size."""
    whole: exp.Expression = exp.Floor(this=x.copy())
    if speech.name == "sqlite":  # some builds have no FLOOR, and a cast cuts towards zero
        cut = exp.Cast(this=x.copy(), to=exp.DataType.build("bigint"))
        below = exp.Paren(this=exp.LT(this=x.copy(), expression=cut))
        whole = exp.Paren(this=exp.Sub(this=cut.copy(), expression=below))
    small = exp.LT(this=exp.Abs(this=x), expression=speech.double(_WHOLE))
    return exp.Case(ifs=[exp.If(this=small, true=cast(whole))], default=x.copy())


def _among(
    column: Column, positions: tuple[int, ...], x: exp.Expression, speech: Dialect
) -> exp.Expression:
    """1 where a level is one of some, 0 where it is another, NULL where it is none."""
    ifs = []
    for wanted, value in ((True, 1.0), (False, 0.0)):
        levels = [
            speech.level(level)
            for at, level in enumerate(column.levels or ())
            if (at in positions) == wanted
        ]
        if levels:
            is_in = exp.In(this=speech.same(column, x.copy()), expressions=levels)
            ifs.append(exp.If(this=is_in, true=speech.double(value)))
    return exp.Case(ifs=ifs)


def _number(column: Column, x: exp.Expression, speech: Dialect) -> Said:
    """A number or moment of the table as a float64: days, or microseconds."""
    if column.unit == "number" or speech.moment(column) == "number":
        if speech.nan != "unequal":
            return cast(x), False
        return finite(cast(x), speech), True  # the functions that follow ask for finite numbers
    made = _MOMENTS.get((speech.name, "date" if column.unit == "date" else "time"))
    if made is None or (speech.moment(column) == "text" and column.unit != "date"):
        raise ModelError(
            f"Column {column.name!r} holds times, from which a column is derived, and "
            f"{speech.name} has no exact number for them. Hint: another database, or to_python, "
            f"to_c or to_javascript."
        )
    return cast(made(x)), True


def _date(text: str) -> exp.Expression:
    return exp.cast(exp.Literal.string(text), "date")


def _microseconds(x: exp.Expression) -> exp.Expression:
    """In PostgreSQL, where the seconds since 1970 are an exact decimal number."""
    epoch = exp.Extract(this=exp.var("EPOCH"), expression=x)
    return exp.Paren(this=exp.Mul(this=epoch, expression=exp.Literal.number("1000000")))


def _since_1970(x: exp.Expression) -> exp.Expression:
    return exp.Paren(this=exp.Sub(this=x, expression=_date("1970-01-01")))


def _julian(x: exp.Expression) -> exp.Expression:
    day = exp.Anonymous(this="JULIANDAY", expressions=[x])
    return exp.Paren(this=exp.Sub(this=day, expression=exp.Literal.number("2440587.5")))


def _days_since_1970(x: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this="DATEDIFF", expressions=[x, _date("1970-01-01")])


def _called(name: str) -> Callable[[exp.Expression], exp.Expression]:
    return lambda x: exp.Anonymous(this=name, expressions=[x])


_MOMENTS: dict[tuple[str, str], Callable[[exp.Expression], exp.Expression]] = {
    ("duckdb", "date"): _since_1970,
    ("duckdb", "time"): _called("EPOCH_US"),
    ("postgres", "date"): _since_1970,
    ("postgres", "time"): _microseconds,
    ("sqlite", "date"): _julian,
    ("bigquery", "date"): _called("UNIX_DATE"),
    ("spark", "date"): _called("UNIX_DATE"),
    ("mysql", "date"): _days_since_1970,
}
"""Days or microseconds of a moment; what is not here is refused."""
