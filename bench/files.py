"""One tree from files larger than memory, beside those who can do the same, in one run.

Every learner reads the same Parquet files in a process of its own and grows one tree of depth 8 for
two classes. Told are the seconds of all cores, those of the clock (the imports of every learner
among them, numpy's not), and the most memory that was in use: all pages of the process, and those
that belong to no file and must stay in memory.

    python -m bench.files [--rows 5000000] [--rounds 3] [--only NAME,…] [--growth MOST] [--limit]

Learners take turns, so many rounds, and the medians are told at the end. ``--growth`` runs bosco
alone on ten times as many rows each time. ``--limit`` runs it in a quarter of the memory that the
table takes, set by a control group where there is one that may be written to, else by RLIMIT_DATA;
and compares the models.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS, IN_FILE = 20, 500_000
DEPTH = int(os.environ.get("BOSCO_DEPTH", "8"))
RESULTS = Path(__file__).parent / "results"
GROUPS = Path("/sys/fs/cgroup/memory")


# The table --------------------------------------------------------------------------------------


def part(k: int, rows: int) -> tuple[Any, Any]:
    """Rows of file k: numbers, and a class that some of them tell."""
    rng = np.random.default_rng(k)
    x = rng.normal(size=(COLUMNS, rows)).astype(np.float32)
    told = x[0] * x[1] + x[2] + 0.5 * np.sin(3 * x[3]) + rng.normal(size=rows)
    return x, (told > 0).astype(np.int8)


def write(folder: Path, rows: int, dtype: Any = np.float32) -> None:
    """The table as files of half a million rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for k in range(-(-rows // IN_FILE)):
        place = folder / f"part{k:04}.parquet"
        n = min(IN_FILE, rows - k * IN_FILE)
        if not place.exists():
            x, y = part(k, n)
            columns = {f"x{j}": pa.array(x[j].astype(dtype)) for j in range(COLUMNS)}
            pq.write_table(
                pa.table(columns | {"late": pa.array(y)}), place, use_dictionary=["late"]
            )


def batches(folder: Path) -> Iterator[tuple[Any, Any]]:
    """What the others are handed: one file at a time, as a matrix."""
    import pyarrow.parquet as pq

    for place in sorted(folder.iterdir()):
        table = pq.read_table(place)
        x = np.column_stack([table.column(j).to_numpy() for j in range(COLUMNS)])
        yield x, table.column(COLUMNS).to_numpy()


# The learners -----------------------------------------------------------------------------------


def bosco(folder: Path, scratch: Path) -> dict[str, Any]:
    start = time.perf_counter()
    import bosco as package

    learner = package.DecisionTreeClassifier
    begun = time.perf_counter()
    scanned = package.scan(folder, scratch=scratch)
    scanned.as_table()
    read = time.perf_counter() - begun
    jobs = int(os.environ.get("BOSCO_JOBS", "-1"))
    tree = learner(max_depth=DEPTH, n_jobs=jobs).fit(scanned, y="late")
    tree.model_.save(scratch / "model.json")
    model = (scratch / "model.json").read_bytes()
    (scratch / "model.json").unlink()
    return {
        "imports": round(begun - start, 2),
        "reading": round(read, 2),
        "hash": hashlib.sha256(model).hexdigest()[:16],
    }


def xgboost(folder: Path, scratch: Path) -> dict[str, Any]:
    start = time.perf_counter()
    import xgboost as package

    begun = time.perf_counter()

    class Files(package.DataIter):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            self.files = batches(folder)
            super().__init__(cache_prefix=str(scratch / "cache"))

        def next(self, input_data: Any) -> bool:
            for x, y in self.files:
                input_data(data=x, label=y)
                return True
            return False

        def reset(self) -> None:
            self.files = batches(folder)

    data = package.ExtMemQuantileDMatrix(Files(), max_bin=256)
    settings = {"max_depth": DEPTH, "tree_method": "hist", "objective": "binary:logistic"}
    package.train({**settings, "nthread": os.cpu_count()}, data, 1)
    return {"imports": round(begun - start, 2)}


def lightgbm(folder: Path, scratch: Path) -> dict[str, Any]:
    del scratch
    start = time.perf_counter()
    import lightgbm as package
    import pyarrow.parquet as pq

    begun = time.perf_counter()

    places = sorted(folder.iterdir())

    class File(package.Sequence):  # type: ignore[misc,name-defined]
        batch_size = 65536

        held: tuple[Any, Any] = (None, None)  # one file at a time is in memory

        def __init__(self, place: Path):
            self.place, self.n = place, pq.read_metadata(place).num_rows

        def __len__(self) -> int:
            return int(self.n)

        def __getitem__(self, rows: Any) -> Any:
            if File.held[0] != self.place:
                File.held = None, None
                table = pq.read_table(self.place)
                columns = [table.column(j).to_numpy() for j in range(COLUMNS)]
                File.held = self.place, np.column_stack(columns)
            return File.held[1][rows].astype(np.float64)

    y = np.concatenate([pq.read_table(p, columns=["late"]).column(0).to_numpy() for p in places])
    data = package.Dataset([File(p) for p in places], label=y, params={"verbose": -1})
    settings = {"max_depth": DEPTH, "num_leaves": 2**DEPTH, "objective": "binary", "verbose": -1}
    package.train({**settings, "num_threads": os.cpu_count()}, data, 1)
    return {"imports": round(begun - start, 2)}


LEARNERS = {"bosco": bosco, "xgboost": xgboost, "lightgbm": lightgbm}


# Measuring --------------------------------------------------------------------------------------


class Peak:
    """The most memory that is in use: all, and what belongs to no file."""

    def __init__(self) -> None:
        self.all = self.own = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        while not self.over.wait(0.01):
            lines = Path("/proc/self/status").read_text().splitlines()
            told = {
                n: int(v.split()[0])
                for n, _, v in (li.partition(":") for li in lines)
                if n in ("VmRSS", "RssAnon")
            }
            self.all = max(self.all, told.get("VmRSS", 0))
            self.own = max(self.own, told.get("RssAnon", 0))

    def end(self) -> dict[str, int]:
        self.over.set()
        self.thread.join()
        most = max(self.all, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return {"peak MiB": most // 1024, "not of files MiB": self.own // 1024}


def run_here(name: str, folder: Path, scratch: Path) -> dict[str, Any]:
    """One learner, in this process."""
    peak, start, cpu = Peak(), time.perf_counter(), time.process_time()
    more = LEARNERS[name](folder, scratch)
    told = {
        "learner": name,
        "seconds": round(time.perf_counter() - start, 2),
        "cpu": round(time.process_time() - cpu, 2),
    }
    return told | peak.end() | more


def run_apart(name: str, folder: Path, scratch: Path, limit: int | None = None) -> dict[str, Any]:
    """One learner in a process of its own, with so many bytes of memory at most."""
    words = [sys.executable, "-m", "bench.files", "--here", name, "--folder", str(folder)]
    scratch = Path(tempfile.mkdtemp(dir=scratch))
    group, confine = None, None
    if limit is not None:
        group = control_group(limit)
        if group is None:
            confine = lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))  # noqa: E731
        else:
            joins = group / "cgroup.procs"
            confine = lambda: joins.write_text(str(os.getpid()))  # noqa: E731  # type: ignore[assignment]
    try:
        done = subprocess.run(
            [*words, "--scratch", str(scratch)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            preexec_fn=confine,
            env=compiled(),
        )
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        if group is not None:
            told["charged MiB"] = int((group / "memory.max_usage_in_bytes").read_text()) >> 20
            told["failures"] = int((group / "memory.failcnt").read_text())
        told["left behind"] = len(list(scratch.iterdir())) if name == "bosco" else None
        return told
    finally:
        shutil.rmtree(scratch)
        if group is not None:
            group.rmdir()


def compiled() -> dict[str, str]:
    """The environment, but that sources are compiled once: of what is installed they are."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def control_group(limit: int) -> Path | None:
    """A group of this system with so much memory; None: there is none that may be written to."""
    group = GROUPS / f"bosco-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(limit))
    except OSError:
        return None
    return group


def forget(folder: Path) -> None:
    """Let the system forget the files, so that they are read from the disk."""
    for place in folder.iterdir():
        with place.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def limited(folder: Path, scratch: Path, rows: int) -> list[dict[str, Any]]:
    """The same table with and without a limit of a quarter of its size."""
    size = rows * (COLUMNS * 8 + 1)
    limit = size // 4
    free = run_apart("bosco", folder, scratch) | {"limit MiB": None}
    forget(folder)
    held = run_apart("bosco", folder, scratch, limit)
    held |= {
        "limit MiB": limit >> 20,
        "table MiB": size >> 20,
        "by": "cgroup" if "charged MiB" in held else "RLIMIT_DATA",
        "same model": free["hash"] == held["hash"],
    }
    return [free, held]


def medians(told: list[dict[str, Any]]) -> None:
    """Print what each learner took, and how often what bosco did."""
    figures = ("seconds", "cpu", "peak MiB", "not of files MiB")
    found = {
        name: [statistics.median(one[f] for one in told if one["learner"] == name) for f in figures]
        for name in dict.fromkeys(one["learner"] for one in told)
    }
    print("learner", *figures, sep="\t")
    for name, row in found.items():
        own = found.get("bosco", row)
        print(name, *(f"{x:g} ({x / o:.2f}x)" for x, o in zip(row, own, strict=True)), sep="\t")


def plot(told: list[dict[str, Any]], place: Path) -> None:
    """Seconds and memory against rows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = [one["rows"] for one in told]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.loglog(rows, [one["cpu"] for one in told], "o-", label="seconds of all cores")
    left.loglog(rows, [one["seconds"] for one in told], "o-", label="seconds")
    right.loglog(rows, [one["peak MiB"] for one in told], "o-", label="all pages, MiB")
    right.loglog(rows, [one["not of files MiB"] for one in told], "o-", label="of no file, MiB")
    for axes in (left, right):
        axes.set_xlabel(f"rows of {COLUMNS} columns")
        axes.legend()
    figure.savefig(place)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    asked.add_argument("--rows", type=int, default=5_000_000)
    asked.add_argument("--only", default=",".join(LEARNERS))
    asked.add_argument("--growth", type=int, metavar="MOST", help="from 10^6 rows up to this many")
    asked.add_argument("--rounds", type=int, default=3, help="of all learners, one after the other")
    asked.add_argument("--limit", action="store_true")
    asked.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "bosco-bench")
    asked.add_argument("--scratch", type=Path)
    asked.add_argument("--here")
    given = asked.parse_args()
    if given.here:
        print(json.dumps(run_here(given.here, given.folder, given.scratch)))
        return
    scratch = given.scratch or given.folder
    scratch.mkdir(parents=True, exist_ok=True)
    sizes = [given.rows]
    if given.growth:
        sizes = [n for n in (10**6, 10**7, 10**8) if n <= given.growth]
    told = []
    for rows in sizes:
        kind = np.float64 if given.limit else np.float32
        files = given.folder / f"rows{rows}-{np.dtype(kind).name}"
        write(files, rows, kind)
        if given.limit:
            made = limited(files, scratch, rows)
        else:
            only = ["bosco"] if given.growth else given.only.split(",")
            rounds = 1 if given.growth else given.rounds
            made = (run_apart(name, files, scratch) for _ in range(rounds) for name in only)
        for one in made:
            told.append({"rows": rows} | one)
            print(json.dumps(told[-1]), flush=True)
    if not (given.limit or given.growth):
        medians(told)
    what = "limit" if given.limit else "growth" if given.growth else "files"
    RESULTS.mkdir(exist_ok=True)
    about = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "columns": COLUMNS,
        "depth": DEPTH,
        "runs": told,
    }
    (RESULTS / f"files-{what}.json").write_text(json.dumps(about, indent=1) + "\n")
    if given.growth:
        plot(told, RESULTS / "files-growth.svg")


if __name__ == "__main__":
    main()
