"""The same work at many sizes, ours with the defaults and peers: ``python -m bench.sizes``.

Every library is alone in its process, by turns. Printed is a line per size with the peers' times
over ours, and what is aimed at; kept are the figures (``bench/results/sizes.json``: those of the
sizes that were run take the place of older ones, so all can be run by parts) and a picture with
a curve per library, both scales logarithmic: a kink would show. With other peers or fewer runs than
usual the figures go beside them (``partial-sizes.json``).
"""

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench import forests, sets
from bench.run import HERE, THREADS, keep, machine, run
from bench.table import Claim, Results, heading, seconds

KEPT = HERE / "results" / "sizes.json"
ROWS = (1_000, 20_000, 50_000, 100_000, 200_000, 400_000, 800_000)
BYTES_PER_CELL = 4  # of memory beyond X, at most, for one tree
FIXED = 8 << 20  # bytes that the allocator and threads need, whatever the table
PEERS = ("scikit-learn", "lightgbm", "xgboost hist", "ydf")
RUNS = 5
SLOW = 1.0  # seconds; what takes less is run in two processes
Point = tuple[str, int]  # a set, and how many of its rows


@dataclass(frozen=True)
class Case:
    """One kind of work; the aims say how many times faster than a peer we mean to be, by size."""

    name: str
    points: tuple[Point, ...]
    peers: tuple[str, ...]
    aim: Callable[[int, str], float | None]
    settings: dict[str, Any] = field(default_factory=dict)
    threads: int = THREADS
    many: forests.Case | None = None  # of many trees: what they do

    def figures(self, library: str, name: str, rows: int, runs: int) -> Results:
        """Of one library at one size, in a fresh process."""
        if self.many is not None:
            act = self.many.act
            cut = replace(self.many, set=name, rows=rows if act == "fit" else self.many.rows)
            cut = replace(cut, ask=rows if act == "predict" else 0)
            found = forests.run(cut, library, runs, self.threads)
            if act == "predict" and "predict" in found:
                found["fit"] = found.pop("predict")[str(self.threads)]  # what is timed
            return found
        job = {"library": library, "set": name, "settings": self.settings, "rows": rows}
        return run(job | {"runs": runs, "threads": self.threads, "predict": []})


def of_sklearn(least: float, small: float = 0) -> Callable[[int, str], float | None]:
    """So many times scikit-learn; fewer at a thousand rows."""
    return lambda rows, peer: (
        None if peer != "scikit-learn" else small or None if rows <= 1_000 else least
    )


def of_all(_rows: int, _peer: str) -> float:
    """Faster than every peer."""
    return 1.0


def continuous(rows: tuple[int, ...] = ROWS) -> tuple[Point, ...]:
    return tuple(("continuous", n) for n in rows)


def trees(act: str, kind: str, n: int) -> forests.Case:
    return forests.Case("", act, kind, "continuous", 80_000, n, {})


DEPTH_8 = {"max_depth": 8}
CASES = [
    Case("depth 8", continuous(), PEERS, of_sklearn(60, 10), DEPTH_8),
    Case("depth 8, one thread", continuous(), PEERS, of_sklearn(35), DEPTH_8, threads=1),
    Case("full", continuous(), ("scikit-learn", "ydf"), of_sklearn(40, 10)),
    Case(
        "256 values, depth 8",
        tuple(("quantised", n) for n in ROWS[1:]),
        ("scikit-learn", "lightgbm"),
        of_sklearn(30),
        DEPTH_8,
    ),
    Case(
        "AdaBoost",
        continuous((10_000, 50_000, 200_000, 800_000)),
        ("scikit-learn",),
        of_sklearn(80),
        many=trees("fit", "boost", 30),
    ),
    Case(
        "forest",
        continuous((20_000, 80_000)),
        ("scikit-learn", "ydf"),
        lambda rows, peer: None if peer != "scikit-learn" else 12 if rows < 80_000 else 15,
        many=trees("fit", "forest", 40),
    ),
    Case(
        "prediction by a forest",
        continuous((10_000, 60_000, 200_000)),
        ("scikit-learn", "ydf"),
        of_sklearn(5),
        many=trees("predict", "forest", 40),
    ),
    Case("wide, depth 8", (("wide", 2_000), ("broad", 20_000)), PEERS, of_all, DEPTH_8),
    Case("two columns, depth 8", (("two columns", 2_000_000),), PEERS, of_all, DEPTH_8),
]


def measure(case: Case, name: str, rows: int, runs: int) -> Results:
    """The libraries by turns; what is quick twice, ours always."""
    sets.prepare(name)
    found: dict[str, list[Results]] = {}
    for _ in range(2):
        for library in ["bosco", *case.peers]:
            before = found.setdefault(library, [])
            quick = not before or before[0].get("fit", SLOW) < SLOW
            if quick or library == "bosco":
                before.append(case.figures(library, name, rows, runs))
    return {library: together(turns) for library, turns in found.items()}


