"""Who may ask: a secret, then a cookie; the right Host and Origin; small, rare, plain requests.

A page of another site that the same browser has open must not reach the draft: not by a name that
it makes point here (Host), not by a form or a script (Origin, a cookie that stays at home, JSON
alone), not by a frame. What is refused is refused before any of it is read.
"""

import hashlib
import hmac
import json
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 1_000_000
"""What a request may hold."""

TOO_LARGE = "The request is too large: at most 1 MB."

BURST, PER_SECOND = 240.0, 80.0
"""So many requests at once, and so many a second after that."""

TRIES, WITHIN = 5, 60.0
"""So many wrong passwords within so many seconds; then one waits."""

MOST_WORDS = 1_000
"""Characters of a password that are looked at."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Password:
    """A password, of which only a hash is kept."""

    def __init__(self, words: str) -> None:
        self._salt = secrets.token_bytes(16)
        self._hash = self._hashed(words)
        self._wrong: deque[float] = deque(maxlen=TRIES)

    def _hashed(self, words: str) -> bytes:
        return hashlib.scrypt(words.encode(), salt=self._salt, n=2**14, r=8, p=1)

    @property
    def waiting(self) -> bool:
        """Whether there were too many wrong tries of late."""
        full = len(self._wrong) == TRIES
        return full and time.monotonic() - self._wrong[0] < WITHIN

    def is_right(self, words: str) -> bool:
        """Whether it is the password; wrong ones are counted."""
        right = hmac.compare_digest(self._hashed(words[:MOST_WORDS]), self._hash)
        if not right:
            self._wrong.append(time.monotonic())
        return right


class Rate:
    """How many requests may come: a bucket that fills up again."""

    def __init__(self, burst: float = BURST, per_second: float = PER_SECOND) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._at = burst, time.monotonic()

    def takes_one(self) -> bool:
        """Whether one more may come now."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard:
    """Stands before an application of ASGI.

    Parameters
    ----------
    app : ASGI application
        What answers those who may ask.
    port : int
        Where it is served, which is part of every Host and of the names of the cookies.
    hosts : iterable of str or None
        The names that it answers to; None: any, where a password is asked for.
    password : Password, optional
        What those who come from elsewhere must know.
    framed : bool
        Whether a notebook on this machine may show it in a frame.
    closed : callable
        The page that those see who may not enter, given what is to be said.
    """

    def __init__(
        self,
        app: App,
        *,
        port: int,
        hosts: Iterable[str] | None = LOOPBACK,
        password: Password | None = None,
        framed: bool = False,
        closed: Callable[[str], str],
    ) -> None:
        self._app, self._closed, self._password = app, closed, password
        self.secret = secrets.token_urlsafe(32)
        self._token = hmac.new(self.secret.encode(), b"cookie", hashlib.sha256).hexdigest()
        self._port, self._rate = port, Rate()
        self._hosts = None if hosts is None else {f"{host}:{port}" for host in hosts}
        self.cookie = f"bosco-{port}"
        self._policy = policy(framed)
        self._framed = framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing else is spoken here
            await send({"type": "websocket.close", "code": 1008})
            return
        telling = self._with_headers(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(telling, *refusal)
            return
        door = await self._door(scope, receive)
        if door is not None:
            status, headers, text = door
            await _answer(telling, status, text, "text/html; charset=utf-8", headers)
            return
        await self._app(scope, _bounded(receive), telling)

    # Who, and from where --------------------------------------------------------------------------

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is refused without a further look."""
        headers = Headers(scope=scope)
        host = headers.getlist("host")
        if len(host) != 1 or not self._is_ours(host[0].lower()):
            return 421, "This is not the name of the workbench."
        if not self._rate.takes_one():
            return 429, "Too many requests: wait a moment."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "Only GET and POST are answered."
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if origin is not None and origin != f"http://{host[0].lower()}":
            return 403, "The request comes from another page."
        entering = scope["path"] == "/" and headers.get("sec-fetch-dest") in ("document", "iframe")
        if site not in (None, "same-origin", "none") and not (
            entering and scope["method"] == "GET"
        ):
            return 403, "The request comes from another page."
        if scope["method"] != "POST":
            return None
        return self._posted(scope, headers)

    def _posted(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["path"] == "/login":
            form = kind == "application/x-www-form-urlencoded"
            return None if form else (415, "A password is sent by the form of this page.")
        if kind != "application/json" or headers.get("x-bosco") != "1":
            return 415, "A POST holds JSON, and says X-Bosco: 1."
        length = headers.get("content-length", "0")
        if not length.isdigit() or len(length) > 12 or int(length) > MOST_BYTES:
            return 413, TOO_LARGE
        return None

    def _is_ours(self, host: str) -> bool:
        if self._hosts is not None:
            return host in self._hosts
        return host.endswith(f":{self._port}")

    def _knows(self, scope: Scope) -> bool:
        cookie = cookie_parser(Headers(scope=scope).get("cookie", "")).get(self.cookie, "")
        return hmac.compare_digest(cookie.encode(), self._token.encode())

    async def _door(
        self, scope: Scope, receive: Receive
    ) -> tuple[int, list[tuple[str, str]], str] | None:
        """The door: those with the key go in, others see it closed; None: they are inside."""
        asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20)
        if scope["path"] == "/" and "key" in asked and scope["method"] == "GET":
            if hmac.compare_digest(asked["key"][0].encode(), self.secret.encode()):
                lang = asked.get("lang", [""])[0]
                to = f"/?lang={lang}" if lang.isalpha() and len(lang) < 9 else "/"
                return 303, [("location", to), ("set-cookie", self._set())], ""
            return 403, [], self._closed("wrong key")
        if scope["path"] == "/login" and self._password is not None:
            return await self._login(scope, receive)
        if self._knows(scope):
            return None
        if scope["path"] == "/":
            return 403, [], self._closed("no key" if self._password is None else "password")
        return (
            403,
            [("content-type", "application/json")],
            json.dumps(
                {"error": "This workbench is closed to you: open the address that it printed."}
            ),
        )

    async def _login(
        self, scope: Scope, receive: Receive
    ) -> tuple[int, list[tuple[str, str]], str]:
        assert self._password is not None
        if scope["method"] != "POST":
            return 303, [("location", "/")], ""
        if self._password.waiting:
            return 429, [], self._closed("wait")
        try:
            body = await _whole(_bounded(receive, 4 * MOST_WORDS))
        except TooLarge:
            return 413, [], self._closed("wrong password")
        form = parse_qs(body.decode("utf-8", "replace"), max_num_fields=5)
        if self._password.is_right(form.get("password", [""])[0]):
            return 303, [("location", "/"), ("set-cookie", self._set())], ""
        return 403, [], self._closed("wrong password")

    def _set(self) -> str:
        return f"{self.cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"

    # What every answer says -----------------------------------------------------------------------

    def _with_headers(self, send: Send) -> Send:
        async def telling(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers["content-security-policy"] = self._policy
                if not self._framed:
                    headers["x-frame-options"] = "DENY"
            await send(message)

        return telling


HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def policy(framed: bool) -> str:
    """What a page may load, and who may show it: nothing that is not of this server."""
    around = "http://localhost:* http://127.0.0.1:*" if framed else "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors {around}"
    )


# Plumbing -----------------------------------------------------------------------------------------


# Called by what happened, as `except TooLarge` reads.
class TooLarge(Exception):  # noqa: N818
    """A request that holds more than it may."""


def _bounded(receive: Receive, most: int = MOST_BYTES) -> Receive:
    """The same messages, as long as they are not too much together."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise TooLarge
        return message

    return bounded


async def _whole(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False) and message["type"] == "http.request"
    return b"".join(parts)


async def _answer(
    send: Send,
    status: int,
    text: str,
    kind: str = "application/json",
    headers: Iterable[tuple[str, str]] = (),
) -> None:
    """A short answer; a plain sentence becomes the error of a JSON."""
    given = list(headers)
    if kind == "application/json":
        text = json.dumps({"error": text, "hint": None})
    if not any(name == "content-type" for name, _ in given):
        given.append(("content-type", kind))
    body = text.encode()
    given.append(("content-length", str(len(body))))
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
