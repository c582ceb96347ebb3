"""An expression as text: such that it parses back to the same value, with as few brackets as do."""

from bosco.base.numerals import show_number
from bosco.base.visible import harmless
from bosco.data.expressions.parse import is_word
from bosco.data.expressions.value import (
    COMPARISONS,
    FUNCTIONS,
    POWERS,
    SIGN,
    Call,
    Expression,
    Name,
    Number,
    Text,
    Truth,
)

_TIGHTEST = 9
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write(expression: Expression) -> str:
    """Write an expression.

    Examples
    --------
    >>> from bosco.data.expressions.parse import parse
    >>> write(parse("(a)-(b-c)*  2"))
    'a - (b - c) * 2'
    >>> write(parse("not `body mass` > 3 or outlook == 'rain'"))
    'not `body mass` > 3 or outlook == "rain"'
    """
    return _said(expression)[0]


def write_name(name: str) -> str:
    """Write the name of a column: as it is, or between back-quotes."""
    if is_word(name):
        return name
    return _quoted(name, "`")


def _said(expression: Expression) -> tuple[str, int]:
    """The text, and how tightly it binds."""
    if isinstance(expression, Number):
        negative = str(expression.value).startswith("-")
        return show_number(expression.value), SIGN if negative else _TIGHTEST
    if isinstance(expression, Text):
        return _quoted(expression.value, '"'), _TIGHTEST
    if isinstance(expression, Truth):
        return "true" if expression.value else "false", _TIGHTEST
    if isinstance(expression, Name):
        return write_name(expression.name), _TIGHTEST
    return _call(expression)


def _call(call: Call) -> tuple[str, int]:
    name = call.name
    if name in FUNCTIONS:
        return f"{name}({', '.join(map(write, call.of))})", _TIGHTEST
    if name == "in":
        members = ", ".join(map(write, call.of[1:]))
        return f"{_bound(call.of[0], POWERS['in'] + 1)} in ({members})", POWERS["in"]
    if len(call.of) == 1 and name == "not":
        return f"not {_bound(call.of[0], POWERS['not'])}", POWERS["not"]
    if len(call.of) == 1:
        # A constant takes the signs before it as its own: one that has a sign stands in brackets.
        return f"-{_bound(call.of[0], SIGN + isinstance(call.of[0], Number))}", SIGN
    binds = POWERS[name]
    left, right = call.of
    # From left to right; comparisons and powers stand alone.
    alone = name in COMPARISONS or name == "**"
    return f"{_bound(left, binds + alone)} {name} {_bound(right, binds + 1)}", binds


def _bound(expression: Expression, least: int) -> str:
    """An operand, in brackets if it binds less tightly than that."""
    text, binds = _said(expression)
    return text if binds >= least else f"({text})"


def _quoted(text: str, quote: str) -> str:
    """A text between quotes: what would end it, or act on a terminal, is spelled out."""
    return f"{quote}{''.join(_spelled(letter, quote) for letter in text)}{quote}"


def _spelled(letter: str, quote: str) -> str:
    if letter in (quote, "\\"):
        return f"\\{letter}"
    if letter in _SHORT:
        return _SHORT[letter]
    if harmless(letter) == letter:
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 2**16 else f"\\U{ord(letter):08x}"
