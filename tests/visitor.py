"""Somebody at the workbench: asks a desk that is served over HTTP, as the page does."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

import bosco
from bosco.drafts.draft import Draft
from bosco.workbench.desk import Desk
from bosco.workbench.serving import Served


class Visitor:
    """Asks at an address, with the cookie that its key gives."""

    def __init__(self, address: str) -> None:
        self.base, _, self.key = address.partition("/?key=")
        self.http = httpx.Client(base_url=self.base, timeout=60)
        entered = self.http.get("/", params={"key": self.key})
        assert entered.status_code == 303, entered.text
        self.status = 0

    def get(self, to: str, /, **asked: Any) -> Any:
        return self._told(lambda: self.http.get(to, params=asked))

    def post(self, to: str, /, **body: Any) -> Any:
        return self._told(lambda: self.http.post(to, json=body, headers={"X-Bosco": "1"}))

    def _told(self, asks: Callable[[], httpx.Response]) -> Any:
        """The answer; who is told to wait waits."""
        answer = asks()
        while answer.status_code == 429:
            time.sleep(0.05)
            answer = asks()
        self.status = answer.status_code
        return answer.json()

    @property
    def version(self) -> str:
        version: str = self.get("/api/desk")["version"]
        return version

    def act(self, verb: str, path: str = "", **given: Any) -> Any:
        """Do an act on the newest version."""
        return self.post("/api/act", version=self.version, verb=verb, path=path, **given)


@contextmanager
def served(desk: Desk, **how: Any) -> Iterator[Visitor]:
    """A desk that is served while this lasts, and somebody who asks."""
    server = Served(desk, **how).begin()
    visitor = Visitor(server.address)
    try:
        yield visitor
    finally:
        visitor.http.close()
        server.end()


def loans_draft(**how: Any) -> Draft:
    """A draft on the loans, not grown yet."""
    return bosco.draft(bosco.DecisionTreeClassifier(), *bosco.datasets.loans(), who="Ada", **how)


def loans_desk(keep: Path | None = None) -> Desk:
    """A desk with that draft, grown."""
    draft = loans_draft()
    draft.grow()
    if keep is not None:
        draft.save(keep)
    return Desk(draft, keep, "loans.csv")
