"""Two versions of bosco by turns: ``python -m bench.versions OTHER_PYTHON [--only NAME] [--rounds N]``.

OTHER_PYTHON is the interpreter of another checkout's environment (`make .venv/.core` there). Every case
of ``python -m bench`` and ``python -m bench.forests`` is run by both, one process at a time, in an
order that changes from round to round. Printed are this version's time and memory over the other's,
and, as what chance alone does, how far two halves of the same version's rounds differ.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from bench import forests, run, sets
from bench.cases import CASES

Ask = Callable[[str], dict[str, Any]]  # the figures of a case, by a Python


def figures(found: dict[str, Any]) -> dict[str, float]:
    """What is compared: seconds by what was done, and the peak of memory."""
    if "error" in found:
        raise SystemExit(f"a run failed: {found['error']}")
    named = {}
    for key in ("fit", "predict", "row", "explain", "peak"):
        value = found.get(key)
        if isinstance(value, dict):
            named |= {f"{key} {threads}": float(t) for threads, t in value.items()}
        elif value is not None:
            named[key] = float(value)
    return named


def cases(runs: int, scratch: str) -> dict[str, Ask]:
    """Every case of one tree and of many, by name."""

    def tree(case: Any) -> Ask:
        return lambda python: run.measure(case, None, runs, scratch, ["bosco"], python)["bosco"]

    def many(case: Any) -> Ask:
        return lambda python: forests.run(case, "bosco", runs, python=python)

    return {case.name: tree(case) for case in CASES} | {
        f"many: {case.name}": many(case) for case in forests.CASES
    }


def spread(values: list[float]) -> float:
    """How far the medians of every other round differ, as a share."""
    a, b = statistics.median(values[::2]), statistics.median(values[1::2])
    return abs(a / b - 1)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description=__doc__)
    parser.add_argument("other", metavar="OTHER_PYTHON")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="a case whose name holds it"
    )
    parser.add_argument("--rounds", type=int, default=6, help="of each version (default 6)")
    parser.add_argument("--runs", type=int, default=3, help="in each process (default 3)")
    asked = parser.parse_args()
    for name in {case.set for case in CASES} | {case.set for case in forests.CASES} - {"adult"}:
        sets.prepare(name)
    print(f"{'case':34} {'what':10} {'new / old':>9} {'chance':>7}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, ask in cases(asked.runs, scratch).items():
            if asked.only and not any(part in name for part in asked.only):
                continue
            new: dict[str, list[float]] = {}
            old: dict[str, list[float]] = {}
            sides = [(sys.executable, new), (asked.other, old)]
            for _ in range(asked.rounds):
                for python, kept in sides:
                    for key, value in figures(ask(python)).items():
                        kept.setdefault(key, []).append(value)
                sides.reverse()
            for key in new:
                ratio = statistics.median(new[key]) / max(statistics.median(old[key]), 1e-9)
                chance = max(spread(new[key]), spread(old[key]))
                print(f"{name:34} {key:10} {ratio:9.3f} {chance:7.1%}", flush=True)


if __name__ == "__main__":
    main()
