"""Derived columns, as a user asks for them: names, and expressions over the columns before them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bosco.data.expressions.parse import parse
from bosco.data.expressions.value import names_in
from bosco.data.expressions.write import write_name
from bosco.data.schema import Column, Schema
from bosco.errors import ParameterError

MAX_DERIVED = 1000
"""Derived columns of a schema."""


def derived(schema: Schema, derive: Mapping[Any, Any] | None) -> Schema:
    """Add derived columns to those that rows are given with.

    Examples
    --------
    >>> schema = Schema.infer({"weight": [70.0], "height": [1.8]})
    >>> derived(schema, {"bmi": "weight / height ** 2"}).derived[0].formula.text
    'weight / height ** 2'
    """
    if not derive:
        return schema
    if len(derive) > MAX_DERIVED:
        raise ParameterError(
            f"derive has {len(derive):,} columns, and at most {MAX_DERIVED:,} are allowed."
        )
    columns: list[Column] = [*schema.columns]
    for name, text in derive.items():
        _require_name(name, schema)
        try:
            columns.append(Column.derived(name, text, columns))
        except ParameterError as error:
            circle = _circle(name, derive)
            what = f"{circle} go in a circle." if circle else _later(text, name, derive) or error
            raise ParameterError(f"derive[{name!r:.80}], {text!r:.80}: {what}") from None
    return Schema(tuple(columns), schema.named)


def explained(columns: Sequence[Column]) -> list[str]:
    """What derived columns mean, a line each, for people.

    Examples
    --------
    >>> explained(derived(Schema.infer({"x": [1.0]}), {"twice": "2 * x"}).columns)
    ['twice = 2 * x']
    """
    return [f"{write_name(c.name)} = {c.formula.text}" for c in columns if c.formula is not None]


def meanings(schema: Schema, columns: Iterable[int]) -> list[str]:
    """What those of some columns mean that are derived, and what they are derived from.

    Of one whose name is its formula, nothing more need be said.

    Examples
    --------
    >>> schema = derived(Schema.infer({"x": [1.0]}), {"twice": "2 * x", "big": "twice > 3"})
    >>> meanings(schema, [2])
    ['twice = 2 * x', 'big = twice > 3']
    """
    found: set[int] = set()
    waiting = list(columns)
    while waiting:
        j = waiting.pop()
        formula = schema.columns[j].formula
        if formula is not None and j not in found:
            found.add(j)
            waiting += formula.columns
    met = [schema.columns[j] for j in sorted(found)]
    return explained([c for c in met if c.formula is not None and c.formula.text != c.name])


def _require_name(name: Any, schema: Schema) -> None:
    if not isinstance(name, str) or not name:
        raise ParameterError(f"derive names its columns by texts that are not empty. Got {name!r}.")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"derive[{name!r}]: no file can hold that name.") from None
    if name in schema.names:
        raise ParameterError(
            f"derive[{name!r}]: X has a column of that name. Hint: choose another name; an "
            f"expression cannot take the place of a column."
        )


def _uses(text: Any) -> list[str]:
    try:
        return list(dict.fromkeys(names_in(parse(text))))
    except ParameterError:
        return []


def _circle(name: str, derive: Mapping[Any, Any]) -> str:
    """The way from a derived column back to itself; "": there is none."""
    ways: dict[str, list[str]] = {name: [name]}
    waiting = [name]
    while waiting:
        at = waiting.pop()
        for other in _uses(derive[at]):
            if other == name:
                return " → ".join([*ways[at], name])
            if other in derive and other not in ways:
                ways[other] = [*ways[at], other]
                waiting.append(other)
    return ""


def _later(text: Any, name: str, derive: Mapping[Any, Any]) -> str:
    """What is said of a column that is derived only after the one that uses it."""
    names = list(derive)
    after = set(names[names.index(name) + 1 :])
    for other in _uses(text):
        if other in after:
            return f"{other!r} is derived after it. Hint: put {other!r} before {name!r}."
    return ""
