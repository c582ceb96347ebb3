"""The answers of the workbench: thin routes from a request to the desk and back."""

import json
import traceback
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bosco.base.language import LANGUAGES, speaking, spoken, words_of
from bosco.errors import BoscoError, ParameterError
from bosco.render.html import fill
from bosco.render.svg import sheet
from bosco.reporting.page import colors, plain, resource
from bosco.workbench import cases, figuring, views
from bosco.workbench.curves import curve
from bosco.workbench.desk import Desk, Stale
from bosco.workbench.guard import TOO_LARGE, TooLarge
from bosco.workbench.lecture import steps
from bosco.workbench.nodes import node
from bosco.workbench.opening import told_of
from bosco.workbench.out import Taken, file_stem, offered, taken
from bosco.workbench.trying import tried

_KINDS = {".js": "text/javascript", ".css": "text/css"}

Answer = Callable[[Desk, Request, Any], Any]


def application(desk: Desk, lang: str, stop: Callable[[], None] | None = None) -> Starlette:
    """The application of ASGI; `stop` ends the server that it runs in."""
    one: list[anyio.CapacityLimiter] = []  # made where there is a loop

    def route(path: str, answer: Answer, method: str = "GET") -> Route:
        async def asked(request: Request) -> Response:
            try:
                body = await _body(request) if method == "POST" else None
            except TooLarge:
                return _json({"error": TOO_LARGE, "hint": None}, 413)
            one.extend([] if one else [anyio.CapacityLimiter(1)])
            # Answers wait for the lock of the desk anyway: one thread holds less memory than many.
            limiter = None if path in UNLOCKED else one[0]
            given = (desk, request, body, answer, lang)
            return await anyio.to_thread.run_sync(_answered, *given, limiter=limiter)

        return Route(path, asked, methods=[method])

    def close(_desk: Desk, _request: Request, _body: Any) -> Any:
        if stop is None:
            raise ParameterError("This workbench was not started by bosco open: it stays.")
        stop()
        return {"closed": True}

    routes = [route(path, answer, method) for path, method, answer in ROUTES]
    routes += [route("/api/close", close, "POST"), Route("/static/{name}", _static)]
    return Starlette(routes=[*routes, Route("/", _page(desk, lang))])


# Answers ------------------------------------------------------------------------------------------


def _desk(desk: Desk, _request: Request, _body: Any) -> Any:
    return {
        "stage": "draft" if desk.is_open else "opening",
        "version": desk.version,
        "file": desk.title,
        "title": desk.title,
        "lang": spoken(),
        "languages": list(LANGUAGES),
        "who": desk.draft.who if desk.is_open else None,
        "alone": desk.alone,
    }


def _opening(desk: Desk, _request: Request, body: Any) -> Any:
    if body is None:
        if desk.opening is None:
            raise ParameterError("The draft is open already.")
        return told_of(desk.opening)
    opening = desk.ask(body)
    return {"version": desk.version} if body.get("open") is True else told_of(opening)


def _view(desk: Desk, request: Request, _body: Any) -> Any:
    asked = request.query_params
    made = views.view(
        desk.draft,
        max_nodes=_number(asked.get("max_nodes", str(views.MAX_NODES))),
        folded=_paths(asked.get("fold", "")),
        kept=_paths(asked.get("keep", "")),
        orientation=asked.get("orientation", "auto"),
    )
    made["figures"]["automatic"] = desk.known_automatic()
    return made


def _paths(text: str) -> list[Any]:
    """Paths with commas between; ``-`` is the root, which has no text of its own."""
    return [views.read_path("" if one == "-" else one) for one in text.split(",") if one][:5000]


def _node(desk: Desk, request: Request, _body: Any) -> Any:
    path = views.require_path(desk.draft, request.query_params.get("path", ""))
    return node(desk.sight(), path)


def _search(desk: Desk, request: Request, _body: Any) -> Any:
    return {"found": views.search(desk.draft, request.query_params.get("q", "")[:200])}


def _curve(desk: Desk, request: Request, _body: Any) -> Any:
    asked = request.query_params
    path = views.require_path(desk.draft, asked.get("path", ""))
    return curve(desk.sight(), path, asked.get("column", ""))


