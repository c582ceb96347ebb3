"""Many trees side by side: ``python -m bench.forests [--only NAME] [--rows N] [--trees N]``.

Every library does the same on the same rows, alone in its process. Printed like the table of
``python -m bench``, with what is aimed at; a run of all cases at their size is kept in
``bench/results/forests.json``.

ranger is run where R has it (Debian: ``r-cran-ranger``). fasttreeshap needs NumPy 1: the variable
``BENCH_FASTTREESHAP`` names a Python that has it and scikit-learn.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bench import sets
from bench.run import HERE, THREADS, keep, machine
from bench.table import Claim, heading, seconds
from bench.worker import medians

Results = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Something many trees do; the aims say how many times faster than each peer we mean to be."""

    name: str
    act: str  # fit, predict, row or explain
    kind: str  # forest, extra, boost or tree
    set: str
    rows: int
    trees: int
    peers: dict[str, float | None]
    ask: int = 0  # rows predicted or explained
    leaves: int = 0  # at most, of each tree; 0: no limit
    oob: bool = False  # also the score out of the bag, ours as good as scikit-learn's
    most: float | None = None  # seconds
    accuracy: str = "as good"  # as scikit-learn's, up to the noise; or "better"
    lean: bool = False  # needs no more memory than scikit-learn


PEERS: dict[str, float | None] = {"scikit-learn": 10, "ydf": 5, "xgboost": 5, "ranger": 5}
ROW: dict[str, float | None] = {"scikit-learn": None, "onnxruntime": None}
SHAP: dict[str, float | None] = {"shap": 1, "fasttreeshap": 1}

# fmt: off
CASES = [
    Case("forest", "fit", "forest", "continuous", 80_000, 100, PEERS, oob=True),
    Case("forest, many rows", "fit", "forest", "continuous", 800_000, 10, PEERS, lean=True),
    Case("extra-trees", "fit", "extra", "continuous", 80_000, 100,
         {"scikit-learn": 3, "ranger": None}),
    Case("adult", "fit", "forest", "adult", 32_561, 300,
         {"scikit-learn": 5, "ydf": None, "ranger": None}, accuracy="better"),
    Case("adaboost", "fit", "boost", "continuous", 80_000, 100, {"scikit-learn": 60}),
    Case("adaboost, many rows", "fit", "boost", "continuous", 800_000, 10, {"scikit-learn": 80}),
    Case("predict", "predict", "forest", "continuous", 80_000, 100,
         {"scikit-learn": 4, "ydf": None}, ask=1_000_000),
    Case("one row, tree", "row", "tree", "continuous", 80_000, 1, ROW, most=10e-6),
    Case("one row, forest", "row", "forest", "continuous", 80_000, 100, ROW, most=40e-6),
    Case("contributions", "explain", "forest", "continuous", 80_000, 100, SHAP,
         ask=10_000, leaves=31),
]
# fmt: on
BYTES_PER_NODE = 24  # of a finished forest, at most
TURNS = 2  # of every library in a case
MORE_TREES, MORE_THREADS = (10, 50, 100), (1, 2, 4)
GROWN = "Seconds of the first forest by number of trees, and its memory by number of threads."


def run(
    case: Case, library: str, runs: int, threads: int = THREADS, python: str = sys.executable
) -> Results:
    """Do a case in a fresh process; a failure is a result too."""
    limits = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    job = {**vars(case), "library": library, "threads": threads, "runs": runs}
    if library == "fasttreeshap":
        python = os.environ.get("BENCH_FASTTREESHAP", python)
    done = subprocess.run(
        [python, "-m", "bench.forest_worker", json.dumps(job)],
        cwd=HERE.parent,
        env={**os.environ, **limits},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"ended with {done.returncode}"}
    result: Results = json.loads(done.stdout.splitlines()[-1])
    return result


def measure(case: Case, runs: int) -> Results:
    """The libraries by turns, for a machine changes its pace; a slow one once, ours always."""
    found: dict[str, Results] = {}
    for _ in range(TURNS):
        for library in ["bosco", *case.peers]:
            before = found.get(library)
            if before is None:
                found[library] = run(case, library, runs)
            elif "times" in before and (library == "bosco" or not slow(before)):
                found[library] = together(before, run(case, library, runs))
    return found


