"""How long the workbench takes to answer, over HTTP, and what it holds in memory.

``python -m bench.workbench``: acts on 500,000 rows of 20 columns, each with the view that the page
asks for after it; as many rows from a file of text; and the adult table from its file to the first
tree. The targets are 0.3 seconds for any act at the median and 1 second at worst, 3 seconds for
adult, and twice the memory of the table.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from bench.sets import SHARED

LIMIT, WORST, FIRST, TIMES = 0.3, 1.0, 3.0, 2.0


class Page:
    """Asks as the page does."""

    def __init__(self, address: str) -> None:
        self._base, _, key = address.partition("/?key=")
        self._open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar())
        ).open
        self._open(f"{self._base}/?key={key}").read()

    def get(self, to: str, /, **asked: Any) -> Any:
        with self._open(f"{self._base}{to}?{urlencode(asked)}") as answer:
            return json.load(answer)

    def post(self, to: str, /, **body: Any) -> Any:
        given = {"Content-Type": "application/json", "X-Bosco": "1"}
        asked = urllib.request.Request(f"{self._base}{to}", json.dumps(body).encode(), given)
        with self._open(asked) as answer:
            return json.load(answer)

    def act(self, version: str, **body: Any) -> str:
        """Do an act and look at what came of it; gives the next version."""
        self.post("/api/act", version=version, reason="bench", **body)
        found: str = self.get("/api/view")["version"]
        return found


def acts(k: int) -> dict[str, dict[str, Any]]:
    """Each act; the number makes calls differ."""
    return {
        "split root": {"verb": "split", "path": "", "test": {"column": "x3", "cuts": [k / 50]}},
        "best root": {"verb": "best", "path": ""},
        "best below": {"verb": "best", "path": "0"},
        "move root": {"verb": "move", "path": "", "cuts": [0.01 + k / 100]},
        "prune": {"verb": "prune", "path": "0"},
        "regrow 3 levels": {"verb": "regrow", "path": "0", "settings": {"max_depth": 4}},
        "grow 4 levels": {"verb": "grow", "path": "", "depth": 4},
        "note": {"verb": "note", "path": "0", "text": f"note {k}"},
        "lock": {"verb": "lock", "path": "0"},
        "exclude": {"verb": "exclude", "path": "", "columns": [f"x{5 + k}"]},
        "undo": {"verb": "undo"},
        "goto": {"verb": "goto", "entry": 0},
    }


LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "node, root": ("/api/node", {"path": ""}),
    "node, below": ("/api/node", {"path": "0.1"}),
    "curve, root": ("/api/curve", {"path": "", "column": "x1"}),
    "rows, sorted": ("/api/rows", {"path": "", "sort": "x2", "page": 7}),
    "search": ("/api/search", {"q": "x1"}),
}


def timed(asks: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = asks()
    return time.perf_counter() - begin, found


def back(page: Page) -> str:
    """To the tree of four levels that every act begins with."""
    view = page.get("/api/view")
    found: str = view["version"]
    if not next(stage["current"] for stage in view["history"] if stage["entry"] == 1):
        found = page.act(found, verb="goto", entry=1)
    return found


def large(page: Page, repeats: int) -> dict[str, list[float]]:
    """Seconds of every act with its view, and of every look."""
    found: dict[str, list[float]] = {}
    version = page.get("/api/view")["version"]
    for k in range(repeats):
        for name, act in acts(k).items():
            version = back(page)
            if name == "grow 4 levels":
                version = page.act(version, verb="prune", path="")
            seconds, version = timed(lambda act=act, version=version: page.act(version, **act))
            found.setdefault(name, []).append(seconds)
        version = back(page)
        for name, (path, asked) in LOOKS.items():
            page.post("/api/act", version=version, verb="note", path="", text=f"{k} {name}")
            version = page.get("/api/view")["version"]  # nothing is remembered of it
            found.setdefault(name, []).append(timed(lambda p=path, a=asked: page.get(p, **a))[0])
        for i in range(5):
            test = {"column": "x1", "cuts": [0.1 + i / 10 + k / 100]}
            seconds, _ = timed(lambda t=test: page.post("/api/try", path="", test=t, snap=True))
            found.setdefault("try, dragging", []).append(seconds)
    return found


def serve(n: int, columns: int) -> None:
    """The server's side: a draft on rows that need several columns, four levels grown."""
    import numpy as np

    import bosco
    from bosco.workbench.desk import Desk
    from bosco.workbench.serving import Served

    small = np.random.default_rng(1).normal(size=(200, columns))
    bosco.draft(bosco.DecisionTreeClassifier(), small, (small[:, 0] > 0).astype(int)).grow()
    print(json.dumps(memory(os.getpid())), flush=True)  # what is imported is not counted
    random = np.random.default_rng(0)
    X = random.normal(size=(n, columns))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=n) > 0).astype(int)
    draft = bosco.draft(bosco.DecisionTreeClassifier(), X, y, reasons=False)
    draft.grow(0, 4)
    served = Served(Desk(draft, Path("bench.draft"), "bench"))
    served.run(lambda: print(served.address, flush=True))


