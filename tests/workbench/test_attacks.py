"""What strangers send to a workbench is refused or harmless, and the draft stays as it is.

Over 400 lines, so that every attack stands in one list.
"""

import json
import socket
import threading
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import bosco
from bosco.drafts.log import load_log
from bosco.workbench import guard, server
from bosco.workbench.desk import Desk
from bosco.workbench.guard import Guard, Password
from bosco.workbench.server import application, closed_page
from tests.visitor import Visitor, loans_desk, served

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "loans.draft"


@pytest.fixture
def visitor(kept: Path) -> Iterator[Visitor]:
    """A visitor; whatever a test sends, the draft is as it was, here and in its file."""
    desk = loans_desk(kept)
    before = desk.draft.log
    with served(desk) as found:
        yield found
        assert desk.draft.log == before
        assert load_log(kept) == before
        desk.draft.prune(0)  # and can still be worked on


def act(visitor: Visitor, **headers: str) -> httpx.Response:
    """An act that would be done, if it were allowed."""
    body = {"version": visitor.version, "verb": "prune", "path": ""}
    given = {"X-Bosco": "1", "Content-Type": "application/json", **headers}
    return visitor.http.post("/api/act", content=json.dumps(body), headers=given)


# Who asks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Bosco": "0"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
    ],
)
def test_a_post_from_another_page_is_refused(visitor: Visitor, headers: dict[str, str]) -> None:
    assert act(visitor, **headers).status_code in (403, 415)


def test_another_origin_on_the_same_port_is_refused(visitor: Visitor) -> None:
    port = httpx.URL(visitor.base).port
    assert act(visitor, Origin=f"http://evil.example:{port}").status_code == 403
    assert act(visitor, Origin=f"http://localhost:{port}").status_code == 403  # the Host is not


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "", "127.0.0.1:0x1"])
def test_another_host_is_refused(visitor: Visitor, host: str) -> None:
    for path in ("/", "/api/view", "/static/main.js"):
        assert visitor.http.get(path, headers={"Host": host}).status_code in (400, 421)


def test_a_name_that_was_made_to_point_here_is_refused(visitor: Visitor) -> None:
    port = httpx.URL(visitor.base).port
    rebound = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    assert act(visitor, **rebound).status_code == 421


def test_two_hosts_are_refused(visitor: Visitor) -> None:
    url = httpx.URL(visitor.base)
    with socket.create_connection(("127.0.0.1", url.port or 0)) as line:
        host = f"127.0.0.1:{url.port}"
        asked = f"GET /api/view HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n"
        line.sendall(asked.encode())
        assert b"200" not in line.recv(4096).split(b"\r\n")[0]


ROUTES = [
    "/api/desk", "/api/opening", "/api/view", "/api/node", "/api/curve", "/api/rows", "/api/case",
    "/api/search", "/api/trace", "/api/out", "/api/out/model", "/",
    "/static/main.js",
]  # fmt: skip


@pytest.mark.parametrize("cookie", [None, "", "x", "0" * 64, "ü", "a" * 9000])
def test_without_the_secret_nothing_is_told(visitor: Visitor, cookie: str | None) -> None:
    url = httpx.URL(visitor.base)
    cookies = {} if cookie is None else {"Cookie": f"bosco-{url.port}={cookie}".encode()}
    with httpx.Client(base_url=visitor.base) as stranger:
        for path in ROUTES:
            answer = stranger.get(path, headers=cookies)
            assert answer.status_code == 403, path
            assert "loans" not in answer.text
            assert "set-cookie" not in answer.headers
        for name in ("act", "close", "opening", "final", "lang", "automatic"):
            given = {**cookies, "X-Bosco": "1"}
            assert stranger.post(f"/api/{name}", json={}, headers=given).status_code == 403


@pytest.mark.parametrize("key", ["", "x", "ü", "%00", "a" * 5000])
def test_a_wrong_key_opens_nothing(visitor: Visitor, key: str) -> None:
    with httpx.Client(base_url=visitor.base) as stranger:
        answer = stranger.get("/", params={"key": key})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
        assert stranger.get("/", params={"key": visitor.key}).status_code == 303


def test_the_cookie_stays_at_home_and_out_of_scripts(visitor: Visitor) -> None:
    with httpx.Client(base_url=visitor.base) as first:
        given = first.get("/", params={"key": visitor.key}).headers["set-cookie"]
        assert {"HttpOnly", "SameSite=Strict"} <= set(given.split("; "))
        assert visitor.key not in given
        assert first.get("/", params={"key": visitor.key}).headers["location"] == "/"
        answer = first.get("/", params={"key": visitor.key, "lang": "//evil.example"})
        assert answer.headers["location"] == "/"


