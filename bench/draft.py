"""How long the verbs of a draft take, and what a draft adds to the memory of its table.

``python -m bench.draft``: 500,000 rows of 20 columns, the median of several calls of each verb, at
the root and below it. The target is 0.3 seconds for any verb but `grow`, and 2 bytes a cell.
"""

import argparse
import contextlib
import ctypes
import gc
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import bosco
from bosco import DecisionTreeClassifier

LIMIT, BYTES = 0.3, 2.0


def table(n: int, columns: int) -> tuple[Any, Any]:
    """Numbers of many values, and two classes that need several of them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, columns))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=n) > 0).astype(int)


def resident() -> float:
    """Bytes that the process has in memory; what was given back to the allocator is not counted."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096.0


def verbs() -> dict[str, Callable[[Any, int], Any]]:
    """Each verb on a tree of some depth; the number makes calls differ."""
    return {
        "split root": lambda d, k: d.split(0, f"x3 <= {0.1 + k / 100}"),
        "best root": lambda d, _: d.best(0),
        "best below": lambda d, _: d.best(1),
        "move root": lambda d, k: d.move(0, 0.01 + k / 100),
        "prune": lambda d, _: d.prune(1),
        "regrow 2 levels": lambda d, _: d.regrow(1, settings={"max_depth": 3}),
        "answer": lambda d, _: d.answer(_leaf(d), 1),
        "note": lambda d, k: d.note(1, str(k)),
        "lock": lambda d, _: d.lock(1),
        "exclude": lambda d, _: d.exclude("x5"),
        "undo": lambda d, _: (d.note(1, "x"), d.undo()),
        "why, one column": lambda d, _: d.why(0, "x0"),
        "final": lambda d, _: d.final(),
        "grow": lambda d, _: d.grow(0, 6),
    }


def _leaf(draft: Any) -> int:
    return int(np.flatnonzero(draft.state.tree.native.test < 0)[0])


def run(n: int, columns: int, repeats: int) -> dict[str, float]:
    """Median seconds of each verb, and bytes a cell."""
    settings = {"reasons": False}
    small = bosco.draft(DecisionTreeClassifier(), *table(500, columns), **settings)
    small.grow(0, 3)
    small.final()  # what is imported is not counted
    X, y = table(n, columns)
    before = resident()
    draft = bosco.draft(DecisionTreeClassifier(), X, y, **settings)
    found = {"bytes a cell": (resident() - before) / X.size}
    for name, verb in verbs().items():
        times = []
        for k in range(repeats):
            while draft._at:  # every verb begins with the same tree
                draft.undo()
            draft.grow(0, 1 if name == "grow" else 4)
            begin = time.perf_counter()
            verb(draft, k)
            times.append(time.perf_counter() - begin)
        found[name] = median(times)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    found = run(given.rows, given.columns, given.repeats)
    size = found.pop("bytes a cell")
    print(f"{given.rows:,} rows, {given.columns} columns")
    print(f"{'a draft adds':<20} {size:6.2f} bytes a cell (at most {BYTES:g})")
    for name, seconds in found.items():
        late = "" if name == "grow" or seconds <= LIMIT else "  more than 0.3 s"
        print(f"{name:<20} {seconds * 1000:6.0f} ms{late}")


if __name__ == "__main__":
    main()
