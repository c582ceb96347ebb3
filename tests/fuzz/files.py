"""Odd files of rows: what `read_file` is given is a table, or refused by an error of bosco."""

from __future__ import annotations

import atexit
import os
import random
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path

from bosco.errors import BoscoError
from bosco.tables import read_file

MESSY = Path(__file__).parents[1] / "files" / "messy"
# fmt: off
CELLS = [
    "1", "2.5", "", "NA", "x", '"', '""', '"a,b"', '"a\nb"', "2020-01-01", "01/02/2020", "true",
    "1e999", "\0", "é", "1,5", "1.000,5", "'", "\t", ";", "|", "?", "-", "1e5", "0x1", "1_000", "٣",
    "\ufeff", "NaN", "inf", "2020-02-30", "12:30:61", "10%", "$5", "a" * 200, "9" * 400, "\u2028",
]
# fmt: on
BITS = [b'"', b",", b"\n", b"\r", b"\0", b"\xff", b";", b"\xef\xbb\xbf", b"''"]


def attack_file(draw: random.Random) -> bool:
    """Read one odd file; tell whether it was a table."""
    made = draw.random() < 0.5
    data, suffix = (odd_text(draw), ".csv") if made else changed(draw)
    path = _folder() / f"table{suffix}"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_file(path)
        except BoscoError:
            return False
        finally:
            path.unlink()
    return True


def odd_text(draw: random.Random) -> bytes:
    """Delimited text of some kind, or of several."""
    comma, end = draw.choice([",", ";", "\t", "|", " "]), draw.choice(["\n", "\n", "\r\n", "\r"])
    n = draw.choice([1, 2, 3, 5])
    header = comma.join(draw.choice(["a", "b", "c", "", " x", "1"]) for _ in range(n))
    rows = [
        comma.join(draw.choice(CELLS) for _ in range(n + (draw.random() < 0.1)))
        for _ in range(draw.choice([0, 1, 2, 5, 12]))
    ]
    text = end.join([header, *rows]) + draw.choice(["", end, end * 2])
    return text.encode(draw.choice(["utf-8", "utf-8", "latin-1", "utf-16", "cp1252"]), "replace")


def changed(draw: random.Random) -> tuple[bytes, str]:
    """A messy file with a few changes, and the end of its name."""
    old, suffix = draw.choice(_messy())
    data = bytearray(old)
    for _ in range(draw.choice([1, 1, 2, 5])):
        at, act = draw.randrange(len(data) + 1), draw.randrange(4)
        if act == 0:
            del data[at : at + draw.randrange(5)]
        elif act == 1:
            data[at:at] = draw.choice(BITS)
        elif act == 2 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        else:
            there = draw.randrange(len(data) + 1)
            data[there:there] = data[at : at + 20]
    return bytes(data), suffix


@cache
def _messy() -> list[tuple[bytes, str]]:
    paths = [path for path in sorted(MESSY.iterdir()) if path.stat().st_size < 20_000]
    return [(path.read_bytes(), "".join(path.suffixes)) for path in paths]


@cache
def _folder() -> Path:
    """In memory, where that can be."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
