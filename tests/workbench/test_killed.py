"""A workbench that is killed loses nothing that it answered; two tabs overwrite nothing."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx

from bosco.drafts.log import load_log
from tests.visitor import Visitor, loans_desk, served


def start(folder: Path) -> tuple[subprocess.Popen[str], Visitor]:
    """The workbench as a process of its own, and somebody at it."""
    words = ["open", "loans.csv", "--target", "safe", "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bosco.cli", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    return process, Visitor(process.stdout.readline().split()[-1])


def test_a_killed_server_loses_nothing_that_it_answered(tmp_path: Path) -> None:
    loans = Path(__file__).parents[2] / "docs" / "loans.csv"
    (tmp_path / "loans.csv").write_bytes(loans.read_bytes())
    process, visitor = start(tmp_path)
    visitor.post("/api/opening", settings={"max_depth": 4}, who="Ada", open=False)
    assert visitor.status == 200
    answered: list[str] = []
    for round_ in range(4):
        killed = threading.Event()
        at = len(answered) + 3 * round_ + 2

        def work(visitor: Visitor = visitor, at: int = at, killed: Any = killed) -> None:
            """Acts one after the other, whose answers are noted, until nobody answers."""
            number = 0
            while True:
                try:
                    told = visitor.act("note", "", text=f"note {number}")
                except (httpx.TransportError, json.JSONDecodeError, KeyError):
                    return
                if visitor.status == 200:
                    answered.append(told["version"])
                number += 1
                if len(answered) >= at:
                    killed.set()

        if round_:
            threads = [threading.Thread(target=work)]
            threads[0].start()
            killed.wait()
            process.send_signal(signal.SIGKILL)  # while acts go on
            threads[0].join()
        else:
            process.send_signal(signal.SIGKILL)  # before there is a draft
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        visitor.http.close()
        process, visitor = start(tmp_path)
        if not round_:
            asked = visitor.get("/api/opening")
            assert asked["who"] == "Ada"
            settings = {one["name"]: one["value"] for one in asked["learner"]["settings"]}
            assert settings["max_depth"] == 4
            answered.append(visitor.post("/api/opening", open=True)["version"])
        kept = [entry["hash"] for entry in load_log(tmp_path / "loans.draft")]
        assert [version for version in answered if version not in kept] == []
        assert visitor.version == kept[-1]
    visitor.post("/api/close")
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    visitor.http.close()
    assert len(answered) > 10


# Two tabs -----------------------------------------------------------------------------------------


def test_two_tabs_do_not_overwrite_each_other(tmp_path: Path) -> None:
    with served(loans_desk(tmp_path / "x.draft")) as one:
        other = Visitor(f"{one.base}/?key={one.key}")
        version = one.version
        assert other.version == version
        one.post("/api/act", version=version, verb="prune", path="0")
        assert one.status == 200
        told = other.post("/api/act", version=version, verb="note", path="", text="mine")
        assert other.status == 409
        assert told["stale"]
        assert [entry["verb"] for entry in told["since"]] == ["prune"]
        assert told["version"] == one.version
        other.post("/api/act", version=told["version"], verb="note", path="", text="mine")
        assert other.status == 200
        fresh = other.version
        one.post("/api/consider", version=fresh, path="1", test="best")  # changes nothing,
        other.post("/api/act", version=fresh, verb="note", path="", text="still")  # so this fits
        assert other.status == 200
        other.http.close()
