"""A sign of life: only on a terminal, only on long runs, with rich or without."""

import builtins
import io
from typing import Any

import pytest

from bosco.base import progress
from bosco.base.progress import track


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)


def without_rich(name: str, *rest: Any) -> Any:
    if name.split(".")[0] == "rich":
        raise ImportError(name)
    return imported(name, *rest)


imported = builtins.__import__


@pytest.mark.usefixtures("impatient")
def test_silent_when_not_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    assert list(track(range(5), 5, "working")) == [0, 1, 2, 3, 4]
    assert stream.getvalue() == ""


def test_silent_on_short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    assert len(list(track(range(5), 5, "working"))) == 5
    assert stream.getvalue() == ""


@pytest.mark.usefixtures("impatient")
def test_a_plain_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(builtins, "__import__", without_rich)
    assert len(list(track(range(5), 5, "working"))) == 5
    assert "\rworking: 1 of 5" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


@pytest.mark.usefixtures("impatient")
def test_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    assert len(list(track(range(5), 5, "working"))) == 5
    assert "working" in stream.getvalue()


@pytest.mark.usefixtures("impatient")
def test_the_line_is_wiped_when_it_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(builtins, "__import__", without_rich)

    def interrupted() -> Any:
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(track(interrupted(), 5, "working"))
    assert stream.getvalue().endswith("\r\x1b[K")