def slow(result: Results) -> bool:
    """Whether something in it took so long that it was done once."""
    return any(len(times) == 1 for times in result["times"].values())


def together(a: Results, b: Results) -> Results:
    """Two turns of a library as one: medians over the runs of both, the higher peak."""
    pooled = {key: [*times, *b.get("times", {}).get(key, [])] for key, times in a["times"].items()}
    peak = {"peak": max(a["peak"], b.get("peak", 0))} if "peak" in a else {}
    return {**a, **peak, **medians(pooled)}


def times(case: Case, result: Results) -> dict[str, float]:
    """What is compared, by name."""
    if case.act != "predict":
        return {case.act: result[case.act]} if case.act in result else {}
    return {f"predict {n}": t for n, t in result.get("predict", {}).items()}


def claims(case: Case, results: Results) -> Iterator[Claim]:
    """List everything a case aims at, as far as it was measured."""
    ours, sklearn = results["bosco"], results.get("scikit-learn", {})
    for peer, aim in case.peers.items():
        theirs = times(case, results[peer])
        for key, mine in times(case, ours).items():
            if aim is not None and key in theirs:
                yield Claim(f"{key}: {peer} / bosco", theirs[key] / mine, aim)
    if case.most is not None and case.act in ours:
        yield Claim("microseconds", 1e6 * ours[case.act], 1e6 * case.most, at_most=True)
    for key, rows in (("score", "tested"), ("oob", "fitted")):
        if key in ours and key in sklearn and case.act == "fit":
            p = sklearn[key]
            noise = 2 * (p * (1 - p) / ours[rows]) ** 0.5 if case.accuracy == "as good" else 0.0
            what = "accuracy" if key == "score" else "accuracy out of the bag"
            yield Claim(what, ours[key], round(p - noise, 4))
    if "node" in ours:
        yield Claim("bytes a node", ours["node"], BYTES_PER_NODE, at_most=True)
    if case.lean and "peak" in ours and "peak" in sklearn:
        yield Claim("MB", ours["peak"] / 2**20, round(sklearn["peak"] / 2**20, 1), at_most=True)


HEADINGS = ["", "fit", "predict, 1 thread", "2 threads", "one row", "contributions", "÷ bosco"]
HEADINGS += ["score", "out of bag", "memory", "a node", "runs"]


def lines(case: Case, results: Results) -> list[list[str]]:
    """A line per library, with the columns that have a figure, under their headings."""
    ours = times(case, results["bosco"])
    first = next(iter(ours), "")
    rows = [HEADINGS]
    for library, r in results.items():
        asked, theirs = r.get("predict", {}), times(case, r)
        ratio = f"{theirs[first] / ours[first]:.1f}" if first in theirs else ""
        rows.append(
            [
                library,
                r.get("error") or r.get("skipped") or seconds(r.get("fit")),
                seconds(asked.get("1")),
                seconds(asked.get(str(THREADS))),
                f"{1e6 * r['row']:.1f} µs" if "row" in r else "",
                seconds(r.get("explain")),
                ratio,
                f"{r['score']:.4f}" if "score" in r else "",
                f"{r['oob']:.4f}" if "oob" in r else "",
                f"{r['peak'] / 2**20:.0f} MB" if "peak" in r else "",
                f"{r['node']:.1f} bytes" if "node" in r else "",
                str(r.get("runs", "")),
            ]
        )
    kept = [j for j in range(len(HEADINGS)) if j == 0 or any(row[j] for row in rows[1:])]
    return [[row[j] for j in kept] for row in rows]


def about(case: Case) -> str:
    """A case in words."""
    what = {"boost": "rounds of stumps", "tree": "full tree"}.get(case.kind, "trees")
    leaves = f" of at most {case.leaves} leaves" if case.leaves else ""
    asked = f", {case.ask:,} rows asked" if case.ask else ""
    return f"{case.trees} {what}{leaves} on {case.rows:,} rows{asked}."