def _try(desk: Desk, _request: Request, body: Any) -> Any:
    return tried(desk.sight(), body)


def _rows(desk: Desk, request: Request, _body: Any) -> Any:
    asked = request.query_params
    path = views.require_path(desk.draft, asked.get("path", ""))
    part, sort = asked.get("part", "training"), asked.get("sort") or None
    down = asked.get("down", "0") not in ("", "0")
    return cases.rows(desk.sight(), path, part, _number(asked.get("page", "0")), sort, down)


def _case(desk: Desk, request: Request, body: Any) -> Any:
    if body is not None:
        return cases.case_typed(desk.sight(), body)
    return cases.case_of_row(desk.sight(), _number(request.query_params.get("row", "")))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise ParameterError(f"A whole number is wanted. Got {text!r:.40}.")
    return int(text)


def _act(desk: Desk, _request: Request, body: Any) -> Any:
    if body.get("verb") == "who":
        desk.sign(body)
        return {"change": None, "version": desk.version}
    change = desk.act(body)
    told = {"verb": change.verb, "head": change.head, "brief": change.brief}
    return {"change": {**told, "words": str(change).splitlines()}, "version": desk.version}


def _consider(desk: Desk, _request: Request, body: Any) -> Any:
    change = desk.consider(body)
    figures = figuring.pair(change.after)
    words = str(change).splitlines()
    return {**figures, "leaves": change.leaves[1], "words": words, "version": desk.version}


def _bars(desk: Desk, _request: Request, body: Any) -> Any:
    return figuring.bars(desk.curves(body))


def _final(desk: Desk, _request: Request, body: Any) -> Any:
    told = desk.final(body)
    words = str(told).splitlines()
    return {"words": words, "look": told.look, "figure": figuring.figure(told.figure)}


def _automatic(desk: Desk, _request: Request, _body: Any) -> Any:
    found = desk.automatic()
    return {**figuring.automatic(desk.draft, found), "version": desk.version}


def _trace(desk: Desk, _request: Request, _body: Any) -> Any:
    return {"steps": steps(desk.draft)}


def _offered(desk: Desk, _request: Request, _body: Any) -> Any:
    return offered(file_stem(desk.title))


def _out(desk: Desk, request: Request, _body: Any) -> Any:
    dialect = request.query_params.get("dialect", "duckdb")
    what = Taken(desk.draft, file_stem(desk.title), desk.table, dialect)
    body, media, name = taken(request.path_params["kind"], what)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=media, headers=headers)


def _lang(_desk: Desk, _request: Request, body: Any) -> Any:
    if body.get("lang") not in LANGUAGES:
        raise ParameterError(f"The language must be one of {', '.join(LANGUAGES)}.")
    return {"lang": body["lang"]}


ROUTES: list[tuple[str, str, Answer]] = [
    ("/api/desk", "GET", _desk),
    ("/api/opening", "GET", _opening),
    ("/api/opening", "POST", _opening),
    ("/api/view", "GET", _view),
    ("/api/node", "GET", _node),
    ("/api/curve", "GET", _curve),
    ("/api/rows", "GET", _rows),
    ("/api/case", "GET", _case),
    ("/api/search", "GET", _search),
    ("/api/automatic", "POST", _automatic),
    ("/api/trace", "GET", _trace),
    ("/api/out", "GET", _offered),
    ("/api/out/{kind}", "GET", _out),
    ("/api/act", "POST", _act),
    ("/api/try", "POST", _try),
    ("/api/case", "POST", _case),
    ("/api/consider", "POST", _consider),
    ("/api/bars", "POST", _bars),
    ("/api/final", "POST", _final),
    ("/api/lang", "POST", _lang),
]

UNLOCKED = frozenset({"/api/automatic", "/api/lang", "/api/close"})
"""Answers that take the lock themselves, or need none."""


# Asked and answered -------------------------------------------------------------------------------


