"""Addresses of databases, without what they keep secret.

An address is written into models, reports, messages and commands to repeat, which people mail. So
whoever shows one shows it through `shown`, and what a driver says of it through `unsaid`.
"""

import re
from urllib.parse import unquote

_SECRETS = frozenset(
    {"password", "passwd", "pwd", "pass", "sslpassword", "oauth_client_secret", "token", "secret"}
    | {"access_token", "scram_client_key", "scram_server_key"}
)
"""Names of what an address may say after its ``?`` and nobody else should read."""


def is_address(place: str) -> bool:
    """Tell an address from the name of a file.

    Examples
    --------
    >>> is_address("postgresql://host/db"), is_address("a.csv")
    (True, False)
    """
    return "://" in place


def shown(place: str) -> str:
    """Write an address without its passwords; anything else as it is.

    Examples
    --------
    >>> shown("postgresql://ada:secret@host/db?sslmode=require&password=x")
    'postgresql://ada@host/db?sslmode=require'
    """
    if not is_address(place):
        return place
    scheme, _, rest = place.partition("://")
    user, at, rest = _parted(rest)
    rest, mark, said = rest.partition("?")
    kept = "&".join(part for part in said.split("&") if not _is_secret(part))
    return f"{scheme}://{user.partition(':')[0]}{at}{rest}{mark if kept else ''}{kept}"


def unsaid(message: str, place: str) -> str:
    """Take the secrets of an address out of what was said about it.

    Examples
    --------
    >>> unsaid("cannot find 'secret@host'", "postgresql://ada:secret@host/db")
    "cannot find '…@host'"
    """
    if not is_address(place):
        return message
    user, _, rest = _parted(place.partition("://")[2])
    secrets = [user.partition(":")[2]]
    secrets += [p.partition("=")[2] for p in rest.partition("?")[2].split("&") if _is_secret(p)]
    # A driver may part an address elsewhere, where a password holds signs that mean something.
    secrets += [piece for secret in secrets for piece in re.split("[/@?#:&=]", secret)]
    spelled = {way for secret in secrets for way in (secret, unquote(secret)) if len(way) > 2}
    for secret in sorted({place, *spelled}, key=len, reverse=True):
        message = message.replace(secret, shown(place) if secret == place else "…")
    return message


def _parted(rest: str) -> tuple[str, str, str]:
    """Who, ``@``, and where. A password may hold any sign unescaped, so the last ``@`` counts."""
    user, at, where = rest.rpartition("@")
    return user, at, where


def _is_secret(part: str) -> bool:
    return unquote(part.partition("=")[0]).strip().casefold() in _SECRETS