def test_what_is_only_looked_at_is_not_written_down(visitor: Visitor) -> None:
    """A link, or a browser that reads ahead, leaves no look in the log: the fixture compares it."""
    only = [path for path, method, _ in server.ROUTES if method == "GET" and "{" not in path]
    assert set(only) >= {
        path for path in ROUTES if path.startswith("/api/") and "model" not in path
    }
    for path in only:
        visitor.http.get(path, params={"path": "", "column": "reputation", "row": 0, "q": "a"})
    assert visitor.http.get("/api/automatic").status_code == 405


def test_every_answer_says_what_may_be_done_with_it(visitor: Visitor) -> None:
    for path in [*ROUTES, "/nowhere", "/api/out/report", "/api/out/svg"]:
        with httpx.Client(base_url=visitor.base) as stranger:
            for answer in (visitor.http.get(path), stranger.get(path)):
                policy = answer.headers["content-security-policy"]
                assert "default-src 'none'" in policy
                assert "script-src 'self';" in policy
                assert "unsafe" not in policy
                assert "frame-ancestors 'none'" in policy
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.headers["cache-control"] == "no-store"
                assert answer.headers["referrer-policy"] == "no-referrer"
                assert answer.headers["x-frame-options"] == "DENY"
                assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(visitor: Visitor, method: str) -> None:
    assert visitor.http.request(method, "/api/act").status_code in (400, 405)


def test_an_act_is_never_a_get(visitor: Visitor) -> None:
    for path in ("/api/act", "/api/final", "/api/close", "/api/consider", "/api/try"):
        assert visitor.http.get(path).status_code == 405


def test_no_other_protocol_is_spoken(visitor: Visitor) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    given = {**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert visitor.http.get("/api/view", headers=given).status_code != 101


# What is asked for --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/static/../desk.py",
        "/static/..%2fdesk.py",
        "/static/%2e%2e/%2e%2e/__init__.py",
        "/static/..\\desk.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/main.js%00.css",
        "/static/",
        "/api/out/..%2f..%2fetc%2fpasswd",
        "/api/out/%00",
        "/api/out/model.json",
        "/../../etc/passwd",
    ],
)
def test_no_file_is_reached_by_its_path(visitor: Visitor, path: str) -> None:
    answer = visitor.http.get(httpx.URL(visitor.base, raw_path=path.encode()))
    assert answer.status_code in (404, 422)
    assert "root:" not in answer.text
    assert "import" not in answer.text


