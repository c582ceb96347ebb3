"""Files that appear whole or not at all, and what is no file."""

import os
import pty
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bosco import DecisionTreeClassifier, ParameterError
from bosco.base.safe_files import is_stream, whole_file
from bosco.datasets import play_tennis
from bosco.tables.writing import write_chunks


def read_in_background(path: Path) -> tuple[threading.Thread, list[bytes]]:
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(path.read_bytes()))
    thread.start()
    return thread, found


def writers() -> dict[str, Any]:
    """Everybody who writes files."""
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    table = pa.table({"x": [1, 2]})
    return {
        "json": model.save,
        "report": model.report().save,
        "svg": model.svg().save,
        "csv": lambda path: write_chunks(path, [table]),
        "bytes": lambda path: _written(path),
    }


def _written(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"all of it")


@pytest.mark.parametrize("who", writers())
def test_a_pipe_is_written_through(who: str, tmp_path: Path) -> None:
    write = writers()[who]
    ending = "csv" if who == "csv" else "json"  # a table is not written under another's name
    plain, pipe = tmp_path / f"plain.{ending}", tmp_path / f"pipe.{ending}"
    write(plain)
    os.mkfifo(pipe)
    thread, found = read_in_background(pipe)
    write(pipe)
    thread.join(10)
    assert found == [plain.read_bytes()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(p.name for p in tmp_path.iterdir()) == [pipe.name, plain.name]


def test_a_terminal_and_the_sink_of_all_are_written_through(tmp_path: Path) -> None:
    main, side = pty.openpty()
    name = os.ttyname(side)
    with whole_file(name) as file:
        file.write(b"all of it\n")
    assert os.read(main, 100) == b"all of it\r\n"
    assert stat.S_ISCHR(Path(name).stat().st_mode)
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    with whole_file(link) as file:
        file.write(b"nobody reads it")
    assert stat.S_ISCHR(link.stat().st_mode)
    assert link.is_symlink()
    os.close(main)
    os.close(side)


def test_a_link_is_kept_and_its_target_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "far" / "target.txt"
    link.symlink_to(target)
    for text in (b"one", b"two"):  # the first makes it
        with whole_file(link) as file:
            file.write(text)
        assert target.read_bytes() == text
        assert link.is_symlink()
    assert [p.name for p in (tmp_path / "far").iterdir()] == ["target.txt"]


@pytest.mark.parametrize("lines", ["", "a log so far\n"])
def test_standard_output_is_added_to(lines: str, tmp_path: Path) -> None:
    """`>> log` and --out /dev/stdout: what the log had stays."""
    log = tmp_path / "log"
    log.write_text(lines)
    before = log.stat().st_ino
    code = "from bosco.base.safe_files import whole_file\n"
    code += "with whole_file('/dev/stdout') as f: f.write(b'x\\n')"
    with log.open("a") as stream:
        subprocess.run([sys.executable, "-c", code], stdout=stream, check=True)
    assert log.read_text() == lines + "x\n"
    assert log.stat().st_ino == before
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"x\n"


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, why in [
        (tmp_path, "it is a folder"),
        (loop, "cannot be written"),
        (tmp_path / "no" / "a.txt", "No such file"),
        (tmp_path / "a\0b", "cannot be written"),
    ]:
        with pytest.raises(ParameterError, match=why), whole_file(path):
            pass
    assert not is_stream(tmp_path / "nothing")


def test_the_command_line_writes_through(tmp_path: Path) -> None:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    model.save(tmp_path / "m.json")
    pipe = tmp_path / "tree.sql"
    os.mkfifo(pipe)
    thread, found = read_in_background(pipe)
    words = ["export", "m.json", "--out", str(pipe)]
    subprocess.run([sys.executable, "-m", "bosco.cli", *words], cwd=tmp_path, check=True)
    thread.join(10)
    assert b"SELECT" in found[0]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "t.csv").write_text("a,y\n" + "1,p\n2,q\n" * 20)
    words = ["fit", "t.csv", "--target", "y", "--out", "/dev/null"]
    said = subprocess.run(
        [sys.executable, "-m", "bosco.cli", *words], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert said.returncode == 2
    assert "--out is the name of a model" in said.stderr


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="the system has no /dev/shm")
def test_a_file_in_shared_memory_is_replaced() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder) / "model.json"
        for _ in range(2):
            _written(file)
        assert file.read_bytes() == b"all of it"
        assert [p.name for p in Path(folder).iterdir()] == ["model.json"]


def test_what_is_open_already_is_written_to_however_it_is_reached(tmp_path: Path) -> None:
    log, link = tmp_path / "log", tmp_path / "link"
    log.write_bytes(b"a line, ")
    with log.open("ab") as file:
        thread = threading.get_native_id()
        number = file.fileno()
        link.symlink_to(f"/dev/fd/{number}")
        task = f"/proc/{os.getpid()}/task/{thread}/fd/{number}"
        names = (f"/dev/fd/{number}", f"/proc/self/fd/{number}", task, link)
        for name in names:
            assert is_stream(name)
            _written(Path(name))
    assert log.read_bytes() == b"a line, " + b"all of it" * len(names)


def test_the_longest_name_of_any_letters(tmp_path: Path) -> None:
    file = tmp_path / ("木" * 83 + ".json")  # 254 bytes of at most 255
    _written(file)
    assert file.read_bytes() == b"all of it"
