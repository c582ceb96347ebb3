"""docs/benchmarks.md, written from the figures of the last whole run: ``python -m bench.page``.

A test compares the page with this; no figure in it is typed.
"""

import json
from pathlib import Path
from typing import Any

from bench import sets
from bench.cases import CASES, Case
from bench.table import Results, claims, growth, heading, seconds, time_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
RESULTS = Path(__file__).parent / "results"

HEAD = """\
# Benchmarks

`make bench` runs bosco and its peers side by side: the same rows, two threads each, every learner
alone in a fresh process. Times are medians of the runs counted in the last column (what takes more
than ten seconds runs once), *score* is the accuracy (for numbers, R²) on rows held out, *memory* is
how far the process grew beyond the table during the first fit. The peers grow one tree with
settings as near as they have. This page is written by `python -m bench.page` from `bench/results`;
each case lists what was aimed at, **and what was missed**.
"""

NOTES = {
    "full": "A tree grown to the end.",
    "64 leaves": "Grown best first.",
    "quantised, depth 8": "At most 256 different values in a column, so binning loses nothing.",
    "regression, full": "Nearly every row gets a leaf of its own.",
    "mixed, depth 8": "Numbers and levels (up to 1,000 of them), 5 % of the cells missing. "
    "scikit-learn is given the levels one-hot encoded.",
    "small": "A thousand rows: what it costs to begin.",
}


def table(rows: list[list[str]]) -> str:
    """Markdown, figures to the right."""
    head, *body = rows
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, rule, *body]) + "\n"


def shape(case: Case) -> str:
    _, rows, fitted = sets.SETS[case.set]
    return f"{fitted:,} rows to fit, {rows - fitted:,} to score."


def case_rows(results: Results) -> list[list[str]]:
    """A line per library, with the columns that have a figure."""
    ours = results["bosco"].get("fit")
    rows = [["", "fit", "÷ bosco", "score", "predict, 1 thread", "2 threads", "memory", "runs"]]
    for library, r in results.items():
        fit = r.get("fit")
        rows.append(
            [
                f"**{library}**" if library == "bosco" else library,
                r.get("error", seconds(fit)),
                f"{fit / ours:.1f}" if fit and ours else "",
                f"{r['score']:.4f}" if "score" in r else "",
                seconds(time_of(r, "predict 1")),
                seconds(time_of(r, "predict 2")),
                f"{r['peak'] / 2**20:.0f} MB" if "peak" in r else "",
                str(r.get("runs", "")),
            ]
        )
    kept = [j for j in range(len(rows[0])) if j == 0 or any(row[j] for row in rows[1:])]
    return [[row[j] for j in kept] for row in rows]


def page() -> str:
    """The whole page."""
    figures = read("bench.json")
    cases = [(c, figures["cases"][c.name]) for c in CASES if c.name in figures["cases"]]
    aims = [(case.name, claim) for case, found in cases for claim in claims(case, found)]
    missed = [f"* {name}: {claim}" for name, claim in aims if not claim.met]
    parts = [HEAD, f"Measured on: {heading(figures['machine'])}.\n"]
    parts.append(f"**{len(aims) - len(missed)} of {len(aims)} aims are met.** Not met:\n")
    parts.append("\n".join(missed or ["* none"]) + "\n")
    for case, found in cases:
        parts.append(f"## {case.name[0].upper()}{case.name[1:]}\n")
        parts.append(f"{NOTES.get(case.name, '')} {shape(case)}".strip() + "\n")
        parts.append(table(case_rows(found)))
        told = "\n".join(f"* {claim}" for claim in claims(case, found))
        parts.append(told + "\n" if told else "Shown without an aim.\n")
    if (RESULTS / "scaling.json").exists():
        grown = growth(read("scaling.json")["scaling"]).strip()
        parts.append(f"## How the cost grows\n\n```text\n{grown}\n```\n")
    return "\n".join(parts)


def read(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((RESULTS / name).read_text())
    return figures


if __name__ == "__main__":
    PAGE.write_text(page())
