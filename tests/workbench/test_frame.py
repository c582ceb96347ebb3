"""The page has all that it asks for, alone and in the frame of a notebook."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import bosco
from bosco.workbench import notebook
from tests.visitor import loans_desk, loans_draft, served


def test_every_file_that_the_page_names_is_there() -> None:
    with served(loans_desk()) as visitor:
        todo = re.findall(r'(?:src|href)="(/static/[^"]+)"', visitor.http.get("/").text)
        seen: set[str] = set()
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            answer = visitor.http.get(path)
            assert answer.status_code == 200, path
            kind = "text/javascript" if path.endswith(".js") else "text/css"
            assert answer.headers["content-type"].startswith(kind)
            todo += [f"/static/{name}" for name in re.findall(r'from "\./([^"]+)"', answer.text)]
            assert "http://" not in answer.text.replace("http://www.w3.org/", "")
            assert "https://" not in answer.text
    assert len(seen) > 10


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_notebook_shows_it_inline(
    browser: Any, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr(notebook, "in_notebook", lambda: True)
    draft = loans_draft()
    draft.grow()
    opened = bosco.open(draft)
    cell = f"<!DOCTYPE html><html><body>{opened._repr_html_()}</body></html>".encode()

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(cell)

        def log_message(self, *_: Any) -> None:
            pass

    page = browser.new_context().new_page()
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    with ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(f"http://{host}:{server.server_port}/")
        frame = page.frame_locator("iframe")
        frame.locator("svg.bosco-tree").wait_for()
        assert draft.model.headline in frame.locator("#headline").inner_text()
        page.close()
        server.shutdown()
    opened.close()
    assert [said for said in errors if "favicon" not in said] == []
