"""Writes that fail, one by one: the old file stays, nothing else is left, the error says why.

SQLite's way: the k-th call that reaches the system fails, for every k until the work is done
without one failing; then the same with a disk that is full after n bytes, for n up to the whole.
"""

import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pytest

import bosco
from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.base.safe_files import whole_file
from bosco.datasets import loans
from bosco.tables import write_chunks

MODEL = DecisionTreeClassifier().fit(*loans()).model_
FOREST = RandomForestClassifier(3, random_state=0).fit(*loans()).model_
TABLE = pa.table({"x": list(range(3000)), "y": ["a", "b", "c"] * 1000})
REPORT = MODEL.report()

WRITERS: dict[str, Callable[[Path], Any]] = {
    "a.json": MODEL.save,
    "a.bosco": MODEL.save,
    "forest.json": FOREST.save,
    "a.html": REPORT.save,
    "a.svg": MODEL.svg().save,
    "a.csv": lambda path: write_chunks(path, [TABLE, TABLE]),
    "a.csv.gz": lambda path: write_chunks(path, [TABLE, TABLE]),
    "a.parquet": lambda path: write_chunks(path, [TABLE, TABLE]),
}
OLD = b"the old file"
MOST = 60
"""Calls, or lengths of a full disk, that are tried."""


class Failing:
    """Lets the k-th of the calls that reach the system fail."""

    def __init__(self, k: int, error: BaseException) -> None:
        self.left, self.error, self.failed = k, error, ""

    def wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **more: Any) -> Any:
            self.left -= 1
            if self.left == -1:
                self.failed = name
                raise self.error
            return call(*given, **more)

        return called

    @contextmanager
    def installed(self) -> Iterator[None]:
        """All that `whole_file` asks of the system: to open, write, flush, sync, rename."""
        with pytest.MonkeyPatch.context() as patch:
            for owner, names in ((os, ("fsync",)), (Path, ("replace", "chmod", "resolve"))):
                for name in names:
                    patch.setattr(owner, name, self.wrap(name, getattr(owner, name)))
            opened = Path.open

            def open_watched(path: Path, *given: Any, **more: Any) -> Any:
                return Watched(self.wrap("open", opened)(path, *given, **more), self)

            patch.setattr(Path, "open", open_watched)
            yield


class Watched:
    """A file whose writes and flushes can fail."""

    def __init__(self, file: Any, failing: Failing) -> None:
        self.file, self.failing = file, failing

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.file, name)
        return self.failing.wrap(name, found) if name in ("write", "flush") else found

    def __enter__(self) -> "Watched":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def check_untouched(folder: Path, path: Path, old: bool) -> None:
    """The old file, if there was one, and nothing else."""
    assert [p.name for p in folder.iterdir()] == ([path.name] if old else [])
    assert not old or path.read_bytes() == OLD


ERRORS: dict[str, Callable[[], BaseException]] = {
    "disk full": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "no memory": MemoryError,
    "Ctrl-C": KeyboardInterrupt,
}


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("old", [True, False], ids=["old", "new"])
@pytest.mark.parametrize("name", WRITERS)
def test_the_kth_call_fails(name: str, old: bool, error: str, tmp_path: Path) -> None:
    path, failed = tmp_path / name, []
    for k in range(MOST):
        if old:
            path.write_bytes(OLD)
        failing = Failing(k, ERRORS[error]())
        caught = _caught(failing, WRITERS[name], path)
        if not failing.failed:
            assert caught is None
            break
        if caught is None:  # written all the same: what failed was not needed
            path.unlink()
            continue
        check_untouched(tmp_path, path, old)
        failed.append(failing.failed)
        if error == "disk full":
            assert path.name in f"{caught} {getattr(caught, 'filename', '')}"
            assert "No space left" in str(caught)
    assert {"open", "write", "fsync", "replace"} <= {*failed}
    assert path.stat().st_size > len(OLD)


def _caught(failing: Failing, write: Callable[[Path], Any], path: Path) -> BaseException | None:
    try:
        with failing.installed():
            write(path)
    except BaseException as error:
        return error
    return None


@contextmanager
def full_after(n: int) -> Iterator[None]:
    """No file grows beyond n bytes, whoever writes it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("name", WRITERS)
def test_the_disk_is_full_after_n_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    size = path.stat().st_size
    for n in sorted({0, 1, size // 2, size - 1, *range(0, size, size // 20 + 1)}):
        path.write_bytes(OLD)
        with pytest.raises((OSError, bosco.BoscoError), match="arge"), full_after(n):  # "too large"
            WRITERS[name](path)
        check_untouched(tmp_path, path, old=True)
    with full_after(size):
        WRITERS[name](path)
    assert path.stat().st_size == size


@pytest.mark.parametrize("n", [0, 100, 3000, 20_000])
def test_a_fit_on_a_full_disk_says_so_in_one_line(n: int, tmp_path: Path) -> None:
    X, y = loans()
    lines = [",".join(map(str, row)) for row in zip(*X.values(), y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*X, "safe"]), *lines * 8]))
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "m.json").write_bytes(OLD)
    words = ["fit", "t.csv", "--target", "safe", "--out", "out/m.json", "--no-choose"]
    done = subprocess.run(
        [sys.executable, "-m", "bosco.cli", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)),
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("bosco: ")
    assert "m.json" in last or "m.html" in last
    assert "File too large" in last
    assert {p.name for p in folder.iterdir()} <= {"m.json", "m.html"}
    model = (folder / "m.json").read_bytes()
    assert model == OLD or model.endswith(b"}\n")


def test_these_tests_catch_a_writer_that_leaves_half(tmp_path: Path) -> None:
    """Planted: written in place, and a temporary file that is not removed."""

    def in_place(path: Path) -> None:
        with path.open("wb") as file:
            file.write(b"x" * 100)
            file.flush()
            os.fsync(file.fileno())

    def left_behind(path: Path) -> NoReturn:
        (path.parent / ".part").write_bytes(b"x")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for planted in (in_place, left_behind):
        path = tmp_path / "a"
        path.write_bytes(OLD)
        failing = Failing(2, ERRORS["disk full"]())
        with pytest.raises(OSError, match="No space"), failing.installed():
            planted(path)
        with pytest.raises(AssertionError):
            check_untouched(tmp_path, path, old=True)
        for left in tmp_path.iterdir():
            left.unlink()
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "b") as file:
        file.write(b"1" * (1 // 0))
    assert list(tmp_path.iterdir()) == []
