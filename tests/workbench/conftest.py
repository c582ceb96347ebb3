"""Servers and pages of one test; both end with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.pages import Visit
from tests.workbench.story import LOANS, Neighbour, Server

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Server | Neighbour]]:
    """A workbench in a folder with the loans of the documents.

    `alone`: as ``bosco open`` in a process of its own, which may be killed; else beside the test,
    which is sooner there.
    """
    (tmp_path / "loans.csv").write_bytes(LOANS.read_bytes())
    made: list[Server | Neighbour] = []

    def start(
        file: str = "loans.csv",
        target: str | None = "safe",
        task: str | None = None,
        alone: bool = False,
    ) -> Server | Neighbour:
        said = {"--target": target, "--task": task}
        words = [word for name, value in said.items() if value for word in (name, value)]
        made.append(
            Server(tmp_path, file, *words) if alone else Neighbour(tmp_path, file, target, task)
        )
        return made[-1]

    yield start
    for one in made:
        one.kill()


@pytest.fixture
def visit(browser: Any, served: Any) -> Iterator[Visit]:
    del served  # it ends after the pages do
    made = Visit(browser)
    yield made
    for context in made.contexts:
        context.close()
    unexpected = [said for said in made.said if not any(p.match(said) for p in made.expected)]
    assert not unexpected