def test_no_name_of_a_file_is_taken_from_a_request(visitor: Visitor, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    body = {"file": "/etc/passwd", "log": str(tmp_path / "x"), "keep": str(tmp_path / "y")}
    visitor.post("/api/opening", open=True, **body)
    visitor.post("/api/act", version="x", verb="save", **body)
    assert visitor.http.get("/api/out/draft", params=body).status_code == 200
    assert sorted(tmp_path.rglob("*")) == before


ABSURD: list[bytes] = [
    b"", b"{", b"null", b"[]", b'"x"', b"1", b"NaN", b'{"verb": NaN}', b"\xff\xfe", b"\x00",
    b"[" * 100_000, b'{"a":' * 50_000, b'{"verb":"prune","path":"","version":1e999}',
    b'{"verb": "prune", "verb": "grow"}', b"{" + b'"a":1,' * 100_000 + b'"b":2}',
]  # fmt: skip


@pytest.mark.parametrize("body", ABSURD, ids=lambda body: repr(body[:20]))
def test_what_is_no_act_is_refused(visitor: Visitor, body: bytes) -> None:
    given = {"X-Bosco": "1", "Content-Type": "application/json"}
    for path in ("/api/act", "/api/try", "/api/consider", "/api/case", "/api/opening"):
        answer = visitor.http.post(path, content=body, headers=given)
        assert 400 <= answer.status_code < 500
        assert answer.json()["error"]


VALUES: list[Any] = [
    None, True, -1, 2**70, 1.5, "", "x", "0.0.0.0.0.0", "-1", "0..1", "1e3", "٣", "0" * 60_000,
    "../..", "\x00", "\ud800", SCRIPT, [], [[[]]], {}, {"a": 1}, ["x"] * 100, [1e308, -1e308],
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_absurd_values_change_nothing(visitor: Visitor, value: Any) -> None:
    def refused(to: str, /, **body: Any) -> None:
        text = json.dumps(body)
        given = {"X-Bosco": "1", "Content-Type": "application/json"}
        answer = visitor.http.post(to, content=text, headers=given)
        assert 400 <= answer.status_code < 500, (to, body, answer.text)

    version = visitor.version
    if not isinstance(value, str) or value != version:
        refused("/api/act", version=value, verb="prune", path="")
    refused("/api/act", version=version, verb=value, path="0")
    if value not in (None, ""):  # which are the root
        refused("/api/act", version=version, verb="prune", path=value)
    for verb in ("split", "merge", "move", "goto", "exclude"):
        about = {"test": value, "with": value, "cuts": value, "entry": value, "columns": value}
        refused("/api/act", version=version, verb=verb, path="", **about)
    refused("/api/act", version=version, verb="answer", path="0.0", answer=value, reason="r")
    refused("/api/try", path="", test=value)
    refused("/api/try", path="", test={"column": value, "cuts": value})
    refused("/api/case", cells=value if value != {} else None)
    for path in ("node", "curve", "rows", "case", "view"):
        text = value if isinstance(value, str) and value.isprintable() else repr(value)
        text = text[:5000]
        asked = {"path": text, "column": text, "sort": text, "page": text, "row": text}
        answer = visitor.http.get(f"/api/{path}", params={**asked, "max_nodes": text, "fold": text})
        assert answer.status_code < 500, answer.text


def test_rows_of_the_test_part_are_locked(visitor: Visitor) -> None:
    visitor.get("/api/rows", part="test")
    assert visitor.status == 422
    desk = loans_desk()
    for row in desk.draft.rows("test").tolist():
        visitor.get("/api/case", row=row)
        assert visitor.status == 422
    seen = set()
    for part in ("training", "validation"):
        seen |= {one["row"] for one in visitor.get("/api/rows", part=part)["rows"]}
    assert not seen & set(desk.draft.rows("test").tolist())


# How much -----------------------------------------------------------------------------------------


def test_a_hundred_megabytes_are_not_read(visitor: Visitor) -> None:
    url = httpx.URL(visitor.base)
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.http.cookies.items())
    head = (
        f"POST /api/act HTTP/1.1\r\nHost: {url.host}:{url.port}\r\nX-Bosco: 1\r\n"
        f"Content-Type: application/json\r\nCookie: {cookie}\r\n"
    )
    with socket.create_connection((url.host, url.port or 0)) as line:
        line.sendall(f"{head}Content-Length: {100 * 2**20}\r\n\r\n".encode())
        assert b" 413 " in line.recv(4096).split(b"\r\n")[0]  # before a byte of it was sent


def test_a_hundred_megabytes_without_a_length_are_cut_short(visitor: Visitor) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'{"verb": "'
        for _ in range(100):
            sent += 2**20
            yield b"x" * 2**20

    given = {"X-Bosco": "1", "Content-Type": "application/json"}
    try:
        answer = visitor.http.post("/api/act", content=endless(), headers=given)
        assert answer.status_code == 413
    except (httpx.WriteError, httpx.RemoteProtocolError, httpx.ReadError):
        pass  # the line was cut
    assert sent < 100 * 2**20 or answer.status_code == 413
    assert visitor.get("/api/desk")["stage"] == "draft"


@pytest.mark.parametrize("length", ["-1", "1e9", "9" * 30, "x"])
def test_absurd_lengths_are_refused(visitor: Visitor, length: str) -> None:
    given = {"X-Bosco": "1", "Content-Type": "application/json", "Content-Length": length}
    try:
        answer = visitor.http.post("/api/act", content=b"{}", headers=given)
    except (httpx.RemoteProtocolError, httpx.LocalProtocolError):
        return
    assert answer.status_code in (400, 413)


@pytest.fixture
def _slow_to_forgive(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine that asks, it asks too often."""
    monkeypatch.setattr(guard, "Rate", partial(guard.Rate, per_second=10))


@pytest.mark.usefixtures("_slow_to_forgive")  # before there is a visitor
def test_a_thousand_requests_at_once_are_answered_or_told_to_wait(visitor: Visitor) -> None:
    found: Counter[int] = Counter()
    cookies = dict(visitor.http.cookies)
    lock = threading.Lock()

    def many(n: int) -> None:
        with httpx.Client(base_url=visitor.base, cookies=cookies, timeout=60) as client:
            for _ in range(n):
                try:
                    status = client.get("/api/view").status_code
                except httpx.TransportError:
                    status = 0  # the line was cut
                with lock:
                    found[status] += 1

    threads = [threading.Thread(target=many, args=(20,)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.total() == 1000
    assert set(found) <= {0, 200, 429, 503}
    assert found[429] > 0
    assert visitor.get("/api/desk")["stage"] == "draft"


# What is shown ------------------------------------------------------------------------------------


def hostile(tmp_path: Path) -> Desk:
    """A draft whose names, levels, classes, notes and file are scripts."""
    names = [SCRIPT, "</script><img src=x onerror=alert(1)>", '"><b>', "a\u202eb"]
    levels = ["<svg onload=alert(1)>", "' onclick='x", "&lt;b&gt;"]
    X = {name: [levels[(i + j) % 3] for i in range(60)] for j, name in enumerate(names)}
    y = [f"{SCRIPT}{i % 3}" for i in range(60)]
    draft = bosco.draft(bosco.DecisionTreeClassifier(), X, y, who=SCRIPT, reasons=False)
    draft.grow()
    draft.note(0, f"]]>{SCRIPT}")
    draft.lock(0, reason=SCRIPT)
    return Desk(draft, tmp_path / "x.draft", f"{SCRIPT}.csv")


def test_scripts_in_names_are_words(tmp_path: Path) -> None:
    desk = hostile(tmp_path)
    with served(desk) as visitor:
        page = visitor.http.get("/")
        assert page.headers["content-type"].startswith("text/html")
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;alert" in page.text
        view = visitor.http.get("/api/view")
        assert view.headers["content-type"] == "application/json"
        svg = ET.fromstring(view.json()["tree"]["svg"])
        kinds = {node.tag.rpartition("}")[2] for node in svg.iter()}
        assert kinds <= {"svg", "g", "rect", "path", "text", "title", "desc", "line", "circle"}
        attributes = {name for node in svg.iter() for name in node.attrib}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for path in ("/api/node", "/api/rows", "/api/trace", "/api/search?q=script", "/api/out"):
            answer = visitor.http.get(path)
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "application/json"
        report = visitor.http.get("/api/out/report")
        assert SCRIPT not in report.text
        assert report.headers["content-disposition"].startswith("attachment")
        for kind in ("model", "draft", "svg", "command", "log"):
            given = visitor.http.get(f"/api/out/{kind}").headers["content-disposition"]
            assert given.startswith("attachment; filename=")
            assert not set("<>/\\\r\n") & set(given)
        act_ = visitor.act("note", "", text=SCRIPT)
        assert visitor.status == 200, act_


# A password ---------------------------------------------------------------------------------------


def for_others() -> httpx.AsyncClient:
    app = application(loans_desk(), "en")
    closed = Guard(app, port=80, hosts=None, password=Password("correct horse"), closed=closed_page)
    transport = httpx.ASGITransport(app=closed)
    return httpx.AsyncClient(transport=transport, base_url="http://bench.example:80")


def ask(client: httpx.AsyncClient, *asked: tuple[str, str, dict[str, Any]]) -> list[httpx.Response]:
    import asyncio

    async def all_() -> list[httpx.Response]:
        async with client:
            return [await client.request(how, path, **given) for how, path, given in asked]

    return asyncio.run(all_())


HOST = {"host": "bench.example:80"}


def login(words: str, **headers: str) -> tuple[str, str, dict[str, Any]]:
    given = {"data": {"password": words}, "headers": {**HOST, **headers}}
    return "POST", "/login", given


def test_those_from_elsewhere_need_the_password() -> None:
    before, wrong, right, after = ask(
        for_others(),
        ("GET", "/api/view", {"headers": HOST}),
        login("guess"),
        login("correct horse"),
        ("GET", "/api/view", {"headers": HOST}),
    )
    assert (before.status_code, wrong.status_code, right.status_code) == (403, 403, 303)
    assert after.status_code == 200


def test_the_door_asks_for_the_password_and_says_no_more() -> None:
    (door,) = ask(for_others(), ("GET", "/", {"headers": HOST}))
    assert door.status_code == 403
    assert "loans" not in door.text
    assert 'name="password"' in door.text


def test_passwords_are_not_tried_for_ever() -> None:
    tries = [login(f"guess {i}") for i in range(guard.TRIES)]
    *wrong, late = ask(for_others(), *tries, login("correct horse"))
    assert {one.status_code for one in wrong} == {403}
    assert late.status_code == 429


def test_a_password_is_not_taken_from_another_page() -> None:
    (answer,) = ask(for_others(), login("correct horse", origin="http://evil.example"))
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_password_is_not_kept() -> None:
    kept = Password("correct horse")
    assert "correct horse" not in repr(vars(kept))
    assert kept.is_right("correct horse")
    assert not kept.is_right("correct horse ")


# Saving -------------------------------------------------------------------------------------------


def test_an_act_that_cannot_be_saved_does_not_stand(tmp_path: Path) -> None:
    desk = loans_desk()
    desk.keep = tmp_path / "gone" / "x.draft"
    before = desk.draft.log, desk.draft.state.digest(), desk.version
    with served(desk) as visitor:
        told = visitor.act("prune")
        assert visitor.status in (422, 507)
        assert "cannot be" in told["error"]
        visitor.post("/api/final", version=visitor.version)
        assert visitor.status in (422, 507)
    assert (desk.draft.log, desk.draft.state.digest(), desk.version) == before
    assert desk.draft.looks.test == 0
