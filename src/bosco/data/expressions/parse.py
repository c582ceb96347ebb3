r"""Text as an expression, by what binds more tightly. Nothing is looked up and nothing is run.

Operators are Python's: ``or``, ``and``, ``not``, comparisons (which may be chained) and ``in``, ``+
-``, ``* /``, signs, ``**``. A column whose name is no word stands between back-quotes, a text
between quotes of either kind; in both, a backslash comes before what would end it, and ``\n``,
``\t``, ``\r`` and ``\u00e8`` are understood. Lengths are bounded before anything is done.
"""

import re
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn

from bosco.data.expressions.value import (
    COMPARISONS,
    FUNCTIONS,
    MAX_LENGTH,
    MAX_NESTING,
    MAX_PARTS,
    MAX_POWER,
    POWERS,
    SIGN,
    WORDS,
    Call,
    Expression,
    Name,
    Number,
    Text,
    Truth,
)
from bosco.errors import ParameterError, did_you_mean

_TOKEN = re.compile(
    r"""
    (?P<number> (?:[0-9]+\.?[0-9]*|\.[0-9]+) (?:[eE][+-]?[0-9]+)? )
  | (?P<word> [^\W\d]\w* )
  | (?P<quoted> `(?:[^`\\]|\\.)*` )
  | (?P<text> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
  | (?P<sign> \*\*|[<>=!]=|[-+*/<>(),] )
    """,
    re.VERBOSE | re.DOTALL,
)
_NAMED = re.compile(r"\s*(?P<name>`(?:[^`\\]|\\.)*`|[^=<>!`]+?)\s*=(?!=)", re.DOTALL)
_WORD = re.compile(r"[^\W\d]\w*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "`": "`", '"': '"', "'": "'"}
_HINTS = {
    "=": "two values are compared by ==",
    "&": "say 'and'",
    "|": "say 'or'",
    "!": "say 'not', or != for 'is not equal to'",
    "^": "a power is written x ** 2",
    "%": "there is no remainder: x - y * floor(x / y)",
    ".": "nothing has parts here; a name with a dot stands between back-quotes",
    "[": "a name that is no word stands between back-quotes",
}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, word, quoted, text, sign, end
    text: str
    at: int


def is_word(name: str) -> bool:
    """Whether a name of a column needs no quotes.

    Examples
    --------
    >>> is_word("weight"), is_word("body mass"), is_word("and")
    (True, False, False)
    """
    return bool(_WORD.fullmatch(name)) and name not in WORDS


def parse(text: str) -> Expression:
    """Read an expression, or raise a `ParameterError` that says where it goes wrong.

    Examples
    --------
    >>> parse("weight / height ** 2").name
    '/'
    >>> parse("0 < x < 1") == parse("0 < x and x < 1")
    True
    """
    if not isinstance(text, str):
        raise ParameterError(f"an expression is a text. Got {type(text).__name__}.")
    if len(text) > MAX_LENGTH:
        raise ParameterError(
            f"it has {len(text):,} letters, and at most {MAX_LENGTH:,} are allowed. Hint: say parts"
            f" of it as derived columns of their own."
        )
    reader = _Reader(text)
    expression = reader.expression(0, 0)
    left = reader.token
    if left.kind != "end":
        reader.refuse(left, "an operator, or the end, is wanted here")
    return expression


def read_name(text: str) -> tuple[str, str]:
    """Part ``name = expression``; the name may stand between back-quotes.

    Examples
    --------
    >>> read_name("late = arrived == promised"), read_name("`a = b`= 2 * x"), read_name("x == 3")
    (('late', 'arrived == promised'), ('a = b', '2 * x'), ('', ''))
    """
    found = _NAMED.match(text)
    if found is None:
        return "", ""
    name = found["name"].strip()
    if name.startswith("`"):
        name = _Reader("").unescaped(_Token("quoted", name, 0))
    return name, text[found.end() :].strip()


class _Reader:
    """Goes over the tokens once, from left to right."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = _tokens(text)
        self.at = self.parts = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def expression(self, power: int, depth: int) -> Expression:
        """What follows, as far as it binds more tightly than `power`."""
        if depth > MAX_NESTING:
            self.refuse(
                self.token, f"it is nested deeper than {MAX_NESTING}; say parts of it as columns"
            )
        left = self.operand(depth)
        while (binds := POWERS.get(self.operator(), 0)) > power:
            if binds == POWERS["<"]:
                left = self.comparisons(left, depth)
                continue
            operator = self.operator()
            self.step()
            if operator == "**":
                left = self.call("**", (left, self.exponent()))
            else:
                left = self.call(operator, (left, self.expression(binds, depth + 1)))
        return left

    def operator(self) -> str:
        """The operator at this place; "" where none is."""
        token = self.token
        found = token.text if token.kind in ("sign", "word") else ""
        if found == "not":  # after an operand it can only begin "not in"
            return "in" if self.tokens[self.at + 1].text == "in" else ""
        return found

    def comparisons(self, left: Expression, depth: int) -> Expression:
        """Comparisons, of which several in a row all hold."""
        found: Expression | None = None
        while (operator := self.operator()) in (*COMPARISONS, "in"):
            if operator == "in":
                negated = self.take("not")
                self.step()
                one = self.call("in", (left, *self.members()))
                one = self.call("not", (one,)) if negated else one
            else:
                self.step()
                right = self.expression(POWERS["<"], depth + 1)
                one, left = self.call(operator, (left, right)), right
            found = one if found is None else self.call("and", (found, one))
            if operator == "in":
                break
        assert found is not None
        return found

    def members(self) -> list[Expression]:
        """The constants between brackets after `in`."""
        self.want("(")
        found: list[Expression] = []
        while True:
            member = self.operand(0)
            if not isinstance(member, Number | Text | Truth):
                self.refuse(self.token, "'in' takes constants: size in ('S', 'M')")
            found.append(member)
            self.parts += 1
            if not self.take(","):
                break
        self.want(")")
        return found

    def exponent(self) -> Number:
        token = self.token
        value = _number(token.text) if token.kind == "number" else 0.0
        if not (value.is_integer() and 1 <= value <= MAX_POWER):
            self.refuse(
                token,
                f"a power is a whole number from 1 to {MAX_POWER} (a root is sqrt(x), an inverse "
                f"1 / x)",
            )
        self.step()
        if self.operator() == "**":
            self.refuse(self.token, "a power of a power needs brackets, (x ** 2) ** 3")
        return Number(value)

    def operand(self, depth: int) -> Expression:
        """A constant, a name, a function, or something in brackets or with a sign."""
        token = self.token
        self.step()
        if token.kind == "number":
            return Number(_number(token.text))
        if token.kind == "text":
            return Text(self.unescaped(token))
        if token.kind == "quoted":
            return Name(self.unescaped(token))
        if token.kind == "word" and token.text not in WORDS:
            if self.token.text == "(" and self.token.kind == "sign":
                return self.function(token, depth)
            return Name(token.text)
        if token.text in ("true", "false", "True", "False"):
            return Truth(token.text.lower() == "true")
        if token.text == "not":
            return self.call("not", (self.expression(POWERS["not"] - 1, depth + 1),))
        if token.text in ("-", "+") and token.kind == "sign":
            inside = self.expression(SIGN, depth + 1)
            if token.text == "+":
                return inside
            if isinstance(inside, Number):
                return Number(-inside.value)
            return self.call("-", (inside,))
        if token.text == "(" and token.kind == "sign":
            inside = self.expression(0, depth + 1)
            self.want(")")
            return inside
        self.at -= 1
        return self.refuse(token, "a column, a constant or a bracket is wanted here")

    def function(self, token: _Token, depth: int) -> Expression:
        if token.text not in FUNCTIONS:
            hint = did_you_mean(token.text, FUNCTIONS)
            self.refuse(
                token,
                f"{token.text!r:.60} is no function; there are {', '.join(FUNCTIONS)}.{hint} Only "
                f"what gives the same bits in every language is there",
            )
        self.step()
        operands = [self.expression(0, depth + 1)]
        while self.take(","):
            operands.append(self.expression(0, depth + 1))
        self.want(")")
        least, most = FUNCTIONS[token.text]
        if not least <= len(operands) <= most:
            several = str(least) if least == most else f"{least} to {most}"
            self.refuse(token, f"{token.text} takes {several} operand{'s' * (most > 1)}")
        return self.call(token.text, tuple(operands))

    def call(self, name: str, of: tuple[Expression, ...]) -> Call:
        self.parts += 1
        if self.parts > MAX_PARTS:
            self.refuse(
                self.token, f"it has more than {MAX_PARTS} operations; say parts of it as columns"
            )
        return Call(name, of)

    def step(self) -> None:
        self.at = min(self.at + 1, len(self.tokens) - 1)

    def take(self, text: str) -> bool:
        """Pass a token if it is this one."""
        here = self.token.text == text and self.token.kind in ("sign", "word")
        self.at += here
        return here

    def want(self, text: str) -> None:
        if not self.take(text):
            self.refuse(self.token, f"{text!r} is wanted here")

    def unescaped(self, token: _Token) -> str:
        def one(found: re.Match[str]) -> str:
            said = found[1]
            if said in _ESCAPED:
                return _ESCAPED[said]
            if len(said) == 1 or int(said[1:], 16) > 0x10FFFF:
                self.refuse(
                    token, f"the backslash before {said[0]!r} means nothing; write it twice"
                )
            return chr(int(said[1:], 16))

        return _ESCAPE.sub(one, token.text[1:-1])

    def refuse(self, token: _Token, what: str) -> NoReturn:
        _refuse(self.text, token.at, what)


def _tokens(text: str) -> list[_Token]:
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            sign = text[at]
            if sign in "\"'`":
                _refuse(text, at, "this quote is not closed")
            hint = f": {_HINTS[sign]}" if sign in _HINTS else ""
            _refuse(text, at, f"{sign!r} means nothing here{hint}")
        found.append(_Token(match.lastgroup or "", match[0], at))
        at = match.end()
    return [*found, _Token("end", "", at)]


def _number(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ParameterError(f"the number {text:.60} is larger than a float64 can be.")
    return value


def _refuse(text: str, at: int, what: str) -> NoReturn:
    near = text[max(0, at - 15) : at + 15].strip()
    place = "at its end" if at >= len(text) else f"at letter {at + 1}, near {near!r}"
    raise ParameterError(f"{what} ({place}).")