def memory(process: int) -> dict[str, float]:
    """Bytes that a process has in memory, and had at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines)
    return {name: int(found[name].split()[0]) * 1024.0 for name in ("VmRSS", "VmHWM")}


def run_large(n: int, columns: int, repeats: int, folder: Path) -> None:
    """Print what acts take."""
    words = [sys.executable, "-m", "bench.workbench", "--serve", str(n), str(columns)]
    root = str(Path(__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": root}
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    before = json.loads(process.stdout.readline())
    try:
        found = large(Page(process.stdout.readline().strip()), repeats)
        after = memory(process.pid)
    finally:
        process.terminate()
        process.wait()
    print(f"{n:,} rows, {columns} columns: each act with its view, over HTTP")
    for name, seconds in found.items():
        late = [f"more than {LIMIT:g} s"] if median(seconds) > LIMIT else []
        late += [f"worst more than {WORST:g} s"] if max(seconds) > WORST else []
        said = f"{median(seconds) * 1000:6.0f} ms, worst {max(seconds) * 1000:6.0f} ms"
        print(f"{name:<18} {said}  {', '.join(late)}".rstrip())
    size = n * columns * 8
    for name, words_ in (("VmRSS", "at the end"), ("VmHWM", "at most")):
        times = (after[name] - before["VmRSS"]) / size
        print(f"memory {words_}: {times:.2f} times the table (with the table itself)")
    print(f"target: {TIMES:g} times the table")


def run_file(n: int, columns: int, folder: Path) -> None:
    """Print what a table of so many numbers takes from its file to a draft."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv

    random = np.random.default_rng(0)
    table = {f"x{j}": random.normal(size=n) for j in range(columns)}
    table["y"] = np.where(table["x0"] > 0, "yes", "no")
    pyarrow.csv.write_csv(pa.table(table), folder / "large.csv")
    words = ["open", "large.csv", "--no-browser"]
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "bosco.cli", *words], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    page = Page(process.stdout.readline().split()[-1])
    before = memory(process.pid)["VmRSS"]
    page.get("/api/opening")
    looked = memory(process.pid)["VmHWM"]
    page.post("/api/opening", target="y", open=True)
    seconds, after = time.perf_counter() - begin, memory(process.pid)
    page.post("/api/close")
    process.wait()
    size = n * columns * 8
    said = [(x - before) / size for x in (looked, after["VmHWM"], after["VmRSS"])]
    print(
        f"from a file of text: {seconds:.1f} s to the draft; memory {said[0]:.2f} times the table "
        f"at most when it was looked at, {said[1]:.2f} when it was opened, {said[2]:.2f} then"
    )


def run_adult(folder: Path, repeats: int) -> None:
    """Print how long adult takes from its file to the first tree."""
    file = SHARED / "adult_train.csv.gz"
    if not file.exists():
        print(f"adult: left out, there is no {file.name}")
        return
    taken = []
    for k in range(repeats):
        words = ["open", str(file.resolve()), "--no-browser", "--log", f"adult{k}.draft"]
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "bosco.cli", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        page = Page(process.stdout.readline().split()[-1])
        seen = page.get("/api/opening")
        page.post("/api/opening", target=seen["columns"][-1]["name"], open=True)
        version = page.get("/api/view")["version"]
        page.act(version, verb="grow", path="")
        taken.append(time.perf_counter() - begin)
        page.post("/api/close")
        process.wait()
    rows = seen["summary"]
    late = f"  more than {FIRST:g} s" if median(taken) > FIRST else ""
    print(f"adult ({rows}), from the command to the first tree: {median(taken):.2f} s{late}")


def main() -> None:
    """Print both tables."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--serve", nargs=2, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(*given.serve)
        return
    with tempfile.TemporaryDirectory() as folder:
        run_large(given.rows, given.columns, given.repeats, Path(folder))
        run_file(given.rows, given.columns, Path(folder))
        run_adult(Path(folder), 3)


if __name__ == "__main__":
    main()
