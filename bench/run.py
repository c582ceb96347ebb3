"""Run the cases one process at a time, print the table, keep the figures."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench import scaling, sets, table
from bench.cases import CASES, Case

HERE = Path(__file__).parent
THREADS = 2
PACKAGES = [
    "bosco",
    "scikit-learn",
    "lightgbm",
    "xgboost-cpu",
    "ydf",
    "onnxruntime",
    "shap",
    "numpy",
    "pandas",
]


def run(job: dict[str, Any], python: str = sys.executable) -> dict[str, Any]:
    """Do a job in a fresh process; a failure is a result too."""
    threads = {f"{name}_NUM_THREADS": str(THREADS) for name in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run(
        [python, "-m", "bench.worker", json.dumps(job)],
        cwd=HERE.parent,
        env={**os.environ, **threads},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"ended with {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def measure(
    case: Case,
    rows: int | None,
    runs: int,
    scratch: str,
    libraries: list[str] | None = None,
    python: str = sys.executable,
) -> dict[str, Any]:
    """Run bosco and every peer, or the libraries named, on a case."""
    sets.prepare(case.set)
    results = {}
    for library in libraries or dict.fromkeys(["bosco", *case.peers, *case.predict]):
        predicts = case.predict and library in {"bosco", *case.predict}
        results[library] = run(
            {
                "library": library,
                "set": case.set,
                "settings": {**case.settings, **(case.ours if library == "bosco" else {})},
                "rows": rows,
                "runs": runs,
                "threads": THREADS,
                "predict": [1, THREADS] if predicts else [],
                "scratch": scratch,
            },
            python,
        )
    return results


def machine() -> dict[str, Any]:
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "none"
    info = Path("/proc/cpuinfo")
    models = (
        [r for r in info.read_text().splitlines() if "model name" in r] if info.exists() else []
    )
    return {
        "processor": models[0].split(":")[1].strip() if models else platform.processor(),
        "processors": os.cpu_count(),
        "threads": THREADS,
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": versions,
    }


def keep(path: Path, figures: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(figures, indent=1) + "\n")
    part.replace(path)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [c.name for c in CASES] + ["scaling"]
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help=f"a case whose name holds NAME: {', '.join(names)}",
    )
    parser.add_argument("--quick", action="store_true", help="an eighth of the rows, three runs")
    asked = parser.parse_args()
    chosen = [n for n in names if not asked.only or any(part in n for part in asked.only)]
    if not chosen:
        parser.error(
            f"no case has {' or '.join(asked.only)} in its name; there are: {', '.join(names)}"
        )
    whole = chosen == names and not asked.quick

    here = machine()
    print(table.heading(here))
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for case in CASES:
            if case.name not in chosen:
                continue
            n_train = sets.SETS[case.set][2]
            rows = n_train // 8 if asked.quick and n_train > 100_000 else None
            results[case.name] = measure(case, rows, 3 if asked.quick else 5, scratch)
            print(table.lines(case, results[case.name]), flush=True)
    print(table.verdict(CASES, results))
    figures = {"machine": here, "whole": whole, "cases": results}
    keep(HERE / "results" / ("bench.json" if whole else "partial.json"), figures)

    if "scaling" in chosen:
        growth = scaling.measure(run, THREADS, asked.quick)
        print(table.growth(growth))
        stem = "scaling" if whole or not asked.quick else "partial-scaling"
        keep(HERE / "results" / f"{stem}.json", {"machine": here, "scaling": growth})
        scaling.plot(growth, HERE / "results" / f"{stem}.png")