def growth(rows: int, runs: int) -> Results:
    """Seconds by number of trees; memory by number of threads."""
    case = replace(CASES[0], rows=rows, oob=False)
    return {
        "rows": rows,
        "trees": [
            [trees, run(replace(case, trees=trees), "bosco", runs)["fit"]] for trees in MORE_TREES
        ],
        "threads": [[threads, run(case, "bosco", 1, threads)["peak"]] for threads in MORE_THREADS],
    }


def growth_claims(found: Results) -> Iterator[Claim]:
    """Each tree costs the same; a thread needs less than the table takes (20 columns, 4 bytes)."""
    (a, at), (b, bt), (c, ct) = found["trees"]
    slope = (ct - bt) / (c - b) / ((bt - at) / (b - a))
    yield Claim("seconds a tree, later / earlier", slope, 1.15, at_most=True)
    (one, least), *_, (many, most) = found["threads"]
    thread = (most - least) / (many - one) / (found["rows"] * 20 * 4)
    yield Claim("memory of one more thread / table", thread, 1, at_most=True)


def growth_rows(found: Results) -> list[list[str]]:
    return [
        ["", *("" for _ in MORE_TREES)],
        ["trees", *(f"{n}: {seconds(t)}" for n, t in found["trees"])],
        ["threads", *(f"{n}: {m / 2**20:.1f} MB" for n, m in found["threads"])],
    ]


def cut(case: Case, rows: int | None, trees: int | None) -> Case:
    """At most so many rows and trees."""
    return replace(
        case,
        rows=min(case.rows, rows or case.rows),
        trees=min(case.trees, trees or case.trees),
        ask=min(case.ask, rows or case.ask),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.forests", description=__doc__)
    names = [case.name for case in CASES] + ["growth"]
    parser.add_argument(
        "--only", action="append", metavar="NAME", help=f"names that hold NAME: {', '.join(names)}"
    )
    parser.add_argument("--rows", type=int, help="at most so many rows")
    parser.add_argument("--trees", type=int, help="at most so many trees")
    parser.add_argument("--runs", type=int, default=5, help="of what takes less than ten seconds")
    asked = parser.parse_args()
    chosen = [n for n in names if not asked.only or any(part in n for part in asked.only)]
    figures: Results = {"machine": machine(), "cases": {}}
    aims: list[tuple[str, Claim]] = []
    part = HERE / "results" / "partial-forests.json"
    print(heading(figures["machine"]))
    for case in (cut(case, asked.rows, asked.trees) for case in CASES if case.name in chosen):
        print(f"\n{case.name}: {about(case)}", flush=True)
        if case.set == "adult" and not sets.SHARED.exists():
            print(f"  left out: {sets.SHARED} is not there")
            continue
        if case.set in sets.SETS:
            sets.prepare(case.set)
        found = measure(case, asked.runs)
        figures["cases"][case.name] = found
        keep(part, figures)  # what was measured is not lost if the next case fails
        for line in lines(case, found):
            print("  " + line[0].ljust(14) + "".join(cell.rjust(19) for cell in line[1:]))
        told = list(claims(case, found))
        aims += [(case.name, claim) for claim in told]
        print(*(f"  {claim}" for claim in told), sep="\n", flush=True)
    if "growth" in chosen:
        rows = min(CASES[0].rows, asked.rows or CASES[0].rows)
        figures["growth"] = growth(rows, asked.runs)
        told = list(growth_claims(figures["growth"]))
        aims += [("growth", claim) for claim in told]
        shown = ["  ".join(row) for row in growth_rows(figures["growth"])[1:]]
        print("\ngrowth", *shown, *told, sep="\n  ")
    missed = [f"  {name}: {claim}" for name, claim in aims if not claim.met]
    print(f"\n{len(aims) - len(missed)} of {len(aims)} aims met", *missed, sep="\n")
    whole = chosen == names and not asked.rows and not asked.trees
    keep(part.with_name("forests.json") if whole else part, figures)


if __name__ == "__main__":
    main()
