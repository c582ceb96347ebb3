"""Values and policies of pruning as words of a command line, both ways."""

from dataclasses import MISSING, fields
from typing import Any

from bosco.errors import ParameterError, did_you_mean

__all__ = ["literal", "read_policy", "write_literal", "write_policy"]

_WORDS = {"true": True, "false": False, "none": None}


def literal(text: str) -> Any:
    """Read a number, a truth value or none; anything else is text.

    Examples
    --------
    >>> [literal(text) for text in ("3", "0.5", "true", "none", "gini")]
    [3, 0.5, True, None, 'gini']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def write_literal(value: Any) -> str:
    """Write a value so that `literal` reads it back.

    Examples
    --------
    >>> write_literal(True), write_literal(0.5), write_literal(None)
    ('true', '0.5', 'none')
    """
    from bosco.pruning import Policy

    if isinstance(value, Policy):
        return write_policy(value)
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
    given = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or key.strip() not in known:
            allowed = ", ".join(f"{k}=…" for k in known) or "nothing"
            raise ParameterError(
                f"--pruning: {name} takes {allowed}. Got {part!r}."
                + did_you_mean(key.strip(), known)
            )
        given[key.strip()] = literal(value.strip())
    return POLICIES[name](**given)


def write_policy(policy: Any) -> str:
    """Write a policy so that `read_policy` reads it back.

    Examples
    --------
    >>> from bosco.pruning import CostComplexity
    >>> write_policy(CostComplexity(alpha=0.01)), write_policy("none")
    ('cost_complexity:alpha=0.01', 'none')
    """
    if isinstance(policy, str):
        return policy
    said = [
        f"{field.name}={write_literal(getattr(policy, field.name))}"
        for field in fields(policy)
        if field.default is MISSING or getattr(policy, field.name) != field.default
    ]
    return f"{policy.name}:{','.join(said)}" if said else str(policy.name)