def _answered(desk: Desk, request: Request, body: Any, answer: Answer, lang: str) -> Response:
    """An answer, or why there is none, in the language that the page speaks."""
    cookie = f"bosco-lang-{request.url.port}"
    language = _language(request, cookie, lang)
    try:
        if isinstance(body, _Bad):
            raise ParameterError(str(body))
        with speaking(language):
            if request.url.path in UNLOCKED:
                told = answer(desk, request, body)
            else:
                with desk.lock:
                    told = answer(desk, request, body)
    except Stale as error:
        with desk.lock, speaking(language):
            since = [views.entry_of(entry, desk.draft) for entry in error.since]
            told = {**_error(error), "stale": True, "version": desk.version, "since": since}
        return _json(told, 409)
    except BoscoError as error:
        return _json(_error(error), 422)
    except OSError as error:
        said = f"It cannot be saved: {error.strerror or error}. Nothing was done."
        return _json({"error": said, "hint": None}, 507)
    except Exception:
        traceback.print_exc()  # for whoever started it; others need not know
        said = "The workbench failed at this. The draft is as it was."
        return _json({"error": said, "hint": None}, 500)
    response = told if isinstance(told, Response) else _json(told)
    if request.url.path == "/api/lang":
        language = told["lang"]
    if request.cookies.get(cookie) != language:
        response.set_cookie(cookie, language, httponly=True, samesite="strict", path="/")
    return response


def _language(request: Request, cookie: str, lang: str) -> str:
    for asked in (request.query_params.get("lang"), request.cookies.get(cookie)):
        if asked in LANGUAGES:
            return str(asked)
    return lang


def _error(error: BoscoError) -> dict[str, Any]:
    """An error as the page tells it: what, and a hint."""
    said, _, hint = str(error).partition(" Hint: ")
    needs = getattr(error, "needs_reason", False)
    return {"error": said, "hint": hint or None, **({"needs_reason": True} if needs else {})}


class _Bad(str):
    """Why a body cannot be read."""

    __slots__ = ()


async def _body(request: Request) -> Any:
    """The object that a body holds."""
    try:
        found = json.loads(await request.body(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return _Bad("The request is not JSON.")
    return found if isinstance(found, dict) else _Bad("The request must be an object.")


def _no_number(word: str) -> Any:
    raise ValueError(word)


def _json(told: Any, status: int = 200) -> Response:
    text = json.dumps(told, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", "replace")
    return Response(body, status, media_type="application/json")


# Pages and files ----------------------------------------------------------------------------------


def _page(desk: Desk, lang: str) -> Callable[[Request], Response]:
    def page(request: Request) -> Response:
        def shown(_desk: Desk, _request: Request, _body: Any) -> Response:
            words = plain(words_of(_scripts()))
            values: dict[str, object] = {"title": desk.title, "words": words}
            return Response(fill("page", values, "workbench"), media_type="text/html")

        return _answered(desk, request, None, shown, lang)

    return page


def closed_page(why: str) -> str:
    """What those see who may not enter."""
    from bosco.base.language import tr

    said = {
        "no key": tr("Open the address that bosco printed when it was started."),
        "wrong key": tr("The key of this address is of another start: open the one printed last."),
        "password": "",
        "wrong password": tr("That is not the password."),
        "wait": tr("Too many wrong passwords: wait a minute."),
    }[why]
    asks = why not in ("no key", "wrong key")
    values = {"said": [said] if said else [], "password": asks}
    return str(fill("closed", values, "workbench"))


def _static(request: Request) -> Response:
    """A file of the package, out of a list that was made before anybody asked."""
    name = request.path_params["name"]
    found = _statics().get(name)
    if found is None:
        return _json({"error": "There is no such file.", "hint": None}, 404)
    kind, text = found
    return Response(text, media_type=kind)


@cache
def _statics() -> dict[str, tuple[str, str]]:
    made = {
        "picture.css": ("text/css", sheet()),
        "colors.css": ("text/css", colors()),
        "page.css": ("text/css", resource("page.css")),  # these three: as in reports
        "picture.js": ("text/javascript", resource("picture.js")),
        "words.js": ("text/javascript", resource("words.js")),
    }
    for file in files("bosco.workbench").joinpath("static").iterdir():
        kind = _KINDS.get(file.name[file.name.rfind(".") :])
        if kind is not None:
            made[file.name] = (kind, file.read_text(encoding="utf-8"))
    return made


def _scripts() -> str:
    """All that scripts say, to be put into the language of the page."""
    return "\n".join(text for kind, text in _statics().values() if kind == "text/javascript")
