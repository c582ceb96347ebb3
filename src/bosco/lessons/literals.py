"""Values, settings and policies of pruning as words of a command line, both ways."""

import ast
import json
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

from bosco.errors import ParameterError, did_you_mean

_WORDS = {"true": True, "false": False, "none": None}
_PAIRS = {"{": "}", "[": "]", "(": ")"}


def literal(text: str) -> Any:
    """Read a number, a truth value, none, a list or a dict; anything else, or in quotes, is text.

    Keys and values of a dict need no quotes, which many a shell takes away.

    Examples
    --------
    >>> [literal(text) for text in ("3", "0.5", "true", "none", "gini")]
    [3, 0.5, True, None, 'gini']
    >>> literal('{"bad": 5}'), literal("{bad: 5, good: 1}"), literal("[1, 0]")
    ({'bad': 5}, {'bad': 5, 'good': 1}, [1, 0])
    """
    text = text.strip()
    if unquoted(text) != text:
        return unquoted(text)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text[:1] in _PAIRS:
        return _several(text)
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def unquoted(text: str) -> str:
    """Take a pair of quotes off that holds the whole text."""
    quote, inside = text[:1], text[1:-1]
    held = len(text) > 1 and quote in "\"'" and text[-1] == quote and quote not in inside
    return inside if held else text


def _several(text: str) -> Any:
    """Read a dict or a list, as JSON, as Python, or without quotes."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    inside = parts_of(text[1:-1], ",")
    if text[-1] != _PAIRS[text[0]]:
        raise ParameterError(f"{text!r} has no {_PAIRS[text[0]]!r} at its end.")
    if text[0] != "{":
        return [literal(item) for item in inside]
    found = {}
    for item in inside:
        key, *value = parts_of(item, ":")
        if len(value) != 1:
            raise ParameterError(f'{text!r} must be like {{"bad": 5, "good": 1}}. Got {item!r}.')
        found[literal(key)] = literal(value[0])
    return found


def parts_of(text: str, mark: str) -> list[str]:
    """Part a text at a mark, except inside quotes and brackets.

    Examples
    --------
    >>> parts_of('a={"x": 1, "y": 2},b=3', ",")
    ['a={"x": 1, "y": 2}', 'b=3']
    """
    parts, depth, quote, begin = [], 0, "", 0
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "{[(":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == mark and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [part for part in map(str.strip, [*parts, text[begin:]]) if part]


def read_settings(given: Iterable[str], option: str, allowed: str = "NAME=VALUE") -> dict[str, Any]:
    """Read NAME=VALUE lists, each value a literal."""
    found = {}
    for item in (part for text in given for part in parts_of(text, ",")):
        name, equals, value = unquoted(item).partition("=")
        if not equals:
            raise ParameterError(f"{option} takes {allowed}. Got {item!r}.")
        found[name.strip()] = literal(value)
    return found


def read_derived(given: Iterable[str]) -> dict[str, str]:
    """Read NAME=EXPRESSION words, a derived column each.

    Examples
    --------
    >>> read_derived(["bmi = weight / height ** 2", "`is old`=age >= 65"])
    {'bmi': 'weight / height ** 2', 'is old': 'age >= 65'}
    """
    from bosco.data.expressions.parse import read_name

    found: dict[str, str] = {}
    for text in given:
        name, expression = read_name(text)
        if not expression:
            raise ParameterError(
                f"--derive takes NAME=EXPRESSION, such as 'bmi = weight / height ** 2'. "
                f"Got {text!r:.80}."
            )
        if name in found:
            raise ParameterError(f"--derive names the column {name!r:.60} twice.")
        found[name] = expression
    return found


def write_literal(value: Any) -> str:
    """Write a value so that `literal` reads it back."""
    if _is_policy(value):
        return write_policy(value)
    if isinstance(value, dict | list):
        plain = isinstance(value, list) or all(isinstance(key, str) for key in value)
        return json.dumps(value, ensure_ascii=False) if plain else repr(value)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def read_policy(text: str) -> Any:
    """Read a policy of pruning: its name, and what differs from its defaults.

    Examples
    --------
    >>> read_policy("pessimistic:confidence=0.1,raising=false")
    Pessimistic(confidence=0.1, raising=False)
    >>> read_policy("none")
    'none'
    """
    from bosco.pruning import POLICIES

    name, _, rest = text.partition(":")
    if name == "none" and not rest:
        return name
    if name not in POLICIES:
        known = ["none", *POLICIES]
        raise ParameterError(
            f"--pruning: there is no policy {name!r}. There are: {', '.join(known)}."
            + did_you_mean(name, known)
        )
    known = [field.name for field in fields(POLICIES[name])]  # type: ignore[arg-type]
    allowed = ", ".join(f"{key}=…" for key in known) or "nothing"
    given = read_settings([rest], f"--pruning: {name}", allowed)
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        raise ParameterError(
            f"--pruning: {name} takes {allowed}. Got {unknown!r}.{did_you_mean(unknown, known)}"
        )
    return POLICIES[name](**given)


def write_policy(policy: Any) -> str:
    """Write a policy so that `read_policy` reads it back."""
    if isinstance(policy, str):
        return policy
    said = [
        f"{field.name}={write_literal(getattr(policy, field.name))}"
        for field in fields(policy)
        if field.default is MISSING or getattr(policy, field.name) != field.default
    ]
    return f"{policy.name}:{','.join(said)}" if said else str(policy.name)


def told(value: Any) -> Any:
    """A value for programs to read: policies of pruning, however deep, as they are written."""
    if isinstance(value, dict):
        return {name: told(item) for name, item in value.items()}
    if isinstance(value, list):
        return [told(item) for item in value]
    return write_policy(value) if _is_policy(value) else value


def _is_policy(value: Any) -> bool:
    from bosco.pruning import Policy

    return isinstance(value, Policy)