def together(turns: list[Results]) -> Results:
    """The turns of a library as one: the median, and the most memory."""
    if any("fit" not in one for one in turns):
        return next(one for one in turns if "fit" not in one)
    peaks = {"peak": max(one["peak"] for one in turns)} if "peak" in turns[0] else {}
    return {**turns[0], **peaks, "fit": statistics.median(one["fit"] for one in turns)}


def claims(case: Case, name: str, rows: int, found: Results) -> Iterator[Claim]:
    """What is aimed at, as far as it was measured."""
    ours = found["bosco"]
    at = f"{name} {rows:,}"
    for peer in case.peers:
        aim = case.aim(rows, peer)
        if aim is not None and "fit" in ours and "fit" in found[peer]:
            yield Claim(f"{at}: {peer} / bosco", found[peer]["fit"] / ours["fit"], aim)
    if "cells" in ours:
        cells = max(0.0, ours["peak"] - FIXED) / ours["cells"]
        yield Claim(f"{at}: bytes a cell", cells, BYTES_PER_CELL, at_most=True)


def lines(case: Case, points: list[tuple[str, int, Results]]) -> list[list[str]]:
    """A line per size: our seconds and memory, and every peer's time over ours."""
    rows = [["rows", "bosco", "bytes a cell", *(f"{peer} / bosco" for peer in case.peers)]]
    for name, n, found in points:
        ours = found["bosco"]
        beyond = f"{ours['peak'] / ours['cells']:.1f}" if "cells" in ours else ""
        said = [
            f"{found[p]['fit'] / ours['fit']:.1f}" if "fit" in found[p] and "fit" in ours else "–"
            for p in case.peers
        ]
        size = f"{n:,}" if name in {"continuous", "quantised"} else f"{n:,} ({name})"
        rows.append([size, ours.get("error", seconds(ours.get("fit"))), beyond, *said])
    return rows


def plot(cases: dict[str, Any], path: Path) -> None:
    """A panel per case: seconds against rows, both logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    shown = {name: points for name, points in cases.items() if len(points) > 1}
    across = min(3, len(shown))
    down = -(-len(shown) // across)
    figure, panels = plt.subplots(
        down, across, figsize=(4.2 * across, 3.4 * down), layout="constrained", squeeze=False
    )
    for panel in panels.flat[len(shown) :]:
        panel.set_visible(False)
    for panel, (name, points) in zip(panels.flat, shown.items(), strict=False):
        for library in points[0][2]:
            curve = [(n, f[library]["fit"]) for _, n, f in points if "fit" in f.get(library, {})]
            if curve:
                ours = library == "bosco"
                panel.loglog(*zip(*curve, strict=True), "o-", label=library, lw=2.5 if ours else 1)
        panel.set(title=name, xlabel="rows", ylabel="seconds")
        panel.grid(alpha=0.3, which="both")
        panel.legend(fontsize="x-small")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.sizes", description=__doc__)
    names = [case.name for case in CASES]
    parser.add_argument("--only", action="append", metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--rows", type=int, help="at most so many rows")
    parser.add_argument("--from", type=int, default=0, dest="least", help="at least so many rows")
    parser.add_argument("--peers", help="these alone, separated by commas; none: ours")
    parser.add_argument(
        "--runs", type=int, default=RUNS, help="of what takes less than ten seconds"
    )
    asked = parser.parse_args()
    chosen = [c for c in CASES if not asked.only or any(part in c.name for part in asked.only)]
    whole = asked.peers is None and asked.runs == RUNS
    path = KEPT if whole else KEPT.with_name("partial-sizes.json")
    figures: Results = json.loads(path.read_text()) if path.exists() else {"cases": {}}
    figures["machine"] = machine()
    print(heading(figures["machine"]))
    told: list[tuple[str, Claim]] = []
    for case in chosen:
        if asked.peers is not None:
            peers = tuple(p for p in case.peers if p in asked.peers.split(","))
            case = replace(case, peers=peers)
        shown = False
        print(f"\n{case.name}", flush=True)
        for name, rows in case.points:
            if asked.least <= rows <= (asked.rows or rows):
                found = measure(case, name, rows, asked.runs)
                told += [(case.name, claim) for claim in claims(case, name, rows, found)]
                put(figures["cases"], case, (name, rows, found))
                keep(path, figures)  # what was measured is not lost if the next one fails
                head, line = lines(case, [(name, rows, found)])
                for cells in ([] if shown else [head]) + [line]:
                    print("  " + "".join(cell.rjust(24) for cell in cells), flush=True)
                shown = True
    missed = [f"  {name}: {claim}" for name, claim in told if not claim.met]
    print(f"\n{len(told) - len(missed)} of {len(told)} aims met", *missed, sep="\n")
    plot(figures["cases"], path.with_suffix(".png"))


def put(cases: dict[str, Any], case: Case, point: tuple[str, int, Results]) -> None:
    """Takes in what was measured at one size, in place of what was there, in the case's order."""
    points = {(name, rows): found for name, rows, found in cases.get(case.name, [])}
    points[point[:2]] = point[2]
    cases[case.name] = [(*at, points[at]) for at in case.points if at in points]


if __name__ == "__main__":
    main()
